"""What the checks say, as texts: no line of the course quoted, nothing cut."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from good_texts import COURSE_LINES, faults_of

from course_utils.checks import check
from course_utils.checks.engine.error_reasons import REASONS
from course_utils.checks.engine.errors import in_words

ROOT = Path(__file__).resolve().parents[1]


def unseen_answers():
    """Every fourth of the unseen answers that the checks may be improved on."""
    path = ROOT / "studies" / "diagnosis.py"
    spec = importlib.util.spec_from_file_location("diagnosis", path)
    sys.modules["diagnosis"] = diagnosis = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(diagnosis)
    some = [unseen for unseen in diagnosis.all_answers() if unseen.half == "tune" and unseen.key[0] in "0123"]
    return [(unseen.exercise, unseen.answer) for unseen in some]


@pytest.fixture(scope="module")
def messages():
    """Messages, each with the exercise that it was said in. Those of the listed answers stand in test_checks."""
    with np.errstate(all="ignore"):
        return sorted({(name, check(name, answer).message) for name, answer in unseen_answers()})


def test_messages_are_good_texts(messages):
    assert [(name, fault, text) for name, text in messages for fault in faults_of(text)] == []


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


def test_numbers_stay_where_a_sentence_about_the_code_goes():
    window = check("causal_mask", lambda n: np.tri(n, dtype=bool) & ~np.tri(n, k=-3, dtype=bool))
    assert window.message.startswith("Work it out by hand for n = 4: ")  # "index" in it is no claim about the code


def test_nothing_is_said_of_whole_numbers_where_none_are_made():
    def softmax(scores):
        exponentials = np.exp(scores)
        return exponentials / exponentials.sum(axis=-1, keepdims=True)

    def rows_of_zeros(Q, K, mask):
        return np.nan_to_num(softmax(np.where(mask, Q @ K.T / Q.shape[1] ** 0.5, np.nan)))

    found = check("masked_weights", rows_of_zeros)
    assert "there your function gives [[0, 0]]" in found.message
    assert "after the point" not in found.message and "made from the sum" not in found.message


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


def test_true_and_false_are_called_so():
    found = check("cut_edge", lambda n, query, key: np.add.outer(np.arange(n) * query, np.arange(n) * key) % 3 > 0)
    assert "your function gives [[False, True], [True, True]], and that is not it." in found.message


def test_what_nobody_knows_is_said_whole_or_not_at_all():
    assert in_words("KeyError\n7\n").endswith("KeyError. 7.")
    assert in_words("ValueError\n" + "long " * 60 + "\n") == "Your function stops with ValueError."
    assert not any(pattern.search("") for pattern, _ in REASONS)
