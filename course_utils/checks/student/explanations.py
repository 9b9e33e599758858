"""Reads EXPLANATIONS.md, and explains the misconception behind a mistake in three lines: text, numbers, a section.

A mistake is in the code; a misconception is the idea that led to it. One misconception leads to many mistakes.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import NamedTuple

from course_utils.arrays.arguments import wrong
from pagecheck.words import with_code

FILE = Path(__file__).resolve().parents[1] / "EXPLANATIONS.md"
ENTRY = re.compile(r"(.+)\n\n- ids: (.+)\n- read again: (\d\d_\w+), \*(.+)\*\n\n(.+)", re.S)


class Explanation(NamedTuple):
    """What is offered after two "not yet", in three lines: a misconception, small numbers, and the section to read.

    title, text, lesson and section are empty if the mistake has no known misconception.
    numbers: a function that returns one line about small numbers, "" if there are none; it is only called for display,
    because it runs the student's function. request: HTML of what can be copied for an assistant.
    """

    title: str = ""
    text: str = ""
    lesson: str = ""
    section: str = ""
    numbers: Callable[[], str] = str
    request: str = ""

    def __str__(self):
        title = f"Explain: {self.title}" if self.title else "Explain"
        read = f"Read again: {self.section}, in {self.lesson}." if self.section else ""
        lines = list(filter(None, [self.text, self.numbers(), read]))
        return "\n".join([title, *lines]) if lines else ""

    def html(self) -> str:
        """Return a fold that opens on a click, if there is something to say, and the request below it."""
        link = f'<a href="{self.lesson}.ipynb">{self.lesson}</a>'
        read = f"Read again: <em>{escape(self.section)}</em>, in {link}." if self.section else ""
        parts = list(filter(None, [with_code(self.text), escape(self.numbers()), read]))
        if not parts:
            return self.request
        title = f": {escape(self.title)}" if self.title else ""
        lines = "".join(f"<p>{line}</p>" for line in parts)
        return f"<details><summary><strong>Explain</strong>{title}</summary>{lines}</details>{self.request}"


def explain(mistakes: Sequence[str], numbers: Callable[[], str], request: str) -> Explanation:
    """Return the Explanation of the first of these mistakes that has one, else one with numbers alone.

    numbers: a function that returns a line about the smallest numbers on which the student's function is wrong.
    request: HTML of what can be copied for an assistant.
    """
    explanation = next((EXPLANATIONS[id] for id in mistakes if id in EXPLANATIONS), Explanation())
    return explanation._replace(numbers=cache(numbers), request=request)


def read(path: Path) -> dict[str, Explanation]:
    """Return the explanations of a file by the ids of the mistakes that they explain.

    Raises ValueError, naming the heading, for text that cannot be parsed and for an id that occurs twice.
    """
    explanations = {}
    for part in re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
        location = f"{path.name}, below {part.splitlines()[0]}"
        if not (match := ENTRY.fullmatch(part.strip())):
            raise wrong(location, part[:80], "- ids: `a`, `b`, then - read again: NN_lesson, *section*, then the text")
        title, ids, lesson, section, text = match.groups()
        for id in re.findall(r"`([^`]+)`", ids):
            if id in explanations:
                raise wrong(location, id, "an id that no other explanation has")
            explanations[id] = Explanation(title, " ".join(text.split()), lesson, section)
    return explanations


EXPLANATIONS = read(FILE)
