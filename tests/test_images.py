"""The figures: each is what its script draws, needs nothing from outside, and can be read."""

import re
from itertools import combinations, pairwise
from pathlib import Path

import course_map
import draw_all
import library_lookup
import matplotlib
import numpy as np
import pytest
import style
from matplotlib.artist import getp, setp
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgba
from matplotlib.patches import Patch, PathPatch
from matplotlib.text import Text

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "images"
PICTURES = sorted(path.stem for path in IMAGES.glob("*.svg"))

FIGURES = {figure.__name__: figure for figure in draw_all.figures()}
IN_THE_DARK = [name for name, figure in FIGURES.items() if getattr(figure, "HAS_DARK", False)]
ON_BOTH_PAPERS = {style.KEY, style.VALUE, style.RING}  # the same on a light page and on a dark one


@pytest.fixture(params=FIGURES, scope="module")
def figure(request):
    """Return a figure, laid out as it is saved."""
    with style.settings():
        figure = FIGURES[request.param].draw()
        FigureCanvasAgg(figure).draw()
    return figure


def texts(figure):
    """Return the figure's texts with the boxes they fill, in pixels."""
    return [(t, t.get_window_extent()) for t in figure.findobj(Text) if t.get_text().strip()]


def patches(figure, *kinds):
    """Return the figure's own patches of these kinds with their outlines, in pixels."""
    drawn = [patch for patch in figure.axes[0].patches if isinstance(patch, kinds)]
    return [(patch, patch.get_path().transformed(patch.get_transform())) for patch in drawn]


def only_with_the_locked_matplotlib():
    locked = re.search(r"^matplotlib==(\S+)", (ROOT / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE)[1]
    if matplotlib.__version__ != locked:
        pytest.skip(f"the pictures are drawn with matplotlib {locked}")


def test_every_picture_has_its_script_and_every_lesson_its_place_on_the_map():
    assert sorted(FIGURES.keys() - draw_all.ON_PAPER) == PICTURES
    assert set(course_map.LESSONS) == {source.stem for source in (ROOT / "notebooks" / "source").glob("*.py")}


@pytest.mark.parametrize("last", range(16, 30))
def test_the_map_has_a_place_for_every_lesson_of_a_part_that_grows(last, monkeypatch):
    monkeypatch.setattr(course_map, "PARTS", course_map.PARTS | {"Beyond the toy": (16, last)})
    places = [course_map.station(index, tall=False) for index in range(last + 1)]
    assert len(set(places)) == last + 1
    for (x0, y0), (x1, y1) in pairwise(places):
        assert abs(x1 - x0) == 140 if y0 == y1 else y1 - y0 in (168, 208)


@pytest.mark.parametrize("name", PICTURES)
def test_the_script_draws_the_picture(name):
    only_with_the_locked_matplotlib()
    figure = FIGURES[name]
    with matplotlib.rc_context({"font.size": 30, "figure.constrained_layout.use": True, "lines.linewidth": 9}):
        drawn = style.svg(figure)
    stored = (IMAGES / f"{name}.svg").read_text(encoding="utf-8")
    assert drawn == stored, f"images/{name}.svg is not what images/{name}.py draws: run nox -s draw"


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_has_words_and_needs_nothing_from_outside(name):
    page = (IMAGES / f"{name}.svg").read_text(encoding="utf-8")
    assert '<title id="title"' in page and "<desc" in page
    assert "://" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)
    assert not re.search(r"<!DOCTYPE|<\?|<script|<image|<foreignObject|<text|@import", page)
    assert all(target.startswith("#") for target in re.findall(r'href="([^"]*)"', page))
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", page))


def test_what_is_printed_and_the_page_beside_it_are_what_the_scripts_write():
    only_with_the_locked_matplotlib()
    stale = [path.name for path, content in draw_all.print_files().items() if content != path.read_bytes()]
    assert stale == [], "run nox -s draw"


def test_no_texts_overlap(figure):
    for (one, box), (other, other_box) in combinations(texts(figure), 2):
        assert not box.overlaps(other_box), (one, other)


def test_text_stands_out_from_its_ground(figure):
    assert_text_stands_out(figure)


@pytest.mark.parametrize("name", IN_THE_DARK)
def test_text_stands_out_in_the_dark_too(name):
    with style.settings():
        figure = FIGURES[name].draw()
        for artist in figure.findobj(lambda one: isinstance(one, Text | Patch)):
            for kind in ("color",) if isinstance(artist, Text) else ("facecolor", "edgecolor"):
                *colour, opacity = to_rgba(getp(artist, kind))
                setp(artist, **{kind: (style.DARK.get(to_hex(colour), to_hex(colour)), opacity)})
        FigureCanvasAgg(figure).draw()
        assert_text_stands_out(figure)


@pytest.mark.parametrize("name", IN_THE_DARK)
def test_no_colour_stays_as_it_is_in_the_dark_unless_it_stands_on_both_papers(name):
    page = (IMAGES / f"{name}.svg").read_text(encoding="utf-8")
    assert set(re.findall(r"(?:fill|stroke): (#\w+)", page)) <= {*style.DARK, *ON_BOTH_PAPERS}
    for colour in ON_BOTH_PAPERS:
        assert style.contrast(colour, style.DARK[style.PAPER]) >= 3, colour


def assert_text_stands_out(figure):
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


def test_the_roles_stay_apart_in_greyscale():
    for one, other in combinations((style.QUERY, style.KEY, style.VALUE), 2):
        assert style.contrast(one, other) > 1.7, (one, other)


@pytest.mark.parametrize("name", ["library_lookup", "library_lookup_tall"])
def test_the_thickness_of_an_arrow_is_its_weight(name):
    figure = FIGURES[name].draw()
    written = [float(t.get_text()) for t, _ in texts(figure) if re.fullmatch(r"0\.\d\d", t.get_text())]
    np.testing.assert_allclose(written, library_lookup.shares(), atol=0.005)
    assert sum(written) == pytest.approx(1)
    flows = [outline.vertices for _, outline in patches(figure, PathPatch)]
    thickness = np.array([np.abs(v[0] - v[-2]).max() for v in flows])  # (n_books,), where the arrow leaves the book
    np.testing.assert_allclose(thickness / thickness.sum(), library_lookup.shares())


def test_a_reader_of_the_readme_hears_what_its_first_picture_shows():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f'<img alt="{FIGURES["first_look"].ALT}" src="images/first_look.svg">' in readme
