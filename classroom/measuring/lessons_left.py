"""What the checks recorded: tries, minutes and mistakes, and which misconceptions outlive their lesson."""

from collections import Counter
from statistics import median
from typing import NamedTuple

from measuring.each_item import mistakes_of

from course_utils.checks.exercises import LESSONS, lesson_of

MAX_MISTAKES = 3


class Lesson(NamedTuple):
    """One lesson: students who began it, share of begun exercises done, median tries of those, median minutes,
    and the most frequent mistakes: (id, students)."""

    number: str
    students: int
    done: float
    tries: float | None
    minutes: float | None
    mistakes: list


def lessons(group):
    """Return a Lesson for each lesson that anybody began, from students who handed in their records."""
    return [found for number in LESSONS if (found := lesson(group, number))]


def lesson(group, number):
    """Return one Lesson; None if nobody began it. Minutes are those between checks, without pauses."""
    records = [{name: e for name, e in s.checks.items() if lesson_of(name) == number} for s in group.students]
    records = [entries for entries in records if entries]
    entries = [entry for record in records for entry in record.values()]
    done = [entry for entry in entries if entry["state"] == "done"]
    if not entries:
        return None
    counts = Counter(id for record in records for id in {id for entry in record.values() for id in mistakes_in(entry)})
    times = [sum(int_field(entry, "seconds") for entry in record.values()) / 60 for record in records]
    return Lesson(
        number,
        len(records),
        len(done) / len(entries),
        median(int_field(entry, "tries") for entry in done) if done else None,
        median(times) if any(times) else None,
        counts.most_common(MAX_MISTAKES),
    )


def int_field(entry, part):
    value = entry.get(part, 0)
    return value if isinstance(value, int) else 0


def mistakes_in(entry):
    mistakes = entry.get("seen", [])
    return [id for id in mistakes if isinstance(id, str)] if isinstance(mistakes, list) else []


def survivors(group):
    """Return misconceptions that a check found and that are still chosen, for students with both files.

    Each as (id, lessons, how many met it, how many of them chose it after), most frequent first.
    """
    students = [s for s in group.respondents("after") if s.checks]
    met, still_chosen, lessons_of = Counter(), Counter(), {}
    for student in students:
        chosen = mistakes_of(student, "after")
        mistakes = {(id, lesson_of(name) or "") for name, entry in student.checks.items() for id in mistakes_in(entry)}
        for id in {id for id, _ in mistakes}:
            met[id] += 1
            still_chosen[id] += id in chosen
            lessons_of.setdefault(id, set()).update(number for one, number in mistakes if one == id)
    found = [(id, ", ".join(sorted(lessons_of[id])), met[id], still_chosen[id]) for id in met if still_chosen[id]]
    return sorted(found, key=lambda one: (-one[3], one[0]))
