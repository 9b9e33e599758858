"""Redraw every figure of this folder, and write the texts of the talk: python images/draw_all.py"""

import importlib
import runpy
from pathlib import Path

import style

HERE = Path(__file__).parent
SHARED = ("style", "draw_all", "sheet_parts", "inventory_parts")  # modules without a figure
SHEET = HERE.parent / "notebooks" / "sheet.pdf"  # beside the lessons, which link to it
TALK = HERE.parent / "classroom" / "talk" / "handout.pdf"


def figures():
    """Return the modules that draw a figure."""
    return [importlib.import_module(p.stem) for p in sorted(HERE.glob("*.py")) if p.stem not in SHARED]


if __name__ == "__main__":
    for figure in figures():
        style.save(figure.__file__, figure.draw, figure.TITLE, figure.ALT)
    style.save_pages(SHEET, [importlib.import_module(f"sheet_{number}").draw for number in (1, 2)])
    style.save_pages(TALK, [importlib.import_module("handout").draw])
    runpy.run_path(str(HERE.parent / "classroom" / "talk_script.py"), run_name="__main__")
