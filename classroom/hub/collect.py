"""Copies the work of one lesson out of all homes, as `nox -s grade` takes it. A home is a stranger's: no links."""

import os
import re
import stat
from pathlib import Path

OWN = r"my_(?:attention|model)\.py"
MAX_BYTES = 50_000_000  # of a file
MAX_FILES = 100  # of a student


def collect(homes: Path, lesson: str, out: Path) -> dict[str, tuple[list[str], list[str]]]:
    """Copy a lesson's notebooks and the student's own modules from each home into out/STUDENT, closed to students.

    Returns {student: (names of the copied files, and of those passed over)}: too large, or no file of the home itself.
    """
    os.umask(0o077)
    wanted = re.compile(rf"{lesson}.*\.ipynb|{OWN}", re.I)
    found = {}
    for home in sorted(path for path in homes.iterdir() if path.is_dir() and not path.is_symlink()):
        copied, passed_over = found[home.name] = [], []
        for name in sorted(filter(wanted.fullmatch, os.listdir(home))):
            is_copied = len(copied) < MAX_FILES and copy(home / name, out / home.name / name)
            (copied if is_copied else passed_over).append(name)
    return found


def copy(source: Path, target: Path) -> bool:
    """Copy a regular file with one name, which no link of a student's can be. Returns whether it was copied."""
    try:
        file = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    with os.fdopen(file, "rb") as opened:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1 or status.st_size > MAX_BYTES:
            return False
        content = opened.read(MAX_BYTES)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return True
