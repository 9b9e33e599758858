"""SoftmaxDial by mouse and by keyboard; its numbers are Python's."""

import pytest
from explorable_text import text

from course_utils.explorables import SoftmaxDial

REACH = 4  # of a slider for a score, either way
DIAL = "from course_utils.explorables import SoftmaxDial\ndial = SoftmaxDial([1, 0.5, 0], d_k=64)\ndial"


def drag_score(page, j, to):
    """Drag the score of key j to a value. The middle of the thumb runs from half its width to half its width."""
    slider = page.locator(".look-score").nth(j)
    box, value = slider.bounding_box(), float(slider.input_value())
    thumb = 0.9 * 15

    def x(score):
        return box["x"] + thumb / 2 + (score / REACH + 1) / 2 * (box["width"] - thumb)

    y = box["y"] + box["height"] / 2
    page.mouse.move(x(value), y)
    page.mouse.down()
    page.mouse.move(x(to), y, steps=6)
    page.mouse.up()


def test_scores_by_mouse(static):
    page = static(SoftmaxDial([1, 0.5, 0]))
    drag_score(page, 0, 2.5)
    assert text(page) == SoftmaxDial([2.5, 0.5, 0]).text()
    drag_score(page, 2, -1.7)
    assert text(page) == SoftmaxDial([2.5, 0.5, -1.7]).text()
    drag_score(page, 2, 9)
    assert text(page) == SoftmaxDial([2.5, 0.5, REACH]).text()


def test_scores_by_keyboard(static):
    page = static(SoftmaxDial([1, 0.5, 0]))
    page.keyboard.press("Tab")  # the list itself may scroll; Chromium does not stop there when it holds sliders
    for key in ("ArrowRight", "ArrowUp", "ArrowRight", "ArrowLeft", "Shift+ArrowDown"):
        page.keyboard.press(key)
    assert text(page) == SoftmaxDial([0.2, 0.5, 0]).text()
    page.keyboard.press("Tab")
    page.keyboard.press("PageUp")
    assert text(page) == SoftmaxDial([0.2, 1.5, 0]).text()
    assert page.evaluate("() => document.activeElement.getAttribute('aria-valuetext')") == "1.50"


def test_temperature_d_k_and_the_division(static):
    page = static(SoftmaxDial([0.2, 0.1, 0], d_k=64))
    page.get_by_label("temperature").press("ArrowRight")
    assert text(page) == SoftmaxDial([0.2, 0.1, 0], d_k=64, temperature=2**0.25).text()
    page.get_by_label("d_k", exact=True).press("ArrowRight")
    assert text(page) == SoftmaxDial([0.2, 0.1, 0], d_k=128, temperature=2**0.25).text()
    page.get_by_label("divide by √d_k").uncheck()
    assert text(page) == SoftmaxDial([0.2, 0.1, 0], d_k=128, temperature=2**0.25, scaled=False).text()
    assert "One key takes nearly all" not in text(page)
    page.get_by_label("temperature").press("Home")
    assert text(page) == SoftmaxDial([0.2, 0.1, 0], d_k=128, temperature=2**-4, scaled=False).text()
    assert "One key takes nearly all" in text(page)


@pytest.mark.parametrize(("d_k", "there"), [(1, False), (2, True)])
def test_d_k_is_left_out_where_it_is_1(static, d_k, there):
    page = static(SoftmaxDial([1, 0], d_k=d_k))
    assert page.get_by_label("divide by √d_k").is_visible() == there
    assert ("d_k" in text(page)) == there == ("d_k" in SoftmaxDial([1, 0], d_k=d_k).text())


def test_bars_are_as_long_as_the_numbers_say(static):
    widget = SoftmaxDial([2, 0, -3])
    page = static(widget)
    bars = page.evaluate("""() => [...document.querySelectorAll('.look-bar')].map((bar) =>
      bar.getBoundingClientRect().width / parseFloat(getComputedStyle(bar.parentElement).width))""")
    assert len(bars) == 3
    for bar, weight in zip(bars, widget.weights, strict=True):
        assert abs(bar / sum(bars) - weight) < 0.01
    edges = page.evaluate("""() => [...document.querySelectorAll('.look-score')].map(({ style }) =>
      [style.getPropertyValue('--from'), style.getPropertyValue('--to')])""")
    assert edges == [["50%", "75%"], ["50%", "50%"], ["12.5%", "50%"]]


def test_in_jupyterlab_python_and_page_hold_the_same(cells, python, agrees):
    page = cells(DIAL)
    page.locator("section.look").wait_for()
    drag_score(page, 2, 3.3)
    page.get_by_label("divide by √d_k").uncheck()
    page.get_by_label("d_k", exact=True).press("ArrowLeft")
    assert text(page) == SoftmaxDial([1, 0.5, 3.3], d_k=32, scaled=False).text()
    agrees("dial")
    assert python("print(dial.scores, dial.d_k, dial.weights.round(3))") == "[1.  0.5 3.3] 32 [0. 0. 1.]"
    active = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
    before = page.evaluate(active)
    for key in ("j", "ArrowDown"):
        page.locator(".look-score").first.press(key)
        assert page.evaluate(active) == before, "JupyterLab took the key for its own"
    agrees("dial")  # before Python sets scores of its own
    python("dial.scores, dial.temperature = [0, 0, 0], 2.0")
    page.wait_for_function("() => document.querySelector('.look-text').textContent.includes('temperature 2.00')")
    assert text(page) == python("print(dial.text())")
