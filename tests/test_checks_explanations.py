"""Explain: after two "not yet" a check says what is behind a mistake in three lines: a picture, numbers, a section."""

import json
import re
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from course_utils.checks import check
from course_utils.checks.exercises import COURSE, LESSONS, exercise_of, lesson_of, page_of
from course_utils.checks.student import explanations, record
from pagecheck.judge import small_numbers

SOURCES = {path.stem: path for path in (Path(__file__).parent.parent / "notebooks" / "source").glob("*.py")}
MISCONCEPTIONS = list(dict.fromkeys(explanations.EXPLANATIONS.values()))
ROW = "## Shares\n\n- ids: `softmax-axis`\n- read again: 02_softmax, *Rows*\n\nA row shares one whole.\n"
MOST_WORDS, MOST_SENTENCES = 45, 2
ON_NO_PAGE = {"scale-hardcoded": "one_query_scores"}  # found by the check itself: the earliest exercise with a scale


@pytest.fixture(autouse=True)
def nothing_tried(monkeypatch):
    monkeypatch.setattr(record, "_this_kernel", {})


def cosine_without_lengths(a, b):
    return a @ b


def explained(name, answer):
    """The Explanation after the second try."""
    return [check(name, answer) for _ in range(2)][1].explanation


def test_it_is_offered_after_two_tries_and_not_before():
    assert check("cosine", cosine_without_lengths).explanation is None
    assert check("cosine", lambda a, b: ...).explanation is None  # not started: no try
    found = check("cosine", cosine_without_lengths).explanation
    assert found.numbers() and found.text
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
    assert record.all_entries()["dot_product"]["tries"] == 3


def test_a_record_of_an_earlier_version_has_no_tries(tmp_path, monkeypatch):
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", str(tmp_path))
    (tmp_path / "progress.json").write_text('{"cosine": {"state": "not yet", "mistakes": []}}', encoding="utf-8")
    assert check("cosine", cosine_without_lengths).explanation is None
    assert record.all_entries()["cosine"]["tries"] == 1


def test_it_has_three_lines_in_words_of_the_lesson():
    """A student in lesson 01 has met no keys, no values and no scores when the first exercise comes."""
    title, text, numbers, read = str(explained("dot_product", lambda a, b: a * b)).splitlines()
    assert title == "Explain: Multiply first, then add"
    assert not re.search(r"\b(quer|key|value|score|attention|axis|shape)", text, re.I)
    assert read == "Read again: Multiply and add, in 01_dot_products."
    a, b, given = (np.array(json.loads(part)) for part in re.findall(r"\[.*?\]", numbers))
    assert np.array_equal(given, a * b)
    assert re.fullmatch(rf"For a = .* your function gives .*, and right is {a @ b:g}\.", numbers)


def test_the_numbers_are_those_of_the_student_s_own_function():
    line = small_numbers(exercise_of("cosine"), cosine_without_lengths)
    a, b = (np.array(json.loads(numbers)) for numbers in re.findall(r"\[.*?\]", line))
    assert line.endswith(f" your function gives {a @ b}, and right is {right_cosine(a, b):.4g}.")


def right_cosine(a, b):
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


def test_finite_numbers_are_laid_beside_the_right_ones_where_there_are_any():
    """The smallest inputs on which this function is wrong have one number, and there it gives NaN."""
    line = small_numbers(exercise_of("cosine"), lambda a, b: a @ b if len(a) > 1 else np.nan)
    assert re.search(r"your function gives -?[\d.]+, and right is", line)


def test_where_no_wrong_number_is_finite_the_others_are_shown():
    line = small_numbers(exercise_of("cosine"), lambda a, b: right_cosine(a, b) if len(a) > 2 else np.nan)
    assert "your function gives NaN, and" in line


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
    assert small_numbers(exercise_of("cosine"), answer) == ""


def test_a_value_has_no_inputs():
    assert small_numbers(exercise_of("softmax_axes"), ("rows", "columns")) == ""


def test_it_shows_as_a_fold_and_as_lines():
    for _ in range(2):
        verdict = check("cosine", cosine_without_lengths)
    page = verdict._repr_html_()
    fold = re.search(r"<details><summary><strong>Explain</strong>: .+</details>", page, re.S)
    assert fold and fold[0].count("<p>") == 3 and f"<p>{verdict.explanation.numbers()}</p>" in fold[0]
    assert "Read again: " in str(verdict) and "your function gives" in str(verdict)


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


@cache
def ids_at(name, line):
    """The ids below one line of a page, with those that it takes from the same line of other pages."""
    groups = [group for group in page_of(name).groups if group.line.text == line]
    found = {entry.id for group in groups for entry in group.entries}
    return found.union(*(ids_at(other, line) - set(without) for group in groups for other, without in group.borrowed))


@cache
def can_show():
    """{id: the exercises that can show it}, as their pages say."""
    found = {id: [name] for id, name in ON_NO_PAGE.items()}
    for name in chain(*LESSONS.values()):
        for id in set().union(*(ids_at(name, group.line.text) for group in page_of(name).groups)):
            found.setdefault(id, []).append(name)
    return found


def position(lesson, heading):
    """How far down in its source a heading stands, -1 where it is not there."""
    found = re.search(rf"^# ##+ {heading}", SOURCES[lesson].read_text(encoding="utf-8"), re.M)
    return found.start() if found else -1


@pytest.mark.parametrize("found", MISCONCEPTIONS, ids=lambda found: found.title)
def test_an_explanation_is_one_or_two_short_sentences(found):
    assert 0 < len(found.text.split()) <= MOST_WORDS
    assert 1 <= len(re.findall(r"[.?](?=\s|$)", found.text)) <= MOST_SENTENCES


@pytest.mark.parametrize("found", MISCONCEPTIONS, ids=lambda found: found.title)
def test_the_section_to_read_again_comes_before_every_exercise_that_can_show_it(found):
    """In an earlier lesson, or in the same one and above the exercise."""
    section = position(found.lesson, re.escape(found.section))
    assert section >= 0
    ids = [id for id, one in explanations.EXPLANATIONS.items() if one == found]
    names = set(chain(*(can_show().get(id, ()) for id in ids)))
    earliest = min(map(lesson_of, names))
    assert found.lesson[:2] <= earliest
    here = [name for name in names if lesson_of(name) == found.lesson[:2]]
    assert [name for name in here if position(found.lesson, f"Exercise: `{name}`") < section] == []


def test_each_id_is_a_mistake_that_an_exercise_can_show():
    assert explanations.EXPLANATIONS.keys() <= COURSE.mistakes.keys()
    assert [id for id in explanations.EXPLANATIONS if id not in can_show()] == []


def test_there_are_as_many_misconceptions_as_can_be_read():
    assert 35 <= len(MISCONCEPTIONS) <= 50
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
