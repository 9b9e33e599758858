"""LookPlayground by mouse and by keyboard: the story, a sentence of one's own, and what Python reads and hands in.

Its mathematics is tested in test_look_training.py.
"""

import re
from itertools import pairwise

import numpy as np
import pytest
from explorable_text import text
from test_page_maths import compute  # noqa: F401  a fixture

from course_utils.cls_reader import load_classifier, load_study
from course_utils.explorables import LookPlayground

SHORT = {"epochs": 1, "seeds": 3}
AGAIN = "() => document.querySelector('.look-go').textContent === 'Again'"
SAYS = "(words) => document.querySelector('.look-text').textContent.includes(words)"
SLOW = 90_000  # milliseconds, on a machine that others use as well


# Notes that a training begins: one of a few models may be over before anybody looks.
WATCH = """() => {
  window.began = false;
  const go = document.querySelector('.look-go');
  const note = () => { window.began ||= go.textContent === 'Pause'; };
  new MutationObserver(note).observe(go, { childList: true, characterData: true, subtree: true });
}"""


def train_by(page, act, *arguments):
    """Do what begins a training, and wait until that training is done."""
    page.evaluate(WATCH)
    act(*arguments)
    page.wait_for_function("() => window.began")
    until_done(page)


def until_done(page):
    page.wait_for_function(AGAIN, timeout=SLOW)
    page.wait_for_function(SAYS, arg="Epoch ")


def verdict(page):
    """How many are right in percent, how many look, and how many there are."""
    found = re.search(r"([\d.]+) % right\. (\d+) of (\d+) really look at ", said(page))
    return float(found[1]), int(found[2]), int(found[3])


def said(page):
    return page.locator(".look-say").text_content()


def told_epoch(page):
    return int(re.search(r"Epoch (\d+)", text(page))[1])


def looks_in_study(recipe):
    """How many of Python's twenty seeds look, in the recorded study."""
    rows = [row for row in load_study() if row["recipe"] == recipe and row["position"] == 4 and row["length"] == 6]
    return sum(row["weight"] >= 0.99 for row in rows[:20])


def test_the_story_by_clicker_is_that_of_the_course(static):
    """Nobody looks, half of them, most of them, all of them; the first and the last as Python's twenty seeds do."""
    page = static(LookPlayground())
    page.wait_for_function("() => document.querySelector('.look-say').textContent.startsWith('Nothing is trained yet')")
    found = []
    for _ in range(4):
        train_by(page, page.keyboard.press, "PageDown")
        found.append(verdict(page))
    (usual, decoys, early, full), looks = found, [look for _, look, _ in found]
    assert usual[0] >= 99.5 and decoys[0] >= 99.9 and full[0] >= 99.9 and 85 <= early[0] <= 99
    assert looks[0] == looks_in_study("usual") == 0
    assert 7 <= looks[1] <= 15 and 14 <= looks[2] <= 19
    assert looks[3] == looks_in_study("focused") == 20
    page.keyboard.press("PageDown")
    page.wait_for_timeout(300)
    assert page.locator(".look-go").text_content() == "Again", "one press too many does not wipe the ending"
    assert verdict(page) == full
    page.keyboard.press("PageUp")
    assert page.locator(".look-scene[aria-pressed='true']").text_content().startswith("3")


def test_decoys_fool_the_usual_model_and_not_the_one_that_looks(static):
    page = static(LookPlayground("usual", seeds=4))
    for scene, wanted in ((0, ["0 of 4", "4 of 4", "4 of 4", "4 of 4"]), (3, ["0 of 4"] * 4)):
        train_by(page, page.locator(".look-scene").nth(scene).click)
        assert page.locator(".look-fools b").all_text_contents() == wanted
        page.get_by_role("button", name="4 decoys").click()
        page.wait_for_function(SAYS, arg="Sentence: [CLS] 42 42 42 10 42 12")
        page.wait_for_timeout(100)
        assert page.locator(".look-answer strong").first.text_content() == ("no" if scene else "yes")


