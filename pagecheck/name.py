"""Names the mistake: the line, or the two lines, that give what the student's function gives; else what is in its way.

Each step looks for one kind of thing, and the first that finds something speaks.
"""

import inspect
import types
from itertools import combinations

import numpy as np

from pagecheck import describe, promise
from pagecheck.compare import Outcome, as_outcome, close, find_relation, is_finite, same
from pagecheck.exercise import Exercise
from pagecheck.source import globals_read, last_right, reads, why_nothing
from pagecheck.words import Finding, counted, listed, number, shape_message


def find_faults(exercise: Exercise, outcomes: list[Outcome], count: int) -> tuple | None:
    """Return the first hypothesis of so many faults that gives these outcomes; None when none does.

    None, too, where every result is one whole number and several pairs give it: a sum of counts says nothing about its
    parts. outcomes: what the student's function gave for the first probes; one that raises everywhere fits nothing.
    """
    if all(outcome.problem for outcome in outcomes):
        return None
    fits = (
        faults
        for faults in exercise.hypotheses
        if len(faults) == count and all(same(got, exercise.imagine(faults, i)) for i, got in enumerate(outcomes))
    )
    first = next(fits, None)
    ambiguous = first and count > 1 and _are_counts(outcomes) and any(_ids(other) != _ids(first) for other in fits)
    return None if ambiguous else first


def _ids(faults):
    return {fault.id for fault in faults}


def _are_counts(outcomes):
    """Whether every result is one whole number."""
    return all(part.ndim == 0 and not part % 1 for outcome in outcomes for part in outcome.parts)


# The steps


def remembers(case):
    """The same inputs give other numbers the second time: something is kept between two calls, or drawn at random."""
    for i, (got, right) in enumerate(zip(case.run.outcomes, case.wanted, strict=False)) if case.fresh else ():
        if not same(got, right):  # the first wrong one: is it right where nothing was called before?
            [alone] = case._replace(answer=case.fresh()).outcomes_on([case.exercise.probes[i]])
            if same(alone, right):
                return case.course.not_yet("remembers")
            break
    before = [case.run.outcomes[0], *case.run.outcomes]
    again = case.outcomes_on([case.exercise.probes[0], *case.exercise.probes[: len(case.run.outcomes)]])
    if any(outcome.problem and outcome.problem != "raises" for outcome in again):
        return None
    return None if all(map(same, before, again)) else case.course.not_yet("remembers")


def _other_order(case):
    """The arguments come in another order: by their names, or because the answer is right when two change places.

    Without names that say so, only arguments of different kinds are tried: otherwise their roles may be meant.
    """
    wanted, names = list(case.exercise.arguments), _parameters(case.answer)
    if names == wanted or len(names) != len(wanted):
        return None
    if sorted(names) == sorted(wanted):
        orders = [[wanted.index(name) for name in names]]
    else:
        kinds = [(type(value), np.ndim(value)) for value in case.exercise.probes[0]]
        pairs = combinations(range(len(wanted)), 2)
        orders = [[{a: b, b: a}.get(k, k) for k in range(len(wanted))] for a, b in pairs]
        orders = [order for order in orders if [kinds[k] for k in order] != kinds]
    for order in orders:
        moved = [tuple(probe[k] for k in order) for probe in case.exercise.probes]
        if all(map(same, case.outcomes_on(moved), case.wanted)):
            return case.course.not_yet("arguments-order", wanted=listed(wanted))
    return None


def _parameters(answer):
    try:
        return list(inspect.signature(answer).parameters)
    except (TypeError, ValueError):  # compiled functions may have no signature
        return []


def _wrong_helper(case):
    """The answer is right as soon as the course's function stands in the place of the student's own one."""
    for name in globals_read(case.answer, types.FunctionType):
        right, own = case.course.helpers.get(name), case.answer.__globals__[name]
        if right is None or own is case.answer or own.__module__ == right.__module__:
            continue
        answer = case.answer
        mended = types.FunctionType(
            answer.__code__, answer.__globals__ | {name: right}, None, answer.__defaults__, answer.__closure__
        )
        if all(map(same, case._replace(answer=mended).outcomes_on(case.exercise.probes), case.wanted)):
            return case.course.not_yet("helper-wrong", argument=name)
    return None


