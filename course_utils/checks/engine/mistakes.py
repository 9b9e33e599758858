"""What is said of each mistake, as the pages of the exercises say it.

A page is read when it is needed: a check reads its own, and all of them only for an id that stands somewhere else.
"""

from functools import cache
from pathlib import Path

from course_utils.checks.engine.page import Page, Words, read, words_of

FOLDER = Path(__file__).resolve().parents[1] / "exercises"
SHARED = "shared"  # the page of what several exercises say, and of what the check finds by itself
_read_so_far = {}  # id -> Words


@cache
def page_of(name) -> Page:
    """Return the page of this name."""
    page = read(FOLDER / f"{name}.md")
    found = {entry.id: entry.sentences for entry in page.entries if len(entry.sentences) == 2}
    _read_so_far.update({id: Words(*sentences, page=name) for id, sentences in found.items()})
    return page


def mistake(id) -> Words:
    """Return what is said of a mistake. Raises KeyError for an id that no page has."""
    if id not in _read_so_far:
        page_of(SHARED)
    return _read_so_far[id] if id in _read_so_far else mistakes()[id]


@cache
def mistakes() -> dict[str, Words]:
    """Return all mistakes by their ids, the shared ones first. Reads every page."""
    names = sorted((path.stem for path in FOLDER.glob("*.md")), key=lambda name: (name != SHARED, name))
    return words_of(map(page_of, names))
