"""The two questionnaires, before and after the course, as notebooks for build_notebooks.py.

Their sources lie beside them, notebooks/inventory/before.py and after.py, in py:percent form like the lessons,
but they have no exercises, no number, no solution and no station on the map.
"""

from pathlib import Path

from derive_notebooks import Lesson, cell_starts, notebook

FOLDER = Path("notebooks") / "inventory"
KIND = "questions"  # besides "student" and "solved", the kinds of a lesson


def sittings(root):
    """Return the questionnaires. Raises BuildError."""
    return [sitting(source.resolve()) for source in sorted((Path(root) / FOLDER).glob("*.py"))]


def sitting(source):
    """Return the questionnaire of a source file; `before` or `after` is its number. Raises BuildError."""
    text = source.read_text(encoding="utf-8").splitlines()
    starts = cell_starts(source, text)
    return Lesson(source, starts, questions=notebook(source, starts, text, link=""))
