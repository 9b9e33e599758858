"""References: what the bibliography gives to the lessons."""

import re
from pathlib import Path

import pytest
import references

ROOT = Path(__file__).resolve().parents[2]
KNOWN = references.read()


@pytest.mark.parametrize("key", KNOWN)
def test_a_reference_has_an_identifier_and_the_key_of_its_author_and_year(key):
    authors, year, title, address = KNOWN[key]
    assert key == f"{re.match(r'[A-Za-z]+', authors)[0].lower()}{year}"
    assert re.fullmatch(r"https://(arxiv\.org/abs/(\d{4}\.\d{4,5}|[a-z]+/\d{7})|doi\.org/10\..+|[\w.-]+/.+)", address)
    assert len(title.split()) > 1


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ("Ba, Jimmy Lei", "Ba"),
        ("Jain, Sarthak and {van der} Maaten, Laurens", "Jain and van der Maaten"),
        ("Ba, Jimmy Lei and Kiros, Jamie Ryan and Hinton, Geoffrey", "Ba et al."),
        ("Ba, Jimmy Lei and others", "Ba et al."),
    ],
)
def test_one_author_or_two_are_named_and_more_are_not(tmp_path, listed, said):
    path = tmp_path / "references.bib"
    entry = f"@misc{{a2020, author = {{{listed}}}, title = {{T}}, year = {{2020}}, url = {{https://a.org/b}}}}"
    path.write_text(entry, encoding="utf-8")
    assert references.read(path)["a2020"].authors == said
