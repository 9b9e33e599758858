"""Predictions: one right choice, a sentence for each wrong one, and a static form that is always the same."""

import re

import pytest

from course_utils.checks import predict, recap
from course_utils.checks.student import predictions


@pytest.fixture(autouse=True)
def nothing_asked(monkeypatch):
    monkeypatch.setattr(predictions, "_asked", {})


CHOICES = {70: "Too few: that is one matrix.", 777: "All layers together.", 2333: "That counts the optimiser too."}


def test_without_a_notebook_the_question_and_the_choices_are_printed(capsys):
    predict("How many weights?", CHOICES, answer=777)
    assert capsys.readouterr().out == "? How many weights?\n  · 70\n  · 777\n  · 2333\n"


@pytest.mark.parametrize(
    ("choices", "answer", "right"),
    [
        (CHOICES, lambda: 700 + 77, 777),
        (CHOICES, 777.0, 777),
        ({0.67: "a", 0.33: "b"}, 0.6697, 0.67),
        ({-2: "a", 22: "b"}, -2, -2),
        ({0.5: "a", 0.25: "b"}, 0.5, 0.5),
        ({"not": "a", "good": "b"}, lambda: "good", "good"),
        ({"Yes": True, "No": "It does not."}, None, "Yes"),
        ({True: "a", False: "b"}, False, False),
    ],
)
def test_the_right_choice(choices, answer, right):
    predict("?", choices, answer=answer)
    assert predictions._asked["?"].right == right


@pytest.mark.parametrize(
    ("choices", "answer"),
    [
        (CHOICES, 778),
        (CHOICES, None),
        ({"a": True, "b": True}, None),
        ({"a": True, "b": ""}, None),
        ({"a": True, "b": None}, None),
        ({"a": "only one"}, "a"),
        ({1: "a", 1.0001: "b", 2: ""}, 1),
        (["a", "b"], "a"),
        ({0.67: "a", 0.7: "b", 0.671: "c"}, 0.671),  # 0.671 rounds to all three
    ],
)
def test_a_question_without_exactly_one_right_choice_or_without_words_is_refused(choices, answer):
    with pytest.raises(ValueError, match="choices"):
        predict("?", choices, answer=answer)


def test_the_static_form_holds_every_sentence_and_is_always_the_same():
    predict("1 < 2 & 3?", {"yes": True, "no": "Look <again>."})
    first = predictions._static(predictions._asked["1 < 2 & 3?"])
    assert first == predictions._static(predictions._asked["1 < 2 & 3?"])
    assert "Look &lt;again&gt;." in first
    assert first.count("<details>") == 2
    assert not re.search(r"id=|0x", first)


def test_recap_says_what_was_predicted_and_what_came_out():
    predict("How many?", CHOICES, answer=777)
    predict("Which?", {"not": True, "good": "No."})
    assert str(recap()).splitlines()[0] == "No prediction was made in this run"
    predictions._asked["How many?"].chosen = 70
    predictions._asked["Which?"].chosen = "not"
    lines = str(recap()).splitlines()
    assert lines[0] == "1 of 2 predictions came true"
    assert re.fullmatch(r"  How many\?  ✗ 70\s+777", lines[1])
    assert re.fullmatch(r"  Which\?     ✓ not\s+not", lines[2])


def test_a_cell_that_runs_twice_keeps_the_choice():
    predict("How many?", CHOICES, answer=777)
    predictions._asked["How many?"].chosen = 70
    predict("How many?", CHOICES, answer=777)
    assert predictions._asked["How many?"].chosen == 70
    assert len(predictions._asked) == 1


def press(prediction, position):
    """Press a button of the widget, and return the buttons and the words that appear."""
    from course_utils.checks.student.predict_widget import widget_of

    _, *buttons, words = widget_of(prediction).children
    if position is not None:
        buttons[position].click()
    return buttons, words.value


def test_a_button_commits_and_tells_why():
    predict("How many?", CHOICES, answer=777)
    asked = predictions._asked["How many?"]
    buttons, words = press(asked, 0)
    assert asked.chosen == 70
    assert [button.disabled for button in buttons] == [False, True, True], "a disabled button loses the focus"
    assert "✗ Not 70." in words
    assert "Too few: that is one matrix." in words
    assert "The answer: 777." in words
    assert 'role="status"' in words, "a screen reader has to hear it"


def test_the_right_button_says_so():
    predict("How many?", CHOICES, answer=777)
    _, words = press(predictions._asked["How many?"], 1)
    assert "✓ Right: 777." in words


def test_before_the_choice_the_answer_does_not_show():
    predict("How many?", CHOICES, answer=777)
    buttons, words = press(predictions._asked["How many?"], None)
    assert not any(button.disabled for button in buttons)
    assert "777" not in words


def test_a_choice_made_before_shows_again():
    predict("How many?", CHOICES, answer=777)
    asked = predictions._asked["How many?"]
    asked.chosen = 70
    buttons, words = press(asked, None)
    assert [button.disabled for button in buttons] == [False, True, True]
    buttons[0].click()
    assert asked.chosen == 70, "to press it again changes nothing"
    assert "✗ Not 70." in words
