"""The exercises of lesson 08: word order."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, fault
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_08 import PROMISED
from course_utils.checks.lessons.rotary import ROTARY
from course_utils.checks.lessons.shared import draw


def permutation(order, *, matrix=lambda order: np.eye(len(order))[order]):
    """Return the matrix P (n, n) with P @ X == X[order]."""
    return matrix(order)


def swapped(order):
    """The identity after one swap of rows for each place: later swaps move earlier ones again."""
    matrix = np.eye(len(order))
    for i, j in enumerate(order):
        matrix[[i, j]] = matrix[[j, i]]
    return matrix


def sinusoidal_positions(
    n,
    d_model,
    *,
    first=0,
    base=10000.0,
    pairs=lambda d, d_model: d // 2 * 2 / d_model,
    turn=np.divide,
    waves=lambda angles: np.where(np.arange(angles.shape[1]) % 2, np.cos(angles), np.sin(angles)),
    last=lambda P: P,
):
    """Return sine and cosine positions (n, d_model), interleaved."""
    positions = np.arange(first, first + n)[:, None]
    return last(waves(turn(positions, base ** pairs(np.arange(d_model), d_model))))


def halves(angles):
    """Sines in the first half, cosines in the second, with the frequencies of the interleaved form."""
    return np.concatenate([np.sin(angles[:, ::2]), np.cos(angles[:, 1::2])], axis=1)


def add_positions(X, P, *, fit=lambda P, X: P[: X.shape[1]], add=np.add, last=lambda Y, X: Y):
    """Return X (batch, n, d_model) plus the first n positions of P (longest, d_model)."""
    return last(add(X, fit(P, X)), X)


EXERCISES = (
    Exercise(
        name="permutation",
        reference=permutation,
        solution=solutions.permutation,
        arguments=("order",),
        gives={"the matrix": "(n, n)"},
        **PROMISED["permutation"],
        probes=tuple((np.array(order),) for order in ([2, 0, 1, 4, 3], [1, 3, 0, 4, 2], [1, 2, 0], [3, 0, 1, 2])),
        facts=(
            (lambda P: np.isin(P, (0, 1)).all(), "The matrix holds 0 and 1 only."),
            (lambda P: (P.sum(0) == 1).all() and (P.sum(1) == 1).all(), "Each row and each column holds one 1."),
        ),
        hint="Row i says which token comes to place i.",
        faults=(
            fault("permutation-inverse", matrix=lambda order: np.eye(len(order))[order].T),
            fault("permutation-swaps", matrix=swapped),
            fault("permutation-identity", matrix=lambda order: np.eye(len(order))),
            fault("permutation-reversed", matrix=lambda order: np.eye(len(order))[order[::-1]]),
            fault("permutation-reversed", matrix=lambda order: np.eye(len(order))[::-1]),
            fault("shifted", "from_1", matrix=lambda order: np.eye(len(order))[order - 1]),
            fault("shifted", "from_1_transposed", matrix=lambda order: np.eye(len(order))[:, order - 1]),
            fault("permutation-order", matrix=lambda order: order),
            fault("permutation-order", matrix=np.argsort),
            fault("permutation-order", matrix=np.diag),
        ),
    ),
    Exercise(
        name="sinusoidal_positions",
        reference=sinusoidal_positions,
        solution=solutions.sinusoidal_positions,
        arguments=("n", "d_model"),
        gives={"the positions": "(n, d_model)"},
        **PROMISED["sinusoidal_positions"],
        probes=((5, 8), (5, 8), (7, 6), (3, 4), (4, 4), (3, 5)),
        facts=((lambda P: (abs(P) <= 1 + 1e-9).all(), "Sines and cosines lie between -1 and 1."),),
        hint="Two columns at a time turn at one speed, and each pair more slowly than the one before.",
        faults=(
            fault("position-sin-cos-split", waves=halves),
            fault(
                "position-sin-cos-swapped",
                waves=lambda angles: np.where(np.arange(angles.shape[1]) % 2, np.sin(angles), np.cos(angles)),
            ),
            fault("position-one-wave", waves=np.sin),
            fault("position-one-wave", waves=np.cos),
            fault("position-angles", waves=lambda angles: angles),
            fault(
                "position-degrees",
                waves=lambda a: np.where(np.arange(a.shape[1]) % 2, np.cos(np.radians(a)), np.sin(np.radians(a))),
            ),
            *(fault("position-base", base=base) for base in (10.0, 1000.0, 100000.0, np.e)),
            fault("position-pairs", pairs=lambda d, d_model: d / d_model),
            fault("position-pairs", pairs=lambda d, d_model: 2 * d / d_model),
            fault("position-exponent", pairs=lambda d, d_model: d // 2 / d_model),
            fault("position-exponent", pairs=lambda d, d_model: d // 2 * 2),
            fault("position-exponent", pairs=lambda d, d_model: d // 2),
            fault("position-exponent", pairs=lambda d, d_model: d // 2 * 0),
            fault("position-times", turn=np.multiply),
            fault("position-from-one", first=1),
            fault("position-axis", last=np.transpose),
        ),
    ),
    Exercise(
        name="add_positions",
        reference=add_positions,
        solution=solutions.add_positions,
        arguments=("X", "P"),
        gives={"the sum": "(batch, n, d_model)"},
        **PROMISED["add_positions"],
        probes=(
            draw((2, 4, 3), (6, 3), seed=1),
            draw((2, 4, 3), (6, 3), seed=2),
            draw((3, 5, 2), (7, 2), seed=3),
            draw((4, 4, 3), (4, 3), seed=4),
        ),
        hint="Token i gets position i, in every sentence of the batch.",
        faults=(
            fault("position-axis", fit=lambda P, X: P[: len(X)][:, None]),
            fault("position-from-one", fit=lambda P, X: P[1 : X.shape[1] + 1]),
            fault("position-last", fit=lambda P, X: P[-X.shape[1] :]),
            fault("position-reversed", fit=lambda P, X: P[: X.shape[1]][::-1]),
            fault("position-one-for-all", fit=lambda P, X: P[0]),
            fault("position-one-for-all", fit=lambda P, X: P.sum(0)),
            fault("position-one-for-all", fit=lambda P, X: P.mean(0)),
            fault("position-not-cut", fit=lambda P, X: P),
            fault("position-multiplied", add=np.multiply),
            fault("position-subtracted", add=np.subtract),
            fault("position-missing", add=lambda X, P: X),
            fault("position-only", add=lambda X, P: X * 0 + P),
            fault("position-only", add=lambda X, P: P),
            fault("position-appended", add=lambda X, P: np.concatenate([X, np.broadcast_to(P, X.shape)], axis=-1)),
            fault("position-scaled", add=lambda X, P: X * X.shape[-1] ** 0.5 + P),
        ),
    ),
    *ROTARY,
)
