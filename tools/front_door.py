"""Let the first lesson welcome its reader: the playground moves before any cell was run, and the map is up to date.

    python tools/front_door.py [FOLDER]    in place of my_work

It writes two outputs into the student's copy of lesson 00, and nothing else: a cell that the student changed stays as
it is, and so does a playground that the student has run. Then it signs the notebook, as JupyterLab does when one saves,
so that JupyterLab shows what stands in it.
"""

import sys
from pathlib import Path

import nbformat
from ipywidgets.embed import dependency_state
from nbformat.sign import NotebookNotary

from course_utils.checks import course_map
from course_utils.explorables import LookPlayground
from course_utils.notebook import WIDGET

ROOT = Path(__file__).resolve().parents[1]
LESSON = "00_start_here.ipynb"
PLAYGROUND, MAP = 'LookPlayground("usual", running=True)', "course_map()"
STATE = "application/vnd.jupyter.widget-state+json"


def main(arguments=None):
    """Prepare the lesson in a folder. Returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    path = (Path(arguments[0]) if arguments else ROOT / "my_work") / LESSON
    if path.is_file():
        open_door(path)
    return 0


def open_door(path, notary=None):
    """Write what the reader finds into the notebook at `path`. notary: what signs it, by default JupyterLab's own."""
    notebook = nbformat.read(path, as_version=4)
    changed = [put(notebook) for put in (put_playground, put_map)]
    if not any(changed):
        return
    part = path.with_name(path.name + ".part")
    nbformat.write(notebook, part)
    part.replace(path)  # in one step: nothing is half written
    (notary or NotebookNotary()).sign(notebook)


def cell_of(notebook, last_line):
    """The cell that ends with this line, as the course wrote it; None where there is none any more."""
    cells = (cell for cell in notebook.cells if cell.cell_type == "code")
    return next((cell for cell in cells if cell.source.rstrip().endswith(last_line)), None)


def put_map(notebook):
    """Show the map as the record has it now. Returns whether that changes anything."""
    cell, now = cell_of(notebook, MAP), course_map()
    data = {"text/plain": repr(now), "text/html": now._repr_html_()}
    if cell is None or (cell.outputs and cell.outputs[0].get("data") == data):
        return False
    cell.outputs = [nbformat.v4.new_output("execute_result", data, execution_count=cell.execution_count)]
    return True


def put_playground(notebook):
    """Let the playground run from the notebook's own state, unless widgets of the student's are stored there."""
    cell = cell_of(notebook, PLAYGROUND)
    if cell is None or "widgets" in notebook.metadata:
        return False
    playground = LookPlayground("usual", running=True)
    data, metadata = playground._repr_mimebundle_()
    data[WIDGET] = {"version_major": 2, "version_minor": 0, "model_id": playground.model_id}
    output = nbformat.v4.new_output("execute_result", data, execution_count=cell.execution_count, metadata=metadata)
    cell.outputs = [output]
    models = dependency_state([playground], drop_defaults=False)
    notebook.metadata["widgets"] = {STATE: {"version_major": 2, "version_minor": 0, "state": models}}
    return True


if __name__ == "__main__":
    sys.exit(main())
