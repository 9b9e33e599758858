"""The record of what was checked, in this kernel and before: one small file outside the course's folder.

The file is in the user's data directory.
The environment variable LEARNING_TO_LOOK_DATA names another directory; "off" keeps everything in memory.
If the file is damaged or cannot be written, only the record is lost; the lesson goes on.
"""

import contextlib
import json
import os
import tempfile
import time
from pathlib import Path

from course_utils.checks.exercises import LESSONS, lesson_of
from course_utils.checks.student.table import Table
from pagecheck.words import DONE, NOT_STARTED, SIGNS, Verdict

STATES = tuple(SIGNS)  # from the first to the last
_this_kernel = {}  # name -> an entry, in the order of the checks
done_answers = {}  # name -> the answer, if its last check in this kernel was done
_clock = {"last": time.monotonic()}  # when the last check ran, or this kernel began with the course
LONGEST = 600  # seconds between two checks that count: the rest was a break
# An entry: the state, the mistakes of the last check, and until the first right answer the tries, the seconds since
# the check before each of them, and every mistake.
NEW_ENTRY = {"state": NOT_STARTED, "mistakes": [], "tries": 0, "seconds": 0, "seen": []}


def record_verdict(verdict: Verdict, answer: object = None) -> int:
    """Record a verdict, in this kernel and in the file. What was done once stays done, whatever is tried later.

    An answer that is done is remembered, too, until a later one is not.

    Returns the number of tries: checks of an answer, up to the first right one.
    """
    if verdict.state == DONE:
        done_answers[verdict.name] = answer
    else:
        done_answers.pop(verdict.name, None)
    entry = _updated_entry(all_entries().get(verdict.name, NEW_ENTRY), verdict)
    _put_if_further(_this_kernel, verdict.name, entry)
    path = record_file()
    if path is not None and verdict.state != NOT_STARTED:
        with contextlib.suppress(OSError):
            write_entries(path, _put_if_further(_read(path), verdict.name, entry))
    return entry["tries"]


def _updated_entry(before, verdict):
    """Return the entry of an exercise, updated by one more check."""
    now = time.monotonic()
    seconds, _clock["last"] = min(LONGEST, now - _clock["last"]), now
    counts = {name: before[name] for name in ("tries", "seconds", "seen")}
    if before["state"] != DONE:
        counts["tries"] += verdict.state != NOT_STARTED
        counts["seconds"] += round(seconds)
        counts["seen"] = list(dict.fromkeys([*before["seen"], *verdict.mistakes]))
    return {"state": verdict.state, "mistakes": list(verdict.mistakes), **counts}


def _put_if_further(entries, name, entry):
    """Add an entry to others unless the existing one is further on, and return them all."""
    before = entries.get(name, entry)
    if STATES.index(entry["state"]) >= STATES.index(before["state"]):
        entries[name] = entry
    return entries


def progress(everything: bool = False) -> Table:
    """Show which exercises are done, and the last mistake in the others: of this lesson, or of all lessons.

    "This lesson" is what was checked in this kernel; if nothing was, all lessons are shown.
    Returns a table to display.
    """
    entries = all_entries()
    lessons_here = {lesson_of(name) for name in _this_kernel} - {None}
    lessons = LESSONS if everything or not lessons_here else [lesson for lesson in LESSONS if lesson in lessons_here]
    rows = []
    for lesson in lessons:
        for name in LESSONS[lesson]:
            entry = entries.get(name, NEW_ENTRY)
            rows.append((lesson, name, f"{SIGNS[entry['state']]} {entry['state']}", ", ".join(entry["mistakes"])))
    done = sum(row[2].endswith("done") for row in rows)
    return Table(f"{done} of {len(rows)} exercises done", ("lesson", "exercise", "state", "last mistake"), rows)


def all_entries() -> dict[str, dict]:
    """Return {name: entry}: those of the file, or those of this kernel if they are as far or further."""
    path = record_file()
    entries = _read(path) if path else {}
    for name, entry in _this_kernel.items():
        _put_if_further(entries, name, entry)
    return entries


def record_file() -> Path | None:
    """Return the file of the record; None if nothing is written."""
    folder = os.environ.get("LEARNING_TO_LOOK_DATA")
    if folder == "off":
        return None
    if folder:
        return Path(folder) / "progress.json"
    try:
        from platformdirs import user_data_path

        return user_data_path("learning-to-look", appauthor=False) / "progress.json"
    except Exception:  # no home directory: the lesson goes on without a record
        return None


def _read(path):
    """The valid entries of the file."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    valid = {name: entry for name, entry in entries.items() if _is_entry(entry)} if isinstance(entries, dict) else {}
    return {name: NEW_ENTRY | entry for name, entry in valid.items()}  # early records have no tries, or no time


def _is_entry(entry):
    if not isinstance(entry, dict) or entry.get("state") not in STATES or "mistakes" not in entry:
        return False
    entry = NEW_ENTRY | entry
    words = [entry[part] for part in ("mistakes", "seen")]
    texts = all(isinstance(ids, list) and all(isinstance(id, str) for id in ids) for ids in words)
    return texts and all(isinstance(entry[part], int) for part in ("tries", "seconds"))


def write_entries(path: Path, entries: dict) -> None:
    """Replace a file atomically, so that a reader finds the old one or the new one, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(entries, file, indent=1, sort_keys=True)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
