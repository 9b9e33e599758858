"""The pages answer without a kernel: explorables, links to a picture, predictions, search, paper, keyboard."""

import io
import re

import matplotlib.image
import pytest

from conftest import LESSONS, SHIFT, SITE

HOLDER = re.compile(r'<div class="book-widget" id="([^"]+)" data-kind="(?!PredictionCards)')
TEXTS = {name: (SITE / name).read_text(encoding="utf-8") for name in ["index.html", *LESSONS]}
WIDGETS = [(name, holder) for name, text in TEXTS.items() for holder in HOLDER.findall(text)]
DOT_PRODUCTS, PAD, TOO_LARGE = "notebooks/01_dot_products.html", "01-017", "19-052"
TOO_EARLY = "13-016"  # a reward from the first batch on, with which a model learns to guess
MOVABLE = "input[type=range]:visible, [role=slider]:visible, [role=application]:visible, .look [tabindex='0']:visible"
STATE = """place => { const m = document.getElementById(place).model;
  return Object.fromEntries(Object.keys(m.get('_initial')).map((n) => [n, m.get(n)])); }"""
# Read in one go: a training whose Pause is folded away runs on, and writes its step into both.
ADDRESSES = "place => [location.hash, document.getElementById(place).querySelector('.book-link').href]"
# Search terms, and the page that must be among the first five results.
TERMS = {
    "softmax": "02_softmax",
    "causal mask": "06_masks",
    "attention sink": "19_real_encoder",
    "order of words": "08_word_order",
    "decoys": "13_making_it_look",
    "perplexity": "17_a_model_that_writes",
}


def text_of(page, widget_id):
    return page.locator(f"[id='{widget_id}'] .look").inner_text()


def state(page, widget_id):
    """Return the state of an explorable without the progress of a training."""
    return page.evaluate(STATE, widget_id) | {"step": None}


def still(page, widget_id):
    """Pause a running training whose button is shown, and wait until nothing else changes."""
    for pause in page.locator(f"[id='{widget_id}']").get_by_role("button", name="Pause", exact=True).all():
        pause.click()
    page.wait_for_timeout(400)


def final_text_of(page, widget_id):
    """Return what an explorable shows once it has drawn everything: what came out of a cover is drawn late."""
    said = None
    while said != (said := text_of(page, widget_id)):
        page.wait_for_timeout(300)
    return said


def move(page, widget_id):
    """Press the one button, or else keys on the controls, until the picture changes. Returns whether it did."""
    page.evaluate("document.querySelectorAll('.book-cover').forEach((cover) => (cover.open = true))")
    before = final_text_of(page, widget_id)
    if (onward := page.locator(f"[id='{widget_id}'] .look-onward")).count():
        onward.click()
        page.wait_for_timeout(500)
        return text_of(page, widget_id) != before
    for handle in page.locator(f"[id='{widget_id}']").locator(MOVABLE).all():
        for key in ("ArrowRight", "ArrowUp", "ArrowLeft"):
            handle.press(key)
            for _ in range(40):
                page.wait_for_timeout(50)
                if text_of(page, widget_id) != before:
                    return True
    return False


@pytest.mark.parametrize(("name", "widget_id"), [one for one in WIDGETS if one[1] != TOO_LARGE])
def test_an_explorable_answers_and_its_link_holds_the_picture(open_page, name, widget_id):
    page = open_page(name)
    still(page, widget_id)
    assert move(page, widget_id)
    page.wait_for_function("place => location.hash.startsWith(`#${place}?`)", arg=widget_id)
    still(page, widget_id)
    address, link = page.evaluate(ADDRESSES, widget_id)
    assert link.endswith(address)
    assert state(open_page(name + address), widget_id) == state(page, widget_id)


@pytest.mark.parametrize(("name", "widget_id"), [one for one in WIDGETS if "-training-" in one[1]])
def test_a_training_of_a_lesson_runs_in_its_page(open_page, name, widget_id):
    page = open_page(name)
    page.evaluate("document.querySelectorAll('.book-cover').forEach((cover) => (cover.open = true))")
    holder = page.locator(f"[id='{widget_id}']")
    holder.get_by_role("button", name="Train it here").click()
    holder.get_by_role("button", name="Again").wait_for()
    right = r"(49|5\d)" if widget_id.startswith(TOO_EARLY) else "(99|100)"
    holder.get_by_text(
        re.compile(rf"Epoch (10 of 10|12 of 12), .* {right}\.\d % right, weight on position \d: ")
    ).wait_for()


