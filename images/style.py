"""What the course's figures share: the paper, the colours, the type, and how a figure becomes an SVG.

A figure is laid out in pixels of a picture 900 pixels wide, x to the right and y down.
At that width a point of type is a CSS point, so a size below SMALLEST would be too small to read.
"""

import io
import re
import sys
from xml.sax.saxutils import escape

import matplotlib.style
from matplotlib.backends.backend_pdf import Name, PdfPages
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, PathPatch, Rectangle

from course_utils.pictures import palette

WIDTH = 900
PIXELS_PER_INCH = 96
SMALLEST = 12  # points
FONT = palette.FIGURE_FONT

# The paper is opaque: on a dark theme the figure appears as a light card.
PAPER, INK, MUTED, PANEL = (palette.LIGHT[name] for name in ("paper", "ink", "soft", "raised"))
LINE, FAINT, CUT = palette.OUTLINE, palette.FAINT, palette.ORANGE

# One colour a role: blue, orange and green, as in explorables and plots.
# They differ in lightness as well as in hue, so they stay apart in greyscale and for colour-blind readers.
QUERY, KEY, VALUE, RING = palette.FILLS.values()  # a ring stands around marked items
ON_FILL = palette.LIGHT["look-on-light"]  # of words on a key or a value, on a dark page too

# Neither local settings nor the time of day may change a byte of the picture.
SETTINGS = ["default", {"svg.hashsalt": "learning-to-look", "svg.fonttype": "path"}]
NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


def settings():
    """Return a context in which every machine draws alike; create and save figures inside it."""
    return matplotlib.style.context(SETTINGS)


def luminance(colour):
    """Return how light a colour is, from 0 for black to 1 for white (relative luminance, WCAG 2.2)."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """Return the contrast of two colours, from 1 for none to 21 for black on white (WCAG 2.2)."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def shade(colour, strength):
    """Return a colour on its paper, from 0 for the paper to 1 for the colour itself.

    It is the colour, translucent: where the page is dark, both it and the paper below it are exchanged.
    """
    return colour, strength


def canvas(height, width=WIDTH):
    """Return a figure `width` by `height` pixels and axes that cover it, measured in those pixels."""
    figure = Figure(figsize=(width / PIXELS_PER_INCH, height / PIXELS_PER_INCH), dpi=PIXELS_PER_INCH, facecolor=PAPER)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    return figure, axes


def part(axes, x, y, width, height):
    """Return axes over a part of a canvas whose top left corner is (x, y), measured in pixels from that corner."""
    (_, whole_width), (whole_height, _) = axes.get_xlim(), axes.get_ylim()
    place = (x / whole_width, 1 - (y + height) / whole_height, width / whole_width, height / whole_height)
    own = axes.figure.add_axes(place, xlim=(0, width), ylim=(height, 0))
    own.set_axis_off()
    return own


def write(axes, x, y, words, size=SMALLEST, color=INK, **settings):
    """Write `words`; y is the middle of the capital letters of the first line."""
    pixels = size * PIXELS_PER_INCH / 72
    settings = {"ha": "center", "va": "baseline", "family": FONT, "zorder": 5, **settings}
    for row, line in enumerate(words.split("\n")):
        axes.text(x, y + (0.365 + 1.25 * row) * pixels, line, fontsize=size, color=color, **settings)


def fold(words, longest=15):
    """Break `words` into two lines of similar length if they are longer than `longest` letters."""
    if len(words) <= longest:
        return words
    spaces = [i for i, letter in enumerate(words) if letter == " "]
    middle = min(spaces, key=lambda i: (max(i, len(words) - i - 1), -i))
    return f"{words[:middle]}\n{words[middle + 1 :]}"


def box(axes, x, y, width, height, fill=PAPER, edge=LINE, rounding=10, **settings):
    """Draw a box with round corners whose top left corner is (x, y)."""
    style = f"round,pad=0,rounding_size={rounding}"
    settings = {"linewidth": 1.2, "zorder": 1, **settings}
    axes.add_patch(FancyBboxPatch((x, y), width, height, boxstyle=style, facecolor=fill, edgecolor=edge, **settings))


