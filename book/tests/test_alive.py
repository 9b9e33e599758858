"""The pages answer without a kernel: explorables, links to a picture, predictions, search, paper, keyboard."""

import json
import re

import pytest

from conftest import LESSONS, SITE

WIDGETS = [
    (name, holder)
    for name in ["index.html", *LESSONS]
    for holder in re.findall(
        r'<div class="book-widget" id="([^"]+)" data-kind="(?!PredictionCards)',
        (SITE / name).read_text(encoding="utf-8"),
    )
]
TOO_LARGE = "18-052"
PREDICTIONS = [name for name in LESSONS if "Prediction 1" in (SITE / name).read_text(encoding="utf-8")]
MOVABLE = "input[type=range]:visible, [role=slider]:visible, [role=application]:visible, .look [tabindex='0']:visible"
# Search terms, and the page that must be among the first five results.
TERMS = {
    "softmax": "02_softmax",
    "causal mask": "06_masks",
    "residual": "11_the_block",
    "attention sink": "18_real_encoder",
    "dot product": "01_dot_products",
    "order of words": "08_word_order",
    "gradient": "09_gradient_by_hand",
    "decoys": "13_making_it_look",
    "heads": "07_many_heads",
    "perplexity": "17_a_model_that_writes",
}


def shown(holder):
    return holder.locator(".look").inner_text()


def move(page, holder):
    """Press keys on the controls until the picture changes. Returns whether it did."""
    before = shown(holder)
    for handle in holder.locator(MOVABLE).all():
        for key in ("ArrowRight", "ArrowUp", "ArrowLeft"):
            handle.press(key)
            for _ in range(10):
                page.wait_for_timeout(50)
                if shown(holder) != before:
                    return True
    return False


@pytest.mark.parametrize(("name", "widget_id"), [one for one in WIDGETS if one[1] != TOO_LARGE])
def test_an_explorable_answers_and_its_link_holds_the_picture(open_page, name, widget_id):
    page = open_page(name)
    holder = page.locator(f"[id='{widget_id}']")
    still(page, holder)
    assert move(page, holder)
    page.wait_for_function("place => location.hash.startsWith(`#${place}?`)", arg=widget_id)
    still(page, holder)
    expected, address = state(page, widget_id), page.evaluate("location.hash")
    assert page.locator(f"[id='{widget_id}'] .book-link").get_attribute("href").endswith(address)
    again = open_page(name + address)
    assert state(again, widget_id) == expected


def test_an_explorable_whose_model_is_too_large_for_a_page_says_so(open_page):
    """The real encoder has 22 million weights: the page shows what the kernel computed, and no more."""
    page = open_page(f"notebooks/18_real_encoder.html#{TOO_LARGE}")
    holder = page.locator(f"[id='{TOO_LARGE}']")
    assert "The movie was bad." in shown(holder)
    assert "too large for a page" in holder.inner_text(), "before anybody tries"
    assert "is read in JupyterLab" in page.locator("[data-kind=HeadGallery]").inner_text()
    holder.get_by_role("button", name="Cut layer 0, head 2").click()
    holder.get_by_text("this page has none. Open the lesson in JupyterLab.").first.wait_for()


def still(page, holder):
    """Pause a running training, and wait until nothing changes."""
    pause = holder.get_by_role("button", name="Pause", exact=True)
    if pause.count():
        pause.click()
    page.wait_for_timeout(400)


def state(page, widget_id):
    """Return the state of an explorable without the progress of a training."""
    state_values = page.evaluate(
        "place => { const m = document.getElementById(place).model;"
        " return Object.fromEntries(Object.keys(m.get('_initial')).map((n) => [n, m.get(n)])); }",
        widget_id,
    )
    return {key: value for key, value in state_values.items() if key != "step"}


@pytest.mark.parametrize(
    "address",
    [
        'a="<img src=x onerror=alert(1)>"',
        "a=[1,2,3]",
        "b=[[1],2]",
        "a=[null,2]",
        "names=[7]",
        "a=%%%",
        "a",
        "__proto__=1",
    ],
)
def test_a_link_that_does_not_fit_leaves_the_picture_as_it_was(open_page, address):
    page = open_page(f"notebooks/01_dot_products.html#01-017?{address}")
    state_values = state(page, "01-017")
    assert state_values["a"] == [1, 2] and state_values["b"] == [5, -1]


def test_a_prediction_opens_its_cover_and_is_remembered(open_page):
    page = open_page("notebooks/01_dot_products.html")
    cover = page.locator(".book-cover[data-answers='1']")
    assert cover.get_attribute("open") is None
    page.get_by_role("radio", name="22").click()
    assert cover.get_attribute("open") is not None
    assert "0 of 1 predictions came true" in page.locator(".book-recap").inner_text()
    page.reload()
    page.wait_for_selector(".book-alive")
    assert page.get_by_role("radio", name="22").get_attribute("aria-checked") == "true"
    assert cover.get_attribute("open") is not None
    assert page.locator(".book-cover[data-answers='2']").get_attribute("open") is None