def test_an_explorable_whose_model_is_too_large_for_a_page_says_so(open_page):
    """The real encoder has 22 million weights: the page shows what the kernel computed, and no more."""
    page = open_page(f"notebooks/19_real_encoder.html#{TOO_LARGE}")
    holder = page.locator(f"[id='{TOO_LARGE}']")
    assert "The movie was bad." in text_of(page, TOO_LARGE)
    assert "too large for a page" in holder.inner_text(), "before anybody tries"
    assert "is read in JupyterLab" in page.locator("[data-kind=HeadGallery]").inner_text()
    holder.get_by_role("button", name="Take head 2 away").click()
    holder.get_by_text("this page has none. Open the lesson in JupyterLab.").first.wait_for()


@pytest.mark.parametrize(
    "address",
    [
        'a="<img src=x onerror=alert(1)>"',
        "a=[1,2,3]",
        "b=[[1],2]",
        "a=[null,2]",
        "a=[1e308,1e308]",
        "names=[7]",
        "a=%%%",
        "a",
        "__proto__=1",
    ],
)
def test_a_link_that_does_not_fit_says_so_and_another_one_shows_its_own(open_page, address):
    page = open_page(f"{DOT_PRODUCTS}#{PAD}?{address}")
    assert "The link does not fit this picture" in page.locator(f"[id='{PAD}']").inner_text()
    found = state(page, PAD)
    assert (found["a"], found["b"]) == ([1, 2], [5, -1])
    page.evaluate(f"location.hash = '#{PAD}?a=[3,4]'")
    page.wait_for_function(f"document.getElementById('{PAD}')?.model?.get('a')[1] === 4")


def test_a_link_shows_a_tall_picture_from_its_top(open_page):
    page = open_page("notebooks/05_not_good.html#05-030?query=3", size=(390, 600))
    page.wait_for_function("scrollY > 0")
    assert 0 <= page.locator("[id='05-030']").bounding_box()["y"] < 300


def test_a_prediction_opens_its_cover_is_remembered_and_can_be_asked_again(open_page):
    page = open_page(DOT_PRODUCTS)
    covers = [page.locator(f".book-cover[data-answers='{number}']") for number in (1, 2)]
    choice, again = page.get_by_role("radio", name="22"), page.get_by_role("button", name="Ask me again")
    assert covers[0].get_attribute("open") is None and again.count() == 0
    choice.click()
    assert "0 of 1 predictions came true" in page.locator(".book-recap").inner_text()
    page.reload()
    page.wait_for_selector(".book-alive")
    assert choice.get_attribute("aria-checked") == "true"
    assert [cover.get_attribute("open") is None for cover in covers] == [False, True]
    again.click()
    page.wait_for_function("document.querySelector('.book-recap')?.innerText.includes('No prediction was made yet')")
    assert choice.get_attribute("aria-checked") == "false"


def test_a_picture_tells_a_screen_reader_what_it_shows_but_not_under_a_closed_cover(open_page):
    page = open_page("notebooks/05_not_good.html")
    words = page.locator(".book-cover[data-answers='3'] .plot img").get_attribute("alt")
    assert words not in page.locator("article").aria_snapshot()
    for group in page.locator(".look-prediction [role=radiogroup]").all():
        group.get_by_role("radio").first.click()
    assert words in page.locator("article").aria_snapshot()


@pytest.mark.parametrize("name", [name for name, text in TEXTS.items() if "Prediction 1" in text])
def test_every_prediction_can_be_made(open_page, name):
    page = open_page(name)
    for group in page.locator(".look-prediction [role=radiogroup]").all():
        group.get_by_role("radio").first.click()
    assert page.locator(".book-cover:not([open])").count() == 0
    assert page.locator(".look-choice-hint", has_text="Choose one").count() == 0


