"""Draw the machine of the course in stages: as far as it is built in a lesson, with what is new there in colour.

A sentence enters at one end and an answer leaves at the other. On a wide page the machine runs from left to right, on
a phone the same drawing runs from top to bottom. All numbers, and the width of every line, are computed here.
"""

import tomllib
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import style
from matplotlib.path import Path as Outline

from course_utils.attention import attention_scores, scaled_dot_product_attention

WORDS = ("The", "movie", "was", "not", "good")
WITH_CLS = ("[CLS]", *WORDS[1:])  # the seat in front takes the place of a word, so that "good" stays at position 4
GOOD, NOT, WAS = 4, 3, 2
X = np.array([[0, 0, 0, 1], [1, 0, 0, 1], [0, 0, 1, 1], [0, 3, 0, 1], [0, 0, 3, 1]]) / 3  # (n, d_model)
W_Q = np.array([[1, 0, 1], [0, 1, 0], [5, 0, 1], [0, 0, 1]])  # (d_model, d_k)
W_K = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]])  # (d_model, d_k)
W_V = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])  # (d_model, d_v)
W_O = np.array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]]) / 2  # (d_v, d_model)

# Where things stand along the machine, in pixels of the wide drawing: columns of equal things, one thing a row.
WORD, PLACE, VECTOR, ROLES, KEYS, MIXED, ADD, THINK, ADD_AGAIN, OUT, END = (
    8, 92, 118, 208, 268, 424, 490, 554, 654, 718, 800)  # fmt: skip
CELL, BAR = 13, 46

STAGES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


class Drawing:
    """A drawing of one stage, in coordinates along the machine and across it, whichever way it lies."""

    def __init__(self, stage, tall, axes):
        built = self.built = stage["built"]
        self.new, self.without, self.tall = stage["new"], stage.get("without", ()), tall
        self.pitch, self.start = (56, 122) if tall else (46, 62)
        self.words = WITH_CLS if "answer" in built else WORDS
        self.answer = "praise?" if "cut" in built else "yes or no"
        loops = {"gradient", "cut", "next word"} & set(built)  # they run back beside the machine
        wide = int(self.start + 5 * self.pitch) + (60 if loops else 8)
        self.axes = axes or style.canvas(*((END + 110, wide) if tall else (wide, style.WIDTH)))[1]
        mask = np.tri(5, dtype=bool) if "mask" in built else np.ones((5, 5), bool)
        mask[GOOD, NOT] = "cut" not in built
        self.looks = scaled_dot_product_attention(X @ W_Q, X @ W_K, X @ W_V, mask)
        self.scores = attention_scores(X @ W_Q, X @ W_K)[GOOD]

    def ink(self, part, colour=style.INK):
        """Return the colour of something: its own where its part is new, grey once it is built, faint before."""
        return colour if part in self.new else style.LINE if part in self.built else style.FAINT

    def at(self, along, row, aside=0):
        across = self.start + self.pitch * (row + 0.5) + aside
        return (across, along + 34) if self.tall else (along, across)

    def asks(self, row):
        """Whether this row is computed now: with a cache, only that of the last word."""
        return "cache" not in self.built or row == GOOD

    def write(self, along, row, words, aside=0, **settings):
        style.write(self.axes, *self.at(along, row, aside), words, **settings)

    def line(self, *places, head=0, **settings):
        """A line through these places (along, row, aside)."""
        path, form = Outline([self.at(*place) for place in places]), "-|>" if head else "-"
        style.arrow(self.axes, path=path, head=head or 1, arrowstyle=form, **settings)

    def box(self, along, row, length, width, aside=0, **settings):
        """A box from `along` on; its middle stands in this row."""
        x, y = self.at(along, row, aside)
        size = (width, length) if self.tall else (length, width)
        x, y = (x - width / 2, y) if self.tall else (x, y - width / 2)
        style.box(self.axes, x, y, *size, **{"rounding": 6, **settings})

    def strip(self, part, along, row, numbers, colour, aside=0, width=18):
        """A vector: a cell for each number, the stronger the larger it is."""
        shown = colour if part in self.new else style.LINE
        for i, number in enumerate(numbers / max(np.abs(numbers).max(), 1)):
            x, y = self.at(along + i * CELL, row, aside)
            size = (width, CELL) if self.tall else (CELL, width)
            corner = (x - width / 2, y) if self.tall else (x, y - width / 2)
            fill = style.shade(shown, 0.12 + 0.88 * abs(number)) if part in self.built else style.PAPER
            style.cell(self.axes, *corner, *size, fill=fill, edge=self.ink(part, style.MUTED))

    def head(self, part, along, words):
        """The name of a column with its shape: above the machine, or at its left where it is tall."""
        if part in self.built:
            is_new = part in self.new or (part == "projections" and "cache" in self.new)
            settings = {"weight": "bold"} if is_new else {"color": style.MUTED}
            place = (6, along + 34) if self.tall else (along, 16)
            style.write(self.axes, *place, words, ha="left" if self.tall else "center", **settings)


