"""The talk of talk/talk.toml, on both of its stages: the page of demo.py, and its JupyterLab.

On the page each step is done as its words say, with the outcome that they promise.
"""

import urllib.error
import urllib.request

import demo
import pytest
import real_browser as machine
import talk_script as talk
from talk_steps import do

PARTS = talk.parts()
PROJECTORS = [(1920, 1080), (1280, 720), (1024, 768)]  # the last one is old
LEAST = 14  # pixels of type on it, for the last row
# The size of type of the explorable on the screen, and its sides as pairs: is, at most.
ROOM_ON_PAGE = """() => [...document.querySelectorAll('section.now iframe')].map((frame) => {
  const look = frame.contentDocument.querySelector('section.look');
  const boxes = [document.documentElement, look, ...look.querySelectorAll('.look-scroll')];
  return { size: parseFloat(look.style.fontSize), sides: [
    [look.offsetHeight, frame.clientHeight], [frame.getBoundingClientRect().bottom, innerHeight],
    [document.documentElement.scrollHeight, innerHeight],
    ...boxes.map((node) => [node.scrollWidth, node.clientWidth + 1])] };
})"""
ROOM_IN_LAB = """() => [...document.querySelectorAll('section.look')].filter((one) => one.offsetHeight).map((look) => {
  const room = document.querySelector('.jp-WindowedPanel-outer').getBoundingClientRect().bottom;
  const sides = [[look.getBoundingClientRect().bottom, room], [look.scrollWidth, look.clientWidth + 1]];
  return { size: parseFloat(look.style.fontSize), sides };
})"""
# the sides of a drawing on the screen in the same way; `size`: of its smallest type, 12 points of 675 points in width
DRAWING = """() => [...document.querySelectorAll('img')].filter((one) => one.checkVisibility()).map((image) => {
  const box = image.getBoundingClientRect();
  return { alt: image.alt, size: image.complete && image.naturalWidth && 12 / 675 * box.width, sides: [
    [0, box.top], [box.bottom, innerHeight], [box.right, innerWidth],
    [document.documentElement.scrollHeight, innerHeight]] };
})"""
BESIDE = "#jp-left-stack, .jp-SideBar, #jp-main-statusbar, #jp-title-panel-title, .jp-NotebookPanel-toolbar"
DARK = """() => { const dark = document.querySelector('.stage-dark'), box = dark?.getBoundingClientRect();
  return Boolean(box && box.width === innerWidth && box.height === innerHeight
    && document.elementFromPoint(9, 9) === dark && getComputedStyle(dark).backgroundColor === 'rgb(0, 0, 0)'); }"""


@pytest.fixture(scope="module")
def hall(chromium, tmp_path_factory):
    """The page in one window for all parts. Asserts at the end: no error on its console, and no request."""
    page = chromium.new_context().new_page()
    errors, hosts = machine.watch(page)
    page.goto(demo.write_page(tmp_path_factory.mktemp("stage") / "stage.html").as_uri())
    yield page
    page.context.close()
    assert not errors
    assert not hosts


class DemoLab(machine.Lab):
    """A JupyterLab as `nox -s demo` starts it."""

    def __init__(self, scratch):
        self.prepared = demo.set_up(scratch)
        own = ("root_dir", "extension_manager", "--ip", "--allow-root")
        words = demo.command(scratch, [])[3:]
        super().__init__(scratch / "show", *(word for word in words if not any(name in word for name in own)))

    def _environment(self):
        return self.prepared | {"JUPYTER_TOKEN": self.token, "IPYTHONDIR": str(self.scratch / "ipython")}


@pytest.fixture(scope="module")
def lab_hall(chromium, tmp_path_factory):
    lab, page = DemoLab(tmp_path_factory.mktemp("demo")), chromium.new_context().new_page()
    errors, _ = machine.watch(page)
    page.goto(f"{lab.url}?token={lab.token}")
    page.locator(".on-stage h2:not(.lm-Widget)").locator("visible=true").wait_for(timeout=60_000)
    yield page
    page.context.close()
    lab.stop()
    assert not errors


@pytest.fixture(params=["hall", "lab_hall"])
def each_hall(request):
    return request.getfixturevalue(request.param)


def is_lab(page):
    return page.url.startswith("http")