def test_a_training_that_begins_by_itself_writes_no_address_and_waits_where_motion_is_not_wanted(open_page):
    page, quiet = open_page("index.html"), open_page("index.html", reduced_motion="reduce")
    quiet.wait_for_function("document.querySelector('.look-say').innerText.includes('Nothing is trained yet')")
    assert quiet.locator(".look-onward").inner_text().startswith("Begin: 1")
    before = quiet.locator(".look-say").inner_text()
    page.wait_for_function("document.querySelector('.look').innerText.includes('After epoch 10 of 10')")
    page.wait_for_timeout(600)  # longer than the debounce of the address
    assert page.evaluate("location.hash") == ""
    page.locator(".look-onward").click()
    page.wait_for_function("location.hash.includes('decoys=0.5')")
    assert quiet.evaluate("document.getAnimations().length") == 0
    assert quiet.locator(".look-say").inner_text() == before


def test_tab_stops_at_a_formula_only_where_it_scrolls(open_page):
    page = open_page("notebooks/05_not_good.html")
    page.wait_for_selector("mjx-container")
    assert page.locator("mjx-container[tabindex='0']").count() == 0
    narrow = open_page("notebooks/17_a_model_that_writes.html", size=(320, 600))
    narrow.wait_for_selector("mjx-container[display][tabindex='0']")


@pytest.mark.parametrize("term", TERMS)
def test_search_finds(open_page, term):
    page = open_page(f"search.html?q={term.replace(' ', '+')}")
    page.wait_for_selector("#search-results li a")
    page.wait_for_function("document.querySelector('#search-results h2, #search-results p')")
    first = [a.get_attribute("href") for a in page.locator("#search-results li > a").all()[:5]]
    assert any(TERMS[term] in address for address in first), first


def test_on_paper_an_explorable_is_its_picture_and_no_code_is_cut_off(open_page):
    page = open_page(DOT_PRODUCTS)
    still_picture, live = (page.locator(f"[id='{PAD}'] {part}") for part in (".book-still img", ".book-live"))
    assert live.is_visible() and not still_picture.is_visible()
    page.emulate_media(media="print")
    assert still_picture.is_visible() and not live.is_visible()
    page.set_viewport_size({"width": 700, "height": 1000})
    assert page.locator("pre").evaluate_all("all => all.filter((a) => a.scrollWidth > a.clientWidth + 1).length") == 0


# Each tab stop gets a number, so that listed and focused elements can be compared.
STOPS = "a[href], button, input, select, summary, [tabindex]"
NUMBER = "(one) => (one.dataset.stop ??= String(window.stops = (window.stops ?? 0) + 1)) && one.dataset.stop"
SEEN = "one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length"
FOCUSABLE = f"""() => [...document.querySelectorAll('.bd-article :is({STOPS})')]
  .filter((one) => one.tabIndex >= 0 && !one.disabled && {SEEN})
  .map({NUMBER})"""


def test_the_keyboard_reaches_everything_in_a_lesson(open_page):
    page, reached = open_page(DOT_PRODUCTS), set()
    expected = page.evaluate(FOCUSABLE)
    for _ in range(len(expected) + 60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("() => document.activeElement.dataset.stop"))
    assert expected and set(expected) <= reached


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_the_front_page_begins_with_its_picture_and_one_button_and_nothing_jumps(open_page, size):
    page = open_page("index.html", size=size)
    page.wait_for_function("document.querySelector('.look-say').innerText.includes('After epoch 10 of 10')")
    assert page.evaluate(SHIFT) < 0.05
    for part in (".look-seeds", ".look-bar-keys", ".look-onward"):
        box = page.locator(f"#twenty-models {part}").bounding_box()
        assert box["y"] + box["height"] <= size[1]


def test_on_the_front_page_one_cut_turns_the_verdict(open_page):
    page = open_page("index.html")
    verdict = page.locator("#review .look-machine .look-answer strong")
    assert verdict.inner_text() == "blame"
    page.locator("#review .look-arc[aria-label^='not (4) → good (5)']").press("Enter")
    page.wait_for_function("document.querySelector('#review .look-machine .look-answer strong').innerText === 'praise'")


