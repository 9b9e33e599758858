"""VectorPad by mouse and by keyboard; its numbers are Python's."""

import numpy as np
import pytest
from explorable_text import text

from course_utils.explorables import VectorPad
from course_utils.explorables.base import format_number

PAD = "from course_utils.explorables import VectorPad\npad = VectorPad(a=[2, 3], b=[5, -1])\npad"
REACH, ROOM, SIZE = 6, 178, 400  # of the plane in its own units, and of its drawing


def drag(page, which, to, steps=8):
    """Drag the tip of arrow 0 or 1 to a point of the plane."""
    tip, drawing = page.locator(".look-handle").nth(which), page.locator(".look-pad svg")
    box, start = drawing.first.bounding_box(), tip.bounding_box()
    unit = box["width"] / SIZE
    end = [(SIZE / 2 + to[0] / REACH * ROOM) * unit, (SIZE / 2 - to[1] / REACH * ROOM) * unit]
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + end[0], box["y"] + end[1], steps=steps)
    page.mouse.up()


def test_standalone_page_by_mouse(static):
    page = static(VectorPad(snap=False))
    drag(page, 0, (-1.5, 4))
    assert text(page) == VectorPad(a=[-1.5, 4]).text()
    drag(page, 1, (0.5, -2.25))  # between two tenths
    assert text(page).splitlines()[1].startswith("b = (0.50, −2.")
    assert f"= {format_number(np.dot([-1.5, 4], [0.5, -2.2]))}" in text(page) or "−2.30" in text(page)


def test_standalone_page_by_keyboard(static):
    page = static(VectorPad())
    page.keyboard.press("Tab")
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "Shift+ArrowLeft", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    assert text(page) == VectorPad(a=[1.2, 2.9]).text()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert text(page) == VectorPad(a=[1.2, 2.9], b=[5, -1.1]).text()
    assert page.evaluate("() => document.activeElement.getAttribute('aria-valuetext')") == "(5.00, −1.10)"


def test_a_tip_stays_in_the_plane(static):
    page = static(VectorPad())
    drag(page, 0, (60, 0))
    for _ in range(3):
        page.locator(".look-handle").first.press("Shift+ArrowUp")
    x, y = (float(number.replace("−", "-")) for number in text(page).split("(")[1].split(")")[0].split(", "))
    assert np.hypot(x, y) < REACH * 1.02


@pytest.mark.parametrize(("to", "degrees"), [((4.9, 0.1), 0), ((0.1, 4), 90), ((-0.1, -4), 90), ((-5, 0.1), 180)])
def test_a_dragged_tip_snaps_and_keys_do_not(static, to, degrees):
    page = static(VectorPad(a=[3, 0]))
    drag(page, 1, to)
    assert f"angle {degrees}.0°" in text(page)
    assert ("= 0.00: nothing in common" in text(page)) == (degrees == 90)
    page.get_by_label("snap to").uncheck()
    drag(page, 1, to)
    assert f"angle {degrees}.0°" not in text(page)


@pytest.mark.parametrize("degrees", [0, 90, 180])
def test_buttons_turn_b_and_keep_its_length(static, degrees):
    page = static(VectorPad(a=[0, 4], b=[5, -1]))
    page.get_by_role("button", name=f"{degrees}°", exact=True).click()
    turned = {0: [0, 26**0.5], 90: [26**0.5, 0], 180: [0, -(26**0.5)]}[degrees]
    assert text(page) == VectorPad(a=[0, 4], b=turned).text()


def test_nothing_can_be_turned_to_a_vector_of_length_zero(static):
    page = static(VectorPad(a=[0, 0]))
    page.get_by_role("button", name="90°").click()
    assert text(page) == VectorPad(a=[0, 0]).text()
    page.locator(".look-handle").first.press("ArrowRight")
    assert "angle none" not in text(page)


def test_in_jupyterlab_python_and_page_hold_the_same(cells, python, agrees):
    page = cells(PAD, "pad", "1")
    page.locator("section.look").nth(1).wait_for()
    tip = page.locator(".look-handle").first
    tip.scroll_into_view_if_needed()
    drag(page, 0, (-1.5, 4))
    assert [text(page)] * 2 == page.locator(".look-text").all_text_contents()
    agrees("pad")
    assert python("print(pad.a, pad.a @ pad.b)") == "[-1.5  4. ] -11.5"
    cell = page.evaluate(ACTIVE)
    tip.press("j")  # down a cell, and no later key: that would focus the tip, and its cell would be active again
    assert page.evaluate(ACTIVE) == cell, "JupyterLab took the key for its own"
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Shift+ArrowUp"):
        tip.press(key)
    assert page.evaluate(ACTIVE) == cell, "JupyterLab took the keys for its own"
    assert text(page) == VectorPad(a=[-1.4, 4.8]).text()
    agrees("pad")
    python("pad.b = [0, 30]")
    page.wait_for_function("() => document.querySelector('.look-text').textContent.includes('b = (0.00, 30.00)')")
    assert text(page) == python("print(pad.text())")
    python("pad.reset()")
    page.wait_for_function("() => document.querySelector('.look-text').textContent.includes('b = (5.00, −1.00)')")
    tip.press("Shift+Enter")
    page.wait_for_function(f"({ACTIVE})() === {cell + 1}")


ACTIVE = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
