"""Points: of a return from the states of its exercises, and of a student from the returns that count."""

import csv
from collections import defaultdict
from typing import NamedTuple

DONE = "done"


class Mark(NamedTuple):
    """The points of one student for one lesson. graded: the return that counts; None without a return."""

    student: str
    lesson: str
    points: float
    max_points: float
    graded: object


def points_of(graded, worth):
    """Return the sum over the exercises that are done; 0 for a suspect return."""
    if any(row.state == "suspect" for row in graded.rows):
        return 0.0
    return sum(worth.get(row.exercise, 1.0) for row in graded.rows if row.exercise and row.state == DONE)


def max_points_of(lesson, lessons, worth):
    return sum(worth.get(exercise, 1.0) for exercise in lessons.get(lesson, ()))


def disambiguate_names(graded_returns):
    """Append their numbers to students of the same name, recognized by handing in the same lesson."""
    numbers = defaultdict(set)
    for one in graded_returns:
        numbers[one.student, one.lesson].add(one.number)
    ambiguous = {student for (student, _), student_numbers in numbers.items() if len(student_numbers - {""}) > 1}

    def name_of(one):
        return f"{one.student} ({one.number})" if one.student in ambiguous and one.number else one.student

    return [one._replace(student=name_of(one)) for one in graded_returns]


def marks_of(graded_returns, lessons, worth, take, requested=""):
    """Return a Mark for each student and lesson. take: "last" or "best" of the returns of one lesson.

    A student whose returns all cannot be graded gets 0 points for the requested lesson, with the reason.
    """
    by_lesson = defaultdict(list)
    for graded in graded_returns:
        if graded.lesson in lessons and not any(row.state == "another lesson" for row in graded.rows):
            by_lesson[graded.student, graded.lesson].append(graded)

    def rank(graded):
        return (points_of(graded, worth), graded.attempt) if take == "best" else (graded.attempt, graded.name)

    marks = []
    for (student, lesson), attempts in sorted(by_lesson.items(), key=lambda pair: (pair[0][0].casefold(), pair[0][1])):
        one = max(attempts, key=rank)
        marks.append(Mark(student, lesson, points_of(one, worth), max_points_of(lesson, lessons, worth), one))
    target_lessons, marked = {requested} - {""} or {mark.lesson for mark in marks}, {mark.student for mark in marks}
    unmarked = (
        {one.student: one for one in graded_returns if one.student not in marked} if len(target_lessons) == 1 else {}
    )
    return marks + [
        Mark(student, *target_lessons, 0.0, max_points_of(*target_lessons, lessons, worth), one)
        for student, one in unmarked.items()
    ]


def read_worth(path):
    """Return {exercise: points} from a table with the columns exercise and points. Raises ValueError with the line."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        worth = {}
        for number, row in enumerate(csv.DictReader(file), 2):
            try:
                worth[row["exercise"].strip()] = float(row["points"])
            except (KeyError, TypeError, ValueError, AttributeError):
                raise ValueError(f"{path}, line {number}: wanted are the columns exercise and points") from None
    return worth