# What a reader can focus in the frame of a page.
FRAME = (
    ".search-button-field", ".theme-switch-button", ".bd-header .nav-link", ".bd-sidebar-primary a.reference",
    ".bd-breadcrumbs a", ".bd-sidebar-secondary a", ".bd-article summary", ".book-print button",
)  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_under_forced_colours_the_focus_is_painted_everywhere_in_the_frame_of_a_page(open_page, scheme):
    page = open_page("notebooks/05_not_good.html", forced_colors="active", color_scheme=scheme, reduced_motion="reduce")
    page.keyboard.press("Tab")  # from now on the focus is the keyboard's
    for name in FRAME:
        one = page.locator(f"{name}:visible").first
        one.scroll_into_view_if_needed()
        box = one.bounding_box()
        around = {"x": box["x"] - 6, "y": box["y"] - 6, "width": box["width"] + 12, "height": box["height"] + 12}
        page.evaluate("document.activeElement.blur()")
        before = pixels(page.screenshot(clip=around))
        one.focus()
        assert (pixels(page.screenshot(clip=around)) != before).any(axis=-1).sum() > 60, name


def pixels(png):
    return matplotlib.image.imread(io.BytesIO(png))[..., :3]  # (height, width, 3)


# Pictures that are drawn smaller than they are, without a button beside them.
SMALL = """all => all.filter((one) => one.clientWidth < one.naturalWidth &&
  !(one.closest('picture') ?? one).nextElementSibling?.matches('.book-enlarge')).map((one) => one.alt)"""


@pytest.mark.parametrize("name", ["notebooks/05_not_good.html", "classroom/talk/handout.html"])
def test_on_a_phone_a_figure_opens_large_and_closes_again_by_the_keyboard(open_page, name):
    page = open_page(name, size=(390, 844))
    assert page.locator(".bd-article img:visible:not(.book-widget img)").evaluate_all(SMALL) == []
    button = page.locator(".book-enlarge:visible").first
    button.focus()
    page.keyboard.press("Enter")
    assert page.locator(".book-large img").bounding_box()["width"] >= 900
    page.keyboard.press("Escape")
    page.locator(".book-large").wait_for(state="detached")
    assert button.evaluate("(one) => one === document.activeElement")
    if name in LESSONS:
        assert page.locator(".book-code:not([open])").count() > 3


ON_PAPER = [("00_start_here", "fool_the_counter"), ("01_dot_products", "can_win"), ("05_not_good", "review_matrices")]


@pytest.mark.parametrize(("lesson", "exercise"), ON_PAPER)
def test_paper_is_light_and_asks_nobody_to_click(open_page, lesson, exercise):
    page = open_page(f"notebooks/{lesson}.html", color_scheme="dark")
    page.emulate_media(media="print")
    page.wait_for_function("document.documentElement.dataset.theme === 'light'")
    text = page.locator(".bd-article").inner_text()
    assert not re.search(r"\b(click|press|drag)\b", text, re.I) and exercise in text
    choices = page.locator(".book-still > details > summary").evaluate_all(
        "all => all.map((one) => one.checkVisibility())"
    )
    assert len(choices) > 5 and all(choices)


TYPOS = {"sotfmax": "softmax", "resdual stream": "residual stream", "querry": "query"}  # codespell:ignore querry


@pytest.mark.parametrize("typo", TYPOS)
def test_search_survives_a_typo(open_page, typo):
    page = open_page(f"search.html?q={typo}")
    page.wait_for_selector("#search-results li a")
    assert page.locator(".book-typo").inner_text() == f"Showing results for {TYPOS[typo]}"


def test_claims_and_terms_are_filtered_while_one_types(open_page):
    page = open_page("docs/CLAIMS.html")
    page.locator(".book-filter button").last.press("Enter")
    assert page.locator(".claim:visible").count() == page.locator(".claim[data-kind='does not hold']").count() > 0
    assert page.locator(".claim a:not([href^='#'])").count() >= page.locator(".claim").count()
    page = open_page("notebooks/GLOSSARY.html")
    page.fill(".book-filter input", "resdual stream")
    page.locator(".book-left button").press("Enter")
    assert page.locator(".book-letters ~ ul > li:visible strong").all_inner_texts() == ["residual stream"]
