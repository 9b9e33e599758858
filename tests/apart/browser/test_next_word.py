"""NextWord by keyboard and by mouse; its numbers are Python's."""

import pytest
from explorable_text import text
from random_writer import random_writer
from test_every_explorable import FROM_SAMPLES

from course_utils.explorables import NextWord
from course_utils.explorables.base import format_number
from course_utils.writer_reader import from_arrays, to_arrays
from course_utils.writer_task import END, WORDS

WRITER = random_writer()
LONGEST = ["The", "movie"] * 11
FOCUSED = "() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
LIVE = "(wanted) => document.querySelector('[aria-live]').textContent === wanted"


def word_of(one, place=0):
    """The next word in this place of the bars."""
    return one.next_words[place][0]


def bars(page):
    """What the bars show: pairs (word, probability as it is written)."""
    nodes = page.locator(".look-next")
    return [(node.locator("bdi").text_content(), node.locator("span").last.text_content()) for node in nodes.all()]


def shown(one):
    return [(word, format_number(p, 3)) for word, p in one.next_words]


def drawn(one, seed):
    """What a seed draws, and the seed behind it: mulberry32, written down from its definition."""
    seed = (seed + 0x6D2B79F5) % 2**32
    t = (seed ^ seed >> 15) * (seed | 1) % 2**32
    t ^= (t + (t ^ t >> 7) * (t | 61) % 2**32) % 2**32
    likely = [(word, p) for word, p in zip(WORDS, one.probabilities, strict=True) if not word.startswith("[")]
    left = (t ^ t >> 14) / 2**32 * sum(p for _, p in likely)
    for word, p in likely:
        left -= p
        if left < 0:
            return word, seed
    raise AssertionError("the probabilities do not reach the share")


def stopping():
    """A writer that wants a full stop, whatever came before."""
    arrays = to_arrays(WRITER)
    arrays["b_next"] = arrays["b_next"].copy()
    arrays["b_next"][END] = 30
    return from_arrays(arrays)


def test_by_keyboard(static):
    one = NextWord(WRITER)
    page = static(one)
    for _ in range(8):  # two verdicts, four buttons, the review and the bars, each of these one stop
        page.keyboard.press("Tab")
    for keys, place in (("Enter", 0), ("ArrowDown ArrowDown Space", 2), ("ArrowUp Enter", 1)):
        for key in keys.split():
            page.keyboard.press(key)
        one.words += (word_of(one, place),)
        assert text(page) == one.text()
        assert bars(page) == shown(one)
    assert page.evaluate(FOCUSED) == f"write {word_of(one, 1)} probability {shown(one)[1][1]}"
    page.keyboard.press("Shift+Tab")
    assert page.evaluate(FOCUSED).startswith(f"{one.words[-1]}, weight ")
    for key in ("ArrowRight", "ArrowLeft", "ArrowLeft"):  # there is nothing to the right of the last word
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    one.words = one.words[:1]
    assert text(page) == one.text()
    assert page.evaluate(FOCUSED).startswith(f"{one.words[0]}, weight ")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert text(page) == NextWord(WRITER).text()


def test_a_screen_reader_hears_the_new_word_and_the_most_likely_next_one(static):
    one = NextWord(WRITER, words=["The"])
    page = static(one)
    likely, p = shown(one)[0]
    page.wait_for_function(LIVE, arg=f"The: word 1. Most likely next: {likely} {p}.")
    page.get_by_role("button", name="Most likely").click()
    one.words += (word_of(one),)
    likely, p = shown(one)[0]
    page.wait_for_function(LIVE, arg=f"{one.words[-1]}: word 2. Most likely next: {likely} {p}.")
    names = page.locator(".look-card:visible button").evaluate_all("(all) => all.map((one) => one.ariaLabel)")
    looked = zip(["[praise]", *one.words], one.row, strict=True)
    assert names == [f"{word}, weight {format_number(weight)}; go back to it" for word, weight in looked]


def test_a_head_that_is_cut_changes_the_bars(static):
    one = NextWord(WRITER, words=["The", "movie", "was"])
    page = static(one)
    before = bars(page)
    for layer, head in ((0, 1), (1, 3)):
        switch = page.get_by_role("switch", name=f"layer {layer}, head {head}")
        switch.focus()
        page.keyboard.press("Space")
        one.hide = [*one.hide, (layer, head)]
        assert not switch.is_checked() and text(page) == one.text()
        assert bars(page) == shown(one) != before
    page.get_by_role("switch", name="layer 0, head 1").check()
    page.get_by_role("switch", name="layer 1, head 3").check()
    assert bars(page) == before


