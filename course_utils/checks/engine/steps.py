"""The steps from what a function gave to a finding.

Each looks for one kind of thing; the first that finds something speaks.
"""

from typing import NamedTuple

import numpy as np

from course_utils.checks.engine import words
from course_utils.checks.engine.exercise import Exercise, Fault
from course_utils.checks.engine.outcome import Outcome, as_outcome, close, same
from course_utils.checks.engine.relations import find_relation
from course_utils.checks.engine.running import Run, run
from course_utils.checks.engine.search import find_factor, find_faults
from course_utils.checks.engine.stubs import is_stub
from course_utils.checks.engine.verdict import DONE, NOT_STARTED, Finding, not_yet, on_faults


class Case(NamedTuple):
    """An exercise, the student's function, what it gave for the probes, and what was wanted."""

    exercise: Exercise
    answer: object
    run: Run
    wanted: list[Outcome]

    def pairs(self):
        """For each probe that gave numbers: its number, and the first part that differs: name, got, wanted."""
        for i, (got, wanted) in enumerate(zip(self.run.outcomes, self.wanted, strict=False)):
            for name, g, w in zip(self.exercise.gives, got.parts, wanted.parts, strict=False):
                if not got.problem and not same(Outcome((g,)), Outcome((w,))):
                    yield i, name, g, w
                    break


def _untouched(case):
    first = case.run.outcomes[0]
    stub = first.problem == "returns-nothing" and is_stub(case.answer)
    return Finding(NOT_STARTED) if stub or first.detail.startswith("NotImplementedError") else None


def _right(case):
    if not all(map(same, case.run.outcomes, case.wanted)) or len(case.run.outcomes) < len(case.wanted):
        return None
    if case.run.changed:
        changed = ", ".join(case.exercise.arguments[i] for i in sorted(case.run.changed))
        return not_yet("changes-input", argument=changed)
    if any(w.dtype == bool != g.dtype for g, w in zip(case.run.outcomes[0].parts, case.wanted[0].parts, strict=True)):
        return not_yet("mask-not-bool")
    beyond = range(len(case.exercise.probes), len(case.exercise.probes) + len(case.exercise.beyond))
    further = run(case.answer, case.exercise.beyond, len(case.exercise.gives)).outcomes if beyond else []
    holds = all(same(got, case.exercise.imagine((), i)) for i, got in zip(beyond, further, strict=False))
    return Finding(DONE, message="" if holds else case.exercise.remark)


def _one_fault(case):
    return _fault(case, 1)


def _two_faults(case):
    return _fault(case, 2)


def _fault(case, number):
    faults = find_faults(case.exercise, case.run.outcomes, number)
    return on_faults(faults) if faults else None


def _no_answer(case):
    """What came back is not what an exercise can ask for: nothing, text, a generator, a tuple; or nothing came back."""
    outcome = next((o for o in case.run.outcomes if o.problem and o.problem != "raises"), None)
    if outcome is None:
        return None
    names = list(case.exercise.gives)
    details = {"type": outcome.detail, "count": outcome.detail, "wanted": len(names), "name": " and ".join(names)}
    id = "prints-only" if outcome.problem == "returns-nothing" and case.run.printed else outcome.problem
    return not_yet(id, **details)


def _argument_back(case):
    for k, name in enumerate(case.exercise.arguments):
        given = [as_outcome(probe[k], 1) for probe in case.exercise.probes]
        if all(map(same, case.run.outcomes, given)):
            return not_yet("returns-argument", argument=name)
    return None


def _relation(case):
    pairs = list(case.pairs())
    names = {name for _, name, _, _ in pairs}
    if len(names) != 1 or len(pairs) < len(case.wanted):
        return None
    id = find_relation(*([pair[k].astype(float) for pair in pairs] for k in (2, 3)))
    return not_yet(id, came=pairs[0][2].shape, shape=pairs[0][3].shape) if id else None


def _unknown_factor(case):
    found = find_factor(case.exercise, case.run.outcomes)
    if not found:
        return None
    faults, factors = found
    id = "scale-hardcoded" if np.allclose(factors, factors[0], rtol=1e-4) else "scale-wrong"
    if id == "scale-hardcoded" and any("model" in name for name in _globals_read(case.answer, int | np.integer)):
        id = "scale-dmodel"
    return on_faults([*faults, Fault(id, "scale", None)])


def _globals_read(answer, kinds):
    """The names that a function reads from the notebook and that hold values of these kinds."""
    code, outside = getattr(answer, "__code__", None), getattr(answer, "__globals__", {})
    names = code.co_names if code else ()
    return [n for n in names if isinstance(outside.get(n), kinds)]


def _reads_arrays(case):
    return _reads_the_notebook(case, list | np.ndarray)


def _reads_numbers(case):
    return _reads_the_notebook(case, int | float | np.generic)


def _reads_the_notebook(case, kinds):
    names = _globals_read(case.answer, kinds)
    return not_yet("uses-global", argument=" and ".join(names)) if names else None


def _error(case):
    raised = [o for o in case.run.outcomes if o.problem == "raises"]
    if not raised:
        return None
    works = any(same(got, wanted) for got, wanted in zip(case.run.outcomes, case.wanted, strict=False))
    return not_yet("raises-on-some" if works else "raises", words.error(raised[0].detail))


def same_everywhere(given):
    """Tell whether these arrays are one and the same, though the inputs were different."""
    return len(given) > 1 and given[0].size and all(close(array, given[0]) for array in given[1:])


def _constant(case):
    given = [o.parts[0] for o in case.run.outcomes if not o.problem]
    return not_yet("hard-coded") if same_everywhere(given) else None


def _shape(case):
    for _, name, got, wanted in case.pairs():
        if got.shape != wanted.shape:
            return not_yet("shape", words.shapes(case.exercise, name, got, wanted))
    return None


def _not_finite(case):
    for _, _, got, wanted in case.pairs():
        if np.isnan(got).any() and not np.isnan(wanted).any():
            return not_yet("nan")
        if np.isinf(got).any() and not np.isinf(wanted).any():
            return not_yet("infinite")
    return None


def _unused(case):
    """Change one argument at a time, from the first probe and from the second, which has the same shapes."""
    probes = case.exercise.probes[:2]
    for k, name in enumerate(case.exercise.arguments):
        pairs = [(one, (*one[:k], two[k], *one[k + 1 :])) for one, two in (probes, probes[::-1])]
        moved = [pair for pair in pairs if not same(*map(case.exercise.give, pair))]
        if moved and all(_gives_the_same(case, pair) for pair in moved):
            return not_yet("argument-unused", argument=name)
    return None


def _gives_the_same(case, pair):
    given = run(case.answer, list(pair), len(case.exercise.gives)).outcomes
    return len(given) == 2 and not given[0].problem and same(given[1], given[0])


def _somewhere(case):
    i, name, got, wanted = next(case.pairs())
    message = words.first_difference(case.exercise, case.exercise.probes[i], name, got, wanted)
    works = any(same(got, wanted) for got, wanted in zip(case.run.outcomes, case.wanted, strict=False))
    return not_yet("only-some-inputs" if works else "differs", message)


STEPS = (
    _untouched,
    _right,
    _one_fault,
    _no_answer,
    _constant,
    _two_faults,
    _argument_back,
    _relation,
    _unknown_factor,
    _reads_arrays,
    _error,
    _shape,
    _not_finite,
    _unused,
    _reads_numbers,
    _somewhere,
)
