"""CutByHand by mouse and by keyboard; its numbers are Python's, and Python reads what was tried."""

import numpy as np
import pytest
from course_utils.explorables.cut_changes import hash32
from hands import act, follow, reached, text
from test_encoder import Letters, tiny_tensors

from course_utils.explorables import CutByHand
from course_utils.models.cls_reader import load_classifier
from course_utils.models.encoder import build_encoder, weights_folder
from course_utils.models.review_reader import load_reader
from course_utils.tasks.review_task import make_reviews

SAYS = "() => [...document.querySelectorAll('.look-cut-answer strong')].map((one) => one.textContent)"
WAITED = "() => document.querySelector('.look-others-say').textContent.startsWith('Of ')"
SETTLED = "() => /^(Of|Nothing is cut) /.test(document.querySelector('.look-others-say').textContent)"
STARTS = "(start) => document.querySelector('.look-text').textContent.startsWith(start)"
MAP, SENTENCE = ".look-cut-left canvas", "[aria-label='sentence']"
GIVEN_BACK = ["1 change did not fit the new sentence and was given back."]


def hand_of(**given):
    return CutByHand(load_reader(), **{"layer": 0, "head": 1, "query": 5, "key": 4} | given)


def button(name):
    return f"role=button[name='{name}']"


def weight(word):
    return f"[aria-label='weight of {word}']"


def settled(page):
    """The text, once the other sentences are read."""
    page.wait_for_function(SETTLED)
    return text(page)


def problems(page):
    """What stands below the sentence."""
    return [line for line in page.locator(".look-problem").all_text_contents() if line]


def test_by_mouse_and_by_keyboard(static):
    hand, edge = hand_of(), f"at {4.5 / 13} {5.5 / 13}"
    page = static(hand)
    follow(page, hand, (MAP, edge, {"hide": [(0, 1, 5, 4)]}), read=settled)
    assert page.evaluate(SAYS) == ["blame (0.000)", "praise (1.000)"] and reached(page)[0]
    cut = [(0, 1, 4, 3), (0, 1, 4, 4)]
    follow(
        page,
        hand,
        (MAP, edge, {"hide": []}),
        ("role=radio[name='layer 1, head 2']", "click", {"layer": 1, "head": 2}),
        (button("Cut layer 1, head 2"), "click", {"hide": [(1, 2)]}),
        (button("Give back layer 1, head 2"), "click", {"hide": []}),
        ("role=button[name=/score of movie \\(2\\)/]", "click", {"key": 2}),
        (button("Reset"), "click", None),
        (MAP, "ArrowUp ArrowLeft Enter ArrowRight Space", {"query": 4, "key": 4, "hide": cut}),
        ("role=radio[checked]", "ArrowDown Enter ArrowLeft", {"layer": 1, "head": 0, "hide": [*cut, (1, 1)]}),
        (button("Give all back"), "Enter", {"hide": []}),
        (button("Reset"), "click", None),
        (weight("movie (2)"), "fill 0.6", {"given": [(0, 1, 5, 2, 0.6)], "key": 2}),
        (weight("not (4)"), "fill 0.25", {"given": [(0, 1, 5, 4, 0.25)], "key": 4}),  # one of each row
        (weight("not (4)"), "Home", {"given": [], "hide": [(0, 1, 5, 4)]}),
        (button("↺"), "click", {"hide": []}),
        (SENTENCE, "fill The moovie was awful.", {}),
        read=settled,
    )
    assert problems(page)[0].startswith("The model does not know “moovie”.")


def test_a_row_always_keeps_one_key(static):
    hand = CutByHand(load_classifier("usual"), hide=[(0, 0, 0, key) for key in range(6)], query=0, key=6)
    follow(static(hand), hand, (MAP, "Enter", {}), (weight("28 (6)"), "Home", {}), read=settled)


@pytest.mark.parametrize("seed", range(4))
def test_the_page_reads_any_review_as_python_does(static, seed):
    """Random reviews, cuts, weights and places: the whole text, with the other sentences."""
    rng = np.random.default_rng(seed)
    words = make_reviews(4, seed=5).reviews[seed].words
    n = len(words) + 1
    draw = lambda *sizes: tuple(int(rng.integers(size)) for size in sizes)  # noqa: E731
    hide = {draw(2, 3) for _ in range(rng.integers(3))} | {draw(2, 3, n, n) for _ in range(6)}
    given = {draw(2, 3, n): (*draw(n), round(rng.uniform(0.1, 1), 2)) for _ in range(3)}
    given = [(*row, *rest) for row, rest in given.items() if (*row, rest[0]) not in hide]
    shown = dict(zip(("layer", "head", "query", "key"), draw(2, 3, n, n), strict=True))
    hand = CutByHand(load_reader(), " ".join(words), hide=list(hide), given=given, **shown)
    assert settled(static(hand)) == hand.text()


