"""Draw the second page of the sheet: learning where to look, reading a look, using it."""

import numpy as np
import sheet_parts
import style

TITLE = "Sheet, page 2: learn, read, use"
ALT = (
    "Formulas, shapes and code from the gradient of a softmax to the search by meaning, lessons 09 to 18. Below them "
    "two pictures: a block with its two residual connections, and how cost grows with the number of tokens."
)


def draw():
    """Return the figure of the page."""
    figure, axes = sheet_parts.page(2, "Learn, read, use")
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
        sheet_parts.matrix(axes, x, 1088, np.full((n, n), 0.4), 8)
        style.write(axes, x, 1088 + 8 * 16 + 20, f"{n} tokens, {n * n} weights", ha="left")
    style.write(axes, 640, 1140, "twice the tokens:\nfour times the weights", ha="left")
