"""The page about answers that nobody listed says what is recorded, and what is recorded has its form."""

import json
import tomllib
from pathlib import Path

import pytest
import waves

from course_utils.checks.exercises import LESSONS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def answers():
    return waves.all_answers()


def test_every_answer_has_a_key_of_its_own_an_exercise_and_a_label(answers):
    assert {name for names in LESSONS.values() for name in names} >= {one.exercise for one in answers}
    assert len({one.key for one in answers}) == len(answers) > 1900
    assert {one.label for one in answers} == {"wrong", "right", "odd"}


def test_an_answer_of_a_wave_is_judged_and_leaves_the_process_as_it_was(answers):
    (case,) = waves.judge_answers([next(one for one in answers if one.exercise == "cosine" and one.label == "wrong")])
    assert case.verdict.state == "not yet" and case.survived and case.hash


def test_a_grade_joins_the_answer_that_was_read_and_an_unknown_one_is_refused(tmp_path):
    file, wave = tmp_path / "read.csv", tmp_path / "wave_01_one.jsonl"
    wave.write_text('{"wave": 1}\n{"key": "a", "read": {}}\n{"key": "b", "read": {}}\n', encoding="utf-8")
    file.write_text("key,hash,grade\nb,0123456789ab,exact\n", encoding="utf-8")
    waves.store_readings(file, "a reader", tmp_path)
    read = [json.loads(line).get("read") for line in wave.read_text(encoding="utf-8").splitlines()]
    assert read == [None, {}, {"0123456789ab": {"a reader": "exact"}}]
    file.write_text("key,hash,grade\nb,0123456789ab,good\n", encoding="utf-8")
    with pytest.raises(ValueError, match="grade is 'good'; wanted: one of exact, one of two, helpful"):
        waves.store_readings(file, "a reader", tmp_path)


def test_the_page_is_of_this_version_and_of_the_last_wave(answers):
    page = (ROOT / "docs" / "DIAGNOSIS.md").read_text(encoding="utf-8")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    last = max(answers, key=lambda one: one.wave)
    assert f"Version {version}, " in page and f"{len(answers)} of them" in page
    assert f"## Wave {last.wave}\n" in page and f"frozen on {last.frozen}, before" in page
