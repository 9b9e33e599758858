"""What a class handed in: every file of every person, and the notebooks among them, without running anything."""

import hashlib
import json
import re
from collections import defaultdict
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from grading import archives
from grading.archives import HIDDEN, Unreadable, is_hidden
from grading.cells import LESSON_NUMBER, cells_of, checked_expressions, is_solution, lesson_of
from grading.owners import NOBODY, Owner, depth_of, displayable, owner_of, platform_name

OWN_FILES = ("my_attention.py", "my_model.py")
MAX_MODULE_BYTES = 1_000_000
MAX_RETURNS = 100  # notebooks of one person that are graded
COPY_SUFFIX = re.compile(r"(?: ?\((\d{1,4})\)|-(\d{1,4})|_v(\d{1,4}))$")  # "05_not_good (1)", "05_not_good-1"
SOLUTION, OF_COURSE = "the course's own solution, which is nobody's work", "the course's own, handed out with a lesson"
NOTHING = "nothing that can be graded came"
COURSE_FILES = {"GLOSSARY.md", "SHEET.md", "sheet.pdf"}  # that `nox -s release` and `my_work` put beside a lesson
ENDINGS = (".ipynb", ".ipynb.txt", ".ipynb.json", ".json")  # of what may be a notebook


class Return(NamedTuple):
    """One notebook of one student, or why there is none.

    place: what the class's folder calls it. attempt: its number among several. files: the student's own modules.
    """

    student: str
    number: str
    place: str
    name: str
    attempt: int
    cells: tuple[str, ...]
    files: dict[str, bytes]
    problem: str = ""

    @property
    def digest(self):
        """A hash of the notebook's code and its modules."""
        number = LESSON_NUMBER.search(self.name)
        files = [[name, hashlib.sha256(content).hexdigest()] for name, content in sorted(self.files.items())]
        whole = [self.cells, self.problem, number[1] if number else "", files]
        return hashlib.sha256(json.dumps(whole).encode()).hexdigest()


class Item(NamedTuple):
    """A file of a person and what became of it. cells: of a notebook; module: which of the student's own it is."""

    owner: Owner
    path: PurePosixPath
    name: str
    became: str
    cells: tuple[str, ...] | None = None
    module: str = ""
    content: bytes = b""


def find_returns(places):
    """Return the returns in folders and archives of a class, sorted by student, and what became of every file.

    An archive inside one of them is a person's, whatever it holds. Raises Unreadable for a place that does not exist.
    """
    items, class_budget = [], archives.class_budget()
    for place in map(Path, places):
        if not place.exists():
            raise Unreadable(f"there is no {place}")
        depth = depth_of(archives.class_paths(place), wrapped=place.is_file())
        budgets = defaultdict(lambda: archives.person_budget(class_budget))
        for file in archives.class_files(place):
            owner, name = owner_of(file.path, depth)
            if owner != NOBODY and not owner.number:
                owner = owner._replace(place=f"{displayable(place.name)}/{owner.place}")
            for one in archives.files_of(file, budgets[owner]):
                items.append(item_of(owner, name if one is file else one.path.name, one))
    by_owner = defaultdict(list)
    for item in items:
        if item.owner != NOBODY and item.became != OF_COURSE and not is_hidden(PurePosixPath(item.owner.place)):
            by_owner[item.owner].append(item)
    returns = [one for owner, owned in by_owner.items() for one in returns_of(owner, owned)]
    return sorted(returns, key=lambda one: (one.student.casefold(), one.name, one.attempt)), items


def item_of(owner, name, file):
    """Return what becomes of a file: a notebook, a module of the student's own, or the reason why it is not read."""
    name = name.strip()
    item = Item(owner, file.path, name, file.problem)
    lower = name.lower()
    if file.problem or name in COURSE_FILES:
        return item._replace(became=file.problem or OF_COURSE)
    if lower.endswith(ENDINGS):
        try:
            cells = cells_of(file.content)
        except Unreadable as problem:
            return item._replace(became=str(problem), cells=() if ".ipynb" in lower else None)
        return item._replace(became=SOLUTION) if is_solution(cells) else item._replace(cells=cells)
    if module := module_name(name):
        if len(file.content) <= MAX_MODULE_BYTES:
            return item._replace(module=module, content=file.content)
        return item._replace(became=f"larger than {MAX_MODULE_BYTES:,} bytes")
    return item._replace(became="not read: neither a notebook nor a .zip, nor " + " or ".join(OWN_FILES))


def module_name(name):
    """Return which of the student's own modules a file is, whatever number a platform gave its copy; "" for none."""
    path = PurePosixPath(name)
    module = COPY_SUFFIX.sub("", path.stem) + path.suffix
    return module if module in OWN_FILES else ""


def returns_of(owner, items):
    """Return the notebooks of one person; where there are none, one Return that says what came instead."""
    items = [item for item in items if item.became != HIDDEN] or items
    modules = [item for item in items if item.module]
    found = [return_of(item, modules) for item in items if item.cells is not None]
    if found:
        return sorted(found, key=lambda one: (not checked_expressions(one.cells), -one.attempt))[:MAX_RETURNS]
    items = sorted(items, key=lambda item: len(item.path.parts))  # what is said of a whole archive first
    reasons = "; ".join(f"{displayable(item.name)}: {item.became or 'no notebook beside it'}" for item in items[:5])
    return [Return(*owner, displayable(items[0].name), 0, (), {}, f"{NOTHING}. {reasons}")]


def return_of(item, modules):
    """Return the Return of a notebook, with those of its owner's modules that lie nearest to it."""
    stem = re.sub(r"(?i)\.ipynb(\.txt|\.json)?$|\.json$", "", item.name)
    copy = COPY_SUFFIX.search(stem)
    attempt = int(next(filter(None, copy.groups()), 0)) if copy else 0

    def distance(module):
        return module.path.parent != item.path.parent, len(module.path.parts), module.path

    nearest = {module.module: module.content for module in sorted(modules, key=distance, reverse=True)}
    name = f"{displayable(stem[: copy.start()] if copy else stem)}.ipynb"
    return Return(*item.owner, name, attempt, item.cells, nearest, item.became)


def result_in_words(item, exercises_of, only=""):
    """Return what became of a file, in words for the instructor. only: the lesson that was asked for, or ""."""
    if item.became:
        return item.became
    if item.cells is None:
        return f"used as {item.module}"
    lesson = lesson_of(item.cells, item.name, exercises_of, only)
    if not lesson:
        return "not graded: no lesson of this course"
    return f"graded, lesson {lesson}" if only in ("", lesson) else f"not graded: lesson {lesson} was not asked for"


def names_inside(items):
    """Return {owner: names} of people whom platforms name inside what somebody else handed in."""
    found = defaultdict(set)
    for item in items:
        for part in item.path.parts:
            named = platform_name(part)
            if named and item.owner != NOBODY and item.became != HIDDEN and named[0].place != item.owner.place:
                found[item.owner].add(named[0].student)
    return found
