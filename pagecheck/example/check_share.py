"""Checks five answers to one exercise. Run it: python pagecheck/example/check_share.py"""

from pathlib import Path

from pagecheck import Course
from pagecheck.judge import judge

COURSE = Course(Path(__file__).parent)


def right(numbers):
    return numbers / numbers.sum()


def by_largest(numbers):
    return numbers / max(numbers)


def by_largest_in_percent(numbers):
    return [100 * number / max(numbers) for number in numbers]


def without_end(numbers):
    while numbers.sum() > 0:
        pass


for answer in (right, by_largest, by_largest_in_percent, without_end, lambda numbers: ...):
    print(judge(COURSE.exercise("share"), answer))
