"""What the build inserts into a lesson: figures, references, minutes, links to the sheet and the glossary."""

import base64
import html
import re

import references
from lesson_paths import BuildError, location
from lesson_time import PLACEHOLDER, announced_minutes

FIGURE = re.compile(r"!\[(.*?)\]\((.*?)\)", re.S)
PAGES = "[All formulas]({folder}SHEET.md) · [to print]({folder}sheet.pdf) · [All terms]({folder}GLOSSARY.md)"


def embed_figures(source, start, text):
    """Embed each figure in the text itself: JupyterLab opens in notebooks/ and cannot reach ../images.

    Without an alternative text it has the drawing's title, and below it stands what the drawing says of itself.
    Each becomes an img tag with the SVG as data: JupyterLab 4 rejects an SVG attachment ("unknown image mime type")
    and strips an inline svg, and markdown-it (VS Code, Sphinx) rejects such data in Markdown's own image syntax.
    """

    def embedded(match):
        line = start + 1 + text[: match.start()].count("\n")
        target = match[2]
        figure = source.parents[2] / "images" / target.removeprefix("../images/")
        if not re.fullmatch(r"\.\./images/[\w-]+\.svg", target) or not figure.is_file():
            raise BuildError(f"{location(source, line)}: no figure {target}; write ![alt text](../images/NAME.svg)")
        svg = figure.read_text(encoding="utf-8")  # read_text: the same newlines everywhere
        title, own = (re.search(f"<{tag}[^>]*>(.*?)</{tag}>", svg, re.S) for tag in ("title", "desc"))
        alt = html.escape(" ".join(match[1].split()))
        if not alt and not own:
            raise BuildError(f"{location(source, line)}: the figure {target} has no alt text")
        kind = ' class="learning-dark"' if "prefers-color-scheme" in svg else ""  # it has a dark version of its own
        data = base64.b64encode(svg.encode()).decode()
        tag = f'<img{kind} alt="{alt or title[1]}" src="data:image/svg+xml;base64,{data}">'
        return tag if alt else f"{tag}\n\n*{own[1]}*"

    if "<img" in text:
        line = start + 1 + text[: text.index("<img")].count("\n")
        raise BuildError(f"{location(source, line)}: write ![alt text](../images/NAME.svg) in place of <img>")
    return FIGURE.sub(embedded, text)


def insert_references(source, start, text):
    """Replace each key of references.bib by authors, year, title and address."""
    try:
        return references.cite(text, references.read())
    except KeyError as key:
        raise BuildError(f"{location(source, start)}: references.bib has no {key}") from None


def insert_minutes(lesson):
    """Write the duration of the lesson into the first cell of both notebooks."""
    minutes = announced_minutes(lesson.student.cells)
    for cells in (lesson.student.cells, lesson.solved.cells):
        cells[0].source = cells[0].source.replace(PLACEHOLDER, str(minutes))


def link_pages(lesson):
    """End both notebooks with links to the pages that go with every lesson."""
    for cells, folder in ((lesson.student.cells, ""), (lesson.solved.cells, "../")):
        if cells[-1].cell_type == "markdown":
            cells[-1].source += "\n\n" + PAGES.format(folder=folder)
