"""One exercise, one name: in the heading and the check of its lesson, and at its place in lessons.json."""

import re
from pathlib import Path

import pytest
from lesson_time import EXERCISE

from course_utils.checks.exercises import LESSONS

SOURCES = sorted((Path(__file__).resolve().parents[1] / "notebooks" / "source").glob("*.py"))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_headings_checks_and_registered_names_are_the_same(source):
    text = re.sub(r"^# (?=### Exercise)", "", source.read_text(encoding="utf-8"), flags=re.M)
    headings = [match[1] for match in EXERCISE.finditer(text)]
    assert headings == re.findall(r"^(?:\w+ = )?check\(\"(\w+)\"", text, re.M) == LESSONS.get(source.stem[:2], [])
