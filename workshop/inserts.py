"""What the build puts into the texts of a lesson: figures, references, minutes, links to the sheet and the glossary."""

import base64
import html
import re

import references
from lesson_paths import BuildError, place
from lesson_time import PLACE, announced

FIGURE = re.compile(r"!\[(.*?)\]\((.*?)\)", re.S)
PAGES = "[All formulas on two pages]({folder}sheet.pdf) · [All terms]({folder}GLOSSARY.md)"


def embedded(source, start, text):
    """Put each figure into the text itself. JupyterLab opens in notebooks/ and cannot reach ../images.

    It is an img tag with the SVG as data: JupyterLab 4 refuses an SVG attachment ("unknown image mime type")
    and strips an inline svg, and Markdown's own image syntax with such data is refused by markdown-it,
    which VS Code and Sphinx use.
    """

    def tag(match):
        line = start + 1 + text[: match.start()].count("\n")
        alt, target = " ".join(match[1].split()), match[2]
        if not alt:
            raise BuildError(f"{place(source, line)}: the figure {target} has no alt text")
        figure = source.parents[2] / "images" / target.removeprefix("../images/")
        if not re.fullmatch(r"\.\./images/[\w-]+\.svg", target) or not figure.is_file():
            raise BuildError(f"{place(source, line)}: no figure {target}; write ![alt text](../images/NAME.svg)")
        data = base64.b64encode(figure.read_text(encoding="utf-8").encode()).decode()  # read_text: one kind of line end
        return f'<img alt="{html.escape(alt)}" src="data:image/svg+xml;base64,{data}">'

    if "<img" in text:
        line = start + 1 + text[: text.index("<img")].count("\n")
        raise BuildError(f"{place(source, line)}: write ![alt text](../images/NAME.svg) in place of <img>")
    return FIGURE.sub(tag, text)


def cited(source, start, text):
    """Put authors, year, title and address in the place of each key of references.bib."""
    try:
        return references.cited(text, references.read())
    except KeyError as key:
        raise BuildError(f"{place(source, start)}: references.bib has no {key}") from None


def say_minutes(lesson):
    """Put the minutes that the lesson takes into its first cell, in both notebooks."""
    minutes = announced(lesson.student.cells)
    for cells in (lesson.student.cells, lesson.solved.cells):
        cells[0].source = cells[0].source.replace(PLACE, str(minutes))


def link_pages(lesson):
    """End both notebooks with links to the pages that go with every lesson."""
    for cells, folder in ((lesson.student.cells, ""), (lesson.solved.cells, "../")):
        if cells[-1].cell_type == "markdown":
            cells[-1].source += "\n\n" + PAGES.format(folder=folder)
