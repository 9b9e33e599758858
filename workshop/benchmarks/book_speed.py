"""Print how large the pages of the book are and how soon they respond, from disk: bytes, requests, milliseconds.

    nox -s bench -- book

A page is alive when its last explorable runs. Its own bytes are those of the page and its pictures; the scripts and
styles in _static are shared by all pages.
"""

import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "workshop"))

from real_browser import MISSING, chromium  # noqa: E402

SITE = ROOT / "build" / "book" / "html"
RUNS, ALIVE, HEAVY = 5, 2000, 1500  # runs per page; limits in milliseconds and kilobytes
TIMES = "performance.getEntriesByName('alive')[0].startTime"


def main():
    pages = [SITE / "index.html", *sorted((SITE / "notebooks").glob("[01]*.html"))]
    with chromium() as browser:
        if browser is None:
            sys.exit(MISSING)
        rows = [measure(browser, page) for page in pages]
    print(f"goal: {HEAVY} own kB, alive after {ALIVE} ms\n")
    print(f"{'page':<32}{'own kB':>8}{'all kB':>8}{'requests':>10}{'alive after, ms':>17}")
    for page, files, times in rows:
        own = {file for file in files if "/_static/" not in file}
        missed = kilobytes(own) > HEAVY or statistics.median(times) > ALIVE
        figures = f"{kilobytes(own):>8}{kilobytes(files):>8}{len(files):>10}{statistics.median(times):>17.0f}"
        print(f"{page.stem:<32}{figures}{'   missed' * missed}")


def measure(browser, path):
    """Open a page several times in a fresh window. Returns the path, the requested files, and the times."""
    times, files = [], set()
    for _ in range(RUNS):
        context = browser.new_context(offline=True)
        page = context.new_page()
        page.on("request", lambda request: files.add(request.url.partition("#")[0].partition("?")[0]))
        page.goto(path.as_uri())
        times.append(page.evaluate(TIMES))
        context.close()
    return path, {file for file in files if file.startswith("file:")}, times


def kilobytes(files):
    return round(sum(Path(file.removeprefix("file://")).stat().st_size for file in files) / 1000)


if __name__ == "__main__":
    main()
