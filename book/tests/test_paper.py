"""Printed lessons and the guide are complete, and their links lead to no local file."""

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
    guide = (SITE / "guide.pdf").read_bytes()
    assert b"When something fails" in guide  # its outline
    assert [link for link in LINKS.findall(guide) if link.startswith(b"file:")] == []
