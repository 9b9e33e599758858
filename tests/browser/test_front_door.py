"""The front door: lesson 00 as `nox -s lab` opens it, before any cell was run."""

import shutil
from pathlib import Path

import nbformat
import pytest
import real_browser as machine
from front_door import LESSON, open_door
from nbformat.sign import NotebookNotary

from course_utils.checks.student import record

LESSONS = Path(__file__).resolve().parents[2] / "notebooks"
DIRTY = "() => window.jupyterapp.shell.currentWidget.context.model.dirty"


@pytest.fixture
def door(chromium, tmp_path, monkeypatch):
    """A page with lesson 00 in a JupyterLab of its own. One exercise of lesson 05 was solved before."""
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", str(tmp_path / "record"))
    monkeypatch.setattr(record, "_this_kernel", {})
    record.write_entries(record.record_file(), {"good_row": {"state": "done", "mistakes": []}})
    work = tmp_path / "work"
    work.mkdir()
    for name in (LESSON, "05_not_good.ipynb"):
        shutil.copy(LESSONS / name, work)
    lab, context = machine.Lab(work), chromium.new_context(viewport={"width": 1280, "height": 720})
    try:
        open_door(work / LESSON, NotebookNotary(data_dir=str(lab.scratch / "data")))
        page = context.new_page()
        lab.open(page, LESSON)
        yield page
    finally:
        context.close()
        lab.stop()


def test_the_playground_moves_before_any_cell_was_run_and_the_map_says_where_to_go_on(door, shot):
    page = door
    playground = page.locator("section.look[aria-label='LookPlayground.']")
    playground.wait_for()
    page.wait_for_function("() => /Epoch [1-9]/.test(document.querySelector('.look-text').textContent)")
    assert not page.evaluate(DIRTY), "nothing was run, and nothing has to be saved"
    playground.scroll_into_view_if_needed()
    shot(page, "front-door-playground")
    card = page.locator("a[href*='05_not_good']")
    card.scroll_into_view_if_needed()
    assert "go on here · 1 of 3" in card.inner_text()
    shot(page, "front-door-map")
    card.click()
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget.context?.path === '05_not_good.ipynb'")


def test_what_the_student_changed_or_ran_stays(tmp_path):
    path = tmp_path / LESSON
    shutil.copy(LESSONS / LESSON, path)
    notary = NotebookNotary(data_dir=str(tmp_path))
    open_door(path, notary)
    first = nbformat.read(path, as_version=4)
    assert notary.check_signature(first) and "widgets" in first.metadata
    open_door(path, notary)
    assert nbformat.read(path, as_version=4) == first, "nothing new, nothing written"
    own = nbformat.read(path, as_version=4)
    for cell in own.cells:
        if cell.source.endswith("running=True)") or cell.source == "course_map()":
            cell.source, cell.outputs = "mine = 1", []
    nbformat.write(own, path)
    open_door(path, notary)
    assert nbformat.read(path, as_version=4) == own
