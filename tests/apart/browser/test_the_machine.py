"""TheMachine by mouse and by keyboard; its numbers are Python's, and Python reads what was tried."""

import json

import numpy as np
import pytest
from hands import act, follow, tasks_reached, text
from random_writer import random_writer
from samples import any_classifier
from test_encoder import Letters, tiny_tensors

from course_utils.explorables import TheMachine
from course_utils.explorables.machine_changes import hash32
from course_utils.models.cls_reader import load_classifier
from course_utils.models.encoder import build_encoder, weights_folder
from course_utils.models.review_reader import from_arrays, load_reader, to_arrays
from course_utils.sentences import REVIEW, review_vectors
from course_utils.tasks.review_task import make_reviews

SAYS = """() => [...document.querySelector('.look-answer').children].map((one) => one.textContent)"""
# Whether the other sentences are read: the page says of them, or that nothing is changed.
SETTLED = "() => /^(In \\d|No other|Nothing)/.test(document.querySelector('.look-others-say').textContent)"
STARTS = "(start) => document.querySelector('.look-text').textContent.startsWith(start)"
SENTENCE = "[aria-label='sentence']"
GIVEN_BACK = ["1 change did not fit the new sentence and was given back."]


def machine_of(**given):
    return TheMachine(load_reader(), **{"layer": 0, "head": 1, "query": 5, "key": 4} | given)


def line(word, to="good (5)"):
    return f"[role='slider'][aria-label^='{word} → {to}']"


def button(name):
    return f"role=button[name='{name}']"


def settled(page):
    """The text, once the other sentences are read."""
    page.wait_for_function(SETTLED)
    return text(page)


def problems(page):
    """What stands beside the sentence."""
    return [told for told in page.locator(".look-problem").all_text_contents() if told]


def test_by_mouse_and_by_keyboard(static):
    machine = machine_of()
    page = static(machine)
    cut = [(0, 1, 5, 4)]
    follow(page, machine, (line("not (4)"), "Enter", {"hide": cut}), read=settled)
    assert page.evaluate(SAYS) == ["praise", "P(praise) = 1.000", "uncut blame 0.000"] and tasks_reached(page) == [
        True,
        False,
    ]
    forced = round(machine_of(hide=[(0, 1, 5, 3)]).weights[0, 1, 5, 4] + 0.02, 2)
    follow(
        page,
        machine,
        (None, "Space", {"hide": []}),
        (None, "ArrowUp Enter ArrowDown", {"hide": [(0, 1, 5, 3)], "key": 4}),
        (None, "ArrowRight", {"given": [(0, 1, 5, 4, forced)]}),
        (None, "Enter", {"given": []}),
        (button("Put all back"), "click", {"hide": []}),
        ("role=radio[name='layer 1, head 2']", "click", {"layer": 1, "head": 2}),
        (button("Take head 2 away"), "click", {"hide": [(1, 2)]}),
        ("role=radio[checked]", "Enter ArrowUp ArrowLeft", {"hide": [], "layer": 0, "head": 1}),
        (button("hide “not”, token 4"), "click", {"hide": [(None, None, None, 4)]}),
        (None, "ArrowDown Enter", {"hide": [(None, None, None, 4), (None, None, None, 5)], "key": 5}),
        ("role=radio[name='“good”, token 5']", "ArrowUp", {"query": 4}),
        (button("Reset"), "click", None),
        (line("not (4)"), "End", {"given": [(0, 1, 5, 4, 1.0)], "key": 4}),
        ("role=radio[name='layer 0, head 2']", "Enter", {"head": 2}),
        (button("Reset"), "click", None),
        ("[aria-label='weight']", "fill 0.05", {"given": [(0, 1, 5, 4, 0.05)]}),
        ("[aria-label='looks at']", "select 2", {"key": 2}),
        ("[aria-label='weight']", "Home", {"hide": [(0, 1, 5, 2)]}),
        ("[aria-label='where a word is hidden']", "select head", {}),
        (button("Hide the word"), "click", {"hide": [(0, 1, None, 2)]}),
        (button("Next step ▸"), "click", {"step": "vectors"}),
        (None, "Enter Enter Enter", {"step": "mix"}),
        (None, "Enter Enter", {"step": "vectors", "layer": 1}),
        (button("All at once"), "click", {"step": "all"}),
        (SENTENCE, "fill The moovie was awful.", {}),
        read=settled,
    )
    assert tasks_reached(page) == [True, True]
    assert problems(page)[0].startswith("The model does not know “moovie”.")


