"""What Chromium makes of the book's pages: the instructors' guide as a PDF, and the preview beside a shared link."""

from playwright.sync_api import sync_playwright
from real_browser import chromium, executable

GUIDE, PREVIEW = "guide.pdf", "_static/preview.png"
# A link on paper is the address of the published page. Where that is not known, its words stay, and nothing else.
PUBLISHED = """(address) => {
  for (const link of document.querySelectorAll("a[href]")) {
    const path = link.getAttribute("href");
    if (/^[a-z]+:|^#/.test(path)) continue;
    if (address) link.href = new URL(path, address);
    else link.removeAttribute("href");
  }
}"""
TRAINED = 5000  # milliseconds after which the playground on the front page has trained


def can_print():
    """Tell whether there is a Chromium."""
    with sync_playwright() as playwright:
        return executable(playwright) is not None


def print_guide(site, address):
    """Print the guide into the folder of the book. address: where the book is published, "" if that is not known."""
    margin = dict.fromkeys(("top", "right", "bottom", "left"), "18mm")
    with chromium() as browser:
        page = browser.new_page(color_scheme="light")
        page.goto((site / "INSTRUCTORS.html").as_uri())
        page.evaluate(PUBLISHED, address)
        page.pdf(path=site / GUIDE, format="A4", margin=margin, tagged=True, outline=True, print_background=True)


def take_preview(site):
    """Take the picture of the front page that others show beside a link to it: 1,200 x 630 pixels, as they want it."""
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1200, "height": 630}, color_scheme="light")
        page.goto((site / "index.html").as_uri())
        page.wait_for_timeout(TRAINED)
        page.add_style_tag(content=".bd-header, .bd-sidebar-secondary { display: none !important; }")
        page.locator(".book-live").evaluate("one => window.scrollTo(0, one.getBoundingClientRect().top - 16)")
        page.screenshot(path=site / PREVIEW)
