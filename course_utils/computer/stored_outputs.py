"""A lesson without a file that it needs: its cells do not run, but show the outputs stored in the notebook.

Cells that call check, predict, look_back, recap or progress run as usual. So do changed and new cells.
"""

import json
import re
from pathlib import Path

from course_utils.computer import notebook

LIVE = re.compile(r"^(\w+ = )?(check|look_back|predict|recap|progress)\(", re.MULTILINE)
_stored = {}  # source of a cell -> its outputs


def show_stored_outputs(lesson: str, why: str | Exception) -> None:
    """From the next cell on, show stored outputs instead of running cells, and say why.

    lesson: the name of the notebook in the kernel's folder, without its ending; its solved copy may be in solutions.
    why: what is missing and what to do. Does nothing outside a notebook.
    """
    running = notebook.kernel()
    if running is None:
        return
    for folder in ("solutions", "."):  # the student's own notebook comes last and wins, unless its outputs are cleared
        _read(Path(folder) / f"{lesson}.ipynb")
    notice = "Nothing below is computed: the cells show what is stored in this notebook."
    _say(f"<strong>{notice}</strong> {why} Then restart the kernel and run all cells.")
    running.shell.input_transformers_cleanup.append(_substitute)


def _read(path):
    if path.is_file():
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        for cell in code:
            key, outputs = _key(cell["source"]), list(filter(None, map(_without_widget, cell["outputs"])))
            _stored[key] = outputs or _stored.get(key, [])


def _without_widget(output):
    """Return an output without its widget, which died with its kernel; None for an error or if nothing is left."""
    if output["output_type"] == "stream":
        return output
    data = {kind: data for kind, data in output.get("data", {}).items() if kind != notebook.WIDGET}
    is_worth_showing = data.keys() - {"text/plain"} or (data and notebook.WIDGET not in output["data"])
    return output | {"data": data} if is_worth_showing else None


def _key(source):
    return "".join(source).strip()


def _substitute(lines):
    """Return the lines that run in place of a cell's lines."""
    key = _key(lines)
    if key not in _stored or LIVE.search(key):
        return lines
    return [f"from course_utils.computer.stored_outputs import show; show({key!r})\n"]


def show(source: str) -> None:
    """Show the stored outputs of the cell with this source."""
    from IPython.display import display

    if _stored[source]:
        _say("stored output:")
    for output in _stored[source]:
        if output["output_type"] == "stream":
            print("".join(output["text"]), end="")
        else:
            display({kind: _joined(data) for kind, data in output["data"].items()}, raw=True)


def _joined(data):
    return "".join(data) if isinstance(data, list) else data


def _say(words):
    """Show a line that does not belong to the lesson, as a widget: stored notebooks and tests leave widgets out."""
    from ipywidgets import HTML

    notebook.show(HTML(words))
