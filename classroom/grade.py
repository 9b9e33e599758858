"""Grade a folder of returned notebooks: points, feedback for each student, and a page about the class.

    nox -s grade -- PLACES [--out FOLDER] [--lesson 05] [--roster FILE] [--points FILE] [--take last] [--jobs 2]

Each return runs in a sandbox of its own, and is judged outside of it; docs/GRADING.md says how.
What is graded is written down at once: after Ctrl-C the same command continues where it stopped.
"""

import argparse
import csv
import hashlib
import json
import secrets
import sys
from pathlib import Path

from grading import class_page, feedback, platforms
from grading.cells import cells_of, checked_expressions, lessons
from grading.marks import Mark, disambiguate_names, format_points, marks_of, max_points_of, read_worth
from grading.records import Records
from grading.returns import Unreadable, find_returns, result_in_words
from grading.sandbox import Limits, NoSandbox, require_sandbox
from grading.tables import write_table
from grading.workers import Task, grade_locally, grade_on_cluster

ROOT = Path(__file__).resolve().parents[1]
NO_SANDBOX = (
    "Returned notebooks are code of strangers, and nothing on this machine can shut them in. Install bubblewrap "
    "(Linux: the package bubblewrap; Windows: in WSL), or podman or Docker with the image of "
    "classroom/hub/Dockerfile, named learning-to-look. A container or a system that forbids it to make namespaces has "
    "to allow that. --trust runs returns with your rights all the same: only for notebooks that you have read.\n"
)


def options_of(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="docs/GRADING.md says more.")
    parser.add_argument("places", type=Path, nargs="+", help="folders of a class, or archives of Moodle or Canvas")
    parser.add_argument("--out", type=Path, default=Path("grades"), help="where everything goes")
    parser.add_argument(
        "--lesson", default="", help="the lesson that was asked for, 05; others are named and not graded"
    )
    parser.add_argument("--roster", type=Path, help="a table with the column student, and id, email, login, section")
    parser.add_argument("--points", type=Path, help="a table with the columns exercise and points; 1 for all others")
    parser.add_argument("--take", choices=("last", "best"), default="last", help="of several returns of one lesson")
    parser.add_argument("--jobs", type=int, default=2, help="returns at a time")
    parser.add_argument("--scheduler", help="the address of a Dask scheduler, in place of processes of this machine")
    parser.add_argument("--trust", action="store_true", help="without a sandbox: notebooks that you have read")
    for name, default in Limits()._asdict().items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=default, help="of one return")
    return parser.parse_args(arguments)


def main(arguments=None):
    """Grade the folder, write all results, and return the marks."""
    options = options_of(arguments)
    try:
        returns, items = find_returns(options.places)
        roster = platforms.read_roster(options.roster) if options.roster else []
        worth = read_worth(options.points) if options.points else {}
    except (Unreadable, ValueError, OSError, csv.Error) as problem:
        raise SystemExit(str(problem)) from None
    if not returns:
        raise SystemExit(f"nothing was handed in in {', '.join(map(str, options.places))}")
    exercises = lessons()
    if options.lesson not in ("", *exercises):
        raise SystemExit(f"--lesson is one of {', '.join(exercises)}")
    directory = platforms.Roster(roster)
    results = grade(returns, exercises, options)
    absent, strangers = directory.absent_and_strangers(results)
    graded_returns = disambiguate_names([directory.with_roster_name(one) for one in results])
    marks = marks_of(graded_returns, exercises, worth, options.take, options.lesson)
    class_work = class_page.ClassWork(marks, graded_returns, items, absent, strangers)
    write_results(options.out, class_work, returns, directory, exercises, worth)
    write_files(options.out / "files.csv", items, exercises, options.lesson)
    students = {mark.student for mark in marks}
    with_points = {mark.student for mark in marks if mark.points is not None}
    print(f"{len(with_points)} of {len(students)} who handed in have points; begin with {options.out / 'class.md'}")
    return marks


def grade(returns, exercises, options):
    """Return the result of each return, including those graded earlier."""
    seed = seed_of(options.out)
    records = Records(options.out, key_of(seed, options))
    try:
        if not options.trust:
            require_sandbox()
    except NoSandbox as reason:
        raise SystemExit(f"{NO_SANDBOX} {reason}".strip()) from None
    limits = Limits(**{name: getattr(options, name) for name in Limits._fields})
    todo = {returned.digest: returned for returned in returns if not records.find(returned)}
    tasks = [Task(returned, exercises, options.lesson, seed, limits, options.trust) for returned in todo.values()]
    results = grade_on_cluster(options.scheduler, tasks) if options.scheduler else grade_locally(tasks, options.jobs)
    try:
        for graded in track_progress(results if tasks else (), len(tasks)):
            records.add(graded)
    except KeyboardInterrupt:
        raise SystemExit(f"\nStopped. {len(records.lines)} returns are graded; the same command goes on.") from None
    return [records.find(returned) for returned in returns]


