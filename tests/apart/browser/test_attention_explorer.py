"""AttentionExplorer by mouse and by keyboard; its numbers are Python's."""

import numpy as np
import pytest
from explorable_text import text
from samples import EMOJI, HEBREW

from course_utils.explorables import AttentionExplorer
from course_utils.explorables.example_sentences import SENTENCES, by_letters
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW

WON = np.stack([np.zeros(12), np.sqrt(2) * np.log(CONCEPTUAL_ROW)], axis=1).round(3)
EXPLORER = "from course_utils.explorables import AttentionExplorer\nexplorer = AttentionExplorer()\nexplorer"


def key(page, word, number):
    return page.get_by_label(f"key k of {word}, number {number}", exact=True).first


def random_explorer(seed):
    rng = np.random.default_rng(seed)
    n, d_k, d_v = rng.integers(1, 13), *rng.integers(1, 5, size=2)
    Q, K, V = (2 * rng.normal(size=(n, d)) for d in (d_k, d_k, d_v))
    query, padding = rng.integers(n, size=2).tolist()
    causal, scaled = (rng.random(2) < 0.5).tolist()
    tokens = [f"word{i}" for i in range(n)]
    return AttentionExplorer(tokens, Q, K, V, query=query, padding=padding, causal=causal, scaled=scaled)


@pytest.mark.parametrize("seed", range(8))
def test_random_vectors_give_pythons_numbers(static, seed):
    explorer = random_explorer(seed)
    assert text(static(explorer)) == explorer.text()


def test_by_mouse(static):
    page = static(AttentionExplorer())
    page.get_by_role("radio", name="amazing").click()
    page.get_by_label("causal mask").check()
    page.get_by_label("divide by").uncheck()
    page.get_by_role("button", name="3 Normalise").click()
    wanted = AttentionExplorer(query=10, causal=True, scaled=False, step="normalise")
    assert text(page) == wanted.text()
    assert page.locator(".look-unseen th").all_text_contents() == ["."]
    box = page.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + 3.5 / 12 * box["width"], box["y"] + 10.5 / 12 * box["height"])
    assert page.locator(".look-side p").text_content() == "amazing looks at not: 1.00"
    page.mouse.click(box["x"] + 5, box["y"] + 3.5 / 12 * box["height"])
    wanted.query = 3
    assert text(page) == wanted.text()
    page.get_by_role("button", name="Reset").click()
    assert text(page) == AttentionExplorer().text()


def test_by_keyboard(static):
    page = static(AttentionExplorer())
    page.get_by_role("radio", checked=True).focus()
    for press in ("ArrowUp", "ArrowDown", "ArrowDown"):
        page.keyboard.press(press)
    assert text(page) == AttentionExplorer(query=5).text()
    assert page.evaluate("() => document.activeElement.textContent") == ","
    page.get_by_role("radio", name="good").click()
    field = key(page, "not", 2)
    for press in ("ArrowUp", "Shift+ArrowDown", "Alt+ArrowDown"):
        field.press(press)
    keys = AttentionExplorer().K.copy()
    keys[3, 1] = 19.09
    assert text(page) == AttentionExplorer(K=keys).text()
    page.get_by_label("query, number 2").press("Shift+ArrowUp")
    queries = AttentionExplorer().Q.copy()
    queries[4, 1] = 2
    assert text(page) == AttentionExplorer(Q=queries, K=keys).text()


def test_what_is_typed_halfway_changes_nothing(static):
    page = static(AttentionExplorer())
    field = key(page, "not", 2)
    field.fill("")
    assert text(page) == AttentionExplorer().text()
    field.press("Tab")
    assert field.input_value() == "20"
    field.fill("2e6")
    assert text(page) == AttentionExplorer().text()


