"""What Chromium makes of the book's pages: the instructors' guide as a PDF, and the preview image of shared links."""

from playwright.sync_api import sync_playwright
from real_browser import chromium, executable

GUIDE, PREVIEW = "guide.pdf", "_static/preview.png"
# On paper, links point to the published pages; if that address is unknown, only their text stays.
RESOLVE_LINKS = """(address) => {
  for (const link of document.querySelectorAll("a[href]")) {
    const path = link.getAttribute("href");
    if (/^[a-z]+:|^#/.test(path)) continue;
    if (address) link.href = new URL(path, address);
    else link.removeAttribute("href");
  }
}"""
TRAINING_MS = 5000  # milliseconds after which the playground on the front page has trained


def can_print():
    """Whether there is a Chromium."""
    with sync_playwright() as playwright:
        return executable(playwright) is not None


def print_guide(site, address):
    """Print the guide into the book's folder. address: where the book is published, "" if unknown."""
    margin = dict.fromkeys(("top", "right", "bottom", "left"), "18mm")
    with chromium() as browser:
        page = browser.new_page(color_scheme="light")
        page.goto((site / "INSTRUCTORS.html").as_uri())
        page.evaluate(RESOLVE_LINKS, address)
        page.pdf(path=site / GUIDE, format="A4", margin=margin, tagged=True, outline=True, print_background=True)


def take_preview(site):
    """Take the preview image of the front page for shared links, 1,200 x 630 pixels."""
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1200, "height": 630}, color_scheme="light")
        page.goto((site / "index.html").as_uri())
        page.wait_for_timeout(TRAINING_MS)
        page.add_style_tag(content=".bd-header, .bd-sidebar-secondary { display: none !important; }")
        page.evaluate("window.scrollTo(0, 0)")
        page.screenshot(path=site / PREVIEW)
