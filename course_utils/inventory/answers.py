"""A student's answers: one small file, with a code in place of a name.

{"inventory": the version, "code": ..., "before": a sitting, "after": a sitting, "checks": the record of the checks}
A sitting is {"form": "A", "answers": {"A1": "c", "A2": "?"}, "seconds": 431, "finished": true}; handing in the checks
is voluntary.
"""

import json
from pathlib import Path

from course_utils.checks.student.record import STATES, write_entries
from course_utils.inventory.codes import as_code, form_of
from course_utils.inventory.items import LETTERS, UNKNOWN, load

SITTINGS = ("before", "after")
CHOICES = (*LETTERS, UNKNOWN)


def file_of(code: str, folder: Path | str = ".") -> Path:
    """Return the path of the answers with this code."""
    return Path(folder) / f"answers_{code}.json"


def files_in(folder: Path | str = ".") -> list[Path]:
    """Return the files of answers in a folder, the newest first."""
    return sorted(Path(folder).glob("answers_*.json"), key=lambda path: (-path.stat().st_mtime, path.name))


def read(path: Path | str) -> dict:
    """Return the content of a file of answers. Raises ValueError with one sentence that says what is wrong with it."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise ValueError(f"it cannot be read ({type(problem).__name__})") from None
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("it is damaged: this is not JSON") from None
    return validate(content)


def validate(content: object) -> dict:
    """Return the content of a file if it is valid answers. Raises ValueError with one sentence."""
    if not isinstance(content, dict) or "code" not in content:
        raise ValueError("these are not answers to the inventory")
    if content.get("inventory") != load().version:
        raise ValueError(
            f"it answers version {content.get('inventory')} of the questions, and this is {load().version}"
        )
    if not isinstance(content["code"], str) or as_code(content["code"]) != content["code"]:
        raise ValueError("its code is not one that the course makes")
    for name in SITTINGS:
        if name in content:
            _check_sitting(name, content[name], content["code"])
    if "checks" in content:
        _check_checks(content["checks"])
    return content


def _check_sitting(name, sitting, code):
    choices = sitting.get("answers") if isinstance(sitting, dict) else None
    if not isinstance(choices, dict) or not isinstance(sitting.get("finished"), bool):
        raise ValueError(f'its part "{name}" is damaged')
    if sitting.get("form") != form_of(code, name):
        raise ValueError(f'its part "{name}" holds a different form from the one that its code asks for')
    ids = {item.id for item in load().form(sitting["form"])}
    if not set(choices) <= ids or not all(choice in CHOICES for choice in choices.values()):
        raise ValueError(f'its part "{name}" holds answers that no question has')
    if not isinstance(sitting.get("seconds"), int) or isinstance(sitting["seconds"], bool) or sitting["seconds"] < 0:
        raise ValueError(f'its part "{name}" holds no sensible time')


def _check_checks(checks):
    entries = checks.values() if isinstance(checks, dict) else [None]
    if not all(isinstance(entry, dict) and entry.get("state") in STATES for entry in entries):
        raise ValueError('its part "checks" is damaged')


def write(content: dict, folder: Path | str = ".") -> Path:
    """Write answers into their file atomically, and return its path. Raises OSError if that fails.

    An existing file that cannot be read is moved aside, so that somebody can repair it.
    """
    path = file_of(content["code"], folder)
    if path.exists():
        try:
            read(path)
        except ValueError:
            path.replace(path.with_suffix(".damaged"))
    write_entries(path, content)
    return path
