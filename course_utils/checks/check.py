"""The door: check(name, answer)."""

import threading
import types
from dataclasses import replace

from course_utils.checks.exercises import close_names, exercise_of
from course_utils.checks.student.explanations import explain
from course_utils.checks.student.record import note
from pagecheck.guard import is_running
from pagecheck.judge import judge, small_numbers
from pagecheck.run import ChecksItself
from pagecheck.words import NOT_YET, Verdict

_one_at_a_time = threading.Lock()
_NOTHING = object()
EXPLAIN_AFTER = 2  # tries that were not yet right
STOPPED = {"too-slow", "too-much-output", "too-large"}  # to run such an answer once more takes its time again


def check(name, answer=_NOTHING, trace=False) -> Verdict:
    """Compare an answer with what an exercise asks, and name the mistake.

    name: the exercise's name.
    answer: the student's function itself, or the value where the exercise asks for one.
    trace=True shows the traceback too when the function stops with an error.
    Returns a Verdict, which shows as one line or as HTML.
    Raises ValueError for a name that no lesson has or where the name or the answer is missing, and for nothing else,
    whatever the answer does. A second thread waits until the check of the first one has ended.
    Inside an answer that is being checked it raises ChecksItself, which the check outside reports.

    >>> check("weights", lambda Q, K: ...)
    ○ weights: not started
    """
    if not isinstance(name, str) or answer is _NOTHING:
        raise ValueError(_how_to_ask(name, answer))
    exercise = exercise_of(name)
    if not _one_at_a_time.acquire(blocking=not is_running()):
        raise ChecksItself("check is called by an answer that is being checked. Call it in a cell of its own.")
    try:
        verdict = judge(exercise, answer, trace)
    except KeyboardInterrupt:  # the way that it took says nothing to a student
        raise KeyboardInterrupt("the check was interrupted, and nothing was judged") from None
    finally:
        _one_at_a_time.release()
    tries = note(verdict, answer)
    if verdict.state == NOT_YET and tries >= EXPLAIN_AFTER:
        numbers = str if STOPPED & set(verdict.mistakes) else lambda: _numbers(exercise, answer)
        explanation = explain(exercise.name, verdict.mistakes, numbers)
        return replace(verdict, explanation=explanation)
    return verdict


def _numbers(exercise, answer):
    """Return the line about small numbers. The answer runs for them: nothing else is checked meanwhile."""
    with _one_at_a_time:
        return small_numbers(exercise, answer)


def _how_to_ask(name, answer):
    """Return what to type where the name is missing, comes after the answer, or stands alone."""
    if isinstance(name, str):
        return f'check needs your answer, too. Type check("{name}", and then the name of your function or value.'
    called = name.__name__ if isinstance(name, types.FunctionType) and name.__name__.isidentifier() else "your_answer"
    if isinstance(answer, str):
        return f'The name of the exercise comes first. Type check("{answer}", {called}).'
    exercise = next(iter(close_names(called)), "name_of_the_exercise")
    return f'The name of the exercise comes first, in quotes. Type check("{exercise}", {called}).'
