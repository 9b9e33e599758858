"""Draw the library look-up: a request meets every index entry, and every book gives a share of its content.

On a wide page it runs from left to right, and the books lie; on a phone it runs from top to bottom, and they stand.
"""

from functools import partial
from types import SimpleNamespace

import numpy as np
import style
from matplotlib.path import Path as Line

from course_utils.attention import scaled_dot_product_attention

TITLE = "The soft look-up in a library"
ALT = (
    "A reader's request, the query, is compared with the index entries, the keys, on four book spines. Arrows from the "
    "contents, the values, flow into one output. The better the key fits, the thicker the arrow: the weight. "
    "All weights sum to 1."
)

TOPICS = ("food", "past", "space")
QUERY = np.array([[2.0, 3.0, 0.0]])  # (1, d_k): how much the request asks for each topic
BOOKS = {  # content: how much of each topic the index entry names, (d_k,)
    "bread recipes": (1, 0, 0),
    "Roman bakeries": (1, 1, 0),
    "Roman emperors": (0, 1, 0),
    "moons of Jupiter": (0, 0, 1),
}

THICKNESS = 104  # of all arrows together
GAP = 12  # between the shares in the output

# Where things stand: along the way from the request to the output, and across it.
WIDE = SimpleNamespace(
    height=540, width=style.WIDTH, query=(16, 200), spine=268, pages=436, end=604, weight=644, flow=676, output=790,
    first=152, step=88, book=72, request="“How did\npeople bake\nbread in\nancient\nRome?”", breadth=208,
)  # fmt: skip
TALL = SimpleNamespace(
    height=704, width=470, query=(72, 170), spine=226, pages=300, end=374, weight=414, flow=436, output=540,
    first=144, step=90, book=84, request="“How did people bake\nbread in ancient Rome?”", breadth=354,
)  # fmt: skip
TITLE_OF_ALL = "A catalogue finds one book.", "Attention takes a share of every book."
FORMULAS = "score = q · k / √d_k", "weights = softmax(scores)", "output = weights · values"
COLUMNS = (  # where the heading of each stands in the wide drawing, its name, and what it is
    (108, "Query", "the request"),
    (352, "Keys", "the index entries"),
    (520, "Values", "the contents"),
    (645, "Weights", "the shares"),
    (834, "Output", "the blend"),
)


def shares():
    """Return the weight of each book (n_books,) for the request."""
    keys = np.array(list(BOOKS.values()), dtype=float)  # (n_books, d_k)
    contents = np.eye(len(BOOKS))  # (n_books, n_books): one content each, so that the output shows the shares
    return scaled_dot_product_attention(QUERY, keys, contents).output[0]  # (n_books,)


def entry(vector):
    """Return the topics of a vector with their amounts, without those that are 0."""
    return ", ".join(f"{topic} {amount:g}" for topic, amount in zip(TOPICS, vector, strict=True) if amount)


class Drawing:
    """The drawing in coordinates along its way and across it, whichever way it lies."""

    def __init__(self, tall):
        self.tall, self.places = tall, TALL if tall else WIDE
        self.figure, self.axes = style.canvas(self.places.height, self.places.width)
        self.rows = [self.places.first + self.places.step * row for row in range(len(BOOKS))]
        self.middle = sum(self.rows) / len(self.rows)

    def at(self, along, across):
        return (across, along) if self.tall else (along, across)

    def write(self, along, across, words, size=style.SMALLEST, **settings):
        """Write `words` around this place."""
        x, y = self.at(along, across)
        style.write(self.axes, x, y - 5 / 6 * size * words.count("\n"), words, size=size, **settings)

    def area(self, along, across, length, width):
        """Return the corner and the size of an area from `along` on, whose middle is at `across`."""
        return *self.at(along, across - width / 2), *self.at(length, width)

    def box(self, *area, **settings):
        style.box(self.axes, *self.area(*area), **settings)

    def cell(self, *area, **settings):
        style.cell(self.axes, *self.area(*area), **settings)


def draw_headings(sheet):
    """Write what each column is, or each row where the drawing is tall, and how its numbers are computed."""
    title = {"size": 14, "weight": "bold"}
    name_of = {**title, "color": style.QUERY}
    if sheet.tall:
        query, spine, pages, end = sheet.places.query, sheet.places.spine, sheet.places.pages, sheet.places.end
        middles = sum(query) / 2, (spine + pages) / 2, (pages + end) / 2, sheet.places.weight, sheet.places.output + 30
        style.write(sheet.axes, 12, 20, "\n".join(TITLE_OF_ALL), **{**title, "size": 13}, ha="left")
        for middle, (_, name, meaning) in zip(middles, COLUMNS, strict=True):
            words = style.fold(meaning, 10)
            y = middle - 11 - 10 * words.count("\n")
            style.write(sheet.axes, 12, y, name, **name_of, ha="left")
            style.write(sheet.axes, 12, y + 22, words, ha="left")
        style.write(sheet.axes, 12, 640, "\n".join(FORMULAS), ha="left")
        return
    style.write(sheet.axes, 450, 30, " ".join(TITLE_OF_ALL), **title)
    for x, name, meaning in COLUMNS:
        style.write(sheet.axes, x, 68, name, **name_of)
        style.write(sheet.axes, x, 92, meaning)
    for x, side, formula in zip((16, 450, 884), ("left", "center", "right"), FORMULAS, strict=True):
        style.write(sheet.axes, x, 506, formula, ha=side)


