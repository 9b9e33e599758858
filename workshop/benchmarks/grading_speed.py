"""How long grading takes: one return with and without the sandbox, and a class of sixty with two workers."""

import statistics
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from timing import once

ROOT = Path(__file__).resolve().parents[2]
SOLVED = ROOT / "notebooks" / "solutions"
PAIRS, CLASS, JOBS = 5, 60, 2
LESSONS = ("05", "10", "12")  # the last two fit models
MANY = 10_000  # returns, extrapolated from the rate


def figures():
    """Returned notebooks: what the sandbox costs, and a class of sixty."""
    from grading.returns import cells_of, lessons

    known = lessons()
    for lesson in LESSONS:
        [path] = SOLVED.glob(f"{lesson}_*.ipynb")
        pairs = [time_pair(cells_of(path.read_bytes()), known[lesson]) for _ in range(PAIRS)]
        yield f"one return of lesson {lesson}, all right", statistics.median(boxed for boxed, _ in pairs), "s"
        yield "  the sandbox adds", statistics.median(boxed - plain for boxed, plain in pairs), "s", 1.5
    seconds = time_class()
    yield f"{CLASS} returns of lesson 05, {JOBS} workers", seconds, "s", 240
    yield f"  so {MANY:,} returns on this machine", seconds / CLASS * MANY / 3600, "h"


def time_pair(cells, exercises):
    """Return the seconds for one return in a sandbox and, right after it, without."""
    from grading.one_return import grade_return
    from grading.sandbox import Limits
    from grading.workers import fonts

    def grade(trusted):
        rows = grade_return(cells, {}, exercises, 1, fonts(), Limits(), trusted)
        assert {row.state for row in rows} == {"done"}, rows

    return once(grade, False), once(grade, True)


def time_class():
    """Return the seconds that the command takes for a class: half of the returns right, half with stubs."""
    [solved], [stubs] = SOLVED.glob("05_*.ipynb"), (ROOT / "notebooks").glob("05_*.ipynb")
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(f"{folder}/class.zip", "w") as archive:
            for i in range(CLASS):
                text = (solved if i % 2 else stubs).read_text(encoding="utf-8")
                archive.writestr(f"student {i}/{solved.name}", f"{text}{' ' * i}")  # no two returns are identical
        command = [sys.executable, ROOT / "classroom" / "grade.py", f"{folder}/class.zip", "--out", f"{folder}/grades"]
        return once(subprocess.run, [*map(str, command), "--jobs", str(JOBS)], check=True, capture_output=True)
