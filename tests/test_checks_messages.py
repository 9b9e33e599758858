"""What the checks say, as texts: no line of the course quoted, nothing cut."""

import re
from pathlib import Path

import numpy as np
import pytest
from good_texts import COURSE_LINES, faults_of

from course_utils.checks import check

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("It stops at `raise wrong(name, value, wanted)`", "does not end"),
        ("Size is 3 but ...1.", "is cut"),
        ("An array has 2 axis.", "in the singular"),
        ("There are 1 things.", "in the plural"),
        ("This is a array.", "article"),
        ("This is an list.", "article"),
        ("A ndarray came.", "ndarray"),
        ("word " * 81 + ".", "82 words"),
        ("Two  blanks.", "blank"),
    ],
)
def test_a_bad_text_is_found(text, fault):
    assert any(fault in found for found in faults_of(text)), list(faults_of(text))


def test_heads_are_spoken_of_in_their_own_exercise_only():
    def one_number_too_many(read, tokens, queries, keys):
        n_reviews, n = tokens.shape
        m = np.ones((n_reviews, n, n), dtype=bool)
        before = read(tokens, m.copy()) >= 0.5
        for i in range(n_reviews):
            for query, key in zip(queries, keys, strict=True):
                m[i, query[i], key[i]] = False
        return abs(before.mean() - (read(tokens, m) >= 0.5).mean())

    assert "heads" not in check("turned_by_cut", one_number_too_many).message


@pytest.mark.parametrize(("name", "answer"), [("experiments", ("New context",)), ("doubts", ("amazing->not",))])
def test_the_names_to_choose_from_stand_in_an_order_that_tells_nothing(name, answer):
    named = re.findall(r'"([^"]+)"', check(name, answer).message)
    assert len(named) == 5 and named == sorted(named)


def test_a_line_of_the_course_is_found():
    line = next(line for line in sorted(COURSE_LINES) if "`" not in line)
    assert "quotes a line of the course" in list(faults_of(f"It stops at `{line}`."))
