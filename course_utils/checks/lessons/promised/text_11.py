"""What the exercises of lesson 11 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Part, Promise
from course_utils.checks.lessons.shared import draw

ANY = "`X` is `(…, d)`, `gain` and `bias` are `(d,)`."
WIDE = "`X` is `(…, d_model)`; `W_in` is `(d_model, d_wide)`, `W_out` `(d_wide, d_model)`."
BIASES = "`b_in` is `(d_wide,)` and `b_out` `(d_model,)`."
ONE = "`X` is `(n, d_model)`."
NORM = '`norm` is `"after"`, `"before"` or `"none"`.'
ROWS = "`gains` and `biases` are `(2, d_model)`: row 0 is for attention, row 1 for the feed-forward layer."
MATRICES = "`W` is `(4, d_model, d_model)`: `W_Q`, `W_K`, `W_V`, `W_O`."


def vectors(shape, epsilon, seed):
    """Return X of this shape, gain, bias and epsilon; no vector has mean 0."""
    X, gain, bias = draw(shape, shape[-1], shape[-1], seed=seed)
    return 2 * X + 1, gain, bias, epsilon


def wide(shape, d_wide, seed):
    d = shape[-1]
    return draw(shape, (d, d_wide), d_wide, (d_wide, d), d, seed=seed)


def parts_of_a_block(n, d, d_wide, n_heads, norm, residual, seed):
    """Return the eleven arguments of a block."""
    shapes = ((n, d), (4, d, d), (d, d_wide), d_wide, (d_wide, d), d, (2, d), (2, d))
    return *draw(*shapes, seed=seed), n_heads, norm, residual


PROMISED = {
    "layer_norm": {
        "promises": (
            Promise(
                ANY,
                "when X is a single vector, or has more axes",
                (vectors((5,), 0.1, seed=5), vectors((2, 3, 5, 4), 0.1, seed=6)),
            ),
            Promise(
                ANY,
                "when there is a single token, or when there are many",
                (vectors((1, 4), 0.1, 7), vectors((12, 3), 0.1, 8)),
            ),
            Promise(
                "`epsilon` is added to the variance, inside the root.",
                "when all numbers of a vector are equal, or nearly so",
                (
                    (np.full((2, 3), 4.0), *draw(3, 3, seed=9), 0.001),
                    (draw((3, 4), seed=10)[0] / 100, *draw(4, 4, seed=11), 1e-5),
                ),
            ),
        ),
    },
    "feed_forward": {
        "parts": (
            Part(
                "where X is 0 and both biases are 1",
                (
                    (
                        np.zeros((2, 2)),
                        np.ones((2, 3)),
                        np.ones(3),
                        np.array([[1.0, 0.0], [0.0, 3.0], [2.0, 1.0]]),
                        np.ones(2),
                    ),
                ),
                ("bend", "first", "last"),
            ),
        ),
        "promises": (
            Promise(
                WIDE,
                "when X is a single vector, or has more axes",
                (wide((3,), 5, seed=5), wide((2, 5, 3, 4), 6, seed=6)),
            ),
            Promise(
                WIDE, "when d_wide is 1, or smaller than d_model", (wide((3, 4), 1, seed=7), wide((3, 5), 2, seed=8))
            ),
            Promise(
                BIASES,
                "when both biases are 0",
                ((*wide((3, 2), 4, seed=9)[:2], np.zeros(4), *draw((4, 2), seed=10), np.zeros(2)),),
            ),
        ),
    },
    "block": {
        "promises": (
            Promise(
                ONE,
                "when there is a single token, or when there are many",
                (
                    parts_of_a_block(1, 4, 5, 2, "after", True, seed=7),
                    parts_of_a_block(12, 4, 5, 2, "before", True, seed=8),
                ),
            ),
            Promise(NORM, "when there is a single head", (parts_of_a_block(3, 4, 5, 1, "none", True, seed=9),)),
            Promise(
                MATRICES, "when each head has a single number", (parts_of_a_block(3, 4, 5, 4, "before", True, seed=10),)
            ),
            Promise(
                ROWS,
                "when the feed-forward layer is not wider than the tokens",
                (parts_of_a_block(3, 6, 2, 2, "after", True, seed=11),),
            ),
        ),
    },
}