def test_verdict_temperature_and_the_look_that_is_shown(static):
    one = NextWord(WRITER, words=["The", "movie", "was"], hide=[(1, 2)])
    page = static(one)
    page.get_by_role("button", name="[blame]").click()
    one.verdict = "blame"
    assert text(page) == one.text() and bars(page) == shown(one)
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        page.get_by_label("temperature").press(key)
    one.temperature = 1.1
    assert text(page) == one.text() and bars(page) == shown(one)
    page.get_by_label("temperature").press("Home")
    one.temperature = 0.1
    assert text(page) == one.text()
    page.get_by_role("group", name="layer").get_by_role("button", name="1").click()
    for name, head in (("mean", None), ("2", 2), ("0", 0)):
        page.get_by_role("group", name="head").get_by_role("button", name=name).click()
        one.layer, one.head = 1, head
        assert text(page) == one.text()
        columns = page.locator(".look-card:visible").evaluate_all("""(all) => all.map((card) => {
          const [fill, column] = ['.look-fill', '.look-column'].map((name) => card.querySelector(name));
          const share = fill.getBoundingClientRect().height / column.clientHeight;
          return [card.querySelector('small').textContent, share];
        })""")
        for (number, height), weight in zip(columns, one.row, strict=True):
            assert number == format_number(weight) and abs(height - weight) < 0.01


def test_a_seed_draws_the_same_words_again(static):
    page = static(NextWord(WRITER, seed=3))
    told = []
    for _ in range(2):
        one, seed = NextWord(WRITER), 3
        for _ in range(6):
            page.get_by_role("button", name="Sample").click()
            word, seed = drawn(one, seed)
            one.words += (word,)
            assert text(page) == one.text()
        told.append(text(page))
        page.get_by_role("button", name="Reset").click()
    assert told[0] == told[1]
    page.get_by_role("button", name="Sample").click()
    page.get_by_role("button", name="Back", exact=True).click()
    page.get_by_role("button", name="Sample").click()  # another draw, since the seed has moved on
    second = drawn(NextWord(WRITER), drawn(NextWord(WRITER), 3)[1])[0]
    assert text(page) == NextWord(WRITER, words=[second]).text()


def test_without_a_seed_the_page_draws_by_itself(static):
    page = static(NextWord(WRITER, temperature=2.0))
    firsts = set()
    for _ in range(12):
        page.get_by_role("button", name="Sample").click()
        firsts.add(text(page).splitlines()[0])
        page.get_by_role("button", name="Start again").click()
    assert len(firsts) > 2


@pytest.mark.parametrize("words", [["The", "."], LONGEST], ids=["ended", "full"])
def test_a_review_that_cannot_go_on_says_why(static, words):
    one = NextWord(WRITER, words=words)
    page = static(one)
    reason = text(page).splitlines()[2]
    assert page.locator(".look-nexts p").first.text_content() == f"{reason} Go back, or start again."
    for name in ("Sample", "Most likely"):
        button = page.get_by_role("button", name=name)
        assert button.get_attribute("aria-disabled") == "true"
        assert button.get_attribute("title") == f"off: {reason}"
        button.click(force=True)
    assert page.locator(".look-next:visible").count() == len(one.next_words)
    for bar in page.locator(".look-next:visible").all()[:2]:
        bar.click(force=True)
    assert text(page) == one.text()
    page.get_by_role("button", name="Back", exact=True).click()
    one.words = one.words[:-1]
    assert text(page) == one.text()
    assert page.get_by_role("button", name="Sample").get_attribute("aria-disabled") == "false"
    assert bars(page) == shown(one)


def test_the_focus_stays_in_the_review_when_the_bars_go(static):
    page = static(NextWord(stopping(), words=["The", "movie"]))
    page.locator(".look-next").first.press("Enter")
    assert page.evaluate(FOCUSED).startswith("., weight ")
    page.keyboard.press("Enter")  # a key that is held does no harm
    assert text(page) == NextWord(stopping(), words=["The", "movie", "."]).text()