def test_predictions_can_be_asked_again(open_page):
    page = open_page("notebooks/01_dot_products.html")
    assert page.get_by_role("button", name="Ask me again").count() == 0
    page.get_by_role("radio", name="22").click()
    page.get_by_role("button", name="Ask me again").click()
    page.wait_for_function("document.querySelector('.book-recap')?.innerText.includes('No prediction was made yet')")
    assert page.get_by_role("radio", name="22").get_attribute("aria-checked") == "false"


def test_a_training_that_begins_by_itself_writes_no_address(open_page):
    page = open_page("index.html")
    page.wait_for_function("document.querySelector('.look').innerText.includes('Epoch 10 of 10')")
    page.wait_for_timeout(600)  # longer than the debounce of the address
    assert page.evaluate("location.hash") == ""
    page.get_by_role("slider", name="position", exact=True).press("ArrowRight")
    page.wait_for_function("location.hash.includes('position=5')")


def test_a_link_shows_a_tall_picture_from_its_top(open_page):
    page = open_page("notebooks/05_not_good.html#05-029?query=3", size=(390, 600))
    page.wait_for_function("scrollY > 0")
    assert 0 <= page.locator("[id='05-029']").bounding_box()["y"] < 300


def test_another_link_in_the_same_window_shows_its_picture(open_page):
    page = open_page("notebooks/01_dot_products.html")
    page.evaluate("location.hash = '#01-017?a=[3,4]'")
    page.wait_for_function("document.getElementById('01-017')?.model?.get('a')[1] === 4")


def test_tab_goes_past_formulas(open_page):
    page = open_page("notebooks/05_not_good.html")
    page.wait_for_selector("mjx-container")
    assert page.locator("mjx-container[tabindex='0']").count() == 0


def test_tab_stops_at_a_formula_that_scrolls(open_page):
    page = open_page("notebooks/17_a_model_that_writes.html", size=(320, 600))
    page.wait_for_selector("mjx-container[display][tabindex='0']")


@pytest.mark.parametrize("name", PREDICTIONS)
def test_every_prediction_can_be_made(open_page, name):
    page = open_page(name)
    for group in page.get_by_role("radiogroup").all():
        group.get_by_role("radio").first.click()
    assert page.locator(".book-cover:not([open])").count() == 0
    assert page.locator(".look-choice-hint", has_text="Choose one").count() == 0


@pytest.mark.parametrize("term", TERMS)
def test_search_finds(open_page, term):
    page = open_page(f"search.html?q={term.replace(' ', '+')}")
    page.wait_for_selector("#search-results li a")
    page.wait_for_function("document.querySelector('#search-results h2, #search-results p')")
    first = [a.get_attribute("href") for a in page.locator("#search-results li > a").all()[:5]]
    assert any(TERMS[term] in address for address in first), first


def test_on_paper_an_explorable_is_its_picture(open_page):
    page = open_page("notebooks/01_dot_products.html")
    holder = page.locator("[id='01-017']")
    assert not holder.locator(".book-still").is_visible()
    page.emulate_media(media="print")
    assert holder.locator(".book-still img").is_visible() and not holder.locator(".book-live").is_visible()
    wide = "[...document.querySelectorAll('pre')].filter((one) => one.scrollWidth > one.clientWidth + 1).length"
    page.set_viewport_size({"width": 700, "height": 1000})
    assert page.evaluate(wide) == 0  # no line of code is cut off


def test_the_keyboard_reaches_everything_in_a_lesson_and_leaves_it_again(open_page):
    page = open_page("notebooks/01_dot_products.html")
    expected = page.evaluate(FOCUSABLE)
    reached = []
    for _ in range(len(expected) + 60):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED))
        if len(reached) > 3 and reached[-1] == "BODY":
            break
    missed = [one for one in expected if one not in reached]
    assert missed == []


def test_who_wants_no_motion_sees_none(open_page):
    page = open_page("index.html", reduced_motion="reduce")
    page.wait_for_timeout(500)
    assert json.loads(page.evaluate("JSON.stringify(document.getAnimations().length)")) == 0
    before = page.locator(".look").inner_text()
    page.wait_for_timeout(1000)
    assert page.locator(".look").inner_text() == before


# Each tab stop gets a number, so that listed and focused elements can be compared.
STOPS = "a[href], button, input, select, summary, [tabindex]"
NUMBER = "(one) => (one.dataset.stop ??= String(window.stops = (window.stops ?? 0) + 1)) && one.dataset.stop"
SEEN = "one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length"
FOCUSABLE = f"""() => [...document.querySelectorAll('.bd-article :is({STOPS})')]
  .filter((one) => one.tabIndex >= 0 && !one.disabled && {SEEN})
  .map({NUMBER})"""
FOCUSED = "() => document.activeElement.dataset.stop ?? document.activeElement.tagName"
