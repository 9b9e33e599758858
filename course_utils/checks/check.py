"""The entry point of the checks: check(name, answer)."""

import threading
import types
from dataclasses import replace

from course_utils.checks.exercises import exercise_of, similar_names
from course_utils.checks.student.assistant import assistant_html, text_to_copy
from course_utils.checks.student.explanations import explain
from course_utils.checks.student.record import record_verdict
from pagecheck.guard import is_running
from pagecheck.judge import judge, small_numbers
from pagecheck.run import ChecksItself
from pagecheck.words import NOT_YET, Verdict

_check_lock = threading.Lock()
_MISSING = object()
EXPLAIN_AFTER = 2  # wrong tries
STOPPED_BY_LIMIT = {"too-slow", "too-much-output", "too-large"}  # running such an answer again would take as long again


def check(name: str, answer: object = _MISSING, trace: bool = False) -> Verdict:
    """Check an answer to an exercise, and name the mistake.

    name: the exercise's name.
    answer: the student's function itself, or the value if the exercise asks for one.
    trace=True also shows the traceback if the function raises an error.
    Returns a Verdict, which displays as one line or as HTML.
    Raises ValueError for an unknown name or a missing name or answer, and for nothing else, whatever the answer does.
    A second thread waits until the first check has ended.
    Called by an answer that is being checked, it raises ChecksItself, which the outer check reports.

    >>> check("weights", lambda Q, K: ...)
    ○ weights: not started
    """
    if not isinstance(name, str) or answer is _MISSING:
        raise ValueError(_usage_hint(name, answer))
    exercise = exercise_of(name)
    if not _check_lock.acquire(blocking=not is_running()):
        raise ChecksItself("check is called by an answer that is being checked. Call it in a cell of its own.")
    try:
        verdict = judge(exercise, answer, trace)
    except KeyboardInterrupt:  # the traceback means nothing to a student
        raise KeyboardInterrupt("the check was interrupted, and nothing was judged") from None
    finally:
        _check_lock.release()
    tries = record_verdict(verdict, answer)
    if verdict.state == NOT_YET and tries >= EXPLAIN_AFTER:
        numbers = str if STOPPED_BY_LIMIT & set(verdict.mistakes) else lambda: _numbers(exercise, answer)
        request = assistant_html(text_to_copy(exercise.name, answer, str(verdict)))
        return replace(verdict, explanation=explain(verdict.mistakes, numbers, request))
    return verdict


def _numbers(exercise, answer):
    """Return the line about small numbers. It runs the answer, so it holds the lock."""
    with _check_lock:
        return small_numbers(exercise, answer)


def _usage_hint(name, answer):
    """Return what to type if the name is missing, comes after the answer, or stands alone."""
    if isinstance(name, str):
        return f'check needs your answer, too. Type check("{name}", and then the name of your function or value.'
    function_name = (
        name.__name__ if isinstance(name, types.FunctionType) and name.__name__.isidentifier() else "your_answer"
    )
    if isinstance(answer, str):
        return f'The name of the exercise comes first. Type check("{answer}", {function_name}).'
    exercise = next(iter(similar_names(function_name)), "name_of_the_exercise")
    return f'The name of the exercise comes first, in quotes. Type check("{exercise}", {function_name}).'
