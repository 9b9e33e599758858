"""Reads EXPLANATIONS.md, and explains what is behind a mistake in three lines: a picture, numbers, a section.

A mistake is what stands in the code; a misconception is the picture that made somebody write it. One misconception is
behind many mistakes.
"""

import re
from collections.abc import Callable
from functools import cache
from html import escape
from pathlib import Path
from typing import NamedTuple

from course_utils.arguments import wrong
from pagecheck.words import with_code

FILE = Path(__file__).resolve().parents[1] / "EXPLANATIONS.md"
HEAD = re.compile(r"(.+)\n\n- ids: (.+)\n- read again: (\d\d_\w+), \*(.+)\*\n\n(.+)", re.S)


class Explanation(NamedTuple):
    """What is offered after two "not yet", in three lines: a misconception, small numbers, and the section to read.

    title, text, lesson and section are empty where no misconception is behind the mistake.
    numbers: a function that gives one line about small numbers, "" where there are none; it is called when the line is
    shown, because it runs the student's function.
    """

    title: str = ""
    text: str = ""
    lesson: str = ""
    section: str = ""
    numbers: Callable[[], str] = str

    def __str__(self):
        title = f"Explain: {self.title}" if self.title else "Explain"
        read = f"Read again: {self.section}, in {self.lesson}." if self.section else ""
        said = list(filter(None, [self.text, self.numbers(), read]))
        return "\n".join([title, *said]) if said else ""

    def html(self):
        """A fold, open when it is clicked; nothing where there is nothing to say."""
        link = f'<a href="{self.lesson}.ipynb">{self.lesson}</a>'
        read = f"Read again: <em>{escape(self.section)}</em>, in {link}." if self.section else ""
        said = list(filter(None, [with_code(self.text), escape(self.numbers()), read]))
        if not said:
            return ""
        title = f": {escape(self.title)}" if self.title else ""
        lines = "".join(f"<p>{line}</p>" for line in said)
        return f"<details><summary><strong>Explain</strong>{title}</summary>{lines}</details>"


def explain(name, mistakes, numbers):
    """Return the Explanation of the first of these mistakes that has one; without one, an Explanation of numbers alone.

    numbers: a function that gives a line about the smallest numbers on which the student's own function and a right one
    differ.
    """
    behind = next((EXPLANATIONS[id] for id in mistakes if id in EXPLANATIONS), Explanation())
    return behind._replace(numbers=cache(numbers))


def read(path) -> dict[str, Explanation]:
    """Return the explanations of a file by the ids of the mistakes that they are behind.

    Raises ValueError with the heading below which something cannot be read, and for an id that comes twice.
    """
    found = {}
    for part in re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
        where = f"{path.name}, below {part.splitlines()[0]}"
        if not (head := HEAD.fullmatch(part.strip())):
            raise wrong(where, part[:80], "- ids: `a`, `b`, then - read again: NN_lesson, *section*, then the text")
        title, ids, lesson, section, text = head.groups()
        for id in re.findall(r"`([^`]+)`", ids):
            if id in found:
                raise wrong(where, id, "an id that no other explanation has")
            found[id] = Explanation(title, " ".join(text.split()), lesson, section)
    return found


EXPLANATIONS = read(FILE)
