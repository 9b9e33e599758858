"""Explain: after two "not yet" a check says what is behind a mistake in three lines: a picture, numbers, a section."""

import json
import re
from functools import cache
from html import unescape
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from course_utils.checks import check
from course_utils.checks.exercises import COURSE, LESSONS, exercise_of, lesson_of, page_of
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
    found = check("cosine", cosine_without_lengths).explanation
    assert found.numbers() and found.text
    assert check("dot_product", cosine_without_lengths).explanation is None  # right at once
    assert check("dot_product", lambda a, b: a * b).explanation is None  # what was done once counts no tries


def test_it_shows_as_a_fold_and_as_lines_below_the_verdict():
    """The numbers are those of the student's own function, which runs for them when they are first shown."""
    calls = []

    def answer(a, b):
        calls.append((a, b))
        return a @ b

    first, second = (check("cosine", answer) for _ in range(2))
    counts = [len(calls) for show in (None, str, repr, type(second)._repr_html_) if not show or show(second)]
    assert counts[0] < counts[1] == counts[2] == counts[3]
    assert repr(second) == f"{first!r}\n{second.explanation}"
    title, text, line, read = str(second.explanation).splitlines()
    assert title.startswith("Explain: ") and text and read.startswith("Read again: ")
    a, b = (np.array(json.loads(numbers)) for numbers in re.findall(r"\[.*?\]", line))
    cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    assert line.endswith(f" your function gives {a @ b}, but it should be {cosine:.4g}.")
    fold = re.search(r"<details><summary><strong>Explain</strong>: .+</details>", second._repr_html_(), re.S)
    assert fold and fold[0].count("<p>") == 3 and f"<p>{line}</p>" in fold[0]


def test_what_can_be_copied_for_an_assistant_asks_for_a_question_and_holds_the_code_and_no_solution():
    page = [check("cosine", cosine_without_lengths) for _ in range(2)][1]._repr_html_()
    text = unescape(re.search(r"<pre tabindex.*?>(.*?)</pre>", page, re.S)[1])
    order = ["ask me one question", "Give me no solution", "Their lengths must not matter.", "return", "not yet"]
    assert sorted(order, key=text.index) == order
    assert "def cosine_without_lengths" in text and "Hint" not in text and "norm" not in text.split("My code")[0]


# The document


@cache
def can_show():
    """{id: the exercises that can show it}, as their pages say."""
    found = {"scale-hardcoded": ["scaling_sweep"]}  # by the check itself: the earliest exercise with a scale
    for name in chain(*LESSONS.values()):
        for id in {*exercise_of(name).ids, *(entry.id for entry in page_of(name).entries)}:
            found.setdefault(id, []).append(name)
    return found


def position(lesson, heading):
    """How far down in its source a heading stands, -1 where it is not there."""
    found = re.search(rf"^# ##+ {heading}", SOURCES[lesson].read_text(encoding="utf-8"), re.M)
    return found.start() if found else -1


@pytest.mark.parametrize("found", MISCONCEPTIONS, ids=lambda found: found.title)
def test_the_section_to_read_again_comes_before_every_exercise_that_can_show_it(found):
    """In an earlier lesson, or in the same one and above the exercise."""
    assert 0 < len(found.text.split()) <= 45
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


@pytest.mark.parametrize(
    ("text", "words"), [(ROW + ROW, "no other explanation"), (ROW.replace("*Rows*", "Rows"), "read again")]
)
def test_what_cannot_be_read_is_refused_with_its_heading(tmp_path, text, words):
    path = tmp_path / "EXPLANATIONS.md"
    path.write_text("# Title\n\nAn introduction.\n\n" + text, encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        explanations.read(path)
