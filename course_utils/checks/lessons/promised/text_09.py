"""What the exercises of lesson 09 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Part, Promise
from course_utils.checks.lessons.shared import draw, spread

ONE_ROW = "`weights` is one row, `(n,)`."
SIZES = "`Q` is `(n_queries, d_k)`, `K` `(n_keys, d_k)`, `V` `(n_keys, d_v)`"
SAMPLE = "`X` is `(n, d)`, `labels` `(n,)`, `w` `(d,)`, `b` a number."


def row(n, seed):
    return spread((1, n), seed)[0][0], draw(n, seed=seed + 1)[0]


def sizes(n_queries, n_keys, d_k, d_v, seed):
    return draw((n_queries, d_k), (n_keys, d_k), (n_keys, d_v), (n_queries, d_v), seed=seed)


def sample(labels, d, rate, seed, b=0.3):
    w, X = draw(d, (len(labels), d), seed=seed)
    return w, b, X, np.array([float(label) for label in labels]), rate


PROMISED = {
    "softmax_gradient": {
        "shapes": {"weights": ("n",), "gradient": ("n",)},
        "tied": ("weights",),
        "promises": (
            Promise(
                ONE_ROW,
                "when the row holds a single weight, or many",
                ((np.array([1.0]), np.array([2.0])), row(12, seed=5)),
            ),
            Promise(
                "Some weights may be 0.",
                "when some weights are 0",
                (
                    (np.array([0.0, 0.75, 0.25]), np.array([3.0, -1.0, 2.0])),
                    (np.array([0.0, 1.0]), np.array([1.0, 2.0])),
                ),
            ),
            Promise(
                "`gradient` holds the $g_i$, also `(n,)`.",
                "when all derivatives in `gradient` are equal",
                ((row(4, seed=7)[0], np.full(4, 1.5)),),
            ),
        ),
    },
    "attention_gradient": {
        "parts": (
            Part(
                "where all scores are equal and V is 0",
                ((np.ones((2, 2)), np.ones((3, 2)), np.zeros((3, 1)), np.array([[1.0], [3.0]])),),
                ("to_V", "order"),
            ),
            Part(
                "when d_k is 1, so that nothing is scaled",
                (sizes(2, 3, 1, 2, seed=12),),
                ("softmax_back", "to_Q", "to_K", "to_V", "order"),
            ),
        ),
        "shapes": {
            "Q": ("n_queries", "d_k"),
            "K": ("n_keys", "d_k"),
            "V": ("n_keys", "d_v"),
            "gradient": ("n_queries", "d_v"),
        },
        "promises": (
            Promise(
                SIZES,
                "when there are more keys than queries, or fewer",
                (sizes(2, 5, 3, 2, seed=5), sizes(5, 2, 3, 2, seed=6)),
            ),
            Promise(
                SIZES,
                "when there is a single query, or a single key",
                (sizes(1, 3, 2, 2, seed=7), sizes(3, 1, 2, 2, seed=8)),
            ),
            Promise(
                "`gradient` is `(n_queries, d_v)`",
                "when d_k or d_v is 1",
                (sizes(3, 4, 1, 2, seed=9), sizes(3, 4, 2, 1, seed=10)),
            ),
            Promise(SIZES, "when there are many words", (sizes(12, 12, 3, 2, seed=11),)),
        ),
    },
    "train_step": {
        "parts": (
            Part("when the learning rate is 0", (sample("01", 2, 0.0, seed=11),), ("step",)),
            Part(
                "with a single row",
                (sample("1", 2, 1.0, seed=12),),
                ("squash", "error", "step", "keep"),
            ),
        ),
        "shapes": {"w": ("d",), "X": ("n", "d"), "labels": ("n",), "b": (), "learning_rate": ()},
        "tied": ("labels",),
        "promises": (
            Promise(
                SAMPLE,
                "when there is a single row, or when X has a single column",
                (sample("1", 3, 0.5, seed=5), sample("0110", 1, 0.5, seed=6)),
            ),
            Promise(SAMPLE, "when there are many rows", (sample("0110" * 4, 3, 0.5, seed=7),)),
            Promise(
                SAMPLE,
                "when b is 0 and w is 0",
                ((np.zeros(2), 0.0, *draw((4, 2), seed=8), np.array([0.0, 1.0, 1.0, 1.0]), 0.5),),
            ),
            Promise(
                "subtract `learning_rate` times the gradient",
                "when the learning rate is 0, or large",
                (sample("011", 2, 0.0, seed=9), sample("100", 2, 20.0, seed=10)),
            ),
        ),
    },
}