def _one_fault(case):
    faults = find_faults(case.exercise, case.run.outcomes, 1)
    if not faults:
        return None
    found = case.course.on_faults(faults, case.exercise)
    return found._replace(message=f"{found.message} {describe.wrong_shape(case)}".strip())


def _two_faults(case):
    """Two mistakes that explain most of the promised inputs too: a pair may fit the probes by chance."""
    exercise = case.exercise
    faults = find_faults(exercise, case.run.outcomes, 2)
    if not faults:
        return None
    pairs = zip(promise.results(case), promise.wanted(exercise, faults), strict=False)
    # Beyond finite numbers a fault and a student's own way to write it may go wrong differently.
    fits = [same(got, made) for got, made in pairs if is_finite(got) and is_finite(made)]
    return None if 2 * sum(fits) < len(fits) else case.course.on_faults(faults, exercise)


def _no_answer(case):
    """What came back is not what an exercise can ask for: nothing, text, a generator, a tuple; or nothing came back."""
    outcome = next((o for o in case.run.outcomes if o.problem and o.problem != "raises"), None)
    if outcome is None:
        return None
    found, gives, problem = case.course.not_yet, case.exercise.gives, outcome.problem
    if problem == "returns-nothing" and any(not other.problem for other in case.run.outcomes):
        said = "Some inputs get a result, and others do not. Is a return missing in one of the branches?"
        return found(problem, said)
    names = list(gives)
    things = counted(outcome.detail, "thing") if problem == "returns-tuple" else outcome.detail
    details = {"kind": outcome.detail, "count": things, "wanted": len(names), "name": listed(names)}
    details |= _what_will_do(outcome.detail, gives, case.wanted[0].parts)
    id = "prints-only" if problem == "returns-nothing" and case.run.printed else problem
    message = why_nothing(case.answer) if id == "returns-nothing" else ""
    if id == "returns-no-numbers" and case.exercise.returns:
        message = f"Your function gives back {outcome.detail}, and {case.exercise.returns} is wanted."
    return found(id, message, **details)


def _what_will_do(came, gives, wanted):
    """Return what should come in place of something that is not a number, as blanks of a message."""
    several = len(wanted) > 1 or wanted[0].ndim
    should = "be numbers" if several else f"be {next(iter(gives.values()))}"
    if several and wanted[0].dtype == bool:
        should = "hold True and False"
    return {
        "should": should.replace("number", "real number") if "complex" in came else should,
        "carrier": "An array, a list or a tensor" if several else "A value of Python, NumPy or TensorFlow",
    }


def _tuple(case):
    """Arrays of one shape in a tuple were read as one array, and that is not what was wanted."""
    details = [outcome.detail for outcome in case.run.outcomes if not outcome.problem]
    if not details or not all(detail.startswith("tuple of ") for detail in details) or len(case.exercise.gives) > 1:
        return None
    count = counted(details[0].removeprefix("tuple of "), "thing")
    return case.course.not_yet("returns-tuple", count=count, name=next(iter(case.exercise.gives)))


def _constant(case):
    """One and the same array came, though the inputs were different: for all that is promised, too."""
    answers = [o.parts[0] for o in case.run.outcomes if not o.problem]
    if len(answers) < 2 or not answers[0].size or not all(close(array, answers[0]) for array in answers[1:]):
        return None
    if not any(reads(case.answer, k) for k in range(len(case.exercise.arguments))):
        return _reads_arrays(case) or case.course.not_yet("hard-coded")
    if any(got.parts and not close(got.parts[0], answers[0]) for got in promise.results(case)):
        return None
    value = number(answers[0].ravel()[0]) if answers[0].size == 1 else "the same"
    said = case.course.about("always-the-same", value=value)
    return case.course.not_yet("always-the-same", f"{said} {describe.example(case)}".strip())


def _argument_back(case):
    for k, name in enumerate(case.exercise.arguments):
        given = [as_outcome(probe[k], 1) for probe in case.exercise.probes]
        if all(map(same, case.run.outcomes, given)) and promise.gives_back(case, k):
            return case.course.not_yet("returns-argument", argument=name)
    return None


