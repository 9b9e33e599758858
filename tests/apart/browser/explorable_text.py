"""How the tests read an explorable: its text version says all that it shows."""


def text(page):
    """The text version of the first explorable of a page."""
    return page.locator(".look-text").first.text_content()
