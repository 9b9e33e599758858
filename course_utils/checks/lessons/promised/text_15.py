"""What the exercises of lesson 15 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Promise
from course_utils.checks.lessons.shared import digits

BOTH = "`labels` and `predictions` are both `(n,)`, of 0 and 1."
MASK = "in which every query may look at every key, except `query` at `key`"

PROMISED = {
    "verdict_label": {
        "shapes": {"good": ("n",), "negations": ("n",)},
        "tied": ("good", "negations"),
        "promises": (
            Promise(
                "`negations` is `(n,)`: how many negations the clause holds.",
                "when a clause holds many negations",
                (digits("1010110", "5544678"), (np.array([1, 0, 1]), np.array([12, 13, 21]))),
            ),
            Promise(
                "`good` is `(n,)`",
                "when there is a single clause, or when there are many",
                (digits("1", "1"), digits("10" * 12, "0123" * 6)),
            ),
        ),
    },
    "twins_told_apart": {
        "shapes": {"labels": ("n",), "predictions": ("n",)},
        "tied": ("labels", "predictions"),
        "promises": (
            Promise(BOTH, "when there is a single pair", (digits("10", "10"), digits("10", "11"))),
            Promise(BOTH, "when there are many pairs", (digits("10" * 12, "1001" * 6),)),
            Promise(BOTH, "when no pair is told apart", (digits("1001", "1111"),)),
        ),
    },
    "cut_edge": {
        "shapes": {"n": (), "query": (), "key": ()},
        "promises": (
            Promise(MASK, "when the query may not look at itself", ((4, 2, 2), (3, 0, 0))),
            Promise(MASK, "when the query or the key is the first or the last", ((4, 0, 3), (4, 3, 0), (2, 1, 0))),
            Promise(MASK, "when there are many words", ((13, 2, 12), (24, 23, 7))),
        ),
    },
}
