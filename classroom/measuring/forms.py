"""Compare the difficulty of the two forms."""

from typing import NamedTuple

from measuring import formulas
from measuring.formulas import NOTHING, Estimate

from course_utils.inventory.answers import SITTINGS
from course_utils.inventory.codes import first_form


class Forms(NamedTuple):
    """first: how many began with each form. before: form A less form B before the course, with different students.

    easier: how much easier form A is, from the changes of both halves. change: the change of a score with both halves
    weighted equally, so that the difference between the forms cancels.
    """

    first: dict
    before: Estimate
    easier: Estimate
    change: Estimate


def compare(group):
    """Return the Forms of a class.

    Students who begin with A change by gain − easier, those who begin with B by gain + easier: half the difference of
    the two means is `easier`, and half their sum is the gain.
    """
    halves = {form: [s for s in group.respondents(*SITTINGS) if first_form(s.code) == form] for form in "AB"}
    scores = {form: [group.right(name, s).mean(axis=1) for name in SITTINGS] for form, s in halves.items()}
    first = {form: len(students) for form, students in halves.items()}
    if min(first.values()) < 2:
        return Forms(first, NOTHING, NOTHING, NOTHING)
    a, b = (formulas.mean(after - before) for before, after in scores.values())
    start = formulas.difference(*(formulas.mean(before) for before, _ in scores.values()))
    return Forms(first, start, half(formulas.difference(b, a)), half(formulas.difference(b, opposite(a))))


def opposite(estimate):
    value, low, high = (None if part is None else -part for part in estimate)
    return Estimate(value, high, low)


def half(estimate):
    return Estimate(*(None if part is None else part / 2 for part in estimate))
