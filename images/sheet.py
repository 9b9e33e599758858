"""Draw the two pages of the sheet: the entries of sheet.toml in two columns, above small pictures."""

import tomllib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import style
from matplotlib.colors import to_hex, to_rgb

from course_utils.attention import causal_mask, padding_mask, sinusoidal_positions, softmax

ENTRIES = tomllib.loads((Path(__file__).parent / "sheet.toml").read_text(encoding="utf-8"))["entry"]
HEIGHT = 1273  # A4 at a width of 900
COLUMNS, TOP, STEP = (36, 468), 92, 140
PICTURES_TOP = 944  # of the first page
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


def attention_page():
    """Return the first page: attention, from the dot product to positions."""
    figure, axes = page(1, "Attention")
    scores = np.array([[2.0, 0.5, 0, 0], [0.3, 1.0, 2.2, 0], [0, 1.8, 0.6, 0.2], [0.4, 0.4, 0.4, 2.0]])  # (n, n)
    positions = (sinusoidal_positions(16, 16)[:, ::2].T + 1) / 2  # (d_model / 2, n), from 0 to 1
    pictures = {
        "weights: each row\nsums to 1": (softmax(scores), 26),
        "causal mask: blue\nmay be looked at": (causal_mask(6).astype(float), 18),
        "padding mask: of six\nkeys four are tokens": (np.repeat(padding_mask([4], 6)[0], 6, axis=0).astype(float), 18),
        "positions: a row is a\nwave, a column a token": (positions, 11),
    }
    for i, (words, (values, size)) in enumerate(pictures.items()):
        x = 68 + 210 * i
        matrix(axes, x, PICTURES_TOP, values, size)
        style.write(axes, x, PICTURES_TOP + 130, words, ha="left")
    draw_steps(axes)
    return figure


def draw_steps(axes):
    """Draw the way from the tokens to the output, with the shape below each step."""
    steps = [("X", "(n, d_model)"), ("Q, K, V", "(n, d_k), (n, d_v)"), ("scores", "(n, n)"), ("weights", "(n, n)")]
    steps.append(("output", "(n, d_v)"))
    for i, (name, shape) in enumerate(steps):
        x = 40 + 168 * i
        style.box(axes, x, 1130, 128, 62, fill=style.PANEL)
        style.write(axes, x + 64, 1150, name, size=13, weight="bold")
        style.write(axes, x + 64, 1174, shape.replace("(n, d_k), (n, d_v)", "(n, d_k)"), color=style.MUTED)
        if i:
            style.arrow(axes, (x - 38, 1161), (x - 3, 1161))
    for i, words in enumerate(("three matrices", "dot products, / √d_k", "mask, softmax", "mix the values")):
        style.write(axes, 188 + 168 * i, 1212 + 22 * (i % 2), words)


def learning_page():
    """Return the second page: learning where to look, reading a look, using it."""
    figure, axes = page(2, "Learn, read, use")
    draw_block(axes)
    draw_cost(axes)
    return figure


def draw_block(axes):
    """Draw the block: two parts, each preceded by a norm and bypassed by a residual connection."""
    y = 1004
    for x, name in ((96, "norm"), (212, "attention"), (440, "norm"), (556, "feed-forward")):
        style.box(axes, x, y - 24, 100 if name != "feed-forward" else 124, 48, fill=style.PANEL)
        style.write(axes, x + (50 if name != "feed-forward" else 62), y, name)
    for x, plus in ((36, False), (372, True), (740, True)):
        if plus:
            style.dot(axes, x, y, 15, style.PAPER, style.INK)
            style.write(axes, x, y, "+", size=14)
    arrows = ((56, 94), (196, 210), (312, 355), (388, 438), (540, 554), (680, 723), (756, 800))
    for start, end in arrows:
        style.arrow(axes, (start, y), (end, y))
    style.write(axes, 40, y, "X", size=14, weight="bold")
    style.write(axes, 820, y, "X", size=14, weight="bold")
    for start, end in ((66, 372), (404, 740)):
        for line in (((start, y), (start, y - 54)), ((start, y - 54), (end, y - 54))):
            axes.plot(*zip(*line, strict=True), color=style.INK, linewidth=2, zorder=2)
        style.arrow(axes, (end, y - 54), (end, y - 16))
    style.write(axes, 219, y + 46, "residual connections lead around both parts", ha="left", color=style.MUTED)


def draw_cost(axes):
    """Draw n times n weights for three lengths, to scale."""
    for i, n in enumerate((4, 8, 16)):
        x = 68 + 210 * i
        matrix(axes, x, 1088, np.full((n, n), 0.4), 8)
        style.write(axes, x, 1088 + 8 * 16 + 20, f"{n} tokens, {n * n} weights", ha="left")
    style.write(axes, 640, 1140, "twice the tokens:\nfour times the weights", ha="left")


# As modules that draw one figure: a name, a title, what it shows, and how it is drawn.
PICTURES = [
    SimpleNamespace(
        __name__="sheet_1",
        TITLE="Sheet, page 1: attention",
        ALT=(
            "Formulas, shapes and code from the dot product to rotary positions, lessons 01 to 08. "
            "Below them four pictures: weights whose rows sum to 1, "
            "a causal mask, a padding mask, and the waves of sinusoidal positions."
        ),
        draw=attention_page,
    ),
    SimpleNamespace(
        __name__="sheet_2",
        TITLE="Sheet, page 2: learn, read, use",
        ALT=(
            "Formulas, shapes and code from the gradient of a softmax to the search by meaning, lessons 09 to 19. "
            "Below them two pictures: a block with its two residual connections, "
            "and how cost grows with the number of tokens."
        ),
        draw=learning_page,
    ),
]
