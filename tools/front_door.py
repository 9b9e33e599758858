"""Let the first lesson welcome its reader: the playground moves before any cell was run, and the map is up to date.

    python tools/front_door.py [FOLDER]    in place of my_work

It writes two outputs into the student's copy of lesson 00, and nothing else: a cell that the student changed stays as
it is, and so do outputs of the student's own. It signs the notebook, so that JupyterLab shows what stands in it, if
JupyterLab trusted it before or if all that stands in it comes from the course.
"""

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
    """Whether a JupyterLab shows this folder: what is open there must not change on disk."""
    return any(Path(server["root_dir"]).resolve() == folder.resolve() for server in list_running_servers())


def open_door(path, notary=None):
    """Write what the reader finds into the notebook at `path`. notary: what signs it, by default JupyterLab's own."""
    notebook, notary = nbformat.read(path, as_version=4), notary or NotebookNotary()
    trusted = notary.check_signature(notebook) or only_ours(notebook)
    changed = [put(notebook) for put in (put_playground, put_map)]
    if not any(changed):
        if not trusted and only_ours(notebook, told=True):  # by another JupyterLab's key
            notary.sign(notebook)
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


def only_ours(notebook, told=False):
    """Whether every output is one that the course brings, and there are no widgets but ours.

    told: the two outputs stand there already, as this program writes them now.
    """
    ours = [output for cell in shipped().cells if cell.cell_type == "code" for output in cell.outputs]
    places = [cell_of(notebook, last) for last in (PLAYGROUND, MAP)] if told else []
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and not any(cell is one for one in places)]
    known = all(output in ours for cell in cells for output in cell.outputs)
    return known and (is_ours(notebook) if told else "widgets" not in notebook.metadata)


def is_ours(notebook):
    """Whether the widgets that are stored are those of a front door, with the script of today."""
    [states] = [one["state"] for one in notebook.metadata["widgets"].values()]
    modules = {state["model_module"] for state in states.values()}
    scripts = {state["state"].get("_esm", LookPlayground._esm) for state in states.values()}
    same = sorted(states) == notebook.metadata.get(MARK) and scripts == {LookPlayground._esm}
    return same and modules == {"anywidget", "@jupyter-widgets/base"} and put_map(notebook) is False


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
    cell, before = cell_of(notebook, PLAYGROUND), notebook.metadata.get("widgets", {}).get(STATE, {}).get("state")
    playground = LookPlayground("usual", running=True)
    models = dependency_state([playground], drop_defaults=False)
    scripts = [
        before[model]["state"].get("_esm") for model in notebook.metadata.get(MARK, ()) if model in (before or ())
    ]
    if cell is None or (before and not scripts) or playground._esm in scripts or len(cell.outputs) > 1:
        return False
    data, metadata = playground._repr_mimebundle_()
    data[WIDGET] = {"version_major": 2, "version_minor": 0, "model_id": playground.model_id}
    output = nbformat.v4.new_output("execute_result", data, execution_count=cell.execution_count, metadata=metadata)
    cell.outputs, notebook.metadata[MARK] = [output], sorted(models)
    notebook.metadata["widgets"] = {STATE: {"version_major": 2, "version_minor": 0, "state": models}}
    return True


if __name__ == "__main__":
    sys.exit(main())
