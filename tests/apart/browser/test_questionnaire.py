"""The questionnaire in a real browser: both forms with the keyboard alone, kept at once, silent about what is right.

In JupyterLab the answers are a file beside the notebook; on a page without a kernel they stay in the browser.
"""

import json
import re

import pytest
from test_every_explorable import DRAWN, SIZES, hold_together

from course_utils.inventory.answers import read
from course_utils.inventory.codes import as_code, draw_code, form_of
from course_utils.inventory.items import LETTERS, UNKNOWN, load
from course_utils.inventory.questionnaire import HERE, Questionnaire

A_FIRST, B_FIRST = draw_code("A"), draw_code("B")
FOCUS = "() => document.activeElement.textContent.trim() || document.activeElement.value"
ROOT = ".look-questionnaire"


def screen(page):
    return page.locator(ROOT).last.inner_text()


def tab_to(page, name, most=60):
    """Press Tab until the focus is on what has this name."""
    for _ in range(most):
        if page.evaluate(FOCUS) == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{most} times Tab, and never on {name}: {screen(page)}")


def item_on_screen(page):
    """The item whose question is on the screen."""
    legend = page.locator(f"{ROOT} legend").last.inner_text()
    return next(item for item in load().items.values() if item.question.replace("*", "") in legend)


def answer(page, letter, way=0):
    """Choose an option in one of three ways, all of them keys, and go on."""
    place = (*LETTERS, UNKNOWN).index(letter)
    if way == 0:
        page.keyboard.press(str(place + 1))
    else:
        to_options(page)
        page.keyboard.press(" ")
        for _ in range(place if way == 1 else (place - 5) % -5 * -1):
            page.keyboard.press("ArrowDown" if way == 1 else "ArrowUp")
    assert choice(page) == letter
    page.keyboard.press("Enter")


def to_options(page):
    """Press Tab past "The picture in words"."""
    while page.evaluate("() => document.activeElement.type") != "radio":
        page.keyboard.press("Tab")


def choice(page):
    return page.locator(f"{ROOT} input:checked").last.get_attribute("value")


def press(page, name):
    page.get_by_role("button", name=name).click()


def begin(page, *letters):
    """Answer the first questions."""
    press(page, "Begin")
    for letter in letters:
        answer(page, letter)


def enter(page, name):
    """Find a button with the keyboard, and press it."""
    tab_to(page, name)
    page.keyboard.press("Enter")


def take(page, sitting, code, letters):
    """Answer one questionnaire from its first screen to its last, by keyboard. Returns {item: letter}."""
    enter(page, "Begin")
    given = {}
    for number, letter in enumerate(letters):
        item = item_on_screen(page)
        assert item.id == f"{form_of(code, sitting)}{number + 1}"
        given[item.id] = item.right if letter == "right" else letter
        answer(page, given[item.id], number % 3)
        assert not re.search("[✓✗]|Right|correct|wrong", screen(page))
    enter(page, "Finish")
    return given


@pytest.fixture
def answers(lab):
    """A function that reads the answers beside the notebook, which are deleted at the end."""
    yield lambda code: json.loads((lab.folder / f"answers_{code}.json").read_text(encoding="utf-8"))
    for path in lab.folder.glob("answers_*"):
        path.unlink()


def cell(lab, sitting, code=None, data="on"):
    """The cell that shows a questionnaire; the record of the checks lies in the folder of the test."""
    where = "off" if data == "off" else str(lab.folder / "record")
    begin = f"import os\nos.environ['LEARNING_TO_LOOK_DATA'] = {where!r}\n"
    return (
        f"{begin}from course_utils.inventory.questionnaire import Questionnaire\nQuestionnaire({sitting!r}, {code!r})"
    )


