"""A folder of answers as a class: who answered before, after, or both, and what could not be read."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from course_utils.inventory import answers
from course_utils.inventory.items import UNKNOWN, load

LARGEST = 1_000_000  # bytes; a file of answers has some ten thousand at most


class Student(NamedTuple):
    """What one code gave: its sittings by their names, and what the checks noted of it."""

    code: str
    sittings: dict
    checks: dict

    def choice(self, sitting, pair):
        """(item, letter) of one question: the letter is "" where there is no answer."""
        part = self.sittings[sitting]
        item = load().items[f"{part['form']}{pair}"]
        return item, part["answers"].get(item.id, "")

    def right(self, sitting):
        """Which of the questions are right (n_pairs,), as 0 and 1. No answer is not right."""
        chosen = (self.choice(sitting, pair) for pair in range(1, pairs() + 1))
        return np.array([letter == item.right for item, letter in chosen], dtype=float)

    def open(self, sitting):
        """How many questions have no answer, and how many "I do not know yet"."""
        letters = [self.choice(sitting, pair)[1] for pair in range(1, pairs() + 1)]
        return letters.count(""), letters.count(UNKNOWN)


class Class(NamedTuple):
    """Students with at least one finished sitting, and sentences about what was left out."""

    students: list
    problems: list

    def who(self, *sittings):
        """The students who finished all of these sittings."""
        return [student for student in self.students if set(sittings) <= set(student.sittings)]

    def right(self, sitting, students):
        """Which questions are right (n_students, n_pairs)."""
        return np.array([student.right(sitting) for student in students]).reshape(len(students), pairs())


def pairs():
    return len(load().form("A"))


def read_class(folder):
    """Return the Class of a folder and its folders. Raises ValueError where there is no folder or nothing in it."""
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"{folder}: no such folder")
    found, problems = {}, []
    for path in sorted(path for path in folder.rglob("*") if may_be_answers(path)):
        name = path.relative_to(folder).as_posix()
        try:
            if path.stat().st_size > LARGEST:
                raise ValueError("it is far too large for answers")
            inside = answers.read(path)
            found[inside["code"]], said = joined(found.get(inside["code"], {}), inside)
        except ValueError as problem:
            said = [f"{problem}; left out"]
        except OSError as problem:
            said = [f"it cannot be read ({type(problem).__name__}); left out"]
        problems += [f"{name}: {words}." for words in said]
    students = []
    for code, inside in found.items():
        student, said = as_student(code, inside)
        students += [student] if student.sittings else []
        problems += said
    return Class(students, problems)


def may_be_answers(path):
    """Whether a path should be read or named: mail and browsers add an ending, and write endings large."""
    name = path.name.lower()
    return not path.is_dir() and (name.endswith(".json") or "answers_" in name)


def joined(before, inside):
    """Two files with one code as one: of a sitting in both, the one that is further. Returns (file, sentences)."""
    said = []
    for name in answers.SITTINGS:
        one, other = before.get(name), inside.get(name)
        if one and other and one != other:
            said.append(f'a second file with the code {inside["code"]} differs in "{name}"; the fuller one counts')
            inside = inside | {name: max(one, other, key=lambda s: (s["finished"], len(s["answers"])))}
    return before | inside, said


def as_student(code, inside):
    """The student of a file; a sitting that was not finished does not count. Returns (Student, sentences)."""
    there = {name: inside[name] for name in answers.SITTINGS if name in inside}
    done = {name: part for name, part in there.items() if part["finished"] or len(part["answers"]) == pairs()}
    said = [
        f'{code}: "{name}" was left after {len(part["answers"])} of {pairs()} questions; left out.'
        for name, part in there.items()
        if name not in done
    ]
    return Student(code, done, inside.get("checks", {})), said
