"""INSTRUCTORS.md says what is true: its minutes, its demo, what needs TensorFlow, and what is never committed."""

import re
import subprocess
from pathlib import Path

import course_map
import lesson_time
import nbformat
import pytest
import talk_script as talk
from lesson_imports import reaches

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "INSTRUCTORS.md").read_text(encoding="utf-8")
SOURCES = {path.stem[:2]: path.read_text(encoding="utf-8") for path in (ROOT / "notebooks" / "source").glob("*.py")}


def rows(heading):
    """The cells of the table under a heading, without its head."""
    part = PAGE.split(f"## {heading}")[1].split("\n## ")[0]
    return [
        [cell.strip() for cell in re.split(r" \| ", line.strip("| "))] for line in part.splitlines() if line[:1] == "|"
    ][2:]


def test_three_sessions_of_90_minutes_hold_every_lesson_that_is_not_homework():
    plan = rows("Three sessions of 90 minutes")
    for session in "123":
        assert sum(int(minutes) for number, minutes, *_ in plan if number == session) == 90
    shown = [lesson[:2] for _, _, lesson, _ in plan]
    homework = set(re.findall(r"\b\d\d\b", " ".join(re.findall(r"Homework: .*", PAGE))))
    assert sorted({*shown, *homework}) == sorted(SOURCES)
    for session, lessons in course_map.SESSIONS.items():
        assert sorted({lesson[:2] for number, _, lesson, _ in plan if number == str(session)}) == list(lessons)


def test_session_1_fits_into_its_90_minutes_by_the_minutes_of_readme():
    """A lesson takes what README says; a part of one, named after a colon, is counted in the same way."""
    given = minutes_of_lessons()
    assert len(given) == len(SOURCES)
    for session, minutes, lesson, _ in rows("Three sessions of 90 minutes"):
        number, _, part = lesson.partition(": ")
        if session == "1":
            assert int(minutes) >= (honest(number, part) if part else given[number]), lesson


def honest(number, title):
    """The minutes of the part of a lesson whose heading holds a title, down to the next heading of its level."""
    (path,) = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    kept, inside = [], 0
    for cell in nbformat.read(path, as_version=4).cells:
        heading = re.match(r"(#+) .*", cell.source) if cell.cell_type == "markdown" else None
        if heading and (not inside or len(heading[1]) <= inside):
            inside = len(heading[1]) if title in heading[0] else 0
        if inside:
            kept.append(cell)
    assert kept, f"lesson {number} has no part {title}"
    return lesson_time.minutes(kept)


def test_the_demo_takes_45_minutes_and_goes_through_the_widgets_of_the_demo_notebook():
    assert sum(int(minutes) for minutes, *_ in rows("One demo of 45 minutes")) == 45
    parts = [part["name"] for part in talk.parts() if talk.has_widget(part)]
    made = re.findall(
        r"^(?:    )?\w+ = ([A-Z]\w+)\(", (ROOT / "classroom" / "demo_notebook.py").read_text(encoding="utf-8"), re.M
    )
    assert parts == list(dict.fromkeys(made))


def test_the_table_and_the_notes_are_what_the_script_gives():
    assert talk.instructors(PAGE) == PAGE, "the table of the demo is out of date: run nox -s draw"
    assert talk.NOTES.read_text(encoding="utf-8") == talk.notes(), "the notes are out of date: run nox -s draw"


def minutes_of_lessons():
    """{lesson: the minutes that README gives it}, which a test holds to what its parts add up to."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return {number: int(minutes) for number, minutes in re.findall(r"^\| \[(\d\d) .*\| (\d+) \|$", readme, re.M)}


def test_the_lessons_that_need_tensorflow_are_those_that_load_it():
    sources = (ROOT / "notebooks" / "source").glob("*.py")
    loading = sorted(path.stem[:2] for path in sources if reaches(path, "tensorflow"))
    assert re.findall(r"\d\d", re.search(r"Lessons ([\d, and]+) need it", PAGE)[1]) == loading


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the course without its repository")
def test_what_the_commands_of_these_pages_write_into_the_course_is_not_committed():
    """Points and answers of students stand there. The defaults of --out and --folder count, and what pages name."""
    pages = [ROOT / "INSTRUCTORS.md", *ROOT.glob("docs/*.md"), *(ROOT / "classroom").rglob("*.md")]
    programs = [path for path in (ROOT / "classroom").rglob("*.py") if "tests" not in path.parts]
    text = "\n".join(path.read_text(encoding="utf-8") for path in pages)
    named = set(re.findall(r"--(?:out|page|roster) ([a-z][\w./]*)", text))
    for path in programs:
        code = path.read_text(encoding="utf-8")
        named |= set(re.findall(r'--(?:out|folder)".*default=(?:Path\(|ROOT / )"([^"]+)"', code))
    assert {"grades", "release", "gain", "class", "stage.html"} <= named
    wanted = {f"{name}/a.csv" if "." not in Path(name).name else name for name in named}
    command = ["git", "check-ignore", "--no-index", *wanted]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert wanted == set(done.stdout.splitlines()), done.stderr
    assert not subprocess.run(["git", "ls-files", "-ci", "--exclude-standard"], cwd=ROOT, capture_output=True).stdout
