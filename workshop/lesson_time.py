"""How long a lesson takes: its exercises, its predictions, reading, the cells that run, and a quarter on top.

The first cell of a source says `**Time:** {minutes} minutes.`, or `{minutes} minutes, 2 of them while cells run.`
The build puts the number there. Optional parts do not count, nor does what is folded: hints, and notes on solutions.
"""

import math
import re

from seal_predictions import is_prediction

PLACE = "{minutes}"
RUNNING = re.compile(r" minutes, (\d+) of them while cells run")
EXERCISE = re.compile(r"^### Exercise: `(\w+)` · (\d+) minutes$", re.M)
LOOK_BACK = re.compile(r"^look_back\(", re.M)
# What nobody reads on the way through: folds, and lines of links alone.
UNREAD = re.compile(r"<details>.*?</details>|^\[[^\]]*\]\([^)]*\)(?: · \[[^\]]*\]\([^)]*\))*$", re.S | re.M)
WORDS_A_MINUTE, A_PREDICTION, A_LOOK_BACK, ON_TOP = 150, 0.5, 1, 1.25
STEP = 5  # minutes: a lesson is announced in steps of five, rounded up


def without_optional(cells):
    """The cells without the optional parts, from "Optional: ..." to the next heading of its level or above."""
    kept, inside = [], 0
    for cell in cells:
        heading = re.match(r"(#+) (Optional: )?", cell.source) if cell.cell_type == "markdown" else None
        if heading and (not inside or len(heading[1]) <= inside):
            inside = len(heading[1]) if heading[2] else 0
        if not inside:
            kept.append(cell)
    return kept


def prose(source):
    """Markdown without code, formulas, link targets and tags: what a student reads.

    >>> prose("See [the page](a.md): `x @ y` is $x$.")
    'See [the page]:  x  is  x .'
    """
    source = re.sub(r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$", " x ", source, flags=re.S)
    return re.sub(r"<[^>]*>", " ", re.sub(r"\]\([^)]*\)", "]", source))


def words(source):
    """The number of words of a Markdown text."""
    return sum(bool(re.search(r"\w", word)) for word in prose(source).split())


def minutes(cells):
    """The minutes of a lesson, from the cells of its student's notebook, not rounded."""
    kept = without_optional(cells)
    texts = [cell.source for cell in kept if cell.cell_type == "markdown"]
    code = [cell.source for cell in kept if cell.cell_type == "code"]
    reading = sum(words(UNREAD.sub("", text)) for text in texts) / WORDS_A_MINUTE
    exercises = sum(int(found[2]) for text in texts for found in EXERCISE.finditer(text))
    asked = A_PREDICTION * sum(map(is_prediction, code)) + A_LOOK_BACK * any(map(LOOK_BACK.search, code))
    running = sum(int(found[1]) for text in texts for found in RUNNING.finditer(text))
    return ON_TOP * (reading + exercises + asked + running)


def announced(cells):
    """The minutes that a lesson announces: those of its cells, rounded up to the next five."""
    return STEP * math.ceil(minutes(cells) / STEP)
