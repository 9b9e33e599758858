"""What the exercises of lesson 18 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Promise
from course_utils.checks.lessons.shared import draw, spread

HEADS = "`weights` is `(n_heads, n, n)`."
MEAN = "the mean of the **tokens** of each sentence"
SEARCH = "the positions of the `k` vectors with the largest cosine with the query, the best first"
NOWHERE = "A cosine with a vector of zeros counts as 0, whether the query is zeros or one of `vectors`."
PADDING = "`mask` is `(batch, n)`, bool: True = token, False = padding."


def padded(n, d, lengths, seed):
    """Return hidden (batch, n, d), with numbers in the padding too, and its mask."""
    return *draw((len(lengths), n, d), seed=seed), np.arange(n) < np.array(lengths)[:, None]


def sentences(shape, k, seed, equal=(), nowhere=None):
    """Return a query (d,), vectors (n, d) and k. The vectors `equal` point the same way, `nowhere` is zeros.

    Numbers along one axis, whose lengths are powers of 2, have a cosine without rounding: so equal ones are equal.
    """
    query, vectors = draw(shape[1], shape, seed=seed)
    for i, place in enumerate(equal):
        vectors[place] = 0.5**i * np.eye(shape[1])[seed % shape[1]]
    if nowhere is not None:
        vectors[nowhere] = 0
    return query, vectors, k


def tiny(shape, seed):
    """Return a query (d,) and vectors (n, d) with lengths near 1e-5, the later ones shorter: half, a quarter, ..."""
    query, vectors = draw(shape[1], shape, seed=seed)
    return query * 2.0**-16, vectors * 2.0 ** -np.arange(16, 16 + len(vectors))[:, None]


def clear(query, vectors, k):
    """Tell whether k is above 0, and no two cosines are so close that rounding decides which of them is larger."""
    over = np.linalg.norm(query) * np.linalg.norm(vectors, axis=1)
    alike = np.divide(vectors @ query, over, out=np.zeros(len(vectors)), where=over > 0)
    exact = (vectors != 0).sum(axis=1) < 2  # along one axis, or zeros
    close = abs(alike[:, None] - alike) < 1e-4
    if not query.any():
        return k > 0  # all cosines are 0
    return k > 0 and bool((~close | np.outer(exact, exact) | np.eye(len(vectors), dtype=bool)).all())


PROMISED = {
    "previous_token": {
        "shapes": {"weights": ("n_heads", "n", "n")},
        "tied": ("weights",),
        "promises": (
            Promise(HEADS, "when there is a single head", (spread((1, 4, 4), 5),)),
            Promise(HEADS, "when there are two tokens, or many", (spread((3, 2, 2), 6), spread((2, 12, 12), 7))),
            Promise(
                "over all tokens that have one",
                "when every token looks at the one before only",
                ((np.tile(np.roll(np.eye(4), -1, axis=1), (2, 1, 1)),),),
            ),
        ),
    },
    "mean_pooling": {
        "shapes": {"hidden": ("batch", "n", "d"), "mask": ("batch", "n")},
        "tied": ("mask",),
        "promises": (
            Promise(
                MEAN,
                "when a sentence has a single token",
                (padded(3, 2, (1, 2), seed=5), padded(1, 2, (1, 1, 1), seed=6)),
            ),
            Promise(PADDING, "when nothing is padding", (padded(3, 2, (3, 3), seed=7),)),
            Promise(
                PADDING,
                "when the padding does not stand at the end",
                ((*draw((2, 4, 2), seed=8), np.array([[False, True, False, True], [False, False, True, True]])),),
            ),
            Promise(
                "`hidden` is `(batch, n, d)`",
                "when there is a single sentence, or when sentences are long",
                (padded(4, 3, (2,), seed=9), padded(12, 2, (12, 7), seed=10)),
            ),
            Promise(
                MEAN,
                "when the padding holds large numbers",
                ((np.array([[[1.0, 2.0], [3.0, 6.0], [5e4, -5e4]]]), np.array([[True, True, False]])),),
            ),
        ),
    },
    "search": {
        "shapes": {"query": ("d",), "vectors": ("n", "d"), "k": ()},
        "promises": (
            Promise(
                "`query` is `(d,)`, `vectors` is `(n, d)`",
                "when there is a single vector, or when there are many",
                (sentences((1, 3), 1, seed=5), sentences((12, 8), 3, seed=6)),
            ),
            Promise(SEARCH, "when only the best is wanted", (sentences((5, 4), 1, seed=7),)),
            Promise(
                "Of equal ones the earlier comes first",
                "when vectors are equal",
                (
                    (np.array([1.0, 2.0]), np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), 4),
                    (np.array([1.0, 2.0]), np.ones((4, 2)) * [0.0, 1.0], 2),
                ),
            ),
            Promise(
                NOWHERE,
                "when a vector is zeros, or the query is",
                (
                    sentences((4, 3), 4, seed=8, nowhere=0),
                    sentences((4, 3), 4, seed=9, nowhere=3),
                    (np.zeros(3), sentences((4, 3), 3, seed=10)[1], 3),
                    (np.array([1.0, 0.0]), np.array([[0.0, 2.0], [0.0, 0.0], [-1.0, 0.0], [0.0, -4.0]]), 4),
                ),
            ),
            Promise(
                "If `k` is larger than `n`, return all `n`",
                "when fewer than k vectors are there",
                (sentences((3, 4), 5, seed=11), sentences((1, 2), 3, seed=12)),
            ),
            Promise(
                "Of equal ones the earlier comes first",
                "when many vectors are equal",
                (
                    (np.array([1.0, 2.0]), np.tile([[0.0, 1.0], [1.0, 0.0], [-1.0, 0.0]], (20, 1)), 60),
                    (np.array([2.0, 1.0]), np.tile([[0.0, -1.0], [0.0, 1.0]], (45, 1)), 50),
                ),
            ),
            Promise(
                SEARCH,
                "when vectors are tiny, and not zeros",
                ((*tiny((7, 3), seed=13), 7), (*tiny((8, 4), seed=14), 8)),
            ),
        ),
    },
}
