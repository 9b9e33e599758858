"""Finds the faults that give what the student's function gave."""

import math
import time

import numpy as np

from course_utils.checks.engine.edits import pairs_of
from course_utils.checks.engine.exercise import give
from course_utils.checks.engine.outcome import same

SECONDS = 0.4  # of computing, for two edits at once, where one explains nothing: a busy machine changes no verdict
FEWEST_NUMBERS = 10
OF_FORMULAS = {"edit-operator", "edit-constant", "edit-brackets"}
STEP = math.log(10) / 8  # eight steps to each power of ten
LOG_FACTORS = [step * STEP for step in range(-28, 29)]  # 1/3000 to 3000
NEAR = 0.5  # a step away from the right factor, no number is further off than half of the largest one
GOLDEN = (math.sqrt(5) - 1) / 2


def find_faults(exercise, outcomes, number):
    """Return the first hypothesis of so many faults that gives these outcomes; None when none does.

    None, too, where every result is one whole number and several pairs give it: a sum of counts says nothing about its
    parts. outcomes: what the student's function gave for the first probes; one that raises everywhere fits nothing.
    """
    if all(outcome.problem for outcome in outcomes):
        return None
    fits = (
        faults
        for faults in exercise.hypotheses
        if len(faults) == number and all(same(got, exercise.imagine(faults, i)) for i, got in enumerate(outcomes))
    )
    first = next(fits, None)
    ambiguous = first and number > 1 and _are_counts(outcomes) and any(_ids(other) != _ids(first) for other in fits)
    return None if ambiguous else first


def _ids(faults):
    return {fault.id for fault in faults}


def _are_counts(outcomes):
    """Whether every result is one whole number."""
    return all(part.ndim == 0 and not part % 1 for outcome in outcomes for part in outcome.parts)


def find_edit(exercise, outcomes, borne_out):
    """Return the first edit of the plain solution that gives these outcomes; None when none does.

    borne_out: a function that tells whether the student's code holds an edit.

    Where every result is one whole number, a formula with another sign or number may be a second way to write what the
    student wrote, and not its reason: such an edit is not said. Nor is it where all numbers are right and the answer
    stops for the other inputs: two answers may stop there for different reasons.
    """
    if all(outcome.problem for outcome in outcomes):
        return None
    stops = all(outcome.problem or same(outcome, exercise.imagine((), i)) for i, outcome in enumerate(outcomes))
    no_formula = stops or _are_counts(outcomes)
    fits = (edit for edit, imagined in exercise.edits if all(map(same, outcomes, imagined)))
    return next((edit for edit in fits if not (no_formula and edit.id in OF_FORMULAS) and borne_out(edit)), None)


def find_two_edits(exercise, outcomes, borne_out):
    """Return the first two edits that give these outcomes together; None for none within the time.

    Only for numbers that no two stories give by chance: with labels and counts, wrong pairs fit too often.
    """
    numbers = [part for outcome in outcomes for part in outcome.parts]
    if exercise.solution is None or exercise.adapt:  # an answer built of layers is not a formula
        return None
    if not any(part.dtype.kind == "f" and (part % 1).any() for part in numbers):
        return None
    if sum(part.size for part in numbers) < FEWEST_NUMBERS or any(outcome.problem for outcome in outcomes):
        return None
    end = time.thread_time() + SECONDS
    for edits, function in pairs_of(exercise.solution):
        given = (give(function, probe, len(exercise.gives)) for probe in exercise.probes)
        if all(map(same, outcomes, given)) and all(map(borne_out, edits)):
            return edits
        if time.thread_time() > end:
            return None
    return None


def find_factor(exercise, outcomes):
    """Return the faults that fit when the scale is some number that no fault knows, and those numbers.

    None when none does.
    For every probe that gave numbers the factor on the scores is fitted: with the rest right, then with one fault more.
    """
    if not exercise.has_scale:
        return None
    for faults in exercise.hypotheses:
        if len(faults) < 2 and not any(f.moves_scale for f in faults):
            factors = _factors(exercise, faults, outcomes)
            if factors:
                return faults, factors
    return None


def _factors(exercise, faults, outcomes):
    """Return the factor for every probe that gave numbers, None when one does not fit or an error is not explained."""
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


def _fit(exercise, faults, probe, outcome):
    """Return the factor on the scores that gives this outcome, or None: a coarse search, then golden sections."""
    switches = dict(switch for fault in faults for switch in fault.switches)

    def give(log_factor):
        return exercise.give(exercise.probes[probe], **switches, **exercise.with_scale(math.exp(log_factor)))

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
