"""The instructors' guide as a PDF, printed from its page by Chromium."""

from playwright.sync_api import sync_playwright
from real_browser import chromium, executable

GUIDE = "guide.pdf"


def can_print():
    """Tell whether there is a Chromium."""
    with sync_playwright() as playwright:
        return executable(playwright) is not None


def print_guide(site):
    """Print the guide into the folder of the book."""
    margin = dict.fromkeys(("top", "right", "bottom", "left"), "18mm")
    with chromium() as browser:
        page = browser.new_page(color_scheme="light")
        page.goto((site / "INSTRUCTORS.html").as_uri())
        page.pdf(path=site / GUIDE, format="A4", margin=margin, tagged=True, outline=True, print_background=True)
