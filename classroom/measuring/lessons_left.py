"""What the checks noted of a class: tries, minutes and mistakes, and which misconceptions outlive their lesson."""

from collections import Counter
from statistics import median
from typing import NamedTuple

from measuring.each_item import mistakes_of

from course_utils.checks.exercises import LESSONS, lesson_of

MOST_SEEN = 3


class Lesson(NamedTuple):
    """One lesson: who began an exercise of it, the share of begun exercises that were done, middle tries and minutes
    of those, and the mistakes that most students met: (id, students)."""

    number: str
    students: int
    done: float
    tries: float | None
    minutes: float | None
    mistakes: list


def lessons(group):
    """Return a Lesson for each lesson that anybody began, from those who handed in what the checks noted."""
    return [found for number in LESSONS if (found := lesson(group, number))]


def lesson(group, number):
    """Return one Lesson; None where nobody began it. Minutes are those between checks, without pauses."""
    own = [{name: e for name, e in s.checks.items() if lesson_of(name) == number} for s in group.students]
    own = [entries for entries in own if entries]
    entries = [entry for one in own for entry in one.values()]
    done = [entry for entry in entries if entry["state"] == "done"]
    if not entries:
        return None
    seen = Counter(id for one in own for id in {id for entry in one.values() for id in seen_in(entry)})
    times = [sum(number_in(entry, "seconds") for entry in one.values()) / 60 for one in own]
    return Lesson(
        number,
        len(own),
        len(done) / len(entries),
        median(number_in(entry, "tries") for entry in done) if done else None,
        median(times) if any(times) else None,
        seen.most_common(MOST_SEEN),
    )


def number_in(entry, part):
    found = entry.get(part, 0)
    return found if isinstance(found, int) else 0


def seen_in(entry):
    found = entry.get("seen", [])
    return [id for id in found if isinstance(id, str)] if isinstance(found, list) else []


class Survivor(NamedTuple):
    """A misconception that the checks met and the inventory asks for: of those who met it, how many choose it after."""

    id: str
    lessons: str
    met: int
    after: int


def survivors(group):
    """Return the misconceptions that were met in a lesson, the most alive first, for those who handed in both."""
    students = [s for s in group.who("after") if s.checks]
    met, alive, where = Counter(), Counter(), {}
    for student in students:
        chosen = mistakes_of(student, "after")
        seen = {(id, lesson_of(name) or "") for name, entry in student.checks.items() for id in seen_in(entry)}
        for id in {id for id, _ in seen}:
            met[id] += 1
            alive[id] += id in chosen
            where.setdefault(id, set()).update(number for one, number in seen if one == id)
    found = [Survivor(id, ", ".join(sorted(where[id])), met[id], alive[id]) for id in met if alive[id]]
    return sorted(found, key=lambda s: (-s.after, s.id))
