"""Points: of a return from the states of its exercises, and of a student from the returns that count."""

from collections import defaultdict
from typing import NamedTuple

from grading.tables import read_table

DONE, NOT_GRADED = "done", "not graded"
OTHER_LESSON = "another lesson"


class Mark(NamedTuple):
    """The points of one student for one lesson; None where somebody has to look first, which no table turns into 0.

    lesson: "" where none is known. graded: the return that counts; None without a return. others: those that do not.
    """

    student: str
    lesson: str
    points: float | None
    max_points: float
    graded: object
    others: tuple = ()


def points_of(graded, worth):
    """Return the sum over the exercises that are done.

    None for a return that is suspect, that was not asked for, or of which nothing could be judged.
    """
    whole = {row.state for row in graded.rows if not row.exercise}
    done = [row for row in graded.rows if row.exercise and row.state == DONE]
    if whole & {"suspect", OTHER_LESSON} or (NOT_GRADED in whole and not done):
        return None
    return sum(worth.get(row.exercise, 1.0) for row in done)


def max_points_of(lesson, lessons, worth):
    return sum(worth.get(exercise, 1.0) for exercise in lessons.get(lesson, ()))


def disambiguate_names(graded_returns):
    """Append their numbers to students of the same name, recognized by handing in the same lesson."""
    numbers = defaultdict(set)
    for one in graded_returns:
        numbers[one.student, one.lesson].add(one.number)
    ambiguous = {student for (student, _), student_numbers in numbers.items() if len(student_numbers - {""}) > 1}

    def name_of(one):
        own = f" ({one.number})" if one.student in ambiguous and one.number else ""
        return one.student.removesuffix(own) + own

    named = [one._replace(student=name_of(one)) for one in graded_returns]
    return disambiguate_names(named) if ambiguous else named  # somebody may be called what another one is now


def return_that_counts(attempts, worth, take):
    """Return which of several returns of a lesson counts.

    Of one place the last, or the best. What cannot be read counts only if nothing else does. Where the copies of one
    place have no order, or a name appears in several places, the best counts: a conflict takes points from nobody.
    """
    by_place = defaultdict(list)
    for one in attempts:
        by_place[one.place].append(one)

    def points(one):
        found = points_of(one, worth)
        return -1 if found is None else found

    def rank(one):
        is_read = any(row.exercise for row in one.rows)
        return (is_read, points(one), one.attempt) if take == "best" else (is_read, one.attempt, points(one))

    return max((max(ones, key=rank) for ones in by_place.values()), key=points)


def marks_of(graded_returns, lessons, worth, take, requested=""):
    """Return a Mark for each student and lesson. take: "last" or "best" of the returns of one lesson.

    A student of whom nothing can be graded gets a Mark without points, with the reason.
    """
    by_lesson = defaultdict(list)
    for graded in graded_returns:
        if graded.lesson in lessons and not any(row.state == OTHER_LESSON for row in graded.rows):
            by_lesson[graded.student, graded.lesson].append(graded)
    marks = []
    for (student, lesson), attempts in sorted(by_lesson.items(), key=lambda pair: (pair[0][0].casefold(), pair[0][1])):
        one = return_that_counts(attempts, worth, take)
        others = tuple(other for other in attempts if other is not one and other.digest != one.digest)
        marks.append(Mark(student, lesson, points_of(one, worth), max_points_of(lesson, lessons, worth), one, others))
    found = {requested} - {""} or {mark.lesson for mark in marks}
    lesson, marked = min(found) if len(found) == 1 else "", {mark.student for mark in marks}
    unmarked = {one.student: one for one in graded_returns if one.student not in marked}
    maximum = max_points_of(lesson, lessons, worth)
    return marks + [Mark(student, lesson, None, maximum, one) for student, one in unmarked.items()]


def format_points(points):
    """Return points as a table has them: empty where somebody has to look first.

    >>> format_points(2.0), format_points(None)
    ('2', '')
    """
    return "" if points is None else f"{points:g}"


def read_worth(path):
    """Return {exercise: points} from a table with the columns exercise and points. Raises ValueError with the line."""
    worth = {}
    for number, row in enumerate(read_table(path), 2):
        try:
            worth[row["exercise"].strip()] = float(row["points"])
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ValueError(f"{path}, line {number}: wanted are the columns exercise and points") from None
    return worth
