"""What the exercises of lesson 18 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Part, Promise
from course_utils.checks.lessons.shared import draw, spread

ALL = "`Q`, `K`, `V` hold all heads of all sentences: `(batch, n_heads, n, d_k)`."
MAY = "`mask` is bool, `(batch, 1, 1, n)`, True = may look."
WHATEVER = "A hidden key weighs exactly 0, however large its score is."
HEADS = "`weights` is `(n_heads, n, n)`."
MEAN = "the mean of the **tokens** of each sentence"
PADDING = "`mask` is `(batch, n)`, bool: True = token, False = padding."


def batch(shape, tokens, seed, hidden=0.0, visible=0.0):
    """Return Q, K, V of this shape and a mask, x = may look; hidden, visible: what is added to their scores."""
    mask = np.array([[letter == "x" for letter in row] for row in tokens.split()])[:, None, None]
    Q, K, V = draw(shape, shape, shape, seed=seed)
    if hidden or visible:  # whole numbers, so that a float32 holds the scores
        Q, K = Q.round(), K.round()
        Q[..., 0] = 1
        K[..., 0] += np.where(mask[:, 0], visible, hidden) * shape[-1] ** 0.5
    return Q, K, V, mask


def padded(n, d, lengths, seed):
    return *draw((len(lengths), n, d), seed=seed), np.arange(n) < np.array(lengths)[:, None]


ONES = np.ones((1, 1, 3, 2))

PROMISED = {
    "batched_attention": {
        "parts": (
            Part(
                "with a single token",
                (batch((1, 1, 1, 2), "x", seed=15),),
                ("look", "share", "mix", "pair"),
            ),
            Part(
                "where all scores are equal",
                (
                    (
                        ONES,
                        ONES,
                        np.array([[[[1.0, 0.0], [0.0, 3.0], [2.0, 5.0]]]]),
                        np.array([[[[True, True, False]]]]),
                    ),
                ),
                ("look", "hide", "late", "share", "axis", "mix", "pair"),
            ),
        ),
        "shapes": {
            "Q": ("batch", "n_heads", "n", "d_k"),
            "K": ("batch", "n_heads", "n", "d_k"),
            "V": ("batch", "n_heads", "n", "d_k"),
            "mask": ("batch", "", "", "n"),
        },
        "tied": ("mask",),
        "promises": (
            Promise(
                ALL,
                "when there is a single sentence, or a single head",
                (batch((1, 2, 3, 2), "xx.", seed=7), batch((2, 1, 3, 2), "xx. .xx", seed=8)),
            ),
            Promise(
                ALL,
                "when d_k is 1, or large",
                (batch((2, 2, 3, 1), "xx. .xx", seed=9), batch((1, 2, 2, 64), "xx", seed=10)),
            ),
            Promise(
                ALL,
                "when there is a single token, or when there are many",
                (batch((2, 2, 1, 3), "x x", seed=11), batch((1, 2, 12, 2), "xxxxxxxxx...", seed=12)),
            ),
            Promise(
                WHATEVER,
                "when hidden scores lie far above the others",
                (
                    batch((2, 1, 3, 4), "xx. .xx", seed=13, hidden=200.0),
                    batch((2, 1, 3, 4), "xx. .xx", seed=17, hidden=2000.0),
                ),
            ),
            Promise(
                WHATEVER,
                "when all visible scores lie far below 0",
                (batch((2, 1, 3, 4), "xx. .xx", seed=16, hidden=-90.0, visible=-90.0),),
            ),
            Promise(MAY, "when one key only is not hidden", (batch((2, 2, 3, 2), "..x x..", seed=14),)),
        ),
    },
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
}
