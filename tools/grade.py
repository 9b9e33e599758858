"""Grade a folder of returned notebooks: one table, and one picture of the mistakes of the class.

    nox -s grade -- FOLDER [--out FOLDER] [--seconds 300] [--cell-seconds 60] [--jobs 2]

A returned notebook is a program, and this runs it: read GRADING.md before you do.
Each notebook runs in a kernel of its own, under a process of its own with a time limit.
What goes wrong in one costs that one's rows.
"""

import argparse
import contextlib
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import psutil

ROOT = Path(__file__).resolve().parents[1]


class Row(NamedTuple):
    """One line of the table."""

    student: str
    notebook: str
    exercise: str
    state: str
    mistakes: str


def options_of(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="Returned notebooks are code: see GRADING.md."
    )
    parser.add_argument("folder", type=Path, help="returned notebooks: STUDENT/05_name.ipynb or STUDENT_05_name.ipynb")
    parser.add_argument("--out", type=Path, default=Path("grades"), help="where the table and the picture go")
    parser.add_argument("--seconds", type=int, default=300, help="for one notebook")
    parser.add_argument("--cell-seconds", type=int, default=60, help="for one cell")
    parser.add_argument("--jobs", type=int, default=2, help="notebooks at a time")
    return parser.parse_args(arguments)


def main(arguments=None):
    """Grade the folder, write table and picture, and return the rows."""
    options = options_of(arguments)
    notebooks = sorted(p for p in options.folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts)
    if not notebooks:
        raise SystemExit(f"no notebook in {options.folder}")
    course = read_course()
    with ThreadPoolExecutor(options.jobs) as pool:
        graded = pool.map(lambda path: rows_of(path, options, course), notebooks)
        rows = []
        for path, found in zip(notebooks, graded, strict=True):
            rows += found
            print(path.relative_to(options.folder), " ".join(sorted({row.state for row in found})), flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    write_csv(options.out / "grades.csv", rows)
    (options.out / "grades.md").write_text(as_markdown(rows), encoding="utf-8")
    draw(options.out / "mistakes.svg", count(rows))
    if files := changed(course):
        print(f"Files of the course changed meanwhile: {files}.")
        print("The grades stand, they come from copies; look at git status.")
    print(f"{len(rows)} rows for {len(notebooks)} notebooks in {options.out}")
    return rows


def rows_of(path, options, course):
    """Return the rows of one notebook, whatever it does."""
    student = student_of(path, options.folder)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        copy, judging, work, result = (Path(scratch, name) for name in ("course", "judging", "work", "result.jsonl"))
        write(course, copy)
        write(course, judging)
        work.mkdir()
        one = [copy / "tools" / "grade_one.py", path.resolve(), result, judging, options.cell_seconds]
        # The process and its kernel find the copy before the course itself, however that is installed.
        in_time = run_limited([sys.executable, *one], options.seconds, work, PYTHONPATH=str(copy))
        lines = result.read_text(encoding="utf-8").splitlines() if result.exists() else []
    found = [json.loads(line) for line in lines]
    rows = [
        Row(student, path.name, f["exercise"], f["state"], " ".join(f["mistakes"])) for f in found if "exercise" in f
    ]
    problems = [f["problem"] for f in found if "problem" in f]
    if not in_time:
        problems.append(f"stopped after {options.seconds} s")
    elif not found:
        problems.append("its process died")
    return rows + [Row(student, path.name, "", "not graded", problem) for problem in problems]


def read_course():
    """Return the files that grading needs, {path: bytes}, as they are before any returned notebook has run."""
    kinds = ("course_utils/**/*", "notebooks/*.ipynb", "tools/*.py")
    paths = {path for kind in kinds for path in ROOT.glob(kind) if path.is_file() and "__pycache__" not in path.parts}
    return {path.relative_to(ROOT): path.read_bytes() for path in sorted(paths)}


def write(course, folder):
    for path, content in course.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def changed(course):
    """Return the files of the course that are no longer as they were, as words."""
    gone = [p for p, content in course.items() if not (ROOT / p).is_file() or (ROOT / p).read_bytes() != content]
    return ", ".join(path.as_posix() for path in gone[:5]) + (", ..." if len(gone) > 5 else "")


def student_of(path, folder):
    """Return the name of the folder that holds the notebook, or what stands before the number of the lesson."""
    inside = path.parent.relative_to(folder).as_posix()
    return inside if inside != "." else re.split(r"[ _-]*(?<!\d)\d\d_", path.stem)[0] or path.stem


def run_limited(command, seconds, folder, **variables):
    """Run a command in a folder and end it, with all its children, when it takes too long.

    variables: of the environment, besides those that are there. Returns whether it ended by itself.
    """
    command, environment = [str(word) for word in command], os.environ | variables
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = psutil.Popen(command, cwd=folder, env=environment, **silent)
    try:
        process.wait(seconds)
        return True
    except psutil.TimeoutExpired:
        return False
    finally:
        end(process)


def end(process):
    """End a process and what it has started and still knows of."""
    try:
        family = [*process.children(recursive=True), process]
    except psutil.NoSuchProcess:
        return
    for member in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
    psutil.wait_procs(family, timeout=5)


def safe(text):
    """Return a cell that no spreadsheet takes for a formula: names of folders are the students' own words."""
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def write_csv(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(Row._fields)
        table.writerows([safe(cell) for cell in row] for row in rows)


def as_markdown(rows):
    """Return the same table for reading, and the counts below it."""
    lines = [f"| {' | '.join(Row._fields)} |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(cell.replace('|', '/').replace(chr(10), ' ') for cell in row)} |" for row in rows]
    lines += ["", "| mistake | how often |", "|---|---|", *(f"| {id} | {n} |" for id, n in count(rows))]
    return "\n".join(lines) + "\n"


def count(rows):
    """Return (mistake, how often) for the class, the most frequent first."""
    counted = Counter(id for row in rows if row.state == "not yet" for id in row.mistakes.split())
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))


def draw(path, counted, most=25):
    """Draw the most frequent mistakes as horizontal bars, each with its number."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shown = counted[:most] or [("no mistake was named", 0)]
    names, numbers = zip(*shown, strict=True)
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.36 * len(names)), layout="constrained")
    bars = axes.barh(range(len(names)), numbers, color="#0072B2")
    axes.bar_label(bars, padding=4)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set(
        xlabel="answers with this mistake", title="What the class has not got yet", xlim=(0, 1.12 * max(*numbers, 1))
    )
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
