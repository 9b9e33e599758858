"""What the exercises of lesson 14 promise."""

import numpy as np

from course_utils.attention import softmax
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
    "hide": {
        "shapes": {"weights": ("n", "n_keys")},
        "tied": ("weights",),
        "allowed": lambda weights, key: (
            np.ndim(key) == 0 and key < weights.shape[-1] and (np.delete(weights, key, -1).sum(-1) > 0).all()
        ),
        "promises": (
            Promise(
                "`key` is one position, or `(n,)`, one for each row.",
                "when each row has a key of its own",
                ((spread((5, 4), 5)[0], np.array([0, 1, 2, 3, 0])),),
            ),
            Promise(
                "each row sums to what it summed to before",
                "when rows do not sum to 1",
                ((np.array([[0.2, 0.3, 0.1], [1.0, 2.0, 1.0]]), 1), (np.array([[0.2, 0.3]]), np.array([0]))),
            ),
            Promise("`(n, n_keys)`", "when there are many keys", ((spread((2, 24), 7)[0], 23),)),
            Promise(
                "In every row some weight lies on other keys.",
                "when nearly all weight lies on the hidden key",
                (
                    (softmax(np.array([[40.0, 0.0, 1.0], [45.0, 2.0, 1.0]])), 0),
                    (softmax(np.array([[0.0, 1.0, 50.0]])), 2),
                ),
            ),
        ),
    },
    "swap": {
        "shapes": {"tokens": ("n", "")},
        "allowed": lambda tokens, at, one, other: np.ndim(at) == 0,
        "promises": (
            Promise(
                "`at` is one position, or `(n,)`, one for each sentence.",
                "when each sentence has a place of its own",
                ((np.array([[0, 4, 4, 4], [0, 2, 4, 2], [0, 4, 2, 4]]), np.array([3, 1, 2]), 4, 2),),
            ),
            Promise(
                "`tokens` is `(n, seq_len)`",
                "when there is one sentence, or one long one",
                ((np.array([[0, 8, 9]]), 2, 8, 9), (np.arange(40)[None], 30, 30, 31)),
            ),
        ),
    },
    "furthest_row": {
        "shapes": {"candidates": ("m", ""), "answers": ("m",)},
        "tied": ("row", "candidates"),
        "promises": (
            Promise(
                "`row`, `(n_keys,)`, is the model's own",
                "when there are many keys, or two",
                (
                    (np.full(20, 0.05), 0.3, np.eye(20)[:3] * 0.4 + 0.03, np.array([0.9, 0.31, 0.2]), 0.05),
                    (np.array([0.5, 0.5]), 0.5, np.array([[0.1, 0.9], [0.3, 0.7]]), np.array([0.52, 0.49]), 0.05),
                ),
            ),
            Promise(
                "If none does, the model's own row comes back, with 0.",
                "when no candidate gives such an answer",
                ((np.array([0.2, 0.8]), 0.9, np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([0.1, 0.5]), 0.05),),
            ),
            Promise(
                "`candidates` is `(m, n_keys)`, with their answers in `answers`, `(m,)`.",
                "when there is a single candidate",
                ((np.array([0.2, 0.3, 0.5]), 0.1, np.array([[0.7, 0.3, 0.0]]), np.array([0.12]), 0.05),),
            ),
        ),
    },
}
