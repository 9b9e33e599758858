"""CutByHand by mouse and by keyboard; its numbers are Python's, and Python reads what was tried."""

import numpy as np
import pytest
from explorable_text import text
from test_encoder import Letters, tiny_tensors
from test_head_gallery import cell
from test_page_maths import compute  # noqa: F401  a fixture

from course_utils.cls_reader import load_classifier
from course_utils.encoder import build_encoder, weights_folder
from course_utils.explorables import CutByHand
from course_utils.explorables.cut_changes import hash32, sentence_variants
from course_utils.review_reader import load_reader
from course_utils.review_task import VOCABULARY, make_reviews
from course_utils.sentences import REVIEW

SAYS = "(all) => [...document.querySelectorAll('.look-cut-answer strong')].map((one) => one.textContent)"
WAITED = "() => document.querySelector('.look-others-say').textContent.startsWith('Of ')"


def hand_of(**given):
    return CutByHand(load_reader(), **{"layer": 0, "head": 1, "query": 5, "key": 4} | given)


def settled(page):
    """The text, once the other sentences are read."""
    page.wait_for_function(WAITED)
    return text(page)


def problems(page):
    """What stands below the sentence."""
    return [line for line in page.locator(".look-problem").all_text_contents() if line]


def test_by_mouse(static):
    page = static(hand_of())
    canvas = page.locator(".look-cut-left canvas")
    page.mouse.click(*cell(canvas, 5, 4, 13, 13))
    cut = hand_of(hide=[(0, 1, 5, 4)])
    assert settled(page) == cut.text()
    assert page.evaluate(SAYS) == ["blame (0.000)", "praise (1.000)"]
    page.mouse.click(*cell(canvas, 5, 4, 13, 13))
    assert text(page) == hand_of().text()
    page.get_by_role("radio", name="layer 1, head 2").click()
    page.get_by_role("button", name="Cut layer 1, head 2").click()
    assert settled(page) == hand_of(hide=[(1, 2)], layer=1, head=2).text()
    page.get_by_role("button", name="Give back layer 1, head 2").click()
    page.get_by_role("button", name="score of movie (2)").click()
    assert text(page) == hand_of(layer=1, head=2, key=2).text()
    page.get_by_role("button", name="Reset").click()
    assert text(page) == hand_of().text()


LINES = """() => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector('.look-others-say'));
  return new Set([...range.getClientRects()].map(({ top }) => top)).size;
}"""
TYPED = "The soundtrack was amazing, but the movie was not good."  # as lesson 15 asks


@pytest.mark.parametrize("presenter", [False, True])
def test_a_review_can_be_read_as_it_was_typed(static, presenter, shot):
    """Also in JupyterLab on 1024 x 768 pixels, where an output is about 590 pixels wide."""
    page = static(hand_of(presenter=presenter))
    page.set_viewport_size({"width": 1024 if presenter else 624, "height": 768})
    field = page.get_by_label("sentence", exact=True)
    field.fill(TYPED)
    field.press("Enter")
    assert field.evaluate("(node) => node.scrollWidth <= node.clientWidth")
    assert page.evaluate(LINES) == 1, "no room is kept for the dots beside it"
    shot(page, f"static/CutByHand-typed{'-presenter' * presenter}")
    page.get_by_role("button", name="Cut layer 0, head 1").click()
    page.wait_for_function(WAITED)
    assert page.locator(".look-control svg").is_visible()


def test_a_task_counts_once_the_hand_did_it(static):
    page = static(hand_of(hide=[(0, 1, 5, 4)]))  # another answer, and nobody has done anything
    task = page.locator(".look-goals li").first
    for sign in "☐☑☑":
        assert task.text_content().startswith(sign)
        page.locator(".look-cut-left canvas").press("Enter")
        page.locator(".look-cut-left canvas").press("Enter")


def test_by_keyboard(static):
    page = static(hand_of())
    page.locator(".look-cut-left canvas").focus()
    for key in ("ArrowUp", "ArrowLeft", "Enter", "ArrowRight", "Space"):
        page.keyboard.press(key)
    assert settled(page) == hand_of(query=4, hide=[(0, 1, 4, 3), (0, 1, 4, 4)]).text()
    page.get_by_role("radio", checked=True).focus()
    for key in ("ArrowDown", "Enter", "ArrowLeft"):
        page.keyboard.press(key)
    cut = hand_of(query=4, hide=[(0, 1, 4, 3), (0, 1, 4, 4), (1, 1)], layer=1, head=0)
    assert settled(page) == cut.text()
    page.get_by_role("button", name="Give all back").press("Enter")
    assert text(page) == hand_of(query=4, layer=1, head=0).text()


def test_a_weight_is_dragged_and_given_back(static):
    page = static(hand_of())
    slider = page.get_by_label("weight of movie (2)")
    slider.fill("0.6")
    assert settled(page) == hand_of(given=[(0, 1, 5, 2, 0.6)], key=2).text()
    page.get_by_label("weight of not (4)").fill("0.25")  # one of each row: it takes the place of the other
    assert settled(page) == hand_of(given=[(0, 1, 5, 4, 0.25)]).text()
    page.get_by_label("weight of not (4)").press("Home")
    assert settled(page) == hand_of(hide=[(0, 1, 5, 4)]).text()
    page.get_by_role("button", name="↺").click()
    assert text(page) == hand_of().text()


