"""Points: of each return by the states of its exercises, and of each student by the returns that count."""

import csv
from collections import defaultdict
from typing import NamedTuple

DONE = "done"


class Mark(NamedTuple):
    """What one student has for one lesson. graded: the return that counts; None where nothing came."""

    student: str
    lesson: str
    points: float
    most: float
    graded: object


def points_of(graded, worth):
    """The points of a return: those of each exercise that is done; none for one that is suspect."""
    if any(row.state == "suspect" for row in graded.rows):
        return 0.0
    return sum(worth.get(row.exercise, 1.0) for row in graded.rows if row.exercise and row.state == DONE)


def most_of(lesson, lessons, worth):
    return sum(worth.get(exercise, 1.0) for exercise in lessons.get(lesson, ()))


def apart(all_graded):
    """Return the same, where two students of one name have their numbers behind it: both handed in one lesson."""
    numbers = defaultdict(set)
    for one in all_graded:
        numbers[one.student, one.lesson].add(one.number)
    twice = {student for (student, _), several in numbers.items() if len(several - {""}) > 1}

    def name_of(one):
        return f"{one.student} ({one.number})" if one.student in twice and one.number else one.student

    return [one._replace(student=name_of(one)) for one in all_graded]


def marks_of(all_graded, lessons, worth, take, asked=""):
    """Return a Mark for each student and lesson. take: "last" or "best" of the returns of one lesson.

    Who handed in only what cannot be graded has no points for the lesson that was asked for, and reads why.
    """
    handed_in = defaultdict(list)
    for graded in all_graded:
        if graded.lesson in lessons and not any(row.state == "another lesson" for row in graded.rows):
            handed_in[graded.student, graded.lesson].append(graded)

    def counts(graded):
        return (points_of(graded, worth), graded.attempt) if take == "best" else (graded.attempt, graded.name)

    marks = []
    for (student, lesson), several in sorted(handed_in.items(), key=lambda pair: (pair[0][0].casefold(), pair[0][1])):
        one = max(several, key=counts)
        marks.append(Mark(student, lesson, points_of(one, worth), most_of(lesson, lessons, worth), one))
    here, having = {asked} - {""} or {mark.lesson for mark in marks}, {mark.student for mark in marks}
    without = {one.student: one for one in all_graded if one.student not in having} if len(here) == 1 else {}
    return marks + [Mark(student, *here, 0.0, most_of(*here, lessons, worth), one) for student, one in without.items()]


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
