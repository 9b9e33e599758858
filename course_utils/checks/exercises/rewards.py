"""Weights of a batch, as the two rewards for looking get them."""

import numpy as np

ANY = "for any batch and any number of places"
# The mean, the vote, the first sentence and the last one all have another favourite.
TORN = np.array(
    [[1, 8, 2, 20, 1], [16, 10, 2, 3, 1], [15, 13, 1, 1, 2], [13, 11, 3, 2, 3], [1, 28, 1, 1, 1], [1, 9, 2, 1, 19]]
)
TORN = TORN / 32

# The mean weights of places 0 and 1 differ by a thousandth: rounded, they are equal.
CLOSE = np.array([[150, 60, 20, 26], [50, 140, 40, 26], [100, 90, 40, 26], [84, 95, 50, 27]]) / 256


def rows_of_weights(n_rows, n, seed, towards):
    """Return weights (n_rows, n), each row with the sum 1, and the mean of one column above all others.

    They are multiples of 1 / 256, so that their sums are exact in every precision.
    """
    scores = np.random.default_rng(seed).normal(size=(n_rows, n))
    scores[:, towards] += 1.2
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    whole = np.maximum(np.round(256 * shares), 1)
    whole[np.arange(n_rows), whole.argmax(axis=1)] += 256 - whole.sum(axis=1)
    return whole / 256
