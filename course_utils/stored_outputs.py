"""A lesson without the file that it needs: its cells show the outputs that are stored in the notebook, and do not run.

Cells that call check, predict, look_back, recap or progress run as usual. So do cells that were changed, or added.
"""

import json
import re
from pathlib import Path

from course_utils import notebook

LIVE = re.compile(r"^(\w+ = )?(check|look_back|predict|recap|progress)\(", re.MULTILINE)
_stored = {}  # source of a cell -> its outputs


def show_stored_outputs(lesson, why):
    """From the next cell on, show stored outputs in place of running cells, and say why.

    lesson: the name of the notebook, without its ending;
    it lies in the folder of the kernel, the solved one there or in solutions.
    why: what is missing and what to do, a text or an error. Does nothing outside a notebook.
    """
    running = notebook.kernel()
    if running is None:
        return
    for folder in ("solutions", "."):  # the reader's own notebook counts more, but its outputs may be cleared
        _read(Path(folder) / f"{lesson}.ipynb")
    what = "Nothing below is computed: the cells show what is stored in this notebook."
    _say(f"<strong>{what}</strong> {why} Then restart the kernel and run all cells.")
    running.shell.input_transformers_cleanup.append(_replaced)


def _read(path):
    if path.is_file():
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        for cell in code:
            key, outputs = _key(cell["source"]), list(filter(None, map(_lasting, cell["outputs"])))
            _stored[key] = outputs or _stored.get(key, [])


def _lasting(output):
    """Return an output without its widget, which died with its kernel; None for an error and where nothing is left."""
    if output["output_type"] == "stream":
        return output
    data = {kind: data for kind, data in output.get("data", {}).items() if kind != notebook.WIDGET}
    return (
        output | {"data": data}
        if data.keys() - {"text/plain"} or (data and notebook.WIDGET not in output["data"])
        else None
    )


def _key(source):
    return "".join(source).strip()


def _replaced(lines):
    """Return the lines that run in place of a cell's lines."""
    key = _key(lines)
    if key not in _stored or LIVE.search(key):
        return lines
    return [f"from course_utils.stored_outputs import show; show({key!r})\n"]


def show(source):
    """Show the stored outputs of the cell with this source."""
    from IPython.display import display

    if _stored[source]:
        _say("stored output:")
    for output in _stored[source]:
        if output["output_type"] == "stream":
            print("".join(output["text"]), end="")
        else:
            display({kind: _whole(data) for kind, data in output["data"].items()}, raw=True)


def _whole(data):
    return "".join(data) if isinstance(data, list) else data


def _say(words):
    """Show a line that does not belong to the lesson: a widget, which no stored notebook holds and no test compares."""
    from ipywidgets import HTML

    notebook.show(HTML(words))
