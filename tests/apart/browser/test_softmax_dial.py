"""SoftmaxDial by mouse and by keyboard; its numbers are Python's."""

import numpy as np
import pytest
from hands import follow, text

from course_utils.explorables import SoftmaxDial

REACH = 4  # of a slider for a score, either way
TEMPERATURE, D_K, DIVIDE = "role=slider[name='temperature']", "role=slider[name='d_k']", "role=checkbox"


def drag_score(page, j, to):
    """Drag the score of key j to a value. The middle of the thumb runs from half its width to half its width."""
    slider = page.locator(".look-score").nth(j)
    slider.scroll_into_view_if_needed()
    box, value, thumb = slider.bounding_box(), float(slider.input_value()), 0.9 * 15
    x, end = (box["x"] + thumb / 2 + (at / REACH + 1) / 2 * (box["width"] - thumb) for at in (value, to))
    y = box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(end, y, steps=6)
    page.mouse.up()


def test_by_mouse_and_by_keyboard(static):
    dial = SoftmaxDial([0.2, 0.1, 0], d_k=64)
    follow(
        static(dial),
        dial,
        (None, lambda page: drag_score(page, 0, 2.5), {"scores": [2.5, 0.1, 0]}),
        (None, lambda page: drag_score(page, 2, -1.7), {"scores": [2.5, 0.1, -1.7]}),
        (None, lambda page: drag_score(page, 2, 9), {"scores": [2.5, 0.1, REACH]}),
        ("role=button[name='Reset']", "click", None),
        (".look-score", "ArrowRight ArrowUp ArrowRight ArrowLeft Shift+ArrowDown", {"scores": [-0.6, 0.1, 0]}),
        (None, "Tab PageUp", {"scores": [-0.6, 1.1, 0]}),
        (TEMPERATURE, "ArrowRight", {"temperature": 2**0.25}),
        (D_K, "ArrowRight", {"d_k": 128}),
        (DIVIDE, "click", {"scaled": False}),
        (TEMPERATURE, "Home", {"temperature": 2**-4}),
        (TEMPERATURE, "End", {"temperature": 2**4}),
    )


@pytest.mark.parametrize("seed", range(4))
def test_random_scores_give_pythons_numbers_and_bars_of_their_length(static, seed):
    rng = np.random.default_rng(seed)
    dial = SoftmaxDial(rng.normal(size=1 + 3 * seed), temperature=rng.uniform(0.1, 4), d_k=4, scaled=seed % 2 == 0)
    page = static(dial)
    assert text(page) == dial.text()
    widths = page.locator(".look-bar").evaluate_all("(all) => all.map((bar) => bar.getBoundingClientRect().width)")
    wide = dial.weights > 0.02  # a bar of less is drawn a few pixels wide
    shares = np.array(widths)[wide] / np.array(widths)[wide].sum()
    np.testing.assert_allclose(shares, dial.weights[wide] / dial.weights[wide].sum(), atol=0.01)
    edges = page.locator(".look-score").evaluate_all("""(all) => all.map(({ style }) =>
      ['--from', '--to'].map((name) => parseFloat(style.getPropertyValue(name))))""")
    np.testing.assert_allclose(edges, [sorted([50, 50 + 50 * score / REACH]) for score in dial.scores], atol=0.01)


def test_d_k_is_left_out_where_it_is_1(static):
    dial = SoftmaxDial([1, 0], d_k=1)
    page = static(dial)
    assert not page.get_by_label("divide by √d_k").is_visible() and "d_k" not in text(page) == dial.text()
