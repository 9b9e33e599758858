"""The front door: lesson 00 as `nox -s lab` opens it, before any cell was run."""

import shutil

import front_door
import nbformat
import pytest
import real_browser as machine
from front_door import MAP, MARK, PLAYGROUND, SHIPPED, cell_of, main, models_of, open_door
from nbformat.sign import NotebookNotary

from course_utils.checks.student import record

LESSONS, LESSON = SHIPPED.parent, SHIPPED.name
DIRTY = "() => window.jupyterapp.shell.currentWidget.context.model.dirty"


def test_the_playground_moves_before_any_cell_was_run_and_the_map_says_where_to_go_on(chromium, tmp_path, monkeypatch):
    """One exercise of lesson 05 was solved before."""
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", str(tmp_path / "record"))
    monkeypatch.setattr(record, "_this_kernel", {})
    record.write_entries(record.record_file(), {"conceptual_keys": {"state": "done", "mistakes": []}})
    work = tmp_path / "work"
    work.mkdir()
    for name in (LESSON, "05_not_good.ipynb"):
        shutil.copy(LESSONS / name, work)
    lab, context = machine.Lab(work), chromium.new_context(viewport={"width": 1280, "height": 720})
    try:
        open_door(work / LESSON, NotebookNotary(data_dir=str(lab.scratch / "data")))
        page = context.new_page()
        lab.open(page, LESSON)
        playground = page.locator("section.look[aria-label='LookPlayground.']")
        playground.wait_for()
        playground.scroll_into_view_if_needed()  # it waits until somebody sees it
        page.wait_for_function("() => /Epoch [1-9]/.test(document.querySelector('.look-text').textContent)")
        assert not page.evaluate(DIRTY), "nothing was run, and nothing has to be saved"
        card = page.locator("a[href*='05_not_good']", has_text="05 not good")
        card.scroll_into_view_if_needed()
        assert "go on here · 1 of 2" in card.inner_text()
        card.click()
        page.wait_for_function("() => window.jupyterapp.shell.currentWidget.context?.path === '05_not_good.ipynb'")
    finally:
        context.close()
        lab.stop()


@pytest.fixture
def opened(tmp_path):
    """A function that opens the door for a JupyterLab: the lesson then, and whether it is trusted there."""
    path = tmp_path / LESSON
    shutil.copy(LESSONS / LESSON, path)

    def open_by(lab, changed=None):
        if changed:
            nbformat.write(changed, path)
        (tmp_path / lab).mkdir(exist_ok=True)
        notary = NotebookNotary(data_dir=str(tmp_path / lab))
        open_door(path, notary)
        lesson = nbformat.read(path, as_version=4)
        return lesson, notary.check_signature(lesson)

    return open_by


def test_what_the_student_changed_or_ran_stays(opened):
    first, trusted = opened("here")
    assert trusted and "widgets" in first.metadata
    assert opened("here") == (first, True), "nothing new, nothing written"
    own, trusted = opened("elsewhere")
    assert trusted
    cell_of(own, PLAYGROUND).update(source="mine = 1", outputs=[])
    noted = nbformat.v4.new_output("stream", text="my note")
    cell_of(own, MAP).update(source="print('my note')\ncourse_map()", outputs=[noted])
    assert opened("here", own)[0] == own


def an_output(lesson):
    """Something of somebody else, in a cell of the lesson."""
    code = [cell for cell in lesson.cells if cell.cell_type == "code"]
    code[3].outputs = [nbformat.v4.new_output("display_data", {"text/html": "<script>steal()</script>"})]


def an_output_of_ours(lesson, last_line):
    cell_of(lesson, last_line).outputs += [nbformat.v4.new_output("stream", text="steal()")]


def another_widget(lesson):
    models_of(lesson)["strange"] = {"model_name": "AnyModel", "state": {"_esm": "steal()"}}


def another_script(lesson):
    """The markup of an older version's playground."""
    (model,) = [model for model in models_of(lesson).values() if "_esm" in model["state"]]
    model["state"]["_esm"] = "steal()"


def unmarked(change, lesson):
    """As JupyterLab writes the state of a kernel's widgets."""
    change(lesson)
    del lesson.metadata[MARK]


@pytest.mark.parametrize(
    ("change", "stays"),
    [
        (an_output, True),
        (lambda lesson: an_output_of_ours(lesson, PLAYGROUND), False),
        (lambda lesson: an_output_of_ours(lesson, MAP), False),
        (another_widget, True),
        (lambda lesson: unmarked(another_widget, lesson), True),
        (another_script, False),
        (lambda lesson: unmarked(another_script, lesson), True),
    ],
)
def test_what_comes_from_elsewhere_is_renewed_or_not_trusted(change, stays, opened):
    strange, _ = opened("elsewhere")
    change(strange)
    lesson, trusted = opened("here", strange)
    assert ("steal()" in nbformat.writes(lesson)) == stays != trusted


@pytest.mark.parametrize("shown, stays", [(".", True), ("elsewhere", False)])
def test_a_lesson_that_a_jupyterlab_shows_is_not_changed_on_disk(tmp_path, monkeypatch, shown, stays):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(front_door, "list_running_servers", lambda: [{"root_dir": str(tmp_path / shown)}])
    shutil.copy(LESSONS / LESSON, tmp_path)
    assert main([str(tmp_path)]) == 0
    assert ((tmp_path / LESSON).read_bytes() == SHIPPED.read_bytes()) == stays


@pytest.mark.parametrize("content", ["", "{", '{"cells": [], "nbformat": 4}'])
def test_a_damaged_lesson_does_not_keep_the_course_from_opening(tmp_path, content):
    (tmp_path / LESSON).write_text(content)
    assert main([str(tmp_path)]) == 0
    assert (tmp_path / LESSON).read_text() == content
