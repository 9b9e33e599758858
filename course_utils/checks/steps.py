"""What the checks know about attention and layers: an unknown scale, a layer outside, the words of the review."""

import inspect
import math
import sys
from functools import cache, partial

import numpy as np

from course_utils.sentences import REVIEW
from pagecheck import describe
from pagecheck.compare import same
from pagecheck.exercise import Exercise, Fault
from pagecheck.judge import Case
from pagecheck.source import globals_read
from pagecheck.words import Finding, listed

STEP = math.log(10) / 8  # eight steps to each power of ten
LOG_FACTORS = [step * STEP for step in range(-28, 29)]  # 1/3000 to 3000
NEAR = 0.5  # a step away from the right factor, no number is off by more than half of the largest one
GOLDEN = (math.sqrt(5) - 1) / 2

# Mistakes that show in weights or scores only, not in what an answer then computes from them.
SEEN_IN_WEIGHTS = ("softmax-", "product-", "query-key-swapped", "scale-after-softmax")
# What variables of the plain solutions hold. Messages mention no others.
IN_WORDS = {
    "terms": "the product of each pair of numbers",
    "products": "the dot products",
    "lengths": "the product of the two lengths",
    "exponentials": "the exponentials",
    "shifted": "the scores minus the largest of their row",
    "scores": "the scores",
    "weights": "the weights",
    "w": "the weights",
    "Q": "the queries",
    "K": "the keys",
    "V": "the values",
    "cut": "the vectors, cut into heads",
    "side_by_side": "the heads of each token, side by side",
    "heads": "the outputs of all heads",
    "angles": "the angles",
    "dweights": "the derivatives for the weights",
    "dscores": "the derivatives for the scores",
    "dproducts": "the derivatives for the dot products",
    "p": "the probabilities",
    "error": "the errors, divided by their number",
    "hits": "the number of hits",
    "right": "a True for each right prediction",
    "new": "the new highest score",
    "shrink": "the factor of the old sums",
    "e": "the new exponentials",
    "logs": "the logarithms of the probabilities",
    "of_right": "the log-probabilities of the right words",
    "probabilities": "the probabilities",
    "ends": "the points where the parts end",
}


def is_seen(id: str, exercise: Exercise) -> bool:
    """Tell whether a mistake shows in the results that an exercise asks for."""
    only_in_weights = id.startswith(SEEN_IN_WEIGHTS) and not any(
        "weight" in name or "score" in name for name in exercise.gives
    )
    return not only_in_weights


def position_in_words(exercise: Exercise, index: tuple[int, ...]) -> str:
    """Return a position of weights over the review in its words: where "good" looks at "not"."""
    words = [REVIEW[k] for k in index[: len(exercise.axes)]]
    if exercise.axes == ("query", "key"):
        return f'the position where "{words[0]}" looks at "{words[1]}" (row {index[0]}, column {index[1]})'
    return f'the position for the key of "{words[0]}" (position {index[0]})' if exercise.axes == ("key",) else ""


def unknown_scale(case: Case) -> Finding | None:
    """The scores are scaled by a number that no line has: fit it, with the rest right or one more fault."""
    exercise = case.exercise
    if case.is_slow or not any(name == "at_scale" for fault in exercise.faults for name, _ in fault.switches):
        return None
    for faults in exercise.hypotheses:
        if len(faults) > 1 or any(fault.sets_fitted for fault in faults):
            continue
        if factors := _factors(exercise, faults, case.run.outcomes):
            id = "scale-hardcoded" if np.allclose(factors, factors[0], rtol=1e-4) else "scale-wrong"
            if id == "scale-hardcoded" and any("model" in n for n in globals_read(case.answer, int | np.integer)):
                id = "scale-dmodel"
            return case.course.on_faults((*faults, Fault(id, ())), exercise)
    return None


def layer_outside(case: Case) -> Finding | None:
    """Some calls fail because a layer is made outside the function and keeps the weights of its first call."""
    layers = sys.modules.get("keras.layers")
    stops = any(outcome.problem == "raises" for outcome in case.run.outcomes)
    if not layers or not stops or not describe.fits_some(case):
        return None
    answer = inspect.unwrap(case.answer)
    names = [name for name in globals_read(answer, layers.Layer) if answer.__globals__[name].weights]
    return case.course.not_yet("keras-layer-outside", argument=listed(names)) if names else None


def _factors(exercise, faults, outcomes):
    """Return the factor for each probe that gave numbers; None if one does not fit or an error is unexplained."""
    factors = []
    for i, outcome in enumerate(outcomes):
        if outcome.problem:
            if not exercise.imagine(faults, i).problem:
                return None
        else:
            factors.append(_fit(exercise, faults, i, outcome))
            if factors[-1] is None:
                return None
    return factors


@cache
def _imagine_coarsely(exercise, faults, probe):
    """Return the outcomes of all LOG_FACTORS: whatever the answer is, they are the same."""
    return [_imagine(exercise, faults, probe, log_factor) for log_factor in LOG_FACTORS]


def _imagine(exercise, faults, probe, log_factor):
    switches = dict(switch for fault in faults for switch in fault.switches)
    return exercise.give(exercise.probes[probe], **switches, given_scale=math.exp(log_factor))


def _fit(exercise, faults, probe, outcome):
    """Return the factor on the scores that gives this outcome, or None: a coarse search, then golden section."""
    gaps = [_distance(outcome, imagined) for imagined in _imagine_coarsely(exercise, faults, probe)]
    gap, start = min(zip(gaps, LOG_FACTORS, strict=True))
    if gap > NEAR * max(1e-9, *(abs(part).max(initial=0) for part in outcome.parts)):
        return None
    imagine = partial(_imagine, exercise, faults, probe)
    best = _golden_section(lambda log_factor: _distance(outcome, imagine(log_factor)), start - STEP, start + STEP)
    return math.exp(best) if same(outcome, imagine(best)) else None


def _golden_section(distance, low, high):
    """Return where a distance with a single minimum is smallest between low and high."""
    a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_a, at_b = distance(a), distance(b)
    for _ in range(45):
        if at_a < at_b:
            high, b, at_b, a = b, a, at_a, b - GOLDEN * (b - low)
            at_a = distance(a)
        else:
            low, a, at_a, b = a, b, at_b, a + GOLDEN * (high - a)
            at_b = distance(b)
    return (low + high) / 2


def _distance(got, imagined):
    if imagined.problem or [p.shape for p in got.parts] != [p.shape for p in imagined.parts]:
        return math.inf
    with np.errstate(invalid="ignore"):
        gap = max(abs(g - i).max(initial=0) for g, i in zip(got.parts, imagined.parts, strict=True))
    return math.inf if np.isnan(gap) else float(gap)
