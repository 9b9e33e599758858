"""What the exercises of lesson 06 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Part, Promise
from course_utils.checks.lessons.shared import FAR_ROWS, VERY_LOW, draw

SIZES = "`Q` is `(n_queries, d_k)`, `K` is `(n_keys, d_k)`, `mask` is bool `(n_queries, n_keys)`."
HIDDEN = "A hidden key weighs exactly 0, however large its score is."
VISIBLE = "A visible key counts, whatever its score is."
ANY_NUMBERS = "The two arrays may hold any numbers, also whole ones."
MASK = np.array([[letter == "x" for letter in row] for row in ("xx..", ".x.x", "x.x.")])


def look(*rows):
    return np.array([[letter == "x" for letter in row] for row in rows])


def far(hidden, visible):
    """Return Q (3, 4 + 4), K and MASK: hidden scores near `hidden`, visible ones near `visible`, all of them whole
    numbers.

    d_k is 16, so that the root is exact, and a float32 holds every score.
    """
    n_queries, n_keys = MASK.shape
    Q, K = np.zeros((n_queries, 16)), np.zeros((n_keys, 16))
    Q[:, :n_queries], Q[:, 5] = 4 * np.eye(n_queries), 4
    K[:, :n_queries] = np.where(MASK, visible, hidden).T  # (n_keys, n_queries)
    K[:, 5] = [0, 1, 2, -1]
    return Q, K, MASK


def rounded(n, seed):
    """Return masked weights of a softmax, whose rows sum to 1 but for the last digit of a float."""
    exponentials = np.exp(np.random.default_rng(seed).normal(size=(n, n))) * np.tri(n)
    return (exponentials / exponentials.sum(axis=1, keepdims=True),)


def leak(amount, query, key, n=4):
    """Return weights that look back evenly, but for one look ahead of this amount."""
    W = np.tri(n) / np.arange(1, n + 1)[:, None]  # (n, n)
    W[query] *= 1 - amount
    W[query, key] = amount
    return (W,)


PROMISED = {
    "causal_mask": {
        "by_hand": ("causal_mask",),
        "shapes": {"n": ()},
        "promises": (
            Promise("Return the mask for `n` words", "when there are many words", ((13,), (24,), (130,))),
            Promise(
                "Return the mask for `n` words", "when there is a single word, or when there are two", ((1,), (2,))
            ),
        ),
    },
    "masked_weights": {
        "by_hand": ("scaled_dot_product_attention",),
        "shapes": {"Q": ("n_queries", "d_k"), "K": ("n_keys", "d_k"), "mask": ("n_queries", "n_keys")},
        "tied": ("mask",),
        "parts": (
            Part(
                "where all scores are equal",
                ((np.ones((3, 2)), np.ones((3, 2)), look("x..", "xx.", ".xx")),),
                ("look", "hide", "late", "share", "axis"),
                like=lambda Q, K, mask: np.ptp(Q @ K.T) == 0,
            ),
            Part(
                "when d_k is 1, so that nothing is scaled",
                ((np.array([[1.0], [2.0], [0.0]]), np.array([[1.0], [-1.0], [0.0]]), look("x.x", "xx.", ".xx")),),
                ("look", "hide", "late", "share", "axis", "roles", "product"),
                like=lambda Q, K, mask: Q.shape[1] == 1,
            ),
        ),
        "promises": (
            Promise(
                SIZES,
                "when there are more keys than queries, or fewer",
                (
                    (*draw((2, 3), (4, 3), seed=8), look("xx.x", ".xx.")),
                    (*draw((4, 3), (2, 3), seed=9), look("x.", "xx", ".x", "xx")),
                ),
            ),
            Promise(
                SIZES,
                "when there is a single key, or when d_k is 1",
                (
                    (*draw((2, 3), (1, 3), seed=10), look("x", "x")),
                    (*draw((3, 1), (3, 1), seed=11), look("x..", "xx.", ".xx")),
                ),
            ),
            Promise(
                HIDDEN,
                "when hidden scores lie far above the others",
                (far(hidden=500.0, visible=0.0), far(hidden=1e5, visible=0.0)),
            ),
            Promise(
                VISIBLE,
                "when all visible scores lie far below 0",
                (far(hidden=0.0, visible=-90.0), far(hidden=-95.0, visible=-90.0), far(hidden=0.0, visible=VERY_LOW)),
            ),
            Promise(
                VISIBLE,
                "when the scores of one query lie far below those of another",
                ((*FAR_ROWS, look("xx.", "x.x")),),
            ),
            Promise(
                VISIBLE,
                "when a visible score is 0",
                (
                    (
                        np.array([[1.0, 0.0], [0.0, 2.0]]),
                        np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
                        look("xx.", "x.x"),
                    ),
                ),
            ),
            Promise(
                "Each row has at least one `True`.",
                "when a query sees one key only, or all of them",
                ((*draw((3, 2), (3, 2), seed=12), look("x..", "..x", "xxx")),),
            ),
        ),
    },
    "padding_mask": {
        "allowed": lambda lengths, n_keys: max(lengths) <= n_keys,
        "by_hand": ("padding_mask",),
        "shapes": {"lengths": ("batch",), "n_keys": ()},
        "promises": (
            Promise(
                "`lengths` is `(batch,)`, whole numbers",
                "when the batch holds a single sentence, or many",
                ((np.array([2]), 3), (np.array([1, 2, 3, 1, 2, 3, 1]), 4)),
            ),
            Promise(
                "`n_keys` is the common length",
                "when a sentence fills the common length, or none does",
                ((np.array([3, 1]), 3), (np.array([2, 1]), 12), (np.array([130, 129, 2]), 130)),
            ),
        ),
    },
    "mask_label": {
        "shapes": {"weights": ("n", "n")},
        "tied": ("weights",),
        "promises": (
            Promise(
                "**no** query gives any weight to a later key",
                "when a later key gets very little weight",
                (leak(1e-3, 1, 2), leak(5e-6, 0, 3), leak(5e-6, 2, 3), leak(1e-12, 0, 3), leak(1e-18, 1, 3)),
            ),
            Promise(
                "**no** query gives any weight to a later key",
                "when the rows of a masked model sum to 1 but for rounding",
                tuple(rounded(7, seed) for seed in range(6)),
            ),
            Promise(
                "`weights` is `(n, n)`",
                "when there is a single word, or when there are many",
                ((np.ones((1, 1)),), leak(0.0, 0, 11, n=12), leak(0.125, 3, 9, n=12)),
            ),
        ),
    },
    "sat_row": {
        "shapes": {"Q": ("", "d_k"), "K": ("", "d_k")},
        "promises": (
            Promise(
                "`Q` and `K` are `(6, d_k)`",
                "when d_k is 1, or large",
                (draw((6, 1), (6, 1), seed=8), draw((6, 64), (6, 64), seed=9)),
            ),
            Promise(
                ANY_NUMBERS,
                "when Q and K hold whole numbers",
                ((np.array([[1], [2], [1], [0], [1], [3]]), np.array([[0], [3], [1], [0], [2], [1]])),),
            ),
            Promise(
                ANY_NUMBERS,
                "when hidden scores lie far above the others",
                ((np.full((6, 1), 1.0), np.array([[0.0], [2.0], [1.0], [1e5], [500.0], [0.0]])),),
            ),
            Promise(
                ANY_NUMBERS,
                "when all visible scores lie far below 0",
                ((np.full((6, 1), 1.0), np.array([[VERY_LOW]] * 3 + [[0.0], [1.0], [VERY_LOW]])),),
            ),
        ),
    },
}
