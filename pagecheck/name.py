"""Names the mistake: the one or two wrong lines that give the same results as the student's function, or another cause.

Each step looks for one kind of mistake, and the first one that finds something decides.
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
    """Return the first hypothesis of `count` faults that gives these outcomes; None if none does.

    Also None if every result is one whole number and several pairs give it: a sum of counts says nothing about its
    parts. outcomes: those of the student's function for the first probes; one that always raises fits nothing.
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
    """The same inputs give other numbers the second time: there is state between calls, or randomness."""
    for i, (got, right) in enumerate(zip(case.run.outcomes, case.wanted, strict=False)) if case.fresh else ():
        if not same(got, right):  # the first wrong one: is it right without earlier calls?
            [fresh_outcome] = case._replace(answer=case.fresh()).outcomes_on([case.exercise.probes[i]])
            if same(fresh_outcome, right):
                return case.course.not_yet("remembers")
            break
    first_outcomes = [case.run.outcomes[0], *case.run.outcomes]
    repeated = case.outcomes_on([case.exercise.probes[0], *case.exercise.probes[: len(case.run.outcomes)]])
    if any(outcome.problem and outcome.problem != "raises" for outcome in repeated):
        return None
    return None if all(map(same, first_outcomes, repeated)) else case.course.not_yet("remembers")


def _other_order(case):
    """The arguments are in another order: by their names, or because the answer is right with two of them swapped.

    If the names do not tell, only arguments of different kinds are swapped: others may have swapped roles.
    """
    wanted, names = list(case.exercise.arguments), _parameters(case.answer)
    if names == wanted or len(names) != len(wanted):
        return None
    if sorted(names) == sorted(wanted):
        orders = [[wanted.index(name) for name in names]]
    else:
        kinds = [(type(value), getattr(value, "ndim", 0)) for value in case.exercise.probes[0]]
        pairs = combinations(range(len(wanted)), 2)
        orders = [[{a: b, b: a}.get(k, k) for k in range(len(wanted))] for a, b in pairs]
        orders = [order for order in orders if [kinds[k] for k in order] != kinds]
    for order in orders:
        reordered = [tuple(probe[k] for k in order) for probe in case.exercise.probes]
        if all(map(same, case.outcomes_on(reordered), case.wanted)):
            return case.course.not_yet("arguments-order", wanted=listed(wanted))
    return None


def _parameters(answer):
    try:
        return list(inspect.signature(answer).parameters)
    except (TypeError, ValueError):  # compiled functions may have no signature
        return []


def _wrong_helper(case):
    """The answer is right once the course's function replaces the student's helper."""
    for name in globals_read(case.answer, types.FunctionType):
        right, helper = case.course.helpers.get(name), case.answer.__globals__[name]
        if right is None or helper is case.answer or helper.__module__ == right.__module__:
            continue
        answer = case.answer
        repaired = types.FunctionType(
            answer.__code__, answer.__globals__ | {name: right}, None, answer.__defaults__, answer.__closure__
        )
        if all(map(same, case._replace(answer=repaired).outcomes_on(case.exercise.probes), case.wanted)):
            return case.course.not_yet("helper-wrong", argument=name)
    return None


def _one_fault(case):
    faults = find_faults(case.exercise, case.run.outcomes, 1)
    if not faults:
        return None
    return describe.with_right_results(case, case.course.on_faults(faults, case.exercise), describe.wrong_shape(case))


def _two_faults(case):
    """Two mistakes that explain most of the promised inputs too: a pair may fit the probes by chance."""
    exercise = case.exercise
    faults = find_faults(exercise, case.run.outcomes, 2)
    if not faults:
        return None
    pairs = zip(promise.results(case), promise.right_outcomes(exercise, faults), strict=False)
    # With non-finite numbers a fault and a student's own version of it may fail differently.
    fits = [same(got, imagined) for got, imagined in pairs if is_finite(got) and is_finite(imagined)]
    finding = case.course.on_faults(faults, exercise)
    return None if 2 * sum(fits) < len(fits) else describe.with_right_results(case, finding)


def _no_answer(case):
    """The result is nothing that an exercise can ask for: None, text, a generator, a tuple."""
    outcome = next((o for o in case.run.outcomes if o.problem and o.problem != "raises"), None)
    if outcome is None:
        return None
    not_yet, gives, problem = case.course.not_yet, case.exercise.gives, outcome.problem
    if problem == "returns-nothing" and any(not other.problem for other in case.run.outcomes):
        sentence = "Some inputs get a result, and others do not. Is a return missing in one of the branches?"
        return not_yet(problem, sentence)
    names = list(gives)
    things = counted(outcome.detail, "thing") if problem == "returns-tuple" else outcome.detail
    details = {"kind": outcome.detail, "count": things, "wanted": len(names), "name": listed(names)}
    details |= _what_will_do(outcome.detail, gives, case.wanted[0].parts)
    id = "prints-only" if problem == "returns-nothing" and case.run.printed else problem
    message = why_nothing(case.answer) if id == "returns-nothing" else ""
    if id == "returns-no-numbers" and case.exercise.returns:
        message = f"Your function returns {outcome.detail}, but it should return {case.exercise.returns}."
    return not_yet(id, message, **details)


