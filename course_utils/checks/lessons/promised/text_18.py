"""What the exercises of lesson 18 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Promise
from course_utils.checks.lessons.shared import draw, spread

HEADS = "`weights` is `(n_heads, n, n)`."
MEAN = "the mean of the **tokens** of each sentence"
PADDING = "`mask` is `(batch, n)`, bool: True = token, False = padding."


def padded(n, d, lengths, seed):
    return *draw((len(lengths), n, d), seed=seed), np.arange(n) < np.array(lengths)[:, None]


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
}
