"""The exercises of lesson 14: reading attention."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, fault
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_14 import PROMISED
from course_utils.checks.lessons.shared import NO_NEGATIVE, ROWS_SUM, digits, f1, spread


def balanced_accuracy(labels, predictions, *, join=lambda r, s: (r + s) / 2, whole=None):
    """Return the mean of the shares of right answers in both classes."""
    if whole:
        return whole(labels, predictions)
    return join(predictions[labels == 1].mean(), 1 - predictions[labels == 0].mean())


def uniform_attention(weights, *, even=lambda W: np.full(W.shape, 1 / W.shape[-1])):
    """Return weights of the same shape in which every key of a row counts the same."""
    return even(weights)


EXERCISES = (
    Exercise(
        name="balanced_accuracy",
        reference=balanced_accuracy,
        solution=solutions.balanced_accuracy,
        arguments=("labels", "predictions"),
        gives={"the balanced accuracy": "one number"},
        **PROMISED["balanced_accuracy"],
        probes=(
            digits("110010111000", "100011010010"),
            digits("101100010011", "001101110001"),
            digits("0100101000", "1100111000"),
            digits("110010000", "000000000"),
            digits("11010", "11110"),
        ),
        facts=((lambda a: a.min() >= 0 and a.max() <= 1, "It lies between 0 and 1."),),
        hint="Somebody who always answers no gets 0.5.",
        faults=(
            fault("balanced-is-accuracy", whole=lambda y, p: (y == p).mean()),
            fault("balanced-is-recall", join=lambda r, s: r),
            fault("balanced-is-specificity", join=lambda r, s: s),
            fault("balanced-not-halved", join=lambda r, s: r + s),
            fault("balanced-not-halved", join=lambda r, s: r + s - 1),
            fault("balanced-product", join=lambda r, s: r * s),
            fault("balanced-product", join=lambda r, s: (r * s) ** 0.5),
            fault("balanced-product", join=min),
            fault("balanced-precision", whole=lambda y, p: ((y * p).sum() / y.sum() + (y * p).sum() / p.sum()) / 2),
            fault("balanced-precision", whole=f1),
            fault("balanced-false-alarms", join=lambda r, s: (r + 1 - s) / 2),
            fault("recall-percent", join=lambda r, s: 50 * (r + s)),
        ),
    ),
    Exercise(
        name="uniform_attention",
        reference=uniform_attention,
        solution=solutions.uniform_attention,
        arguments=("weights",),
        gives={"the weights": "the shape of the weights"},
        **PROMISED["uniform_attention"],
        probes=(spread((4, 5), 1), spread((4, 5), 2), spread((2, 3, 6), 3), spread((3, 3), 4)),
        facts=(NO_NEGATIVE, ROWS_SUM),
        hint="Each row sums to 1, and no key of it counts more than another.",
        faults=(
            fault("uniform-queries", even=lambda W: np.full(W.shape, 1 / W.shape[-2])),
            fault("uniform-queries", even=lambda W: np.full(W.shape, 1 / len(W))),
            fault("uniform-root", even=lambda W: np.full(W.shape, W.shape[-1] ** -0.5)),
            fault("uniform-everything", even=lambda W: np.full(W.shape, 1 / W.size)),
            fault("uniform-ones", even=np.ones_like),
            fault("uniform-ones", even=np.zeros_like),
            fault("uniform-average", even=lambda W: np.broadcast_to(W.mean(-2, keepdims=True), W.shape)),
            fault("uniform-average", even=lambda W: np.broadcast_to(W.mean(0), W.shape)),
            fault("uniform-one-row", even=lambda W: np.full(W.shape[-1], 1 / W.shape[-1])),
            fault("uniform-one-row", even=lambda W: 1 / W.shape[-1]),
            fault("uniform-unchanged", even=lambda W: W),
        ),
    ),
)
