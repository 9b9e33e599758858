"""What the student predicted, kept over a restart: one small file beside the record of progress.

A file of its own, {question: {"chosen": the choice as text}}: a version of the course that does not know it leaves it
alone, and what a later version adds to an entry stays there. To predict anew, delete the file.
"""

import contextlib
import json

from course_utils.checks.student.record import record_file, write_entries
from course_utils.notebook import keeps_files


def keep_choice(question, choice):
    """Write a choice down. A file that cannot be written costs the memory, never the lesson."""
    if (path := _file()) is not None:
        entries = _read(path)
        before = entries.get(question)
        entries[question] = (before if isinstance(before, dict) else {}) | {"chosen": str(choice)}
        with contextlib.suppress(OSError):
            write_entries(path, entries)


def kept_choice(question, choices):
    """Return the one of these choices that was kept for this question; None where none of them was."""
    path = _file()
    entry = _read(path).get(question) if path else None
    kept = entry.get("chosen") if isinstance(entry, dict) else None
    return next((choice for choice in choices if str(choice) == kept), None)


def _file():
    """The file; None where nothing is kept: in tests and builds, and among the solved notebooks."""
    beside = record_file() if keeps_files() else None
    return beside and beside.with_name("predictions.json")


def _read(path):
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return entries if isinstance(entries, dict) else {}
