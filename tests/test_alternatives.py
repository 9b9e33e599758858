"""What figures say to somebody who does not see them: the numbers that were drawn, whoever drew them."""

import datetime
import re
from urllib.parse import unquote
from xml.etree import ElementTree

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
from bs4 import BeautifulSoup

from course_utils.attention import causal_mask
from course_utils.pictures.alternatives import describe
from course_utils.pictures.figure_html import as_html
from course_utils.pictures.plots import arrows, curves, heatmap, mixtures, row_bars

SEVEN = ["The", "movie", "was", "not", "good", ",", "but"]
ROW = np.array([0.01, 0.0, 0.0, 0.67, 0.0, 0.3, 0.02])
EPOCHS = np.arange(1, 6)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def plain(draw):
    """A picture by a student, who calls Matplotlib."""
    ax = plt.subplots()[1]
    draw(ax)
    return ax


def wave(ax):
    ax.plot(EPOCHS, [0.5, 0.2, 0.9, 0.4, 0.6], label="accuracy")
    ax.axhline(0.5, label="chance")
    ax.set(xlabel="epoch", ylabel="share")


SAYS = {
    "a row": (lambda: row_bars(ROW, SEVEN), ["not 0.67", "comma 0.30", "but 0.02", "the four others 0.01 together"]),
    "scores": (
        lambda: row_bars(ROW - 2, SEVEN),
        ["not −1.33", "the four others from −2.00 to −1.99"],
    ),
    "a reference": (lambda: row_bars(ROW[:4], SEVEN[:4], reference=[0, 0, 0, 1]), ["not 0.67", "Wanted: 1.00 at not"]),
    "a mask": (lambda: heatmap(causal_mask(4) * 1.0, list("abcd")), ["c: 1 each at a to c, 0 elsewhere", "d: 1 each"]),
    "even rows": (lambda: heatmap(np.full((2, 3), 1 / 3), ["x", "y"], list("abc")), ["x: 0.33 each", "y: 0.33 each"]),
    "many rows": (lambda: heatmap(np.eye(20) * 0.9, list("abcdefghijklmnopqrst")), ["a → a 0.90", "t → t 0.90"]),
    "arrows": (lambda: arrows([[2, 3], [5, -1]], ["a", "b"]), ["a to (2, 3)", "b to (5, −1)"]),
    "points": (lambda: mixtures([[0, 0], [4, 2]], [[1, 0.5], [2, 1]], ["a", "b"]), ["b (4, 2)", "a (1.00, 0.50)"]),
    "a crossing": (
        lambda: curves(EPOCHS, {"rises": EPOCHS / 10, "falls": 0.48 - EPOCHS / 20}, xlabel="n", ylabel="loss"),
        ["Rises: from 0.10 at 1 to 0.50 at 5", "Falls: from 0.43 at 1 to 0.23 at 5", "cross between 3 and 4"],
    ),
    "a student's curve": (
        lambda: plain(wave),
        ["Share over epoch: from 0.50 at 1 to 0.60 at 5, highest 0.90 at 3, lowest 0.20 at 2", "Marked: chance"],
    ),
    "a student's bars": (lambda: plain(lambda ax: ax.bar(["yes", "no"], [3, 5])), ["yes 3, no 5"]),
    "a student's cloud": (
        lambda: plain(lambda ax: ax.plot([1, 2, 4], [5, 7, 6], "o")),
        ["three points", "from 1 to 4", "from 5 to 7"],
    ),
}


def test_a_rounding_error_is_no_crossing():
    """Where two curves begin equal, the processor decides which of them is above."""
    for tiny in (1e-9, -1e-9):
        lines = {"one": [1, 0.9, 0.8], "other": [1 + tiny, 0.8, 0.7]}
        assert "cross" not in describe(curves(EPOCHS[:3], lines, xlabel="n", ylabel="loss").figure)


@pytest.mark.parametrize("draw, parts", SAYS.values(), ids=SAYS)
def test_a_figure_says_its_numbers_by_name(draw, parts):
    words = describe(draw().figure)
    assert [part for part in parts if part not in words] == [], words


def test_each_of_two_pictures_is_described_with_its_title():
    figure, axes = plt.subplots(1, 2)
    for ax, title in zip(axes, ("before", "after"), strict=True):
        row_bars([0.25, 0.75], ["a", "b"], title=title, ax=ax)
    assert re.search("1 of 2: Bars: before.*2 of 2: Bars: after", describe(figure))


@pytest.mark.parametrize("draw", [draw for draw, _ in SAYS.values()], ids=SAYS)
def test_the_page_holds_the_words_the_numbers_and_the_same_drawing_each_time(draw):
    first, again = (as_html(draw().figure) for _ in range(2))
    assert first == again
    page = BeautifulSoup(first, "html.parser")
    assert page.img["alt"] == describe(draw().figure)
    kind, drawing = page.img["src"].split(",", 1)
    assert kind == "data:image/svg+xml"
    root = ElementTree.fromstring(unquote(drawing))
    names = {element.get("id") for element in root.iter()}
    used = set(re.findall(r"(?:href='|url\()#([^')]+)", unquote(drawing)))
    assert used and used <= names
    rows = [[cell.text for cell in row.find_all(["th", "td"])] for row in page.table.find_all("tr")]
    assert len({len(row) for row in rows}) == 1 and len(rows) > 1


def test_the_table_of_a_heat_map_holds_every_weight():
    weights = np.arange(6).reshape(2, 3) / 10
    table = BeautifulSoup(as_html(heatmap(weights, ["x", "y"], ["a", "b", "a"]).figure), "html.parser").table
    rows = [[cell.text for cell in row.find_all(["th", "td"])] for row in table.find_all("tr")]
    assert rows == [["", "a", "b", "a"], ["x", "0.00", "0.10", "0.20"], ["y", "0.30", "0.40", "0.50"]]


def colours(ax):
    ax.imshow(np.zeros((2, 2, 3)))


def days(ax):
    ax.plot([datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)], [1, 2])


def names(ax):
    ax.plot(["a", "b"], [1, np.nan])


@pytest.mark.parametrize("draw", [colours, days, names, lambda ax: ax.pie([1, 2]), lambda ax: ax.axis("off")])
def test_whatever_a_student_draws_is_shown(draw):
    ax = plain(draw)
    ax.set_title("mine")
    assert "mine" in BeautifulSoup(as_html(ax.figure), "html.parser").img["alt"]
    assert as_html(plt.figure())
