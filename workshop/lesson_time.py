"""How long a lesson takes: exercises, predictions, reading, running cells, and a quarter on top.

The first cell of a source says `**Time:** {minutes} minutes.`, or `{minutes} minutes, 2 of them while cells run.`
The build inserts the number. Optional parts do not count, nor does folded text: hints, and notes on solutions.
"""

import math
import re

from seal_predictions import is_prediction

PLACEHOLDER = "{minutes}"
RUNNING = re.compile(r" minutes, (\d+) of them while cells run")
EXERCISE = re.compile(r"^### Exercise: `(\w+)` · (\d+) minutes$", re.M)
LOOK_BACK = re.compile(r"^look_back\(", re.M)
# What nobody reads on the first pass: folds, and lines that hold only links.
UNREAD = re.compile(r"<details>.*?</details>|^\[[^\]]*\]\([^)]*\)(?: · \[[^\]]*\]\([^)]*\))*$", re.S | re.M)
WORDS_A_MINUTE, A_PREDICTION, A_LOOK_BACK, ON_TOP = 150, 0.5, 1, 1.25
STEP = 5  # minutes: announced times are rounded up to a multiple of this


def without_optional(cells):
    """The cells without the optional parts, from "Optional: ..." to the next heading of the same or a higher level."""
    required, optional_level = [], 0
    for cell in cells:
        heading = re.match(r"(#+) (Optional: )?", cell.source) if cell.cell_type == "markdown" else None
        if heading and (not optional_level or len(heading[1]) <= optional_level):
            optional_level = len(heading[1]) if heading[2] else 0
        if not optional_level:
            required.append(cell)
    return required


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
    """The minutes of a lesson, from the cells of the student notebook, not rounded."""
    required = without_optional(cells)
    texts = [cell.source for cell in required if cell.cell_type == "markdown"]
    code = [cell.source for cell in required if cell.cell_type == "code"]
    reading = sum(words(UNREAD.sub("", text)) for text in texts) / WORDS_A_MINUTE
    exercises = sum(int(match[2]) for text in texts for match in EXERCISE.finditer(text))
    predictions = A_PREDICTION * sum(map(is_prediction, code)) + A_LOOK_BACK * any(map(LOOK_BACK.search, code))
    running = sum(int(match[1]) for text in texts for match in RUNNING.finditer(text))
    return ON_TOP * (reading + exercises + predictions + running)


def announced_minutes(cells):
    """The minutes that a lesson announces, rounded up to the next five."""
    return STEP * math.ceil(minutes(cells) / STEP)
