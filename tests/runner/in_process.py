"""Runs the cells of a lesson in this process, without a kernel: in a second or two, and with functions exchanged."""

import contextlib
import functools
import io
import linecache

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from derive_notebooks import derive

matplotlib.use("agg")
derived = functools.cache(derive)  # of a lesson both notebooks are made at once


def outputs(source, kind, go_on=True, last=""):
    """Yield what each code cell of a lesson's "student" or "solved" notebook prints.

    With go_on=False an error of a cell is raised; else its name is printed, and the next cell runs.
    last: the lesson ends behind the last cell that holds this text.
    """
    space, cells = {"__name__": "__main__"}, getattr(derived(source), kind).cells
    places = [place for place, cell in enumerate(cells) if cell.cell_type == "code"]
    end = max(place for place in places if last in cells[place].source)
    for place in places[: places.index(end) + 1]:
        yield run(cells[place].source, f"<{source.stem}, {kind}, cell {place}>", space, go_on)


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
