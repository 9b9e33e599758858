"""Lint the Python of the exercise pages, with each mistake applied: undefined names and unused names."""

import ast
import json
import re
import subprocess
import sys
from textwrap import indent

from course_utils.checks.exercises import COURSE, LESSONS, page_of
from pagecheck import course as course_pages
from pagecheck.page import Page

# Names that the engine reads from a page, or defines there.
FIELDS = {*course_pages.OF_VALUES, *course_pages.OF_EXERCISES, "answer", "ways"}


def problems():
    """Return a sentence for each fault, with the page and the id of the mistake."""
    pages = [page_of(name) for names in LESSONS.values() for name in names]
    texts = {page.file.name: page_source(page) for page in pages}
    return (
        [fault for page in pages for fault in unused_names(page)]
        + [fault for name in ("shared", "general") for fault in syntax_errors(page_of(name))]
        + [
            f"{page}, {mistake_at(texts[page], fault['location']['row'])}: {fault['message']}"
            for page, text in texts.items()
            for fault in run_ruff(text)
        ]
    )


def page_source(page: Page):
    """Return the Python of a page, followed by each wrong answer under a comment with its id."""
    text = "\n".join(block.text for block in page.blocks) + ("\njudge\n" if "judge" in page.blocks[-1].text else "")
    if page.blocks[0].text.startswith("def ") and not re.search("^def judge", text, re.M):
        text += "".join(f"\n# {id}\n{code}\n" for id, code in course_pages.wrong_answers(page, page_of))
    else:
        answers = [(entry.id, hunks[0].new) for entry in page.entries for hunks in entry.differences]
        text += "".join(f"\n# {id}\n_ = (\n{code}\n)\n" for id, code in answers if not code.count(" = "))
    return text


def run_ruff(text):
    """Return undefined names, unused imports and redefinitions, except of the solution: wrong answers redefine it."""
    builtins = json.dumps([*COURSE.namespace(), "ways"])
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F401,F811,F821"]
    command += ["--output-format", "json", "--config", f"builtins={builtins}", "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True)
    solution = f"`{text[4 : text.index('(')]}`" if text.startswith("def ") else "no solution"
    return [fault for fault in json.loads(run.stdout) if fault["code"] != "F811" or solution not in fault["message"]]


def syntax_errors(page):
    """Return a sentence for each example that does not parse, even inside a function."""
    errors = []
    for id, example in ((entry.id, hunks[0].new) for entry in page.entries for hunks in entry.differences):
        try:
            ast.parse(f"def answer():\n{indent(example, '    ')}")
        except SyntaxError as error:
            errors.append(f"{page.file.name}, {id}: {error.msg}")
    return errors


def mistake_at(text, row):
    """Return the id of the mistake to which a row of the text belongs."""
    ids = [line[2:] for line in text.splitlines()[:row] if re.fullmatch(r"# [a-z0-9-]+", line)]
    return ids[-1] if ids else "above all ids"


def unused_names(page):
    """Yield a sentence for each name that a page defines and never uses."""
    body = ast.parse("\n".join(block.text for block in page.blocks)).body
    functions = [one.name for one in body if isinstance(one, ast.FunctionDef)]
    values = [
        target.id for one in body if isinstance(one, ast.Assign) for target in one.targets if hasattr(target, "id")
    ]
    solution = functions[:1] if page.blocks[0].text.startswith("def ") else []
    lines = [hunk.new for entry in page.entries for hunks in entry.differences for hunk in hunks]
    source = "\n".join([*(block.text for block in page.blocks), *lines])
    for name in {*functions, *values} - FIELDS - set(solution):
        if len(re.findall(rf"(?<![.\w]){name}\b", source)) == 1:
            yield f"{page.file.name}: nothing uses {name}"
