"""What the checks know of attention and layers: an unknown scale, a layer outside, the words of the review."""

import inspect
import math
import sys

import numpy as np

from course_utils.sentences import REVIEW
from pagecheck import describe
from pagecheck.compare import same
from pagecheck.exercise import Fault
from pagecheck.source import globals_read
from pagecheck.words import listed

STEP = math.log(10) / 8  # eight steps to each power of ten
LOG_FACTORS = [step * STEP for step in range(-28, 29)]  # 1/3000 to 3000
NEAR = 0.5  # a step away from the right factor, no number is further off than half of the largest one
GOLDEN = (math.sqrt(5) - 1) / 2

# What these mistakes show in weights or scores: nothing of it is seen in an answer that goes on to compute something
# else from them.
SEEN_IN_WEIGHTS = ("softmax-", "product-", "query-key-swapped", "row-", "scale-after-softmax")
# What the variables of the plain solutions hold. The others are not spoken of.
IN_WORDS = {
    "products": "the dot products",
    "lengths": "the product of the two lengths",
    "exponentials": "the exponentials of the scores",
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
    "p": "the probabilities",
    "error": "the errors, divided by their number",
    "hits": "the number of hits",
    "embedding": "the weights of the embeddings",
    "attention": "the weights of the attention layer",
    "norm": "the weights of the layer norm",
    "answer": "the weights of the last unit",
    "right": "a True for each right prediction",
    "new": "the new highest score",
    "shrink": "the factor of the old sums",
    "e": "the new exponentials",
    "logs": "the logarithms of the probabilities",
    "of_right": "the log-probabilities of the right words",
    "probabilities": "the probabilities",
    "ends": "the right ends of all parts",
}


def is_seen(id, exercise):
    """Tell whether what a mistake shows is seen in what an exercise asks for."""
    inside = id.startswith(SEEN_IN_WEIGHTS) and not any("weight" in name or "score" in name for name in exercise.gives)
    return not inside


def position_in_words(exercise, place):
    """Return a position of weights over the review by its words: where "good" looks at "not"."""
    words = [REVIEW[k] for k in place[: len(exercise.axes)]]
    if exercise.axes == ("query", "key"):
        return f'the position where "{words[0]}" looks at "{words[1]}" (row {place[0]}, column {place[1]})'
    return f'the position for the key of "{words[0]}" (position {place[0]})' if exercise.axes == ("key",) else ""


def unknown_scale(case):
    """The scores are scaled by some number that no line has: it is fitted, with the rest right or one fault more."""
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


def layer_outside(case):
    """A layer that stands outside the function, where some calls stop: it keeps the weights of its first call."""
    layers = sys.modules.get("keras.layers")
    stops = any(outcome.problem == "raises" for outcome in case.run.outcomes)
    if not layers or not stops or not describe.fits_some(case):
        return None
    answer = inspect.unwrap(case.answer)
    names = [name for name in globals_read(answer, layers.Layer) if answer.__globals__[name].weights]
    return case.course.not_yet("keras-layer-outside", argument=listed(names)) if names else None


def _factors(exercise, faults, outcomes):
    """Return the factor for every probe that gave numbers, None when one does not fit or an error is not explained."""
    factors = []
    for i, outcome in enumerate(outcomes):
        if outcome.problem:
            if not exercise.imagine(faults, i).problem:
                return None
        else:
            factors.append(_fit(exercise, faults, exercise.probes[i], outcome))
            if factors[-1] is None:
                return None
    return factors


def _fit(exercise, faults, probe, outcome):
    """Return the factor on the scores that gives this outcome, or None: a coarse search, then golden sections."""
    switches = dict(switch for fault in faults for switch in fault.switches)

    def give(log_factor):
        return exercise.give(probe, **switches, given_scale=math.exp(log_factor))

    def distance(log_factor):
        return _distance(outcome, give(log_factor))

    gap, start = min((distance(log_factor), log_factor) for log_factor in LOG_FACTORS)
    if gap > NEAR * max(1e-9, *(abs(part).max(initial=0) for part in outcome.parts)):
        return None
    best = _golden(distance, start - STEP, start + STEP)
    return math.exp(best) if same(outcome, give(best)) else None


def _golden(distance, low, high):
    """Return where the distance is smallest between low and high, where it has one valley."""
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
