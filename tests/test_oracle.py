"""What the checks say to answers that the project holds is what was recorded; `nox -s oracle` compares them all."""

import oracle
import pytest

PARTS, ANSWERS = oracle.read()
SHARE = 12  # one of so many is judged here, and all by the command
SOME = [one for i, one in enumerate(ANSWERS) if i % SHARE == 0]
NAMES = list(dict.fromkeys(one["exercise"] for one in ANSWERS))


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_gets_the_state_and_the_ids_that_it_always_got(name):
    some = [one for one in SOME if one["exercise"] == name]
    found = oracle.judge_all(some, PARTS, ())
    assert list(oracle.differences(some, found, ("state", "ids"))) == []


def test_a_difference_is_told():
    one = ANSWERS[0]
    (text,) = oracle.differences([one], {one["key"]: one | {"state": "else"}})
    assert one["key"] in text and "else" in text
