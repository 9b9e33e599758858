"""LookPlayground by mouse and by keyboard: the story, a sentence of one's own, and what Python reads and hands in.

Its mathematics is tested in test_look_training.py.
"""

import re

import pytest
from hands import act, tasks_reached, text
from test_every_explorable import hold_together

from course_utils.explorables import LookPlayground
from course_utils.models.cls_reader import load_study

SHORT = {"epochs": 1, "seeds": 3}
OTHER = {"seeds": 2, "tokens": [0, 5, 6, 7, 8, 9, 10]}
AGAIN = "() => document.querySelector('.look-go').textContent === 'Again'"
SAYS = "(words) => document.querySelector('.look-text').textContent.includes(words)"
SLOW = 90_000  # milliseconds, on a machine that others use as well
ANSWER, GO = ".look-answer strong", ".look-go"
# Notes that a training begins: one of a few models may be over before anybody looks.
WATCH = """() => {
  window.began = false;
  const go = document.querySelector('.look-go');
  const note = () => { window.began ||= go.textContent === 'Pause'; };
  new MutationObserver(note).observe(go, { childList: true, characterData: true, subtree: true });
}"""


def train_by(page, where, how):
    """Do what begins a training, and wait until that training is done."""
    page.evaluate(WATCH)
    act(page, where, how)
    page.wait_for_function("() => window.began")
    until_done(page)


def until_done(page):
    page.wait_for_function(AGAIN, timeout=SLOW)
    page.wait_for_function(SAYS, arg="Epoch ")


def verdict_line(page):
    return page.locator(".look-say").text_content()


def verdict(page):
    """How many are right in percent, how many look, and how many there are."""
    found = re.search(r"([\d.]+) % right\. (\d+) of (\d+) really look at ", verdict_line(page))
    return float(found[1]), int(found[2]), int(found[3])


def scene(page):
    """The number of the recipe that the story tells."""
    return page.locator(".look-scene[aria-pressed='true']").text_content()[:1]


def looks_in_study(recipe):
    """How many of Python's twenty seeds look, in the recorded study."""
    rows = [row for row in load_study() if row["recipe"] == recipe and row["position"] == 4 and row["length"] == 6]
    return sum(row["weight"] >= 0.99 for row in rows[:20])


def decoys(page, count, sentence, answer):
    """Press the button for a sentence with decoys, and hold the answer of the open model to this one."""
    act(page, f"role=button[name=/{count} decoys/]", "Enter")
    page.wait_for_function(SAYS, arg=f"Sentence: [CLS] {sentence}")
    page.wait_for_timeout(100)
    assert page.locator(ANSWER).first.text_content() == answer


def test_the_story_by_clicker_is_that_of_the_course_and_confirms_its_tasks(static):
    """Nobody looks, half of them, most of them, all of them; the first and the last as Python's twenty seeds do."""
    page = static(LookPlayground())
    page.wait_for_function("() => document.querySelector('.look-say').textContent.startsWith('Nothing is trained yet')")
    train_by(page, None, "PageDown")
    assert verdict(page)[0] >= 99.5 and verdict(page)[1] == looks_in_study("usual") == 0
    assert page.locator(ANSWER).first.text_content() == "yes"
    assert tasks_reached(page) == [False, False, False], "no decoys, no look, and only the first sentence is wrong"
    page.get_by_label("token at position 4").fill("42")
    page.wait_for_function(SAYS, arg="Sentence: [CLS] 42 7 42 42 42 42")
    page.wait_for_timeout(100)
    assert tasks_reached(page) == [False, False, False], "another sentence, and yes is right"
    page.get_by_role("button", name="3 decoys").press("Enter")
    page.wait_for_function("() => document.querySelector('.look-goals li:last-child').textContent.startsWith('☑')")
    found = []
    for confirmed in ([False, True, True], [False, True, True], [True, True, True]):
        train_by(page, None, "PageDown")
        found.append(verdict(page))
        assert tasks_reached(page) == confirmed
    decoyed, early, full = found
    assert decoyed[0] >= 99.9 and 85 <= early[0] <= 99 and full[0] >= 99.9
    assert 7 <= decoyed[1] <= 15 and 14 <= early[1] <= 19 and full[1] == looks_in_study("focused") == 20
    page.keyboard.press("PageDown")
    page.wait_for_timeout(300)
    assert page.locator(GO).text_content() == "Again", "one press too many does not wipe the ending"
    assert verdict(page) == full
    page.keyboard.press("PageUp")
    assert scene(page) == "3"
    page.get_by_role("button", name="Reset").click()
    assert tasks_reached(page) == [True, True, True], "what was reached stays"