def test_the_other_sentences_are_drawn_as_python_draws_them(compute):
    places = [[i, place] for i in (0, 1, 99, 799) for place in range(0, 40, 3)]
    assert compute("([i, place]) => mixed(i, place)", places, "cut_reading.js") == [hash32(*one) for one in places]


def test_a_pause_in_the_middle_of_a_number_loses_no_cut(static):
    """4 is a token as well, and is read when the hand rests; with 42 the change is back, and after Enter it is not."""
    given = [(0, 0, 0, 4, 0.9), (0, 0, 2, 5, 0.5)]
    model = load_classifier("usual")
    page = static(CutByHand(model, "7 42 19 42 3 28", given=given))
    for typed in ("7 42 19 4 3 28", "7 42 19 42 3 28", "7 42 19 42 3 2"):
        page.locator(SENTENCE).fill(typed)
        page.wait_for_function(STARTS, arg=f"[CLS] {typed}\n")
        kept = given[:1] * ("42 3" in typed) + given[1:]
        assert settled(page) == CutByHand(model, typed, given=kept).text()
        assert len(problems(page)) == 2 - len(kept)
    for typed in ("7 42 19 13 3 28", "7 42 19 42 3 28"):
        page.locator(SENTENCE).fill(typed)
        page.locator(SENTENCE).press("Enter")
        assert settled(page) == CutByHand(model, typed, given=given[1:]).text()


def test_without_a_kernel_an_encoder_says_so(static):
    page = static(CutByHand(build_encoder(tiny_tensors(), Letters(), n_heads=2), "abcd", poles=("ab", "dcc")))
    act(page, MAP, "Enter")
    page.get_by_text("no kernel answers").wait_for()


LAB = """from course_utils.explorables import CutByHand
from course_utils.models.review_reader import load_reader
hand = CutByHand(load_reader(), hide=[(0, 1, 2, 1)], layer=0, head=1)
hand"""


def test_in_jupyterlab_python_reads_what_was_tried_and_what_another_sentence_left(cells, python, agrees):
    page, hand = cells(LAB), CutByHand(load_reader(), hide=[(0, 1, 2, 1)], layer=0, head=1)
    follow(page, hand, (MAP, "Enter", {"hide": [(0, 1, 2, 1), (0, 1, 5, 4)]}), read=settled)
    agrees("hand")
    said = python("one = hand.log[-1]\nprint(one['hide'], round(one['uncut']), round(one['answer']), one['turned'])")
    assert said == "[[0, 1, 2, 1], [0, 1, 5, 4]] 0 1 100"
    tried = page.locator(".look-log li").last.text_content()
    assert tried == "[0,1,2,1] [0,1,5,4]: blame → praise; 100 of 100 others turn"
    act(page, SENTENCE, "fill The movie was never good.")
    act(page, SENTENCE, "Enter")
    assert problems(page) == GIVEN_BACK and settled(page)
    agrees("hand")
    assert python("print(hand.hide, hand.log[-1]['hide'])") == "((0, 1, 2, 1),) [[0, 1, 2, 1]]"
    assert python("hand.sentence = 'The film was good .'\nprint(hand.hide)") == "()"
    page.wait_for_function(STARTS, arg="[CLS] The film")
    agrees("hand")
    assert problems(page) == GIVEN_BACK


@pytest.mark.skipif(weights_folder() is None, reason="the package of model.lock is not installed")
def test_an_encoder_is_computed_by_the_kernel(cells, python, agrees):
    page = cells(
        "from course_utils.explorables import CutByHand\nfrom course_utils.models.encoder import load_encoder\n"
        "hand = CutByHand(load_encoder())\nhand"
    )
    act(page, MAP, "Enter")
    page.wait_for_function(WAITED, timeout=90_000)  # the kernel loads the model
    agrees("hand")
    act(page, SENTENCE, "fill Zoologists met a quokka.")
    act(page, SENTENCE, "Enter")
    page.get_by_text(*GIVEN_BACK).wait_for()
    agrees("hand")
    assert python("print(hand.hide, len(hand.log))") == "() 1"
