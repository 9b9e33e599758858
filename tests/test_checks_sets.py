"""One exercise, one name: its heading, its fenced solution, its check, and its place in lessons.json."""

import ast
import re
from pathlib import Path

import nbformat
import pytest
from lesson_time import EXERCISE

from course_utils.checks.exercises import LESSONS

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "notebooks" / "source").glob("*.py"))
every_lesson = pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)


def parts(source):
    """Return (name, text) for each exercise: from its heading to the next one, or to the end."""
    text = re.sub(r"^# (?=### Exercise)", "", source.read_text(encoding="utf-8"), flags=re.M)
    found = list(EXERCISE.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    return [(match[1], text[match.start() : end]) for match, end in zip(found, ends, strict=True)]


def checked(source):
    """Return the names that the lesson's check calls use, in order."""
    calls = [n for n in ast.walk(ast.parse(source.read_text(encoding="utf-8"))) if isinstance(n, ast.Call)]
    found = [(c.lineno, c.args[0].value) for c in calls if isinstance(c.func, ast.Name) and c.func.id == "check"]
    return [name for _, name in sorted(found)]


@every_lesson
def test_headings_checks_and_registered_names_are_the_same(source):
    headings = [name for name, _ in parts(source)]
    assert headings == checked(source)
    assert headings == LESSONS.get(source.stem[:2], [])


@pytest.mark.parametrize(
    ("folder", "verdict"), [("notebooks", "○ {}: not started"), ("notebooks/solutions", "✓ {}: done")]
)
def test_stored_verdicts(folder, verdict):
    """The untouched notebook is not started, the solved one done: nbval proves that they still come out so."""
    for path in sorted((ROOT / folder).glob("*.ipynb")):
        cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        shown = [o.data["text/plain"] for c in cells for o in c.outputs if o.output_type == "execute_result"]
        names = LESSONS.get(path.stem[:2], ())
        verdicts = [text.split(".")[0] for text in shown if text[0] in "○✗✓"]
        assert verdicts == [verdict.format(name) for name in names], path.name
