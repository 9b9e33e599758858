"""Covers: outputs that answer a prediction stay folded until the student has chosen.

A cell with the line `# answers prediction 2` runs as usual. Until somebody has chosen, its outputs go into one fold,
<details>, which every notebook displays and which stays shut on paper. The choice opens it in place.
The stored notebook holds the fold with its content, so a test run compares that too.
"""

import re
import sys
from html import escape

from course_utils.computer.notebook import WIDGET, kernel

ANSWERS = re.compile(r"^# answers prediction (\d+)$", re.M)
COVERED = "Covered: this answers prediction {}. Choose above, and it opens once this cell has run."
FOLD = re.compile(r"<details><summary><strong>Covered: .*?</summary>(.*)</details>", re.S)
_waiting_folds = {}  # number of an open prediction -> the folds that wait for it: {display id: outputs}
_capture = []  # number, outputs and original streams of a covered cell while it runs; else empty


def cover(number: int | None) -> None:
    """From now on, fold the outputs of cells that answer this prediction. Does nothing outside a notebook."""
    current = kernel()
    if current is None or number is None:
        return
    if not _waiting_folds and _start_capture not in current.shell.events.callbacks["pre_run_cell"]:
        current.shell.events.register("pre_run_cell", _start_capture)
        current.shell.events.register("post_run_cell", _end_capture)
    _waiting_folds.setdefault(number, {})


def uncover(number: int | None) -> None:
    """Open the folds of this prediction, and fold nothing for it from now on."""
    for fold, outputs in _waiting_folds.pop(number, {}).items():
        _publish(_unfold_bundle(outputs), fold, update=True)


def outputs_as_html(outputs: list[dict]) -> str:
    """Return outputs, in the form in which a notebook stores them, as HTML.

    >>> outputs_as_html([{"text": "1 < 2"}, {"data": {"text/html": "<b>so</b>", "text/plain": "so"}}])
    '<pre style="margin: 0">1 &lt; 2</pre><b>so</b>'
    """
    return "".join(map(_html, outputs))


def _html(output):
    data = {kind: "".join(text) for kind, text in output.get("data", {}).items() if kind != WIDGET}
    if "text/html" in data:
        return unfold(data["text/html"])
    if "image/png" in data:  # not a figure, which is HTML, but what a student shows
        return f'<img alt="a picture" src="data:image/png;base64,{data["image/png"].strip()}">'
    text = "".join(output.get("text", data.get("text/plain", "")))
    return f'<pre style="margin: 0">{escape(text.rstrip())}</pre>' if text.strip() else ""


def unfold(html: str) -> str:
    """Return the content of a fold; HTML that is not a fold comes back unchanged."""
    match = FOLD.fullmatch(html)
    return match[1] if match else html


def fold_bundle(number: int, outputs: list[dict]) -> dict[str, str]:
    """Return the mime bundle of a fold."""
    words = COVERED.format(number)
    summary = f"<summary><strong>{words}</strong> Or open it here.</summary>"
    return {"text/plain": words, "text/html": f"<details>{summary}{outputs_as_html(outputs)}</details>"}


def _unfold_bundle(outputs):
    """Return the mime bundle that replaces a fold. Its widgets are alive, except on a page without a kernel."""
    data = {"text/plain": "", "text/html": outputs_as_html(outputs)}
    if any(WIDGET in output.get("data", {}) for output in outputs):
        import ipywidgets

        data[WIDGET] = ipywidgets.Output(outputs=tuple(map(_stored_output, outputs))).get_view_spec()
    return data


def _stored_output(output):
    if "text" in output:
        return {"output_type": "stream", "name": "stdout", "text": output["text"]}
    return {"output_type": "display_data", "metadata": {}, "data": output["data"]}


def _publish(data, fold, update=False):
    from IPython.display import display

    display(data, raw=True, display_id=fold, update=update)


class _Stream:
    """Replaces sys.stdout, and records printed text among the other outputs, in order."""

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


def _start_capture(info):
    """Before a cell runs: capture its outputs if it answers an open prediction."""
    match = ANSWERS.search(info.raw_cell or "")
    if _capture or not match or int(match[1]) not in _waiting_folds:
        return
    from IPython.core.displayhook import CapturingDisplayHook
    from IPython.core.displaypub import CapturingDisplayPublisher

    shell = kernel().shell
    originals = sys.stdout, shell.display_pub, shell.display_trap.hook
    shell.display_pub = publisher = CapturingDisplayPublisher()
    shell.display_trap.hook = CapturingDisplayHook(shell=shell, outputs=publisher.outputs)
    sys.stdout = _Stream(publisher.outputs)
    _capture.extend([int(match[1]), publisher.outputs, originals])


def _end_capture(result):
    """After a cell has run: fold what was captured. A failed cell shows everything: the error needs it."""
    if not _capture:
        return
    number, outputs, originals = _capture
    _capture.clear()
    shell = kernel().shell
    sys.stdout, shell.display_pub, shell.display_trap.hook = originals
    outputs = [output for output in outputs if output.get("text") or output.get("data")]
    if not outputs:
        return
    fold = f"answers-{number}-{shell.execution_count}-{len(_waiting_folds.get(number, ()))}"
    if number not in _waiting_folds or result is None or not result.success:
        _publish(_unfold_bundle(outputs), fold)
        return
    _waiting_folds[number][fold] = outputs
    _publish(fold_bundle(number, outputs), fold)
