"""The front door: lesson 00 as `nox -s lab` opens it, before any cell was run."""

import shutil

import front_door
import nbformat
import pytest
import real_browser as machine
from front_door import MAP, MARK, PLAYGROUND, SHIPPED, cell_of, main, open_door
from nbformat.sign import NotebookNotary

from course_utils.checks.student import record

LESSONS, LESSON = SHIPPED.parent, SHIPPED.name
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
    playground.scroll_into_view_if_needed()  # it waits until somebody sees it
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
    (tmp_path / "other").mkdir()
    other = NotebookNotary(data_dir=str(tmp_path / "other"))  # of another JupyterLab
    open_door(path, other)
    assert other.check_signature(nbformat.read(path, as_version=4))
    own = nbformat.read(path, as_version=4)
    for cell in own.cells:
        if cell.source.endswith("running=True)") or cell.source == "course_map()":
            cell.source, cell.outputs = "mine = 1", []
    nbformat.write(own, path)
    open_door(path, notary)
    assert nbformat.read(path, as_version=4) == own


def from_elsewhere(folder):
    """Open the door where another notary signs. Returns the path of the lesson, and the lesson as it lies there."""
    path, elsewhere = folder / LESSON, folder / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(LESSONS / LESSON, path)
    open_door(path, NotebookNotary(data_dir=str(elsewhere)))
    return path, nbformat.read(path, as_version=4)


def test_a_notebook_of_somebody_else_is_not_trusted_by_the_way(tmp_path):
    notary, path = NotebookNotary(data_dir=str(tmp_path)), tmp_path / LESSON
    strange = nbformat.read(LESSONS / LESSON, as_version=4)
    code = [cell for cell in strange.cells if cell.cell_type == "code"]
    code[5].outputs = [nbformat.v4.new_output("display_data", {"text/html": "<script>steal()</script>"})]
    nbformat.write(strange, path)
    open_door(path, notary)
    assert not notary.check_signature(nbformat.read(path, as_version=4))


@pytest.mark.parametrize("last_line", [PLAYGROUND, MAP])
def test_what_somebody_else_put_into_our_two_cells_is_not_trusted_either(tmp_path, last_line):
    path, strange = from_elsewhere(tmp_path)
    cell_of(strange, last_line).outputs.append(
        nbformat.v4.new_output("display_data", {"text/html": "<script>steal()</script>"})
    )
    nbformat.write(strange, path)
    notary = NotebookNotary(data_dir=str(tmp_path))
    open_door(path, notary)
    found = nbformat.read(path, as_version=4)
    assert "steal" not in path.read_text(encoding="utf-8") or not notary.check_signature(found)


@pytest.mark.parametrize("marked", [False, True])
def test_widgets_of_somebody_else_are_not_trusted_and_stay(tmp_path, marked):
    path, strange = from_elsewhere(tmp_path)
    [state] = [one["state"] for one in strange.metadata.widgets.values()]
    state["strange"] = {"model_name": "AnyModel", "state": {"_esm": "steal()"}}
    if not marked:
        del strange.metadata[MARK]
    nbformat.write(strange, path)
    notary = NotebookNotary(data_dir=str(tmp_path))
    open_door(path, notary)
    assert "steal" in path.read_text(encoding="utf-8")
    assert not notary.check_signature(nbformat.read(path, as_version=4))


def test_a_cell_with_more_in_it_keeps_its_outputs(tmp_path):
    path = tmp_path / LESSON
    own = nbformat.read(LESSONS / LESSON, as_version=4)
    for cell in own.cells:
        if cell.source == "course_map()":
            cell.source = "print('my note')\ncourse_map()"
            cell.outputs = [nbformat.v4.new_output("stream", text="my note")]
    nbformat.write(own, path)
    open_door(path, NotebookNotary(data_dir=str(tmp_path)))
    kept = [cell.outputs for cell in nbformat.read(path, as_version=4).cells if cell.source.startswith("print('my")]
    assert [output.text for output in kept[0]] == ["my note"]


def test_an_older_playground_of_ours_is_renewed_and_one_of_the_student_s_is_not(tmp_path):
    path, notary = tmp_path / LESSON, NotebookNotary(data_dir=str(tmp_path))
    shutil.copy(LESSONS / LESSON, path)
    open_door(path, notary)
    old = nbformat.read(path, as_version=4)
    [state] = [one["state"] for one in old.metadata.widgets.values()]
    for model in old.metadata[MARK]:
        if "_esm" in state[model]["state"]:
            state[model]["state"]["_esm"] = "of yesterday"
    nbformat.write(old, path)
    open_door(path, notary)
    assert "of yesterday" not in path.read_text(encoding="utf-8")
    del old.metadata[MARK]  # JupyterLab wrote the state of a kernel's widgets
    nbformat.write(old, path)
    open_door(path, notary)
    assert "of yesterday" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("shown, stays", [(".", True), ("elsewhere", False)])
def test_a_lesson_that_a_jupyterlab_shows_is_not_changed_on_disk(tmp_path, monkeypatch, shown, stays):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(front_door, "list_running_servers", lambda: [{"root_dir": str(tmp_path / shown)}])
    shutil.copy(LESSONS / LESSON, tmp_path)
    assert main([str(tmp_path)]) == 0
    assert ((tmp_path / LESSON).read_bytes() == SHIPPED.read_bytes()) == stays


@pytest.mark.parametrize("content", ["", "{", '{"cells": [], "nbformat": 4}'])
def test_a_damaged_lesson_does_not_keep_the_course_from_opening(tmp_path, capsys, content):
    (tmp_path / LESSON).write_text(content)
    assert main([str(tmp_path)]) == 0
    assert (tmp_path / LESSON).read_text() == content
