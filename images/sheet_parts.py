"""What the two pages of the sheet share: the entries of sheet.toml in two columns, above small pictures."""

import tomllib
from pathlib import Path

import style
from matplotlib.colors import to_hex, to_rgb

ENTRIES = tomllib.loads((Path(__file__).parent / "sheet.toml").read_text(encoding="utf-8"))["entry"]
HEIGHT = 1273  # A4 at a width of 900
COLUMNS, TOP, STEP = (36, 468), 92, 140
FORMULA = {1: (44,), 2: (34, 62)}  # offsets of the lines of a formula below the heading
CODE = {"family": "DejaVu Sans Mono", "ha": "left"}


def page(number, title):
    """Return the figure of a page with its title and its entries, and its axes."""
    figure, axes = style.canvas(HEIGHT)
    style.write(axes, COLUMNS[0], 40, title, size=17, weight="bold", ha="left")
    style.write(axes, style.WIDTH - COLUMNS[0], 40, f"Learning to Look · {number} of 2", ha="right", color=style.MUTED)
    entries = [entry for entry in ENTRIES if entry["page"] == number]
    half = -(-len(entries) // 2)
    for i, entry in enumerate(entries):
        column, row = divmod(i, half)
        write_entry(axes, COLUMNS[column], TOP + STEP * row, entry)
    return figure, axes


def write_entry(axes, x, y, entry):
    """Write one entry below (x, y): name, formula, shapes, code."""
    style.write(axes, x, y, entry["lesson"], size=12, weight="bold", ha="left", color=style.MUTED)
    style.write(axes, x + 32, y, entry["name"], size=13, weight="bold", ha="left", color=style.QUERY)
    for offset, line in zip(FORMULA[len(entry["formula"])], entry["formula"], strict=True):
        style.write(axes, x + 32, y + offset, f"${line}$", size=14, ha="left", math_fontfamily="dejavuserif")
    style.write(axes, x + 32, y + 88, entry["shapes"], ha="left", color=style.MUTED)
    style.write(axes, x + 32, y + 109, entry["code"], **CODE)


def matrix(axes, x, y, values, size):
    """Draw a matrix of numbers from 0 to 1 as cells, with the top left corner at (x, y)."""
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            style.cell(axes, x + j * size, y + i * size, size, size, fill=shade(value, style.QUERY))


def shade(value, colour):
    """Return the tint of a colour: white for 0, the colour itself for 1."""
    return to_hex([1 - value * (1 - part) for part in to_rgb(colour)])
