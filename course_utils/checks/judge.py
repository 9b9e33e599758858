"""From an answer to a verdict."""

import inspect
from dataclasses import replace

from course_utils.checks.faults import Value
from course_utils.checks.findings import not_yet
from course_utils.checks.running import run
from course_utils.checks.steps import STEPS, Case
from course_utils.checks.stubs import is_stub
from course_utils.checks.verdict import NOT_STARTED, Verdict


def judge(exercise, answer) -> Verdict:
    """Return the verdict on an answer, whatever it is."""
    if is_stub(answer) and not callable(answer):
        return Verdict(NOT_STARTED, name=exercise.name)
    if isinstance(exercise, Value):
        return replace(_judge_value(exercise, answer), name=exercise.name)
    if verdict := _not_to_be_called(exercise, answer):
        return replace(verdict, name=exercise.name)
    case = Case(exercise, answer, run(answer, exercise.probes, len(exercise.gives)), _wanted(exercise))
    verdict = next(v for step in STEPS if (v := step(case)))
    trace = next((o.trace for o in case.run.outcomes if o.trace), "")
    return replace(verdict, name=exercise.name, trace=trace)


def _judge_value(exercise, answer):
    if answer is None:
        return not_yet("returns-nothing", f"None came, and {exercise.wanted} is wanted. Was the cell above run?")
    if callable(answer):
        return not_yet("not-a-value", type=type(answer).__name__)
    try:
        return exercise.judge(answer)
    except (TypeError, ValueError, AttributeError):
        return not_yet("not-a-value", f"A {type(answer).__name__} came, and it cannot be read as {exercise.wanted}.")


def _wanted(exercise):
    return [exercise.imagine((), i) for i in range(len(exercise.probes))]


def _not_to_be_called(exercise, answer):
    if answer is None:
        return not_yet("returns-nothing", "None came, and the check wants a function. Was the cell above run?")
    if not callable(answer) or isinstance(answer, type):
        return not_yet("not-a-function", type="class" if callable(answer) else type(answer).__name__)
    try:
        inspect.signature(answer).bind(*exercise.arguments)
    except TypeError:
        arguments = ", ".join(exercise.arguments)
        return not_yet("wrong-arguments", count=f"{len(exercise.arguments)} arguments", argument=arguments)
    except ValueError:  # compiled functions may have no signature
        pass
    return None
