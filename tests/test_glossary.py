"""The glossary: made from its source, and of one mind with the lessons about what is introduced where."""

import re
from pathlib import Path

import glossary
import pytest
from lesson_time import prose

ROOT = Path(__file__).resolve().parents[1]
TERMS = {term["name"]: term for term in glossary.terms()}
LESSONS = {path.name[:2]: path.read_text(encoding="utf-8") for path in (ROOT / "notebooks" / "source").glob("*.py")}


def test_the_page_is_made_from_its_source():
    assert glossary.PAGE.read_text(encoding="utf-8") == glossary.page()


@pytest.mark.parametrize("name", TERMS)
def test_a_term_has_one_sentence_and_stands_in_its_lesson(name):
    term = TERMS[name]
    assert term.keys() == {"name", "lesson", "symbol", "says", "keras", "pytorch", "papers"}
    assert term["says"].endswith(".") and "|" not in "".join(term.values())
    text = re.sub(r"\s+", " ", prose(LESSONS[term["lesson"]].replace("\n# ", " ")) + LESSONS[term["lesson"]])
    word = re.split(r" \(|, ", name)[0]
    assert re.search(re.escape(word), text, re.I), f"not in lesson {term['lesson']}"
