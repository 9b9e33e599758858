"""Batches of weights, the inputs of the two rewards for looking."""

import numpy as np

from course_utils.arrays.shapes import Array

ANY = "for any batch and any number of positions"
# The mean, the vote, the first sentence and the last one each favour a different position.
TORN = np.array(
    [[1, 8, 2, 20, 1], [16, 10, 2, 3, 1], [15, 13, 1, 1, 2], [13, 11, 3, 2, 3], [1, 28, 1, 1, 1], [1, 9, 2, 1, 19]]
)
TORN = TORN / 32

# The mean weights of positions 0 and 1 differ by a thousandth: rounded, they are equal.
CLOSE = np.array([[150, 60, 20, 26], [50, 140, 40, 26], [100, 90, 40, 26], [84, 95, 50, 27]]) / 256


def rows_of_weights(n_rows: int, n: int, seed: int, towards: int) -> Array["n_rows, n"]:
    """Return weights whose rows sum to 1 and whose column `towards` has the largest mean.

    They are multiples of 1 / 256, so that their sums are exact in every precision.
    """
    scores = np.random.default_rng(seed).normal(size=(n_rows, n))
    scores[:, towards] += 1.2
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    whole = np.maximum(np.round(256 * shares), 1)
    whole[np.arange(n_rows), whole.argmax(axis=1)] += 256 - whole.sum(axis=1)
    return whole / 256
