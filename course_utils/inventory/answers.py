"""A student's answers: one small file, with a code in place of a name.

{"inventory": the version, "code": ..., "before": a sitting, "after": a sitting, "checks": what the checks noted}
A sitting is {"form": "A", "answers": {"A1": "c", "A2": "?"}, "seconds": 431, "finished": true}; checks are handed in
only by those who want to.
"""

import json
from pathlib import Path

from course_utils.checks.student.record import STATES, write_entries
from course_utils.inventory.codes import as_code, form_of
from course_utils.inventory.items import LETTERS, UNKNOWN, load

SITTINGS = ("before", "after")
CHOICES = (*LETTERS, UNKNOWN)


def file_of(code, folder="."):
    """Return the path of the answers with this code."""
    return Path(folder) / f"answers_{code}.json"


def files_in(folder="."):
    """Return the files of answers in a folder, the one that was written last first."""
    return sorted(Path(folder).glob("answers_*.json"), key=lambda path: (-path.stat().st_mtime, path.name))


def read(path):
    """Return what a file of answers holds. Raises ValueError with one sentence that says what is wrong with it."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise ValueError(f"it cannot be read ({type(problem).__name__})") from None
    try:
        inside = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("it is damaged: this is no JSON") from None
    return checked(inside)


def checked(inside):
    """Return the contents of a file, if they are answers. Raises ValueError with one sentence."""
    if not isinstance(inside, dict) or "code" not in inside:
        raise ValueError("these are no answers to the inventory")
    if inside.get("inventory") != load().version:
        raise ValueError(f"it answers version {inside.get('inventory')} of the questions, and this is {load().version}")
    if not isinstance(inside["code"], str) or as_code(inside["code"]) != inside["code"]:
        raise ValueError("its code is not one that the course makes")
    for name in SITTINGS:
        if name in inside:
            _check_sitting(name, inside[name], inside["code"])
    if "checks" in inside:
        _check_checks(inside["checks"])
    return inside


def _check_sitting(name, sitting, code):
    given = sitting.get("answers") if isinstance(sitting, dict) else None
    if not isinstance(given, dict) or not isinstance(sitting.get("finished"), bool):
        raise ValueError(f'its part "{name}" is damaged')
    if sitting.get("form") != form_of(code, name):
        raise ValueError(f'its part "{name}" holds another form than its code asks for')
    known = {item.id for item in load().form(sitting["form"])}
    if not set(given) <= known or not all(choice in CHOICES for choice in given.values()):
        raise ValueError(f'its part "{name}" holds answers that no question has')
    if not isinstance(sitting.get("seconds"), int) or isinstance(sitting["seconds"], bool) or sitting["seconds"] < 0:
        raise ValueError(f'its part "{name}" holds no sensible time')


def _check_checks(checks):
    entries = checks.values() if isinstance(checks, dict) else [None]
    if not all(isinstance(entry, dict) and entry.get("state") in STATES for entry in entries):
        raise ValueError('its part "checks" is damaged')


def write(inside, folder="."):
    """Write answers into their file in one step, and return its path. Raises OSError where that is impossible.

    A file that stands there and cannot be read is moved aside: somebody may mend it.
    """
    path = file_of(inside["code"], folder)
    if path.exists():
        try:
            read(path)
        except ValueError:
            path.replace(path.with_suffix(".damaged"))
    write_entries(path, inside)
    return path
