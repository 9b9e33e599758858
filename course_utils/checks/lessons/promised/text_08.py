"""What the exercises of lesson 08 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Part, Promise
from course_utils.checks.lessons.shared import draw

ORDER = "`order` is `(n,)`."
PLACES = "Return `(n, d_model)` for the places 0 to n − 1."
ODD = "`d_model` may be odd; then the last sine has no cosine."
BATCH = "`X` is a batch of sentences, `(batch, n, d_model)`."
ROWS = "`P` is `(longest, d_model)` with at least `n` rows."
PAIRS = "`X` is `(…, n, d)`, with an even `d`; the dots are any leading axes."
ROTARY = "`Q` and `K` are `(…, n, d_k)`, with an even `d_k`; `V` is `(…, n, d_v)`."
PADDING = np.array([[True, True, False], [True, False, False]])[:, None, None]  # (batch, 1, 1, n)


def draw_each(*shapes, seed):
    """Return one probe for each shape, an array of normal numbers."""
    return tuple((array,) for array in draw(*shapes, seed=seed))


def everywhere(leading, n, d_k, d_v, seed):
    """Return Q, K, V with these leading axes, and a mask that hides nothing."""
    shapes = (*leading, n, d_k), (*leading, n, d_k), (*leading, n, d_v)
    return *draw(*shapes, seed=seed), np.ones((n, n), dtype=bool)


PROMISED = {
    "permutation": {
        "promises": (
            Promise(
                ORDER,
                "when there is a single word, or when there are many",
                ((np.array([0]),), (np.roll(np.arange(13), 5),), (np.roll(np.arange(130), 5),)),
            ),
            Promise(
                ORDER,
                "when the order stays as it was, or two words change places",
                ((np.arange(4),), (np.array([0, 2, 1]),)),
            ),
        ),
    },
    "sinusoidal_positions": {
        "shapes": {"n": (), "d_model": ()},
        "parts": (
            Part(
                "at place 0, where every angle is 0",
                ((1, 4), (1, 2)),
                ("first", "waves", "last"),
                like=lambda n, d_model: n == 1,
            ),
            Part(
                "when d_model is 2, so that there is one speed only",
                ((3, 2),),
                ("first", "pairs", "waves", "last"),
                like=lambda n, d_model: d_model == 2,
            ),
        ),
        "promises": (
            Promise(ODD, "when d_model is odd", ((4, 1), (3, 7), (2, 3))),
            Promise(PLACES, "when there is a single place, or when there are many", ((1, 4), (12, 4), (130, 4))),
            Promise(PLACES, "when d_model is 2, or large", ((3, 2), (3, 64))),
        ),
    },
    "add_positions": {
        "shapes": {"X": ("batch", "n", "d_model"), "P": ("longest", "d_model")},
        "promises": (
            Promise(
                BATCH,
                "when the batch holds a single sentence, or more sentences than P has rows",
                (draw((1, 3, 2), (5, 2), seed=5), draw((6, 2, 2), (3, 2), seed=6)),
            ),
            Promise(BATCH, "when sentences have a single word", (draw((3, 1, 2), (4, 2), seed=7),)),
            Promise(
                ROWS,
                "when P has exactly n rows, or many more",
                (draw((2, 3, 4), (3, 4), seed=8), draw((2, 3, 2), (24, 2), seed=9)),
            ),
        ),
    },
    "rotate": {
        "shapes": {},
        "parts": (
            Part("when d is 2, so that there is one speed only", draw_each((3, 2), seed=6), ("first", "turn", "spin")),
            Part("at place 0, where every angle is 0", draw_each((1, 4), seed=7), ("first", "turn", "layout", "spin")),
        ),
        "promises": (
            Promise(PAIRS, "when there is a single row, or when there are many", draw_each((1, 6), (130, 4), seed=8)),
            Promise(PAIRS, "when d is 2, or large", draw_each((4, 2), (3, 64), seed=9)),
            Promise(PAIRS, "when there are two leading axes", draw_each((2, 3, 5, 4), (1, 2, 3, 4), seed=10)),
        ),
    },
    "rotary_attention": {
        "tied": ("mask",),
        "promises": (
            Promise(
                ROTARY,
                "when there are no leading axes, or two",
                (everywhere((), 4, 2, 3, seed=11), everywhere((2, 5), 3, 4, 6, seed=12)),
            ),
            Promise(ROTARY, "when there is a single word", (everywhere((), 1, 4, 2, seed=13),)),
            Promise(ROTARY, "when there are many words", (everywhere((), 40, 4, 2, seed=14),)),
            Promise(
                "`mask` is bool, True = may look, and fits `(…, n, n)`.",
                "when nothing is hidden, or the padding of each sentence",
                (everywhere((5,), 3, 4, 2, seed=15), (*everywhere((2, 5), 3, 4, 6, seed=16)[:3], PADDING)),
            ),
        ),
    },
}
