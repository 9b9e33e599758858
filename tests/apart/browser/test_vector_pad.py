"""VectorPad by mouse and by keyboard; its numbers are Python's."""

import numpy as np
import pytest
from hands import follow, text

from course_utils.explorables import VectorPad

REACH, ROOM, SIZE = 6, 178, 400  # of the plane in its own units, and of its drawing
TIPS = "role=slider[name='a']", "role=slider[name='b']"


def drag(page, which, to):
    """Drag the tip of arrow 0 or 1 to a point of the plane."""
    tip, drawing = page.locator(TIPS[which]).first, page.locator(".look-pad svg").first
    tip.scroll_into_view_if_needed()
    box, start = drawing.bounding_box(), tip.bounding_box()
    unit = box["width"] / SIZE
    end = [(SIZE / 2 + to[0] / REACH * ROOM) * unit, (SIZE / 2 - to[1] / REACH * ROOM) * unit]
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + end[0], box["y"] + end[1], steps=8)
    page.mouse.up()


def test_by_mouse_and_by_keyboard(static):
    pad = VectorPad(snap=False)
    follow(
        static(pad),
        pad,
        (None, lambda page: drag(page, 0, (-1.5, 4)), {"a": [-1.5, 4]}),
        (None, lambda page: drag(page, 1, (0.52, -2.22)), {"b": [0.5, -2.2]}),
        ("role=button[name='Reset']", "click", None),
        (TIPS[0], "ArrowRight ArrowRight ArrowUp Shift+ArrowLeft ArrowDown ArrowDown", {"a": [1.2, 2.9]}),
        (None, "Tab ArrowDown", {"b": [5, -1.1]}),
    )


def test_a_tip_stays_in_the_plane(static):
    page = static(VectorPad())
    drag(page, 0, (60, 0))
    for _ in range(3):
        page.locator(TIPS[0]).press("Shift+ArrowUp")
    x, y = (float(number.replace("−", "-")) for number in text(page).split("(")[1].split(")")[0].split(", "))
    assert np.hypot(x, y) < REACH * 1.02


@pytest.mark.parametrize(("to", "degrees"), [((4.9, 0.1), 0), ((0.1, 4), 90), ((-0.1, -4), 90), ((-5, 0.1), 180)])
def test_a_dragged_tip_snaps_unless_it_is_told_not_to(static, to, degrees):
    page = static(VectorPad(a=[3, 0]))
    drag(page, 1, to)
    assert f"angle {degrees}.0°" in text(page)
    assert ("= 0.00: nothing in common" in text(page)) == (degrees == 90)
    page.get_by_label("snap to").uncheck()
    drag(page, 1, to)
    assert f"angle {degrees}.0°" not in text(page)


@pytest.mark.parametrize(("a", "turned"), [([0, 4], [[1, 0], [0, -1], [0, 1]]), ([4, 0], [[0, -1], [-1, 0], [1, 0]])])
def test_buttons_turn_b_and_keep_its_length_on_its_side(static, a, turned):
    pad, length = VectorPad(a=a, b=[5, -1]), 26**0.5
    steps = zip((90, 180, 0), turned, strict=True)
    follow(static(pad), pad, *((f"role=button[name='{d}°']", "click", {"b": np.multiply(length, b)}) for d, b in steps))


def test_nothing_can_be_turned_to_a_vector_of_length_zero(static):
    pad = VectorPad(a=[0, 0])
    follow(static(pad), pad, ("role=button[name='90°']", "click", {}), (TIPS[0], "ArrowRight", {"a": [0.1, 0]}))
