"""Lint the Python of the exercises' pages, each wrong line in its place: names that are nowhere, names for nothing."""

import ast
import json
import re
import subprocess
import sys

from course_utils.checks.engine import exercise_page
from course_utils.checks.engine.page import Page
from course_utils.checks.exercises import LESSONS, page_of, shared

# What the engine reads of a page, or puts there.
FIELDS = {*exercise_page.OF_VALUES, *exercise_page.OF_EXERCISES, "answer", "ways"}


def problems():
    """Return a sentence for each fault, with the page and the id of the mistake."""
    pages = [page_of(name) for names in LESSONS.values() for name in names]
    texts = {page.file.name: written_out(page) for page in pages}
    return [fault for page in pages for fault in unused(page)] + [
        f"{page}, {place(texts[page], fault['location']['row'])}: {fault['message']}"
        for page, text in texts.items()
        for fault in linted(text)
    ]


def written_out(page: Page):
    """Return the Python of a page, and below it each wrong answer under a comment with its id."""
    text = "\n".join(block.text for block in page.blocks) + ("\njudge\n" if "judge" in page.blocks[-1].text else "")
    if page.blocks[0].text.startswith("def ") and not re.search("^def judge", text, re.M):
        text += "".join(f"\n# {id}\n{code}\n" for id, code in exercise_page.wrong_answers(page, page_of))
    else:
        answers = [(entry.id, hunks[0].new) for entry in page.entries for hunks in entry.differences]
        text += "".join(f"\n# {id}\n_ = (\n{code}\n)\n" for id, code in answers if not code.count(" = "))
    return text


def linted(text):
    """Return what ruff finds: undefined names and unused imports."""
    builtins = json.dumps([*shared.__all__, "ways"])
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F401,F821", "--output-format", "json"]
    run = subprocess.run(
        [*command, "--config", f"builtins={builtins}", "-"], input=text, capture_output=True, text=True
    )
    return json.loads(run.stdout)


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
    said = page.file.read_text(encoding="utf-8")
    for name in {*functions, *values} - FIELDS - set(solution):
        if len(re.findall(rf"\b{name}\b", said)) == 1:
            yield f"{page.file.name}: nothing uses {name}"
