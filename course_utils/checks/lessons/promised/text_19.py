"""What the exercises of lesson 19 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Promise

ROW = "`row` is `(n,)`, mean weights of which no two are equal"

PROMISED = {
    "control_places": {
        "shapes": {"row": ("n",), "places": ("k",)},
        "allowed": lambda row, places: (
            len(set(row)) == len(row)
            and 0 < 2 * len(places) <= len(row)
            and len(set(places)) == len(places)
            and min(places) >= 0
            and max(places) < len(row)
        ),
        "promises": (
            Promise(
                "`places`, `(k,)`, are whole numbers in any order",
                "when the claimed places are not in order",
                ((np.array([0.1, 0.25, 0.3, 0.15, 0.2]), np.array([3, 0])),),
            ),
            Promise(
                "at most half of all places",
                "when half of all places are claimed, or one of two",
                (
                    (np.array([0.3, 0.1, 0.2, 0.4]), np.array([0, 3])),
                    (np.array([0.7, 0.3]), np.array([0])),
                ),
            ),
            Promise(ROW, "when the row is long", ((np.arange(1, 31) / 465, np.array([29, 7, 12])),)),
        ),
    },
}