def test_the_four_steps_show_the_numbers_of_the_token_that_looks(static):
    page = static(AttentionExplorer())
    says, cells = page.locator(".look-says"), page.locator(".look-steps tbody tr").nth(3).locator("td")
    page.get_by_role("button", name="2 Score").click()
    assert says.text_content().endswith("not: 0.00 · 20.00 + 1.00 · 20.00 = 20.00, divided by √2: 14.14")
    assert cells.all_text_contents()[-4:] == ["20.00", "14.14", "", "0.67"]
    page.get_by_role("button", name="3 Normalise").click()
    assert says.text_content().endswith("not: e^(14.14 − 14.14) / sum = 1.00 / 1.49 = 0.67")
    assert cells.all_text_contents()[-4:] == ["14.14", "1.00", "", "0.67"]
    page.get_by_role("button", name="4 Mix").click()
    assert says.text_content().endswith("0.67 · (1.00, 0.00) + 0.33 · (1.00, 1.00) + … = (1.00, 0.33)")
    assert cells.all_text_contents()[-3:] == ["(0.67, 0.00)", "", "0.67"]


def test_the_game_can_be_won_by_typing(static):
    page = static(AttentionExplorer())
    assert page.locator(".look-game").text_content().endswith("amazing is furthest off: 0.33, wanted 0.11.")
    for j, word in enumerate(REVIEW):
        for number in (1, 2):
            field = page.get_by_label(f"key k of {word}, number {number}", exact=True).nth(REVIEW[:j].count(word))
            field.fill(str(WON[j, number - 1]))
    assert "reached. All weights" in page.locator(".look-game").text_content()
    assert text(page) == AttentionExplorer(K=WON).text()
    assert page.locator(".look-mark:visible").count() == 12
    page.get_by_role("radio", name="not").click()
    assert page.locator(".look-game").is_hidden() and page.locator(".look-mark:visible").count() == 0


def test_without_the_game_nothing_asks_for_it(static):
    widget = AttentionExplorer(game=False)
    page = static(widget)
    assert page.locator(".look-game").is_hidden() and page.locator(".look-mark:visible").count() == 0
    assert page.locator(".look-text").text_content() == widget.text()
    assert "Game" not in widget.text()


def test_sentences_of_the_course_and_words_of_the_student(static):
    page = static(AttentionExplorer(padding=3))
    for i, sentence in enumerate(SENTENCES):
        page.get_by_label("Sentence").select_option(str(i))
        own = {name: value for name, value in sentence.items() if name != "name"}
        assert text(page) == AttentionExplorer(**own).text()
        assert page.get_by_label("Sentence").input_value() == str(i)
        assert page.locator(".look-invented").text_content() == ""
    words = ["Die", "Katze", HEBREW, EMOJI, "Die", "𝒜</b>"]
    page.get_by_label("your own words, with").fill("  ".join(words))
    page.keyboard.press("Enter")
    assert text(page) == AttentionExplorer(words).text()
    assert page.get_by_label("Sentence").input_value() == "own"
    page.get_by_label("your own words, with").fill("   ")
    page.get_by_role("button", name="Read").click()
    page.get_by_role("button", name="1 Project").click()
    page.get_by_label("key k of Katze, number 1", exact=True).fill("9")
    page.locator(".look-of-Q").first.fill("9")
    assert "are invented" in page.locator(".look-invented").text_content(), "all but two"
    page.get_by_label("your own words, with").fill("a " * 70)
    page.get_by_role("button", name="Read").click()
    assert text(page) == AttentionExplorer(["a"] * 64).text()
    page.get_by_label("your own words, with").fill("   ")
    page.get_by_role("button", name="Read").click()
    assert text(page) == AttentionExplorer(["a"] * 64).text()


def test_letters_give_the_vectors_that_python_gives(page):
    from course_utils.explorables.assets import bundle

    words = [*REVIEW, HEBREW, EMOJI, "𝒜", "", *(chr(i) * (1 + i % 7) for i in range(200))]
    call = """async ([module, words]) => {
      const url = URL.createObjectURL(new Blob([module], { type: 'text/javascript' }));
      return words.map((await import(url)).byLetters);
    }"""
    assert page.evaluate(call, [bundle("attention_words.js"), words]) == [by_letters(word) for word in words]


