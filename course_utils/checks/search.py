"""Finds the faults that give what the student's function gave."""

import math

from course_utils.checks.answers import same

FACTORS = [10 ** (step / 12) for step in range(-48, 49)]  # 1e-4 to 1e4, twelve steps to each power of ten
GOLDEN = (math.sqrt(5) - 1) / 2


def find_faults(exercise, outcomes):
    """Return the simplest hypothesis that gives these outcomes, a tuple of faults: () for right. None when none does.

    outcomes: what the student's function gave for the first probes. A function that raises everywhere fits nothing.
    """
    if all(outcome.problem for outcome in outcomes):
        return None
    for faults in exercise.hypotheses:
        if all(same(outcome, exercise.imagine(faults, i)) for i, outcome in enumerate(outcomes)):
            return faults
    return None


def find_factor(exercise, outcomes):
    """Return the faults that fit when the scale is some number that no fault knows, and those numbers. None when none does.

    For every probe that gave numbers the factor on the scores is fitted: with the rest right, then with one fault more.
    """
    if not any(f.switch == "scale" for f in exercise.faults):
        return None
    probes = [i for i, outcome in enumerate(outcomes) if not outcome.problem]
    for faults in exercise.hypotheses:
        if len(faults) < 2 and all(f.switch not in ("scale", "scale_when") for f in faults):
            factors = []
            for i in probes:
                factors.append(_fit(exercise, faults, i, outcomes[i]))
                if factors[-1] is None:
                    break
            if factors and None not in factors:
                return faults, factors
    return None


def _fit(exercise, faults, probe, outcome):
    """Return the factor on the scores that gives this outcome, or None: a coarse search, then golden sections."""
    switches = {f.switch: f.setting for f in faults}

    def give(log_factor):
        return exercise.give(exercise.probes[probe], **switches, scale=lambda *_: math.exp(log_factor))

    def distance(log_factor):
        return _distance(outcome, give(log_factor))

    best = min(map(math.log, FACTORS), key=distance)
    low, high = best - 0.2, best + 0.2
    if not math.isfinite(distance(best)):
        return None
    for _ in range(50):
        a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        low, high = (low, b) if distance(a) < distance(b) else (a, high)
    middle = (low + high) / 2
    return math.exp(middle) if same(outcome, give(middle)) else None


def _distance(got, imagined):
    if imagined.problem or [p.shape for p in got.parts] != [p.shape for p in imagined.parts]:
        return math.inf
    gaps = [abs(g - i).max() for g, i in zip(got.parts, imagined.parts, strict=True)]
    return max((float(gap) for gap in gaps), default=math.inf) if all(gap == gap for gap in gaps) else math.inf