def draw_query(sheet):
    """Draw the request with its topics, and its comparison with every key."""
    start, end = sheet.places.query
    sheet.box(start, sheet.middle, end - start, sheet.places.breadth, fill=style.QUERY, edge=style.QUERY)
    x, y = sheet.at((start + end) / 2, sheet.middle)
    above, below = (-30, 28) if sheet.tall else (-66, 72)
    style.write(sheet.axes, x, y + above, sheet.places.request, size=13, color=style.PAPER)
    style.write(sheet.axes, x, y + below, entry(QUERY[0]), size=13, weight="bold", color=style.PAPER)
    for i, row in enumerate(sheet.rows):
        begin = sheet.at(end + 6, sheet.middle + 18 * (i - (len(BOOKS) - 1) / 2))
        style.arrow(sheet.axes, begin, sheet.at(sheet.places.spine - 4, row), color=style.QUERY)


def draw_book(sheet, row, content, key):
    """Draw a book: its index entry on the spine, its content beyond it."""
    book, spine, pages, end = (getattr(sheet.places, name) for name in ("book", "spine", "pages", "end"))
    sheet.box(spine, row, end - spine, book, fill=style.VALUE, edge=style.INK, rounding=8)
    sheet.box(spine, row, pages - spine, book, fill=style.KEY, edge=style.INK, rounding=8, zorder=2)
    for along in (spine + 10, pages - 13):  # the bands of the spine
        sheet.cell(along, row, 3, book - 2, fill=style.ON_FILL, edge="none")
    words = (entry(key), content) if not sheet.tall else (entry(key).replace(", ", ",\n"), style.fold(content, 10))
    sheet.write((spine + pages) / 2, row, words[0], color=style.ON_FILL)
    sheet.write((pages + end) / 2, row, words[1], color=style.ON_FILL)


def draw_shelves(sheet):
    """Draw a shelf below each lying book, or one below all that stand."""
    book, spine, end = sheet.places.book, sheet.places.spine, sheet.places.end
    if sheet.tall:
        left, right = sheet.rows[0] - book / 2, sheet.rows[-1] + book / 2
        style.cell(sheet.axes, left - 6, end, right - left + 12, 6, fill=style.LINE)
        return
    for row in sheet.rows:
        style.cell(sheet.axes, spine - 12, row + book / 2, end - spine + 24, 6, fill=style.LINE)


def draw_share(sheet, row, weight, target):
    """Draw the flow of a share from a book to `target` in the output, as thick as its weight."""
    half, start, end, head = weight * THICKNESS / 2, sheet.places.flow, sheet.places.output - 22, 4
    middle = (start + end) / 2
    upper = [(start, row - half), (middle, row - half), (middle, target - half), (end, target - half)]
    tip = [(end, target - half - head), (end + 16, target), (end, target + half + head)]
    lower = [(end, target + half), (middle, target + half), (middle, row + half), (start, row + half)]
    codes = [Line.MOVETO, *[Line.CURVE4] * 3, *[Line.LINETO] * 4, *[Line.CURVE4] * 3, Line.CLOSEPOLY]
    outline = [sheet.at(*point) for point in (*upper, *tip, *lower, upper[0])]
    style.shape(sheet.axes, Line(outline, codes), style.VALUE)


def draw(tall):
    """Return the figure."""
    sheet = Drawing(tall)
    draw_headings(sheet)
    draw_query(sheet)
    draw_shelves(sheet)
    output, width = sheet.places.output, THICKNESS + GAP * (len(BOOKS) + 1)
    sheet.box(output, sheet.middle, 60 if tall else 88, width, fill=style.PANEL, edge=style.INK)
    edge = sheet.middle - width / 2 + GAP
    for row, (content, key), weight in zip(sheet.rows, BOOKS.items(), shares(), strict=True):
        thickness = weight * THICKNESS
        target = edge + thickness / 2
        draw_book(sheet, row, content, key)
        sheet.write(sheet.places.weight, row, f"{weight:.2f}", size=14, weight="bold")
        draw_share(sheet, row, weight, target)
        sheet.cell(output + 10, target, 40 if tall else 68, thickness, fill=style.VALUE, edge=style.INK)
        edge += thickness + GAP
    return sheet.figure


PICTURES = [
    SimpleNamespace(__name__=f"library_lookup{ending}", TITLE=TITLE, ALT=ALT, draw=partial(draw, tall), HAS_DARK=True)
    for ending, tall in (("", False), ("_tall", True))
]
