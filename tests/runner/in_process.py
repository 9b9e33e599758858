"""Run the cells of a lesson in this process, without a kernel: fast, and with functions replaced."""

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
derive_cached = functools.cache(derive)  # it makes both notebooks of a lesson at once


def outputs(source, kind, go_on=True, last=""):
    """Yield what each code cell of a lesson's "student" or "solved" notebook prints.

    With go_on=False an error in a cell is raised; otherwise its name is printed, and the next cell runs.
    last: stop after the last cell that contains this text.
    """
    space, cells = {"__name__": "__main__"}, code_cells(source, kind)
    end = max(position for position, code in cells if last in code)
    for position, code in cells:
        if position <= end:
            yield run(code, f"<{source.stem}, {kind}, cell {position}>", space, go_on)


def code_cells(source, kind):
    """The code cells of a notebook: (position among all cells, text) each."""
    cells = getattr(derive_cached(source), kind).cells
    return [(position, cell.source) for position, cell in enumerate(cells) if cell.cell_type == "code"]


class Rerun:
    """A lesson that runs once as a whole, and can then be rerun from any of its checkpoints.

    is_checkpoint(code): whether to save the state before a cell. Names are restored into the same namespace, which the
    functions of the lesson use; arrays and containers are copied. `printed` holds the output of the first run.
    """

    def __init__(self, source, kind, is_checkpoint):
        self.cells = code_cells(source, kind)
        self.space, self.snapshots, self.printed = {"__name__": "__main__"}, {}, []
        self.label, self.is_checkpoint = f"{source.stem}, {kind}", is_checkpoint

    def run(self, first=0):
        """Return an iterator over what the cells print, starting at this index among the code cells."""
        if self.snapshots:
            self.space.clear()
            self.space.update(copy_mutable(self.snapshots[first]))
        return self._run(first)

    def _run(self, first):
        for i, (position, code) in enumerate(self.cells[first:], first):
            if first == 0 and self.is_checkpoint(code) and i not in self.snapshots:
                self.snapshots[i] = copy_mutable(self.space)
            yield run(code, f"<{self.label}, cell {position}>", self.space, go_on=True)


def copy_mutable(value):
    """A copy of what a cell may change in place; functions, modules and models are not copied."""
    if isinstance(value, dict) and type(value) is dict:
        return {name: one if name == "__builtins__" else copy_mutable(one) for name, one in value.items()}
    if type(value) in (list, tuple, set):
        return type(value)(copy_mutable(one) for one in value)
    if isinstance(value, np.ndarray | np.random.Generator):
        return copy.deepcopy(value)
    return value


def space_of(number, last, change=("", ""), skip=()):
    """Return the namespace of a solved lesson after the cell that contains the text `last`.

    change: (text in one of the cells, replacement by a student).
    skip: texts of slow cells that the rest does not need.
    """
    [source] = SOURCES.glob(f"{number}_*.py")
    cells = [(i, code) for i, code in code_cells(source, "solved") if not any(text in code for text in skip)]
    end = next(i for i, code in cells if last in code)
    assert any(change[0] in code for i, code in cells if i <= end), f"{change[0]!r} is in no cell"
    space = {"__name__": "__main__"}
    with fresh_memory():
        for i, code in cells:
            if i <= end:
                run(code.replace(*change) if change[0] else code, f"<{source.stem}, tried, cell {i}>", space, False)
    return space


@contextlib.contextmanager
def fresh_memory():
    """Undo what the checks remember of the lesson."""
    memories = record.done_answers, record._this_kernel
    before = [dict(memory) for memory in memories]
    try:
        yield
    finally:
        for memory, entries in zip(memories, before, strict=True):
            memory.clear()
            memory.update(entries)


def run(source, file, space, go_on):
    """Run a cell and return its output. inspect finds its source, as in a notebook."""
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