@pytest.mark.parametrize("step", ["project", "score", "normalise", "mix"])
def test_the_steps_fit_beside_each_other_on_a_projector(static, step):
    page = static(AttentionExplorer(step=step))
    page.set_viewport_size({"width": 1024, "height": 768})
    assert page.locator(".look-list").evaluate("(node) => node.scrollWidth <= node.clientWidth")
    assert page.locator(".look-list").evaluate("(node) => node.scrollHeight <= node.clientHeight")
    page.set_viewport_size({"width": 660, "height": 450})
    assert page.locator(".look-list").evaluate("(node) => node.scrollWidth <= node.clientWidth")


def test_padding_stays_smaller_than_the_sentence(static):
    page = static(AttentionExplorer(["a", "b", "c"]))
    field = page.get_by_label("padding mask")
    field.fill("7")
    assert text(page) == AttentionExplorer(["a", "b", "c"], padding=2).text()
    assert field.input_value() == "2"
    field.fill("0")
    assert text(page) == AttentionExplorer(["a", "b", "c"]).text()


def test_in_jupyterlab_python_and_page_hold_the_same(cells, python, agrees):
    page = cells(EXPLORER, "explorer", "1")
    page.locator("section.look").nth(1).wait_for()
    active = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
    asker = page.get_by_role("radio", name="good").first
    asker.click()
    before = page.evaluate(active)
    asker.press("ArrowDown")
    key(page, "not", 2).press("Shift+ArrowUp")
    assert page.evaluate(active) == before, "JupyterLab took the arrow keys for its own"
    assert [text(page)] * 2 == page.locator(".look-text").all_text_contents()
    agrees("explorer")
    assert python("print(explorer.query, explorer.K[3])") == "5 [20. 21.]"
    page.get_by_label("Sentence").first.select_option("3")
    agrees("explorer")
    assert python("print(explorer.tokens[:3], explorer.V.shape)") == "('The', 'cat', 'sat') (11, 2)"
    page.get_by_label("your own words, with").first.fill(f"dd {HEBREW} d")
    page.keyboard.press("Enter")
    agrees("explorer")
    assert page.locator(".jp-Cell").count() == 3, "JupyterLab took the letters for its own"
    python("explorer.reset()")
    page.wait_for_function("() => document.querySelector('.look-text').textContent.startsWith('good looks')")
    assert text(page) == python("print(explorer.text())") == AttentionExplorer().text()


def test_the_heat_map_is_painted_again_when_a_number_changes_and_only_then(static):
    page = static(AttentionExplorer(["a", "b"], Q=[[1, 0], [0, 1]], K=[[1, 0], [0, 1]], V=[[1, 0], [0, 1]]))
    page.evaluate(COUNT)
    first = page.evaluate(BITMAP)
    page.get_by_role("radio", name="b").click()
    assert page.evaluate(BITMAP) != first, "the frame moves"
    assert page.evaluate("() => window.texts") == 0, "no weight is written again"
    page.get_by_label("key k of b, number 2").fill("9")
    moved = page.evaluate(BITMAP)
    page.get_by_role("radio", name="a").click()
    assert page.evaluate("() => window.texts") >= 4, "all weights are"
    assert page.evaluate(BITMAP) not in (first, moved)
    page.get_by_role("button", name="Reset").click()
    assert page.evaluate(BITMAP) == first


BITMAP = "() => document.querySelector('.look-side canvas').toDataURL()"
COUNT = """() => { window.texts = 0; const { prototype } = CanvasRenderingContext2D, { fillText } = prototype;
  prototype.fillText = function (...all) { window.texts += 1; fillText.apply(this, all); }; }"""
