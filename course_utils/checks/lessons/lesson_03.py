"""The exercises of lesson 03: scaling."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, Value, fault
from course_utils.checks.engine.verdict import first_of, not_yet
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_03 import PROMISED
from course_utils.checks.lessons.shared import PRODUCT_FAULTS, SHARE_FAULTS, draw, exp_share, rows


def score_variance(
    Q, K, *, roles=lambda Q, K: (Q, K), product=lambda Q, K: Q @ K.T, factor=lambda d_k: 1, spread=np.var
):
    """Return the variance of all scores of Q (n_queries, d_k) and K (n_keys, d_k), not scaled."""
    Q, K = roles(Q, K)
    return spread(product(Q, K) * factor(Q.shape[-1]))


def scale_for_unit_variance(d_k, *, factor=lambda d_k: d_k**-0.5):
    """Return what scores must be multiplied by."""
    return factor(d_k)


def softmax_gradient_size(
    scores, *, share=exp_share, derivatives=lambda w: np.diag(w) - np.outer(w, w), size=lambda J: abs(J).max()
):
    """Return the largest absolute derivative of a weight by a score."""
    return size(derivatives(share(scores[None], rows)[0]))


CONDITIONS = ("independent", "mean", "variance", "none")
BROKEN = {  # how queries and keys are drawn, the condition that this breaks, and the mistake when another one is named
    "coins": ("none", "condition-bell-curve"),
    "large keys": ("variance", "condition-variance"),
    "positive": ("mean", "condition-mean"),
    "copies": ("independent", "condition-copies"),
    "halves": ("independent", "condition-halves"),
}


def judge_conditions(answer):
    """Say what is found in five words, one for each way to draw queries and keys."""
    words = list(answer) if isinstance(answer, list | tuple | np.ndarray) and np.ndim(answer) else []
    if len(words) != len(BROKEN) or not all(word in CONDITIONS for word in words):
        return not_yet("not-a-value", f"Five words are wanted, each of them one of {', '.join(CONDITIONS)}.")
    found = [id for word, (right, id) in zip(words, BROKEN.values(), strict=True) if word != right]
    return first_of(found)


EXERCISES = (
    Exercise(
        name="score_variance",
        reference=score_variance,
        solution=solutions.score_variance,
        arguments=("Q", "K"),
        gives={"the variance": "one number"},
        **PROMISED["score_variance"],
        probes=(
            draw((5, 3), (5, 3), seed=1),
            draw((5, 3), (5, 3), seed=2),
            draw((4, 6), (4, 6), seed=3),
            draw((3, 3), (3, 3), seed=4),
        ),
        facts=((lambda v: (v >= 0).all(), "A variance is never negative."),),
        hint="All scores together have one variance.",
        faults=(
            *PRODUCT_FAULTS[:-1],  # the last one differs from the one before in its sign only
            fault("key-unused", roles=lambda Q, K: (Q, Q)),
            fault("query-unused", roles=lambda Q, K: (K, K)),
            fault("variance-of-scaled", factor=lambda d_k: d_k**-0.5),
            fault("variance-of-scaled", factor=lambda d_k: 1 / d_k),
            fault("variance-of-scaled", factor=lambda d_k: d_k**0.5),
            fault("variance-is-deviation", spread=np.std),
            fault("variance-is-mean", spread=np.mean),
            fault("variance-without-mean", spread=lambda s: (s**2).mean()),
            fault("variance-without-mean", spread=lambda s: (s**2).sum()),
            fault("variance-not-averaged", spread=lambda s: ((s - s.mean()) ** 2).sum()),
            fault("variance-one-less", spread=lambda s: np.var(s, ddof=1)),
            fault("variance-per-row", spread=lambda s: s.var(-1)),
            fault("variance-per-row", spread=lambda s: s.var(0)),
            fault("variance-per-row", spread=lambda s: s.var(-1).mean()),
            fault("variance-per-row", spread=lambda s: s.var(0).mean()),
            fault("variance-range", spread=np.ptp),
        ),
    ),
    Exercise(
        name="scale_for_unit_variance",
        reference=scale_for_unit_variance,
        solution=solutions.scale_for_unit_variance,
        arguments=("d_k",),
        gives={"the factor": "one number"},
        **PROMISED["scale_for_unit_variance"],
        probes=((3,), (64,), (7,), (512,)),
        facts=(
            (lambda c: (c > 0).all(), "The factor is positive."),
            (lambda c: (c < 1).all(), "Long keys need a factor below 1."),
        ),
        hint="Four times as long a key halves the factor.",
        faults=(
            fault("scale-missing", factor=lambda d_k: 1),
            fault("scale-is-divisor", factor=lambda d_k: d_k**0.5),
            fault("scale-is-divisor", factor=lambda d_k: d_k),
            fault("scale-dk-not-sqrt", factor=lambda d_k: 1 / d_k),
            fault("scale-dk-not-sqrt", factor=lambda d_k: d_k**-2.0),
            fault("scale-half-not-root", factor=lambda d_k: 2 / d_k),
            fault("scale-half-not-root", factor=lambda d_k: 0.5 / d_k),
            fault("scale-half-not-root", factor=lambda d_k: d_k / 2),
            fault("scale-root-twice", factor=lambda d_k: d_k**-0.25),
        ),
    ),
    Exercise(
        name="softmax_gradient_size",
        reference=softmax_gradient_size,
        solution=solutions.softmax_gradient_size,
        arguments=("scores",),
        gives={"the largest derivative": "one number"},
        **PROMISED["softmax_gradient_size"],
        probes=tuple((s * 2,) for s in (*draw(5, 5, seed=1), *draw(4, 7, seed=2))),
        facts=((lambda g: (g <= 0.2501).all(), "No derivative of a softmax is larger than 1/4."),),
        hint="A change of one score moves all weights.",
        faults=(
            *SHARE_FAULTS,
            fault("gradient-weight-only", derivatives=np.diag),
            fault("gradient-outer-only", derivatives=lambda w: np.outer(w, w)),
            fault("gradient-plus", derivatives=lambda w: np.diag(w) + np.outer(w, w)),
            fault("gradient-one-minus", derivatives=lambda w: 1 - w),
            fault("gradient-smallest", size=np.min),
            fault("gradient-smallest", size=lambda J: abs(J).min()),
            fault("gradient-summed", size=lambda J: abs(J).sum()),
            fault("gradient-summed", size=lambda J: abs(J).mean()),
            fault("gradient-summed", size=lambda J: np.sqrt((J**2).sum())),
            fault("gradient-whole", size=lambda J: J),
            fault("gradient-whole", size=abs),
            fault("gradient-whole", size=np.diag),
        ),
    ),
    Value(
        name="broken_conditions",
        judge=judge_conditions,
        wanted="five words, one for each way to draw",
        ids=tuple(id for _, id in BROKEN.values()),
    ),
)
