"""What the exercises of lesson 09 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Part, Promise
from course_utils.checks.lessons.shared import draw, spread

ROWS = "`weights` is `(..., n)`: one row, or any number of rows"
ONE = "`q` is `(d_k,)`, `K` `(n_keys, d_k)`, `V` `(n_keys, d_v)`"
SIZES = "`Q` is `(..., n_queries, d_k)`, `K` `(..., n_keys, d_k)`, `V` `(..., n_keys, d_v)`"
DOTS = "The dots stand for any leading axes, the same in all arguments, or for none."


def row(n, seed):
    return spread((1, n), seed)[0][0], draw(n, seed=seed + 1)[0]


def many(*shape, seed):
    return spread(shape, seed)[0], draw(shape, seed=seed + 1)[0]


def one(n_keys, d_k, d_v, seed):
    return draw(d_k, (n_keys, d_k), (n_keys, d_v), d_v, seed=seed)


def sizes(n_queries, n_keys, d_k, d_v, seed, lead=()):
    shapes = (n_queries, d_k), (n_keys, d_k), (n_keys, d_v), (n_queries, d_v)
    return draw(*((*lead, *shape) for shape in shapes), seed=seed)


PROMISED = {
    "softmax_gradient": {
        "shapes": {"weights": (..., "n"), "gradient": (..., "n")},
        "tied": ("weights",),
        "promises": (
            Promise(
                ROWS,
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
                ROWS, "when there are several rows, or more leading axes", (many(2, 3, seed=8), many(2, 3, 4, seed=10))
            ),
            Promise(
                "`gradient` holds the $g_i$, of the same shape.",
                "when all derivatives in `gradient` are equal",
                ((row(4, seed=7)[0], np.full(4, 1.5)),),
            ),
        ),
    },
    "one_query_gradient": {
        "parts": (
            Part(
                "where all scores are equal and V is 0",
                ((np.ones(2), np.ones((3, 2)), np.zeros((3, 1)), np.array([2.0])),),
                ("to_V", "order"),
            ),
            Part(
                "when d_k is 1, so that nothing is scaled",
                (one(3, 1, 2, seed=12),),
                ("softmax_back", "to_Q", "to_K", "to_V", "order"),
            ),
        ),
        "shapes": {"q": ("d_k",), "K": ("n_keys", "d_k"), "V": ("n_keys", "d_v"), "gradient": ("d_v",)},
        "promises": (
            Promise(
                ONE,
                "when there is a single key, or when there are many",
                (one(1, 3, 2, seed=5), one(12, 3, 2, seed=6)),
            ),
            Promise(
                "`gradient` is `(d_v,)`",
                "when d_k or d_v is 1",
                (one(3, 1, 2, seed=7), one(3, 2, 1, seed=8)),
            ),
        ),
    },
    "attention_gradient": {
        "parts": (
            Part(
                "where all scores are equal and V is 0",
                ((np.ones((2, 2)), np.ones((3, 2)), np.zeros((3, 1)), np.array([[1.0], [3.0]])),),
                ("to_V", "order"),
                like=lambda Q, K, V, gradient: np.ptp(Q @ K.T) == 0 and not V.any(),
            ),
            Part(
                "when d_k is 1, so that nothing is scaled",
                (sizes(2, 3, 1, 2, seed=12),),
                ("softmax_back", "to_Q", "to_K", "to_V", "order"),
                like=lambda Q, K, *_: Q.shape[-1] == 1,
            ),
        ),
        "shapes": {
            "Q": (..., "n_queries", "d_k"),
            "K": (..., "n_keys", "d_k"),
            "V": (..., "n_keys", "d_v"),
            "gradient": (..., "n_queries", "d_v"),
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
                "`gradient` is `(..., n_queries, d_v)`",
                "when d_k or d_v is 1",
                (sizes(3, 4, 1, 2, seed=9), sizes(3, 4, 2, 1, seed=10)),
            ),
            Promise(SIZES, "when there are many words", (sizes(12, 12, 3, 2, seed=11),)),
            Promise(
                DOTS,
                "when there are leading axes",
                (sizes(3, 4, 5, 6, seed=12, lead=(2,)), sizes(4, 5, 6, 7, seed=13, lead=(2, 3))),
            ),
        ),
    },
}
