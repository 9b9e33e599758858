"""The questionnaire as Python sees it: codes, files, what it refuses and what it never shows too early."""

import base64
import json
import re
import zipfile
from itertools import pairwise
from unittest.mock import Mock

import pytest

from course_utils.checks import take_away
from course_utils.checks.student import record
from course_utils.computer.notebook import WIDGET
from course_utils.explorables import export_html
from course_utils.inventory import answers
from course_utils.inventory.codes import LENGTH, SYMBOLS, as_code, draw_code, first_form, form_of
from course_utils.inventory.items import load
from course_utils.inventory.questionnaire import Questionnaire, check_summary

CODE = draw_code("A")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder of a student, with a record of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(record, "_this_kernel", {})
    return tmp_path


def sat(code=CODE, name="before", **answers_given):
    form = form_of(code, name)
    chosen = {f"{form}{pair.strip('q')}": letter for pair, letter in answers_given.items()}
    return {"form": form, "answers": chosen, "seconds": 3, "finished": False}


def content_of(code=CODE, **parts):
    return {"inventory": load().version, "code": code} | parts


# Codes


@pytest.mark.parametrize("first", ["A", "B"])
def test_a_code_says_which_form_comes_first_and_the_other_comes_after(first):
    for _ in range(50):
        code = draw_code(first)
        assert as_code(code) == code and first_form(code) == first
        assert {form_of(code, "before"), form_of(code, "after")} == {"A", "B"}
        assert as_code(f" {code[:3].lower()}-{code[3:].lower()} ") == code  # as somebody types it
    codes = {draw_code() for _ in range(400)}
    assert len(codes) == 400 and 120 < sum(first_form(code) == "A" for code in codes) < 280


def test_one_wrong_symbol_and_two_exchanged_ones_are_noticed():
    for _ in range(20):
        code = draw_code()
        for place in range(LENGTH):
            for symbol in set(SYMBOLS) - {code[place]}:
                assert not as_code(code[:place] + symbol + code[place + 1 :])
        for i, (one, other) in enumerate(pairwise(code[:-1])):
            if one != other:
                assert not as_code(code[:i] + other + one + code[i + 2 :])


@pytest.mark.parametrize("text", ["", "ABC", "AB0DEF", None, 3, "😀😀😀😀😀😀"])
def test_what_is_no_code_is_refused(text):
    assert as_code(text) == ""
    if text:
        with pytest.raises(ValueError, match=r"^code is .* wanted: the code that the first questionnaire showed"):
            Questionnaire("before", text)
        with pytest.raises(ValueError, match=r"^sitting is .* wanted: 'before' or 'after'"):
            Questionnaire(text)


# Files


def test_every_answer_is_in_the_file_at_once(here):
    asked = Questionnaire("before", CODE)
    assert not list(here.glob("answers_*"))  # nothing was answered yet
    for number, letter in enumerate("ab?", 1):
        given = {f"q{i}": answer for i, answer in enumerate("ab?"[:number], 1)}
        asked.content = content_of(before=sat(**given))
        assert answers.read(here / f"answers_{CODE}.json")["before"]["answers"][f"A{number}"] == letter
    assert asked.trouble == ""


def test_the_answers_that_lie_here_are_taken_up_the_last_ones_first(here):
    other = draw_code("B")
    answers.write(content_of(other, before=sat(other, q1="a")), here)
    assert Questionnaire("after").content["code"] == other
    assert Questionnaire("after", CODE).content == content_of()
    (here / f"answers_{other}.json").write_text("{")
    assert Questionnaire("after").content["code"] != other


def test_what_the_checks_noted_comes_in_and_goes_out_by_the_wish_of_the_student(here):
    from course_utils.checks import check

    check("first_check", 12)
    check("cosine", ...)
    asked = Questionnaire("after", CODE)
    asked.content = content_of(after=sat(name="after", q1="a"))
    assert "checks" not in answers.read(here / f"answers_{CODE}.json")
    asked.share = True
    inside = answers.read(here / f"answers_{CODE}.json")["checks"]
    assert inside == check_summary() and list(inside) == ["first_check"] and inside["first_check"]["tries"] == 1
    assert Questionnaire("after", CODE).share
    asked.share = False
    assert "checks" not in answers.read(here / f"answers_{CODE}.json")


@pytest.mark.parametrize(
    "wrong",
    [
        content_of(before=3),
        content_of(before=sat(q1="z")),
        {"code": CODE},
        content_of(before=sat() | {"form": "B"}),
        {},
    ],
)
def test_what_are_no_answers_is_not_written_and_a_damaged_file_is_moved_aside(wrong, here, monkeypatch):
    path = here / f"answers_{CODE}.json"
    asked = Questionnaire("before", CODE)
    asked.content = wrong
    assert asked.trouble.startswith("Your last answer could not be kept:") and not path.exists()
    path.write_text("half a file")
    asked.content = content_of(before=sat(q1="a"))
    assert asked.trouble == "" and answers.read(path)["before"]["answers"] == {"A1": "a"}
    assert path.with_suffix(".damaged").read_text() == "half a file"
    monkeypatch.setattr(answers, "write_entries", Mock(side_effect=OSError("No space left on device")))
    asked.content = content_of(before=sat(q1="b"))
    assert "No space left" in asked.trouble


def test_a_file_that_lies_here_is_kept_read_only_where_it_may_be_and_taken_away_on_wish(here, monkeypatch):
    answers.write(content_of(before=sat(q1="c")), here)
    asked = Questionnaire("after", draw_code("B"))
    asked.content = content_of()  # its code was typed
    assert asked.content == content_of(before=sat(q1="c")) and CODE in asked.place
    (here / "inventory").mkdir()
    answers.write(content_of(before=sat(q1="a")), here / "inventory")
    for file in ("04_lesson.ipynb", "my_attention.py"):
        (here / file).touch()
    take_away()
    with zipfile.ZipFile(here / "my_work.zip") as archive:
        assert {f"inventory/answers_{CODE}.json", "04_lesson.ipynb", "my_attention.py"} <= set(archive.namelist())
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", "off")
    asked = Questionnaire("before", CODE)
    asked.content = content_of(before=sat(q1="a"))
    assert asked.keeps == "nothing" and answers.read(here / f"answers_{CODE}.json")["before"] == sat(q1="c")


# The page


def test_what_the_page_shows_of_an_item_does_not_say_which_option_is_right():
    asked = Questionnaire("before", CODE)
    shown = json.dumps(asked.forms, ensure_ascii=False)
    for item in load().items.values():
        assert all(option.text in shown for option in item.options)
        assert not any(option.why in shown or any(id in shown for id in option.mistakes) for option in item.options)
    assert '"right"' not in shown and "mistake" not in shown
    sealed = json.loads(base64.b64decode(asked.sealed))
    assert {name: key["right"] for name, key in sealed.items()} == {i.id: i.right for i in load().items.values()}


def test_a_stored_notebook_says_what_stands_there_and_nothing_of_a_student():
    data, _ = Questionnaire("before", CODE)._repr_mimebundle_()
    assert set(data) == {"text/plain", WIDGET} and CODE not in data["text/plain"]


@pytest.mark.parametrize("sitting", answers.SITTINGS)
def test_a_page_without_a_kernel_needs_no_other_file(sitting, tmp_path):
    page = export_html(Questionnaire(sitting, keeps="page"), tmp_path / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"""\b(src|href)=["'](?!data:)|@import|url\(|https?://(?!www\.w3\.org/)""", page)
    assert page.count("</script>") == 2
