"""The figures: each is what its script draws, says what it shows, needs nothing from outside, and can be read."""

import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations
from pathlib import Path

import course_map
import draw_all
import matplotlib
import numpy as np
import pytest
import style
import talk_script as talk
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path as Line
from matplotlib.text import Text

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "images"
SVG = "{http://www.w3.org/2000/svg}"
PICTURES = sorted(path.stem for path in IMAGES.glob("*.svg"))

FIGURES = {figure.__name__: figure for figure in draw_all.figures()}

LESSONS = list(course_map.LESSONS)
DRAWN = {name: figure.draw for name, figure in FIGURES.items()}


@pytest.fixture(params=DRAWN, scope="module")
def figure(request):
    """Return a figure, laid out as it is saved."""
    with style.settings():
        figure = DRAWN[request.param]()
        FigureCanvasAgg(figure).draw()
    return figure


def texts(figure):
    """Return the figure's texts with the boxes they fill, in pixels."""
    return [(t, t.get_window_extent()) for t in figure.findobj(Text) if t.get_text().strip()]


def patches(figure, *kinds):
    """Return the figure's own patches of these kinds with their outlines, in pixels."""
    drawn = [patch for patch in figure.axes[0].patches if isinstance(patch, kinds)]
    return [(patch, patch.get_path().transformed(patch.get_transform())) for patch in drawn]


def locked_matplotlib():
    return re.search(r"^matplotlib==(\S+)", (ROOT / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE)[1]


def test_every_picture_has_its_script():
    assert sorted(FIGURES) == PICTURES


@pytest.mark.parametrize("name", PICTURES)
def test_the_script_draws_the_picture(name):
    if matplotlib.__version__ != locked_matplotlib():
        pytest.skip(f"the pictures are drawn with matplotlib {locked_matplotlib()}")
    figure = FIGURES[name]
    with matplotlib.rc_context({"font.size": 30, "figure.constrained_layout.use": True, "lines.linewidth": 9}):
        drawn = style.svg(figure.draw, figure.TITLE, figure.ALT)
    stored = (IMAGES / f"{name}.svg").read_text(encoding="utf-8")
    assert drawn == stored, f"images/{name}.svg is not what images/{name}.py draws: run nox -s draw"


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_says_what_it_shows(name):
    figure = FIGURES[name]
    root = ElementTree.parse(IMAGES / f"{name}.svg").getroot()
    assert [child.tag for child in root[:2]] == [f"{SVG}title", f"{SVG}desc"]
    assert [child.text for child in root[:2]] == [figure.TITLE, figure.ALT]
    assert root.get("role") == "img"
    assert root.get("aria-labelledby").split() == [child.get("id") for child in root[:2]]
    assert 0 < len(figure.TITLE) <= 60
    assert 80 < len(figure.ALT) < 300


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_needs_nothing_from_outside(name):
    page = (IMAGES / f"{name}.svg").read_text(encoding="utf-8")
    assert "://" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)
    assert not re.search(r"<!DOCTYPE|<\?|<script|<image|<foreignObject|<text|@import", page)
    assert all(target.startswith("#") for target in re.findall(r'href="([^"]*)"', page))
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", page))
    on_paper = name.startswith(("sheet_", "handout"))  # no lesson holds these
    assert len(page.encode()) < (300_000 if on_paper else 120_000)


def test_the_sheet_to_print_is_what_the_scripts_draw():
    if matplotlib.__version__ != locked_matplotlib():
        pytest.skip(f"the pictures are drawn with matplotlib {locked_matplotlib()}")
    drawn = style.pages([FIGURES[name].draw for name in ("sheet_1", "sheet_2")])
    assert drawn == draw_all.SHEET.read_bytes(), "notebooks/sheet.pdf is out of date: run nox -s draw"


def test_the_handout_to_print_is_one_page_and_what_the_script_draws():
    stored = draw_all.TALK.read_bytes()
    assert len(re.findall(rb"/Type /Page\b", stored)) == 1
    if matplotlib.__version__ != locked_matplotlib():
        pytest.skip(f"the pictures are drawn with matplotlib {locked_matplotlib()}")
    assert style.pages([FIGURES["handout"].draw]) == stored, "the handout is out of date: run nox -s draw"


def test_the_handout_asks_each_question_of_the_talk():
    handout = FIGURES["handout"]
    words = " ".join(text.get_text() for text in handout.draw().findobj(Text))
    for part in talk.parts():
        for question in part["ask"]:
            assert handout.plain(question) in words


