"""What was checked, in this kernel and before, kept in one small file outside the course's folder.

The file lies in the user's data directory.
The environment variable LEARNING_TO_LOOK_DATA names another directory; "off" keeps everything in memory.
A file that is damaged or cannot be written costs the record, never the lesson.
"""

import contextlib
import json
import os
import tempfile
import time
from pathlib import Path

from course_utils.checks.exercises import LESSONS, lesson_of
from course_utils.checks.student.table import Table
from pagecheck.words import DONE, NOT_STARTED, SIGNS

STATES = tuple(SIGNS)  # each one further on than the one before it
_this_kernel = {}  # name -> an entry, in the order of the checks
done_here = {}  # name -> the answer that was done when it was last checked in this kernel
_clock = {"last": time.monotonic()}  # when the last check ran, or this kernel began with the course
LONGEST = 600  # seconds between two checks; what is more was a pause
# An entry: the state, the mistakes of the last check, and up to the first right answer the tries, the seconds that went
# by since the check before each of them, and every mistake that was seen.
FRESH = {"state": NOT_STARTED, "mistakes": [], "tries": 0, "seconds": 0, "seen": []}


def note(verdict, answer=None):
    """Remember a verdict, in this kernel and in the file. What was done once stays done, whatever is tried later.

    An answer that is done is held, too, until a later one is not.

    Returns the number of tries: of checks of an answer, up to the first that was right.
    """
    if verdict.state == DONE:
        done_here[verdict.name] = answer
    else:
        done_here.pop(verdict.name, None)
    entry = _after(known().get(verdict.name, FRESH), verdict)
    _further(_this_kernel, verdict.name, entry)
    path = record_file()
    if path is not None and verdict.state != NOT_STARTED:
        with contextlib.suppress(OSError):
            write_entries(path, _further(_read(path), verdict.name, entry))
    return entry["tries"]


def _after(before, verdict):
    """Return the entry of an exercise after one more check."""
    now = time.monotonic()
    spent, _clock["last"] = min(LONGEST, now - _clock["last"]), now
    counts = {part: before[part] for part in ("tries", "seconds", "seen")}
    if before["state"] != DONE:
        counts["tries"] += verdict.state != NOT_STARTED
        counts["seconds"] += round(spent)
        counts["seen"] = list(dict.fromkeys([*before["seen"], *verdict.mistakes]))
    return {"state": verdict.state, "mistakes": list(verdict.mistakes), **counts}


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
            entry = entries.get(name, FRESH)
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
    return {name: FRESH | entry for name, entry in good.items()}  # early records have no tries, or no time


def _is_entry(entry):
    if not isinstance(entry, dict) or entry.get("state") not in STATES or "mistakes" not in entry:
        return False
    entry = FRESH | entry
    words = [entry[part] for part in ("mistakes", "seen")]
    texts = all(isinstance(ids, list) and all(isinstance(id, str) for id in ids) for ids in words)
    return texts and all(isinstance(entry[part], int) for part in ("tries", "seconds"))


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