def test_a_sentence_of_ones_own_and_words_that_are_not_known(static):
    page = static(hand_of(hide=[(0, 1, 5, 4), (0, 0, 12, 12)]))
    field = page.get_by_label("sentence", exact=True)
    field.fill("The moovie was awful.")
    assert page.locator(".look-problem").first.text_content().startswith("The model does not know “moovie”.")
    assert page.locator(".look-unknown").all_text_contents() == ["moovie"]
    assert text(page) == hand_of(hide=[(0, 1, 5, 4), (0, 0, 12, 12)]).text(), "nothing is read that cannot be read"
    field.fill("The film was never awful, and the music was dull.")
    field.press("Enter")
    own = hand_of(sentence="The film was never awful , and the music was dull .", hide=[(0, 0, 12, 12)])
    assert settled(page) == own.text(), "what stands at the same tokens stays"
    assert problems(page) == ["1 change did not fit the new sentence and was given back."]
    field.fill("The film was awful.")
    field.press("Enter")
    assert text(page) == hand_of(sentence="The film was awful .").text()
    assert problems(page) == ["1 change did not fit the new sentence and was given back."]
    page.get_by_label("weight of film (2)").fill("0.5")
    assert problems(page) == [], "it is said once"


def test_a_row_always_keeps_one_key(static):
    hide = [(0, 0, 0, key) for key in range(6)]
    model = load_classifier("usual")
    page = static(CutByHand(model, hide=hide, query=0, key=6))
    page.locator(".look-cut-left canvas").press("Enter")
    page.get_by_label("weight of 28 (6)").press("Home")
    assert settled(page) == CutByHand(model, hide=hide, query=0, key=6).text()


def test_the_page_reads_any_review_as_python_does(static):
    """Random reviews, cuts, weights and places: the whole text, with the other sentences."""
    rng = np.random.default_rng(0)
    for review in make_reviews(4, seed=5).reviews:
        n = len(review.words) + 1
        draw = lambda *sizes: tuple(int(rng.integers(size)) for size in sizes)  # noqa: E731
        hide = {draw(2, 3) for _ in range(rng.integers(3))} | {draw(2, 3, n, n) for _ in range(6)}
        given = {draw(2, 3, n): (*draw(n), round(rng.uniform(0.1, 1), 2)) for _ in range(3)}
        given = [(*row, *rest) for row, rest in given.items() if (*row, rest[0]) not in hide]
        layer, head, query, key = draw(2, 3, n, n)
        shown = {"layer": layer, "head": head, "query": query, "key": key}
        hand = CutByHand(load_reader(), " ".join(review.words), hide=list(hide), given=given, **shown)
        assert settled(static(hand)) == hand.text()


def test_the_other_sentences_are_pythons(compute):  # noqa: F811
    kinds = [[["good", "bad"], ["hot", "cold"], ["old", "new"]], [["movie"], ["film"], ["soup"]]]
    cases = [list(REVIEW), ["not", "bad"], ["a", "b"], [str(VOCABULARY[i]) for i in range(2, 20)]]
    got = compute("([words, kinds]) => builtAlike(words, kinds)", [[words, kinds] for words in cases], "cut_reading.js")
    for words, found in zip(cases, got, strict=True):
        assert found == [[changes.get(word, word) for word in words] for changes in sentence_variants(words, kinds)]
    places = [[i, place] for i in (0, 1, 99, 799) for place in range(0, 40, 3)]
    assert compute("([i, place]) => mixed(i, place)", places, "cut_reading.js") == [hash32(*one) for one in places]


def test_in_jupyterlab_python_reads_what_was_tried(cells, python, agrees):
    page = cells(
        "from course_utils.explorables import CutByHand\nfrom course_utils.review_reader import load_reader\n"
        "hand = CutByHand(load_reader(), layer=0, head=1)\nhand"
    )
    page.locator(".look-cut-left canvas").press("Enter")
    page.wait_for_function(WAITED)
    agrees("hand")
    said = python("[one] = hand.log\nprint(one['hide'], round(one['uncut']), round(one['answer']), one['turned'])")
    assert said == "[[0, 1, 5, 4]] 0 1 100"
    page.get_by_text("What you tried").click()
    assert page.locator(".look-log li").all_text_contents() == ["[0,1,5,4]: blame → praise; 100 of 100 others turn"]
    assert python("hand.hide = [(1, 0)]") == ""
    page.wait_for_function(
        r"() => /Cut: layer 1, head 0\.[^]*Of \d/.test(document.querySelector('.look-text').textContent)"
    )
    agrees("hand")
    assert python("print(len(hand.log))") == "2"