def look_of(page):
    """The explorable on the screen."""
    frame = page.frame_locator("section.now iframe")
    return page.locator("section.look").locator("visible=true") if is_lab(page) else frame.locator("section.look")


def number_of(page):
    """The number of the part on the screen: it alone is seen, and its heading begins with it."""
    (heading,) = page.locator("h2:not(.lm-Widget)").locator("visible=true").all_inner_texts()
    return int(heading.split(" ")[0])


def go_to(page, number):
    """Show a part on an old projector."""
    page.set_viewport_size({"width": 1024, "height": 768})
    if not is_lab(page):
        page.evaluate("(i) => stage.go(i)", number)
    for _ in range(20):
        if (now := number_of(page)) == number:
            return page
        page.keyboard.press("PageDown" if now < number else "PageUp")
        page.wait_for_timeout(50)
    raise AssertionError(f"part {number} does not come")


def fits(page, part):
    """Assert that a part on the screen fits each projector, and that the last row can read it."""
    page.mouse.move(0, 0)  # a pointer that rests on the page would point at what comes to lie below it
    for width, height in PROJECTORS:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(300 if is_lab(page) else 100)
        room = DRAWING if "drawing" in part else ROOM_IN_LAB if is_lab(page) else ROOM_ON_PAGE
        (seen,) = page.evaluate(room)
        assert seen.get("alt") != "", "a drawing has words too"
        assert seen["size"] >= max(LEAST, LEAST * height / 768), height
        assert [pair for pair in seen["sides"] if pair[0] > pair[1]] == [], height


def on_screen(page):
    """All words that are seen, those of the frame too, as one line."""
    words = page.locator("section.part:visible").inner_text()
    if page.locator("section.now iframe").count():
        words += " " + look_of(page).inner_text()
    return " ".join(words.split())


def sees(page, words, seconds=10):
    """Whether words come to be seen: a part draws what its worker or its next frame brings."""
    for _ in range(10 * seconds):
        if words in on_screen(page):
            return True
        page.wait_for_timeout(100)
    return False


@pytest.mark.parametrize("number", range(len(PARTS)), ids=[part["name"] for part in PARTS])
def test_each_step_of_the_talk_has_the_outcome_that_it_promises_on_one_screen(number, hall, shot):
    page, part = go_to(hall, number), talk.parts(weights=demo.has_weights())[number]
    for question in part["ask"]:
        assert question.replace("*", "") in on_screen(page), "the question is on the screen"
    for step in [{"do": "Read the review aloud.", "see": ""}, *part["step"]]:
        do(step["do"], page, look_of(page))
        for promised in talk.SPEECH.findall(step["see"]):
            assert sees(page, promised.strip()), step
        if talk.has_widget(part) or "drawing" in part:
            fits(page, part)
    shot(page, f"talk/{number}")


def test_in_jupyterlab_widgets_live_before_anything_ran_and_nothing_is_beside_them(lab_hall, shot):
    for number, part in enumerate(talk.parts(weights=demo.has_weights())):
        page = go_to(lab_hall, number)
        assert part["ask"][0].replace("*", "") in page.locator(".jp-Notebook").inner_text()
        if talk.has_widget(part):
            look_of(page).wait_for(timeout=60_000)
            assert look_of(page).get_attribute("aria-label") == f"{part['name']}."
        if talk.has_widget(part) or "drawing" in part:
            fits(page, part)
        shot(page, f"demo/{number}-{part['name']}")
    go_to(page, 3)
    do("Take the tick away.", page, look_of(page))  # nothing of JupyterLab lies over the left edge
    assert "into softmax = score × √64" in look_of(page).inner_text()
    look_of(page).get_by_role("button", name="Reset").click()
    assert page.locator(BESIDE).locator("visible=true").count() == 0
    with pytest.raises(urllib.error.HTTPError, match="403"):  # the door is shut without the token
        urllib.request.urlopen(f"{page.url.split('/doc')[0]}/api/contents", timeout=5)


def test_in_a_dark_jupyterlab_the_drawing_is_its_own_dark_version_and_not_turned_around(lab_hall):
    page = go_to(lab_hall, 0)
    light = page.evaluate("document.body.dataset.jpThemeLight")
    page.evaluate("document.body.dataset.jpThemeLight = false")
    image = page.get_by_role("img", name="A column for each of twenty models")
    seen = image.evaluate("(one) => (({ filter, colorScheme }) => ({ filter, colorScheme }))(getComputedStyle(one))")
    assert seen == {"filter": "none", "colorScheme": "dark"}
    page.evaluate("(light) => document.body.dataset.jpThemeLight = light", light)


