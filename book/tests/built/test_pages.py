"""Every page of the book: no external requests, errors, axe-core violations or dead links, and printed to its end."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup
from pypdf import PdfReader

from conftest import LESSONS, PAGES, SHIFT, SITE

SOURCES = Path(__file__).resolve().parents[3] / "notebooks" / "source"
LARGEST = 1.5e6  # bytes, without the shared scripts and styles
CUT_OFF = "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"
# What scrolls sideways, but for what is a line or a table by nature and scrolls in its own place.
SIDEWAYS = """() => [...document.querySelectorAll('*')].filter((one) => one.scrollWidth > one.clientWidth + 1
  && (one === document.scrollingElement || ['auto', 'scroll'].includes(getComputedStyle(one).overflowX))
  && !one.matches('pre, mjx-container, .pst-scrollable-table-container, .plot-table, .look-scroll, .text_html'))
  .map((one) => `${one.tagName} ${one.className} ${one.scrollWidth} of ${one.clientWidth}`)"""
SET = "Promise.all([document.fonts.ready, window.MathJax?.startup.promise])"  # the type
IN_THEME = """(scheme) => (document.documentElement.dataset.theme ?? scheme) === scheme
  && !document.getAnimations().length"""
OUTSIDE = "all => all.filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.outerHTML)"
LAST_LINK = "[...document.querySelectorAll('article.bd-article a[href]')].at(-1).href"
PDF_LINKS = re.compile(rb"/URI \((.*?)\)")


def test_the_book_has_every_lesson_and_what_goes_with_them():
    around = "index", "start", "INSTRUCTORS", "docs/CLAIMS", "notebooks/GLOSSARY", "notebooks/SHEET", "api/attention"
    assert {f"{name}.html" for name in around} <= set(PAGES)
    assert [f"notebooks/{source.stem}.html" for source in sorted(SOURCES.glob("*.py"))] == LESSONS


def test_the_guide_is_printed_to_its_end_and_leads_to_no_file_of_the_machine_that_built_it():
    guide = (SITE / "guide.pdf").read_bytes()
    assert b"When something fails" in guide  # its outline
    assert [link for link in PDF_LINKS.findall(guide) if link.startswith(b"file:")] == []


def test_every_pdf_has_a_title_and_a_language_and_the_guide_is_tagged():
    for path in SITE.rglob("*.pdf"):
        reader = PdfReader(path)
        assert reader.metadata.title and reader.trailer["/Root"]["/Lang"].startswith("en"), path.name
    root = PdfReader(SITE / "guide.pdf").trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"] and {"/H1", "/H2", "/P", "/TH"} <= set(tags(root["/StructTreeRoot"]))


def tags(node):
    """Yield the tags of a PDF below one of them, in reading order."""
    children = node.get("/K", [])
    for child in children if isinstance(children, list) else [children]:
        child = child.get_object()
        if isinstance(child, dict) and "/S" in child:
            yield child["/S"]
            yield from tags(child)


def test_a_double_quotation_mark_has_room_of_its_own(open_page):
    page = open_page("index.html")
    one, two = page.evaluate("""() => ["\u2018", "\u201c"].map((mark) => {
      const pen = Object.assign(document.createElement("canvas").getContext("2d"), { font: "64px 'Source Serif'" });
      return pen.measureText(mark).width; })""")
    assert two > 1.5 * one


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["wide", "phone"])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_jumps_axe_finds_no_barrier_and_at_four_hundred_per_cent_a_page_scrolls_one_way(open_page, name, size):
    page = open_page(name, size=size, late=True)
    page.evaluate(SET)
    assert page.evaluate(SHIFT) < 0.05
    page.evaluate("document.querySelectorAll('.bd-article details').forEach((one) => (one.open = true))")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(IN_THEME, arg=scheme)
        violations = Axe().run(page, options={"resultTypes": ["violations"], "preload": False}).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"][:200], len(one["nodes"])) for one in violations] == [], scheme
    if size[0] == 390:
        page.set_viewport_size({"width": 320, "height": 256})  # as when a reader zooms in
        page.wait_for_timeout(200)
        assert page.evaluate(SIDEWAYS) == []


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_whole_on_a_projector_on_a_phone_and_on_paper(open_page, name):
    page = open_page(name, size=(1024, 768))
    page.evaluate("MathJax.startup.promise")
    page.wait_for_timeout(100)
    assert page.locator("mjx-container[display]").evaluate_all(CUT_OFF) == []
    assert page.evaluate(LAST_LINK).encode() in PDF_LINKS.findall(page.pdf(format="A4"))
    phone = open_page(name, size=(390, 844))
    assert phone.locator(".look-cut-heads .look-asker, .prev-next-area *").evaluate_all(OUTSIDE) == []


@cache
def soup(path):
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


@cache
def anchors(path):
    return {"", *(tag["id"] for tag in soup(path).find_all(id=True))}


def leads_somewhere(path, address):
    """Whether an address on a page is outside of the book, or a file of it with this anchor."""
    file, anchor = map(unquote, urldefrag(address))
    target = (path.parent / file.partition("?")[0]).resolve() if file else path
    is_inside = not re.match(r"[a-z]+:|//", address)
    return not is_inside or (target.is_file() and (target.suffix != ".html" or anchor in anchors(target)))


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere_pictures_say_what_they_show_and_a_page_stays_small(name):
    path, pictures = SITE / name, soup(SITE / name).find_all("img")
    addresses = [tag.get("href") or tag.get("src") for tag in soup(path).find_all(["a", "img", "script", "link"])]
    assert [address for address in filter(None, addresses) if not leads_somewhere(path, address)] == []
    assert [str(tag)[:100] for tag in pictures if not tag.get("alt")] == []
    assert soup(path).select("img[src$='.svg']:not(.book-drawing img)") == []  # so that it is dark, or tall
    files = {path.parent / tag["src"] for tag in pictures if not tag["src"].startswith("data:")}
    assert sum(file.stat().st_size for file in {path, *files}) < LARGEST