def _relation(case):
    pairs = list(case.pairs())
    names = {name for _, name, _, _ in pairs}
    if len(names) != 1 or len(pairs) < len(case.wanted):
        return None
    id = find_relation(*([pair[k].astype(float) for pair in pairs] for k in (2, 3)))
    if id is None:
        return None
    came, right = pairs[0][2:]
    amount = _amount(id, came, right)
    if amount == {"factor": "1", "offset": "0"}.get(id):  # too small a difference to be told so
        return None
    said = case.course.about(id, came=came.shape, shape=right.shape, amount=amount)
    if len(case.exercise.gives) > 1:
        [name] = names
        said = f"{describe.right_results(case)} About {name}: {said}".strip()
    return case.course.not_yet(id, said)


def _amount(id, got, wanted):
    """The factor, or the sum, by which the answer differs from what is right; nothing for another relation."""
    if id not in ("factor", "offset"):
        return ""
    with np.errstate(all="ignore"):
        amounts = np.ravel(got / wanted.astype(float) if id == "factor" else got - wanted.astype(float))
    return number(next(amount for amount in amounts if np.isfinite(amount)))


def _reads_arrays(case):
    names = globals_read(case.answer, list | np.ndarray)
    return case.course.not_yet("uses-global", argument=" and ".join(names)) if names else None


def _error(case):
    raised = [o for o in case.run.outcomes if o.problem == "raises"]
    if not raised:
        return None
    said, id = case.course.reasons.of(raised[0].detail)
    if id:
        return case.course.not_yet(id, said)
    if describe.fits_some(case):
        return case.course.not_yet("raises-on-some", f"{said} {describe.where_it_raises(case)}")
    return case.course.not_yet("raises", said)


def _shape(case):
    found = case.other_shape()
    if not found:
        return None
    came = next((o.detail for o in case.run.outcomes if o.detail == "list"), "")
    said = [shape_message(case.exercise, *found, came), describe.reason_of_shape(case, *found), last_right(case)]
    return case.course.not_yet("shape", " ".join(filter(None, said)))


def _not_finite(case):
    for _, _, got, wanted in case.pairs():
        for id, test in (("nan", np.isnan), ("infinite", np.isinf)):
            if test(got).any() and not test(wanted).any():
                said = case.course.about(id), last_right(case), describe.example(case)
                return case.course.not_yet(id, " ".join(filter(None, said)))
    return None


def _unused(case):
    """Change one argument at a time, from the first probe and from the second, which has the same shapes.

    Two inputs with one answer say nothing where the answer is yes or no.
    """
    if all(part.ndim == 0 and part in (0, 1) for outcome in case.wanted for part in outcome.parts):
        return None
    probes = case.exercise.probes[:2]
    for k, name in enumerate(case.exercise.arguments):
        pairs = [(one, (*one[:k], two[k], *one[k + 1 :])) for one, two in (probes, probes[::-1])]
        moved = [pair for pair in pairs if not same(*map(case.exercise.give, pair))]
        if moved and all(_gives_the_same(case, pair) for pair in moved):
            id = "argument-without-effect" if reads(case.answer, k) else "argument-unused"
            more = describe.example(case) if id == "argument-without-effect" else ""
            return case.course.not_yet(id, f"{case.course.about(id, argument=name)} {more}".strip())
    return None


def _gives_the_same(case, pair):
    given = case.outcomes_on(pair)
    return len(given) == 2 and not given[0].problem and same(given[1], given[0])


def _somewhere(case):
    id = "only-some-inputs" if describe.fits_some(case) else "differs"
    return case.course.not_yet(id, describe.differs(case))


BEFORE_ERRORS = (
    remembers,
    _other_order,
    _wrong_helper,
    _one_fault,
    _no_answer,
    _tuple,
    _constant,
    _argument_back,
    _relation,
    _two_faults,
)
AFTER_ERRORS = (_reads_arrays, _error, _shape, _not_finite, _unused, _somewhere)


def name(case) -> Finding:
    """Return what is found in an answer that is not right: what the first step says that finds something."""
    steps = (*BEFORE_ERRORS, *case.course.further, *AFTER_ERRORS)
    return next(found for step in steps if (found := step(case)))
