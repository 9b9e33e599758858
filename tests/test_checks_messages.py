"""A check that lists names to choose from lists them in an order that gives nothing away."""

import re

import pytest

from course_utils.checks import check


@pytest.mark.parametrize(("name", "answer"), [("experiments", ("New context",)), ("doubts", ("amazing->not",))])
def test_the_names_to_choose_from_stand_in_an_order_that_tells_nothing(name, answer):
    named = re.findall(r'"([^"]+)"', check(name, answer).message)
    assert len(named) == 5 and named == sorted(named)
