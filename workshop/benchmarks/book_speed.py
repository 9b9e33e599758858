"""Print how large the pages of the book are and how soon they respond, from disk: bytes, requests, milliseconds.

    nox -s bench -- book

A page is alive when its last explorable runs. Its own bytes are those of the page and its pictures; the scripts and
styles in _static are shared by all pages.
"""

import statistics
import sys
from pathlib import Path

from timing import ROOT, print_row

sys.path.append(str(ROOT / "workshop"))

from real_browser import MISSING, chromium

SITE = ROOT / "build" / "book" / "html"


def main():
    with chromium() as browser:
        if browser is None:
            sys.exit(MISSING)
        for page in [SITE / "index.html", *sorted((SITE / "notebooks").glob("[0-9]*.html"))]:
            files, times = measure(browser, page)
            print_row(f"{page.stem}: alive", statistics.median(times), "ms", 2000)
            print_row("  its own bytes", kilobytes(file for file in files if "/_static/" not in file), "kB", 1500)
            print_row(f"  all, in {len(files)} requests", kilobytes(files), "kB")


def measure(browser, path):
    """Open a page five times in a fresh window. Returns the requested files, and the times."""
    times, files = [], set()
    for _ in range(5):
        context = browser.new_context(offline=True)
        page = context.new_page()
        page.on("request", lambda request: files.add(request.url.partition("#")[0].partition("?")[0]))
        page.goto(path.as_uri())
        times.append(page.evaluate("performance.getEntriesByName('alive')[0].startTime"))
        context.close()
    return {file for file in files if file.startswith("file:")}, times


def kilobytes(files):
    return sum(Path(file.removeprefix("file://")).stat().st_size for file in files) / 1000


if __name__ == "__main__":
    main()
