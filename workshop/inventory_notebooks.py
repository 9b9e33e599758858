"""The two questionnaires, before and after the course, as notebooks for build_notebooks.py.

Their sources lie beside them, notebooks/inventory/before.py and after.py, in py:percent form like the lessons,
but they have no exercises, no number, no solution and no station on the map.
"""

from pathlib import Path
from typing import NamedTuple

import jupytext
from derive_notebooks import METADATA, cell_starts
from lesson_paths import location
from nbformat import NotebookNode

FOLDER = Path("notebooks") / "inventory"
KIND = "questions"  # besides "student" and "solved", the kinds of a lesson


class Sitting(NamedTuple):
    """The source of a questionnaire, the line on which each of its cells begins, and its notebook, not yet run."""

    source: Path
    lines: list[int]
    questions: NotebookNode

    @property
    def number(self):
        """The name on the command line: before or after."""
        return self.source.stem

    def path(self, kind=KIND):
        """The file of the notebook."""
        return self.source.with_suffix(".ipynb")

    def location(self, cell):
        """The source line on which a cell (counted from 0) begins, as file:line."""
        return location(self.source, self.lines[min(cell, len(self.lines) - 1)])


def sittings(root, names=()):
    """Return the named questionnaires, or all."""
    sources = sorted((Path(root) / FOLDER).glob("*.py"))
    return [sitting(source) for source in sources if not names or source.stem in names]


def sitting(source):
    """Return the Sitting of a source file. Raises BuildError."""
    source = source.resolve()
    starts = cell_starts(source, source.read_text(encoding="utf-8").splitlines())
    notebook = jupytext.read(source, fmt="py:percent")
    notebook.metadata = NotebookNode(METADATA)
    for position, cell in enumerate(notebook.cells, 1):
        cell.id, cell.metadata = f"{source.stem}-{position:03d}", NotebookNode()
    return Sitting(source, starts, notebook)
