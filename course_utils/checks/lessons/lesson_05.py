"""The exercises of lesson 05: the review by hand."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, Value, fault, hypotheses
from course_utils.checks.engine.outcome import as_outcome
from course_utils.checks.engine.verdict import not_yet, on_faults
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_05 import PROMISED
from course_utils.checks.lessons.shared import (
    NO_NEGATIVE,
    ROWS_SUM,
    SCALE_FAULTS,
    WEIGHT_FAULTS,
    draw,
    root_d_k,
    weights,
)
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW


def good_row(Q, K, i, *, pick=lambda W, i: W[i], one=None, **switches):
    """Return the weights of query i over all keys."""
    return one(Q[i], K) if one else pick(weights(Q, K, **switches), i)


def good_output(weights, V, *, mix=lambda w, V: w @ V, again=lambda w: w):
    """Return the mix of the values V (n_keys, d_v) for one row of weights (n_keys,)."""
    return mix(again(weights), V)


def share(scores, axis=-1):
    e = np.exp(scores)
    return e / e.sum(axis, keepdims=True)


def mixes(*shape, seed):
    """Return one row of weights and the values: (n,), (n, d_v)."""
    scores, V = draw(shape[0], shape, seed=seed)
    return share(scores), V


def where(i, *shape, seed):
    Q, K = draw(shape, shape, seed=seed)
    return Q, K, i


EXERCISES = (
    Exercise(
        name="good_row",
        reference=good_row,
        solution=solutions.good_row,
        arguments=("Q", "K", "i"),
        gives={"the weights of query i": "(n,)"},
        **PROMISED["good_row"],
        probes=(
            where(2, 6, 3, seed=1),
            where(4, 6, 3, seed=2),
            where(1, 5, 4, seed=3),
            where(1, 3, 3, seed=4),
            where(3, 8, 2, seed=6),
        ),
        axes=("key",),
        facts=(NO_NEGATIVE, ROWS_SUM),
        hint="One query meets every key.",
        faults=(
            *(f for f in WEIGHT_FAULTS if f.id != "query-key-swapped"),
            fault("query-key-swapped", "good_row", roles=lambda Q, K: (K, Q)),
            fault("row-is-column", pick=lambda W, i: W[:, i]),
            fault("row-off-by-one", pick=lambda W, i: W[i - 1]),
            fault("row-off-by-one", pick=lambda W, i: W[i + 1]),
            fault("row-fixed", pick=lambda W, i: W[4]),
            fault("row-fixed", pick=lambda W, i: W[0]),
            fault("row-all", pick=lambda W, i: W),
            fault("row-one-weight", pick=lambda W, i: W[i, i]),
            fault("product-elementwise", one=lambda q, K: share(q * K / np.sqrt(len(q)))),
            fault("product-elementwise", one=lambda q, K: q * K / np.sqrt(len(q))),
        ),
    ),
    Exercise(
        name="good_output",
        reference=good_output,
        solution=solutions.good_output,
        arguments=("weights", "V"),
        gives={"the output": "(d_v,)"},
        **PROMISED["good_output"],
        probes=(mixes(5, 3, seed=1), mixes(5, 3, seed=2), mixes(4, 2, seed=3), mixes(3, 3, seed=4)),
        hint="Each value counts as much as its weight says.",
        faults=(
            fault("value-missing", mix=lambda w, V: w),
            fault("value-elementwise", mix=lambda w, V: w[:, None] * V),
            fault("value-elementwise", mix=lambda w, V: w * V),
            fault("value-first", mix=lambda w, V: V @ w),
            fault("value-mean", mix=lambda w, V: V.mean(0)),
            fault("value-sum", mix=lambda w, V: V.sum(0)),
            fault("value-largest", mix=lambda w, V: V[w.argmax()]),
            fault("value-unweighted", mix=lambda w, V: w.sum() * V),
            *(fault("value-small-dropped", again=lambda w, least=least: w * (w > least)) for least in (0.01, 0.1)),
            fault("output-divided", mix=lambda w, V: w @ V / len(w)),
            fault("output-divided", mix=lambda w, V: w @ V / w.max()),
            fault("output-wrong-axis", mix=lambda w, V: (w[:, None] * V).sum(1)),
            fault("output-summed", mix=lambda w, V: (w @ V).sum()),
            fault("softmax-twice", again=share),
            fault("weights-reversed", again=lambda w: w[::-1]),
        ),
    ),
)


def conceptual_row(q, keys, *, scale=root_d_k, share=share):
    """Return the weights of a query (d_k,) over keys (n_keys, d_k)."""
    return share(keys @ q * scale(q[None], keys))


# The student may choose any vectors. A fault is recognised by the row: with that switch turned, the vectors would
# reach it.
KEY_FAULTS = (
    *(fault(f.id, "conceptual_keys", **dict(f.switches)) for f in SCALE_FAULTS),
    fault("keys-are-weights", share=lambda s: s),
    fault("keys-are-weights", share=lambda s: s / s.sum()),
    fault("keys-log-base", share=lambda s: share(s * np.log(2))),
    fault("keys-log-base", share=lambda s: share(s * np.log(10))),
)


def judge_keys(answer):
    """Say what is found in (q, keys): do these vectors reach the conceptual row, to two decimals?"""
    found = [as_outcome(part, 1) for part in answer]
    if no_numbers := next((part.detail for part in found if part.problem and not part.detail.isdigit()), ""):
        return not_yet("not-a-value", f"This is {no_numbers}, and q and the keys should be arrays of real numbers.")
    q, keys = (part.parts[0].astype(float) for part in found)
    q = q[0] if q.ndim == 2 and len(q) == 1 else q
    wanted = np.array(CONCEPTUAL_ROW)
    if q.ndim != 1 or keys.shape != (len(wanted), len(q)):
        needed = f"Each of the {len(wanted)} keys needs as many numbers as q."
        words = f"q has shape {q.shape} and the keys {keys.shape}. {needed}"
        return not_yet("keys-shape", words)
    if not (np.isfinite(q).all() and np.isfinite(keys).all()):
        return not_yet(
            "nan", "A vector holds NaN or an infinite number. Did you take the logarithm of 0, or divide by 0?"
        )
    with np.errstate(all="ignore"):
        for faults in hypotheses(KEY_FAULTS):
            row = conceptual_row(q, keys, **dict(switch for f in faults for switch in f.switches))
            if (abs(row - wanted) <= 0.005).all():
                return on_faults(faults)
        row = conceptual_row(q, keys)
    return not_yet("keys-row", _about_row(keys, row, wanted))


def _about_row(keys, row, wanted):
    """Return what is known about a row that is not the conceptual one."""
    worst = int(abs(row - wanted).argmax())
    words = f'"{REVIEW[worst]}" gets {row[worst]:.2f} of the weight, and {wanted[worst]:.2f} is wanted.'
    words += " That is the place furthest off."
    if np.ptp(row) < 1e-9:
        return f"All keys get the same weight, {row[0]:.2f}. Do the keys hold their numbers where q is not 0?"
    stretch = np.log(row.max() / max(row.min(), 1e-300)) / np.log(wanted.max() / wanted.min())
    if (abs(wanted**stretch / (wanted**stretch).sum() - row) < 0.005).all():
        return f"{words} The differences between your scores are {stretch:.2g} times as large as they should be."
    if (keys == keys.round()).all() and (abs(row - wanted) < 0.1).all():
        return f"{words} All numbers of your keys are whole: the logarithms seem to be rounded."
    return words


KEY_IDS = tuple(dict.fromkeys(f.id for f in KEY_FAULTS))
EXERCISES += (
    Value(
        name="conceptual_keys",
        judge=judge_keys,
        wanted="a query and its keys: (q, keys)",
        ids=(*KEY_IDS, "keys-shape", "keys-row"),
    ),
)
