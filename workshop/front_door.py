"""Prepare the first lesson: the playground runs before any cell was executed, and the map is up to date.

    python workshop/front_door.py [FOLDER]    instead of my_work

It writes only two outputs into the student's copy of lesson 00; cells that the student changed and the student's own
outputs stay. It signs the notebook, so that JupyterLab shows these outputs, if JupyterLab trusted it before or if all
of its outputs come from the course.
"""

import copy
import sys
from pathlib import Path

import nbformat
from ipywidgets.embed import dependency_state
from jupyter_server.serverapp import list_running_servers
from nbformat.sign import NotebookNotary

from course_utils.checks import course_map
from course_utils.computer.notebook import WIDGET
from course_utils.explorables import LookPlayground

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = ROOT / "notebooks" / "00_start_here.ipynb"
PLAYGROUND, MAP = 'LookPlayground("usual", running=True, reduced=True)', "course_map()"
STATE = "application/vnd.jupyter.widget-state+json"
MARK = "front_door"  # in the notebook's metadata: the ids of our widgets


def main(arguments=None):
    """Prepare the lesson in a folder. Always returns 0: the course opens even if the lesson is damaged."""
    arguments = sys.argv[1:] if arguments is None else arguments
    path = (Path(arguments[0]) if arguments else ROOT / "my_work") / SHIPPED.name
    try:
        if path.is_file() and not is_open(path.parent):
            open_door(path)
    except Exception as problem:  # a damaged notebook is the student's to repair
        print(f"{path.name} stays as it is: {problem}")
    return 0


def is_open(folder):
    """Whether a JupyterLab was started in this folder: files open there must not change on disk.

    One started in a parent folder may have none of them open; it asks before it overwrites a changed file.
    """
    return any(Path(server["root_dir"]).resolve() == folder.resolve() for server in list_running_servers())


def open_door(path, notary=None):
    """Write both outputs into the notebook at `path`. notary: signs it, by default JupyterLab's own."""
    notebook, notary = nbformat.read(path, as_version=4), notary or NotebookNotary()
    trusted = notary.check_signature(notebook)
    if not trusted and has_only_course_outputs(bare := without_door(notebook)):
        notebook, trusted = bare, True  # both outputs are rewritten, whoever wrote the old ones
    changed = [write(notebook) for write in (write_playground, write_map)]
    if not any(changed):
        return
    part = path.with_name(path.name + ".part")
    nbformat.write(notebook, part)
    part.replace(path)  # atomically: never half written
    if trusted:
        notary.sign(notebook)


def cell_of(notebook, last_line):
    """The cell that ends with this line, as the course wrote it; None if it is gone."""
    sources = {cell.source for cell in shipped_lesson().cells if cell.source.endswith(last_line)}
    return next((cell for cell in notebook.cells if cell.cell_type == "code" and cell.source in sources), None)


def shipped_lesson():
    """The lesson as shipped with the course."""
    return nbformat.read(SHIPPED, as_version=4)


def without_door(notebook):
    """A copy without the two outputs and without the widgets of an earlier run of this program."""
    bare = copy.deepcopy(notebook)
    for cell in (cell_of(bare, PLAYGROUND), cell_of(bare, MAP)):
        if cell is not None:
            cell.outputs = []
    if bare.metadata.pop(MARK, None) == sorted(models_of(bare)):
        bare.metadata.pop("widgets", None)
    return bare


def has_only_course_outputs(notebook):
    """Whether every output was shipped with the course, and there are no widgets."""
    ours = [output for cell in shipped_lesson().cells if cell.cell_type == "code" for output in cell.outputs]
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return "widgets" not in notebook.metadata and all(output in ours for output in outputs)


def models_of(notebook):
    """The widgets stored in a notebook: id -> model."""
    return notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})


def write_map(notebook):
    """Write the map of the current progress. Returns whether that changes anything."""
    cell, current = cell_of(notebook, MAP), course_map()
    data = {"text/plain": repr(current), "text/html": current._repr_html_()}
    if cell is None or len(cell.outputs) > 1 or (cell.outputs and cell.outputs[0].get("data") == data):
        return False
    cell.outputs = [nbformat.v4.new_output("execute_result", data, execution_count=cell.execution_count)]
    return True


def write_playground(notebook):
    """Store the playground's state in the notebook, unless the student has run the lesson and saved it."""
    cell, before = cell_of(notebook, PLAYGROUND), models_of(notebook)
    scripts = [before[model]["state"].get("_esm") for model in notebook.metadata.get(MARK, ()) if model in before]
    if cell is None or (before and not scripts) or LookPlayground._esm in scripts or len(cell.outputs) > 1:
        return False
    playground = LookPlayground("usual", running=True, reduced=True)
    models = dependency_state([playground], drop_defaults=False)
    data, metadata = playground._repr_mimebundle_()
    data[WIDGET] = {"version_major": 2, "version_minor": 0, "model_id": playground.model_id}
    output = nbformat.v4.new_output("execute_result", data, execution_count=cell.execution_count, metadata=metadata)
    cell.outputs, notebook.metadata[MARK] = [output], sorted(models)
    notebook.metadata["widgets"] = {STATE: {"version_major": 2, "version_minor": 0, "state": models}}
    return True


if __name__ == "__main__":
    sys.exit(main())
