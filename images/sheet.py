"""Draw the two pages of the sheet, and write the page that says the same: notebooks/sheet.pdf and SHEET.md.

The entries of sheet.toml stand in two columns. Below them stand small pictures and the machine of the course.
"""

import tomllib
from pathlib import Path
from types import SimpleNamespace

import machine
import numpy as np
import style
from matplotlib.colors import to_hex, to_rgb

from course_utils.attention import causal_mask, padding_mask, sinusoidal_positions

ENTRIES = tomllib.loads((Path(__file__).parent / "sheet.toml").read_text(encoding="utf-8"))["entry"]
LESSONS = Path(__file__).resolve().parents[1] / "notebooks" / "source"
HEIGHT = 1273  # A4 at a width of 900
COLUMNS, TOP, STEP = (36, 468), 84, 128
PICTURES_TOP, SIDE = 862, 80  # the small pictures are at most as high
MACHINE = (28, 952, style.WIDTH, 300)
FORMULA = {1: (38,), 2: (29, 56)}  # offsets of the lines of a formula below the heading
CODE = {"family": "DejaVu Sans Mono", "ha": "left"}
TITLES = {1: "Attention", 2: "Learn, read, use"}
STAGES = {1: "machine_04", 2: "machine_11"}  # the stages of the machine below the entries
SENTENCE = " ".join(machine.WORDS)
SMALL = {  # what the small pictures show, in words
    1: (
        "Three small tables, in which a row is a token that looks, and blue marks what it may look at. "
        "With the causal mask these are the token itself and all before it; "
        "with a padding mask of length 4 they are the first four of six keys, in every row. "
        "The third table shows sinusoidal positions: each of its rows is a wave, and each of its columns a token."
    ),
    2: (
        "Three square tables of weights, to scale: 4 tokens have 16 weights, 8 tokens have 64, and 16 tokens have 256. "
        "Twice the tokens are four times the weights."
    ),
}
HEAD = """# All formulas

What the lessons build, formula by formula, in words, with shapes and code.
This page is the accessible version of the [two pages to print](sheet.pdf), and says all that they say.
<!-- Made from images/sheet.toml by nox -s draw: edit that file. -->
"""


def page(number):
    """Return the figure of a page."""
    figure, axes = style.canvas(HEIGHT)
    style.write(axes, COLUMNS[0], 40, TITLES[number], size=17, weight="bold", ha="left")
    style.write(axes, style.WIDTH - COLUMNS[0], 40, f"Learning to Look · {number} of 2", ha="right", color=style.MUTED)
    entries = entries_of(number)
    half = -(-len(entries) // 2)
    for i, entry in enumerate(entries):
        column, row = divmod(i, half)
        write_entry(axes, COLUMNS[column], TOP + STEP * row, entry)
    {1: draw_masks, 2: draw_cost}[number](axes)
    draw_machine(axes, STAGES[number])
    return figure


def entries_of(number):
    return [entry for entry in ENTRIES if entry["page"] == number]


def write_entry(axes, x, y, entry):
    """Write one entry below (x, y): name, formula, shapes, code."""
    style.write(axes, x, y, entry["lesson"], size=12, weight="bold", ha="left", color=style.MUTED)
    style.write(axes, x + 32, y, entry["name"], size=13, weight="bold", ha="left", color=style.QUERY)
    for offset, line in zip(FORMULA[len(entry["formula"])], entry["formula"], strict=True):
        style.write(axes, x + 32, y + offset, f"${line}$", size=14, ha="left", math_fontfamily="dejavuserif")
    style.write(axes, x + 32, y + 83, entry["shapes"], ha="left", color=style.MUTED)
    style.write(axes, x + 32, y + 102, entry["code"], **CODE)


def draw_masks(axes):
    """Draw two masks and the positions, each with its words beside it."""
    positions = (sinusoidal_positions(14, 16)[:, ::2].T + 1) / 2  # (d_model / 2, n), from 0 to 1
    padding = np.repeat(padding_mask([4], 6)[0], 6, axis=0)
    draw_small(axes, 68, causal_mask(6).astype(float), 13, "causal mask:\na row looks\nat what is blue")
    draw_small(axes, 316, padding.astype(float), 13, "padding mask:\nof six keys\nfour are tokens")
    draw_small(axes, 564, positions, 10, "positions:\na row is a wave,\na column a token")


def draw_cost(axes):
    """Draw n times n weights for three lengths, to scale."""
    for x, n in ((68, 4), (228, 8), (408, 16)):
        draw_small(axes, x, np.full((n, n), 0.4), SIDE / 16, f"{n} tokens,\n{n * n} weights")
    style.write(axes, 640, PICTURES_TOP + 30, "twice the tokens:\nfour times the weights", ha="left")


def draw_machine(axes, stage):
    """Draw a stage of the machine at the bottom of a page."""
    machine.draw(stage, axes=style.part(axes, *MACHINE))
    if "block" not in machine.STAGES[stage]["built"]:
        style.write(axes, 658, MACHINE[1] + 26, "what is faint comes in lesson 11", color=style.MUTED)


def draw_small(axes, x, values, size, words):
    """Draw a matrix of numbers from 0 to 1 as cells, with words at its right."""
    rows, columns = np.shape(values)
    top = PICTURES_TOP + (SIDE - rows * size) / 2
    for (i, j), value in np.ndenumerate(values):
        style.cell(axes, x + j * size, top + i * size, size, size, fill=shade(value, style.QUERY))
    middle = PICTURES_TOP + SIDE / 2 - 10 * words.count("\n")
    style.write(axes, x + columns * size + 12, middle, words, ha="left")


def shade(value, colour):
    """Return the tint of a colour: white for 0, the colour itself for 1."""
    return to_hex([1 - value * (1 - part) for part in to_rgb(colour)])


def text():
    """Return the sheet as Markdown, with formulas in words too, because not every screen reader reads formulas."""
    return HEAD + "".join(map(page_text, TITLES))


def page_text(number):
    """Return the entries of a page as Markdown, and what its pictures show."""
    entries = "".join(map(entry_text, entries_of(number)))
    return f"\n## {TITLES[number]}\n{entries}\n### What the pictures of page {number} show\n\n{pictures_text(number)}\n"


def pictures_text(number):
    """Return what the pictures of a page show, in words."""
    return f"{SMALL[number]} {machine_in_words(STAGES[number])}"


def machine_in_words(stage):
    """Return what the machine at the bottom of a page shows."""
    row = f"At the bottom stands the machine of the course, with a row for each word of “{SENTENCE}”."
    return f"{row} {machine.STAGES[stage]['says']}"


def entry_text(entry):
    lesson = next(LESSONS.glob(f"{entry['lesson']}_*.py")).stem
    formulas = "\n\n".join(f"$${line}$$" for line in entry["formula"])
    return (
        f"\n### {entry['name']}\n\n{entry['says']}\n\n{formulas}\n\n"
        f"- Shapes: {entry['shapes']}\n- Code: `{entry['code']}`\n- Lesson: [{lesson}]({lesson}.ipynb)\n"
    )


# As modules that draw one figure: a name, a title, what it shows, and how it is drawn.
PICTURES = [
    SimpleNamespace(
        __name__=f"sheet_{number}",
        TITLE=f"Sheet, page {number}: {TITLES[number]}",
        ALT=f"{first} {pictures_text(number)}",
        draw=lambda number=number: page(number),
    )
    for number, first in (
        (1, "Formulas, shapes and code from the dot product to rotary positions, lessons 01 to 08."),
        (2, "Formulas, shapes and code from the gradient of a softmax to the search by meaning, lessons 09 to 19."),
    )
]
