"""The two questionnaires as notebooks, before and after the course, for build_notebooks.py.

Their sources lie beside them, notebooks/inventory/before.py and after.py, in the form of the lessons: py:percent,
without exercises. They are no lessons: they have no number, no solution and no place on the map.
"""

from pathlib import Path
from typing import NamedTuple

import jupytext
from derive_notebooks import METADATA, cell_starts
from lesson_paths import place
from nbformat import NotebookNode

FOLDER = Path("notebooks") / "inventory"
KIND = "questions"  # what the build calls them, beside the student's and the solved notebook of a lesson


class Sitting(NamedTuple):
    """The source of a questionnaire, the line on which each of its cells begins, and its notebook, not yet run."""

    source: Path
    lines: list[int]
    questions: NotebookNode

    @property
    def number(self):
        """What the build is asked for: before or after."""
        return self.source.stem

    def path(self, kind=KIND):
        """The file of the notebook."""
        return self.source.with_suffix(".ipynb")

    def place(self, cell):
        """The source line on which a cell begins, counted from 0, as file:line."""
        return place(self.source, self.lines[min(cell, len(self.lines) - 1)])


def sittings(root, names=()):
    """Return the questionnaires that are named, all without a name; none where the course has none."""
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