def test_both_forms_in_jupyterlab_with_the_keyboard_alone(cells, lab, answers, shot):
    """The focus begins in the notebook, as after Shift+Enter, and nothing but keys is pressed."""
    page = cells(cell(lab, "before", B_FIRST), "")
    page.locator(ROOT).wait_for()
    page.keyboard.press("Escape")
    before = take(page, "before", B_FIRST, ["b", "right", "a", UNKNOWN, "d", "c", "right", *"aabbccd"])
    page.get_by_text("What is right shows after the second questionnaire.").wait_for()
    wait_for(page, lambda: answers(B_FIRST)["before"]["finished"])
    assert page.locator(".jp-Notebook .jp-Cell").count() == 2, "no key reached JupyterLab as a command"
    lab.close(page)

    solved = "from course_utils.checks import check\ncheck('first_check', 10)\ncheck('first_check', 12)\n"
    page = cells(cell(lab, "after").replace("from course", f"{solved}from course", 1))  # the file holds the code
    page.locator(ROOT).get_by_text(B_FIRST, exact=True).wait_for()
    page.keyboard.press("Escape")
    after = take(page, "after", B_FIRST, ["right"] * 12 + ["a", UNKNOWN])
    page.get_by_text("The questions before the course").wait_for()
    wait_for(page, lambda: answers(B_FIRST)["after"]["finished"])
    kept = answers(B_FIRST)
    assert [kept[sitting]["answers"] for sitting in ("before", "after")] == [before, after]
    assert set(kept) == {"inventory", "code", "before", "after"}, "the checks are added only by those who want it"
    right = [sum(load().items[id].right == letter for id, letter in given.items()) for given in (before, after)]
    assert f"all\t{right[0]} of 14\t{right[1]} of 14" in screen(page)
    shot(page, "questionnaire-results")
    page.get_by_role("checkbox").press(" ")
    wait_for(page, lambda: "checks" in answers(B_FIRST))
    entry = answers(B_FIRST)["checks"]["first_check"]
    assert (entry["state"], entry["tries"], entry["seen"]) == ("done", 2, ["tokens-words-only"])
    page.get_by_role("checkbox").press(" ")
    wait_for(page, lambda: "checks" not in answers(B_FIRST))


def wait_for(page, test, tries=50):
    for _ in range(tries):
        try:
            if test():
                return
        except (OSError, ValueError, KeyError):
            pass
        page.wait_for_timeout(100)
    raise AssertionError("the file of answers is not what was waited for")


DEAF = """import ipywidgets
for widget in ipywidgets.widgets.widget._instances.values():
    if type(widget).__name__ == "Questionnaire":
        widget.unobserve_all()"""


def test_it_goes_on_after_a_restart_and_says_when_nobody_writes_an_answer_down(cells, lab, answers, python):
    page = cells(cell(lab, "before", A_FIRST))
    begin(page, "a", "b")
    wait_for(page, lambda: len(answers(A_FIRST)["before"]["answers"]) == 2)
    page.wait_for_timeout(6000)  # longer than the page waits
    assert "not in the file" not in screen(page)
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel().then(() => null)")
    lab.run_all(page)
    press(page, "Go on with question 3")
    press(page, "Back")
    assert choice(page) == "b"
    assert python(DEAF) == ""
    answer(page, "c")
    page.get_by_text("Your last answer is not in the file yet").wait_for()
    lab.run_all(page)
    page.get_by_role("button", name="Go on with question 3").wait_for()
    assert answers(A_FIRST)["before"]["answers"] == {"A1": "a", "A2": "b"}


def test_a_typed_code_takes_up_its_answers_and_another_text_is_refused(cells, lab, answers):
    page = cells(cell(lab, "before", B_FIRST))
    begin(page, "c")
    wait_for(page, lambda: answers(B_FIRST)["before"]["answers"] == {"B1": "c"})
    lab.close(page)
    page = cells(cell(lab, "after", A_FIRST))
    for typed, said in (
        (B_FIRST[:5] + ("2" if B_FIRST[5] != "2" else "3"), "This is no code"),
        (f"{B_FIRST[:3]}-{B_FIRST[3:]}".lower(), f"answers_{B_FIRST}.json"),
    ):
        page.get_by_role("textbox", name="my code").fill(typed)
        page.keyboard.press("Enter")
        page.locator(ROOT).get_by_text(said).wait_for()
    begin(page, "d")
    wait_for(page, lambda: answers(B_FIRST)["after"]["answers"] == {"A1": "d"})
    assert answers(B_FIRST)["before"]["answers"] == {"B1": "c"}
    assert not (lab.folder / f"answers_{A_FIRST}.json").exists()


