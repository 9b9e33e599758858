"""What the build writes besides the notebooks: solved tools, glossary, exercises, mistakes, README's minutes."""

import json
import re

import glossary
from derive_notebooks import derive
from derive_solved_tools import FILES, solved_tools

from course_utils.checks.exercises import COURSE, page_of
from course_utils.checks.exercises import LESSONS as KNOWN

LESSONS, MISTAKES = "course_utils/checks/exercises/lessons.json", "docs/MISTAKES.md"
CHECK = re.compile(r"^\s*check\(\s*\"(\w+)\"", re.M)
HEAD = """# What the checks say

All mistakes that the checks name, as instructors and the book show them.
*Seen* and *suspected* are what a student reads; the *line* is one way to make the mistake.
`nox -s build` makes this page from the pages in `course_utils/checks/exercises`; edit those.
"""
TABLE = "\n| id | seen | suspected | line |\n|---|---|---|---|\n"


def derive_pages(root, sources):
    """Return {path: text} of the derived files for the sources of the lessons; None for a file that has to go."""
    if (root / LESSONS).parent.exists():
        lessons = exercises_of(sources)
        KNOWN.update(lessons)  # a new lesson or exercise is known to the rest of this build
    tools = solved_tools(sources)
    texts = {root / "notebooks" / "solutions" / name: tools.get(name) for name in FILES}
    if (root / glossary.SOURCE.relative_to(glossary.ROOT)).exists():
        texts[root / glossary.PAGE.relative_to(glossary.ROOT)] = glossary.page(root)
    if (root / LESSONS).parent.exists():
        texts[root / LESSONS] = json.dumps(lessons, indent=2) + "\n"
        texts[root / MISTAKES] = mistakes_page(lessons)
        texts[root / "README.md"] = with_minutes((root / "README.md").read_text(encoding="utf-8"), sources)
    return texts


def exercises_of(sources):
    """Return {lesson number: the exercises that it checks, in order}."""
    exercises = {source.stem[:2]: CHECK.findall(source.read_text(encoding="utf-8")) for source in sources}
    return {lesson: list(dict.fromkeys(names)) for lesson, names in exercises.items()}


def mistakes_page(lessons):
    """Return the page of all mistakes, grouped by lesson and by the page that defines them."""
    text, rows = HEAD, {}
    for id, words in COURSE.mistakes.items():
        cells = (f"`{id}`", words.seen, words.suspect, f"`{words.example.strip()}`" if words.example else "")
        rows.setdefault(words.page, []).append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |\n")
    for lesson, names in [("", ["shared"]), *lessons.items()]:
        section = "".join(row for name in names for row in rows.get(page_of(name).name, ()))
        heading = f"Lesson {lesson}" if lesson else "Several lessons, and any answer"
        text += f"\n## {heading}\n{TABLE}{section}" if section else ""
    return text


def with_minutes(readme, sources):
    """Return README with the minutes of each lesson in the last cell of its row."""
    for source in sources:
        minutes = re.search(r"\*\*Time:\*\* (\d+) minutes", derive(source).student.cells[0].source)[1]
        row = re.compile(rf"^(\| .*\(notebooks/{source.stem}\.ipynb\) \|.*\| )\d* *\|$", re.M)
        readme = row.sub(rf"\g<1>{minutes} |", readme)
    return readme
