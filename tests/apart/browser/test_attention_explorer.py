"""AttentionExplorer by mouse and by keyboard; its numbers are Python's."""

import numpy as np
import pytest
from hands import act, follow, text
from samples import EMOJI, HEBREW

from course_utils.explorables import AttentionExplorer
from course_utils.explorables.example_sentences import SENTENCES, by_letters
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW

WON = np.stack([np.zeros(12), np.sqrt(2) * np.log(CONCEPTUAL_ROW)], axis=1).round(3)
TYPED = "[placeholder='your own words']"
GOOD, AMAZING = "role=radio[name='good']", "role=radio[name='amazing']"


def number(word, place, letter="key k"):
    """The field of a number of a word's key."""
    return f"[aria-label='{letter} of {word}, number {place}']"


def keys(*changes):
    """The first keys with other numbers: (token, place, number)."""
    K = AttentionExplorer().K.copy()
    for token, place, x in changes:
        K[token, place] = x
    return {"K": K}


def sentence(words):
    """What the page makes of typed words."""
    vectors = [by_letters(word) for word in words]
    return {"tokens": words, "Q": vectors, "K": vectors, "V": vectors, "query": 0, "causal": False, "padding": 0}


@pytest.mark.parametrize("seed", range(8))
def test_random_vectors_give_pythons_numbers(static, seed):
    rng = np.random.default_rng(seed)
    n, d_k, d_v = rng.integers(1, 13), *rng.integers(1, 5, size=2)
    Q, K, V = (2 * rng.normal(size=(n, d)) for d in (d_k, d_k, d_v))
    query, padding = rng.integers(n, size=2).tolist()
    causal, scaled = (rng.random(2) < 0.5).tolist()
    settings = {"query": query, "padding": padding, "causal": causal, "scaled": scaled}
    explorer = AttentionExplorer([f"word{i}" for i in range(n)], Q, K, V, **settings)
    assert text(static(explorer)) == explorer.text()


def test_by_mouse_and_by_keyboard(static):
    explorer = AttentionExplorer()
    page = static(explorer)
    follow(
        page,
        explorer,
        (AMAZING, "click", {"query": 10}),
        ("role=checkbox[name='causal mask']", "click", {"causal": True}),
        ("role=checkbox[name='divide by √d_k']", "click", {"scaled": False}),
        ("role=button[name='3 Normalise']", "click", {"step": "normalise"}),
        ("canvas", f"over {3.5 / 12} {10.5 / 12}", {}),
    )
    assert page.locator(".look-unseen th").all_text_contents() == ["."]
    assert page.locator(".look-side p").text_content() == "amazing looks at not: 1.00"
    follow(
        page,
        explorer,
        ("canvas", f"at 0.01 {3.5 / 12}", {"query": 3}),
        ("role=button[name='Reset']", "click", None),
        (GOOD, "ArrowUp ArrowDown ArrowDown", {"query": 5}),
        (None, "ArrowUp", {"query": 4}),
        (number("not", 2), "ArrowUp Shift+ArrowDown Alt+ArrowDown", keys((3, 1, 19.09))),
        ("role=spinbutton[name='query, number 2']", "Shift+ArrowUp", {"Q": explorer.Q + np.eye(12, 2, -3)}),
        (number("not", 2), "fill ", {}),
        (number("not", 2), "fill 2e6", {}),
        ("role=spinbutton[name=/padding mask/]", "fill 17", {"padding": 11}),
        ("role=spinbutton[name=/padding mask/]", "fill 0", {"padding": 0}),
    )
    page.locator(number("not", 2)).press("Tab")
    assert page.locator(number("not", 2)).input_value() == "19.09"


def test_the_four_steps_show_the_numbers_of_the_token_that_looks_side_by_side(static):
    page = static(AttentionExplorer())
    says, row = page.locator(".look-says"), page.locator(".look-steps tbody tr").nth(3).locator("td")
    wanted = {
        "1 Project": ("", ["", "0.67"]),
        "2 Score": (
            "not: 0.00 · 20.00 + 1.00 · 20.00 = 20.00, divided by √2: 14.14",
            ["20.00", "14.14", "", "0.67"],
        ),
        "3 Normalise": ("not: e^(14.14 − 14.14) / sum = 1.00 / 1.49 = 0.67", ["14.14", "1.00", "", "0.67"]),
        "4 Mix": ("0.67 · (1.00, 0.00) + 0.33 · (1.00, 1.00) + … = (1.00, 0.33)", ["(0.67, 0.00)", "", "0.67"]),
    }
    for name, (said, numbers) in wanted.items():
        page.get_by_role("button", name=name).click()
        assert says.text_content().endswith(said) and row.all_text_contents()[-len(numbers) :] == numbers


def test_the_game_marks_its_table_where_it_can_be_played(static):
    for explorer in (AttentionExplorer(K=WON, game=False), AttentionExplorer(K=WON, query=3)):
        page = static(explorer)
        assert page.locator(".look-game").is_hidden() and page.locator(".look-mark:visible").count() == 0
        assert text(page) == explorer.text()
    follow(page, explorer, (GOOD, "click", {"query": 4}))
    assert "reached. All weights" in page.locator(".look-game").text_content()
    assert page.locator(".look-mark:visible").count() == 12


def test_sentences_of_the_course_and_words_of_the_student(static):
    explorer = AttentionExplorer(padding=3)
    page = static(explorer)
    chosen, invented = page.get_by_label("Sentence"), page.locator(".look-invented")
    for i, one in enumerate(SENTENCES):
        own = {name: value for name, value in one.items() if name != "name"}
        follow(page, explorer, ("select", f"select {i}", {"causal": False, "padding": 0} | own))
        assert chosen.input_value() == f"{i}" and invented.text_content() == ""
    words = ["Die", "Katze", HEBREW, EMOJI, "Die", "𝒜</b>"]
    follow(
        page,
        explorer,
        (TYPED, "fill " + "  ".join(words), {}),
        (TYPED, "Enter", sentence(words)),
        (TYPED, "fill   ", {}),
        ("role=button[name='Read']", "click", {}),
    )
    assert chosen.input_value() == "own"
    assert "are invented" in invented.text_content()
    follow(page, explorer, (TYPED, "fill " + "a " * 70, {}), (TYPED, "Enter", sentence(["a"] * 64)))


def test_letters_give_the_vectors_that_python_gives(compute):
    words = [*REVIEW, HEBREW, EMOJI, "𝒜", "", *(chr(i) * (1 + i % 7) for i in range(200))]
    assert compute("byLetters", words, "attention_words.js") == [by_letters(word) for word in words]


def test_the_heat_map_is_painted_again_when_a_number_or_the_token_changes(static):
    page, seen = static(AttentionExplorer(["a", "b"], *[[[1, 0], [0, 1]]] * 3)), []
    for where, how in (
        ("role=button[name='Reset']", "click"),
        ("role=radio[name='b']", "click"),
        (number("b", 2), "fill 9"),
        ("role=radio[name='a']", "click"),
        ("role=button[name='Reset']", "click"),
    ):
        act(page, where, how)
        seen.append(page.evaluate("() => document.querySelector('.look-side canvas').toDataURL()"))
    assert len({*seen}) == 4 and seen[0] == seen[-1]
