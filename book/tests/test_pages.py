"""Every page of the book: no external requests, errors, axe-core violations or dead links."""

import re
from functools import cache
from urllib.parse import unquote, urldefrag

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup

from conftest import LESSONS, PAGES, SITE


def test_the_book_has_every_lesson_and_what_goes_with_them():
    expected = {
        "index",
        "start",
        "INSTRUCTORS",
        "docs/CLAIMS",
        "notebooks/GLOSSARY",
        "notebooks/formulas",
        "api/attention",
    }
    assert {f"{name}.html" for name in expected} <= set(PAGES)
    assert len(LESSONS) == 20
    assert (SITE / "guide.pdf").read_bytes().startswith(b"%PDF")


def test_the_book_says_what_it_was_checked_with_and_nowhere_that_it_conforms():
    assert "checked with axe-core" in soup(SITE / "about.html").get_text()
    assert [name for name in PAGES if "conform" in soup(SITE / name).get_text()] == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_barrier(open_page, name, dark):
    page = open_page(name, dark=dark)
    page.evaluate("document.querySelectorAll('.bd-article details').forEach((one) => (one.open = true))")
    violations = Axe().run(page, options={"resultTypes": ["violations"], "preload": False}).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:200], len(one["nodes"])) for one in violations] == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_at_four_hundred_per_cent_scrolls_one_way(open_page, name):
    page = open_page(name, size=(320, 256))
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@cache
def soup(path):
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


@cache
def anchors(path):
    return {tag["id"] for tag in soup(path).find_all(id=True)}


@pytest.mark.parametrize("name", LESSONS)
def test_on_a_projector_every_formula_is_seen_whole(open_page, name):
    page = open_page(name, size=(1024, 768))
    page.evaluate("MathJax.startup.promise")
    page.wait_for_timeout(100)
    cut = "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"
    assert page.locator("mjx-container[display]").evaluate_all(cut) == []


@pytest.mark.parametrize("name", LESSONS)
def test_on_a_phone_all_heads_and_the_way_to_the_next_lesson_are_inside(open_page, name):
    page = open_page(name, size=(390, 844))
    wide = "all => all.filter((one) => one.getBoundingClientRect().right > innerWidth).length"
    assert page.locator(".look-cut-heads .look-asker, .prev-next-area *").evaluate_all(wide) == 0


@pytest.mark.parametrize("name", PAGES)
def test_every_link_inside_the_book_leads_somewhere(name):
    path, dead = SITE / name, []
    for tag in soup(path).find_all(["a", "img", "script", "link"]):
        address = tag.get("href") or tag.get("src") or ""
        if re.match(r"[a-z]+:|//", address) or not address:
            continue
        file, anchor = urldefrag(address)
        target = (path.parent / unquote(file.partition("?")[0])).resolve() if file else path
        if not target.is_file() or (anchor and target.suffix == ".html" and unquote(anchor) not in anchors(target)):
            dead.append(address)
    assert dead == []


@pytest.mark.parametrize("name", PAGES)
def test_every_picture_says_what_it_shows(name):
    assert [str(tag)[:100] for tag in soup(SITE / name).find_all("img") if not tag.get("alt")] == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_stays_small(name):
    """At most 1.5 MB, without the shared scripts and styles."""
    path = SITE / name
    files = {path.parent / tag["src"] for tag in soup(path).find_all("img") if not tag["src"].startswith("data:")}
    assert sum(file.stat().st_size for file in {path, *files}) < 1.5e6
