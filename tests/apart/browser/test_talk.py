"""The talk of talk/talk.toml, held from its script on the stage page: each step as its words say, with its outcome."""

import demo
import pytest
import real_browser as machine
import talk_script as talk
from clicker import DARK, FOCUS, PROJECTORS, click_with_focus_on, least, number_of
from talk_steps import DO

PARTS = talk.parts()
SIZE = {"width": 1024, "height": 768}  # an old projector
ROOM = """() => [...document.querySelectorAll('section.now iframe')].map((frame) => {
  const look = frame.contentDocument.querySelector('section.look');
  return { size: parseFloat(look.style.fontSize), high: look.offsetHeight, room: frame.clientHeight,
    under: frame.getBoundingClientRect().bottom, wide: Math.max(
      ...[look, ...look.querySelectorAll('.look-scroll')].map((node) => node.scrollWidth - node.clientWidth)) };
})"""


@pytest.fixture(scope="module")
def hall(chromium, tmp_path_factory):
    """The stage page in one window for all parts, and the errors on its console."""
    context = chromium.new_context(viewport=SIZE)
    page = context.new_page()
    errors, hosts = machine.watch(page)
    page.goto(demo.write_page(tmp_path_factory.mktemp("stage") / "stage.html").as_uri())
    yield page
    context.close()
    assert not errors
    assert not hosts


@pytest.fixture
def at(hall):
    """A function that goes to a part by the clicker, and returns the page."""

    def go(number):
        hall.evaluate("(i) => stage.go(i)", number)
        return hall

    return go


def look_of(page):
    return page.frame_locator("section.now iframe").locator("section.look")


def on_screen(page):
    """All words that are seen, those of the frame too, as one line."""
    words = page.locator("section.now").inner_text()
    if page.locator("section.now iframe").count():
        words += " " + look_of(page).inner_text()
    return " ".join(words.split())


def test_each_step_of_the_script_has_its_deed():
    steps = [step["do"] for part in PARTS for step in [*part["step"], *part.get("without_weights", {}).get("step", [])]]
    assert sorted(set(steps)) == sorted(DO)


@pytest.mark.parametrize("number", range(len(PARTS)), ids=[part["name"] for part in PARTS])
def test_each_step_of_the_talk_has_the_outcome_that_it_promises(number, at, shot):
    page, part = at(number), PARTS[number]
    if part["name"] == "HeadGallery" and not demo.has_weights():
        part = part | part["without_weights"]
    for question in part["ask"]:
        assert question.replace("*", "") in on_screen(page), "the question is on the screen"
    for step in part["step"]:
        DO[step["do"]](page, look_of(page))
        seen = on_screen(page)
        for promised in talk.SPEECH.findall(step["see"]):
            assert promised.strip() in seen, step
    shot(page, f"talk/{number}")


def test_the_questions_on_paper_name_the_sentence_that_the_demo_shows():
    (number,) = (i for i, part in enumerate(PARTS) if part["name"] == "TrainingReplay")
    (replay,) = (widget for widget in demo.widgets() if type(widget).__name__ == "TrainingReplay")
    assert f"*{' '.join(map(str, replay.tokens[1:]))}*" in " ".join(PARTS[number]["ask"])


def fits(page, size):
    """Assert that what the page shows fits a projector of this size, and that the last row can read it."""
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    page.wait_for_timeout(100)
    (seen,) = page.evaluate(ROOM)
    assert seen["size"] >= least(size[1]), size
    assert seen["high"] <= seen["room"] and seen["under"] <= size[1] and seen["wide"] <= 1, size
    assert page.locator("section.part:visible").count() == 1, size
    assert page.evaluate("() => document.documentElement.scrollHeight <= innerHeight"), size


@pytest.mark.parametrize("number", [i for i, part in enumerate(PARTS) if talk.has_widget(part)])
def test_a_part_is_one_screen_that_the_last_row_can_read_after_each_step_too(number, at):
    """On each projector: the window takes one size after the other, since some steps train for seconds."""
    page, part = at(number), PARTS[number]
    look_of(page).wait_for()
    look_of(page).get_by_role("button", name="Reset").click()
    steps = part["step"] if demo.has_weights() or "without_weights" not in part else []
    try:
        for act in [lambda *_: None, *(DO[step["do"]] for step in steps)]:
            act(page, look_of(page))
            for size in PROJECTORS:
                fits(page, size)
    finally:
        page.set_viewport_size(SIZE)


@pytest.mark.parametrize("what", FOCUS)
def test_a_clicker_goes_on_and_darkens_whatever_has_the_focus(what, at):
    click_with_focus_on(at(0), what, look_of)


def test_the_clicker_tells_the_story_before_it_goes_on_and_ends_at_the_last_part(at):
    page = at(5)
    page.reload()
    look_of(page).wait_for()
    assert number_of(page) == 5, "a page that is loaded again stays at its part"
    scenes = look_of(page).locator(".look-scene[aria-pressed='true'] strong")
    page.keyboard.press("PageDown")
    page.keyboard.press("b")
    page.keyboard.press("PageDown")
    assert number_of(page) == 6 and not page.evaluate(DARK), "on a dark screen each key brings the light back, no more"
    told = []
    while number_of(page) == 6:
        told.append(scenes.inner_text()[0])
        page.keyboard.press("PageDown")
    assert told == ["1", "1", "2", "3", "4"], "the first step tells the scene that is set"
    page.keyboard.press("PageDown")
    assert number_of(page) == 7, "behind the last part there is none"
    back = 0
    while number_of(page) != 5:
        page.keyboard.press("PageUp")
        back += 1
    assert back == 5, "to part 6, through its scenes 3, 2 and 1, and on to part 5"


def test_a_key_that_is_held_and_a_key_with_ctrl_are_no_click(at):
    page = at(1)
    page.keyboard.down("PageDown")
    page.keyboard.down("PageDown")
    page.keyboard.up("PageDown")
    assert number_of(page) == 2
    page.keyboard.press("Control+b")
    assert not page.evaluate(DARK)


def test_the_notes_follow_the_talk_in_a_window_of_their_own(at, shot):
    page = at(2)
    with page.expect_popup() as opened:
        page.keyboard.press("n")
    window = opened.value
    now = window.locator("section[data-now]")
    for number in (2, 3):
        assert now.locator("h2").inner_text().startswith(f"{number} ·")
        for answer in PARTS[number]["expect"]:
            assert answer.replace("*", "") in now.inner_text()
        shot(window, f"classroom/talk/notes-{number}")
        window.keyboard.press("PageDown")  # the clicker works where the notes have the focus too
        assert number_of(page) == number + 1
    window.close()


def test_the_buttons_do_what_a_clicker_does(at):
    page = at(1)
    page.get_by_title("the next part").click()
    assert number_of(page) == 2
    page.get_by_title("the part before").click()
    assert number_of(page) == 1
