"""Whose a file is. Only what an instructor or a platform named says so: nothing in an archive names anybody."""

import re
import unicodedata
from pathlib import PurePosixPath
from typing import NamedTuple

from grading.archives import is_hidden

LISTS = {".csv", ".txt", ".md", ".log", ".xls", ".xlsx", ".ods"}  # of a class: no person has such a name
MAX_NAME = 255  # characters: no file is called longer
JOINERS = "\u200c\u200d"  # needed between letters of some scripts and in emoji
# Moodle names a student's folder "Anna Müller_1000_assignsubmission_file_", and puts that before a file's own name.
MOODLE = re.compile(r"(?P<student>.+?)_(?P<number>\d{1,20})_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)$", re.S)
# Canvas names a file "muelleranna_LATE_1234_5678_05_not_good-1.ipynb"
CANVAS = re.compile(
    r"(?P<student>[^\s!-/:-@[-`{-~]+)_(?:LATE_)?(?P<number>\d{1,20})_(?!(?:[01]\d|2[01])_[a-z])\d{1,20}_(?P<file>.+)$"
)
OF_CANVAS = ", Canvas"  # ends a place whose number means nothing to Moodle
LESSON_PREFIX = re.compile(r"[ _-]*(?<!\d)\d\d_")


class Owner(NamedTuple):
    """Who handed something in. number: as the platform counts people, or "". place: where it lay, outermost."""

    student: str
    number: str
    place: str


NOBODY = Owner("", "", "")


def displayable(name):
    """Return a name without line breaks, control characters or bidirectional overrides."""
    name = unicodedata.normalize("NFC", name)  # macOS writes ü in two characters
    printable = "".join(char if char.isprintable() or char in JOINERS else " " for char in name)
    return " ".join(printable.split())[:MAX_NAME] or "no name"


def platform_name(part):
    """Return (owner, the name that the file had) if Moodle or Canvas named a file or folder, else None."""
    if part.count("_assignsubmission_") > 1:  # a person or a file really has that name: it does not say whose it is
        return Owner(displayable(part), "", part), part
    if match := MOODLE.fullmatch(part) or CANVAS.fullmatch(part):
        student = displayable(match["student"])
        student = f"{student} {match['number']}" if student == "Participant" else student  # a blind assignment
        place = f"{match['student']} {match['number']}{OF_CANVAS if match.re is CANVAS else ''}"
        owner = Owner(student, match["number"], place)
        return owner, match["file"] or part
    return None


def depth_of(paths, wrapped=False):
    """Return how many folders lie above what names the students.

    A folder that all paths share is one of them if it holds several things, but no notebook named by its lesson alone:
    that would be a student's own. wrapped: an archive, in which it may hold a single student.
    """
    shown, depth = [path.parts for path in paths if not is_hidden(path)], 0
    while shown and len({parts[depth] for parts in shown}) == 1 and all(len(parts) > depth + 1 for parts in shown):
        below = {parts[depth + 1] for parts in shown}
        own = [parts[-1] for parts in shown if len(parts) == depth + 2 and parts[-1].lower().endswith(".ipynb")]
        is_own = any(not platform_name(name) and not LESSON_PREFIX.split(name)[0] for name in own)
        if platform_name(shown[0][depth]) or is_own or (len(below) == 1 and not wrapped):
            break
        depth += 1
    return depth


def owner_of(path, depth):
    """Return the Owner of a path in a place of the class, and the name that the owner gave the file.

    A folder of the class, or a file in it, names them: by the platform, before the number of a lesson, or as a whole.
    """
    first, *inner = path.parts[depth:]
    if inner:
        platform = platform_name(first)
        return (platform[0] if platform else Owner(displayable(first), "", first)), path.name
    if platform := platform_name(first):
        return platform
    stem, folders = PurePosixPath(first).stem, path.parts[:-1]
    prefix = LESSON_PREFIX.split(stem)[0]
    if prefix != stem and prefix:
        return Owner(displayable(prefix), "", first), first[len(prefix) :].lstrip(" _-")
    if folders:
        return Owner(displayable(folders[-1]), "", folders[-1]), first
    if path.suffix.lower() not in LISTS or first.lower().endswith(".ipynb.txt"):
        return Owner(displayable(stem), "", first), first
    return NOBODY, first
