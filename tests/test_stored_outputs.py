"""A lesson whose file is missing shows its stored outputs, in the notebook's own kernel, and nothing of it runs."""

from pathlib import Path

import nbformat
import pytest
from build_notebooks import tidy
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook, new_output

from course_utils.computer import stored_outputs
from course_utils.computer.notebook import WIDGET

LESSON = Path(__file__).parents[1] / "notebooks" / "19_real_encoder.ipynb"
GUARD = f"from {stored_outputs.__name__} import show_stored_outputs\nshow_stored_outputs('lesson', 'Do this.')"
DOORS = "x = 5\ndef check(x):\n    print('checked', x)\nlook_back = check"
BROKEN = {  # what befell the files of the encoder
    "not installed": 'module.PACKAGE = "no_such_package"',
    "altered": 'module.FILES["tokenizer.json"] = "0" * 64',
}


def run(sources, folder):
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    return [shown(cell.outputs) for cell in notebook.cells]


def shown(outputs):
    """Texts and kinds of pictures, without what only a running kernel shows."""
    texts = []
    for output in tidy(outputs):  # what is printed may come in pieces
        data = {"text/plain": output.text} if output.output_type == "stream" else output.data
        texts += [data[kind] if kind == "text/plain" else kind for kind in sorted(data) if "widget" not in kind]
    return texts


def test_cells_show_what_is_stored_and_checks_and_changed_cells_run(tmp_path):
    """The lesson was run where everything was there; its first output was cleared, but the solved notebook has it."""
    dead = {WIDGET: {"model_id": "gone"}, "text/plain": "a widget in words"}
    outputs = {
        "print(model)": [new_output("stream", name="stdout", text="a model\n")],
        "x = model.size": [new_output("error", ename="KeyError"), new_output("display_data", data=dead)],
        "draw(model)\nplt.show()": [new_output("display_data", data=dead | {"image/png": "aGVsbG8="})],
        "check(3)": [new_output("stream", name="stdout", text="stored\n")],
    }
    for name, cleared in (("lesson.ipynb", "print(model)"), ("solutions/lesson.ipynb", "")):
        cells = [new_code_cell(source, outputs=outputs[source] if source != cleared else []) for source in outputs]
        (tmp_path / name).parent.mkdir(exist_ok=True)
        nbformat.write(new_notebook(cells=cells), tmp_path / name)
    live = {
        DOORS: [],
        "check(3)": ["checked 3\n"],
        "look_back(4)": ["checked 4\n"],
        "print('my own')": ["my own\n"],
        "verdict = check(x)": ["checked 5\n"],
    }
    stored = [[], ["a model\n"], [], ["image/png", "a widget in words"]]
    assert run([GUARD, *list(outputs)[:3], *live], tmp_path) == [*stored, *live.values()]


def test_outside_a_notebook_nothing_happens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert stored_outputs.show_stored_outputs("lesson", "Do this.") is None


@pytest.mark.parametrize("path", [LESSON, LESSON.parent / "solutions" / LESSON.name], ids=lambda path: path.parent.name)
@pytest.mark.parametrize("broken", BROKEN)
def test_lesson_19_without_its_files_gives_its_stored_outputs(path, broken):
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    spoil = f"from course_utils.models import encoder as module\n{BROKEN[broken]}\ndel module"
    again = run([spoil, *(cell.source for cell in cells)], path.parent)[1:]
    for cell, outputs in zip(cells, again, strict=True):
        assert outputs == shown(cell.outputs), cell.source
