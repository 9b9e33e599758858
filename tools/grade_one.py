"""Run one returned notebook and write down its verdicts; grade.py starts this in a process for each notebook.

    python tools/grade_one.py NOTEBOOK RESULT JUDGING CELL_SECONDS

It runs from a copy of the course that was made for this notebook, and so does the kernel; JUDGING is a second copy.
RESULT gets one JSON line for each exercise, as soon as it is known: what comes later may never come.
The verdicts are those of a check that this program runs behind the student's cell,
with modules read afresh from JUDGING; judge_in_kernel.py is what stands in that cell.
Nothing in the notebook's own outputs counts.
"""

import ast
import json
import os
import re
import secrets
import sys
from pathlib import Path

import nbformat
from build_notebooks import ENVIRONMENT, ThisPython
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat.v4 import new_code_cell

ROOT = Path(__file__).resolve().parents[1]
MOST_OUTPUT = 200_000  # characters that are kept of one cell's output: an endless print must not fill the memory
JUDGE = Path(__file__).with_name("judge_in_kernel.py").read_text(encoding="utf-8")


def exercises(notebook):
    """Return {name: (cell id, the expression that is checked)} for the check calls of a notebook."""
    found = {}
    for cell in notebook.cells:
        for call in _calls(cell.source) if cell.cell_type == "code" else ():
            found[call.args[0].value] = (cell.get("id"), ast.unparse(call.args[1]))
    return found


def _calls(source):
    """The calls check("name", answer) of a cell; none for a cell that is no Python."""
    try:
        tree = ast.parse(re.sub(r"^\s*[%!].*$", "", source, flags=re.M))
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "check"
        and len(node.args) > 1
        and isinstance(node.args[0], ast.Constant)
    ]


def lesson_of(notebook, path):
    """Return the course's own notebook that this one was made from.

    Raises ValueError for a notebook of another kind.
    """
    source = str(notebook.metadata.get("learning_to_look", {}).get("source", path.name))
    number = re.search(r"(?<!\d)(\d\d)_", Path(source).name)
    ours = sorted((ROOT / "notebooks").glob(f"{number[1]}_*.ipynb")) if number else []
    if not ours:
        raise ValueError("not a notebook of this course: its name should begin with the number of its lesson")
    return ours[0]


class Grader(NotebookClient):
    """Runs a notebook, drops what is printed without end, and reads the marked lines."""

    def output(self, outs, msg, display_id, cell_index):
        self.written = getattr(self, "written", {})
        self.written[cell_index] = self.written.get(cell_index, 0) + len(str(msg["content"]))
        return None if self.written[cell_index] > MOST_OUTPUT else super().output(outs, msg, display_id, cell_index)


def with_judges(notebook, wanted, folder, mark):
    """Put a judge's cell behind the cell of each exercise.

    Returns {name: judge's cell}; an exercise without a cell has none.
    """
    theirs, judges = exercises(notebook), {}
    for name, (id, expression) in wanted.items():
        own_id, own_expression = theirs.get(name, (id, expression))
        place = next((i for i, cell in enumerate(notebook.cells) if cell.get("id") in (own_id, id)), None)
        if place is not None:
            call = f"judge({name!r}, lambda: ({own_expression}), {folder!r}, {mark!r})\ndel judge"
            judges[name] = new_code_cell(f"{JUDGE}\n\n{call}")
            notebook.cells.insert(place + 1, judges[name])
    return judges


def grade(path, judging, report, cell_seconds):
    """Run the notebook at `path` and call report(exercise, state, mistakes) for each exercise of its lesson."""
    notebook = nbformat.read(path, as_version=4)
    wanted = exercises(nbformat.read(lesson_of(notebook, path), as_version=4))
    mark = secrets.token_hex(16)
    judges = with_judges(notebook, wanted, judging, mark)
    client = Grader(
        notebook,
        kernel_manager_class=ThisPython,
        timeout=cell_seconds,
        interrupt_on_timeout=True,
        allow_errors=True,
        store_widget_state=False,
    )
    run(client, judges, lambda name, cell: report(name, *read(cell, mark)))
    for name in wanted.keys() - judges.keys():
        report(name, "missing", [])


def run(client, judges, done):
    """Run cell after cell, and call done(name, cell) after each judge. A kernel that dies leaves the rest as it is."""
    names = {id(cell): name for name, cell in judges.items()}
    left = dict(judges)
    try:
        with client.setup_kernel(env=os.environ | ENVIRONMENT | {"IPYTHONDIR": os.getcwd()}):
            for index, cell in enumerate(client.nb.cells):
                if cell.cell_type == "code":
                    client.execute_cell(cell, index)
                if name := names.get(id(cell)):
                    done(name, left.pop(name))
    except (DeadKernelError, CellTimeoutError) as problem:
        state = "kernel died" if isinstance(problem, DeadKernelError) else "too slow"
        for name in left:
            done(name, new_code_cell(metadata={"state": state}))


def read(cell, mark):
    """Return state and mistakes from the marked line of a judge's cell."""
    text = "".join(output.get("text", "") for output in cell.outputs)
    for line in text.splitlines():
        if line.startswith(mark):
            found = json.loads(line.removeprefix(mark))
            return found["state"], found["mistakes"]
    return cell.metadata.get("state", "not judged"), []


def main(path, result, judging, cell_seconds):
    with open(result, "a", encoding="utf-8") as file:

        def report(exercise, state, mistakes):
            print(json.dumps({"exercise": exercise, "state": state, "mistakes": mistakes}), file=file, flush=True)

        try:
            grade(Path(path), judging, report, int(cell_seconds))
        except Exception as problem:  # a file that is no notebook: that is its row
            message = " ".join(str(problem).split())[:200]
            print(json.dumps({"problem": f"{type(problem).__name__}: {message}"}), file=file, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
