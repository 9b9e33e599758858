"""The door: check(name, answer)."""

import threading

from course_utils.checks.engine.judge import judge
from course_utils.checks.engine.running import ChecksItself
from course_utils.checks.engine.verdict import Verdict
from course_utils.checks.lessons.names import exercise_of
from course_utils.checks.student.own_tools import remember
from course_utils.checks.student.record import note

_one_at_a_time = threading.Lock()


def check(name, answer, trace=False) -> Verdict:
    """Compare an answer with what an exercise asks, and name the mistake.

    name: the exercise's name.
    answer: the student's function itself, or the value where the exercise asks for one.
    trace=True shows the traceback too when the function stops with an error.
    Returns a Verdict, which shows as one line or as HTML.
    Raises ValueError for a name that no lesson has, and for nothing else, whatever the answer does.
    Inside an answer that is being checked it raises ChecksItself, which the check outside reports.

    >>> check("weights", lambda Q, K: ...)
    ○ weights: not started
    """
    exercise = exercise_of(name)
    if not _one_at_a_time.acquire(blocking=False):
        raise ChecksItself("a check runs already")
    try:
        verdict = judge(exercise, answer, trace)
    finally:
        _one_at_a_time.release()
    note(verdict)
    remember(verdict, answer)
    return verdict
