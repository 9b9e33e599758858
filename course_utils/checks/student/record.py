"""What was checked, in this kernel and before, kept in one small file outside the course's folder.

The file lies in the user's data directory.
The environment variable LEARNING_TO_LOOK_DATA names another directory; "off" keeps everything in memory.
A file that is damaged or cannot be written costs the record, never the lesson.
"""

import contextlib
import json
import os
import tempfile
from pathlib import Path

from course_utils.checks.engine.verdict import DONE, NOT_STARTED, SIGNS
from course_utils.checks.lessons.names import LESSONS, lesson_of
from course_utils.checks.student.table import Table

STATES = tuple(SIGNS)  # each one further on than the one before it
_this_kernel = {}  # name -> {"state": ..., "mistakes": [...], "tries": ...}, in the order of the checks


def note(verdict):
    """Remember a verdict, in this kernel and in the file. What was done once stays done, whatever is tried later.

    Returns the number of tries: of checks of an answer, up to the first that was right.
    """
    before = known().get(verdict.name, {"state": NOT_STARTED, "tries": 0})
    tries = before["tries"] + (verdict.state != NOT_STARTED and before["state"] != DONE)
    entry = {"state": verdict.state, "mistakes": list(verdict.mistakes), "tries": tries}
    _further(_this_kernel, verdict.name, entry)
    path = record_file()
    if path is not None and verdict.state != NOT_STARTED:
        with contextlib.suppress(OSError):
            write_entries(path, _further(_read(path), verdict.name, entry))
    return tries


def _further(entries, name, entry):
    """Put an entry among others unless the one that is there is further on, and return them all."""
    before = entries.get(name, entry)
    if STATES.index(entry["state"]) >= STATES.index(before["state"]):
        entries[name] = entry
    return entries


def progress(everything=False):
    """Show which exercises are done, and the last mistake in those that are not yet: of this lesson, or of all lessons.

    "This lesson" is what was checked in this kernel; where nothing was, all lessons are shown.
    Returns a table to display.
    """
    entries = known()
    here = {lesson_of(name) for name in _this_kernel} - {None}
    lessons = LESSONS if everything or not here else [lesson for lesson in LESSONS if lesson in here]
    rows = []
    for lesson in lessons:
        for name in LESSONS[lesson]:
            entry = entries.get(name, {"state": NOT_STARTED, "mistakes": []})
            rows.append((lesson, name, f"{SIGNS[entry['state']]} {entry['state']}", ", ".join(entry["mistakes"])))
    done = sum(row[2].endswith("done") for row in rows)
    return Table(f"{done} of {len(rows)} exercises done", ("lesson", "exercise", "state", "last mistake"), rows)


def known():
    """The file's entries, with those of this kernel that are as far or further: name -> entry."""
    path = record_file()
    entries = _read(path) if path else {}
    for name, entry in _this_kernel.items():
        _further(entries, name, entry)
    return entries


def record_file():
    """Return the file of the record; None where nothing is written."""
    place = os.environ.get("LEARNING_TO_LOOK_DATA")
    if place == "off":
        return None
    if place:
        return Path(place) / "progress.json"
    try:
        from platformdirs import user_data_path

        return user_data_path("learning-to-look", appauthor=False) / "progress.json"
    except Exception:  # no home directory: the lesson goes on without a record
        return None


def _read(path):
    """The entries of the file that make sense; what is damaged is left out."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    good = {name: entry for name, entry in entries.items() if _is_entry(entry)} if isinstance(entries, dict) else {}
    return {name: {"tries": 0} | entry for name, entry in good.items()}  # early records have no tries


def _is_entry(entry):
    mistakes = entry.get("mistakes") if isinstance(entry, dict) else None
    known_state = isinstance(mistakes, list) and entry.get("state") in STATES
    return known_state and all(isinstance(m, str) for m in mistakes) and isinstance(entry.get("tries", 0), int)


def write_entries(path, entries):
    """Replace a file in one step, so that a reader finds the old one or the new one, never a half."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(entries, file, indent=1, sort_keys=True)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