def test_a_line_is_cut_where_the_pointer_presses_it_and_shows_its_numbers_before(static):
    machine = machine_of()
    page = static(machine)
    hit = page.locator(f"{line('not (4)')} .look-hit").evaluate(
        "(node) => { const at = (k) => node.getPointAtLength(k * node.getTotalLength()); const m = node.getScreenCTM();"
        "const p = at(0.3).matrixTransform(m); return [p.x, p.y]; }"
    )
    page.locator(line("movie (2)")).focus()
    page.mouse.move(*hit)
    assert "= 2.73" in page.locator(".look-formulas").text_content(), "the line under the pointer"
    page.mouse.click(*hit)
    machine._take(machine._state() | {"hide": [(0, 1, 5, 4)]})
    assert settled(page) == machine.text()


def test_the_longest_answer_covers_nothing_below_the_drawing(static):
    """Also from top to bottom, on a phone and where JupyterLab's list of files takes a third of a projector."""
    page = static(TheMachine(load_classifier("usual"), "7 42 19 42 3 28", hide=[(0, 0, 0, 2)]))
    for width in (1280, 700, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(200)  # the drawing follows the page
        box, stage = (page.locator(name).bounding_box() for name in (".look-answer", ".look-machine"))
        assert page.locator(".look-answer > *").count() == 3
        assert box["y"] + box["height"] <= stage["y"] + stage["height"], width


def test_a_row_always_keeps_one_key(static):
    machine = TheMachine(load_classifier("usual"), hide=[(0, 0, 0, key) for key in range(6)], query=0, key=6)
    steps = [(line("28 (6)", "[CLS] (0)"), "Enter", {}), ("[aria-label='weight']", "Home", {})]
    follow(static(machine), machine, *steps, (button("hide “28”, token 6"), "click", {}), read=settled)


def random_reader(rng):
    arrays = {name: np.asarray(array) for name, array in to_arrays(load_reader()).items()}
    drawn = {
        name: rng.normal(0, 0.5, size=array.shape).astype("float32") for name, array in arrays.items() if array.ndim
    }
    return from_arrays(arrays | drawn)


def random_case(kind, rng):
    """A random model of this kind with a sentence that it reads."""
    review = make_reviews(4, seed=5).reviews[int(rng.integers(4))].words
    if kind == "reviewer":
        return random_reader(rng), " ".join(review)
    if kind == "classifier":
        model = any_classifier(int(rng.integers(100)), seq_len=9, d_model=6, d_k=4, d_v=5)
        return model, " ".join(map(str, rng.integers(1, 51, 8)))
    if kind == "writer":
        return random_writer(int(rng.integers(100))), " ".join(["[praise]", *review[:6]])
    arrays = rng.normal(size=(2, 3, 2, 7, 4)).transpose(1, 0, 2, 3, 4)  # Q, K, V (n_layers, n_heads, n, d)
    return tuple(arrays), [f"word{i}" for i in range(7)]


NUMBERS = """([said, words, changes]) => {
  const { number, layers } = inPage(said).read(words, changes);
  return { number, layers: layers.map(({ weights, mixed, Q, K, V, brought, X }) =>
    ({ weights, mixed, Q, K, V, brought, out: X })) };
}"""


@pytest.mark.parametrize("kind", ["reviewer", "classifier", "writer", "vectors"])
def test_each_number_of_random_models_is_that_of_python_to_a_millionth(kind, compute):
    rng, machines = np.random.default_rng(7), []
    for _ in range(4):
        machine = TheMachine(*random_case(kind, rng))
        n, (n_layers, n_heads) = len(machine.tokens), machine.source.sizes
        draw = lambda *sizes: tuple(int(rng.integers(size)) for size in sizes)  # noqa: E731
        hide = [draw(n_layers, n_heads), (None, None, None, n // 2), (None, 0, 2, 0), *(draw(n_layers, n_heads, n, n),)]
        machine.hide = [place for place in hide if len(place) == 2 or place[3] <= n // 2 or kind != "writer"]
        machine.given = [(*draw(n_layers, n_heads), n - 1, 1, round(rng.uniform(0.1, 1), 2))]
        machines.append(machine)
    asked = [
        json.loads(json.dumps([m._model, m.sentence.split(), {"hide": m.hide, "given": m.given}])) for m in machines
    ]
    for machine, page in zip(machines, compute(NUMBERS, asked, "machine_reading.js"), strict=True):
        passes = machine.source.passes(machine.sentence, machine.hide, machine.given)
        if kind != "vectors":
            assert page["number"] == pytest.approx(machine.answer, abs=1e-6)
        for here, at in zip(page["layers"], passes, strict=True):
            for name, array in ((name, array) for name, array in here.items() if array is not None):
                np.testing.assert_allclose(array, getattr(at, name), rtol=1e-6, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("seed", range(3))
def test_the_page_tells_any_review_as_python_does(static, seed):
    """Random reviews, cuts, weights and places: the whole text, with the other sentences."""
    rng = np.random.default_rng(seed)
    words = make_reviews(4, seed=5).reviews[seed].words
    n = len(words) + 1
    draw = lambda *sizes: tuple(int(rng.integers(size)) for size in sizes)  # noqa: E731
    hide = {draw(2, 3) for _ in range(rng.integers(3))} | {draw(2, 3, n, n) for _ in range(6)}
    given = {draw(2, 3, n): (*draw(n), round(rng.uniform(0.1, 1), 2)) for _ in range(3)}
    given = [(*row, *rest) for row, rest in given.items() if (*row, rest[0]) not in hide]
    shown = dict(zip(("layer", "head", "query", "key"), draw(2, 3, n, n), strict=True))
    machine = TheMachine(load_reader(), " ".join(words), hide=list(hide), given=given, **shown)
    assert settled(static(machine)) == machine.text()


def test_the_other_sentences_are_drawn_as_python_draws_them(compute):
    places = [[i, place] for i in (0, 1, 99, 799) for place in range(0, 40, 3)]
    assert compute("([i, place]) => mixed(i, place)", places, "machine_others.js") == [hash32(*one) for one in places]


def test_vectors_made_by_hand_move_their_output_and_take_their_words_along(static):
    machine = TheMachine(review_vectors(), REVIEW)
    page = static(machine)
    assert page.evaluate(SAYS) == ["(1.00, 0.33)"]
    follow(page, machine, (line("not (3)", "good (4)"), "Enter", {"hide": [(0, 0, 4, 3)]}))
    assert page.evaluate(SAYS) == ["(1.00, 1.00)", "uncut (1.00, 0.33)"] and tasks_reached(page) == [True, False]
    act(page, SENTENCE, "fill The movie was good .")
    act(page, SENTENCE, "Enter")
    machine.sentence = "The movie was good ."
    assert text(page) == machine.text() and machine.hide == ()


def test_a_pause_in_the_middle_of_a_number_loses_no_cut(static):
    """4 is a token as well, and is read when the hand rests; with 42 the change is back, and after Enter it is not."""
    given = [(0, 0, 0, 4, 0.9), (0, 0, 2, 5, 0.5)]
    model = load_classifier("usual")
    page = static(TheMachine(model, "7 42 19 42 3 28", given=given))
    for typed in ("7 42 19 4 3 28", "7 42 19 42 3 28", "7 42 19 42 3 2"):
        page.locator(SENTENCE).fill(typed)
        page.wait_for_function(STARTS, arg=f"[CLS] {typed}\n")
        kept = given[:1] * ("42 3" in typed) + given[1:]
        assert settled(page) == TheMachine(model, typed, given=kept).text()
        assert len(problems(page)) == 2 - len(kept)
    for typed in ("7 42 19 13 3 28", "7 42 19 42 3 28"):
        page.locator(SENTENCE).fill(typed)
        page.locator(SENTENCE).press("Enter")
        assert settled(page) == TheMachine(model, typed, given=given[1:]).text()


def test_in_forced_colours_each_line_bar_and_focus_keeps_a_colour_of_the_system(static):
    page = static(machine_of(hide=[(0, 1, 5, 4)]))
    page.emulate_media(forced_colors="active")
    page.locator(line("not (4)")).press("ArrowDown")
    paper = page.evaluate("getComputedStyle(document.querySelector('section.look')).backgroundColor")
    strokes = page.locator(".look-arc .look-line, .look-sheet, .look-bar-box, .look-arc:focus .look-halo")
    seen = strokes.evaluate_all("(all) => all.map((one) => getComputedStyle(one).stroke)")
    page.emulate_media(forced_colors="none")  # the window is handed on
    assert len(seen) > 13 and paper not in seen and "rgba(0, 0, 0, 0)" not in seen


def test_without_a_kernel_an_encoder_says_so(static):
    page = static(TheMachine(build_encoder(tiny_tensors(), Letters(), n_heads=2), "abcd", poles=("ab", "dcc")))
    act(page, "[role='slider'][tabindex='0']", "Enter")
    page.get_by_text("no kernel answers").wait_for()


LAB = """from course_utils.explorables import TheMachine
from course_utils.models.review_reader import load_reader
machine = TheMachine(load_reader(), hide=[(0, 1, 2, 1)], layer=0, head=1)
machine"""


def test_in_jupyterlab_python_reads_what_was_tried_and_what_another_sentence_left(cells, python, agrees):
    page, machine = cells(LAB), TheMachine(load_reader(), hide=[(0, 1, 2, 1)], layer=0, head=1)
    follow(page, machine, (line("not (4)"), "Enter", {"hide": [(0, 1, 2, 1), (0, 1, 5, 4)]}), read=settled)
    agrees("machine")
    said = python("one = machine.log[-1]\nprint(one['hide'], round(one['uncut']), round(one['answer']), one['turned'])")
    assert said == "[[0, 1, 2, 1], [0, 1, 5, 4]] 0 1 100"
    tried = page.locator(".look-log li").last.text_content()
    assert (
        tried
        == "layer 0, head 1, token 1 → 2 cut; layer 0, head 1, token 4 → 5 cut: 0.000 → 1.000; 100 of 100 others turn"
    )
    act(page, SENTENCE, "fill The movie was never good.")
    act(page, SENTENCE, "Enter")
    assert problems(page) == GIVEN_BACK and settled(page)
    agrees("machine")
    assert python("print(machine.hide, machine.log[-1]['hide'])") == "((0, 1, 2, 1),) [[0, 1, 2, 1]]"
    assert python("machine.sentence = 'The film was good .'\nprint(machine.hide)") == "()"
    page.wait_for_function(STARTS, arg="[CLS] The film")
    agrees("machine")
    assert problems(page) == GIVEN_BACK


@pytest.mark.skipif(weights_folder() is None, reason="the package of model.lock is not installed")
def test_an_encoder_is_computed_by_the_kernel(cells, python, agrees):
    page = cells(
        "from course_utils.explorables import TheMachine\nfrom course_utils.models.encoder import load_encoder\n"
        "machine = TheMachine(load_encoder())\nmachine"
    )
    page.locator(".look-arc").first.wait_for(timeout=90_000)  # the kernel loads the model
    act(page, "[role='slider'][tabindex='0']", "Enter")
    page.wait_for_function(
        "() => document.querySelector('.look-others-say').textContent.startsWith('In ')", timeout=90_000
    )
    agrees("machine")
    act(page, SENTENCE, "fill Zoologists met a quokka.")
    act(page, SENTENCE, "Enter")
    page.get_by_text(*GIVEN_BACK).wait_for()
    agrees("machine")
    assert python("print(machine.hide, len(machine.log))") == "() 1"