def draw(name, tall=False, axes=None):
    """Draw a stage, machine_04, onto these axes or onto a figure of its own. Returns the figure."""
    sheet = Drawing(STAGES[name], tall, axes)
    for part in (draw_words, draw_roles, draw_heads, draw_block, draw_end, draw_way_back):
        part(sheet)
    return sheet.axes.figure


def draw_words(sheet):
    for row, word in enumerate(sheet.words):
        edge = sheet.ink("answer", style.QUERY) if word == "[CLS]" else style.INK if row == GOOD else style.LINE
        sheet.box(WORD, row, *((30, 54) if sheet.tall else (74, 30)), edge=edge, linewidth=1.6)
        sheet.write(WORD + (15 if sheet.tall else 37), row, word, weight="bold" if row == GOOD else "normal")
        if "positions" in sheet.built and "numbers" not in sheet.without:
            colour = style.INK if "positions" in sheet.new else style.MUTED
            sheet.write(
                PLACE + 11, row, f"+{row}", color=colour, weight="bold" if "positions" in sheet.new else "normal"
            )
        sheet.strip("vectors", VECTOR, row, X[row], style.MUTED)
    sheet.head("vectors", VECTOR + (26 if sheet.tall else 20), "vectors\n(n, d_model)")
    if "positions" in sheet.new:
        sheet.head("positions", PLACE - 44 if not sheet.tall else PLACE, "positions")


def draw_roles(sheet):
    """Queries, keys and values; before there are any, the scores or the weights of the one query."""
    for row in range(5):
        if "projections" in sheet.built:
            for aside, W, colour in ((-13, W_Q, style.QUERY), (0, W_K, style.RING), (13, W_V, style.VALUE)):
                if sheet.asks(row) or W is not W_Q:
                    sheet.strip("projections", ROLES, row, X[row] @ W, colour, aside, width=11)
        else:
            numbers = sheet.looks.weights[GOOD] if "weights" in sheet.built else sheet.scores
            sheet.write(ROLES + 30, row, f"{numbers[row]:.2f}", weight="bold" if row == NOT else "normal")
    sheet.head(
        "projections",
        ROLES + (18 if sheet.tall else 28),
        "cache of\nK and V" if "cache" in sheet.new else "Q, K, V\n(n, d_k)",
    )


def draw_heads(sheet):
    """The lines to the output of each word, from all words: as thick as the weights of its query."""
    middle, length, width = (KEYS + MIXED) / 2, MIXED - KEYS, 5 * sheet.pitch - 6
    for behind in (2, 1, 0) if "heads" in sheet.built and "heads" not in sheet.without else (0,):
        edge = sheet.ink("heads", style.QUERY)
        sheet.box(
            KEYS - 12 + 6 * behind, 2, length, width, -6 * behind, fill=style.PAPER, edge=edge, zorder=1 - behind / 10
        )
    for query in filter(sheet.asks, range(5)):
        for key in range(5):
            draw_look(sheet, query, key, sheet.looks.weights[query, key])
    name = next((part for part in ("mask", "heads", "cut") if part in sheet.new), None)
    gap = "\n" if sheet.tall else " "
    words = {"mask": f"causal{gap}mask", "heads": "heads\n(h, n, n)", "cut": f"one line{gap}cut"}
    if name or "scores" in sheet.built:
        kind = "weights" if "weights" in sheet.built else "scores"
        sheet.head(name or kind, middle - 6, words.get(name, f"{kind}{gap}(n, n)"))
    for row in filter(sheet.asks, range(5)):
        sheet.strip("output", MIXED, row, sheet.looks.output[row], style.VALUE)
    sheet.head("output", MIXED + 20, "output\n(n, d_v)")


def draw_look(sheet, query, key, weight):
    from_key, to_query = (KEYS, key), (MIXED - 16, query)
    if weight == 0:
        if "mask" in sheet.new:
            sheet.line(from_key, to_query, color=style.FAINT, width=1, linestyle=(0, (2, 3)))
        if "cut" in sheet.new and (query, key) == (GOOD, NOT):
            draw_scissors(sheet, from_key, to_query)
        return
    is_told = query == (WAS if "mask" in sheet.new else 0 if "answer" in sheet.new else GOOD)
    if not is_told and "output" not in sheet.built:
        return
    fresh = {"scores", "weights", "output", "mask", "heads", "answer", "cut"} & set(sheet.new)
    colour = style.FAINT if not is_told else style.QUERY if fresh else style.LINE
    width = 1.2 if "weights" not in sheet.built else 0.5 + (14 if is_told else 4) * weight
    sheet.line(from_key, to_query, color=colour, width=width, zorder=3 if is_told else 2)


def draw_scissors(sheet, from_key, to_query):
    """A cut line: its two ends, and a cross in the gap."""
    (a, key), (b, query) = from_key, to_query
    middle, row = (a + b) / 2, (key + query) / 2
    for end in (from_key, to_query):
        sheet.line(end, ((end[0] + 2 * middle) / 3, (end[1] + 2 * row) / 3), color=style.CUT, width=3, zorder=4)
    for way in (-1, 1):
        sheet.line((middle - 7, row, -7 * way), (middle + 7, row, 7 * way), color=style.CUT, width=2.5, zorder=5)


