"""The door: check(name, answer)."""

from course_utils.checks.engine.judge import judge
from course_utils.checks.engine.verdict import Verdict
from course_utils.checks.lessons.names import exercise_of
from course_utils.checks.student.record import note


def check(name, answer, trace=False) -> Verdict:
    """Compare an answer with what an exercise asks, and name the mistake.

    name: the exercise's name.
    answer: the student's function itself, or the value where the exercise asks for one.
    trace=True shows the traceback too when the function stops with an error.
    Returns a Verdict, which shows as one line or as HTML.
    Raises ValueError for a name that no lesson has, and for nothing else, whatever the answer does.

    >>> check("weights", lambda Q, K: ...)
    ○ weights: not started
    """
    verdict = judge(exercise_of(name), answer, trace)
    note(verdict)
    return verdict
