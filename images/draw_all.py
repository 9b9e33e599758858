"""Draw every figure of this folder anew: python images/draw_all.py"""

import importlib
from pathlib import Path

import style

HERE = Path(__file__).parent


def figures():
    """Return the modules that draw a figure."""
    return [importlib.import_module(p.stem) for p in sorted(HERE.glob("*.py")) if p.stem not in ("style", "draw_all")]


if __name__ == "__main__":
    for figure in figures():
        style.save(figure.__file__, figure.draw, figure.TITLE, figure.ALT)
