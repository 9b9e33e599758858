"""Draw the library look-up: a request meets every index entry, and every book gives a share of its content."""

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
REQUEST = "“How did\npeople bake\nbread in\nancient\nRome?”"
QUERY = np.array([[2.0, 3.0, 0.0]])  # (1, d_k): how much the request asks for each topic
BOOKS = {  # content: how much of each topic the index entry names, (d_k,)
    "bread recipes": (1, 0, 0),
    "Roman bakeries": (1, 1, 0),
    "Roman emperors": (0, 1, 0),
    "moons of Jupiter": (0, 0, 1),
}

HEIGHT = 540
TOP, BOOK, STEP = 116, 72, 88  # the first book, the height of a book, the distance between books
THICKNESS = 104  # of all arrows together
GAP = 12  # between the shares in the output
SPINE, PAGES, SHARES, OUTPUT = 268, 436, 616, 790  # left edges


def shares():
    """Return the weight of each book (n_books,) for the request."""
    keys = np.array(list(BOOKS.values()), dtype=float)  # (n_books, d_k)
    contents = np.eye(len(BOOKS))  # (n_books, n_books): one content each, so that the output shows the shares
    return scaled_dot_product_attention(QUERY, keys, contents).output[0]  # (n_books,)


def entry(vector):
    """Return the topics of a vector with their amounts, without those that are 0."""
    return ", ".join(f"{topic} {amount:g}" for topic, amount in zip(TOPICS, vector, strict=True) if amount)


def draw_headings(axes):
    """Write what each column is, and how its numbers are computed."""
    style.write(
        axes, 450, 30, "A catalogue finds one book. Attention takes a share of every book.", size=14, weight="bold"
    )
    columns = (
        (108, "Query", "the request"),
        (352, "Keys", "the index entries"),
        (520, "Values", "the contents"),
        (645, "Weights", "the shares"),
        (834, "Output", "the blend"),
    )
    for x, name, meaning in columns:
        style.write(axes, x, 68, name, size=14, weight="bold", color=style.QUERY)
        style.write(axes, x, 92, meaning)
    style.write(axes, 16, 506, "score = q · k / √d_k", ha="left")
    style.write(axes, 450, 506, "weights = softmax(scores)")
    style.write(axes, 884, 506, "output = weights · values", ha="right")


def draw_book(axes, y, content, key):
    """Draw a lying book: its index entry on the spine, its content beside it."""
    style.cell(axes, SPINE - 12, y + BOOK, SHARES - SPINE + 12, 6, fill=style.LINE)  # the shelf
    style.box(axes, SPINE, y, SHARES - SPINE - 12, BOOK, fill=style.VALUE, edge=style.INK, rounding=8)
    style.box(axes, SPINE, y, PAGES - SPINE, BOOK, fill=style.KEY, edge=style.INK, rounding=8, zorder=2)
    for x in (SPINE + 10, PAGES - 13):  # the bands of the spine
        style.cell(axes, x, y + 1, 3, BOOK - 2, fill=style.INK, edge="none")
    style.write(axes, (SPINE + PAGES) / 2, y + BOOK / 2, entry(key))
    style.write(axes, (PAGES + SHARES - 12) / 2, y + BOOK / 2, content)


def draw_share(axes, y, weight, target):
    """Draw the flow of a share from the book at height y to `target` in the output, as thick as its weight."""
    half, start, end, head = weight * THICKNESS / 2, SHARES + 60, OUTPUT - 22, 4
    middle = (start + end) / 2
    upper = [(start, y - half), (middle, y - half), (middle, target - half), (end, target - half)]
    tip = [(end, target - half - head), (end + 16, target), (end, target + half + head)]
    lower = [(end, target + half), (middle, target + half), (middle, y + half), (start, y + half)]
    codes = [Line.MOVETO, *[Line.CURVE4] * 3, *[Line.LINETO] * 4, *[Line.CURVE4] * 3, Line.CLOSEPOLY]
    style.shape(axes, Line([*upper, *tip, *lower, upper[0]], codes), style.VALUE)


def draw_query(axes, middle):
    """Draw the request with its topics, and its comparison with every key."""
    style.box(axes, 16, middle - 104, 184, 208, fill=style.QUERY, edge=style.QUERY)
    style.write(axes, 108, middle - 66, REQUEST, size=13, color=style.PAPER)
    style.write(axes, 108, middle + 72, entry(QUERY[0]), size=13, weight="bold", color=style.PAPER)
    for row in range(len(BOOKS)):
        start = (206, middle + 18 * (row - (len(BOOKS) - 1) / 2))
        style.arrow(axes, start, (SPINE - 4, TOP + STEP * row + BOOK / 2), color=style.QUERY)


def draw():
    """Return the figure."""
    figure, axes = style.canvas(HEIGHT)
    draw_headings(axes)
    middle = TOP + (STEP * (len(BOOKS) - 1) + BOOK) / 2
    draw_query(axes, middle)
    height = THICKNESS + GAP * (len(BOOKS) + 1)
    style.box(axes, OUTPUT, middle - height / 2, 88, height, fill=style.PANEL, edge=style.INK)
    target = middle - height / 2 + GAP
    for row, ((content, key), weight) in enumerate(zip(BOOKS.items(), shares(), strict=True)):
        y, thickness = TOP + STEP * row, weight * THICKNESS
        draw_book(axes, y, content, key)
        style.write(axes, SHARES + 28, y + BOOK / 2, f"{weight:.2f}", size=14, weight="bold")
        draw_share(axes, y + BOOK / 2, weight, target + thickness / 2)
        style.cell(axes, OUTPUT + 10, target, 68, thickness, fill=style.VALUE, edge=style.INK)
        target += thickness + GAP
    return figure