def test_where_nothing_may_be_kept_it_says_so(cells, lab):
    page = cells(cell(lab, "before", data="off"))
    page.get_by_text("Nothing is kept here").wait_for()
    begin(page, "a")
    assert not list(lab.folder.glob("answers_*"))


def test_a_page_without_a_kernel_keeps_answers_in_the_browser_and_gives_them_as_the_same_file(static, tmp_path):
    page = static(Questionnaire("before", keeps="page"))
    page.evaluate("localStorage.clear()")  # of another test in this browser
    page.reload()
    code = page.locator(".look-code").inner_text()
    enter(page, "Begin")
    to_options(page)
    page.keyboard.press("Enter")
    press(page, "Back")
    assert page.locator(f"{ROOT} input:checked").count() == 0, "Enter alone gives no answer"
    answer(page, "b")
    page.reload()
    press(page, "Go on with question 2")
    for _ in range(13):
        answer(page, "c")
    page.reload()  # all is answered, and not finished
    enter(page, "To the end")
    enter(page, "Finish")
    with page.expect_download() as download:
        enter(page, "Download my answers")
    assert download.value.suggested_filename == f"answers_{code}.json"
    download.value.save_as(tmp_path / "answers.json")
    kept = read(tmp_path / "answers.json")["before"]
    assert kept["finished"] and sorted(kept["answers"].values()) == ["b", *["c"] * 13]
    page.evaluate("localStorage.clear()")


def test_a_browser_that_several_students_share_loses_nobodys_answers(static, tmp_path):
    page = static(Questionnaire("before", keeps="page"))

    def use(code):
        page.get_by_role("textbox", name="my code").fill(code.lower())
        page.keyboard.press("Enter")
        assert page.locator(".look-code").inner_text() == code

    for code, letter in ((A_FIRST, "a"), (B_FIRST, "b")):
        use(code)
        begin(page, letter)
        for _ in range(2):
            press(page, "Back")
    use(A_FIRST)
    page.get_by_role("button", name="Go on with question 2").wait_for()
    file = tmp_path / "answers.json"  # of another day, with the other half of the answers
    after = {"form": "A", "answers": {"A1": "c"}, "seconds": 3, "finished": False}
    file.write_text(json.dumps({"inventory": load().version, "code": B_FIRST, "after": after}), encoding="utf-8")
    page.get_by_label("I have a file of answers").set_input_files(file)
    page.locator(".look-code").get_by_text(B_FIRST).wait_for()
    press(page, "Go on with question 2")
    press(page, "Back")
    assert choice(page) == "b"
    page.evaluate("localStorage.clear()")


def test_the_page_and_python_agree_on_codes_and_forms(compute):
    codes = [draw_code() for _ in range(100)]
    asked = """(code) => [asCode(` ${code.slice(0, 3)}-${code.slice(3).toLowerCase()}`),
      formOf(code, 'before'), formOf(code, 'after'), drawCode()]"""
    module = HERE / "answer_codes.js"
    for code, (typed, before, after, drawn) in zip(codes, compute(asked, codes, module), strict=True):
        assert (typed, before, after) == (code, form_of(code, "before"), form_of(code, "after"))
        assert as_code(drawn) == drawn
    others = [code[:i] + letter + code[i + 1 :] for code in codes[:5] for i in range(6) for letter in "2K0i*"]
    assert compute("(code) => asCode(code)", others, module) == [as_code(other) or "" for other in others]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_can_be_read_at_every_size(dark, static, shot):
    page = static(Questionnaire("before", A_FIRST, keeps="page"), dark=dark)
    page.get_by_role("textbox", name="my code").fill(A_FIRST)
    press(page, "Use it")
    for screen, button in enumerate(["Begin", *["Next"] * 13, "To the end", "Finish", None]):
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(DRAWN)
            hold_together(page.locator(ROOT))
            shot(page, f"questionnaire/{screen:02d}-{size}-{'dark' if dark else 'light'}")
        if button in ("Next", "To the end"):
            page.keyboard.press("2")
        if button:
            press(page, button)
    page.evaluate("localStorage.clear()")
