"""Explain: after two "not yet" a check says what is behind a mistake, on numbers of the student's own function."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from course_utils.checks import check
from course_utils.checks.engine.judge import contrast
from course_utils.checks.engine.mistakes import mistakes
from course_utils.checks.exercises import LESSONS, exercise_of
from course_utils.checks.student import explanations, record

SOURCES = {path.stem: path for path in (Path(__file__).parent.parent / "notebooks" / "source").glob("*.py")}
MISCONCEPTIONS = list(dict.fromkeys(explanations.EXPLANATIONS.values()))
ROW = "## Shares\n\n- ids: `softmax-axis`\n- read again: 02_softmax, *Rows*\n\nA row shares one whole.\n"


@pytest.fixture(autouse=True)
def nothing_tried(monkeypatch):
    monkeypatch.setattr(record, "_this_kernel", {})


def cosine_without_lengths(a, b):
    return a @ b


def test_it_is_offered_after_two_tries_and_not_before():
    assert check("cosine", cosine_without_lengths).explanation is None
    assert check("cosine", lambda a, b: ...).explanation is None  # not started: no try
    explained = check("cosine", cosine_without_lengths).explanation
    assert explained.numbers() and explained.text
    assert check("dot_product", cosine_without_lengths).explanation is None  # right at once
    assert check("dot_product", lambda a, b: a * b).explanation is None  # what was done once counts no tries


def test_where_no_page_is_drawn_it_is_printed_below_the_verdict():
    first, second = (check("cosine", cosine_without_lengths) for _ in range(2))
    assert repr(second) == f"{first!r}\n{second.explanation}"
    assert "your function gives" in repr(second)


def test_the_tries_are_counted_over_a_restart_and_up_to_the_first_right_answer(tmp_path, monkeypatch):
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", str(tmp_path))
    check("dot_product", lambda a, b: a * b)
    monkeypatch.setattr(record, "_this_kernel", {})
    assert check("dot_product", lambda a, b: a * b).explanation
    for _ in range(2):
        check("dot_product", cosine_without_lengths)
    assert record.known()["dot_product"]["tries"] == 3


def test_a_record_of_an_earlier_version_has_no_tries(tmp_path, monkeypatch):
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", str(tmp_path))
    (tmp_path / "progress.json").write_text('{"cosine": {"state": "not yet", "mistakes": []}}', encoding="utf-8")
    assert check("cosine", cosine_without_lengths).explanation is None
    assert record.known()["cosine"]["tries"] == 1


def test_the_numbers_are_those_of_the_student_s_own_function():
    given, yours, right = contrast(exercise_of("cosine"), cosine_without_lengths)
    a, b = (np.array(json.loads(numbers)) for numbers in re.findall(r"\[.*?\]", given))
    assert yours == f"your function gives {a @ b}"
    assert right == f"and right is {right_cosine(a, b):.4g}"


def right_cosine(a, b):
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


def test_finite_numbers_are_laid_beside_the_right_ones_where_there_are_any():
    """The smallest inputs on which this function is wrong have one number, and there it gives NaN."""
    _, yours, _ = contrast(exercise_of("cosine"), lambda a, b: a @ b if len(a) > 1 else np.nan)
    assert re.fullmatch(r"your function gives -?[\d.]+", yours)


def test_where_no_wrong_number_is_finite_the_others_are_shown():
    lines = contrast(exercise_of("cosine"), lambda a, b: right_cosine(a, b) if len(a) > 2 else np.nan)
    assert lines[1] == "your function gives NaN"


def test_the_function_runs_for_the_numbers_when_they_are_first_shown():
    calls = []

    def answer(a, b):
        calls.append((a, b))
        return a @ b

    for _ in range(2):
        verdict = check("cosine", answer)
    counts = [len(calls) for show in (None, str, repr, type(verdict)._repr_html_) if not show or show(verdict)]
    assert counts[0] < counts[1] == counts[2] == counts[3]


@pytest.mark.parametrize("answer", [right_cosine, lambda a, b: 1 / 0, lambda: 1, None, 3, lambda a, b: "word"])
def test_where_no_numbers_differ_none_are_shown(answer):
    assert contrast(exercise_of("cosine"), answer) == ()


def test_a_value_has_no_inputs():
    assert contrast(exercise_of("softmax_axes"), ("rows", "columns")) == ()


def test_it_shows_as_a_fold_and_as_lines():
    for _ in range(2):
        verdict = check("cosine", cosine_without_lengths)
    page = verdict._repr_html_()
    assert re.search(r"<details><summary><strong>Explain</strong>: .+</details>", page, re.S)
    assert "Read again: " in str(verdict) and "your function gives" in str(verdict)


def test_a_section_of_a_later_lesson_is_not_read_again():
    for _ in range(2):
        verdict = check("one_query_scores", lambda q, K: K @ q)
    assert verdict.mistakes == ("scale-missing",) and "More will be said later: " in str(verdict)


def test_an_answer_that_checks_itself_is_explained_all_the_same():
    def checks_itself(a, b):
        check("cosine", cosine_without_lengths)
        return a @ b

    for _ in range(3):
        verdict = check("cosine", checks_itself)
    assert verdict.mistakes == ("checks-itself",) and "Explain" not in str(verdict)


def test_where_nothing_can_be_said_nothing_is_shown():
    for _ in range(3):
        verdict = check("first_check", 13)
    assert "Explain" not in str(verdict) and "details" not in verdict._repr_html_()


# The document


@pytest.mark.parametrize("found", MISCONCEPTIONS, ids=lambda found: found.title)
def test_an_explanation_has_60_to_150_words_and_names_a_section_that_is_there(found):
    assert 60 <= len(found.text.split()) <= 150
    assert re.search(rf"^# ##+ {re.escape(found.section)}", SOURCES[found.lesson].read_text(encoding="utf-8"), re.M)


def test_each_id_is_a_mistake():
    assert explanations.EXPLANATIONS.keys() <= mistakes().keys()


def test_there_are_as_many_misconceptions_as_can_be_read():
    assert 20 <= len(MISCONCEPTIONS) <= 30
    assert {found.lesson[:2] for found in MISCONCEPTIONS} <= LESSONS.keys()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ROW + ROW, "no other explanation"),
        (ROW.replace("- ids", "ids"), "read again"),
        (ROW.replace("*Rows*", "Rows"), "read again"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_heading(tmp_path, text, words):
    path = tmp_path / "EXPLANATIONS.md"
    path.write_text("# Title\n\nAn introduction.\n\n" + text, encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        explanations.read(path)
