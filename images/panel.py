"""What the drawings beside the machine are made of: panels, one or two to a picture, in its shapes, colours and words.

A panel is 440 pixels wide. Two stand side by side on a wide page, and one below the other on a phone.
"""

import style
from matplotlib.path import Path

PANEL, GAP = 440, 20


class Panel:
    """A part of a picture with a heading, in pixels from its own corner."""

    def __init__(self, axes, x, y, heading):
        self.axes, self.x, self.y = axes, x, y
        self.write(8, 14, heading, ha="left", weight="bold")

    def write(self, x, y, words, **settings):
        style.write(self.axes, self.x + x, self.y + y, words, **settings)

    def chip(self, x, y, words, width=74, **settings):
        """A word in its box; (x, y) is the middle."""
        style.box(self.axes, self.x + x - width / 2, self.y + y - 14, width, 28, **{"rounding": 6, **settings})
        self.write(x, y, words, weight="bold" if settings.get("edge") == style.INK else "normal")

    def line(self, *points, head=0, **settings):
        path, form = Path([(self.x + x, self.y + y) for x, y in points]), "-|>" if head else "-"
        style.arrow(self.axes, path=path, head=head or 1, arrowstyle=form, **{"color": style.QUERY, **settings})

    def arc(self, start, end, y, weight, **settings):
        """A look along a row of words: an arc above them, as thick as its weight."""
        height, middle = 20 + abs(end - start) * 0.18, (start + end) / 2
        points = [(self.x + start, self.y + y), (self.x + middle, self.y + y - 2 * height), (self.x + end, self.y + y)]
        path = Path(points, [Path.MOVETO, Path.CURVE3, Path.CURVE3])
        style.arrow(
            self.axes, path=path, head=1, arrowstyle="-", **{"color": style.QUERY, "width": 1 + 8 * weight, **settings}
        )

    def looks(self, words, weights, query, top=56, pitch=40, shown=(), colour=style.QUERY):
        """Words, one below the other, and a line from each to the query's word, as thick as its weight."""
        for row, (word, weight) in enumerate(zip(words, weights, strict=True)):
            y = top + row * pitch
            self.chip(60, y, word, 96, edge=style.INK if row == query else style.LINE, linewidth=1.6)
            if weight > 0:
                self.line((116, y), (300, top + query * pitch), color=colour, width=0.5 + 14 * weight)
            if row in shown:
                self.write(320, y, f"{weight:.2f}", ha="left")

    def cross(self, x, y):
        for way in (-1, 1):
            self.line((x - 7, y - 7 * way), (x + 7, y + 7 * way), color=style.CUT, width=2.5, zorder=6)


def draw(panels, height, tall):
    """Return a figure of these panels, pairs of a heading and a function that draws one."""
    columns = 1 if tall else len(panels)
    width = columns * PANEL + (columns - 1) * GAP if len(panels) > 1 else PANEL
    figure, axes = style.canvas(height * (len(panels) if tall else 1), width)
    for i, (heading, content) in enumerate(panels):
        x, y = (0, i * height) if tall else (i * (PANEL + GAP), 0)
        content(Panel(axes, x, y, heading))
    return figure