def test_in_jupyterlab_run_all_leaves_the_part_on_its_screen(lab_hall):
    page = go_to(lab_hall, 3)
    page.wait_for_function(machine.READY, arg=demo.NAME, timeout=90_000)
    page.evaluate(machine.RUN_ALL, 120)
    look_of(page).wait_for()
    assert number_of(page) == 3
    fits(page, PARTS[3])


# what has the focus -> (part, label of the field or None)
FOCUS = {
    "nothing": (4, None),
    "slider": (3, "temperature"),
    "tip": (2, "a"),
    "number": (4, "key k of not, number 1"),
    "typed text": (4, "your own words, with spaces between them"),
}


@pytest.mark.parametrize("what", FOCUS)
def test_a_clicker_goes_on_and_darkens_whatever_has_the_focus(what, each_hall):
    (part, label), cells = FOCUS[what], each_hall.locator(".jp-Cell").count()
    page = go_to(each_hall, part)
    field = look_of(page).get_by_label(label, exact=True).first if label else page.locator("body")
    reads = "(node) => node.value ?? node.getAttribute('aria-valuetext')"
    field.focus()
    before = field.evaluate(reads)
    page.keyboard.press("b")
    if what == "typed text":
        assert field.evaluate(reads) == "b" and not page.evaluate(DARK)
        field.fill("")
    else:
        assert page.evaluate(DARK), "b makes the screen dark"
        page.keyboard.press("b")
        assert not page.evaluate(DARK), "and b brings it back"
    for key, number in (("PageDown", part + 1), ("PageUp", part)):
        page.keyboard.press(key)
        assert number_of(page) == number
    assert field.evaluate(reads) == before, "no key changed what had the focus"
    assert page.locator(".jp-Cell").count() == cells, "b inserts no cell"


def test_the_clicker_tells_the_story_before_it_goes_on_and_ends_at_the_last_part(hall):
    page = go_to(hall, 6)
    page.reload()
    look_of(page).wait_for()
    assert number_of(page) == 6, "a page that is loaded again stays at its part"
    for key in ("PageDown", "b", "PageDown"):
        page.keyboard.press(key)
    assert number_of(page) == 7 and not page.evaluate(DARK), "on a dark screen each key brings the light back, no more"
    assert sees(page, "? of 20 look"), "the answer to the first question of the talk waits for the clicker"
    told = []
    while number_of(page) == 7:
        told += look_of(page).locator(".look-scene[aria-pressed='true'] strong").text_content()[0]
        page.keyboard.press("PageDown")
    assert told == ["1", "1", "2", "3", "4"], "the first step tells the scene that is set"
    page.keyboard.press("PageDown")
    assert number_of(page) == 8, "behind the last part there is none"
    for number in (7, 7, 7, 7, 6):
        page.keyboard.press("PageUp")
        assert number_of(page) == number, "to part 7, through its scenes 3, 2 and 1, and on to part 6"


def test_a_key_that_is_held_and_a_key_with_ctrl_are_no_click_and_the_buttons_are(hall):
    page = go_to(hall, 2)
    page.keyboard.down("PageDown")
    page.keyboard.down("PageDown")
    page.keyboard.up("PageDown")
    assert number_of(page) == 3
    page.keyboard.press("Control+b")
    assert not page.evaluate(DARK)
    for title, number in (("the next part", 4), ("the part before", 3)):
        page.get_by_title(title).click()
        assert number_of(page) == number


def test_the_notes_follow_the_talk_in_a_window_of_their_own(each_hall):
    page = go_to(each_hall, 2)
    with page.expect_popup() as opened:
        page.keyboard.press("n")
    now = opened.value.locator("section[data-now]")
    for number in (2, 3):
        assert now.locator("h2").inner_text().startswith(f"{number} ·")
        for answer in PARTS[number]["expect"]:
            assert answer.replace("*", "") in now.inner_text()
        opened.value.keyboard.press("PageDown")  # the clicker works where the notes have the focus too
        assert number_of(page) == number + 1
    opened.value.close()
