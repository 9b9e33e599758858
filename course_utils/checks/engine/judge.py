"""From an answer to a verdict."""

import inspect

from course_utils.checks.engine import known_for_sure, words
from course_utils.checks.engine.evidence import held
from course_utils.checks.engine.exercise import Value
from course_utils.checks.engine.grammar import by_kind, counted
from course_utils.checks.engine.kernel_state import RANDOM_OF_PYTHON, kept
from course_utils.checks.engine.outcome import kind_in_words
from course_utils.checks.engine.running import run
from course_utils.checks.engine.steps import STEPS, Case
from course_utils.checks.engine.stubs import is_stub, reaches
from course_utils.checks.engine.threads import noted
from course_utils.checks.engine.verdict import NOT_STARTED, Finding, Verdict, not_yet


def judge(exercise, answer, trace=False) -> Verdict:
    """Return the verdict on an answer, whatever it is; trace=True shows the traceback of an error in the function."""
    with kept() as changes, noted() as running:
        try:
            found, traceback = _find(exercise, answer)
        except (Exception, SystemExit) as problem:  # an object whose own methods raise; the lesson goes on
            found, traceback = not_yet("unreadable", type=type(problem).__name__), ""
    put_back, taken_away = changes
    if reaches(answer, "keras"):  # each new layer takes one of these numbers, which the student did not ask for
        put_back = [name for name in put_back if name != RANDOM_OF_PYTHON]
    left = words.left_behind(put_back, taken_away, running)
    message = by_kind(" ".join(filter(None, [found.message, left])), exercise.kind)
    return Verdict(found.state, found.mistakes, message, exercise.name, traceback if trace else "")


def _find(exercise, answer):
    """What is found in an answer, and the traceback of an error in it, "" for none."""
    if is_stub(answer) and (not callable(answer) or exercise.adapt or exercise.takes):
        return Finding(NOT_STARTED), ""
    look = _in_value if isinstance(exercise, Value) else not_to_be_called
    if found := look(exercise, answer):
        return found, ""
    case = _case(exercise, answer)
    found = next(found for step in STEPS if (found := held(case, step(case))))
    return found, next((outcome.trace for outcome in case.run.outcomes if outcome.trace), "")


def _case(exercise, answer):
    wanted, function = [exercise.imagine((), i) for i in range(len(exercise.probes))], exercise.as_function(answer)
    return Case(exercise, function, run(function, exercise.probes, len(exercise.gives)), wanted)


def contrast(exercise, answer):
    """Return three lines: the smallest input that is found on which an answer is wrong, what it gives, what is right.

    Empty where there is none that can be written out, and for a value, which has no inputs.
    """
    if isinstance(exercise, Value) or exercise.takes or not callable(answer):
        return ()
    with kept(), noted():
        try:
            case = _case(exercise, answer)
            found = known_for_sure.small_input(case, finite=True) or known_for_sure.small_input(case)
        except (Exception, SystemExit):  # as above: the lesson goes on
            return ()
    return tuple(by_kind(line, exercise.kind) for line in words.contrast(exercise, found)) if found else ()


def _in_value(exercise, answer):
    if exercise.takes:
        return not_to_be_called(exercise, answer) or exercise.judge(answer)
    if answer is None:
        return not_yet("returns-nothing", f"None came, and {exercise.wanted} is wanted. Was the cell above run?")
    if callable(answer):
        return not_yet("not-a-value", kind=kind_in_words(answer))
    try:
        return exercise.judge(answer)
    except (TypeError, ValueError, AttributeError):
        return not_yet("not-a-value", f"This is {kind_in_words(answer)}, and it cannot be read as {exercise.wanted}.")


def not_to_be_called(exercise, answer):
    if answer is None:
        return not_yet("returns-nothing", f"None came, and the check wants a {exercise.kind}. Was the cell above run?")
    if not callable(answer) or isinstance(answer, type) != (exercise.kind == "class"):
        kind = "a class" if isinstance(answer, type) else "a function" if callable(answer) else kind_in_words(answer)
        if exercise.kind == "function":
            return not_yet("not-a-function", kind=kind)
        said = f"This is {kind}, and the check wants the class itself. Pass its name, without brackets."
        return not_yet("not-a-function", said)
    takes = exercise.takes or exercise.arguments
    try:
        inspect.signature(answer).bind(*takes)
    except TypeError:
        return not_yet("wrong-arguments", count=counted(len(takes), "argument"), argument=", ".join(takes))
    except ValueError:  # compiled functions may have no signature
        pass
    return None
