"""Predictions: one right choice, a sentence for each wrong one, sealed for students, and kept over a restart."""

import json
import re

import pytest
from seal_predictions import seal

from course_utils.checks import predict
from course_utils.checks.student import predictions


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A student's own place, where nothing was asked yet."""
    monkeypatch.setattr(predictions, "_by_question", {})
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", str(tmp_path))
    return tmp_path


CHOICES = {70: "Too few: that is one matrix.", 777: "All layers together.", 2333: "That counts the optimiser too."}


@pytest.mark.parametrize(
    ("choices", "answer", "right"),
    [
        (CHOICES, lambda: 700 + 77, 777),
        (CHOICES, 777.0, 777),
        ({0.67: "a", 0.33: "b"}, 0.6697, 0.67),
        ({"not": "a", "good": "b"}, lambda: "good", "good"),
        ({"Yes": True, "No": "It does not."}, None, "Yes"),
        ({True: "a", False: "b"}, False, False),
    ],
)
def test_the_right_choice(choices, answer, right):
    predict("?", choices, answer=answer)
    assert predictions._by_question["?"].right == right


@pytest.mark.parametrize(
    ("choices", "answer"),
    [
        (CHOICES, 778),
        ({"a": True, "b": True}, None),
        ({"a": True, "b": ""}, None),
        (["a", "b"], "a"),
        ({0.67: "a", 0.7: "b", 0.671: "c"}, 0.671),  # 0.671 rounds to all three
    ],
)
def test_a_question_without_exactly_one_right_choice_or_without_words_is_refused(choices, answer):
    with pytest.raises(ValueError, match="choices"):
        predict("?", choices, answer=answer)


def ask(question="How many?", choices=CHOICES, answer=777):
    predict(question, choices, answer=answer)
    return predictions._by_question[question]


def test_a_card_commits_and_the_page_knows_why():
    from course_utils.checks.student.predict_widget import widget_of

    shown = widget_of(ask())
    assert (shown.choices, shown.right, shown.chosen) == (["70", "777", "2333"], 1, -1)
    shown.chosen = 0
    said = "✗ You chose: 70. Too few: that is one matrix. The answer is: 777. All layers together."
    assert shown.said[0] == "Too few: that is one matrix." and ask().feedback() == said
    again = widget_of(ask())
    assert again.chosen == 0
    again.chosen = 1
    assert ask().chosen == 70, "a choice cannot be changed"
    widget_of(ask("Which?", {"yes": True, "no": "It does not."}, None)).chosen = 0
    assert predictions._by_question["Which?"].feedback() == "✓ Right: yes."


def test_recap_says_what_was_predicted_and_what_came_out():
    which = ask("Which?", {"not": True, "good": "No."}, None)
    student('predict("Is it?", {"yes": True, "no": "It is not."})')
    assert str(predictions.recap_table()).splitlines()[0] == "No prediction was made in this run"
    assert re.search(r"Is it\?  —\s+choose first", str(predictions.recap_table())), "its answer is sealed"
    ask().commit(70)
    which.commit("not")
    lines = str(predictions.recap_table()).splitlines()
    assert lines[0] == "1 of 2 predictions came true"
    assert any(re.fullmatch(r"  How many\?  ✗ 70\s+777", line) for line in lines)
    assert any(re.fullmatch(r"  Which\?     ✓ not\s+not", line) for line in lines)


# The student's form


def student(text, number=1):
    """Ask a prediction as the student's notebook asks it."""
    exec(seal(text, number), {"predict": predict, "value": 777})


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ('predict("?", {"yes": True, "no": "It is not."})', "yes"),
        ('predict("?", {"Ada\'s": "a", "Ben\'s": "b"}, answer="Ben\'s")', "Ben's"),
        ('predict(f"{1}?".strip("1"), {-2: "a", 0.5: "b"}, answer=-2)', -2),
    ],
)
def test_the_student_s_form_asks_the_same(text, right, capsys):
    """Without a notebook the question and the choices are printed."""
    student(text)
    exec(text, {"predict": predict, "value": 777})
    plain = capsys.readouterr().out
    assert plain[: len(plain) // 2] == plain[len(plain) // 2 :]
    found = predictions._by_question["?"]
    assert (found.right, found.number) == (right, 1)


@pytest.mark.parametrize("seal", ["", "!", "e30=", "eyJzYWlkIjogW10sICJyaWdodCI6IDB9"])
def test_a_broken_seal_is_refused(seal):
    with pytest.raises(ValueError, match="sealed"):
        predict("?", ["yes", "no"], number=1, sealed=seal)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("predict('?', {'a': True})\nx = 1", "a cell of its own"),
        ("predict('?', CHOICES)", "is written"),
        ("predict('?', {'a': True}, right='a')", "is written"),
        ("predict('?', {'a': True, 'b': words})", "a text, or True"),
    ],
)
def test_what_cannot_be_sealed_is_refused(text, words):
    with pytest.raises(ValueError, match=words):
        seal(text, 1)


# Over a restart


def after_restart(monkeypatch, question="How many?", choices=CHOICES):
    monkeypatch.setattr(predictions, "_by_question", {})
    return ask(question, choices).chosen


def test_a_choice_is_there_again_after_a_restart(monkeypatch):
    ask().commit(70)
    assert after_restart(monkeypatch) == 70
    assert str(predictions.recap_table()).startswith("0 of 1 predictions came true")
    assert after_restart(monkeypatch, "How few?") is None
    assert after_restart(monkeypatch, choices={777: "a", 8: "b"}) is None, "the choice is there no more"


@pytest.mark.parametrize("where", ["off", "among the solutions", "in a file"])
def test_where_nothing_can_be_kept_the_lesson_goes_on(folder, where, monkeypatch):
    monkeypatch.chdir(folder)
    file = folder / "solved_attention.py"
    file.touch()
    if where != "among the solutions":
        monkeypatch.setenv("LEARNING_TO_LOOK_DATA", {"off": "off", "in a file": str(file)}[where])
    ask().commit(70)
    assert ask().chosen == 70 and after_restart(monkeypatch) is None


def test_the_record_of_exercises_and_what_later_versions_write_stay(folder, monkeypatch):
    old = '{"cosine": {"state": "done", "mistakes": []}}'
    (folder / "progress.json").write_text(old)
    later = {"format 7": [1], "How many?": {"seconds": 4}}
    (folder / "predictions.json").write_text(json.dumps(later))
    ask().commit(777)
    assert json.loads((folder / "predictions.json").read_text()) == {
        "format 7": [1],
        "How many?": {"seconds": 4, "chosen": "777"},
    }
    assert (folder / "progress.json").read_text() == old
    assert after_restart(monkeypatch) == 777


@pytest.mark.parametrize("damage", ["{", "[]", '{"How many?": 5}', '{"How many?": {"chosen": [7]}}'])
def test_a_damaged_file_costs_the_memory_and_never_the_lesson(folder, damage, monkeypatch):
    (folder / "predictions.json").write_text(damage)
    assert after_restart(monkeypatch) is None
    ask().commit(70)
    assert after_restart(monkeypatch) == 70


def test_the_static_form_holds_every_sentence_and_is_always_the_same():
    predict("1 < 2 & 3?", {"yes": True, "no": "Look <again>."})
    first = predictions._static(predictions._by_question["1 < 2 & 3?"])
    assert first == predictions._static(predictions._by_question["1 < 2 & 3?"])
    assert "Look &lt;again&gt;." in first
    assert first.count("<details>") == 2
    assert not re.search(r"id=|0x", first)