def draw_block(sheet):
    """What stands around attention: the way past it, the sum, the norm, and a layer for each word by itself."""
    width, edge = 5 * sheet.pitch - 6, sheet.ink("block")
    fill = style.PANEL if "block" in sheet.built else style.PAPER
    thinks = "feed-forward" not in sheet.without
    for along in (ADD, ADD_AGAIN)[: 1 + thinks]:
        sheet.box(along, 2, BAR, width, edge=edge, fill=fill)
        if "block" in sheet.built:
            adds = ("add",) if "norm" in sheet.without else ("add,", "norm")
            words, aside = (" ".join(adds), 0) if sheet.tall else ("\n".join(adds), -8)
            sheet.write(along + BAR / 2, 2, words, aside, color=style.INK if "block" in sheet.new else style.MUTED)
    for row in range(5):
        if thinks:
            sheet.box(THINK, row, 80, sheet.pitch - 10, edge=edge, fill=fill)
        if sheet.asks(row):
            sheet.strip("block", OUT, row, X[row] + sheet.looks.output[row] @ W_O, style.MUTED)
            if not thinks:
                sheet.line((ADD + BAR + 6, row), (OUT - 6, row), color=sheet.ink("block"), width=1)
    if thinks:
        sheet.head("block", THINK + 40, "feed-\nforward" if sheet.tall else "feed-forward,\neach by itself")
    sheet.head("block", OUT + 20, "out\n(n, d_model)")
    colour = sheet.ink("block", style.QUERY)
    for start, end in ((VECTOR + 26, ADD + BAR / 2), (ADD + BAR / 2 + 8, ADD_AGAIN + BAR / 2))[: 1 + thinks]:
        sheet.line(
            (start, -0.5, 2), (start, -0.5, -8), (end, -0.5, -8), (end, -0.5, 3), head=9, color=colour, width=1.6
        )


def draw_end(sheet):
    """What comes out: an answer read from the seat in front, or the next word, read from the last row."""
    if "answer" in sheet.built:
        colour = style.QUERY if "answer" in sheet.new or "cut" in sheet.new else style.LINE
        sheet.line((OUT + 4 * CELL + 2, 0), (END - 4, 0), head=10, color=colour)
        sheet.box(END, 0, *((30, 100) if sheet.tall else (94, 30)), edge=colour, linewidth=1.8)
        sheet.write(END + (15 if sheet.tall else 47), 0, sheet.answer, weight="bold")
        sheet.head("answer", END + (15 if sheet.tall else 47), "answer")
    if "next word" in sheet.built:
        colour = sheet.ink("next word", style.QUERY)
        sheet.line((OUT + 4 * CELL + 2, GOOD), (END - 4, GOOD), head=10, color=colour)
        sheet.box(END, GOOD, *((30, 54) if sheet.tall else (74, 30)), edge=colour, linewidth=1.8)
        middle = END + (15 if sheet.tall else 37)
        sheet.write(middle, GOOD, "but", weight="bold")
        draw_loop(sheet, (middle, GOOD, 16), (WORD + 37, GOOD, 18), colour)
        sheet.head("next word", middle, "next word")
        frame = {"fill": "none", "edge": sheet.ink("cache", style.RING), "linewidth": 2}
        sheet.box(ROLES - 6, 1.5, 3 * CELL + 12, 4 * sheet.pitch - 4, **frame)
    if "cut" in sheet.built:
        draw_loop(sheet, (OUT + 20, GOOD, 14), (VECTOR + 26, GOOD, 14), style.QUERY)
        place = (
            (END + 52, 2, "and through a second block")
            if sheet.tall
            else (MIXED + 60, 4.5, "and through a second block", 44)
        )
        sheet.write(*place)


def draw_loop(sheet, start, end, colour):
    """What comes out goes in again, beside the machine."""
    low = (4.5, 26)
    sheet.line(start, (start[0], *low), (end[0], *low), end, head=10, color=colour, width=1.8)


def draw_way_back(sheet):
    """The gradient, from the output back to the vectors."""
    if "gradient" not in sheet.built:
        return
    stops = (MIXED + 44, KEYS + 60, ROLES + 20, VECTOR + 26)
    for start, end in pairwise(stops):
        sheet.line((start, 4.5, 14), (end, 4.5, 14), head=12, color=style.CUT, width=2.2)
    place = (END + 20, 2) if sheet.tall else (KEYS + 40, 4.5)
    sheet.write(*place, "the gradient runs back", 0 if sheet.tall else 36, weight="bold")


def pictures():
    """Yield what draws each stage, wide and tall."""
    for name, stage in STAGES.items():
        for tall in (False, True) if name.startswith("machine") else ():
            shown = partial(draw, name, tall)
            title = f"A drawing: the machine as far as it is built in lesson {name[-2:]}"
            yield SimpleNamespace(
                __name__=name + "_tall" * tall, TITLE=title, ALT=stage["says"], draw=shown, HAS_DARK=True
            )


PICTURES = list(pictures())