def _what_will_do(kind, gives, wanted):
    """Return what is wanted instead of a result that is not a number, as placeholders of a message."""
    several = len(wanted) > 1 or wanted[0].ndim
    should = "be numbers" if several else f"be {next(iter(gives.values()))}"
    if several and wanted[0].dtype == bool:
        should = "hold True and False"
    return {
        "should": should.replace("number", "real number") if "complex" in kind else should,
        "carrier": "An array or a list" if several else "A value of Python, NumPy or TensorFlow",
    }


def _tuple(case):
    """Arrays of one shape in a tuple were read as one array, which is not the right result."""
    details = [outcome.detail for outcome in case.run.outcomes if not outcome.problem]
    if not details or not all(detail.startswith("tuple of ") for detail in details):
        return None
    count = counted(details[0].removeprefix("tuple of "), "thing")
    return case.course.not_yet("returns-tuple", count=count, name=next(iter(case.exercise.gives)))


def _constant(case):
    """The same array is returned for different inputs, the promised ones too."""
    answers = [o.parts[0] for o in case.run.outcomes if not o.problem]
    if len(answers) < 2 or not answers[0].size or not all(close(array, answers[0]) for array in answers[1:]):
        return None
    if not any(reads(case.answer, k) for k in range(len(case.exercise.arguments))):
        return _reads_arrays(case) or case.course.not_yet("hard-coded")
    if any(got.parts and not close(got.parts[0], answers[0]) for got in promise.results(case)):
        return None
    value = number(answers[0].ravel()[0]) if answers[0].size == 1 else "the same"
    words = case.course.about("always-the-same", value=value)
    return case.course.not_yet("always-the-same", f"{words} {describe.example(case)}".strip())


def _argument_back(case):
    for k, name in enumerate(case.exercise.arguments):
        arguments = [as_outcome(probe[k], 1) for probe in case.exercise.probes]
        if all(map(same, case.run.outcomes, arguments)) and promise.gives_back(case, k):
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
    got, right = pairs[0][2:]
    amount = _amount(id, got, right)
    if amount == {"factor": "1", "offset": "0"}.get(id):  # the difference is too small to report
        return None
    words = case.course.about(id, came=got.shape, shape=right.shape, amount=amount)
    if len(case.exercise.gives) > 1:
        [name] = names
        words = f"{describe.right_results(case)} About {name}: {words}".strip()
    return case.course.not_yet(id, words)


def _amount(id, got, wanted):
    """The factor or the offset of the answer in words, "" for another relation."""
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
    words, id = case.course.reasons.of(raised[0].detail)
    if id:
        return case.course.not_yet(id, words)
    if describe.fits_some(case):
        return case.course.not_yet("raises-on-some", f"{words} {describe.where_it_raises(case)}")
    return case.course.not_yet("raises", words)


def _shape(case):
    wrong = case.other_shape()
    if not wrong:
        return None
    kind = next((o.detail for o in case.run.outcomes if o.detail == "list"), "")
    parts = [shape_message(case.exercise, *wrong, kind), describe.reason_of_shape(case, *wrong), last_right(case)]
    return case.course.not_yet("shape", " ".join(filter(None, parts)))


def _not_finite(case):
    for _, _, got, wanted in case.pairs():
        for id, test in (("nan", np.isnan), ("infinite", np.isinf)):
            if test(got).any() and not test(wanted).any():
                sentences = case.course.about(id), last_right(case), describe.example(case)
                return case.course.not_yet(id, " ".join(filter(None, sentences)))
    return None


def _unused(case):
    """Changing one argument changes nothing, from the first probe to the second, which has the same shapes, and back.

    Equal answers prove nothing if the answer is yes or no.
    """
    if all(part.ndim == 0 and part in (0, 1) for outcome in case.wanted for part in outcome.parts):
        return None
    probes = case.exercise.probes[:2]
    for k, name in enumerate(case.exercise.arguments):
        pairs = [(one, (*one[:k], two[k], *one[k + 1 :])) for one, two in (probes, probes[::-1])]
        effective = [pair for pair in pairs if not same(*map(case.exercise.give, pair))]
        if effective and all(_gives_the_same(case, pair) for pair in effective):
            id = "argument-without-effect" if reads(case.answer, k) else "argument-unused"
            example = describe.example(case) if id == "argument-without-effect" else ""
            return case.course.not_yet(id, f"{case.course.about(id, argument=name)} {example}".strip())
    return None


def _gives_the_same(case, pair):
    outcomes = case.outcomes_on(pair)
    return len(outcomes) == 2 and not outcomes[0].problem and same(outcomes[1], outcomes[0])


def _differs(case):
    id = "only-some-inputs" if describe.fits_some(case) else "differs"
    return case.course.not_yet(id, describe.certainties(case))


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
AFTER_ERRORS = (_reads_arrays, _error, _shape, _not_finite, _unused, _differs)


def name(case) -> Finding:
    """Return the finding on a wrong answer: that of the first step that finds something."""
    steps = (*BEFORE_ERRORS, *case.course.further, *AFTER_ERRORS)
    return next(finding for step in steps if (finding := step(case)))
