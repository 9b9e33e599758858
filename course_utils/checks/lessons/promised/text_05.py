"""What the exercises of lesson 05 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Promise
from course_utils.checks.lessons.shared import draw

ANY_WORD = "Return the weights of **any** word over all keys."
ANY_LENGTH = "Divide by $\\sqrt{d_k}$ for any $d_k$."
MIX = "`weights` is `(n_keys,)`, `V` is `(n_keys, d_v)`, and you return `(d_v,)`."


def word(i, n, d_k, seed):
    return *draw((n, d_k), (n, d_k), seed=seed), i


PROMISED = {
    "good_row": {
        "shapes": {"Q": ("n", "d_k"), "K": ("n", "d_k"), "i": ()},
        "promises": (
            Promise(ANY_WORD, "when i is the first or the last word", (word(0, 5, 3, seed=7), word(4, 5, 3, seed=8))),
            Promise(ANY_LENGTH, "when d_k is 1, or large", (word(1, 4, 1, seed=9), word(2, 4, 64, seed=10))),
            Promise("`Q` and `K` are `(n, d_k)`", "when there is a single word", (word(0, 1, 2, seed=11),)),
            Promise("`Q` and `K` are `(n, d_k)`", "when there are many words", (word(11, 20, 3, seed=12),)),
        ),
    },
    "good_output": {
        "shapes": {"weights": ("n_keys",), "V": ("n_keys", "d_v")},
        "tied": ("weights",),
        "promises": (
            Promise(MIX, "when there is a single key", ((np.array([1.0]), *draw((1, 3), seed=5)),)),
            Promise(
                MIX, "when the values hold a single number", ((np.array([0.5, 0.25, 0.25]), *draw((3, 1), seed=6)),)
            ),
            Promise(
                "Some weights may be 0.",
                "when a small weight meets a large value",
                ((np.array([0.996, 0.004]), np.array([[1.0, 0.0], [1e4, -2e4]])),),
            ),
            Promise(MIX, "when there are many keys", ((np.full(16, 1 / 16), *draw((16, 2), seed=7)),)),
            Promise(
                "Some weights may be 0.",
                "when some weights are 0",
                (
                    (np.array([0.0, 0.75, 0.0, 0.25]), *draw((4, 2), seed=8)),
                    (np.array([0.0, 0.0, 1.0]), *draw((3, 2), seed=9)),
                ),
            ),
        ),
    },
}
