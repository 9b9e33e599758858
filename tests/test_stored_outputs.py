"""A lesson whose file is missing shows its stored outputs, in the notebook's own kernel, and nothing of it runs."""

import json
from pathlib import Path

import nbformat
import pytest
from build_notebooks import tidy
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook, new_output

from course_utils import stored_outputs
from course_utils.notebook import WIDGET

ROOT = Path(__file__).parents[1]
LESSON = ROOT / "notebooks" / "18_real_encoder.ipynb"
GUARD = 'from course_utils.stored_outputs import show_stored_outputs\nshow_stored_outputs("lesson", "Do this.")'
DOORS = "x = 5\ndef check(x):\n    print('checked', x)\nlook_back = check"
BROKEN = {  # what befell the files of the encoder
    "not installed": 'module.PACKAGE = "no_such_package"',
    "altered": 'module.FILES["tokenizer.json"] = "0" * 64',
}


def stream(text):
    return new_output("stream", name="stdout", text=text)


def run(sources, folder):
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    return [shown(cell.outputs) for cell in notebook.cells]


def shown(outputs):
    """Texts and kinds of pictures, without what only a running kernel shows."""
    texts = []
    for output in tidy(outputs):  # what is printed may come in pieces
        if output.output_type == "stream":
            texts.append(output.text)
        else:
            texts += [
                data if kind == "text/plain" else kind
                for kind, data in sorted(output.data.items())
                if "widget" not in kind
            ]
    return texts


@pytest.fixture
def folder(tmp_path):
    """A lesson that was run where everything was there.

    Its own first output was cleared; the solved notebook has it.
    """
    picture = new_output("display_data", data={"image/png": "aGVsbG8=", "text/plain": "<Figure>"})
    cells = {
        "print(model)": [stream("a model\n")],
        "x = model.size": [],
        "draw(model)\nplt.show()": [picture],
        "check(3)": [stream("stored\n")],
        "look_back(4)": [stream("stored\n")],
        "verdict = check(x)": [stream("stored\n")],
    }
    for name, drop in (("lesson.ipynb", "print(model)"), ("solutions/lesson.ipynb", "")):
        made = [new_code_cell(source, outputs=[] if source == drop else outputs) for source, outputs in cells.items()]
        (tmp_path / name).parent.mkdir(exist_ok=True)
        nbformat.write(new_notebook(cells=made), tmp_path / name)
    return tmp_path


def test_cells_show_what_is_stored_and_do_not_run(folder):
    guard, printed, quiet, drawn = run([GUARD, "print(model)", "x = model.size", "draw(model)\nplt.show()"], folder)
    assert guard == [] and quiet == []
    assert printed == ["a model\n"]
    assert drawn == ["image/png", "<Figure>"]


def test_checks_and_changed_cells_run(folder):
    outputs = run(
        [GUARD, DOORS, "check(3)", "look_back(4)", "print('my own')", "verdict = check(x)"],
        folder,
    )
    assert outputs[1:] == [[], ["checked 3\n"], ["checked 4\n"], ["my own\n"], ["checked 5\n"]]


def test_outside_a_notebook_nothing_happens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert stored_outputs.show_stored_outputs("lesson", "Do this.") is None


@pytest.mark.parametrize("path", [LESSON, LESSON.parent / "solutions" / LESSON.name], ids=lambda path: path.parent.name)
@pytest.mark.parametrize("broken", BROKEN)
def test_lesson_18_without_its_files_gives_its_stored_outputs(path, broken):
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    spoil = f"from course_utils import encoder as module\n{BROKEN[broken]}\ndel module"
    again = run([spoil, *(cell.source for cell in cells)], path.parent)[1:]
    for cell, outputs in zip(cells, again, strict=True):
        assert outputs == shown(cell.outputs), cell.source


def test_the_notebook_s_text_is_read_in_both_forms(tmp_path, monkeypatch):
    """A line of text or a list of lines: both are legal in a notebook."""
    cell = {"cell_type": "code", "source": ["a\n", "b"], "outputs": []}
    (tmp_path / "x.ipynb").write_text(json.dumps({"cells": [cell, {"cell_type": "markdown", "source": "c"}]}))
    monkeypatch.setattr(stored_outputs, "_stored", {})
    stored_outputs._read(tmp_path / "x.ipynb")
    assert stored_outputs._stored == {"a\nb": []}


def test_dead_widgets_and_errors_are_not_shown_again(tmp_path):
    widget = {WIDGET: {"model_id": "gone"}, "text/plain": "HTML(...)"}
    picture = {WIDGET: {"model_id": "gone"}, "image/png": "iVBOR", "text/plain": "a picture in words"}
    outputs = [
        {"output_type": "error", "ename": "KeyError", "evalue": "data", "traceback": []},
        {"output_type": "display_data", "metadata": {}, "data": widget},
        {"output_type": "display_data", "metadata": {}, "data": picture},
        {"output_type": "stream", "name": "stdout", "text": "1\n"},
    ]
    kept = [stored_outputs._without_widget(output) for output in outputs]
    assert kept[:2] == [None, None]
    assert set(kept[2]["data"]) == {"image/png", "text/plain"}
    assert kept[3] == outputs[3]
