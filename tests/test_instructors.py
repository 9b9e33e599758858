"""INSTRUCTORS.md says what is true: minutes add up; mistakes, exercises, lessons and explorables exist; two pages."""

import re
from pathlib import Path

import course_map
import pytest
from lesson_imports import reaches

import course_utils.explorables as explorables
from course_utils.checks.lessons.names import exercises_of

ROOT = Path(__file__).parent.parent
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
    shown = [lesson for _, _, lesson, _ in plan]
    homework = set(re.findall(r"\b\d\d\b", " ".join(re.findall(r"Homework: .*", PAGE))))
    assert sorted({*shown, *homework}) == sorted(SOURCES)
    for session, lessons in course_map.SESSIONS.items():
        assert sorted({lesson for number, _, lesson, _ in plan if number == str(session)}) == list(lessons)


def test_the_demo_takes_45_minutes():
    assert sum(int(minutes) for minutes, *_ in rows("One demo of 45 minutes")) == 45


def test_the_demo_goes_through_the_widgets_of_the_demo_notebook():
    parts = [part for _, part, _ in rows("One demo of 45 minutes") if part[0].isupper()]
    made = re.findall(
        r"^(?:    )?\w+ = ([A-Z]\w+)\(", (ROOT / "tools" / "demo_notebook.py").read_text(encoding="utf-8"), re.M
    )
    assert parts == list(dict.fromkeys(made))


def test_each_part_of_the_demo_has_its_question_in_the_demo_notebook():
    texts = re.findall(r"^# ## (\d) .*\n((?:#.*\n?)+)", (ROOT / "tools" / "demo_notebook.py").read_text("utf-8"), re.M)
    assert [number for number, _ in texts] == [str(i) for i in range(len(rows("One demo of 45 minutes")))]
    for _, text in texts:
        assert "?" in text.split("**Ask first:**")[1]


@pytest.mark.parametrize("row", rows("What to ask before each reveal, and what you will hear"), ids=lambda row: row[0])
def test_mistakes_that_are_named_belong_to_exercises_of_the_lesson(row):
    ids = re.findall(r"`([\w-]+)`", row[3])
    assert ids
    assert set(ids) <= {id for exercise in exercises_of(row[0]) for id in exercise.ids}


def test_exercises_and_explorables_that_are_named_exist():
    exercises = {name for text in SOURCES.values() for name in re.findall(r"### Exercise: `(\w+)`", text)}
    assert set(re.findall(r"`(\w+_\w+)`", PAGE)) <= exercises
    assert set(re.findall(r"\b[A-Z]\w+(?:Pad|Dial|Explorer|Gallery|Replay)\b", PAGE)) <= set(explorables.__all__)


def test_the_lessons_that_need_tensorflow_are_those_that_load_it():
    sources = (ROOT / "notebooks" / "source").glob("*.py")
    loading = sorted(path.stem[:2] for path in sources if reaches(path, "tensorflow"))
    for text in (PAGE, (ROOT / "tools" / "preflight.py").read_text(encoding="utf-8")):
        assert re.findall(r"\d\d", re.search(r"[Ll]essons ([\d, and]+) need it", text)[1]) == loading


def test_it_fits_on_two_printed_pages():
    assert len(PAGE.split()) <= 1400
