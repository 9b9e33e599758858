"""On paper nothing is lost: a lesson and the guide are there to their last line, and a link leads to no file."""

import re

import pytest

from conftest import LESSONS, SITE

LAST_LINK = "[...document.querySelectorAll('article.bd-article a[href]')].at(-1).href"
LINKS = re.compile(rb"/URI \((.*?)\)")


@pytest.mark.parametrize("name", [*LESSONS, "INSTRUCTORS.html"])
def test_a_page_is_printed_to_its_end(open_page, name):
    page = open_page(name)
    assert page.evaluate(LAST_LINK).encode() in LINKS.findall(page.pdf(format="A4"))


def test_the_guide_is_printed_to_its_end_and_leads_to_no_file_of_the_machine_that_built_it():
    found = (SITE / "guide.pdf").read_bytes()
    assert b"When something fails" in found  # its outline
    assert [link for link in LINKS.findall(found) if link.startswith(b"file:")] == []
