"""Every answer that the project holds gets the verdict that was recorded, in words fit for a student.

`nox -s oracle` compares the words of an answer without a name too: its example comes from a search with a time limit.
"""

import oracle
import pytest
from good_texts import faults_of

from course_utils.checks.exercises import LESSONS

HELPERS, ANSWERS = oracle.read()
BY_EXERCISE = {
    name: [one for one in ANSWERS if one["exercise"] == name] for names in LESSONS.values() for name in names
}


UNNAMED = {"differs", "promise-broken"}


@pytest.mark.parametrize("name", BY_EXERCISE)
def test_an_answer_gets_the_verdict_that_it_always_got(name):
    found = oracle.judge_all(BY_EXERCISE[name], HELPERS, ())
    named = [one for one in BY_EXERCISE[name] if one["ids"] and not UNNAMED & set(one["ids"])]
    assert "\n".join(oracle.differences(BY_EXERCISE[name], found, ("state", "ids"))) == ""
    assert "\n".join(oracle.differences(named, found, ("says",))) == ""
    assert [key for key, one in found.items() if "unreadable" in one["ids"]] == [], "the check broke off"
    right = [one["key"] for one in BY_EXERCISE[name] if one["file"] == "right.jsonl"]
    assert [key for key in right if found[key]["state"] != "done"] == []
    said = {one["says"] for one in found.values() if one["state"] == "not yet"}
    assert [(fault, text) for text in sorted(said) for fault in faults_of(text)] == []


@pytest.mark.parametrize("name", BY_EXERCISE)
def test_the_right_answer_of_a_page_can_be_recorded(name):
    right = oracle.page_answers(name)[:1]  # there is none in Keras
    assert {one["state"] for one in oracle.judge_all(right, {}, ()).values()} <= {"done"}


def test_a_difference_is_told():
    one = ANSWERS[0]
    (text,) = oracle.differences([one], {one["key"]: one | {"state": "else"}})
    assert one["key"] in text and "else" in text
