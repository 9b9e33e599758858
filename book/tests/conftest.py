"""The book in a real browser, opened from its files, with the network off. `nox -s book -- --test` builds it first."""

from pathlib import Path
from urllib.parse import quote

import pytest
from real_browser import MISSING, watch
from real_browser import chromium as start

SITE = Path(__file__).resolve().parents[2] / "build" / "book" / "html"
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html") if "_static" not in path.parts)
LESSONS = [page for page in PAGES if page.startswith("notebooks/") and page[10].isdigit()]
QUIET = """() => {
  const widgets = [...document.querySelectorAll('.book-widget')];
  return document.readyState === 'complete' && widgets.every((one) => one.classList.contains('book-alive'));
}"""


@pytest.fixture(scope="session")
def chromium():
    with start() as browser:
        if browser is None:
            pytest.skip(MISSING)
        yield browser


@pytest.fixture
def open_page(chromium):
    """Return a function that opens a page of the book; asserts at the end that no page had errors or network access."""
    opened = []

    def open_at(name, *, size=(1280, 800), **options):
        viewport = {"width": size[0], "height": size[1]}
        context = chromium.new_context(viewport=viewport, offline=True, **options)
        page = context.new_page()
        opened.append((context, *watch(page)))
        page.goto(SITE.as_uri() + "/" + quote(name, safe="/?#[]=,&%:\"'<>()"))
        page.wait_for_function(QUIET)
        return page

    yield open_at
    for context, errors, hosts in opened:
        context.close()
        assert errors == [] and hosts == []
