"""NextWord by keyboard and by mouse; its numbers are Python's."""

import numpy as np
import pytest
from hands import act, follow, tasks_reached, text
from random_writer import random_writer

from course_utils.explorables import NextWord
from course_utils.explorables.base import format_number
from course_utils.models.writer_reader import load_writer
from course_utils.tasks.writer_task import END, WORDS

WRITER = random_writer()
LONGEST = ["The", "movie"] * 11
FOCUSED = "() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
LIVE = "(wanted) => document.querySelector('[role=status][aria-live]').textContent === wanted"
TEMPERATURE = "role=slider[name='temperature']"


def button(name):
    return f"role=button[name='{name}']"


def switch(layer, head):
    return f"role=switch[name='layer {layer}, head {head}']"


def word_of(one, place=0):
    """The next word in this place of the bars."""
    return one.next_words[place][0]


def likely(page):
    """What the bars show: pairs (word, probability as it is written)."""
    nodes = page.locator(".look-next:visible")
    return [(node.locator("bdi").text_content(), node.locator("span").last.text_content()) for node in nodes.all()]


def likely_words(one):
    return [(word, format_number(p, 3)) for word, p in one.next_words]


def draw_word(one, seed):
    """What a seed draws, and the seed behind it: mulberry32, written down from its definition."""
    seed = (seed + 0x6D2B79F5) % 2**32
    t = (seed ^ seed >> 15) * (seed | 1) % 2**32
    t ^= (t + (t ^ t >> 7) * (t | 61) % 2**32) % 2**32
    words = [(word, p) for word, p in zip(WORDS, one.probabilities, strict=True) if not word.startswith("[")]
    left = (t ^ t >> 14) / 2**32 * sum(p for _, p in words)
    for word, p in words:
        left -= p
        if left < 0:
            return word, seed
    raise AssertionError("the probabilities do not reach the share")


@pytest.mark.parametrize("seed", range(8))
def test_any_beginning_is_continued_as_python_continues_it(static, seed):
    """Random verdicts, words, temperatures, cut heads and looks: the whole text, the bars and the columns."""
    rng = np.random.default_rng(seed)
    words = rng.choice([*WORDS[2:END], *WORDS[END + 1 : -2]], size=[0, 1, 22, *rng.integers(2, 22, 5)][seed]).tolist()
    hide = [place for place in np.ndindex(2, 4) if rng.random() < [0, 0.3, 0.3, 1][seed % 4]]
    head = None if seed % 2 else int(rng.integers(4))
    settings = {"temperature": rng.uniform(0.1, 2), "hide": hide, "layer": int(rng.integers(2)), "head": head}
    one = NextWord(WRITER, ["praise", "blame"][seed % 3 % 2], words, **settings)
    page = static(one)
    assert text(page) == one.text() and likely(page) == likely_words(one)
    heights = page.locator(".look-card:visible").evaluate_all("""(all) => all.map((card) => {
      const [fill, column] = ['.look-fill', '.look-column'].map((name) => card.querySelector(name));
      return fill.getBoundingClientRect().height / column.clientHeight;
    })""")
    np.testing.assert_allclose(heights, np.zeros(len(words) + 1) if one.row is None else one.row, atol=0.01)


def test_by_keyboard(static):
    one = NextWord(WRITER)
    page = static(one)
    page.locator(".look-next").first.focus()
    for keys, place in (("Enter", 0), ("ArrowDown ArrowDown Space", 2), ("ArrowUp Enter", 1)):
        follow(page, one, (None, keys, {"words": [*one.words, word_of(one, place)]}))
    assert page.evaluate(FOCUSED) == f"write {word_of(one, 1)} probability {likely_words(one)[1][1]}"
    page.keyboard.press("Shift+Tab")  # the bars are one stop, and so is the review
    back_to_the_first = "ArrowRight ArrowLeft ArrowLeft Enter"  # there is nothing to the right of the last word
    follow(page, one, (None, back_to_the_first, {"words": one.words[:1]}))
    assert page.evaluate(FOCUSED).startswith(f"{one.words[0]}, weight ")
    follow(page, one, (None, "ArrowLeft Enter", {"words": []}))


def test_a_screen_reader_hears_the_new_word_and_the_most_likely_next_one(static):
    one = NextWord(WRITER, words=["The"])
    page, word = static(one), word_of(one)
    follow(page, one, (button("Most likely"), "click", {"words": ["The", word]}))
    likely_next, p = likely_words(one)[0]
    page.wait_for_function(LIVE, arg=f"{word}: word 2. Most likely next: {likely_next} {p}.")
    names = page.locator(".look-card:visible button").evaluate_all("(all) => all.map((one) => one.ariaLabel)")
    looked = zip(["[praise]", *one.words], one.row, strict=True)
    assert names == [f"{word}, weight {format_number(weight)}; go back to it" for word, weight in looked]