def test_text_can_be_read_at_900_pixels(figure):
    assert figure.get_size_inches()[0] * figure.dpi == pytest.approx(900)
    assert figure.get_size_inches()[0] * 72 == pytest.approx(900 * 0.75)  # so a point of type is a CSS point
    assert min(text.get_fontsize() for text, _ in texts(figure)) >= 12


def test_no_text_is_cut_off(figure):
    for text, box in texts(figure):
        room = figure.bbox
        assert room.x0 <= box.x0 - 4 and box.x1 + 4 <= room.x1, text
        assert room.y0 <= box.y0 - 4 and box.y1 + 4 <= room.y1, text


def test_no_texts_overlap(figure):
    for (one, box), (other, other_box) in combinations(texts(figure), 2):
        assert not box.overlaps(other_box), (one, other)


def test_no_arrow_crosses_a_text(figure):
    for arrow, outline in patches(figure, FancyArrowPatch, PathPatch):
        for line in map(Line, outline.to_polygons(closed_only=False)):
            for text, box in texts(figure):
                assert not line.intersects_bbox(box, filled=isinstance(arrow, PathPatch)), (text, arrow)


def test_every_text_stands_inside_a_box_or_outside_it(figure):
    for _, outline in patches(figure, FancyBboxPatch, Rectangle, Circle):
        edge = outline.get_extents()
        for text, box in texts(figure):
            inside = edge.x0 <= box.x0 and box.x1 <= edge.x1 and edge.y0 <= box.y0 and box.y1 <= edge.y1
            assert inside or not edge.overlaps(box), (text, edge)


def test_text_stands_out_from_its_ground(figure):
    words, canvas = texts(figure), FigureCanvasAgg(figure)
    for text, _ in words:
        text.set_visible(False)
    canvas.draw()
    for text, _ in words:
        text.set_visible(True)
    pixels = np.asarray(canvas.buffer_rgba())[::-1, :, :3] / 255  # (height, width, 3), from the bottom as boxes are
    for text, box in words:
        ground = pixels[int(box.y0) : int(box.y1), int(box.x0) : int(box.x1)].reshape(-1, 3)  # (pixels, 3)
        colours, counts = np.unique(ground, axis=0, return_counts=True)
        for colour in colours[counts > 0.05 * len(ground)]:
            assert style.contrast(text.get_color(), colour) >= 4.5, text


def test_the_ground_is_opaque_and_light(figure):
    assert figure.get_facecolor()[3] == 1
    assert style.luminance(figure.get_facecolor()) > 0.8


def test_contrast_is_that_of_the_standard():
    assert style.contrast("black", "white") == pytest.approx(21)
    assert style.contrast("#767676", "white") == pytest.approx(4.54, abs=0.005)


def test_the_roles_stay_apart_in_greyscale():
    for one, other in combinations((style.QUERY, style.KEY, style.VALUE), 2):
        assert style.contrast(one, other) > 1.7, (one, other)


def test_the_map_shows_every_lesson():
    assert set(LESSONS) == {source.stem for source in (ROOT / "notebooks" / "source").glob("*.py")}
    assert {name[:2] for name in LESSONS} <= {text.get_text() for text, _ in texts(course_map.draw())}


def test_the_map_takes_few_words():
    assert [name[:2] for name in LESSONS] == [f"{number:02d}" for number in range(len(LESSONS))]
    assert max(len(holds.split()) for holds in course_map.LESSONS.values()) <= 5


def test_the_thickness_of_an_arrow_is_its_weight():
    lookup = FIGURES["library_lookup"]
    shares = lookup.shares()
    written = [float(t.get_text()) for t, _ in texts(lookup.draw()) if re.fullmatch(r"0\.\d\d", t.get_text())]
    np.testing.assert_allclose(written, shares, atol=0.005)
    assert sum(written) == pytest.approx(1)
    flows = [outline.vertices for _, outline in patches(lookup.draw(), PathPatch)]
    thickness = np.array([abs(v[0, 1] - v[-2, 1]) for v in flows])  # (n_books,), where the arrow leaves the book
    np.testing.assert_allclose(thickness / thickness.sum(), shares)


def test_the_four_steps_are_attention():
    found = FIGURES["four_steps"].compute()
    scores = found["Q"] @ found["K"].T / np.sqrt(found["K"].shape[1])  # (n, n)
    np.testing.assert_allclose(found["scores"], scores)
    np.testing.assert_allclose(found["weights"], np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(found["output"], found["weights"] @ found["V"])
    np.testing.assert_allclose(found["weights"].round(2).sum(axis=1), 1)  # as printed, each row sums to 1
