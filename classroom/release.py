"""Write lessons as a class gets them: without links to the solutions, and without the notes about them.

    nox -s release -- 05 [06 ...] [--out FOLDER]

Give out what it writes, and keep notebooks/solutions to yourself. Grading draws inputs that no student has seen.
"""

import argparse
import re
import shutil
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"^\[Solution\]\(solutions/[^)]*\)\n?", re.M)
NOTE = re.compile(r"<details><summary>About the solution</summary>.*?</details>\n*", re.S)
EXTRA_FILES = ("GLOSSARY.md", "SHEET.md", "sheet.pdf")


def main(arguments=None):
    """Write the requested lessons and return their paths."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lessons", nargs="+", help="numbers of lessons, 05")
    parser.add_argument("--out", type=Path, default=Path("release"), help="where they go")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    written = [write(number, options.out) for number in options.lessons]
    for name in EXTRA_FILES:
        shutil.copy(ROOT / "notebooks" / name, options.out)
    print(*written, sep="\n")
    return written


def write(number, folder):
    """Write one lesson. Raises SystemExit for a number that no lesson has."""
    paths = sorted((ROOT / "notebooks").glob(f"{number}_*.ipynb"))
    if not paths:
        raise SystemExit(f"there is no lesson {number}")
    notebook = nbformat.read(paths[0], as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = without_solutions(cell.source)
    nbformat.write(notebook, folder / paths[0].name)
    return folder / paths[0].name


def without_solutions(text):
    """Remove links to solutions and notes about them from a cell's text.

    >>> without_solutions("A hint.\\n\\n[Solution](solutions/05_not_good.ipynb#cell-id=05-010)")
    'A hint.'
    """
    return NOTE.sub("", LINK.sub("", text)).strip()


if __name__ == "__main__":
    main()
