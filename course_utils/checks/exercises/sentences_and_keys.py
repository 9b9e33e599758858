"""Inputs of the exercises on scores and mixing: Q, K and V of a sentence, and the sizes that their texts promise."""

import numpy as np

from course_utils.arrays.shapes import Array
from course_utils.checks.exercises.shared import draw
from pagecheck.exercise import Promise

# Q, K, V with as many keys as queries, as in self-attention.
# n, d_k and d_v all differ, except in the last: there a product on the wrong side runs and gives numbers.
SENTENCES = (
    draw((5, 3), (5, 3), (5, 2), seed=1),
    draw((5, 3), (5, 3), (5, 2), seed=2),
    draw((4, 6), (4, 6), (4, 3), seed=3),
    draw((3, 3), (3, 3), (3, 3), seed=4),
)
SIZES = "`Q` is `(n_queries, d_k)`, `K` is `(n_keys, d_k)`"
SHAPES = {"Q": ("n_queries", "d_k"), "K": ("n_keys", "d_k"), "V": ("n_keys", "d_v")}
NO_SCALE, ALL_EQUAL, ALONE = (
    "when d_k is 1, so nothing is scaled",
    "where all scores are equal",
    "with a single query and a single key",
)
# Rows of ones: all products of two of them are equal, and so are the scores at any scale.
ONES = np.ones((3, 2))
ONE_LONG = (np.array([[1.0], [2.0]]), np.array([[1.0], [-1.0], [0.0]]), np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]))
EQUAL_TOO = (np.ones((2, 2)), np.ones((4, 2)), np.array([[1.0], [3.0], [0.0], [2.0]]))
EQUAL = (ONES, ONES, np.array([[1.0, 0.0], [0.0, 3.0], [2.0, 0.0]]))
SINGLE = (np.array([[1.0, 2.0]]), np.array([[2.0, -1.0]]), np.array([[3.0, 1.0, 0.0]]))


def first(count: int, *inputs: tuple) -> tuple[tuple, ...]:
    """Return the first arguments of each of these inputs: Q and K, or all three."""
    return tuple(arguments[:count] for arguments in inputs)


def triples(*sizes: tuple[int, int, int, int], seed: int, count: int = 3) -> tuple[tuple, ...]:
    """Return one probe, the first of Q, K, V, for each of these sizes (n_queries, n_keys, d_k, d_v)."""
    return tuple(
        draw((n_queries, d_k), (n_keys, d_k), (n_keys, d_v), seed=seed + i)[:count]
        for i, (n_queries, n_keys, d_k, d_v) in enumerate(sizes)
    )


def of_any_size(count: int, any_length: str = SIZES) -> tuple[Promise, ...]:
    """Return what scores, weights and attention promise: any sizes, and any d_k."""
    return (
        Promise(
            SIZES,
            "when there are more keys than queries, or fewer",
            triples((2, 5, 3, 4), (5, 2, 3, 4), seed=5, count=count),
        ),
        Promise(SIZES, "when there is a single query", triples((1, 4, 3, 2), seed=7, count=count)),
        Promise(SIZES, "when there is a single key", triples((3, 1, 2, 2), seed=8, count=count)),
        Promise(any_length, "when d_k is 1, or large", triples((3, 4, 1, 2), (2, 3, 64, 2), seed=9, count=count)),
        Promise(SIZES, "when there are many words", triples((12, 12, 4, 3), (130, 130, 2, 1), seed=11, count=count)),
    )


def has_equal_scores(Q: Array["n_queries, d_k"], K: Array["n_keys, d_k"], *_: object) -> bool:
    """Tell whether all scores are equal."""
    return np.ptp(Q @ K.T) == 0


def has_short_keys(Q: Array["n_queries, d_k"], *_: object) -> bool:
    """Tell whether d_k is 1."""
    return Q.shape[-1] == 1
