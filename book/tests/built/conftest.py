"""The book in a real browser, opened from its files, with the network off. `nox -s book -- --test` builds it first."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from real_browser import watch

SITE = Path(__file__).resolve().parents[3] / "build" / "book" / "html"
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html") if "_static" not in path.parts)
LESSONS = [page for page in PAGES if page.startswith("notebooks/") and page[10].isdigit()]
ALIVE = "[...document.querySelectorAll('.book-widget')].every((one) => one.classList.contains('book-alive'))"
QUIET = f"document.readyState === 'complete' && {ALIVE}"
READABLE = f"performance.getEntriesByName('first-contentful-paint').length && {ALIVE}"
# How far a page has moved by itself.
SHIFT = """() => new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries()
  .filter((one) => !one.hadRecentInput).reduce((sum, one) => sum + one.value, 0)))
  .observe({ type: 'layout-shift', buffered: true }) || setTimeout(resolve, 500, 0))"""


@pytest.fixture
def open_page(chromium):
    """Return a function that opens a page of the book; asserts at the end that no page had errors or network access.

    late: its pictures arrive once the page can already be read, as from a slow server.
    """
    opened = []

    def open_at(name, *, size=(1280, 800), late=False, **options):
        viewport = {"width": size[0], "height": size[1]}
        context = chromium.new_context(viewport=viewport, offline=True, **options)
        page = context.new_page()
        opened.append((context, *watch(page)))
        pictures = []
        if late:
            page.route(re.compile(r"\.(svg|png)$"), lambda picture: pictures.append(picture))
        page.goto(SITE.as_uri() + "/" + quote(name, safe="/?#[]=,&%:\"'<>()"), wait_until="commit")
        if late:
            page.wait_for_function(READABLE)
            for picture in pictures:
                picture.continue_()
            page.unroute_all()
        page.wait_for_function(QUIET)
        return page

    yield open_at
    for context, errors, hosts in opened:
        context.close()
        assert errors == [] and hosts == []