def test_a_sentence_of_ones_own_by_keyboard(static):
    page = static(LookPlayground("full", seeds=2, tokens=[0, 5, 6, 7, 8, 9, 10]))
    page.locator(".look-go").click()
    until_done(page)
    answer = page.locator(".look-answer strong")
    assert answer.first.text_content() == "no"
    field = page.get_by_label("token at position 4")
    field.fill("42")
    page.wait_for_function("() => document.querySelector('.look-answer strong').textContent === 'yes'")
    assert "Sentence: [CLS] 5 6 7 42 9 10" in text(page) and "seed 0 says yes" in text(page)
    for nothing in ("", "0", "51", "2.5"):
        field.fill(nothing)
        assert "Sentence: [CLS] 5 6 7 42 9 10" in text(page), "what is no token changes nothing"
    field.press("ArrowUp")
    rows = page.locator(".look-parts tbody tr")
    weights = [float(row.locator("td").last.text_content()) for row in rows.all()]
    assert sum(weights) == pytest.approx(1, abs=0.04) and np.argmax(weights) == 4


def test_cards_by_keyboard_and_by_mouse(static):
    page = static(LookPlayground("full", seeds=20, epochs=1))
    cards = page.locator(".look-seed")
    cards.first.focus()
    for key, chosen in (("ArrowRight", 1), ("ArrowDown", 11), ("ArrowLeft", 10), ("ArrowUp", 0), ("ArrowLeft", 0)):
        page.keyboard.press(key)
        assert cards.nth(chosen).get_attribute("aria-checked") == "true"
        assert page.evaluate("() => document.activeElement.getAttribute('aria-checked')") == "true"
    cards.nth(7).click()
    page.wait_for_function("() => document.querySelector('.look-answer').textContent.includes('seed 7 says')")
    assert cards.nth(7).get_attribute("aria-label").startswith("seed 7: look 0.")


def test_one_step_pace_pause_and_reset(static):
    page = static(LookPlayground("full", seeds=2, pace=2))
    first = text(page)
    for batch in (1, 2):
        page.get_by_role("button", name="One step").click()
        page.wait_for_function(SAYS, arg="Epoch 0 of 12")
        assert batch and page.locator(".look-go").text_content() == "Start"
    page.locator(".look-go").click()
    page.wait_for_timeout(1200)
    page.get_by_role("button", name="Pause").click()
    page.wait_for_timeout(300)
    assert told_epoch(page) == 0, "two batches a second are slow"
    page.get_by_role("slider", name="speed").press("End")
    page.locator(".look-go").click()
    until_done(page)
    assert told_epoch(page) == 12
    page.get_by_role("button", name="Reset").click()
    page.wait_for_function("(text) => document.querySelector('.look-text').textContent === text", arg=first)
    page.wait_for_function("() => document.querySelector('.look-say').textContent.startsWith('Nothing')")


def test_a_slider_begins_anew_and_keeps_the_sentence_whole(static):
    page = static(LookPlayground("full", **SHORT))
    page.locator(".look-go").click()
    until_done(page)
    page.get_by_role("slider", name="decoys").press("ArrowLeft")
    page.wait_for_function(SAYS, arg="decoys 0.40")
    until_done(page)
    length = page.get_by_role("slider", name="tokens in a sentence")
    position = page.get_by_role("slider", name="position", exact=True)
    position.press("End")
    assert "position 6 the number" in text(page)
    length.press("Home")
    assert "position 4 the number" in text(page) and "Sentences of 4 tokens" in text(page)
    until_done(page)
    assert page.locator(".look-parts tbody tr").count() == 5
    page.locator("select").select_option("equal")
    assert "positions 4 and 2 equal" in text(page)
    second = page.get_by_role("slider", name="second position")
    second.press("End")
    assert "positions 4 and 2 equal" in text(page), "two places need two positions"
    # The training before this one is done too: only the words tell that it was the new one.
    found = "() => document.querySelector('.look-say').textContent.includes('position 4 and position 2')"
    page.wait_for_function(found, timeout=SLOW)
    assert said(page).count("position 4 and position 2") == 1


def test_other_seeds_are_other_models(static):
    page = static(LookPlayground("full", **SHORT))
    page.locator(".look-go").click()
    until_done(page)
    first = [line.split(":", 1)[1] for line in text(page).splitlines() if "% right, look" in line]
    page.get_by_role("button", name="Other seeds").click()
    page.wait_for_function(SAYS, arg="seed 5: ")
    second = [line.split(":", 1)[1] for line in text(page).splitlines() if "% right, look" in line]
    assert len(first) == len(second) and not set(first) & set(second)


