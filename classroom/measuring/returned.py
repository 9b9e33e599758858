"""Read a folder of answers as a class."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from course_utils.inventory import answers
from course_utils.inventory.items import UNKNOWN, load

LARGEST = 1_000_000  # bytes; a file of answers has at most about ten thousand


class Student(NamedTuple):
    """The answers of one code: its sittings by name, and the records of its checks."""

    code: str
    sittings: dict
    checks: dict

    def choices(self, sitting):
        """Return (item, letter) for each question in order; the letter is "" without an answer."""
        part = self.sittings[sitting]
        return [(item, part["answers"].get(item.id, "")) for item in load().form(part["form"])]

    def right(self, sitting):
        """Which of the questions are right (n_pairs,), as 0 and 1. No answer is not right."""
        return np.array([letter == item.right for item, letter in self.choices(sitting)], dtype=float)

    def count_open(self, sitting):
        """How many questions have no answer, and how many "I do not know yet"."""
        letters = [letter for _, letter in self.choices(sitting)]
        return letters.count(""), letters.count(UNKNOWN)


class Class(NamedTuple):
    """Students with at least one finished sitting, and remarks about what was left out."""

    students: list
    problems: list

    def respondents(self, *sittings):
        """The students who finished all of these sittings."""
        return [student for student in self.students if set(sittings) <= set(student.sittings)]

    def right(self, sitting, students):
        """Which questions are right (n_students, n_pairs)."""
        return np.array([student.right(sitting) for student in students]).reshape(len(students), n_pairs())


def n_pairs():
    return len(load().form("A"))


def read_class(folder):
    """Return the Class of a folder and its subfolders. Raises ValueError if the folder does not exist."""
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"{folder}: no such folder")
    content_by_code, problems = {}, []
    for path in sorted(path for path in folder.rglob("*") if is_candidate(path)):
        name = path.relative_to(folder).as_posix()
        try:
            if path.stat().st_size > LARGEST:
                raise ValueError("it is far too large for answers")
            content = answers.read(path)
            content_by_code[content["code"]], remarks = merge_answers(content_by_code.get(content["code"], {}), content)
        except ValueError as problem:
            remarks = [f"{problem}; left out"]
        except OSError as problem:
            remarks = [f"it cannot be read ({type(problem).__name__}); left out"]
        problems += [f"{name}: {words}." for words in remarks]
    students = []
    for code, content in content_by_code.items():
        student, remarks = as_student(code, content)
        students += [student] if student.sittings else []
        problems += remarks
    return Class(students, problems)


def is_candidate(path):
    """Whether a file looks like answers, even if mail or a browser changed its extension."""
    name = path.name.lower()
    return not path.is_dir() and (name.endswith(".json") or "answers_" in name)


def merge_answers(earlier, content):
    """Merge files with the same code, keeping the more complete version of each sitting. Returns (file, remarks)."""
    remarks = []
    for name in answers.SITTINGS:
        earlier_sitting, new_sitting = earlier.get(name), content.get(name)
        if earlier_sitting and new_sitting and earlier_sitting != new_sitting:
            remarks.append(f'a second file with the code {content["code"]} differs in "{name}"; the fuller one counts')
            content = content | {
                name: max(earlier_sitting, new_sitting, key=lambda s: (s["finished"], len(s["answers"])))
            }
    return earlier | content, remarks


def as_student(code, content):
    """Return (Student, remarks) for a file; unfinished sittings do not count."""
    sittings = {name: content[name] for name in answers.SITTINGS if name in content}
    finished = {name: part for name, part in sittings.items() if part["finished"] or len(part["answers"]) == n_pairs()}
    remarks = [
        f'{code}: "{name}" was left after {len(part["answers"])} of {n_pairs()} questions; left out.'
        for name, part in sittings.items()
        if name not in finished
    ]
    return Student(code, finished, content.get("checks", {})), remarks
