"""HeadGallery by mouse and by keyboard; its numbers are Python's."""

import numpy as np
import pytest
from hands import act, follow, tasks_reached, text
from samples import many_heads

from course_utils.explorables import HeadGallery

SQUARES, LARGE = ".look-gallery canvas", ".look-side canvas"
SPOKEN = "(wanted) => document.querySelector('[role=status][aria-live]').textContent === wanted"


def gallery_of(**chosen):
    return HeadGallery(many_heads(2, 4, 6), ["The", "cat", "sat", "on", "the", "mat"], **chosen)


def word(name):
    return f"role=radio[name='{name}']"


def test_by_mouse_and_by_keyboard(static):
    gallery = gallery_of()
    page = static(gallery)
    follow(
        page,
        gallery,
        (SQUARES, f"at {2.5 / 4} {1.5 / 2}", {"layer": 1, "head": 2}),
        (word("on"), "hover", {"query": 3}),
    )
    assert page.locator(".look-looked small").all_text_contents() == [f"{weight:.2f}" for weight in gallery.row]
    follow(page, gallery, (LARGE, f"over {1.5 / 6} {5.5 / 6}", {"query": 5}))
    assert page.locator(".look-side p").text_content() == f"mat looks at cat: {gallery.row[1]:.2f}"
    follow(
        page,
        gallery,
        ("role=button[name='Reset']", "click", None),
        (SQUARES, "ArrowRight ArrowRight ArrowDown ArrowDown ArrowLeft", {"layer": 1, "head": 1}),
        (None, "Tab ArrowRight ArrowDown ArrowUp ArrowRight", {"query": 2}),
    )


def test_each_square_shows_its_own_head(static):
    """Head h of layer l puts all weight on key 2 l + h: there its square is darkest, elsewhere palest."""
    n_layers, n_heads, n = 2, 2, 4
    weights = np.zeros((n_layers, n_heads, n, n))
    for layer, head in np.ndindex(n_layers, n_heads):
        weights[layer, head, :, 2 * layer + head] = 1
    page = static(HeadGallery(weights))
    pixel = """(canvas, [x, y]) => [...canvas.getContext('2d')
      .getImageData(Math.floor(x * canvas.width), Math.floor(y * canvas.height), 1, 1).data].slice(0, 3)"""
    for layer, head, key in np.ndindex(n_layers, n_heads, n):
        at = [(head + 0.1 + 0.8 * (key + 0.5) / n) / n_heads, (layer + 0.5) / n_layers]
        wanted = [11, 60, 111] if key == 2 * layer + head else [255, 255, 255]
        assert page.locator(SQUARES).evaluate(pixel, at) == wanted, (layer, head, key)


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (3, 2, 1, 5), (2, 16, 7, 3)])
def test_other_shapes(static, shape):
    weights = np.random.default_rng(1).dirichlet(np.ones(shape[-1]), size=shape[:-1])
    gallery = HeadGallery(weights, layer=shape[0] - 1, head=shape[1] - 1, query=shape[2] - 1)
    at_the_end = [(SQUARES, key, {}) for key in ("ArrowRight", "ArrowDown")]  # nothing is there to go to
    follow(static(gallery), gallery, *at_the_end)


def test_a_screen_reader_hears_all_keys_that_share_the_largest_weight(static):
    page = static(HeadGallery([[[[0.5, 0.5, 0], [0.2, 0.2, 0.6], [1 / 3, 1 / 3, 1 / 3]]]], ["a", "b", "c"]))
    page.wait_for_function(SPOKEN, arg="Layer 0, head 0: a looks most at a, b")


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
    assert tasks_reached(page) == [False]
    for key in ("ArrowLeft", "ArrowRight"):  # what was reached stays
        page.locator(SQUARES).press(key)
        assert tasks_reached(page) == [True]
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


def test_the_kernel_reads_a_sentence_typed_in_either_view(cells, python, agrees):
    page = cells(READING, "gallery")
    fields = page.get_by_label("a sentence of yours").all()
    typed = "dogs see cats now", "birds sing here", "cats sit there"  # the last: as many words, so the same weights
    for count, (field, words) in enumerate(zip([*fields, fields[0]], typed, strict=True), 1):
        field.fill(words)
        field.press("Enter")
        page.locator(word(words.split()[0])).first.wait_for()
        agrees("gallery")
        assert python("print(*gallery.query_words, gallery._answered['count'])") == f"{words} {count}"
    act(page, word("there"), "click")
    act(page, "role=button[name='Reset']", "click")
    page.wait_for_function("() => document.querySelector('.look-text').textContent.includes('\\ncats looks at')")
    agrees("gallery")
    fields[0].fill("one two three four five six")
    act(page, "role=button[name='Read']", "click")
    page.get_by_text("sentence is too long", exact=True).first.wait_for()
    assert python("print(gallery.weights.shape)") == "(2, 3, 3, 3)", "the picture stays as it was"


def test_without_a_kernel_it_says_that_a_sentence_needs_one(static):
    page = static(HeadGallery(read=lambda sentence: None))
    page.get_by_label("a sentence of yours").fill("dogs see cats")
    page.get_by_role("button", name="Read").click()
    page.get_by_text("no kernel answers").wait_for()
