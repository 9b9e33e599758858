"""What the exercises of lesson 12 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Promise
from course_utils.checks.lessons.shared import digits, draw

TOKENS = "`tokens` is `(n, seq_len)` and starts with `[CLS]`."
AT = "1 where the token at `position` is `target`, else 0"
BOTH = "`labels` and `predictions` are both `(n,)`, of 0 and 1"

IDS = "`token_ids` is `(batch, n)`, with any number of sentences"
TWO = "`query` is `(batch, n_query, d_model)` and `value` is `(batch, n_value, d_model)`"
SAME = "`X` and `output` are `(batch, n, d_model)`, for any sizes"
SIZES = "It must work for any sizes"
PAIRS = "whose output is one number between 0 and 1"


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
    "positional_embedding": {
        "shapes": {
            "token_ids": ("batch", "n"),
            "token_vectors": ("vocab", "d_model"),
            "position_vectors": ("n", "d_model"),
        },
        "tied": ("token_ids",),
        "promises": (
            Promise(IDS, "when there is a single sentence", ((rows("0312"), *draw((6, 2), (4, 2), seed=5)),)),
            Promise(
                IDS,
                "when there are many sentences",
                ((rows("0312", "0112", "0000", "0321", "0210"), *draw((6, 2), (4, 2), seed=6)),),
            ),
        ),
    },
    "attend": {
        "promises": (
            Promise(TWO, "when a single query asks", ((*draw((2, 1, 4), (2, 3, 4), seed=5), 4, (5, 1.0)),)),
            Promise(
                TWO, "when there are fewer queries than values", ((*draw((1, 2, 3), (1, 4, 3), seed=6), 3, (6, 1.0)),)
            ),
        ),
    },
    "add_and_norm": {
        "promises": (
            Promise(SAME, "when d_model is 2", (draw((2, 3, 2), (2, 3, 2), 2, 2, seed=5),)),
            Promise(SAME, "when there is a single token", (draw((3, 1, 4), (3, 1, 4), 4, 4, seed=6),)),
        ),
    },
    "build_model": {
        "promises": (
            Promise(SIZES, "when the vectors are short, as before training", ((51, 7, 8, (5, 0.05)),)),
            Promise(SIZES, "when sentences are longer than the vocabulary", ((5, 9, 3, (6, 1.0)),)),
        ),
    },
    "compile_model": {
        "promises": (
            Promise(
                PAIRS, "when all labels are 1", ((np.ones(3), np.array([0.9, 0.4, 0.7]), np.array([1.0, 1.0, -1.0])),)
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
