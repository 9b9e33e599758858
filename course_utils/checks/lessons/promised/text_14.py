"""What the exercises of lesson 14 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Promise
from course_utils.checks.lessons.shared import digits, spread

BOTH = "`labels` and `predictions` are both `(n,)`, of 0 and 1, and both labels occur."
SHAPE = "Return weights of the same shape as `weights`, `(..., n_keys)`"

PROMISED = {
    "balanced_accuracy": {
        "shapes": {"labels": ("n",), "predictions": ("n",)},
        "tied": ("labels", "predictions"),
        "promises": (
            Promise(
                BOTH, "when one label is rare", (digits("000000000001", "000000000010"), digits("1111110", "1111111"))
            ),
            Promise(BOTH, "when there are two predictions only", (digits("10", "10"), digits("01", "10"))),
            Promise(BOTH, "when there are many predictions", (digits("1001" * 6, "1100" * 6),)),
        ),
    },
    "uniform_attention": {
        "shapes": {"weights": ...},
        "tied": ("weights",),
        "promises": (
            Promise(
                "every key of a row counts the same",
                "when some keys weigh 0",
                ((np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.25, 0.75]]),), (np.eye(4),)),
            ),
            Promise(
                SHAPE,
                "when the weights are one row, or have four axes",
                ((spread((1, 5), 5)[0][0],), spread((2, 2, 3, 4), 6)),
            ),
            Promise(
                SHAPE, "when there is a single key, or when there are many", ((np.ones((3, 1)),), spread((2, 24), 7))
            ),
        ),
    },
}
