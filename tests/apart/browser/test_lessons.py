"""Every lesson in a real JupyterLab: opened, Run All, and its outputs are the stored ones, widgets and all.

Of the solved notebooks those with explorables that need no TensorFlow; nbval runs the others.
What runs here is not run by nbval as well (tests/runner/changed.py).
"""

import re
import shutil
from pathlib import Path

import nbformat
import pytest
from build_notebooks import tidy
from compare_notebooks import without_drawings

import course_utils.explorables as explorables
from course_utils.checks.student.covers import ANSWERS

FOLDER = Path(__file__).resolve().parents[3] / "notebooks"
KINDS = "|".join(name for name in explorables.__all__ if name[0].isupper())
MADE = re.compile(rf"^(?:\w+ = )?({KINDS})\(", re.MULTILINE)
HEAVY = re.compile(r"(import|from) (keras|tensorflow)|(cls|review|writer)_(model|baselines)")


def explorables_of(path):
    """{position of the cell: name} of the explorables that a notebook shows."""
    cells = enumerate(nbformat.read(path, as_version=4).cells)
    return {i: found[1] for i, cell in cells if cell.cell_type == "code" and (found := MADE.search(cell.source))}


def covers_of(path):
    """{position of the cell of an explorable under a cover: position of the prediction that opens it}."""
    cells = nbformat.read(path, as_version=4).cells
    predictions = [i for i, cell in enumerate(cells) if cell.source.startswith("predict(")]
    answers = {i: ANSWERS.search(cells[i].source) for i in explorables_of(path) if path.parent == FOLDER}
    return {i: predictions[int(match[1]) - 1] for i, match in answers.items() if match}


def cheap(path):
    """Whether a notebook has explorables and starts no TensorFlow."""
    return explorables_of(path) and not HEAVY.search(path.read_text(encoding="utf-8"))


NOTEBOOKS = sorted(FOLDER.glob("*.ipynb")) + [path for path in sorted(FOLDER.glob("solutions/*.ipynb")) if cheap(path)]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.relative_to(FOLDER).with_suffix("").as_posix())
def test_run_all(path, lab, page, shot):
    beside = [lab.folder / tools.name for tools in path.parent.glob("solved_*.py")]
    shutil.copy(path, lab.folder)
    for tools in beside:
        shutil.copy(path.parent / tools.name, tools)
    covers = covers_of(path)
    lab.open(page, path.name)
    try:
        for cell in explorables_of(path):  # the static figure, before anything runs
            output(page, cell).locator("img").wait_for(state="hidden" if cell in covers else "visible")
        lab.run_all(page, seconds=900)  # ends what hangs; a slow machine decides nothing
        cells = page.evaluate("() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells")
        shot(page, f"lessons/{path.relative_to(FOLDER).with_suffix('')}")
        for cell, name in explorables_of(path).items():
            if cell in covers:
                output(page, covers[cell]).get_by_role("radio").first.click()
            widget = output(page, cell).locator(f"section.look[aria-label^='{name}']")
            widget.wait_for()
            widget.evaluate("(node) => node.scrollIntoView()")  # what was drawn above it has moved it
            shot(page, f"lessons/{path.relative_to(FOLDER).with_suffix('')}-{name}")
    finally:
        lab.close(page)
        for tools in beside:
            tools.unlink()
    stored = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    ran = [nbformat.from_dict(cell) for cell in cells if cell["cell_type"] == "code"]
    assert [cell.execution_count for cell in ran] == list(range(1, len(ran) + 1))
    assert [(cell.source, texts_of(cell)) for cell in ran] == [(cell.source, texts_of(cell)) for cell in stored]


def texts_of(cell):
    """The outputs of a cell; of a picture only that it is there, of a widget its static form."""
    outputs = without_drawings({"outputs": tidy(cell.outputs)})["outputs"]
    return [{name: part for name, part in output.items() if name != "execution_count"} for output in outputs]


def output(page, position):
    """The output area of a cell, brought into sight."""
    page.evaluate(
        "(i) => window.jupyterapp.shell.currentWidget.content.scrollToItem(i, 'start').then(() => null)", position
    )
    return page.locator(f".jp-Notebook .jp-Cell[data-windowed-list-index='{position}'] .jp-Cell-outputArea")
