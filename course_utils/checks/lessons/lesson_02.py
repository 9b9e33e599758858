"""The exercises of lesson 02: softmax."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, Value, fault
from course_utils.checks.engine.verdict import DONE, Finding, not_yet
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_02 import PROMISED
from course_utils.checks.lessons.shared import SHARE_FAULTS, exp_share, rows

BIG = 2e4  # beyond what exp can hold in every float type, long double included


def highest(scores, axis):
    return scores.max(axis, keepdims=True)


def shifted(scores):
    return np.exp(scores - highest(scores, -1))


def total(e, axis):
    return e.sum(axis, keepdims=True)


def softmax(scores, *, share=exp_share, sums=rows):
    """Return the weights of one row of scores (n,)."""
    return share(scores[None], sums)[0]


def stable_softmax(scores, *, axis=-1, shift=np.subtract, most=highest, sums=total, whole=None):
    """Return the weights of scores (..., n), after a shift that keeps the exponentials small."""
    if whole:
        return whole(scores)
    e = np.exp(shift(scores, most(scores, axis)))
    return e / sums(e, axis)


def temperature(scores, T, *, warm=np.divide, share=exp_share, whole=None):
    """Return the weights of one row of scores (n,) at temperature T."""
    return whole(scores, T) if whole else share(warm(scores, T)[None], rows)[0]


def judge_axes(answer):
    """Say what is found in the axes for scores (query, key), (batch, query, key), (key, query), (batch, key, query)."""
    axes = np.asarray(answer)
    if axes.shape != (4,) or axes.dtype.kind not in "iu":
        return not_yet("not-a-value", "Four whole numbers are wanted, one for each program.")
    ranks = np.array([2, 3, 2, 3])
    if not ((axes >= -ranks) & (axes < ranks)).all():
        return not_yet("axes-range")
    front = axes % ranks  # counted from the front
    if 0 in front[[1, 3]]:
        return not_yet("axes-batch")
    if (front[[2, 3]] != (0, 1)).any() and (front[[0, 1]] == (1, 2)).all():
        return not_yet("axes-always-last")
    return Finding(DONE) if (front == (1, 2, 0, 1)).all() else not_yet("axes-queries")


ROWS = tuple((np.random.default_rng(seed).normal(size=n) * 2,) for seed, n in ((1, 5), (2, 5), (3, 4), (4, 7)))
ROW_FACTS = (
    (lambda w: (w >= 0).all(), "No weight is negative."),
    (lambda w: np.allclose(w.sum(-1), 1, atol=1e-3), "The weights of a row sum to 1, and yours do not."),
)
ORDER = "A larger score gets a larger weight."
EXP_FAULTS = (
    fault("softmax-max-kept", share=lambda s, axis: np.exp(s - s.max()) / axis(np.exp(s))),
    fault("softmax-max-kept", share=lambda s, axis: np.exp(s) / axis(np.exp(s - s.max()))),
    fault("softmax-order", share=lambda s, axis: np.exp(s / axis(s))),
    fault("softmax-without-exp", share=lambda s, axis: abs(s) / axis(abs(s))),
    fault("softmax-without-exp", share=lambda s, axis: s**2 / axis(s**2)),
    fault("softmax-without-exp", share=lambda s, axis: (s - s.min()) / axis(s - s.min())),
    fault("softmax-without-exp", share=lambda s, axis: (s - s.min()) / (s.max() - s.min())),
    fault("softmax-without-exp", share=lambda s, axis: np.maximum(s, 0) / axis(np.maximum(s, 0))),
    fault("softmax-without-exp", share=lambda s, axis: s / np.sqrt(axis(s**2))),
    fault("softmax-wrong-sum", share=lambda s, axis: np.exp(s) / np.sqrt(axis(np.exp(s) ** 2))),
    fault("softmax-by-n", share=lambda s, axis: np.exp(s) / np.exp(s).mean()),
    fault("softmax-upside-down", share=lambda s, axis: axis(np.exp(s)) / np.exp(s)),
    fault("softmax-base", "powers_of_10", share=lambda s, axis: exp_share(s * np.log(10), axis)),
    fault("softmax-even", share=lambda s, axis: np.full(s.shape, 1 / s.shape[-1])),
)

EXERCISES = (
    Exercise(
        name="softmax",
        reference=softmax,
        solution=solutions.softmax_of_row,
        arguments=("scores",),
        gives={"the weights": "(n,)"},
        **PROMISED["softmax"],
        probes=ROWS,
        axes=("key",),
        facts=ROW_FACTS,
        hint=ORDER,
        faults=(*SHARE_FAULTS, *EXP_FAULTS),
    ),
    Value(
        name="softmax_axes",
        judge=judge_axes,
        wanted="four axes, one for each program",
        ids=("axes-range", "axes-batch", "axes-always-last", "axes-queries"),
    ),
    Exercise(
        name="stable_softmax",
        reference=stable_softmax,
        solution=solutions.stable_softmax,
        arguments=("scores",),
        gives={"the weights": "the shape of the scores"},
        **PROMISED["stable_softmax"],
        probes=(
            (np.array([[1.0, 2.0, 0.5], [3.0, -1.0, 0.0]]),),
            (np.array([[0.3, -2.0, 1.5], [1.0, 1.2, 2.0]]),),
            (np.array([1.0, -0.5, 2.0, 0.25]),),
            (np.random.default_rng(1).normal(size=(2, 4, 3)) * 2,),
            (np.random.default_rng(2).normal(size=(3, 3)),),
            (np.array([BIG, BIG + 1, BIG - 2.0]),),
            (np.array([[BIG, BIG + 1.5, 3.0], [-BIG, 1 - BIG, 2 - BIG]]),),
            (np.array([[1.0, -np.inf, 2.0], [-np.inf, 0.0, 0.5]]),),
            (np.array([1 - BIG, -BIG, -BIG - 1]),),
        ),
        facts=ROW_FACTS,
        hint=ORDER,
        faults=(
            fault("softmax-axis", axis=0),
            fault("softmax-axis", axis=-2),
            fault("axis-from-front", axis=1),
            fault("axis-from-front", sums=lambda e, axis: e.sum(1, keepdims=True)),
            fault("softmax-over-all", axis=None),
            fault("softmax-over-all", sums=lambda e, axis: e.sum()),
            fault("softmax-axis", sums=lambda e, axis: e.sum(0, keepdims=True)),
            fault("softmax-keepdims", sums=lambda e, axis: e.sum(axis)),
            fault("softmax-unnormalised", sums=lambda e, axis: 1),
            fault("softmax-by-n", sums=lambda e, axis: e.shape[-1]),
            fault("softmax-overflow", most=lambda s, axis: 0),
            fault("softmax-overflow", most=lambda s, axis: s.mean(axis, keepdims=True)),
            fault("softmax-underflow", most=lambda s, axis: s.max()),
            fault("softmax-underflow", most=lambda s, axis: abs(s[np.isfinite(s)]).max()),
            fault("softmax-max-axis", most=lambda s, axis: s.max(0)),
            fault("softmax-keepdims", most=lambda s, axis: s.max(axis)),
            fault("softmax-clipped", shift=lambda s, most: np.clip(s, -500, 500)),
            fault("softmax-clipped", shift=lambda s, most: np.minimum(s, 700)),
            fault("softmax-rescaled", shift=np.divide),
            fault("softmax-sign", shift=lambda s, most: most - s),
            fault("softmax-max-kept", whole=lambda s: shifted(s) / np.exp(s).sum(-1, keepdims=True)),
            fault("softmax-log", whole=lambda s: np.log(shifted(s) / shifted(s).sum(-1, keepdims=True))),
            fault("softmax-hard", whole=lambda s: (s == highest(s, -1)) * 1.0),
            fault("softmax-without-exp", whole=lambda s: s / s.sum(-1, keepdims=True)),
            fault("softmax-nan-hidden", whole=lambda s: np.nan_to_num(np.exp(s) / np.exp(s).sum(-1, keepdims=True))),
        ),
    ),
    Exercise(
        name="temperature",
        reference=temperature,
        solution=solutions.temperature,
        arguments=("scores", "T"),
        gives={"the weights": "(n,)"},
        **PROMISED["temperature"],
        probes=tuple((scores, T) for (scores,), T in zip(ROWS, (2.0, 0.5, 3.0, 0.7), strict=True)),
        axes=("key",),
        facts=ROW_FACTS,
        hint="A high temperature makes the weights more even, a low one less.",
        faults=(
            *SHARE_FAULTS,
            fault("temperature-unused", warm=lambda s, T: s),
            fault("temperature-inverted", warm=lambda s, T: s * T),
            fault("temperature-root", warm=lambda s, T: s / T**0.5),
            fault("temperature-root", warm=lambda s, T: s / T**2),
            fault("temperature-after-softmax", whole=lambda s, T: softmax(s) / T),
            fault("temperature-after-softmax", whole=lambda s, T: softmax(s) * T),
            fault("temperature-after-softmax", whole=lambda s, T: softmax(s) ** (1 / T)),
            fault("temperature-half", whole=lambda s, T: np.exp(s / T) / np.exp(s).sum()),
            fault("temperature-half", whole=lambda s, T: np.exp(s) / np.exp(s / T).sum()),
        ),
    ),
)
