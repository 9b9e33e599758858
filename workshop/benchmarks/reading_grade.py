"""The reading grade of each lesson: the school year in which its prose can be read (Flesch and Kincaid 1975).

Code, formulas, headings, tables and folded hints do not count. Syllables are counted by hyphenation points.
"""

import re
from pathlib import Path

import jupytext
import pyphen
from lesson_time import prose

SOURCES = sorted((Path(__file__).resolve().parents[2] / "notebooks" / "source").glob("*.py"))
GOAL = 9
HYPHENATION = pyphen.Pyphen(lang="en_US")


def grade(text):
    """Return the Flesch-Kincaid grade of a text with one sentence per line.

    >>> round(grade("The cat sat on the mat."), 1)
    -1.4
    """
    sentences = [words for line in text.splitlines() if (words := re.findall(r"[A-Za-z]+", line))]
    words = [word for sentence in sentences for word in sentence]
    syllables = sum(len(HYPHENATION.positions(word)) + 1 for word in words)
    return 0.39 * len(words) / len(sentences) + 11.8 * syllables / len(words) - 15.59


def read_text(source):
    """Return the prose of a lesson, one sentence per line."""
    cells = jupytext.read(source, fmt="py:percent").cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    text = re.sub(r"<details>.*?</details>", "", text, flags=re.S)
    text = re.sub(r"^(#|\|).*$", "", text, flags=re.M)
    return prose(text)


def figures():
    """The reading grade of each lesson."""
    for source in SOURCES:
        yield f"reading grade {source.stem}", grade(read_text(source)), "", GOAL
