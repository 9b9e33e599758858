"""The steps from what a function gave to a finding.

Each looks for one kind of thing; the first that finds something speaks.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from course_utils.checks.engine import dependence, errors, known_for_sure, promises, returned, words
from course_utils.checks.engine.evidence import bears_out
from course_utils.checks.engine.exercise import Exercise, Fault
from course_utils.checks.engine.grammar import counted, listed
from course_utils.checks.engine.midway import last_right
from course_utils.checks.engine.outcome import Outcome, as_outcome, owned, same
from course_utils.checks.engine.relations import find_relation
from course_utils.checks.engine.running import Run, run
from course_utils.checks.engine.search import find_edit, find_factor, find_faults, find_two_edits
from course_utils.checks.engine.stubs import globals_read, is_stub
from course_utils.checks.engine.verdict import DONE, NOT_STARTED, NOT_YET, Finding, not_yet, on_faults
from course_utils.checks.engine.wrong_settings import wrong_with


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

    def other_shape(self):
        """The first result of a wrong shape, also behind one whose numbers are wrong: name, got, wanted; or None."""
        for got, wanted in zip(self.run.outcomes, self.wanted, strict=False):
            for name, g, w in zip(self.exercise.gives, got.parts, wanted.parts, strict=False):
                if not got.problem and g.shape != w.shape:
                    return name, g, w
        return None

    def outcomes_on(self, inputs):
        """What the function gives for other inputs; where time runs out, the last outcome is that it is too slow."""
        return run(self.answer, inputs, len(self.exercise.gives)).outcomes


def _untouched(case):
    first = case.run.outcomes[0]
    stub = first.problem == "returns-nothing" and is_stub(case.answer)
    return Finding(NOT_STARTED) if stub or first.detail.startswith("NotImplementedError") else None


def _right(case):
    if not all(map(same, case.run.outcomes, case.wanted)):
        return None
    if case.run.changed:
        changed = {case.exercise.arguments[i]: case.exercise.probes[0][i] for i in sorted(case.run.changed)}
        return not_yet("changes-input", argument=", ".join(changed), owned=owned(changed.values()))
    if any(w.dtype == bool != g.dtype for g, w in zip(case.run.outcomes[0].parts, case.wanted[0].parts, strict=True)):
        return not_yet("mask-not-bool")
    return promises.broken(case) or Finding(DONE, (), dependence.shortcut(case) or words.why_done(case.exercise))


def _one_fault(case):
    faults = find_faults(case.exercise, case.run.outcomes, 1)
    if not faults:
        return None
    found, besides = on_faults(faults, case.exercise.gives), promises.besides(case, faults)
    if besides and words.OF_EVERY_INPUT.search(found.message):
        return None  # what is promised besides shows that it is not so in every case
    more = besides or known_for_sure.shape_besides(case)
    return found._replace(message=f"{found.message} {more}".strip())


def _two_faults(case):
    """Two may meet in more ways than one, so nothing is said of what they leave open."""
    faults = find_faults(case.exercise, case.run.outcomes, 2)
    return on_faults(faults, case.exercise.gives) if faults else None


def _one_edit(case):
    edit = find_edit(case.exercise, case.run.outcomes, partial(bears_out, case))
    if edit and edit.id == "edit-fixed" and case.exercise.has_scale:
        return None  # a later step knows more about it
    if not edit:
        return None
    found = not_yet(edit.id, **edit.details)
    more = known_for_sure.shape_besides(case) if edit.id == "edit-transposed" else ""
    return found._replace(message=f"{found.message} {more}".strip())


def _two_edits(case):
    edits = find_two_edits(case.exercise, case.run.outcomes, partial(bears_out, case, unread=False))
    if not edits:
        return None
    return Finding(NOT_YET, tuple(dict.fromkeys(edit.id for edit in edits)), words.two_edits(edits))


def _no_answer(case):
    """What came back is not what an exercise can ask for: nothing, text, a generator, a tuple; or nothing came back."""
    outcome = next((o for o in case.run.outcomes if o.problem and o.problem != "raises"), None)
    if outcome is None:
        return None
    if outcome.problem == "returns-nothing" and any(not other.problem for other in case.run.outcomes):
        said = "Some inputs get a result, and others do not. Is a return missing in one of the branches?"
        return not_yet("returns-nothing", f"{said} {wrong_with(case)}".strip())
    names = list(case.exercise.gives)
    things = counted(outcome.detail, "thing") if outcome.problem == "returns-tuple" else outcome.detail
    details = {"kind": outcome.detail, "count": things, "wanted": len(names), "name": listed(names)}
    details |= words.what_will_do(outcome.detail, case.exercise.gives, case.wanted[0].parts)
    id = "prints-only" if outcome.problem == "returns-nothing" and case.run.printed else outcome.problem
    message = returned.nothing(case.answer) if id == "returns-nothing" else ""
    if id == "returns-no-numbers" and case.exercise.returns:
        message = f"Your function gives back {outcome.detail}, and {case.exercise.returns} is wanted."
    return not_yet(id, message, **details)


def _tuple(case):
    """Arrays of one shape in a tuple were read as one array, and that is not what was wanted."""
    details = [outcome.detail for outcome in case.run.outcomes if not outcome.problem]
    if not details or not all(detail.startswith("tuple of ") for detail in details) or len(case.exercise.gives) > 1:
        return None
    count = counted(details[0].removeprefix("tuple of "), "thing")
    return not_yet("returns-tuple", count=count, name=next(iter(case.exercise.gives)))


def _argument_back(case):
    for k, name in enumerate(case.exercise.arguments):
        given = [as_outcome(probe[k], 1) for probe in case.exercise.probes]
        if all(map(same, case.run.outcomes, given)) and promises.gives_back(case, k):
            return not_yet("returns-argument", returned.unchanged(case, name), argument=name)
    return None


def _relation(case):
    pairs = list(case.pairs())
    names = {name for _, name, _, _ in pairs}
    if len(names) != 1 or len(pairs) < len(case.wanted):
        return None
    id = find_relation(*([pair[k].astype(float) for pair in pairs] for k in (2, 3)))
    if id is None:
        return None
    found = not_yet(id, came=pairs[0][2].shape, shape=pairs[0][3].shape, amount=_amount(id, *pairs[0][2:]))
    if len(case.exercise.gives) == 1:
        return found
    [name], of_this = names, found.message.removeprefix(words.ALL_RIGHT)
    is_right = f"Everything in {name} is right{of_this}" if of_this != found.message else f"About {name}: {of_this}"
    return found._replace(message=f"{known_for_sure.right_parts(case)} {is_right}".strip())


def _amount(id, got, wanted):
    """The factor, or the sum, by which the answer differs from what is right; nothing for another relation."""
    if id not in ("factor", "offset"):
        return ""
    with np.errstate(all="ignore"):
        amounts = np.ravel(got / wanted.astype(float) if id == "factor" else got - wanted.astype(float))
    return words.number(next(amount for amount in amounts if np.isfinite(amount)))


def _unknown_factor(case):
    found = find_factor(case.exercise, case.run.outcomes)
    if not found:
        return None
    faults, factors = found
    id = "scale-hardcoded" if np.allclose(factors, factors[0], rtol=1e-4) else "scale-wrong"
    if id == "scale-hardcoded" and any("model" in name for name in globals_read(case.answer, int | np.integer)):
        id = "scale-dmodel"
    return on_faults([*faults, Fault(id, ())], case.exercise.gives)


def _error(case):
    raised = [o for o in case.run.outcomes if o.problem == "raises"]
    if not raised:
        return None
    stops = errors.in_words(raised[0].detail)
    if known_for_sure.some_inputs(case):
        return not_yet("raises-on-some", f"{stops} {known_for_sure.where_it_raises(case)}")
    return not_yet("raises", stops)


def _shape(case):
    found = case.other_shape()
    if not found:
        return None
    said = words.shapes(case.exercise, *found), known_for_sure.reason_of_shape(case, *found), last_right(case)
    return not_yet("shape", " ".join(filter(None, said)))


def _not_finite(case):
    for _, _, got, wanted in case.pairs():
        for id, test in (("nan", np.isnan), ("infinite", np.isinf)):
            if test(got).any() and not test(wanted).any():
                said = words.about(id), last_right(case), known_for_sure.example(case)
                return not_yet(id, " ".join(filter(None, said)))
    return None


def _somewhere(case):
    some = known_for_sure.some_inputs(case)
    return not_yet("only-some-inputs" if some else "differs", known_for_sure.differs(case))


STEPS = (
    _untouched,
    _right,
    dependence.other_order,
    dependence.wrong_helper,
    _one_fault,
    _no_answer,
    _tuple,
    dependence.constant,
    _argument_back,
    _relation,
    _one_edit,
    _two_faults,
    dependence.remembers,
    _unknown_factor,
    dependence.reads_arrays,
    _error,
    _shape,
    _not_finite,
    dependence.unused,
    _two_edits,
    _somewhere,
)
