"""What the exercises of lesson 03 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Promise
from course_utils.checks.lessons.shared import draw

SIZES = "`Q` is `(n_queries, d_k)`, `K` is `(n_keys, d_k)`."
LENGTH = "`d_k` is how many numbers a query has."
ONE_ROW = "`scores` is one row, `(n,)`."

PROMISED = {
    "score_variance": {
        "shapes": {"Q": ("n_queries", "d_k"), "K": ("n_keys", "d_k")},
        "promises": (
            Promise(
                SIZES,
                "when there are more keys than queries, or fewer",
                (draw((2, 3), (5, 3), seed=5), draw((4, 3), (2, 3), seed=6)),
            ),
            Promise(
                SIZES,
                "when there is a single query, or a single key",
                (draw((1, 3), (4, 3), seed=7), draw((4, 3), (1, 3), seed=8)),
            ),
            Promise(SIZES, "when d_k is 1", (draw((3, 1), (4, 1), seed=9),)),
            Promise(
                SIZES,
                "when there are many keys, or keys of many numbers",
                (draw((12, 3), (12, 3), seed=10), draw((3, 64), (4, 64), seed=11)),
            ),
        ),
    },
    "scale_for_unit_variance": {
        "shapes": {"d_k": ()},
        "promises": (
            Promise(LENGTH, "when d_k is 1", ((1,),)),
            Promise(LENGTH, "when d_k is 2", ((2,),)),
            Promise(LENGTH, "when d_k is large", ((1024,), (4096,))),
        ),
    },
    "softmax_gradient_size": {
        "shapes": {"scores": ("n",)},
        "promises": (
            Promise(ONE_ROW, "when the row holds a single score", ((np.array([0.7]),),)),
            Promise(ONE_ROW, "when the row is long", (draw(12, seed=3),)),
            Promise(
                ONE_ROW,
                "when all scores are equal, or when one leads by far",
                ((np.zeros(4),), (np.array([1.5, 1.5]),), (np.array([12.0, 0.0, 1.0]),)),
            ),
        ),
    },
}
