"""Draw the six pictures of the inventory, for both forms: arrows on a grid, a table of weights, the grid of a mask."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import style

from course_utils.inventory.items import load
from course_utils.pictures import palette

CELL = 46  # pixels of one step of the grid
LIMIT = 8  # the grid reaches from -LIMIT to LIMIT


def numbers_of(name):
    """Return the numbers of the item that shows this picture."""
    return next(item.given for item in load().items.values() if item.picture == name)


def mask_of(numbers):
    """Return the mask of a window (n, n): each word sees itself and `back` words before it."""
    position = np.arange(numbers["words"])
    distance = position[:, None] - position  # (n, n)
    return (distance >= 0) & (distance <= numbers["back"])


def keys_alt(name):
    """Return what a picture of a query and four keys shows, in words."""
    ends = [f"{key} ends at ({x}, {y})".replace("-", "−") for key, (x, y) in numbers_of(name).items()]
    return f"Arrows from the origin of a grid. The query {ends[0]}. Of the keys, {'; '.join(ends[1:])}."


def draw_keys(name):
    """Return the figure of a query and four keys, which start at the origin of a grid."""
    figure, axes = style.canvas(2 * CELL * LIMIT + 110)
    middle = np.array([style.WIDTH / 2, CELL * LIMIT + 55])
    for step in range(-LIMIT, LIMIT + 1):
        ends = np.array([[step, -LIMIT], [step, LIMIT]]) * CELL
        for line in (ends, ends[:, ::-1]):
            x, y = (middle + line).T
            axes.plot(
                x, y, color=style.INK if step == 0 else palette.FAINT, linewidth=1.2 if step == 0 else 0.8, zorder=0
            )
    for step in (*range(-LIMIT, 0, 2), *range(2, LIMIT + 1, 2)):
        words = f"{step}".replace("-", "−")
        style.write(axes, middle[0] + CELL * step, middle[1] + CELL * LIMIT + 26, words, size=18, color=style.MUTED)
        style.write(axes, middle[0] - CELL * LIMIT - 28, middle[1] - CELL * step, words, size=18, color=style.MUTED)
    arrows = {key: np.array(vector) * (1, -1) for key, vector in numbers_of(name).items()}  # y points down in pixels
    for key in arrows:
        draw_arrow(axes, middle, key, arrows)
    return figure


def draw_arrow(axes, middle, key, arrows):
    """Draw one arrow with its name; the query is blue and wider."""
    query, vector = key == "q", arrows[key]
    colour, width = (style.QUERY, 4) if query else (style.RING, 2.5)
    style.arrow(axes, middle, middle + CELL * vector, color=colour, width=width, head=18, zorder=2 if query else 3)
    label = middle + CELL * vector + label_offset(key, arrows)
    style.write(axes, *label, key, size=24, weight="bold", color=style.QUERY if query else style.INK)


def label_offset(key, arrows):
    """Return the offset (2,) of a label from the tip in pixels: ahead, or to the side where q continues ahead."""
    forward = arrows[key] / np.linalg.norm(arrows[key])
    across = np.array([forward[1], -forward[0]])
    if key == "q" or abs(across @ arrows["q"]) > 1e-9 or forward @ arrows["q"] < 0:
        return 32 * forward
    others = sum(arrows[other] @ across for other in arrows if 0 < arrows[other] @ forward < 8)
    return 34 * across * (-1 if others < 0 else 1)


def table_alt(name):
    """Return what a table of weights shows, in words."""
    numbers = numbers_of(name)
    words, weights = numbers["words"], numbers["weights"]
    rows = [f"{word}: {', '.join(map(str, row))}" for word, row in zip(words, weights, strict=True)]
    order = f"a row for each query and a column for each key, in the order {', '.join(words)}"
    return f"A table of weights, {order}. Rows: {'; '.join(rows)}."


def draw_table(name):
    """Return the figure of a table of weights."""
    numbers, size, left, top = numbers_of(name), 150, 330, 110
    figure, axes = style.canvas(top + 3 * size + 24)
    style.write(axes, left + 1.5 * size, 30, "key", size=24, weight="bold")
    style.write(axes, left - 240, top + 1.5 * size, "query", size=24, weight="bold")
    for i, word in enumerate(numbers["words"]):
        style.write(axes, left + (i + 0.5) * size, 80, word, size=24)
        style.write(axes, left - 20, top + (i + 0.5) * size, word, size=24, ha="right")
        for j, weight in enumerate(numbers["weights"][i]):
            style.cell(axes, left + j * size, top + i * size, size, size)
            style.write(axes, left + (j + 0.5) * size, top + (i + 0.5) * size, f"{weight}", size=30)
    return figure


def mask_alt(name):
    """Return what the grid of a mask shows, in words."""
    seen = [", ".join(map(str, np.flatnonzero(row) + 1)) for row in mask_of(numbers_of(name))]
    rows = [f"{i} may look at {keys}" for i, keys in enumerate(seen, 1)]
    what = "a row for each query word, a column for each key word, dark where it may look"
    return f"A grid: {what}. Query {'; '.join(rows)}."


def draw_mask(name):
    """Return the figure of a mask: dark where a query may look at a key."""
    mask = mask_of(numbers_of(name))
    n = len(mask)
    size, left, top = 540 // n, 330, 110
    figure, axes = style.canvas(top + n * size + 70)
    style.write(axes, left + n * size / 2, 30, "key: the word that is looked at", size=22, weight="bold")
    style.write(axes, left - 190, top + n * size / 2, "query:\nthe word\nthat looks", size=22, weight="bold")
    for i, row in enumerate(mask):
        style.write(axes, left + (i + 0.5) * size, 80, f"{i + 1}", size=24)
        style.write(axes, left - 30, top + (i + 0.5) * size, f"{i + 1}", size=24)
        for j, allowed in enumerate(row):
            style.cell(axes, left + j * size, top + i * size, size, size, fill=style.QUERY if allowed else style.PAPER)
    style.write(axes, left + n * size / 2, top + n * size + 36, "dark: may look", size=22)
    return figure


KINDS = {
    "four_keys": ("A query and four keys", keys_alt, draw_keys),
    "weights_table": ("The weights of three words", table_alt, draw_table),
    "mask_grid": ("A mask: who may look at whom", mask_alt, draw_mask),
}
# As modules that draw one figure: a name, a title, what it shows, and how it is drawn.
PICTURES = [
    SimpleNamespace(__name__=name, TITLE=title, ALT=alt(name), draw=partial(draw, name))
    for kind, (title, alt, draw) in KINDS.items()
    for name in (f"{kind}_a", f"{kind}_b")
]
