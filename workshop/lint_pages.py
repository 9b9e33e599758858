"""Lint the Python of the exercises' pages, each wrong line in its place: names that are nowhere, names for nothing."""

import ast
import json
import re
import subprocess
import sys
from textwrap import indent

from course_utils.checks.exercises import COURSE, LESSONS, page_of
from pagecheck import course as course_pages
from pagecheck.page import Page

# What the engine reads of a page, or puts there.
FIELDS = {*course_pages.OF_VALUES, *course_pages.OF_EXERCISES, "answer", "ways"}


def problems():
    """Return a sentence for each fault, with the page and the id of the mistake."""
    pages = [page_of(name) for names in LESSONS.values() for name in names]
    texts = {page.file.name: written_out(page) for page in pages}
    return (
        [fault for page in pages for fault in unused(page)]
        + [fault for name in ("shared", "general") for fault in unreadable(page_of(name))]
        + [
            f"{page}, {place(texts[page], fault['location']['row'])}: {fault['message']}"
            for page, text in texts.items()
            for fault in linted(text)
        ]
    )


def written_out(page: Page):
    """Return the Python of a page, and below it each wrong answer under a comment with its id."""
    text = "\n".join(block.text for block in page.blocks) + ("\njudge\n" if "judge" in page.blocks[-1].text else "")
    if page.blocks[0].text.startswith("def ") and not re.search("^def judge", text, re.M):
        text += "".join(f"\n# {id}\n{code}\n" for id, code in course_pages.wrong_answers(page, page_of))
    else:
        answers = [(entry.id, hunks[0].new) for entry in page.entries for hunks in entry.differences]
        text += "".join(f"\n# {id}\n_ = (\n{code}\n)\n" for id, code in answers if not code.count(" = "))
    return text


def linted(text):
    """Return what ruff finds: names that are nowhere, imports for nothing, and what is defined twice, but for the
    solution, which each wrong answer defines anew.
    """
    builtins = json.dumps([*COURSE.space(), "ways"])
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F401,F811,F821"]
    command += ["--output-format", "json", "--config", f"builtins={builtins}", "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True)
    solution = f"`{text[4 : text.index('(')]}`" if text.startswith("def ") else "no solution"
    return [fault for fault in json.loads(run.stdout) if fault["code"] != "F811" or solution not in fault["message"]]


def unreadable(page):
    """Return a sentence for each example that is no Python, alone or inside a function."""
    found = []
    for id, example in ((entry.id, hunks[0].new) for entry in page.entries for hunks in entry.differences):
        try:
            ast.parse(f"def answer():\n{indent(example, '    ')}")
        except SyntaxError as error:
            found.append(f"{page.file.name}, {id}: {error.msg}")
    return found


def place(text, row):
    """Return the id below which a row of the text stands."""
    ids = [line[2:] for line in text.splitlines()[:row] if re.fullmatch(r"# [a-z0-9-]+", line)]
    return ids[-1] if ids else "above all ids"


def unused(page):
    """Yield a sentence for each name that a page defines and nothing on it mentions."""
    body = ast.parse("\n".join(block.text for block in page.blocks)).body
    functions = [one.name for one in body if isinstance(one, ast.FunctionDef)]
    values = [
        target.id for one in body if isinstance(one, ast.Assign) for target in one.targets if hasattr(target, "id")
    ]
    solution = functions[:1] if page.blocks[0].text.startswith("def ") else []
    lines = [hunk.new for entry in page.entries for hunks in entry.differences for hunk in hunks]
    said = "\n".join([*(block.text for block in page.blocks), *lines])
    for name in {*functions, *values} - FIELDS - set(solution):
        if len(re.findall(rf"(?<![.\w]){name}\b", said)) == 1:
            yield f"{page.file.name}: nothing uses {name}"
