"""Reads EXPLANATIONS.md, and explains what is behind a mistake, on numbers of the student's own function.

A mistake is what stands in the code; a misconception is the picture that made somebody write it. One misconception is
behind many mistakes.
"""

import re
from functools import cache
from pathlib import Path

from course_utils.arguments import wrong
from course_utils.checks.engine.verdict import Explanation
from course_utils.checks.exercises import lesson_of

FILE = Path(__file__).resolve().parents[1] / "EXPLANATIONS.md"
HEAD = re.compile(r"(.+)\n\n- ids: (.+)\n- read again: (\d\d_\w+), \*(.+)\*\n\n(.+)", re.S)


def explain(name, mistakes, numbers):
    """Return the Explanation of the first of these mistakes that has one; without one, an Explanation of numbers alone.

    name: of the exercise. numbers: a function that gives lines about the smallest numbers on which the student's own
    function and a right one differ.
    """
    behind = next((EXPLANATIONS[id] for id in mistakes if id in EXPLANATIONS), Explanation())
    again = not behind.lesson or behind.lesson[:2] <= lesson_of(name)
    return behind._replace(numbers=cache(numbers), again=again)


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
