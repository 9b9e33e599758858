"""The typeface of the pages, Source Serif, cut down to the characters that occur in them.

It stands in the style sheet itself, so that it is there before the first line is drawn and no line jumps when it comes.
"""

import base64
import io
import logging
from importlib.resources import files

from fontTools import subset

USE_MY_METRICS = 0x200  # a flag of OpenType: a glyph of several parts is as wide as this part
FACES = {"Regular": "", "It": "font-style: italic", "Semibold": "font-weight: 600"}
FACES["SemiboldIt"] = "font-style: italic; font-weight: 600"
FEATURES = ["kern", "liga", "ccmp", "locl", "mark", "mkmk"]
RULE = '@font-face {{ font-family: "Source Serif"; src: url(data:font/woff;base64,{data}) format("woff"); {style} }}\n'


def write_typeface(site):
    """Add the faces to the style sheet of a built book, whose pages have the characters. site: its folder."""
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    source = files("font_source_serif_pro") / "files"
    characters = "".join(set().union(*(page.read_text(encoding="utf-8") for page in site.rglob("*.html"))))
    with (site / "_static" / "book.css").open("a", encoding="utf-8") as sheet:
        for face, style in FACES.items():
            sheet.write(RULE.format(data=cut_down(source / f"SourceSerifPro-{face}.ttf", characters), style=style))
    (site / "_static" / "source-serif-license.txt").write_bytes((source / "LICENSE.txt").read_bytes())


def cut_down(path, characters):
    """Return a font with these characters only, as base64."""
    options = subset.Options(flavor="woff", layout_features=FEATURES, notdef_outline=True)
    font, subsetter, file = subset.load_font(str(path), options), subset.Subsetter(options), io.BytesIO()
    subsetter.populate(text=characters)
    subsetter.subset(font)
    # In this font a double quotation mark claims the width of a single one, and covers what comes next.
    for name in font.getGlyphOrder():
        for part in getattr(font["glyf"][name], "components", ()):
            part.flags &= ~USE_MY_METRICS
    subset.save_font(font, file, options)
    return base64.b64encode(file.getvalue()).decode()