def cell(axes, x, y, width, height, fill=PAPER, edge=LINE):
    """Draw one cell of a matrix whose top left corner is (x, y)."""
    axes.add_patch(Rectangle((x, y), width, height, facecolor=fill, edgecolor=edge, linewidth=1, zorder=2))


def dot(axes, x, y, radius, fill, edge, **settings):
    """Draw a filled circle around (x, y)."""
    axes.add_patch(Circle((x, y), radius, facecolor=fill, edgecolor=edge, zorder=3, **settings))


def arrow(axes, start=None, end=None, path=None, color=INK, width=2, head=14, **settings):
    """Draw an arrow from `start` to `end`, or along `path`."""
    geometry = {"path": path} if path is not None else {"posA": start, "posB": end, "shrinkA": 0, "shrinkB": 0}
    settings = {"arrowstyle": "-|>", "mutation_scale": head, "linewidth": width, "zorder": 2, **settings}
    axes.add_patch(FancyArrowPatch(**geometry, color=color, joinstyle="miter", **settings))


def shape(axes, path, fill, edge=INK):
    """Draw a shape with the outline `path`."""
    axes.add_patch(PathPatch(path, facecolor=fill, edgecolor=edge, linewidth=1, joinstyle="miter", zorder=2))


# On a dark page a drawing that has a dark version takes these colours instead: light ones of the same tones.
DARK = {
    PAPER: palette.DARK["paper"], INK: palette.DARK["ink"], MUTED: palette.DARK["soft"], PANEL: palette.DARK["raised"],
    LINE: palette.DARK_OUTLINE, FAINT: palette.DARK_FAINT,
    QUERY: palette.DARK["look-blue"], CUT: palette.DARK["look-orange"],
}  # fmt: skip


def dark_rules():
    """Return the rules that exchange the colours of a drawing where its page is dark."""
    rules = (
        f'[style*="{kind}: {one}"]{{{kind}:{other}!important}}'
        for one, other in DARK.items()
        for kind in ("fill", "stroke")
    )
    return f"<style>@media (prefers-color-scheme: dark){{{''.join(rules)}}}</style>"


def svg(figure):
    """Return a figure as an SVG text with title and description and without external references."""
    page = io.StringIO()
    with settings():
        figure.draw().savefig(page, format="svg", metadata=NO_METADATA)
    picture = page.getvalue()[page.getvalue().index("<svg ") :]  # without the document type
    picture = re.sub(r" *\n *", "\n", picture).replace(FONT.replace(" ", ""), "glyph")  # a tenth smaller
    picture = re.sub(r"<!--.*?-->\n?| id=\"(?:text|patch|axes|figure)_\d+\"", "", picture, flags=re.S)  # unused
    picture = re.sub(r' d="[^"]*"', lambda path: re.sub(r"(\.\d\d)\d+", r"\1", path[0]), picture)  # precise enough
    opening, rest = picture.split(">", 1)
    names = f'<title id="title">{escape(figure.TITLE)}</title>\n<desc id="desc">{escape(figure.ALT)}</desc>'
    names += dark_rules() if getattr(figure, "HAS_DARK", False) else ""
    return f'{opening} role="img" aria-labelledby="title desc">\n{names}{rest}'


def pages(title, draws):
    """Return a reproducible PDF with a page for each of these pictures.

    matplotlib writes no tags, so it is for paper: a page of text with the same title stands beside it.
    """
    file = io.BytesIO()
    metadata = {"Title": title, "Creator": None, "Producer": None, "CreationDate": None}
    with settings(), PdfPages(file, metadata=metadata) as pdf:
        for draw in draws:
            pdf.savefig(draw())
        catalog = {"Type": Name("Catalog"), "Pages": pdf._file.pagesObject, "Lang": "en"}
        catalog["ViewerPreferences"] = {"DisplayDocTitle": True}
        pdf._file.writeObject(pdf._file.rootObject, catalog)  # in place of its own, which names no language
    return file.getvalue()


def save(target, content):
    """Write the bytes of a figure, and say how many there are."""
    target.write_bytes(content)
    print(f"{target.name}: {len(content) / 1000:.0f} kB", file=sys.stderr)