def test_in_jupyterlab_python_and_page_hold_the_same(cells, python, agrees):
    make = "from random_writer import random_writer\nfrom course_utils.explorables import NextWord\n"
    page = cells(FROM_SAMPLES + make + "one = NextWord(random_writer(), 'blame', seed=1)\none", "one")
    page.locator("section.look").nth(1).wait_for()
    active = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
    page.locator(".look-next").first.focus()
    before = page.evaluate(active)
    for key in ("Enter", "ArrowDown", "Enter", "j"):
        page.keyboard.press(key)
    assert page.evaluate(active) == before, "JupyterLab took the key for its own"
    page.get_by_role("switch", name="layer 1, head 0").first.uncheck()
    page.get_by_role("button", name="Sample").first.click()
    assert [text(page)] * 2 == page.locator(".look-text").all_text_contents()
    agrees("one")
    assert python("print(len(one.words), one.hide, one.seed)") == f"3 ((1, 0),) {1 + 0x6D2B79F5}"
    told = "(start) => document.querySelector('.look-text').textContent.startsWith(start)"
    assert python("one.words, one.verdict, one.hide = ['The', 'film'], 'praise', [(0, 0)]") == ""
    page.wait_for_function(told, arg="[praise] The film\nTemperature 1.00. Heads that are off: layer 0, head 0.")
    agrees("one")
    assert "'moovie' is none of them" in python("one.words = ['The', 'moovie']")
    python("one.reset()")
    page.wait_for_function(told, arg="[blame]\n")


@pytest.fixture(scope="module")
def trained():
    from course_utils.writer_reader import load_writer

    return load_writer()


def reached(page):
    """Which of the tasks the page has confirmed."""
    told = page.locator(".look-goals li").all_text_contents()
    assert all(one.startswith("☑") == one.endswith(": you reached it") for one in told)
    return [one.startswith("☑") for one in told]


def test_a_review_that_ends_is_a_task_confirmed_by_keyboard_and_it_stays(static, trained):
    page = static(NextWord(trained, "blame", ["The", "movie", "was"], temperature=0.5))
    assert reached(page) == [False, False, False]
    page.get_by_role("button", name="Most likely").focus()
    for _ in range(20):
        if page.locator("[aria-disabled='true']").count():
            break
        assert reached(page) == [False, False, False], "no full stop yet, and the temperature is not 1"
        page.keyboard.press("Enter")
    assert text(page).splitlines()[0].endswith(".") and reached(page) == [True, False, False]
    page.get_by_role("button", name="Start again").click()
    assert reached(page) == [True, False, False], "what was reached stays"


def test_a_certain_word_is_a_task_at_temperature_1_and_begins_unconfirmed(static, trained):
    page = static(NextWord(trained, words=["The", "movie"]))  # "was" is certain here from the start
    assert reached(page) == [False, False, False]
    page.locator(".look-next").first.click()
    for key in ("ArrowLeft", "ArrowRight", "ArrowLeft"):
        page.get_by_label("temperature").press(key)
        assert reached(page) == [False, False, False], "several words are about as likely"
    page.get_by_role("button", name="Back", exact=True).click()
    assert bars(page)[0][1] == "1.000" and reached(page) == [False, False, False], "a low temperature is no task"
    page.get_by_label("temperature").press("ArrowRight")
    assert reached(page) == [False, True, False]


def test_a_word_that_one_head_kept_back_is_a_task(static, trained):
    one = NextWord(trained, "blame", ["The", "movie", "was", "very"])
    before, page = dict(one.next_words), static(one)

    def switch(layer, head):
        one.hide = set(one.hide) ^ {(layer, head)}
        page.get_by_role("switch", name=f"layer {layer}, head {head}").click()
        assert text(page) == one.text()
        return before.get(word_of(one), 0)

    assert switch(0, 0) > 0.01 and reached(page) == [False, False, False], "another word comes first, but a likely one"
    assert switch(1, 0) < 0.01 and reached(page) == [False, False, False], "that took two heads"
    assert switch(0, 0) < 0.01 and reached(page) == [False, False, True]


def test_reset_confirms_no_task_on_its_way_back(static, trained):
    page = static(NextWord(trained, "blame", ["The", "movie", "was", "very"]))
    page.get_by_role("button", name="Back", exact=True).click()
    page.get_by_role("switch", name="layer 1, head 0").click()
    assert reached(page) == [False, False, False]
    page.get_by_role("button", name="Reset").click()  # the words come back before the head does
    page.wait_for_timeout(100)
    assert reached(page) == [False, False, False]


@pytest.mark.parametrize("words", [["The", "movie", "was", "very"], LONGEST], ids=["lesson", "full"])
def test_it_is_one_screen_high(static, trained, page, words):
    page.set_viewport_size({"width": 1280, "height": 720})
    page = static(NextWord(trained, "blame", words))
    assert page.evaluate("() => document.documentElement.scrollHeight") <= 720
