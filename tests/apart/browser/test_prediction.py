"""Predictions in a real JupyterLab: with the keyboard alone, covered until chosen, and there again after a restart."""

from seal_predictions import seal

ASK = """from course_utils.checks import predict
"""
QUESTION = 'predict("How many?", {"one": "Too few.", "two": True, "three": "Too many."})'
SEALED = ASK + seal(QUESTION, 1)
ANSWER = "# answers prediction 1\nprint('there are', 1 + 1)\n'two of them'"
PLOT = "# answers prediction 1\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nprint('drawn')\nplt.show()"
ACTIVE = "(n) => window.jupyterapp.shell.currentWidget.content.activeCellIndex === n"


def card(page, name):
    return page.get_by_role("radio", name=name)


KEYS = (["Enter"], [" "], ["ArrowDown", "ArrowUp", "Enter"], ["1"], ["End", "Home", "Enter"])


def test_who_chooses_by_keyboard_or_mouse_or_not_at_all_goes_on_with_shift_enter(cells):
    page = cells(*(ASK + QUESTION.replace("many?", f"many, {i}?") for i in range(len(KEYS) + 2)), "")
    for i, keys in enumerate((*KEYS, "the mouse", [])):
        cards = page.get_by_role("radiogroup", name=f"How many, {i}?")
        first = cards.get_by_role("radio").first
        first.focus()
        if keys == "the mouse":
            first.click()
        else:
            for key in keys:
                page.keyboard.press(key)
        if keys:
            cards.get_by_text("Too few.").wait_for()
            assert "jp-Cell" in page.evaluate("() => document.activeElement.className"), keys
        page.keyboard.press("Shift+Enter")
        page.wait_for_function(ACTIVE, arg=i + 1)
    assert first.get_attribute("aria-checked") == "false", "the last one was not answered"
    assert page.locator(".jp-Notebook .jp-Cell").count() == len(KEYS) + 3, "no key reached JupyterLab as a command"


def test_the_cards_say_what_was_chosen_and_what_is_right_without_colour(cells, shot):
    page = cells(ASK + QUESTION, dark=True)
    shot(page, "prediction-before-dark")
    card(page, "three").click()
    assert card(page, "three").inner_text().split("\n") == ["✗", "three your choice", "Too many."]
    assert card(page, "two").inner_text().split("\n") == ["✓", "two the answer"]
    assert card(page, "one").inner_text().split("\n") == ["1", "one"]
    assert page.get_by_role("status").inner_text() == "You chose: three. Too many. The answer is: two."
    shot(page, "prediction-after-dark")
    card(page, "one").click(force=True)
    assert card(page, "one").get_attribute("aria-checked") == "false", "a choice cannot be changed"


def outputs(page, position):
    cell = page.locator(".jp-Notebook .jp-Cell").nth(position)
    return cell.locator(".jp-Cell-outputArea")


def test_run_all_leaves_the_covers_on_until_a_choice_or_a_hand_opens_them(cells, shot):
    moving = "# answers prediction 1\nfrom course_utils.explorables import VectorPad\nVectorPad()"
    page = cells(SEALED, ANSWER, PLOT, moving, ANSWER)
    for position, inside in ((1, "there are 2"), (2, "drawn")):
        cover = outputs(page, position).locator("details")
        assert cover.get_attribute("open") is None
        assert not cover.get_by_text(inside).is_visible()
    assert outputs(page, 3).locator("section.look").count() == 0
    shot(page, "prediction-covered")
    outputs(page, 4).get_by_text("open it here").click()
    assert outputs(page, 4).get_by_text("there are 2").is_visible(), "a cover opens without a choice"
    card(page, "one").click()
    outputs(page, 1).get_by_text("there are 2").wait_for()
    assert outputs(page, 1).inner_text().split() == ["there", "are", "2", "'two", "of", "them'"]
    assert outputs(page, 2).locator("img").is_visible()
    outputs(page, 3).locator("section.look[aria-label='VectorPad.']").wait_for()  # what moves goes on moving
    assert page.locator(".jp-Notebook details:not(.look details)").count() == 0
    shot(page, "prediction-opened")


def test_after_the_choice_a_cell_runs_as_ever_and_the_choice_is_there_after_a_restart(cells, lab, tmp_path):
    page = cells(f"import os\nos.environ['LEARNING_TO_LOOK_DATA'] = {str(tmp_path)!r}\n{SEALED}", ANSWER)
    card(page, "three").click()
    outputs(page, 1).get_by_text("there are 2").wait_for()
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(ACTIVE, arg=1)
    page.keyboard.press("Shift+Enter")
    outputs(page, 1).get_by_text("'two of them'", exact=True).wait_for()
    assert outputs(page, 1).locator(".jp-OutputArea-child").count() == 2
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel().then(() => null)")
    lab.run_all(page)
    page.get_by_text("Too many.").first.wait_for()
    assert card(page, "three").get_attribute("aria-checked") == "true"
    assert page.locator(".jp-Notebook details").count() == 0
