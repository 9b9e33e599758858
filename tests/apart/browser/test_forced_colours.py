"""Under forced colours, as of the contrast themes of Windows: what is painted, read from the pixels.

Such a theme removes all backgrounds and shadows, so that a bar may vanish and a pressed button may look like others.
"""

import io
import json

import numpy as np
import pytest
from PIL import Image
from samples import ORDINARY
from widget_states import kind_and_state

from course_utils.checks.student.predict_widget import PredictionCards
from course_utils.explorables import LookPlayground
from course_utils.explorables.assets import bundle
from course_utils.explorables.standalone_page import PAGE
from course_utils.inventory.questionnaire import Questionnaire

BARS = ".look-bar, .look-fill, .look-under, .look-mark, .look-bars i, .look-score, .look-legend i, .look-key"
BARS += ", .look-arc, .look-bar-box, .look-tab canvas, .look-machine canvas, .look-control g"  # of TheMachine
CONTROLS = "button, input, select, summary, [tabindex='0']"
EMPTY = """if (node.matches('.look-score')) ['--from', '--to'].forEach((end) => node.style.setProperty(end, '50%'));
else node.style.visibility = 'hidden'"""
PRESSED = "button[aria-pressed='true'], button[aria-checked='true'], .look-option:has(:checked)"
PRESSABLE = "button[aria-pressed], button[aria-checked], .look-option"
RELEASE = """for (const state of ['aria-pressed', 'aria-checked'])
  if (node.hasAttribute(state)) node.setAttribute(state, false);
for (const input of node.querySelectorAll('input')) input.checked = false"""
MUCH = 60  # of 255, in a colour of a pixel
MADE = ORDINARY | {
    "LookPlayground": lambda: LookPlayground("full", seeds=4, epochs=1),
    "PredictionCards": lambda: PredictionCards(question="Which?", choices=["one", "two", "three"], said=[""] * 3),
    "Questionnaire": lambda: Questionnaire("before", keeps="page"),
}
schemes = pytest.mark.parametrize("scheme", ["light", "dark"])
# Of nodes that look alike, the first.
UNLIKE = """(all) => all.filter((node, i) => {
  const kind = (one) => [one.tagName, one.type, one.role, one.className.baseVal ?? one.className,
    one.closest("[aria-checked='true'], [aria-pressed='true']") !== null].join();
  const { width, height } = node.getBoundingClientRect();
  return width > 1 && height > 1 && node.checkVisibility({ visibilityProperty: true }) &&
    !node.closest(".look-hidden") && all.findIndex((one) => kind(one) === kind(node)) === i;
}).forEach((node) => node.setAttribute("data-seen", ""))"""


@pytest.fixture
def themed(page, tmp_path):
    """A function that opens a widget under forced colours. The window is handed on without them."""

    def show(name, scheme):
        widget, file = MADE[name](), tmp_path / "page.html"
        _, state = kind_and_state(json.loads(json.dumps(widget.get_state())))
        parts = {"state": json.dumps(state).replace("<", "\\u003c"), "start": bundle("standalone_page.js")}
        parts["module"] = widget._esm.replace("export default ", "const explorable = ")
        text = PAGE.format(title=name, style=widget._css, picture="", text="", **parts)
        file.write_text(text, encoding="utf-8")
        page.emulate_media(forced_colors="active", color_scheme=scheme)
        page.goto(file.as_uri())
        if name == "LookPlayground":
            page.get_by_role("button", name="Start").click()
            page.get_by_role("button", name="Again").wait_for()
        if name == "PredictionCards":
            page.get_by_role("radio").first.click()
        if name == "Questionnaire":
            page.locator(".look-button").first.click()
            page.get_by_role("radio").first.check()
        return page

    yield show
    page.emulate_media(forced_colors="none")


def unlike(page, selector):
    """Return the visible nodes, one of each sort."""
    page.locator(selector).evaluate_all(UNLIKE)
    return page.locator(f":is({selector})[data-seen]").element_handles()


def changed(page, node, how, around=0):
    """Return the share of the pixels of a node, and of `around` pixels beside it, that a change makes unlike before."""
    node.scroll_into_view_if_needed()
    box = node.bounding_box()
    clip = {"x": box["x"] - around, "y": box["y"] - around}
    clip |= {side: box[side] + 2 * around for side in ("width", "height")}
    shots = []
    for act in (lambda: None, lambda: node.evaluate(f"(node) => {{ {how}; }}")):
        act()
        shot = page.screenshot(clip=clip, animations="disabled", caret="hide")
        shots.append(np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), int))
    return (np.abs(shots[0] - shots[1]).max(axis=-1) > MUCH).mean()


def named(node):
    return node.evaluate("(node) => node.outerHTML.slice(0, 160)")


@schemes
@pytest.mark.parametrize("name", [name for name in MADE if name not in ("PredictionCards", "Questionnaire")])
def test_a_bar_is_seen_on_its_ground(themed, name, scheme):
    page = themed(name, scheme)
    bars = unlike(page, BARS)
    assert bars
    for bar in bars:
        assert changed(page, bar, EMPTY) > 0.015, named(bar)


@schemes
@pytest.mark.parametrize("name", MADE)
def test_what_is_pressed_looks_unlike_what_is_not(themed, name, scheme):
    page = themed(name, scheme)
    pressed = unlike(page, PRESSED)
    assert pressed or not page.locator(PRESSABLE).filter(visible=True).count()
    for node in pressed:
        assert changed(page, node, RELEASE) > 0.05, named(node)


@schemes
@pytest.mark.parametrize("name", MADE)
def test_a_focus_is_seen(themed, name, scheme):
    page = themed(name, scheme)
    page.keyboard.press("Tab")  # from here on, the keyboard has the focus
    controls = unlike(page, CONTROLS)
    assert controls
    for node in controls:
        page.evaluate("document.activeElement.blur()")
        assert changed(page, node, "node.focus()", around=6) > 0.02, named(node)
