"""Draw every figure of this folder anew: python images/draw_all.py"""

import importlib
from pathlib import Path

import style

HERE = Path(__file__).parent
SHARED = ("style", "draw_all", "sheet_parts")  # these draw no figure of their own
SHEET = HERE.parent / "notebooks" / "sheet.pdf"  # beside the lessons, which link to it


def figures():
    """Return the modules that draw a figure."""
    return [importlib.import_module(p.stem) for p in sorted(HERE.glob("*.py")) if p.stem not in SHARED]


if __name__ == "__main__":
    for figure in figures():
        style.save(figure.__file__, figure.draw, figure.TITLE, figure.ALT)
    style.save_pages(SHEET, [importlib.import_module(f"sheet_{number}").draw for number in (1, 2)])