@pytest.mark.usefixtures("own_window")
def test_without_a_worker_it_trains_on_the_page(static, page):
    page.add_init_script("delete window.Worker")
    page = static(LookPlayground("full", running=True, seeds=2))
    until_done(page)
    assert verdict(page) == (100.0, 2, 2)


def test_a_calm_page_waits_for_a_start_and_draws_after_each_epoch(static, page):
    page.emulate_media(reduced_motion="reduce")
    page = static(LookPlayground("full", running=True, seeds=2))
    page.get_by_role("button", name="Start", exact=True).click()
    until_done(page)
    page.emulate_media(reduced_motion="no-preference")
    assert verdict(page) == (100.0, 2, 2)


SMALLEST = """() => Math.min(...[...document.querySelectorAll('.look *')].filter((node) => node.checkVisibility()
  && !node.closest('.look-hidden, details:not([open])')
  && [...node.childNodes].some((child) => child.nodeType === 3 && /\\d/.test(child.textContent)))
  .map((node) => parseFloat(getComputedStyle(node).fontSize)))"""


@pytest.mark.parametrize(("presenter", "least"), [(False, 12), (True, 24)])
def test_digits_can_be_read(static, presenter, least):
    page = static(LookPlayground("full", running=True, presenter=presenter, **SHORT))
    until_done(page)
    assert page.evaluate(SMALLEST) >= least


# What is written on the canvas of the curves from now on: text, where it ends, how wide the canvas is.
NOTE_TEXTS = """() => {
  const write = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    if (this.canvas.closest('.look-chart') && this.textAlign === 'left') {
      window.written?.push([text, x + this.measureText(text).width, this.canvas.clientWidth]);
    }
    return write.call(this, text, x, y);
  };
}"""
BOXES = "(nodes) => nodes.map((node) => node.getBoundingClientRect().toJSON())"


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1024, 768)])
@pytest.mark.parametrize("presenter", [False, True])
def test_names_of_lines_and_places_are_whole_and_apart(static, presenter, width, height, shot):
    page = static(LookPlayground("full", running=True, presenter=presenter, **SHORT))
    until_done(page)
    page.evaluate(NOTE_TEXTS)
    for pixels in (width - 50, width):  # another size draws anew
        page.evaluate("() => { window.written = []; }")
        page.set_viewport_size({"width": pixels, "height": height})
        page.wait_for_function("() => window.written.some(([text]) => text === 'look')")
    written = {text: (end, most) for text, end, most in page.evaluate("() => window.written")}
    assert {"loss", "accuracy", "look"} <= set(written)
    assert all(end <= most for end, most in written.values()), written
    places = page.locator(".look-square .look-above bdi").evaluate_all(BOXES)
    assert all(one["right"] + 4 < other["left"] for one, other in pairwise(places))
    shot(page.locator(".look-open"), f"static/LookPlayground-names-{'presenter-' * presenter}{width}")


def reached(page):
    """Which of the tasks the page has confirmed."""
    told = page.locator(".look-goals li").all_text_contents()
    assert all(one.startswith("☑") == one.endswith(": you reached it") for one in told)
    return [one.startswith("☑") for one in told]


def train(page, scene):
    """Train with the recipe of this card."""
    train_by(page, page.locator(".look-scene").nth(scene).click)


