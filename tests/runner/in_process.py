"""Runs the cells of a lesson in this process, without a kernel: in a second or two, and with functions exchanged."""

import contextlib
import copy
import functools
import io
import linecache
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from derive_notebooks import derive

from course_utils.checks.student import record

SOURCES = Path(__file__).resolve().parents[2] / "notebooks" / "source"

matplotlib.use("agg")
derived = functools.cache(derive)  # of a lesson both notebooks are made at once


def outputs(source, kind, go_on=True, last=""):
    """Yield what each code cell of a lesson's "student" or "solved" notebook prints.

    With go_on=False an error of a cell is raised; else its name is printed, and the next cell runs.
    last: the lesson ends behind the last cell that holds this text.
    """
    space, cells = {"__name__": "__main__"}, code_cells(source, kind)
    end = max(place for place, code in cells if last in code)
    for place, code in cells:
        if place <= end:
            yield run(code, f"<{source.stem}, {kind}, cell {place}>", space, go_on)


def code_cells(source, kind):
    """The code cells of a notebook: (place among all cells, text) each."""
    cells = getattr(derived(source), kind).cells
    return [(place, cell.source) for place, cell in enumerate(cells) if cell.cell_type == "code"]


class Rerun:
    """A lesson that runs once as a whole, and then again and again from any of some places, as it was there.

    begins(code): whether a cell is such a place. Names are put back into the same space, which the functions of the
    lesson look into; arrays and containers are copies. `printed` holds what the cells printed the first time.
    """

    def __init__(self, source, kind, begins):
        self.cells = code_cells(source, kind)
        self.space, self.kept, self.printed = {"__name__": "__main__"}, {}, []
        self.where, self.begins = f"{source.stem}, {kind}", begins

    def run(self, first=0):
        """Return an iterator over what the cells print, from the one with this number among the code cells."""
        if self.kept:
            self.space.clear()
            self.space.update(own(self.kept[first]))
        return self._run(first)

    def _run(self, first):
        for number, (place, code) in enumerate(self.cells[first:], first):
            if first == 0 and self.begins(code) and number not in self.kept:
                self.kept[number] = own(self.space)
            yield run(code, f"<{self.where}, cell {place}>", self.space, go_on=True)


def own(value):
    """A copy of what a cell may change in place; functions, modules and models stay what they are."""
    if isinstance(value, dict) and type(value) is dict:
        return {name: one if name == "__builtins__" else own(one) for name, one in value.items()}
    if type(value) in (list, tuple, set):
        return type(value)(own(one) for one in value)
    if isinstance(value, np.ndarray | np.random.Generator):
        return copy.deepcopy(value)
    return value


def space_of(number, last, change=("", ""), skip=()):
    """Return the names of a solved lesson behind the cell that holds the text `last`.

    change: a text that stands in one of its cells, and what a student writes in its place.
    skip: texts of cells that take long and that the rest does not need.
    """
    [source] = SOURCES.glob(f"{number}_*.py")
    cells = [(place, code) for place, code in code_cells(source, "solved") if not any(text in code for text in skip)]
    end = next(place for place, code in cells if last in code)
    assert any(change[0] in code for place, code in cells if place <= end), f"{change[0]!r} stands nowhere"
    space = {"__name__": "__main__"}
    with as_a_new_kernel():
        for place, code in cells:
            if place <= end:
                run(code.replace(*change) if change[0] else code, f"<{source.stem}, tried, cell {place}>", space, False)
    return space


@contextlib.contextmanager
def as_a_new_kernel():
    """What the checks of the lesson remember is forgotten behind it."""
    memories = record.done_here, record._this_kernel
    before = [dict(memory) for memory in memories]
    try:
        yield
    finally:
        for memory, entries in zip(memories, before, strict=True):
            memory.clear()
            memory.update(entries)


def run(source, file, space, go_on):
    """Run a cell and return what it prints. inspect finds its source, as in a notebook."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    out = io.StringIO()
    with contextlib.redirect_stdout(out), np.errstate(all="ignore"):
        try:
            exec(compile(source, file, "exec"), space)
        except Exception as error:
            if not go_on:
                raise
            print(type(error).__name__)
        finally:
            plt.close("all")
    return out.getvalue()