def track_progress(graded, total):
    """Yield the results while showing progress and the remaining time."""
    from rich.progress import track

    return track(graded, "grading", total)


def seed_of(out):
    """Return the seed of the held-out inputs, drawn once for a folder of results and saved in it."""
    path = out / "held_out_seed.txt"
    if not path.exists():
        out.mkdir(parents=True, exist_ok=True)
        path.write_text(str(secrets.randbits(60)), encoding="utf-8")
    return int(path.read_text(encoding="utf-8"))


def key_of(seed, options):
    """Hash what verdicts depend on besides the return: the course's code, the seed, the lesson and the limits."""
    digest = hashlib.sha256()
    folders = ROOT / "course_utils", ROOT / "pagecheck", ROOT / "classroom" / "grading"
    for path in sorted(path for folder in folders for path in folder.rglob("*.*")):
        if "__pycache__" not in path.parts and path.is_file():
            digest.update(path.read_bytes())
    limits = [getattr(options, name) for name in Limits._fields]
    digest.update(json.dumps([seed, options.lesson, limits]).encode())
    return digest.hexdigest()[:16]


def write_results(out, class_work, returns, directory, exercises, worth):
    """Write the tables, the students' pages, and the class page."""
    people = {directory.label(person): person for person in directory.people}
    lessons_here = sorted({mark.lesson for mark in class_work.marks} - {""})
    nothing = None if class_work.strangers or any(item.path.name == "?" for item in class_work.items) else 0.0
    marks = class_work.marks + [
        Mark(name, lesson, nothing, max_points_of(lesson, exercises, worth), None)
        for name in class_work.absent
        for lesson in lessons_here
    ]
    write_exercises(out / "exercises.csv", class_work.graded_returns)
    write_students(out / "students.csv", marks, lessons_here)
    platforms.write_canvas(out / "canvas.csv", marks, people)
    for lesson in lessons_here:
        lesson_marks = [mark for mark in marks if mark.lesson == lesson]
        platforms.write_moodle(out / f"moodle_{lesson}.csv", lesson_marks, people, feedback.comment_of)
    write_feedback(out / "feedback", marks)
    notebooks = [
        path for folder in ("notebooks", "notebooks/solutions") for path in (ROOT / folder).glob("[0-9]*.ipynb")
    ]
    known = {line for path in notebooks for line in code_lines(cells_of(path.read_bytes()))}
    own_lines = {one.digest: [line for line in code_lines(one.cells) if line not in known] for one in returns}
    (out / "class.md").write_text(class_page.page(class_work, own_lines, exercises), encoding="utf-8")


def write_files(path, items, exercises, only):
    """Write one row per file: whose it is, and what became of it."""
    rows = [
        (item.owner.student, item.owner.number, item.path.as_posix(), result_in_words(item, exercises, only))
        for item in items
    ]
    write_table(path, ("student", "number", "file", "what became of it"), rows)


def write_exercises(path, graded_returns):
    columns = ("student", "notebook", "attempt", "lesson", "exercise", "state", "mistakes", "message")
    rows = [
        (one.student, one.name, one.attempt, one.lesson, row.exercise, row.state, " ".join(row.mistakes), row.message)
        for one in graded_returns
        for row in one.rows
    ]
    write_table(path, columns, rows)


def write_students(path, marks, numbers):
    """Write one row per student: the points of each lesson and their sum."""
    rows = []
    for student, student_marks in platforms.by_student(marks).items():
        points = {mark.lesson: mark.points for mark in student_marks}
        known = [one for one in points.values() if one is not None]
        total = format_points(sum(known)) if known else ""
        rows.append([student, *(format_points(points.get(number)) for number in numbers), total])
    write_table(path, ["student", *(f"lesson {number}" for number in numbers), "points"], rows)


def write_feedback(folder, marks):
    folder.mkdir(exist_ok=True)
    marks_of = platforms.by_student(marks)
    for student, name in feedback.file_names(marks_of).items():
        (folder / f"{name}.html").write_text(feedback.page_of(student, marks_of[student]), encoding="utf-8")


def code_lines(cells):
    """Return the lines of all cells that call `check`: stubs and what the student added."""
    return [line.strip() for cell in cells if checked_expressions([cell]) for line in cell.splitlines()]


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
