"""Grade a folder of returned notebooks: points, feedback for each student, and a page about the class.

    nox -s grade -- FOLDER [--out FOLDER] [--lesson 05] [--roster FILE] [--points FILE] [--take last] [--jobs 2]

Each return runs in a sandbox of its own, and is judged outside of it; docs/GRADING.md says how.
What is graded is written down at once: after Ctrl-C the same command goes on where it was stopped.
"""

import argparse
import hashlib
import json
import secrets
import sys
from pathlib import Path

from grading import class_page, feedback, platforms
from grading.marks import Mark, apart, marks_of, most_of, read_worth
from grading.records import Records
from grading.returns import Unreadable, cells_of, checked_in, found_in, lessons
from grading.sandbox import Limits, NoSandbox, tried
from grading.workers import Task, spread, spread_over

ROOT = Path(__file__).resolve().parents[1]
REFUSED = (
    "Returned notebooks are code of strangers, and nothing on this machine can shut them in. Install bubblewrap "
    "(Linux: the package bubblewrap; Windows: in WSL), or podman or Docker with the image of "
    "classroom/hub/Dockerfile, named learning-to-look. A container or a system that forbids it to make namespaces has "
    "to allow that. --trust runs returns with your rights all the same: only for notebooks that you have read.\n"
)


def options_of(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="docs/GRADING.md says more.")
    parser.add_argument("folder", type=Path, help="returned notebooks, or an archive of Moodle or Canvas")
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
    for name, most in Limits()._asdict().items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=most, help="of one return")
    return parser.parse_args(arguments)


def main(arguments=None):
    """Grade the folder, write everything, and return the marks."""
    options = options_of(arguments)
    try:
        returns = found_in(options.folder)
        roster = platforms.read_roster(options.roster) if options.roster else []
        worth = read_worth(options.points) if options.points else {}
    except (Unreadable, ValueError, OSError) as problem:
        raise SystemExit(str(problem)) from None
    if not returns:
        raise SystemExit(f"no notebook in {options.folder}")
    known = lessons()
    all_graded = apart(grade(returns, known, options))
    marks = marks_of(all_graded, known, worth, options.take, options.lesson)
    write(options.out, marks, all_graded, returns, roster, known, worth)
    print(f"{len(marks)} marks for {len(returns)} returns in {options.out}; begin with class.md")
    return marks


def grade(returns, known, options):
    """Return the Graded of all returns, those from before too."""
    seed = seed_of(options.out)
    records = Records(options.out, key_of(seed, options))
    try:
        if not options.trust:
            tried()
    except NoSandbox as reason:
        raise SystemExit(f"{REFUSED} {reason}".strip()) from None
    limits = Limits(**{name: getattr(options, name) for name in Limits._fields})
    todo = {one.digest: one for one in returns if not records.known(one)}
    tasks = [Task(one, known, options.lesson, seed, limits, options.trust) for one in todo.values()]
    spreading = spread_over(options.scheduler, tasks) if options.scheduler else spread(tasks, options.jobs)
    try:
        for graded in with_progress(spreading if tasks else (), len(tasks)):
            records.add(graded)
    except KeyboardInterrupt:
        raise SystemExit(f"\nStopped. {len(records.lines)} returns are graded; the same command goes on.") from None
    return [records.known(one) for one in returns]


def with_progress(graded, total):
    """Show what was graded, how much is left, and how long that will take."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = "{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*(TextColumn(c, markup=False) if isinstance(c, str) else c for c in columns)) as progress:
        bar = progress.add_task("grading", total=total)
        for one in graded:
            progress.update(bar, advance=1, description=f"{one.student} {one.lesson}"[:30])
            yield one


def seed_of(out):
    """The seed of the inputs that no student has seen: drawn once for a folder of results, and kept in it."""
    path = out / "held_out_seed.txt"
    if not path.exists():
        out.mkdir(parents=True, exist_ok=True)
        path.write_text(str(secrets.randbits(60)), encoding="utf-8")
    return int(path.read_text(encoding="utf-8"))


def key_of(seed, options):
    """What decides about a verdict beside the return: the course's code, the seed, the lesson and the limits."""
    whole = hashlib.sha256()
    folders = ROOT / "course_utils", ROOT / "pagecheck", ROOT / "classroom" / "grading"
    for path in sorted(path for folder in folders for path in folder.rglob("*.*")):
        if "__pycache__" not in path.parts and path.is_file():
            whole.update(path.read_bytes())
    limits = [getattr(options, name) for name in Limits._fields]
    whole.update(json.dumps([seed, options.lesson, limits]).encode())
    return whole.hexdigest()[:16]


def write(out, marks, all_graded, returns, roster, known, worth):
    """Write the tables, the pages of the students, and the page of the class."""
    known_people = platforms.Roster(roster)
    people = {mark.student: known_people.person_of(mark.student, mark.graded.number) for mark in marks}
    there = {known_people.person_of(one.student, one.number) for one in all_graded}
    others = [person.student for person in roster if person not in there]
    lessons_here = sorted({mark.lesson for mark in marks})
    empty = [Mark(name, lesson, 0.0, most_of(lesson, known, worth), None) for name in others for lesson in lessons_here]
    people |= {person.student: person for person in roster if person not in there}
    everybody = [*marks, *empty]
    write_exercises(out / "exercises.csv", all_graded)
    write_students(out / "students.csv", everybody, lessons_here)
    platforms.write_canvas(out / "canvas.csv", everybody, people)
    for lesson in lessons_here:
        here = [mark for mark in everybody if mark.lesson == lesson]
        platforms.write_moodle(out / f"moodle_{lesson}.csv", here, people, feedback.comment_of)
    write_feedback(out / "feedback", everybody)
    stubs = {line for path in (ROOT / "notebooks").glob("[0-9]*.ipynb") for line in code_lines(path.read_bytes())}
    codes = {one.digest: "\n".join(line for line in code_lines(one.content) if line not in stubs) for one in returns}
    (out / "class.md").write_text(class_page.page(marks, others, all_graded, codes, known), encoding="utf-8")


def write_exercises(path, all_graded):
    columns = ("student", "notebook", "attempt", "lesson", "exercise", "state", "mistakes", "message")
    rows = [
        (one.student, one.name, one.attempt, one.lesson, row.exercise, row.state, " ".join(row.mistakes), row.message)
        for one in all_graded
        for row in one.rows
    ]
    platforms.write_table(path, columns, rows)


def write_students(path, marks, numbers):
    """One row for each student: the points of each lesson, and their sum."""
    rows = []
    for student, several in platforms.by_student(marks).items():
        own = {mark.lesson: mark.points for mark in several}
        rows.append(
            [student, *(f"{own[number]:g}" if number in own else "" for number in numbers), f"{sum(own.values()):g}"]
        )
    platforms.write_table(path, ["student", *(f"lesson {number}" for number in numbers), "points"], rows)


def write_feedback(folder, marks):
    folder.mkdir(exist_ok=True)
    own = platforms.by_student(marks)
    for student, name in feedback.file_names(own).items():
        (folder / f"{name}.html").write_text(feedback.page_of(student, own[student]), encoding="utf-8")


def code_lines(content):
    """The lines of the cells that check something: stubs, and what a student wrote into them."""
    try:
        return [line.strip() for cell in cells_of(content) if checked_in([cell]) for line in cell.splitlines()]
    except Unreadable:
        return []


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
