"""Figures as HTML: an SVG image that carries its words, and a folded table of its numbers.

HTML is what JupyterLab, a cover and the book all show, in notebooks that are not trusted too. The image stands on
white; a page in a dark theme turns its lightness round.
"""

import io
import re
import sys
from html import escape

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from course_utils.pictures.alternatives import describe, tables

PIXELS = 80  # of a page for an inch of a figure
MARKUP = re.compile(r"<!--.*?-->|<metadata>.*?</metadata>|<\?xml.*?\?>|<!DOCTYPE.*?>", re.S)
ID = re.compile(r' id="([^"]*)"')
REFERENCE = re.compile(r'((?:href="|url\()#)([^")]+)')
DECIMALS = re.compile(r"\d+\.\d{3,}")


def as_html(figure: Figure) -> str:
    """Return a figure as HTML: an image with its words as alternative text, and its numbers in a fold."""
    drawing, width = _svg(figure)
    image = f'<img alt="{escape(describe(figure))}" width="{width}" src="{_address(drawing)}">'
    numbers = "".join(_table(title, columns) for title, columns in tables(figure))
    fold = f'<details class="plot-table"><summary>As a table</summary>{numbers}</details>' if numbers else ""
    return f'<div class="plot">{image}{fold}</div>'


def show_in_words() -> None:
    """From now on, display each figure of this notebook as HTML with its words. Does nothing outside of one."""
    if "IPython" not in sys.modules:
        return
    from IPython import get_ipython

    if (shell := get_ipython()) is None:
        return
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    set_matplotlib_formats()  # no PNG beside it
    shell.display_formatter.formatters["text/html"].for_type(Figure, as_html)


def _svg(figure):
    """Return a figure as SVG, the same bytes on each run, and its width in pixels of a page."""
    for ax in figure.axes:
        for image in ax.images:
            image.set_interpolation("none")  # one pixel for each cell: the browser keeps the edges sharp
        if hasattr(ax, "_colorbar"):
            ax._colorbar.solids.set_rasterized(True)
    file = io.StringIO()
    with plt.rc_context({"svg.hashsalt": "learning to look", "svg.fonttype": "path"}):
        figure.savefig(file, format="svg", bbox_inches="tight", metadata={"Date": None})
    drawing = _renamed(re.sub(r"\s+", " ", MARKUP.sub("", file.getvalue())).strip())
    points = float(re.search(r'width="([\d.]+)pt"', drawing)[1])
    return DECIMALS.sub(lambda match: _short(match[0]), drawing), round(points * PIXELS / 72)


def _renamed(drawing):
    """Return SVG with short names for what it refers to: those of Matplotlib change with the last bit of a number."""
    names = {name: f"i{i}" for i, name in enumerate(dict.fromkeys(name for _, name in REFERENCE.findall(drawing)))}
    drawing = ID.sub(lambda match: f' id="{names[match[1]]}"' if match[1] in names else "", drawing)
    return REFERENCE.sub(lambda match: match[1] + names[match[2]], drawing)


def _short(number):
    return f"{float(number):.5g}" if float(number) < 100 else f"{float(number):.2f}".rstrip("0").rstrip(".")


def _address(drawing):
    """Return SVG as a data URI. It is quoted, and not base64, so that a page that is compressed stays small."""
    drawing = drawing.replace("%", "%25").replace('"', "'")
    for character in "#<>&":
        drawing = drawing.replace(character, f"%{ord(character):02X}")
    return f"data:image/svg+xml,{drawing}"


def _table(title, columns):
    """Return columns (name, cells) as an HTML table, the first column with the names of its rows."""
    (head, _), *others = columns
    header = "".join(f'<th scope="col">{escape(name)}</th>' for name, _ in others)
    corner = f'<th scope="col">{escape(head)}</th>' if head else "<td></td>"
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'
        for name, *cells in zip(*(cells for _, cells in columns), strict=True)
    )
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    return f"<table>{caption}<thead><tr>{corner}{header}</tr></thead><tbody>{rows}</tbody></table>"
