"""Redraw the figures, and write sheet, handout and the texts of the talk: python images/draw_all.py [NAME ...]"""

import importlib
import runpy
import sys
from pathlib import Path

import handout
import sheet
import style

HERE = Path(__file__).parent
SHEET = HERE.parent / "notebooks" / "sheet.pdf"  # beside the lessons, which link to it
TALK = HERE.parent / "classroom" / "talk" / "handout.pdf"
ON_PAPER = {"handout", *(page.__name__ for page in sheet.PICTURES)}  # these are pages of the PDFs, and no SVG


def figures():
    """Return what draws a figure, with its __name__, TITLE, ALT and draw()."""
    names = {path.stem for path in HERE.glob("*.py")} - {"style", "panel", "draw_all"}
    modules = [importlib.import_module(name) for name in sorted(names)]
    return [figure for module in modules for figure in getattr(module, "PICTURES", [module])]


def print_files():
    """Return {path: content} of each PDF for printing, and of the page beside it that says the same."""
    return {
        SHEET: style.pages("All formulas, on two pages", [page.draw for page in sheet.PICTURES]),
        SHEET.with_name("SHEET.md"): sheet.text().encode(),
        TALK: style.pages(handout.TITLE, [handout.draw]),
        TALK.with_suffix(".md"): handout.text().encode(),
    }


if __name__ == "__main__":
    drawn = {figure.__name__: figure for figure in figures()}
    for name in sys.argv[1:] or drawn.keys() - ON_PAPER:
        svg = style.svg(drawn[name])
        style.save(HERE / f"{name}.svg", svg.encode())
    for path, content in print_files().items():
        style.save(path, content)
    runpy.run_path(str(HERE.parent / "classroom" / "talk_script.py"), run_name="__main__")
