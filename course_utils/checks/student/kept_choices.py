"""The student's predictions, which survive a restart in a small file beside the record of progress.

A separate file, {question: {"chosen": the choice as text}}: older versions of the course leave it alone, and what a
later version adds to an entry stays there. To predict again, delete the file.
"""

import contextlib
import json
from collections.abc import Iterable

from course_utils.checks.student.record import record_file, write_entries
from course_utils.computer.notebook import keeps_files


def save_choice(question: str, choice: object) -> None:
    """Save a choice. If the file cannot be written, the choice is forgotten, and the lesson goes on."""
    if (path := _file()) is not None:
        entries = _read(path)
        entry = entries.get(question)
        entries[question] = (entry if isinstance(entry, dict) else {}) | {"chosen": str(choice)}
        with contextlib.suppress(OSError):
            write_entries(path, entries)


def load_choice(question: str, choices: Iterable) -> object:
    """Return the one of these choices that was saved for this question; None if there is none."""
    path = _file()
    entry = _read(path).get(question) if path else None
    saved = entry.get("chosen") if isinstance(entry, dict) else None
    return next((choice for choice in choices if str(choice) == saved), None)


def _file():
    """The file; None where nothing is saved: in tests and builds, and among the solved notebooks."""
    record = record_file() if keeps_files() else None
    return record and record.with_name("predictions.json")


def _read(path):
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return entries if isinstance(entries, dict) else {}
