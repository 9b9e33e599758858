"""What the exercises of lesson 02 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Part, Promise
from course_utils.checks.lessons.shared import draw

ONE_ROW = "`scores` is `(n_keys,)`, and you return `(n_keys,)`."
POSITIVE = "`T` is a positive number"
ANY_ARRAY = "It works along the last axis of any array"
HUGE = 2.0**60  # here log(2) is lost when it is added; a float32 holds it
LARGEST = 1e37  # a float32 holds it, and twice it
HIDDEN = -np.inf

PROMISED = {
    "softmax": {
        "by_hand": ("softmax",),
        "shapes": {"scores": ("n_keys",)},
        "promises": (
            Promise(ONE_ROW, "when there is a single key", ((np.array([1.5]),),)),
            Promise(ONE_ROW, "when there are many keys", (draw(12, seed=1), draw(64, seed=2))),
            Promise(
                "Scores may be negative, and some may be equal.",
                "when all scores are negative, or equal",
                ((np.array([-20.0, -21.5, -25.0]),), (np.array([0.5, 0.5, 0.5]),), (np.zeros(4),)),
            ),
        ),
    },
    "temperature": {
        "shapes": {"scores": ("n_keys",), "T": ()},
        "promises": (
            Promise(
                POSITIVE,
                "when T is below 0.1",
                (
                    (np.array([0.5, 0.52, 0.45]), 0.05),
                    (np.array([0.01, -0.01, 0.0, 0.005]), 0.01),
                    (np.array([0.0, 0.0005]), 0.005),
                ),
            ),
            Promise(
                POSITIVE, "when T is large", ((np.array([3.0, -60.0, 20.0]), 50.0), (np.array([500.0, 0.0]), 1000.0))
            ),
            Promise(
                "`scores` is `(n_keys,)`",
                "when there is a single key, or when there are many",
                ((np.array([1.5]), 2.0), (*draw(12, seed=3), 0.5)),
            ),
        ),
    },
    "stable_softmax": {
        "by_hand": ("softmax",),
        "shapes": {"scores": ...},
        "parts": (
            Part(
                "with a single row of small scores",
                ((np.array([0.0, 1.0, -1.0]),), (np.array([2.0, 0.0]),)),
                ("shift", "sums", "whole"),
                like=lambda scores: np.size(scores) == np.shape(scores)[-1],
            ),
        ),
        "promises": (
            Promise(
                "Write a softmax that no finite score can break.",
                "when scores are huge and equal",
                (
                    (np.array([HUGE, HUGE, 0.0]),),
                    (np.array([[-HUGE, -HUGE], [HUGE, -HUGE]]),),
                    (np.array([LARGEST, LARGEST, -LARGEST]),),
                ),
            ),
            Promise(
                ANY_ARRAY,
                "when the scores have four axes, or a single row, or a single key",
                tuple(draw(shape, seed=4) for shape in ((2, 3, 2, 4), (1, 5), (3, 1), 1)),
            ),
            Promise(ANY_ARRAY, "when there are many keys", (draw((2, 12), seed=5), draw(64, seed=6))),
            Promise(
                "A score of −∞ (`-np.inf`) weighs 0.",
                "when a single score of a row is not −∞, or when the others are huge",
                (
                    (np.array([[HIDDEN, 3.0, HIDDEN], [1.0, HIDDEN, HIDDEN]]),),
                    (np.array([HUGE, HIDDEN, HUGE]),),
                    (np.array([HIDDEN, -1e6, -1e6 - 1]),),
                    (np.array([HIDDEN, -LARGEST]),),
                ),
            ),
        ),
    },
}
