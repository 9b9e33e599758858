"""Let the first lesson welcome its reader: the playground moves before any cell was run, and the map is up to date.

    python workshop/front_door.py [FOLDER]    in place of my_work

It writes two outputs into the student's copy of lesson 00, and nothing else: a cell that the student changed stays as
it is, and so do outputs of the student's own. It signs the notebook, so that JupyterLab shows what stands in it, if
JupyterLab trusted it before or if all that stands in it comes from the course.
"""

import copy
import sys
from pathlib import Path

import nbformat
from ipywidgets.embed import dependency_state
from jupyter_server.serverapp import list_running_servers
from nbformat.sign import NotebookNotary

from course_utils.checks import course_map
from course_utils.explorables import LookPlayground
from course_utils.notebook import WIDGET

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = ROOT / "notebooks" / "00_start_here.ipynb"
PLAYGROUND, MAP = 'LookPlayground("usual", running=True)', "course_map()"
STATE = "application/vnd.jupyter.widget-state+json"
MARK = "front_door"  # in the notebook's metadata: the widgets that stand there are ours


def main(arguments=None):
    """Prepare the lesson in a folder. Returns the exit status: the course opens, whatever is wrong with the lesson."""
    arguments = sys.argv[1:] if arguments is None else arguments
    path = (Path(arguments[0]) if arguments else ROOT / "my_work") / SHIPPED.name
    try:
        if path.is_file() and not is_open(path.parent):
            open_door(path)
    except Exception as problem:  # a damaged notebook is the student's to mend
        print(f"{path.name} stays as it is: {problem}")
    return 0


def is_open(folder):
    """Whether a JupyterLab was started in this folder: what is open there must not change on disk.

    One that was started in a folder above may have nothing of it open; it asks before it writes over a changed file.
    """
    return any(Path(server["root_dir"]).resolve() == folder.resolve() for server in list_running_servers())


def open_door(path, notary=None):
    """Write what the reader finds into the notebook at `path`. notary: what signs it, by default JupyterLab's own."""
    notebook, notary = nbformat.read(path, as_version=4), notary or NotebookNotary()
    trusted = notary.check_signature(notebook)
    if not trusted and only_the_course_s(bare := without_door(notebook)):
        notebook, trusted = bare, True  # both outputs are written anew, whoever wrote those that stood there
    changed = [put(notebook) for put in (put_playground, put_map)]
    if not any(changed):
        return
    part = path.with_name(path.name + ".part")
    nbformat.write(notebook, part)
    part.replace(path)  # in one step: nothing is half written
    if trusted:
        notary.sign(notebook)


def cell_of(notebook, last_line):
    """The cell that ends with this line, as the course wrote it; None where there is none any more."""
    sources = {cell.source for cell in shipped().cells if cell.source.endswith(last_line)}
    return next((cell for cell in notebook.cells if cell.cell_type == "code" and cell.source in sources), None)


def shipped():
    """The lesson as the course brings it."""
    return nbformat.read(SHIPPED, as_version=4)


def without_door(notebook):
    """A copy without the two outputs, and without the widgets that an earlier front door put there."""
    bare = copy.deepcopy(notebook)
    for cell in (cell_of(bare, PLAYGROUND), cell_of(bare, MAP)):
        if cell is not None:
            cell.outputs = []
    if bare.metadata.pop(MARK, None) == sorted(models_of(bare)):
        bare.metadata.pop("widgets", None)
    return bare


def only_the_course_s(notebook):
    """Whether every output is one that the course brings, and there are no widgets."""
    ours = [output for cell in shipped().cells if cell.cell_type == "code" for output in cell.outputs]
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return "widgets" not in notebook.metadata and all(output in ours for output in outputs)


def models_of(notebook):
    """The widgets that are stored in a notebook, id -> what they hold."""
    return notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})


def put_map(notebook):
    """Show the map as the record has it now. Returns whether that changes anything."""
    cell, now = cell_of(notebook, MAP), course_map()
    data = {"text/plain": repr(now), "text/html": now._repr_html_()}
    if cell is None or len(cell.outputs) > 1 or (cell.outputs and cell.outputs[0].get("data") == data):
        return False
    cell.outputs = [nbformat.v4.new_output("execute_result", data, execution_count=cell.execution_count)]
    return True


def put_playground(notebook):
    """Let the playground run from the notebook's own state, unless the student has run the lesson and saved it."""
    cell, before = cell_of(notebook, PLAYGROUND), models_of(notebook)
    scripts = [before[model]["state"].get("_esm") for model in notebook.metadata.get(MARK, ()) if model in before]
    if cell is None or (before and not scripts) or LookPlayground._esm in scripts or len(cell.outputs) > 1:
        return False
    playground = LookPlayground("usual", running=True)
    models = dependency_state([playground], drop_defaults=False)
    data, metadata = playground._repr_mimebundle_()
    data[WIDGET] = {"version_major": 2, "version_minor": 0, "model_id": playground.model_id}
    output = nbformat.v4.new_output("execute_result", data, execution_count=cell.execution_count, metadata=metadata)
    cell.outputs, notebook.metadata[MARK] = [output], sorted(models)
    notebook.metadata["widgets"] = {STATE: {"version_major": 2, "version_minor": 0, "state": models}}
    return True


if __name__ == "__main__":
    sys.exit(main())
