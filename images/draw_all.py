"""Redraw the figures of this folder, and write the texts of the talk: python images/draw_all.py [NAME ...]"""

import importlib
import runpy
import sys
from pathlib import Path

import style

HERE = Path(__file__).parent
SHEET = HERE.parent / "notebooks" / "sheet.pdf"  # beside the lessons, which link to it
TALK = HERE.parent / "classroom" / "talk" / "handout.pdf"


def figures():
    """Return what draws a figure, with its __name__, TITLE, ALT and draw()."""
    names = {path.stem for path in HERE.glob("*.py")} - {"style", "draw_all"}
    modules = [importlib.import_module(name) for name in sorted(names)]
    return [figure for module in modules for figure in getattr(module, "PICTURES", [module])]


if __name__ == "__main__":
    drawn = {figure.__name__: figure for figure in figures()}
    for name in sys.argv[1:] or drawn:
        svg = style.svg(drawn[name])
        style.save(HERE / f"{name}.svg", svg.encode())
    style.save(SHEET, style.pages([drawn["sheet_1"].draw, drawn["sheet_2"].draw]))
    style.save(TALK, style.pages([drawn["handout"].draw]))
    runpy.run_path(str(HERE.parent / "classroom" / "talk_script.py"), run_name="__main__")
