"""The page about answers that nobody listed says what is kept, and what is kept has its form."""

import csv
import importlib
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from course_utils.checks.exercises import LESSONS

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "studies" / "unseen"


@pytest.fixture(scope="module")
def diagnosis():
    return importlib.import_module("diagnosis")


@pytest.fixture(scope="module")
def answers(diagnosis):
    return diagnosis.all_answers()


def test_every_hand_has_its_wave_and_every_answer_a_key_of_its_own(answers):
    unseen = importlib.import_module("unseen")
    assert set(unseen.WAVES) == {path.stem for path in FOLDER.glob("[a-z]*.py")} == {one.hand for one in answers}
    assert all(unseen.WAVES[one.hand] >= unseen.CHANGED.get(one.exercise, 1) for one in answers)
    assert {name for names in LESSONS.values() for name in names} >= {one.exercise for one in answers}
    assert max(unseen.WAVES.values()) == unseen.REPORTED
    assert len({one.key for one in answers}) == len(answers) > 600
    assert {one.label for one in answers} == {"wrong", "right", "odd"}


def test_an_exercise_that_was_met_has_met_at_least_eight_answers_to_its_text_of_today(answers):
    """One that nobody has met is named in DIAGNOSIS.md."""
    counts = Counter(one.exercise for one in answers)
    assert {name: count for name, count in counts.items() if count < 8} == {}


def test_half_of_the_first_wave_was_for_tuning(answers):
    unseen = importlib.import_module("unseen")
    first = [one for one in answers if unseen.WAVES[one.hand] == 1]
    assert {one.half for one in first} == {"tune"}
    assert 0.4 < sum(one.split == "report" for one in first) / len(first) < 0.6


def test_what_readers_found_has_its_form(diagnosis):
    kept = diagnosis.readings()
    assert kept
    assert all(re.fullmatch("[0-9a-f]{12}", hash) and len(by) == 2 for hash, by in kept.items())
    assert {grade for by in kept.values() for grade in by.values()} == set(diagnosis.GRADES)


def test_a_grade_that_there_is_not_is_refused(diagnosis, tmp_path):
    file = tmp_path / "read.csv"
    file.write_text("hash,grade\n0123456789ab,good\n", encoding="utf-8")
    with pytest.raises(ValueError, match="grade is 'good'; wanted: one of exact, one of two, helpful"):
        diagnosis.keep_readings(file, "a reader")


def test_the_worse_grade_counts_and_one_reader_is_not_enough(diagnosis):
    assert diagnosis.grade_of({"a": "exact"}) == diagnosis.grade_of({}) == "unread"
    assert diagnosis.grade_of({"a": "exact", "b": "helpful"}) == "helpful"
    assert diagnosis.grade_of({"a": "misleading", "b": "exact"}) == "misleading"


def test_the_page_is_of_this_version_and_this_wave():
    unseen = importlib.import_module("unseen")
    page = (ROOT / "DIAGNOSIS.md").read_text(encoding="utf-8")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"Version {version}, " in page
    assert f"## Wave {unseen.REPORTED}\n" in page
    assert f"frozen on {unseen.FROZEN}, before" in page
    assert f"{len(unseen.ANSWERS)} of them" in page


def test_every_wave_before_is_in_the_history():
    unseen = importlib.import_module("unseen")
    with (FOLDER / "history.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    waves = [int(row["wave"]) for row in rows]
    closed = waves[-1] == unseen.REPORTED  # and the next one is not there yet
    assert waves == list(range(1, unseen.REPORTED + closed))
    assert all(int(row["rejected"]) <= int(row["wrong"]) for row in rows)


def test_the_code_of_a_class_is_its_own_where_several_have_one_name(diagnosis, answers):
    classes = [one for one in answers if isinstance(one.answer, type)]
    assert len({(one.hand, one.answer.__name__) for one in classes}) < len(classes)
    for one in classes:
        code = diagnosis.source_of(diagnosis.Case(one, None, 0, True))
        assert f"class {one.answer.__name__}" in code
        if code.startswith("@"):
            assert all(word.split('"')[0] in code for word in one.words), code