def test_tasks_are_confirmed_by_what_was_trained_and_by_a_sentence(static, page, shot):
    """Every task can be reached, none by something else; with all of them confirmed it is still one screen high."""
    page = static(LookPlayground())
    train(page, 0)
    assert verdict(page)[0] >= 99.5 and page.locator(".look-answer strong").first.text_content() == "yes"
    assert reached(page) == [False, False, False], "no decoys, no look, and only the first sentence is wrong"
    page.get_by_label("token at position 4").fill("42")
    page.wait_for_function(SAYS, arg="Sentence: [CLS] 42 7 42 42 42 42")
    page.wait_for_timeout(100)
    assert reached(page) == [False, False, False], "another sentence, and yes is right"
    page.get_by_role("button", name="3 decoys").press("Enter")
    page.wait_for_function("() => document.querySelector('.look-goals li:last-child').textContent.startsWith('☑')")
    train(page, 1)
    assert verdict(page)[1] < 20 and reached(page) == [False, True, True]
    train(page, 3)
    assert verdict(page)[1] == 20 and reached(page) == [True, True, True]
    for width, height in ((1280, 720), (1024, 768)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(100)
        assert page.evaluate("() => document.documentElement.scrollHeight") <= height
        shot(page, f"static/LookPlayground-tasks-{width}")
    page.get_by_role("button", name="Reset").click()
    assert reached(page) == [True, True, True], "what was reached stays"


def test_models_that_all_look_do_not_confirm_that_one_does_not(static):
    page = static(LookPlayground("full", seeds=2, tokens=[0, 5, 6, 7, 8, 9, 10]))
    train(page, 3)
    page.get_by_role("button", name="4 decoys").click()
    page.wait_for_function(SAYS, arg="Sentence: [CLS] 42 42 42 10 42 12")
    page.wait_for_timeout(100)
    assert reached(page) == [True, False, False], "all look, and none is fooled"


def test_a_model_that_is_often_wrong_confirms_no_task(static):
    page = static(LookPlayground("decoys", seeds=2, learning_rate=0.0003))
    page.locator(".look-go").click()
    until_done(page)
    assert verdict(page)[0] < 90
    for decoys in (2, 5):
        page.get_by_role("button", name=f"{decoys} decoys").click()
        page.wait_for_timeout(200)
    page.get_by_label("token at position 4").fill("42")
    page.wait_for_timeout(200)
    assert reached(page) == [False, False, False]


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1024, 768)])
def test_it_is_one_screen_high(static, page, width, height, shot):
    page.set_viewport_size({"width": width, "height": height})
    page = static(LookPlayground("full", running=True, **SHORT | {"seeds": 20}))
    until_done(page)
    assert page.evaluate("() => document.documentElement.scrollHeight") <= height
    shot(page, f"static/LookPlayground-trained-{width}")


def test_on_a_phone_nothing_sticks_out(static, page, shot):
    page.set_viewport_size({"width": 390, "height": 844})
    page = static(LookPlayground("full", running=True, **SHORT | {"seeds": 20}))
    until_done(page)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    shot(page, "static/LookPlayground-phone")


VIEWS = """(state) => {
  const model = { get: (name) => state[name], on() {} };
  const [first, second] = [() => {}, () => {}];
  const session = joinSession(model, first);
  const playing = () => session.steering().playing;
  session.waitFor(document.createElement('div'), first); // it stands in no page: nobody sees it
  const found = [playing()];
  joinSession(model, second);
  session.leave(first);
  found.push(playing());
  session.waitFor(document.createElement('div'), second);
  found.push(playing());
  session.leave(second);
  return found;
}"""


def test_no_training_waits_for_a_view_that_is_gone(compute):  # noqa: F811
    state = LookPlayground("full", running=True, **SHORT).get_state()
    assert compute(VIEWS, [state], "look_session.js") == [[False, True, False]]


LAB = """from course_utils.explorables import LookPlayground
playground = LookPlayground('full', epochs=2, seeds=3)
playground"""


def test_in_jupyterlab_both_views_are_one_training_and_python_reads_it(cells, python, agrees):
    page = cells(LAB, "playground")
    page.locator("section.look").nth(1).wait_for()
    assert python("print(playground.looks, playground.classifier)") == "None None"
    page.locator(".look-go").first.click()
    until_done(page)
    agrees("playground")
    texts = page.locator(".look-text").all_text_contents()
    assert texts[0] == texts[1] and "Epoch 2 of 2" in texts[0]
    assert python("print(playground.step, playground.classifier.n_weights, playground.rows.shape)") == "64 777 (3, 7)"
    page.locator(".look-seed").nth(2).click()
    page.wait_for_function(SAYS, arg="seed 2 says")
    agrees("playground")
    python("playground.decoys = 0.2")
    page.wait_for_function(SAYS, arg="decoys 0.20")
    page.wait_for_function(SAYS, arg="Epoch 2 of 2", timeout=SLOW)
    agrees("playground")
    python("playground.running = False")
    python("playground.step = 40")
    page.wait_for_function(SAYS, arg="Epoch 1 of 2", timeout=SLOW)
    page.wait_for_timeout(1500)
    agrees("playground")
    assert python("print(playground.step)") == "40"


