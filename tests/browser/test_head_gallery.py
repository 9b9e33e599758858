"""HeadGallery by mouse and by keyboard; its numbers are Python's, up to 6 x 12 heads of 64 x 64 weights."""

import numpy as np
import pytest
from explorable_text import text
from samples import HARD, many_heads

from course_utils.explorables import HeadGallery

TOKENS = ["The", "cat", "sat", "on", "the", "mat"]
GALLERY = """from samples import many_heads
from course_utils.explorables import HeadGallery
gallery = HeadGallery(many_heads(2, 4, 6), "The cat sat on the mat".split())
gallery"""


def gallery_of(**chosen):
    return HeadGallery(many_heads(2, 4, 6), TOKENS, **chosen)


def squares(page):
    return page.locator(".look-gallery canvas").first


def cell(canvas, row, column, n_rows, n_columns):
    """The middle of a cell of a canvas, in pixels of the page."""
    box = canvas.bounding_box()
    return box["x"] + (column + 0.5) / n_columns * box["width"], box["y"] + (row + 0.5) / n_rows * box["height"]


def test_by_mouse(static):
    page = static(gallery_of())
    page.mouse.click(*cell(squares(page), 1, 2, 2, 4))
    assert text(page) == gallery_of(layer=1, head=2).text()
    page.get_by_role("radio", name="on").hover()
    assert text(page) == gallery_of(layer=1, head=2, query=3).text()
    row = gallery_of(layer=1, head=2, query=3).row
    assert page.locator(".look-looked small").all_text_contents() == [f"{weight:.2f}" for weight in row]
    page.mouse.move(*cell(page.locator(".look-side canvas"), 5, 1, 6, 6))
    chosen = gallery_of(layer=1, head=2, query=5)
    assert text(page) == chosen.text()
    assert page.locator(".look-side p").text_content() == f"mat looks at cat: {chosen.row[1]:.2f}"
    page.get_by_role("button", name="Reset").click()
    assert text(page) == gallery_of().text()


def test_by_keyboard(static):
    page = static(gallery_of())
    page.keyboard.press("Tab")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
    assert text(page) == gallery_of(layer=1, head=1).text()
    assert squares(page).get_attribute("aria-valuetext") == "layer 1, head 1"
    page.keyboard.press("Tab")
    for key in ("ArrowRight", "ArrowDown", "ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
    assert text(page) == gallery_of(layer=1, head=1, query=2).text()
    assert page.evaluate("() => document.activeElement.textContent") == "sat"


def test_every_head_of_a_small_encoder_is_unpacked_as_python_packed_it(page):
    weights = many_heads().astype(np.float32)
    gallery = HARD["HeadGallery"]()
    module = gallery._esm.replace("export default ", "window.gallery = ")
    call = """async ([module, packed, l, h]) => {
      const url = URL.createObjectURL(new Blob([module + 'window.unpack = unpack;'], { type: 'text/javascript' }));
      await import(url);
      const data = window.unpack(packed);
      return [data.head(l, h), [data.layers, data.heads, data.n, data.m], data.largest];
    }"""
    for layer, head in ((0, 0), (2, 5), (5, 11)):
        rows, shape, largest = page.evaluate(call, [module, gallery.get_state("weights")["weights"], layer, head])
        np.testing.assert_array_equal(np.float32(rows), weights[layer, head])
        assert shape == [6, 12, 64, 64] and np.float32(largest) == weights.max()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_each_square_shows_its_own_head(static, dark):
    """Head h of layer l puts all weight on key 2 l + h: there its square is darkest, elsewhere palest."""
    n_layers, n_heads, n = 2, 2, 4
    weights = np.zeros((n_layers, n_heads, n, n))
    for layer, head in np.ndindex(n_layers, n_heads):
        weights[layer, head, :, 2 * layer + head] = 1
    page = static(HeadGallery(weights), dark=dark)
    pixel = """(canvas, [x, y]) => [...canvas.getContext('2d')
      .getImageData(Math.floor(x * canvas.width), Math.floor(y * canvas.height), 1, 1).data].slice(0, 3)"""
    colours = {False: ([11, 60, 111], [255, 255, 255]), True: ([211, 235, 255], [28, 33, 38])}[dark]
    for layer, head, key in np.ndindex(n_layers, n_heads, n):
        at = [(head + 0.1 + 0.8 * (key + 0.5) / n) / n_heads, (layer + 0.5) / n_layers]
        wanted = colours[0] if key == 2 * layer + head else colours[1]
        assert squares(page).evaluate(pixel, at) == wanted, (layer, head, key)


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (3, 2, 1, 5), (2, 16, 7, 3)])
def test_other_shapes(static, shape):
    weights = np.random.default_rng(1).dirichlet(np.ones(shape[-1]), size=shape[:-1])
    gallery = HeadGallery(weights, layer=shape[0] - 1, head=shape[1] - 1, query=shape[2] - 1)
    page = static(gallery)
    assert text(page) == gallery.text()
    for key in ("ArrowRight", "ArrowDown"):  # at the end of the gallery nothing is there to go to
        squares(page).press(key)
    assert text(page) == gallery.text()


def test_in_jupyterlab_python_and_page_hold_the_same(cells, python, agrees):
    from test_every_explorable import FROM_SAMPLES

    page = cells(FROM_SAMPLES + GALLERY, "gallery", "1")
    page.locator("section.look").nth(1).wait_for()
    page.mouse.click(*cell(squares(page), 0, 3, 2, 4))
    active = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
    before = page.evaluate(active)
    squares(page).press("ArrowDown")
    page.get_by_role("radio", checked=True).first.press("ArrowRight")
    assert page.evaluate(active) == before, "JupyterLab took the arrow keys for its own"
    assert [text(page)] * 2 == page.locator(".look-text").all_text_contents()
    assert text(page) == gallery_of(layer=1, head=3, query=1).text()
    agrees("gallery")
    assert python("print(gallery.layer, gallery.head, gallery.query)") == "1 3 1"
    old = text(page)
    assert python("gallery.weights = many_heads(2, 4, 6)[::-1]") == ""
    wanted = "(old) => document.querySelector('.look-text').textContent !== old"
    page.wait_for_function(wanted, arg=old)
    assert text(page) == python("print(gallery.text())")
    python("gallery.reset()")
    page.wait_for_function("() => document.querySelector('.look-text').textContent.startsWith('Layer 0, head 0')")
