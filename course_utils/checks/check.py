"""The door: check(name, answer)."""

from dataclasses import replace
from importlib import import_module

from course_utils.arguments import wrong
from course_utils.checks.findings import not_yet
from course_utils.checks.judge import judge
from course_utils.checks.names import LESSONS, lesson_of
from course_utils.checks.record import note
from course_utils.checks.verdict import Verdict


def check(name, answer, trace=False) -> Verdict:
    """Compare an answer with what an exercise asks, and name the mistake.

    name: the exercise's name. answer: the student's function itself, or the value where the exercise asks for one.
    trace=True shows the traceback too when the function stops with an error. Returns a Verdict, which shows as one line or as HTML.
    Raises ValueError for a name that no lesson has, and for nothing else, whatever the answer does.

    >>> check("weights", lambda Q, K: ...)
    ○ weights: not started
    """
    exercise = exercise_of(name)
    try:
        verdict = judge(exercise, answer)
    except Exception as problem:  # an object whose own methods raise; the lesson goes on
        verdict = replace(not_yet("unreadable", type=type(problem).__name__), name=name)
    note(verdict)
    return verdict if trace else replace(verdict, trace="")


def exercise_of(name):
    """Return the exercise with this name. Only its own lesson's module is imported."""
    lesson = lesson_of(name)
    if lesson is None:
        known = ", ".join(exercise for names in LESSONS.values() for exercise in names)
        raise wrong("name", name, f"an exercise of the course: {known}")
    exercises = import_module(f"course_utils.checks.lesson_{lesson}").EXERCISES
    return next(exercise for exercise in exercises if exercise.name == name)