STAGE = """from course_utils.explorables import LookPlayground
playground = LookPlayground('usual', epochs=1, seeds=2, presenter=True)
playground"""
OTHERS = """import ipywidgets
from course_utils.explorables import SoftmaxDial
dial = SoftmaxDial([0.7, 0.4], d_k=64)
display(ipywidgets.Text(description='words'), dial)"""


def test_on_a_stage_a_clicker_tells_the_story_wherever_the_focus_is(cells, page):
    page.set_viewport_size({"width": 1280, "height": 1600})  # all of it in the window
    page = cells(OTHERS, STAGE)
    told = lambda: page.locator(".look-scene[aria-pressed='true']").text_content()[:1]  # noqa: E731
    step = lambda: page.evaluate("() => window.jupyterapp.shell.currentWidget.content.node.scrollTop")  # noqa: E731
    page.locator(".jp-Notebook .jp-Cell").first.locator(".jp-InputPrompt").click()  # a cell, in command mode
    assert page.evaluate("() => !!document.activeElement.closest('.jp-Notebook')")
    before = step()
    for key, scene in (("PageDown", "1"), ("PageDown", "2"), ("PageDown", "3"), ("PageUp", "2")):
        page.keyboard.press(key)
        page.wait_for_timeout(100)
        assert told() == scene
    page.get_by_role("button", name="Reset").first.focus()  # of the other explorable
    page.keyboard.press("PageDown")
    assert told() == "3" and step() == before, "and nothing scrolls away"
    own = page.get_by_label("temperature")
    for field in (page.get_by_label("words"), own, page.locator(".jp-Cell .cm-content").first):
        field.focus()
        page.keyboard.press("PageDown")
        page.wait_for_timeout(100)
        assert told() == "3"
    page.set_viewport_size({"width": 1280, "height": 400})  # the playground is below the window
    page.locator(".jp-Notebook .jp-Cell").first.locator(".jp-InputPrompt").click()
    page.keyboard.press("PageDown")
    page.wait_for_timeout(200)
    assert told() == "3"
    page.set_viewport_size({"width": 1280, "height": 900})


def test_off_the_stage_a_clicker_leaves_the_notebook_alone(cells):
    page = cells(LAB)
    page.locator(".jp-Notebook .jp-Cell").first.locator(".jp-InputPrompt").click()
    page.keyboard.press("PageDown")
    page.wait_for_timeout(200)
    assert page.locator(".look-go").text_content() == "Start"


def test_in_jupyterlab_a_model_of_ones_own_is_the_first_card(cells, python, agrees):
    page = cells(
        "from course_utils.cls_reader import load_classifier\nfrom course_utils.explorables import LookPlayground\n"
        "playground = LookPlayground('full', classifier=load_classifier('usual'), epochs=1, seeds=2)\nplayground"
    )
    page.locator(".look-answer strong").first.wait_for()
    cards = page.locator(".look-seed")
    assert cards.first.get_attribute("aria-label").startswith("yours: look 0.3"), "its own look, before any training"
    assert cards.nth(1).get_attribute("aria-label").startswith("seed 1: look 0.1")
    page.locator(".look-go").click()
    until_done(page)
    agrees("playground")
    assert re.search(r"yours: [\d.]+ % right", text(page))
    moved = python("import numpy as np; print(np.abs(playground.classifier.W_Q - load_classifier('usual').W_Q).max())")
    assert 0.001 < float(moved) < 2
    assert load_classifier("usual").n_weights == 777


def test_what_lesson_13_asks_one_to_try(static):
    """13: twenty seeds at once

    Three decoys fool all twenty usual models, two fool none; a reward from the first batch leaves few that look.
    """
    page = static(LookPlayground())
    train_by(page, page.locator(".look-scene").first.click)
    assert page.locator(".look-fools b").all_text_contents()[:2] == ["0 of 20", "20 of 20"]
    page.locator(".look-scene").nth(3).click()
    page.get_by_role("slider", name="patience: it waits for").press("Home")
    page.wait_for_function(SAYS, arg="from the first batch on")
    until_done(page)
    right, looks, _ = verdict(page)
    assert looks <= 6 and right < 75
