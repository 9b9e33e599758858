"""Build the book: one page for each lesson, with its stored outputs, and what goes with them. Nothing runs.

    python book/build_book.py             into build/book/html
    python book/build_book.py --pdf       and the instructors' guide as a PDF, for which a Chromium is needed

The pages lie as the files do in the project, so that a link between two files is a link between two pages.
"""

import argparse
import os
import shutil
import sys
import time
from pathlib import Path

import nbformat
from formulas import formulas_page
from lesson_pages import front_page, lesson_page
from page_scripts import write_scripts
from sphinx.cmd.build import main as sphinx

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TO = ROOT / "build" / "book"
# What becomes a page as it is, and what its links lead to.
PAGES = [
    "README.md", "CHANGELOG.md", "CLAIMS.md", "DIAGNOSIS.md", "GRADING.md", "INSTRUCTORS.md", "hub/README.md",
    "talk/notes.md", "course_utils/checks/MISTAKES.md", "notebooks/GLOSSARY.md",
]  # fmt: skip
FILES = [
    "CITATION.cff", "LICENSE", "talk/handout.pdf", "notebooks/sheet.pdf", "hub/values.yaml", "hub/Dockerfile",
]  # fmt: skip


def main(arguments=None):
    """Build the book. Returns the exit status of Sphinx."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pdf", action="store_true", help="the instructors' guide as a PDF too")
    options = parser.parse_args(arguments)
    start, pages, site = time.perf_counter(), TO / "pages", TO / "html"
    for folder in (pages, site):
        shutil.rmtree(folder, ignore_errors=True)
    lay_out(pages)
    status = sphinx(["-W", "--keep-going", "-q", "-j", "2", "-d", str(TO / "doctrees"), str(pages), str(site)])
    if options.pdf and not status:
        from print_guide import print_guide

        print_guide(site)
    print(f"{site.relative_to(ROOT)}: {time.perf_counter() - start:.0f} s" if not status else "The book was not built.")
    return status


def lay_out(pages):
    """Put everything that Sphinx reads into one folder."""
    shutil.copytree(HERE, pages, ignore=shutil.ignore_patterns("*.py", "states", "package*.json", "node_modules"))
    shutil.copy(HERE / "conf.py", pages)
    for name in (*PAGES, *FILES, *(f"images/{path.name}" for path in (ROOT / "images").glob("*.svg"))):
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, pages / name)
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        states = HERE / "states" / f"{path.stem}.json"
        nbformat.write(lesson_page(path, states), pages / "notebooks" / path.name)
    (pages / "notebooks" / "formulas.md").write_text(formulas_page(ROOT), encoding="utf-8")
    first = sorted((ROOT / "notebooks").glob("00_*.ipynb"))[0]
    front = front_page((HERE / "index.md").read_text(encoding="utf-8"), first, HERE / "states" / f"{first.stem}.json")
    (pages / "index.md").write_text(front, encoding="utf-8")
    write_scripts(pages / "static")


if __name__ == "__main__":
    os.environ["PYTHONHASHSEED"] = "0"
    sys.exit(main())
