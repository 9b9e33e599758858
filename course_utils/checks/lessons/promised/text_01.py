"""What the exercises of lesson 01 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Promise
from course_utils.checks.lessons.shared import draw

LENGTH = "`a` and `b` hold equally many numbers, one or more."
KEYS = "`q` is `(d_k,)`, `K` is `(n_keys, d_k)`, and you return `(n_keys,)`."


def pair(seed):
    return draw(3, 3, seed=seed)


PROMISED = {
    "dot_product": {
        "by_hand": ("a loop",),
        "shapes": {"a": ("d",), "b": ("d",)},
        "promises": (
            Promise(LENGTH, "when the vectors hold a single number", (draw(1, 1, seed=1),)),
            Promise(LENGTH, "when the vectors hold many numbers", (draw(12, 12, seed=2), draw(130, 130, seed=3))),
            Promise(LENGTH, "when numbers are equal", ((np.array([1.5, 1.5, 3.0]), np.array([2.0, 2.0, 1.0])),)),
            Promise(
                "They may hold whole numbers, as above.",
                "when the vectors hold whole numbers",
                (
                    (np.array([2, 3]), np.array([5, -1])),
                    (np.array([0, -7, 4]), np.array([3, 2, 0])),
                    (np.array([1, 2]), np.array([0.5, 0.25])),
                    (np.array([3000, 1]), np.array([2000, 1])),
                ),
            ),
        ),
    },
    "cosine": {
        "shapes": {"a": ("d",), "b": ("d",)},
        "promises": (
            Promise(
                "Their lengths must not matter.",
                "when one vector is much longer than the other, or when both are short",
                tuple(
                    (x * a, y * b)
                    for (a, b), x, y in zip(map(pair, (1, 2, 3)), (20, 0.1, 0.01), (0.05, 0.1, 0.01), strict=True)
                ),
            ),
            Promise(
                "Both are `(d,)`, for any `d`.",
                "when the vectors hold a single number, or many",
                ((np.array([2.0]), np.array([-4.0])), draw(12, 12, seed=3), draw(64, 64, seed=4)),
            ),
        ),
    },
    "one_query_scores": {
        "shapes": {"q": ("d_k",), "K": ("n_keys", "d_k")},
        "promises": (
            Promise(KEYS, "when there is a single key", (draw(3, (1, 3), seed=5),)),
            Promise(
                KEYS,
                "when there are many keys, or keys of many numbers",
                (draw(4, (12, 4), seed=6), draw(64, (3, 64), seed=7)),
            ),
            Promise(KEYS, "when d_k is 1", (draw(1, (4, 1), seed=8),)),
        ),
    },
}