@pytest.mark.parametrize(
    ("number", "fooled", "answer", "confirmed"),
    [(0, ["0 of 4", *["4 of 4"] * 3], "yes", [False, False, True]), (3, ["0 of 4"] * 4, "no", [True, False, False])],
)
def test_decoys_fool_the_usual_model_and_not_the_one_that_looks(static, number, fooled, answer, confirmed):
    page = static(LookPlayground("usual", seeds=4))
    train_by(page, f".look-scene >> nth={number}", "click")
    assert page.locator(".look-fools b").all_text_contents() == fooled
    decoys(page, 4, "42 42 42 10 42 12", answer)
    assert tasks_reached(page) == confirmed


def test_a_model_that_is_often_wrong_confirms_no_task(static):
    page = static(LookPlayground("decoys", seeds=2, learning_rate=0.0003))
    train_by(page, GO, "click")
    assert verdict(page)[0] < 90
    for where, how in (
        ("role=button[name=/2 decoys/]", "click"),
        ("role=button[name=/5 decoys/]", "click"),
        ("[aria-label^='token at position 4,']", "fill 42"),
    ):
        act(page, where, how)
        page.wait_for_timeout(200)
    assert tasks_reached(page) == [False, False, False]


def test_a_sentence_of_ones_own_and_cards_by_keyboard_and_by_mouse(static):
    page = static(LookPlayground("full", **OTHER | {"seeds": 20}))
    cards, field = page.locator(".look-seed"), page.get_by_label("token at position 4")
    cards.first.focus()
    for key, chosen in (("ArrowRight", 1), ("ArrowDown", 11), ("ArrowLeft", 10), ("ArrowUp", 0), ("ArrowLeft", 0)):
        page.keyboard.press(key)
        assert cards.nth(chosen).get_attribute("aria-checked") == "true"
        assert page.evaluate("() => document.activeElement.getAttribute('aria-checked')") == "true"
    train_by(page, GO, "click")
    cards.nth(7).click()
    page.wait_for_function(SAYS, arg="seed 7 says no")
    assert cards.nth(7).get_attribute("aria-label").startswith("seed 7: look 1.00")
    field.fill("42")
    page.wait_for_function(SAYS, arg="seed 7 says yes")
    for nothing in ("", "0", "51", "2.5"):
        field.fill(nothing)
        assert "Sentence: [CLS] 5 6 7 42 9 10" in text(page), "what is no token changes nothing"


def test_one_step_pace_pause_and_reset(static):
    page = static(LookPlayground("full", seeds=2, pace=2))
    first = text(page)
    for _ in range(2):
        page.get_by_role("button", name="One step").click()
        page.wait_for_function(SAYS, arg="Epoch 0 of 12")
        assert page.locator(GO).text_content() == "Start"
    page.locator(GO).click()
    page.wait_for_timeout(1200)
    page.get_by_role("button", name="Pause").click()
    page.wait_for_timeout(300)
    assert "Epoch 0 of 12" in text(page), "two batches a second are slow"
    page.get_by_role("slider", name="speed").press("End")
    page.locator(GO).click()
    until_done(page)
    assert "Epoch 12 of 12" in text(page)
    page.get_by_role("button", name="Reset").click()
    page.wait_for_function("(text) => document.querySelector('.look-text').textContent === text", arg=first)
    page.wait_for_function("() => document.querySelector('.look-say').textContent.startsWith('Nothing')")


def test_a_control_begins_anew_and_keeps_the_sentence_whole(static):
    page = static(LookPlayground("full", **SHORT))
    train_by(page, GO, "click")
    before = text(page)
    act(page, "role=button[name='Other seeds']", "click")
    page.wait_for_function(SAYS, arg="seed 5: ")
    assert not re.search("seed [012]: ", text(page)) and "seed 0: " in before
    train_by(page, "role=slider[name='decoys']", "ArrowLeft")
    act(page, "role=slider[name='position']", "End")
    assert "decoys 0.40" in text(page) and "position 6 the number" in text(page)
    act(page, "role=slider[name='tokens in a sentence']", "Home")
    assert "position 4 the number" in text(page) and "Sentences of 4 tokens" in text(page)
    until_done(page)
    assert page.locator(".look-parts tbody tr").count() == 5
    act(page, "select", "select equal")
    for _ in range(2):
        assert "positions 4 and 2 equal" in text(page)
        act(page, "role=slider[name='second position']", "End")  # two places need two positions


@pytest.mark.usefixtures("own_window")
@pytest.mark.parametrize("kind", ["without a worker", "calm"])
def test_without_a_worker_it_trains_on_the_page_and_a_calm_page_waits_for_a_start(static, page, kind):
    if kind == "calm":
        page.emulate_media(reduced_motion="reduce")
    else:
        page.add_init_script("delete window.Worker")
    page = static(LookPlayground("full", running=True, seeds=2))
    if kind == "calm":
        page.get_by_role("button", name="Start", exact=True).click()
    until_done(page)
    assert verdict(page) == (100.0, 2, 2)


