"""Build the book: a page for each lesson with its stored outputs, and the pages around them. Nothing is executed.

    python book/build_book.py    into build/book/html

With a Chromium on the machine the instructors' guide becomes a PDF too. BOOK_ADDRESS is the address under which the
book is published, and BOOK_REPOSITORY the one on GitHub, OWNER/NAME, that Binder starts; both may be left out.
Pages keep the folder layout of the project, so that links between files work between pages.
"""

import importlib.metadata
import os
import re
import shutil
import sys
import time
from html import escape
from pathlib import Path

import nbformat
from lesson_pages import drawing, lesson_page, live_widget
from lists import claims_page, glossary_page, words_script
from page_scripts import write_scripts
from printed import GUIDE, can_print, print_guide, take_preview
from sphinx.cmd.build import main as sphinx
from typeface import write_typeface

from course_utils.explorables import LookPlayground, TheMachine, export_html
from course_utils.inventory.answers import SITTINGS
from course_utils.inventory.questionnaire import Questionnaire
from course_utils.models.review_reader import load_reader

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = ROOT / "build" / "book"
# Pages copied as they are, and the files that they link to.
PAGES = [
    "README.md", "CHANGELOG.md", "INSTRUCTORS.md", "docs/CLAIMS.md", "docs/DIAGNOSIS.md", "docs/GAIN.md",
    "docs/FIRST_GRADED_WEEK.md", "docs/GRADING.md",
    "classroom/hub/README.md", "classroom/talk/notes.md", "classroom/talk/handout.md", "docs/MISTAKES.md",
    "notebooks/GLOSSARY.md", "notebooks/SHEET.md",
]  # fmt: skip
FILES = [
    "CITATION.cff", "LICENSE", "notebooks/sheet.pdf", "course_utils/inventory/items.toml",
    "classroom/talk/handout.pdf", "classroom/hub/values.yaml", "classroom/hub/Dockerfile",
]  # fmt: skip
PICTURE = re.compile(r"!\[(.*)\]\((?:\.\./)*images/(\w+)\.svg\)")
WAY_BACK = '<p><a href="../index.html" style="color: inherit">Learning to Look</a></p>'
QUESTIONS = " and ".join(f'<a href="questions/{sitting}.html">{sitting}</a>' for sitting in SITTINGS)


def main():
    """Build the book. Returns the exit status of Sphinx."""
    start, pages, site = time.perf_counter(), BUILD / "pages", BUILD / "html"
    address = os.environ.get("BOOK_ADDRESS", "").rstrip("/")
    for folder in (pages, site):
        shutil.rmtree(folder, ignore_errors=True)
    printing = can_print()
    lay_out(pages, printing)
    status = sphinx(["-W", "--keep-going", "-q", "-j", "2", "-d", str(BUILD / "doctrees"), str(pages), str(site)])
    if status:
        print("The book was not built: the lines above say why.", file=sys.stderr)
        return status
    write_questionnaires(site / "questions")
    write_typeface(site)
    if printing:
        print_guide(site, f"{address}/" if address else "")
        take_preview(site)
    else:
        print(f"Without {GUIDE}: no Chromium was found.")
    print(f"{site.relative_to(ROOT)}: open index.html there. Built in {time.perf_counter() - start:.0f} s.")
    return 0


def lay_out(pages, printing):
    """Put everything that Sphinx reads into one folder. printing: whether there will be a PDF of the guide."""
    shutil.copytree(
        HERE,
        pages,
        ignore=shutil.ignore_patterns("*.py", "README.md", "tests", "states", "package*.json", "node_modules"),
    )
    shutil.copy(HERE / "conf.py", pages)
    for name in (*PAGES, *FILES):
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, pages / name)
    for name in PAGES:
        up = "../" * name.count("/")
        page = (pages / name).read_text(encoding="utf-8")
        page = PICTURE.sub(lambda match, up=up: drawing(escape(match[1]), match[2], up), page)
        (pages / name).write_text(page, encoding="utf-8")
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        states = HERE / "states" / f"{path.stem}.json"
        nbformat.write(lesson_page(path, states), pages / "notebooks" / path.name)
    write_lists(pages)
    fill_pages(pages, printing)
    shutil.copytree(
        ROOT / "images", pages / "static" / "images", ignore=lambda _, names: {n for n in names if ".svg" not in n}
    )
    write_scripts(pages / "static")
    shutil.copy(mathjax(), pages / "static" / "mathjax.js")


def mathjax():
    """Return the path of single-file MathJax in its package."""
    files = importlib.metadata.files("sphinx-mathjax-offline")
    return next(file.locate() for file in files if file.name == "tex-svg.js")


def write_lists(pages):
    """Turn the claims into cards, give the glossary its letters, and tell the search the words of the lessons."""
    claims, glossary = pages / "docs" / "CLAIMS.md", pages / "notebooks" / "GLOSSARY.md"
    claims.write_text(claims_page(claims.read_text(encoding="utf-8"), ROOT / "notebooks"), encoding="utf-8")
    texts = [path.read_text(encoding="utf-8") for path in (glossary, *(ROOT / "notebooks" / "source").glob("*.py"))]
    glossary.write_text(glossary_page(texts[0]), encoding="utf-8")
    (pages / "static" / "words.js").write_text(words_script(texts), encoding="utf-8")


def fill_pages(pages, printing):
    """Put two explorables, the questionnaires and two links into the book's own pages."""
    playground = LookPlayground("usual", running=True, reduced=True)  # as lesson 00 begins
    machine = TheMachine(load_reader())  # shows the head in which *good* looks at *not* most
    fill_placeholder(pages / "index.md", "<!-- playground -->", live_widget(playground, "twenty-models"))
    fill_placeholder(pages / "index.md", "<!-- machine -->", live_widget(machine, "review"))
    fill_placeholder(pages / "teach.md", "<!-- questions -->", QUESTIONS)
    guide = f'- <a href="{GUIDE}">the instructors\' guide</a>; accessible: the same file' if printing else ""
    fill_placeholder(pages / "teach.md", "<!-- guide -->", guide)
    fill_placeholder(pages / "start.md", "<!-- binder -->", binder(os.environ.get("BOOK_REPOSITORY")))


def write_questionnaires(folder):
    """Write the questionnaires before and after the course as pages that store answers in the browser."""
    folder.mkdir()
    for sitting in SITTINGS:
        path = export_html(Questionnaire(sitting, keeps="page"), folder / f"{sitting}.html")
        page = path.read_text(encoding="utf-8").replace("<main>", f"<main>{WAY_BACK}", 1)
        path.write_text(page, encoding="utf-8")


def fill_placeholder(path, marker, content):
    """Replace a marker in a page. Raises ValueError if it is missing."""
    page = path.read_text(encoding="utf-8")
    if marker not in page:
        raise ValueError(f"{path.name} has no place {marker}")
    path.write_text(page.replace(marker, content), encoding="utf-8")


def binder(repository):
    """Return the text about Binder, with a link if the repository is known."""
    if not repository:
        return "[The page about servers](classroom/hub/README.md) has the form of the link."
    address = f"https://mybinder.org/v2/gh/{repository}/HEAD?urlpath=lab/tree/my_work/00_start_here.ipynb"
    return f"[Start lesson 00 there]({address}): it takes a few minutes."


if __name__ == "__main__":
    sys.exit(main())
