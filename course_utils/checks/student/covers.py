"""Covers: what answers a prediction stays folded until the student has chosen.

A cell with the line `# answers prediction 2` runs as usual. While nobody has chosen, its outputs go into one fold,
<details>, which every notebook shows and which stays shut on paper. The choice opens it in its place.
The stored notebook holds the fold with all that is in it, so a test run compares that too.
"""

import re
import sys
from html import escape

from course_utils.notebook import WIDGET, kernel

ANSWERS = re.compile(r"^# answers prediction (\d+)$", re.M)
COVERED = "Covered: this answers prediction {}. Choose above, and it opens."
FOLD = re.compile(r"<details><summary><strong>Covered: .*?</summary>(.*)</details>", re.S)
_closed = {}  # number of a prediction that nobody answered yet -> the folds that wait for it: {display id: outputs}
_caught = []  # what the cell that runs now prints, with what has to be put back; empty while nothing is covered


def cover(number):
    """From now on, fold what the cells that answer this prediction show. Outside a notebook nothing happens."""
    running = kernel()
    if running is None or number is None:
        return
    if not _closed and _begin not in running.shell.events.callbacks["pre_run_cell"]:
        running.shell.events.register("pre_run_cell", _begin)
        running.shell.events.register("post_run_cell", _end)
    _closed.setdefault(number, {})


def uncover(number):
    """Open the folds of this prediction, and fold nothing of it from now on."""
    for fold, outputs in _closed.pop(number, {}).items():
        _publish(_opened(outputs), fold, update=True)


def page_of(outputs):
    """Return outputs, as a notebook stores them, as HTML.

    >>> page_of([{"text": "1 < 2"}, {"data": {"image/png": "aGk=", "text/plain": "<Figure>"}}])
    '<pre style="margin: 0">1 &lt; 2</pre><img alt="a plot of this cell" src="data:image/png;base64,aGk=">'
    """
    return "".join(map(_html, outputs))


def _html(output):
    data = {kind: "".join(text) for kind, text in output.get("data", {}).items() if kind != WIDGET}
    if "text/html" in data:
        return uncovered(data["text/html"])
    if "image/png" in data:
        plain = data.get("text/plain", "")
        alt = "a plot of this cell" if plain.startswith("<") else plain
        return f'<img alt="{escape(alt)}" src="data:image/png;base64,{data["image/png"].strip()}">'
    text = "".join(output.get("text", data.get("text/plain", "")))
    return f'<pre style="margin: 0">{escape(text.rstrip())}</pre>' if text.strip() else ""


def uncovered(html):
    """Return what a fold holds; HTML that is not a fold comes back as it is."""
    found = FOLD.fullmatch(html)
    return found[1] if found else html


def folded(number, outputs):
    """Return the mime bundle of a fold."""
    words = COVERED.format(number)
    summary = f"<summary><strong>{words}</strong> Or open it here.</summary>"
    return {"text/plain": words, "text/html": f"<details>{summary}{page_of(outputs)}</details>"}


def _opened(outputs):
    """Return the mime bundle that takes the place of a fold. Widgets move in it; a page without a kernel is still."""
    data = {"text/plain": "", "text/html": page_of(outputs)}
    if any(WIDGET in output.get("data", {}) for output in outputs):
        import ipywidgets

        data[WIDGET] = ipywidgets.Output(outputs=tuple(map(_as_stored, outputs))).get_view_spec()
    return data


def _as_stored(output):
    if "text" in output:
        return {"output_type": "stream", "name": "stdout", "text": output["text"]}
    return {"output_type": "display_data", "metadata": {}, "data": output["data"]}


def _publish(data, fold, update=False):
    from IPython.display import display

    display(data, raw=True, display_id=fold, update=update)


class _Stream:
    """Stands in for sys.stdout, and keeps what is printed among the other outputs, in their order."""

    encoding = "utf-8"

    def __init__(self, outputs):
        self.outputs = outputs

    def write(self, text):
        if not self.outputs or "text" not in self.outputs[-1]:
            self.outputs.append({"text": ""})
        self.outputs[-1]["text"] += text
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return False


def _begin(info):
    """Before a cell runs: catch its outputs if it answers a prediction that waits."""
    found = ANSWERS.search(info.raw_cell or "")
    if _caught or not found or int(found[1]) not in _closed:
        return
    from IPython.core.displayhook import CapturingDisplayHook
    from IPython.core.displaypub import CapturingDisplayPublisher

    shell = kernel().shell
    before = sys.stdout, shell.display_pub, shell.display_trap.hook
    shell.display_pub = publisher = CapturingDisplayPublisher()
    shell.display_trap.hook = CapturingDisplayHook(shell=shell, outputs=publisher.outputs)
    sys.stdout = _Stream(publisher.outputs)
    _caught.extend([int(found[1]), publisher.outputs, before])


def _end(result):
    """After a cell has run: fold what was caught. A cell that failed shows all, since the error needs it."""
    if not _caught:
        return
    number, outputs, before = _caught
    _caught.clear()
    shell = kernel().shell
    sys.stdout, shell.display_pub, shell.display_trap.hook = before
    outputs = [output for output in outputs if output.get("text") or output.get("data")]
    if not outputs:
        return
    fold = f"answers-{number}-{shell.execution_count}-{len(_closed.get(number, ()))}"
    if number not in _closed or result is None or not result.success:
        _publish(_opened(outputs), fold)
        return
    _closed[number][fold] = outputs
    _publish(folded(number, outputs), fold)
