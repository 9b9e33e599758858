"""What the exercises of lesson 12 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Promise
from course_utils.checks.lessons.shared import digits

TOKENS = "`tokens` is `(n, seq_len)` and starts with `[CLS]`."
AT = "1 where the token at `position` is `target`, else 0"
BOTH = "`labels` and `predictions` are both `(n,)`, of 0 and 1"


def rows(*lines):
    return np.stack(digits(*lines))


PROMISED = {
    "cls_labels": {
        "shapes": {"tokens": ("n", "seq_len")},
        "tied": ("tokens",),
        "promises": (
            Promise(
                AT,
                "when the position is the last one, or the first",
                ((rows("1235", "1553", "1234"), 3, 5), (rows("1231", "1555"), 0, 1)),
            ),
            Promise(AT, "when the target stands elsewhere only", ((rows("1255", "1535"), 1, 5),)),
            Promise(
                TOKENS,
                "when there is a single sentence, or when sentences are long",
                ((rows("1452"), 2, 5), (rows("1234567823456782", "1876543287654328"), 9, 3)),
            ),
        ),
    },
    "recall": {
        "by_hand": ("metrics",),
        "shapes": {"labels": ("n",), "predictions": ("n",)},
        "tied": ("labels", "predictions"),
        "promises": (
            Promise(BOTH, "when nearly every label is 1", (digits("11110", "10100"),)),
            Promise(BOTH, "when a single label is 1", (digits("00100", "11111"), digits("0001", "1110"))),
            Promise(
                BOTH,
                "when there are two predictions only, or many",
                (digits("10", "10"), digits("1001" * 6, "1101" * 6)),
            ),
        ),
    },
    "count_weights": {
        "shapes": {"vocab_size": (), "seq_len": (), "d_model": ()},
        "promises": (
            Promise("for any sizes", "when d_model is 1", ((5, 4, 1), (2, 2, 1))),
            Promise("for any sizes", "when the sizes are large", ((1000, 64, 32), (31, 40, 64))),
        ),
    },
}