SMALLEST = """() => Math.min(...[...document.querySelectorAll('.look *')].filter((node) => node.checkVisibility()
  && !node.closest('.look-hidden, details:not([open])')
  && [...node.childNodes].some((child) => child.nodeType === 3 && /\\d/.test(child.textContent)))
  .map((node) => parseFloat(getComputedStyle(node).fontSize)))"""


@pytest.mark.parametrize(("presenter", "least"), [(False, 12), (True, 24)])
def test_a_trained_page_holds_together_and_its_digits_can_be_read(static, presenter, least):
    page = static(LookPlayground("full", running=True, presenter=presenter, **SHORT))
    until_done(page)
    hold_together(page.locator("section.look"))
    assert page.evaluate(SMALLEST) >= least


TRAINED = (
    "([title, n]) => ['. ', `epoch ${n} of ${n},`].every((words) => "
    "document.querySelector('.look-say').textContent.includes(words.replace('. ', `${title}. `)))"
)
TOP = "() => document.querySelector('.look-onward').getBoundingClientRect().top"


def test_the_first_picture_is_one_number_and_one_button_and_all_else_unfolds(static):
    """As the book and lesson 00 open: four scenes by one button, nothing to set, and nothing that moves the button."""
    page = static(LookPlayground("usual", running=True, reduced=True, seeds=2))
    top, onward = page.evaluate(TOP), page.locator(".look-onward")
    settings = page.locator("input, select, .look-go, .look-goals, .look-controls").locator("visible=true")
    page.wait_for_function(TRAINED, arg=["1 · The usual recipe", 10], timeout=SLOW)
    assert verdict_line(page).startswith("0 of 2 look") and "at least 0.99 of its attention" in verdict_line(page)
    for title in ("2 · Decoys", "3 · Reward, too early", "4 · Reward, patient"):
        assert onward.text_content().startswith(f"Next scene: {title}")
        act(page, ".look-onward", "Enter")
        page.wait_for_function(TRAINED, arg=[title, 12], timeout=SLOW)
    assert verdict_line(page).startswith("2 of 2 look") and onward.text_content().startswith("Once more: 1")
    page.locator("[role=status]", has_text="2 of 2 look at position 4").wait_for(state="attached")
    assert settings.count() == 0 and page.evaluate(TOP) == top
    page.locator(".look-seed").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_function(SAYS, arg="seed 1 says no")
    assert settings.count() > 10 and page.locator(".look-parts").is_visible()
    assert tasks_reached(page)[0], "what was reached while the fold was shut counts"
    hold_together(page.locator("section.look"))


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


def test_no_training_waits_for_a_view_that_is_gone(compute):
    state = LookPlayground("full", running=True, **SHORT).get_state()
    assert compute(VIEWS, [state], "look_session.js") == [[False, True, False]]


LAB = """from course_utils.explorables import LookPlayground
playground = LookPlayground('full', epochs=2, seeds=3)
playground"""


def test_in_jupyterlab_both_views_are_one_training_and_python_reads_it(cells, python, agrees):
    page = cells(LAB, "playground")
    page.locator("section.look").nth(1).wait_for()
    page.locator(".jp-Notebook .jp-Cell .jp-InputPrompt").first.click()
    page.keyboard.press("PageDown")
    page.wait_for_timeout(200)
    assert page.locator(GO).first.text_content() == "Start", "off the stage a clicker leaves the notebook alone"
    assert python("print(playground.looks, playground.classifier)") == "None None"
    page.locator(GO).first.click()
    until_done(page)
    agrees("playground")
    texts = page.locator(".look-text").all_text_contents()
    assert texts[0] == texts[1] and "Epoch 2 of 2" in texts[0]
    assert python("print(playground.step, playground.classifier.n_weights, playground.rows.shape)") == "64 777 (3, 7)"
    python("playground.decoys = 0.2")
    page.wait_for_function(SAYS, arg="decoys 0.20")
    page.wait_for_function(SAYS, arg="Epoch 2 of 2", timeout=SLOW)
    agrees("playground")
    python("playground.running, playground.step = False, 40")
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
    place = "() => window.jupyterapp.shell.currentWidget.content.node.scrollTop"

    def clicks(key, number):
        page.keyboard.press(key)
        page.wait_for_timeout(200)
        assert scene(page) == number

    page.locator(".jp-Notebook .jp-Cell .jp-InputPrompt").first.click()  # a cell, in command mode
    before = page.evaluate(place)
    for key, number in (("PageDown", "1"), ("PageDown", "2"), ("PageDown", "3"), ("PageUp", "2")):
        clicks(key, number)
    page.get_by_role("button", name="Reset").first.focus()  # of the other explorable
    clicks("PageDown", "3")
    assert page.evaluate(place) == before, "and nothing scrolls away"
    own = page.get_by_label("words"), page.get_by_label("temperature"), page.locator(".jp-Cell .cm-content").first
    for field in own:
        field.focus()
        clicks("PageDown", "3")
    page.set_viewport_size({"width": 1280, "height": 900})