@pytest.mark.skipif(weights_folder() is None, reason="the package of model.lock is not installed")
def test_an_encoder_is_computed_by_the_kernel(cells, python, agrees):
    page = cells(
        "from course_utils.explorables import CutByHand\nfrom course_utils.encoder import load_encoder\n"
        "hand = CutByHand(load_encoder())\nhand"
    )
    agrees("hand")
    page.locator(".look-cut-left canvas").press("Enter")
    page.wait_for_function(WAITED)
    agrees("hand")
    assert python("print(hand.hide == ((0, 2, 5, 4),), len(hand.log))") == "True 1"
    field = page.get_by_label("sentence", exact=True)
    field.fill("Zoologists met a quokka.")
    field.press("Enter")
    page.wait_for_function("() => document.querySelector('.look-chips').textContent.includes('##kka')")
    page.get_by_text("1 change did not fit the new sentence and was given back.").wait_for()
    agrees("hand")
    assert python("print(hand.hide)") == "()"
    page.locator(".look-cut-left canvas").press("Enter")
    page.wait_for_function("() => document.querySelector('.look-text').textContent.includes('No other sentence')")
    agrees("hand")


def test_without_a_kernel_an_encoder_says_so(static):
    encoder = build_encoder(tiny_tensors(), Letters(), n_heads=2)
    page = static(CutByHand(encoder, "abcd", poles=("ab", "dcc")))
    page.locator(".look-cut-left canvas").press("Enter")
    page.get_by_text("no kernel answers").wait_for()


def test_without_a_kernel_a_typed_sentence_is_answered_too(static):
    encoder = build_encoder(tiny_tensors(), Letters(), n_heads=2)
    page = static(CutByHand(encoder, "abcd", poles=("ab", "dcc")))
    field = page.get_by_label("sentence", exact=True)
    field.fill("dcba")
    field.press("Enter")
    page.locator(".look-problem", has_text="no kernel answers").wait_for()
    assert problems(page)[0].endswith("is still that of: abcd")


def test_typing_loses_no_cut(static):
    """Each half of a word is no sentence; the new one is read when the hand rests, and what fits it stays."""
    page = static(hand_of(hide=[(0, 1, 5, 4)]))
    page.get_by_label("sentence", exact=True).select_text()
    page.keyboard.type("The film was not good, but the cast was amazing.", delay=10)
    own = hand_of(sentence="The film was not good , but the cast was amazing .", hide=[(0, 1, 5, 4)])
    page.wait_for_function(
        "(start) => document.querySelector('.look-text').textContent.startsWith(start)", arg="[CLS] The film"
    )
    assert settled(page) == own.text()


def test_a_pause_in_the_middle_of_a_number_loses_no_cut(static):
    """4 is a token as well, and is read when the hand rests; with 42 the change is back, and after Enter it is not."""
    given = [(0, 0, 0, 4, 0.9), (0, 0, 2, 5, 0.5)]
    model = load_classifier("usual")
    page = static(CutByHand(model, "7 42 19 42 3 28", given=given))
    start = "(words) => document.querySelector('.look-text').textContent.startsWith(`[CLS] ${words}`)"
    field = page.get_by_label("sentence", exact=True)
    for typed in ("7 42 19 4 3 28", "7 42 19 42 3 28", "7 42 19 42 3 2"):
        field.fill(typed)
        page.wait_for_function(start, arg=f"{typed}\n")
        kept = given[:1] * ("42 3" in typed) + given[1:]
        assert settled(page) == CutByHand(model, typed, given=kept).text()
        assert len(problems(page)) == 2 - len(kept)
    for typed in ("7 42 19 13 3 28", "7 42 19 42 3 28"):
        field.fill(typed)
        field.press("Enter")
        assert settled(page) == CutByHand(model, typed, given=given[1:]).text()


def test_in_jupyterlab_python_has_what_another_sentence_left(cells, python, agrees):
    page = cells(
        "from course_utils.explorables import CutByHand\nfrom course_utils.review_reader import load_reader\n"
        "hand = CutByHand(load_reader(), hide=[(0, 1, 5, 4), (0, 1, 2, 1)])\nhand"
    )
    field = page.get_by_label("sentence", exact=True)
    field.fill("The movie was never good.")
    field.press("Enter")
    assert problems(page) == ["1 change did not fit the new sentence and was given back."]
    page.wait_for_function(WAITED)
    agrees("hand")
    assert python("print(hand.hide, [one['hide'] for one in hand.log])") == "((0, 1, 2, 1),) [[[0, 1, 2, 1]]]"
    python("hand.sentence = 'The film was good .'")
    page.wait_for_function("() => document.querySelector('.look-text').textContent.startsWith('[CLS] The film')")
    page.wait_for_timeout(300)
    assert problems(page) == ["1 change did not fit the new sentence and was given back."]
    assert python("print(hand.hide, len(hand.log))") == "() 1"
    page.get_by_role("button", name="Reset").click()
    page.wait_for_function(
        r"() => /good \(5\) → not \(4\)[^]*Of \d/.test(document.querySelector('.look-text').textContent)"
    )
    agrees("hand")
    assert python("print(hand.hide)") == "((0, 1, 2, 1), (0, 1, 5, 4))"
