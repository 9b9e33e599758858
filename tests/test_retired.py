"""Exercises that no lesson asks for any more: their right answers still pass, and their ids are never used again."""

import re

import oracle
import pytest

from course_utils.checks import check
from course_utils.checks.exercises import COURSE, FOLDER, LESSONS, home_of, page_of

PAGES = [path.stem for path in sorted((FOLDER / "retired").glob("*.md"))]


@pytest.mark.parametrize("name", PAGES)
def test_a_right_answer_still_passes_and_is_told_what_took_its_place(name):
    assert home_of(name) in LESSONS and not any(name in names for names in LESSONS.values())
    helpers, answers = oracle.read()
    right = [one for one in answers if one["exercise"] == name and one["label"] == "right"]
    right = right or oracle.page_answers(name)[:1]
    assert {one["state"] for one in oracle.judge_all(right, helpers, ()).values()} <= {"done"}
    assert "has taken its place" in page_of(name).says["insight"]


def test_the_ids_of_retired_mistakes_are_never_used_again():
    retired = {id for name in PAGES for id in re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)+", page_of(name).says["retired"])}
    assert retired and not retired & set(COURSE.mistakes)


def test_an_unknown_exercise_is_still_unknown():
    with pytest.raises(ValueError, match="an exercise of the course"):
        check("../retired/good_output", None)
