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
SPOKEN = "(wanted) => document.querySelector('[aria-live]').textContent === wanted"


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
      return [data.head(l, h), [data.layers, data.heads, data.n, data.m]];
    }"""
    for layer, head in ((0, 0), (2, 5), (5, 11)):
        rows, shape = page.evaluate(call, [module, gallery.get_state("weights")["weights"], layer, head])
        np.testing.assert_array_equal(np.float32(rows), weights[layer, head])
        assert shape == [6, 12, 64, 64]


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


def test_keys_that_share_the_largest_weight_are_all_named(static):
    gallery = HeadGallery([[[[0.5, 0.5, 0], [0.2, 0.2, 0.6], [1 / 3, 1 / 3, 1 / 3]]]], ["a", "b", "c"])
    page = static(gallery)
    assert text(page) == gallery.text()
    page.wait_for_function(SPOKEN, arg="Layer 0, head 0: a looks most at a, b")


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


def test_a_search_names_the_heads_with_most_of_a_pattern(static):
    page, weights = static(gallery_of(query=2)), many_heads(2, 4, 6).astype(np.float32)

    def best(seen):
        order = sorted(np.ndindex(2, 4), key=lambda place: -seen[place])[:3]
        return [f"layer {layer}, head {head}: {seen[layer, head]:.2f}" for layer, head in order]

    found = page.locator(".look-below .look-buttons button")
    assert found.all_text_contents() == best(weights[:, :, 2, gallery_of(query=2).row.argmax()]), "the strongest key"
    page.locator(".look-looked").nth(4).click()
    assert found.all_text_contents() == best(weights[:, :, 2, 4])
    page.get_by_label("pattern to search for").select_option("the token before")
    wanted = best(np.diagonal(weights, -1, 2, 3).mean(axis=-1))
    assert found.all_text_contents() == wanted
    found.first.click()
    assert text(page).lower().startswith(wanted[0].split(":")[0])
    page.locator(".look-looked").nth(3).click()
    assert found.all_text_contents() == best(weights[:, :, 2, 3]), "which heads look there, whatever was searched for"


def test_a_task_is_confirmed_once_its_head_is_found_and_not_shown_where_there_is_none(static):
    page = static(HeadGallery(head=1))  # the heads made by hand: head 0 looks at the token before
    task = page.locator(".look-goals li")
    assert task.text_content().startswith("☐")
    squares(page).focus()
    page.keyboard.press("ArrowLeft")
    assert task.text_content().startswith("☑") and task.text_content().endswith("you reached it")
    page.keyboard.press("ArrowRight")
    assert task.text_content().startswith("☑"), "what was reached stays"
    assert static(gallery_of()).locator(".look-goals").is_hidden()


READING = """from types import SimpleNamespace
import numpy as np
from course_utils.explorables import HeadGallery

def read(sentence):
    n = len(sentence.split())
    if n > 5: raise ValueError("sentence is too long")
    return SimpleNamespace(weights=np.tile(np.eye(n), (2, 3, 1, 1)), tokens=sentence.split())

gallery = HeadGallery(*vars(read("a b c d e")).values(), query=4, read=read)
gallery"""


def test_a_typed_sentence_is_read_by_the_kernel(cells, python, agrees):
    page = cells(READING)
    field = page.get_by_label("a sentence of yours")
    field.fill("dogs see cats now")
    field.press("Enter")
    page.get_by_role("radio", name="dogs").wait_for()
    agrees("gallery")
    assert python("print(gallery.query_words, gallery.weights.shape)") == "('dogs', 'see', 'cats', 'now') (2, 3, 4, 4)"
    page.get_by_role("radio", name="cats").click()
    page.get_by_role("button", name="Reset").click()
    page.wait_for_function("() => document.querySelector('.look-text').textContent.includes('\\ndogs looks at')")
    agrees("gallery")
    field.fill("one two three four five six")
    page.get_by_role("button", name="Read").click()
    page.get_by_text("sentence is too long", exact=True).wait_for()
    assert python("print(len(gallery.query_words))") == "4", "the picture stays as it was"


def test_each_view_of_a_gallery_asks_the_kernel_anew(cells, python):
    page = cells(READING, "gallery")
    for count, field in enumerate(page.get_by_label("a sentence of yours").all(), 1):
        field.fill("dogs see cats")
        field.press("Enter")
        page.get_by_role("radio", name="dogs").first.wait_for()
        assert python("print(gallery._answered['count'])") == f"{count}"


def test_without_a_kernel_it_says_that_a_sentence_needs_one(static):
    page = static(HeadGallery(read=lambda sentence: None))
    page.get_by_label("a sentence of yours").fill("dogs see cats")
    page.get_by_role("button", name="Read").click()
    page.get_by_text("no kernel answers").wait_for()
