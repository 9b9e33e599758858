"""The exercises of lesson 08 about rotary positions: turn pairs of numbers, and attend with turned queries and keys."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, fault
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_08 import PROMISED
from course_utils.checks.lessons.shared import draw, exp_share, rows


def neighbours(X):
    return X[..., 0::2], X[..., 1::2]


def alternate(first, second):
    """Put two arrays (..., n, d / 2) together again, so that their columns alternate: (..., n, d)."""
    return np.stack([first, second], axis=-1).reshape(*first.shape[:-1], -1)


def in_halves(X):
    return np.split(X, 2, axis=-1)


def side_by_side(first, second):
    return np.concatenate([first, second], axis=-1)


def turned_by(x, y, cos, sin):
    return x * cos - y * sin, x * sin + y * cos


def first_pair_turned_first(x, y, cos, sin):
    """The second line reads the number that the first line has written."""
    new = x * cos - y * sin
    return new, new * sin + y * cos


def rotate(
    X,
    *,
    first=0,
    base=10000.0,
    exponent=lambda i, d: 2 * i / d,
    turn=np.divide,
    layout=(neighbours, alternate),
    spin=turned_by,
):
    """Turn each pair of numbers of X (..., n, d) by an angle that grows with its row."""
    n, d = X.shape[-2:]
    angles = turn(np.arange(first, first + n)[:, None], base ** exponent(np.arange(d // 2), d))  # (n, d / 2)
    pairs, together = layout
    return together(*spin(*pairs(X), np.cos(angles), np.sin(angles)))


def rotary_attention(
    Q,
    K,
    V,
    mask,
    *,
    turn=lambda Q, K, V: (rotate(Q), rotate(K), V),
    hide=lambda s, mask: np.where(mask, s, -np.inf),
    scale=lambda Q: Q.shape[-1] ** -0.5,
    last=lambda output: output,
):
    """Return the output (..., n, d_v) of Q and K (..., n, d_k), turned, and V (..., n, d_v) under a mask."""
    Q, K, V = turn(Q, K, V)
    scores = hide(Q @ K.swapaxes(-1, -2) * scale(Q), mask)
    return last(exp_share(scores, rows) @ V)


def three(leading, n, d_k, d_v, seed):
    """Return Q, K, V with these leading axes, and the causal mask turned round: each word looks at later ones.

    The first word does not see the last one, so that a mask with True and False in each other's place hides no row.
    """
    shapes = (*leading, n, d_k), (*leading, n, d_k), (*leading, n, d_v)
    mask = np.tri(n, dtype=bool).T
    mask[0, -1] = False
    return *draw(*shapes, seed=seed), mask


ROTARY = (
    Exercise(
        name="rotate",
        reference=rotate,
        solution=solutions.rotate,
        arguments=("X",),
        gives={"the turned rows": "(…, n, d)"},
        **PROMISED["rotate"],
        probes=(
            draw((5, 8), seed=1),
            draw((5, 8), seed=2),
            draw((4, 4), seed=3),
            draw((3, 4, 6), seed=4),
            draw((2, 3, 5, 4), seed=5),
        ),
        hint="Row 0 stays as it is, and no pair changes its length.",
        faults=(
            fault("rotate-one-speed", exponent=lambda i, d: 0 * i),
            fault("position-base", base=1000.0),
            fault("position-base", base=10.0),
            fault("position-exponent", exponent=lambda i, d: i / d),
            fault("position-exponent", exponent=lambda i, d: 2 * i),
            fault("position-exponent", exponent=lambda i, d: i),
            fault("position-times", turn=np.multiply),
            fault("position-degrees", turn=lambda t, speeds: np.radians(t / speeds)),
            fault("rotate-place-unused", turn=lambda t, speeds: 0 * t + 1 / speeds),
            fault("position-from-one", first=1),
            fault("rotate-halves", layout=(in_halves, side_by_side)),
            fault("rotate-put-apart", layout=(neighbours, side_by_side)),
            fault("rotate-put-apart", layout=(in_halves, alternate)),
            fault("rotate-other-way", spin=lambda x, y, cos, sin: (x * cos + y * sin, y * cos - x * sin)),
            fault("rotate-sign-lost", spin=lambda x, y, cos, sin: (x * cos + y * sin, x * sin + y * cos)),
            fault("rotate-sign-lost", spin=lambda x, y, cos, sin: (x * cos - y * sin, x * sin - y * cos)),
            fault("rotate-sin-cos-swapped", spin=lambda x, y, cos, sin: turned_by(x, y, sin, cos)),
            fault("rotate-not-mixed", spin=lambda x, y, cos, sin: (x * cos, y * sin)),
            fault("rotate-not-mixed", spin=lambda x, y, cos, sin: (x * sin, y * cos)),
            fault("rotate-not-mixed", spin=lambda x, y, cos, sin: (x * cos, y * cos)),
            fault("rotate-added", spin=lambda x, y, cos, sin: (x + sin, y + cos)),
            fault("rotate-reads-new", spin=first_pair_turned_first),
        ),
    ),
    Exercise(
        name="rotary_attention",
        reference=rotary_attention,
        solution=solutions.rotary_attention,
        arguments=("Q", "K", "V", "mask"),
        gives={"the output": "(…, n, d_v)"},
        **PROMISED["rotary_attention"],
        probes=(
            three((), 5, 4, 6, seed=1),
            three((), 5, 4, 6, seed=2),
            three((3,), 4, 6, 2, seed=3),
            three((2, 3), 4, 4, 4, seed=4),
        ),
        hint="Turn what makes the scores, and nothing else.",
        faults=(
            fault("rotary-values-too", turn=lambda Q, K, V: (rotate(Q), rotate(K), rotate(V))),
            fault("rotary-one-only", turn=lambda Q, K, V: (rotate(Q), K, V)),
            fault("rotary-one-only", turn=lambda Q, K, V: (Q, rotate(K), V)),
            fault("rotary-missing", turn=lambda Q, K, V: (Q, K, V)),
            fault("rotary-values-only", turn=lambda Q, K, V: (Q, K, rotate(V))),
            fault("rotary-counts-on", turn=lambda Q, K, V: (rotate(Q), rotate(K, first=Q.shape[-2]), V)),
            fault("rotary-counts-on", turn=lambda Q, K, V: (rotate(Q, first=K.shape[-2]), rotate(K), V)),
            fault("query-key-swapped", turn=lambda Q, K, V: (rotate(K), rotate(Q), V)),
            fault("key-unused", turn=lambda Q, K, V: (rotate(Q), rotate(Q), V)),
            fault("rotary-twice", turn=lambda Q, K, V: (rotate(rotate(Q)), rotate(rotate(K)), V)),
            fault("rotary-output", last=rotate),
            fault("mask-inverted", hide=lambda s, mask: np.where(mask, -np.inf, s)),
            fault("mask-missing", hide=lambda s, mask: s),
            fault("scale-missing", scale=lambda Q: 1),
        ),
    ),
)
