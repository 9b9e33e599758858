"""References: one bibliography, every key of it used, and every lesson ends with two to four of them."""

import re
from pathlib import Path

import pytest
import references

ROOT = Path(__file__).resolve().parents[1]
GAIN = (ROOT / "docs" / "GAIN.md").read_text(encoding="utf-8")
SOURCES = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "notebooks" / "source").glob("*.py")}
KNOWN = references.read()
every_lesson = pytest.mark.parametrize("name", sorted(SOURCES))


@pytest.mark.parametrize("key", KNOWN)
def test_a_reference_has_an_identifier_and_the_key_of_its_author_and_year(key):
    authors, year, title, address = KNOWN[key]
    assert key == f"{re.match(r'[A-Za-z]+', authors)[0].lower()}{year}"
    assert re.fullmatch(r"https://(arxiv\.org/abs/(\d{4}\.\d{4,5}|[a-z]+/\d{7})|doi\.org/10\..+|[\w.-]+/.+)", address)
    assert len(title.split()) > 1


@every_lesson
def test_a_lesson_ends_with_two_to_four_references_and_a_sentence_on_each(name):
    lines = SOURCES[name].split("# ## Read more\n")[1].split("# %%")[0].splitlines()
    items = [line for line in lines if line.startswith("# - ")]
    assert 2 <= len(items) <= 4
    assert all(re.match(r"# - \[@\w+\](, [^:]*)?: .{20,}", item) for item in items), items


def test_a_reference_without_an_identifier_is_refused(tmp_path):
    path = tmp_path / "references.bib"
    path.write_text("@misc{a2020, author = {A, B}, title = {T}, year = {2020}}", encoding="utf-8")
    with pytest.raises(ValueError, match="a2020 wants"):
        references.read(path)


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
