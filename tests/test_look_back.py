"""Two questions about earlier lessons open each lesson from 03 on."""

from collections import Counter

import pytest

from course_utils.checks import look_back
from course_utils.checks.exercises import LESSONS
from course_utils.checks.student import look_back as module
from course_utils.checks.student import predictions

GOOD = """[[question]]
opens = "07"
from = "05"
question = "Is it?"
right = "yes"
[question.choices]
yes = "It is."
no = "It is not."
"""


@pytest.fixture(autouse=True)
def nothing_asked(monkeypatch):
    monkeypatch.setattr(predictions, "_by_question", {})


def test_two_questions_open_each_lesson_from_03_on():
    opened = Counter(question.opens for question in module.QUESTIONS)
    assert opened == dict.fromkeys([number for number in LESSONS if number >= "03"], 2)


def test_it_asks_them_and_they_are_no_predictions(capsys):
    look_back("07")
    assert capsys.readouterr().out.count("?") >= 2
    assert [asked.title for asked in predictions._by_question.values()] == [
        f"From lesson {question.about}" for question in module.QUESTIONS if question.opens == "07"
    ]
    assert not predictions.recap_table().rows
    with pytest.raises(ValueError, match="in quotes"):
        look_back(7)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('right = "yes"', 'right = "maybe"', "one of the choices"),
        ('"It is."', '""', "a sentence for each"),
        ('from = "05"', 'from = "09"', "the earlier one"),
        ('"05"', '"5"', "the earlier one"),
    ],
)
def test_what_cannot_be_asked_is_refused(tmp_path, old, new, words):
    path = tmp_path / "look_back.toml"
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        module.read(path)
    path.write_text(GOOD, encoding="utf-8")
    assert module.read(path)[0].about == "05"