def test_heads_verdict_temperature_and_the_look_that_is_shown(static):
    one = NextWord(WRITER, words=["The", "movie", "was"])
    page = static(one)
    before = likely(page)
    follow(page, one, (switch(0, 1), "Space", {"hide": [(0, 1)]}), (switch(1, 3), "click", {"hide": [(0, 1), (1, 3)]}))
    assert likely(page) == likely_words(one) != before
    follow(
        page,
        one,
        (switch(0, 1), "click", {"hide": [(1, 3)]}),
        (button("[blame]"), "click", {"verdict": "blame"}),
        (TEMPERATURE, "ArrowRight ArrowRight ArrowLeft", {"temperature": 1.1}),
        (TEMPERATURE, "Home", {"temperature": 0.1}),
        (f"role=group[name='layer'] >> {button('1')}", "click", {"layer": 1}),
        (f"role=group[name='head'] >> {button('2')}", "click", {"head": 2}),
        (f"role=group[name='head'] >> {button('mean')}", "click", {"head": None}),
        (button("Reset"), "click", None),
    )
    assert likely(page) == before


def test_a_seed_draws_the_same_words_again(static):
    one, seeds = NextWord(WRITER, seed=3), [3]
    again, other = (draw_word(one, seed)[0] for seed in (3, draw_word(one, 3)[1]))
    page = static(one)
    for _ in range(6):
        word, seed = draw_word(one, seeds[-1])
        seeds.append(seed)
        follow(page, one, (button("Sample"), "click", {"words": [*one.words, word]}))
    follow(
        page,
        one,
        (button("Reset"), "click", None),
        (button("Sample"), "click", {"words": [again]}),
        (button("Back"), "click", {"words": []}),
        (button("Sample"), "click", {"words": [other]}),  # another draw: the seed has moved on
    )


def test_without_a_seed_the_page_draws_by_itself(static):
    page = static(NextWord(WRITER, temperature=2.0))
    firsts = set()
    for _ in range(12):
        page.locator(button("Sample")).click()
        firsts.add(text(page).splitlines()[0])
        page.locator(button("Start again")).click()
    assert len(firsts) > 2


@pytest.mark.parametrize("words", [["The", "."], LONGEST], ids=["ended", "full"])
def test_a_review_that_cannot_go_on_says_why(static, words):
    one = NextWord(WRITER, words=words)
    page = static(one)
    reason = text(page).splitlines()[2]
    assert page.locator(".look-nexts p").first.text_content() == f"{reason} Go back, or start again."
    for node in [*page.locator("role=button[name=/Sample|Most/]").all(), *page.locator(".look-next:visible").all()]:
        assert node.get_attribute("aria-disabled") == "true"
        node.click(force=True)
    assert page.locator(button("Sample")).get_attribute("title") == f"off: {reason}"
    assert text(page) == one.text()
    follow(page, one, (button("Back"), "click", {"words": one.words[:-1]}))
    assert page.locator(button("Sample")).get_attribute("aria-disabled") == "false"


def test_the_focus_stays_in_the_review_when_the_bars_go(static):
    one = NextWord(load_writer(), words=["The", "movie", "was", "good"])
    page = static(one)
    follow(page, one, (".look-next >> nth=1", "Enter", {"words": [*one.words, "."]}))
    assert page.evaluate(FOCUSED).startswith("., weight ")
    follow(page, one, (None, "Enter", {}))  # a key that is held does no harm


def test_tasks_are_confirmed_by_what_the_hand_did_and_stay(static):
    one = NextWord(load_writer(), "blame", ["The", "movie", "was", "very"])
    before, page = dict(one.next_words), static(one)
    act(page, button("Back"), "click")
    act(page, switch(1, 0), "click")
    act(page, button("Reset"), "click")  # the words come back before the head does
    page.wait_for_timeout(100)
    for place, hide, is_new, why in (
        ((0, 0), [(0, 0)], False, "nothing was done"),
        ((1, 0), [(0, 0), (1, 0)], True, "another word comes first, but a likely one"),
        ((0, 0), [(1, 0)], True, "that took two heads"),
    ):
        assert tasks_reached(page) == [False, False, False], why
        follow(page, one, (switch(*place), "click", {"hide": hide}))
        assert (before.get(word_of(one), 0) < 0.01) == is_new
    assert tasks_reached(page) == [False, False, True], "one head kept it back"
    follow(page, one, (switch(1, 0), "click", {"hide": []}), (TEMPERATURE, "fill 0.5", {"temperature": 0.5}))
    while page.locator("[aria-disabled='true']").count() == 0:
        assert tasks_reached(page) == [False, False, True], "no full stop yet, and the temperature is not 1"
        follow(page, one, (button("Most likely"), "Enter", {"words": [*one.words, word_of(one)]}))
    act(page, button("Start again"), "click")
    assert one.words[-1] == "." and tasks_reached(page) == [True, False, True], "what was reached stays"


def test_a_certain_word_is_a_task_at_temperature_1_and_begins_unconfirmed(static):
    page = static(NextWord(load_writer(), words=["The", "movie"]))  # "was" is certain here from the start
    for where, how, why in (
        (".look-next", "click", "nothing was done yet"),
        (TEMPERATURE, "ArrowLeft", "several words are about as likely"),
        (button("Back"), "click", "several words are about as likely"),
        (TEMPERATURE, "ArrowRight", "a low temperature is no task"),
    ):
        assert tasks_reached(page) == [False, False, False], why
        act(page, where, how)
    assert likely(page)[0][1] == "1.000" and tasks_reached(page) == [False, True, False]
