"""The catalogue of mistakes: one sentence each, all of them shown by an example answer, and the generated table current."""

import re
import sys
from pathlib import Path

import pytest
from mistakes import WRONG
from mistakes.pairs import SINGLES

from course_utils.checks.mistakes import CATALOGUES, MISTAKES

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from list_mistakes import TABLE, exercises_of, table

ROOT = Path(__file__).resolve().parents[1]
DESIGNED = """softmax-axis softmax-unnormalised softmax-overflow scale-missing scale-dk-not-sqrt scale-dmodel scale-multiplied
    key-not-transposed query-key-swapped value-missing mask-after-softmax mask-inverted mask-diagonal mask-transposed mask-additive-small
    heads-reshape-without-transpose heads-merged-wrong position-axis position-sin-cos-split position-base label-position label-token"""


def test_the_table_is_current():
    assert TABLE.read_text(encoding="utf-8") == table(), "run python tools/list_mistakes.py"


def test_the_ids_that_others_rely_on_are_there():
    assert set(DESIGNED.split()) <= set(MISTAKES)


def test_no_id_stands_in_two_catalogues():
    assert sum(map(len, CATALOGUES)) == len(MISTAKES)


@pytest.mark.parametrize("id", MISTAKES)
def test_each_mistake_is_said_in_two_sentences(id):
    mistake = MISTAKES[id]
    for text in (mistake.seen, mistake.suspect):
        assert len(re.findall(r"[.?!](?=\s|$)", text)) == 1, text
        assert text[-1] in ".?!", text
        assert text[0].isupper() or text[0] == "{", text
        assert not re.search(r"\b(just|simply|obviously)\b", text, re.I), text
    assert mistake.example
    assert re.fullmatch(r"[a-z0-9-]+", id)


def test_each_mistake_is_made_by_an_answer_in_the_tests():
    answers = {id for case in WRONG + SINGLES for id in case.ids}
    elsewhere = (ROOT / "tests" / "test_checks_survive.py").read_text(encoding="utf-8")
    assert [id for id in MISTAKES if id not in answers and f'"{id}"' not in elsewhere] == []


def test_each_fault_of_an_exercise_is_in_the_catalogue():
    assert set(exercises_of()) == set(MISTAKES)
