"""Build the notebooks from their sources: run and write them, or check the stored ones.

    python workshop/build_notebooks.py              all lessons
    python workshop/build_notebooks.py 05 06_masks  these lessons; "before" and "after" are the questionnaires
    python workshop/build_notebooks.py --check      compare a fresh build with the stored notebooks, write nothing

Every notebook runs in a fresh kernel, in its own folder, with the record of progress off.
Two builds give the same bytes, except for pictures of measured times.
With a student notebook, the state of its widgets goes into book/states, for the book.
"""

import argparse
import copy
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lint_pages
import nbformat
from compare_notebooks import digest, first_difference, stored_digest
from derive_notebooks import derive
from derived_pages import derive_pages
from inventory_notebooks import KIND, sittings
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from lesson_paths import BuildError, notebook_path, number, short_path
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from widget_states import WidgetStates

from course_utils import QUIET_TENSORFLOW
from course_utils.computer.notebook import WIDGET

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("student", "solved")
# Quiet TensorFlow, and no trace of earlier work on this machine in the outputs.
ENVIRONMENT = QUIET_TENSORFLOW | {"LEARNING_TO_LOOK_DATA": "off"}
CELL_SECONDS = 300


def main(arguments=None, root=ROOT):
    """Build or check the lessons that are named, all without a name. Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lessons", nargs="*", help="05 or 05_not_good; all without a name")
    parser.add_argument("--check", action="store_true", help="compare with the notebooks that are there, write nothing")
    options = parser.parse_args(arguments)
    problems = orphans(root) if options.check else []
    try:
        problems += pages(root, options.check)
        jobs = select_jobs(root, options.lessons)
    except BuildError as error:
        return report([*problems, str(error)])
    # Two at a time: the student and the solved notebook of one lesson, side by side on two cores.
    with ThreadPoolExecutor(max_workers=2) as pool:
        runs = [pool.submit(run_job, lesson, kind, options.check) for lesson, kind in jobs]
        try:
            for run in runs:
                line, job_problems = run.result()
                print(line, flush=True)
                problems += job_problems
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # after Ctrl-C: start nothing that is still queued
    return report(problems)


def report(problems):
    """Print the problems, if any. Returns the exit status."""
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def sources(root):
    """The source files of all lessons."""
    return sorted((root / "notebooks" / "source").glob("*.py"))


def select_jobs(root, names):
    """Return (lesson, kind) of each notebook named by number or by name, or of all."""
    known = {key: source for source in sources(root) for key in (source.stem, number(source))}
    questionnaires = {sitting.number: sitting for sitting in sittings(root)}
    if unknown := [name for name in names if name not in known | questionnaires]:
        available = ", ".join(source.stem for source in sources(root)) or "none"
        raise BuildError(f"no lesson {', '.join(unknown)} in notebooks/source; there are: {available}")
    lessons = [derive(known[name]) for name in names if name in known] if names else map(derive, sources(root))
    others = [questionnaires[name] for name in names or questionnaires if name in questionnaires]
    return [(lesson, kind) for lesson in lessons for kind in KINDS] + [(sitting, KIND) for sitting in others]


def orphans(root):
    """Return a sentence for each notebook without a source and each source without a notebook."""
    wanted = {notebook_path(source, kind): source for source in sources(root) for kind in KINDS}
    folder = root / "notebooks"
    stored = {*folder.glob("*.ipynb"), *folder.glob("solutions/*.ipynb")}
    stray = [path.relative_to(root).as_posix() for path in sorted(stored - {*wanted})]
    return [f"{name}: no source in notebooks/source; delete it" for name in stray] + [
        f"{short_path(path, source)}: not there; run nox -s build -- {number(source)}"
        for path, source in wanted.items()
        if path not in stored
    ]


def pages(root, check):
    """Write or check the files derived from the lessons and the exercise pages, and lint these pages."""
    problems = lint_pages.problems() if root == ROOT else []
    for path, wanted in derive_pages(root, sources(root)).items():
        stored = path.read_text(encoding="utf-8") if path.exists() else None
        if check and stored != wanted:
            problems.append(f"{path.relative_to(root).as_posix()}: not what the lessons give; run nox -s build")
        elif not check and wanted is None:
            path.unlink(missing_ok=True)
        elif not check:
            write(path, wanted)
    return problems


def run_job(lesson, kind, check):
    """Build or check one notebook. Returns the line to print and the problems."""
    path, start = lesson.path(kind), time.perf_counter()
    try:
        text, states = build(lesson, kind)
        problems = compare(lesson, kind, text) if check and path.exists() else []
        if not check:
            write(path, text)
            if kind == "student":
                write(states_path(lesson), states)
    except BuildError as error:
        problems = [str(error)]
    result = "as built" if check else "built"
    seconds = time.perf_counter() - start
    return f"{short_path(path, lesson.source)}  {'failed' if problems else result}  {seconds:.1f} s", problems


def states_path(lesson):
    return lesson.source.parents[2] / "book" / "states" / f"{lesson.source.stem}.json"


def write(path, text):
    """Replace a file atomically: concurrent readers see the old or the new version."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".part")
    temporary.write_bytes(text.encode())  # bytes, so that Windows keeps the newlines
    os.replace(temporary, path)


def build(lesson, kind):
    """Run one notebook and return the text of its file and the text of its widgets' states. Raises BuildError."""
    notebook = nbformat.from_dict(getattr(lesson, kind))
    states = execute(lesson, kind, notebook)
    for position, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            for output in cell.outputs:
                if output.get("name") == "stderr":
                    raise BuildError(f"{lesson.location(position)}: {kind} notebook writes to stderr:\n{output.text}")
            cell.outputs = tidy(cell.outputs)
    if kind != "solved":
        reset_run_numbers(notebook)
    source = short_path(lesson.source, lesson.source)
    notebook.metadata.learning_to_look = {"source": source, "digest": digest(notebook)}
    nbformat.validate(notebook)
    return nbformat.writes(notebook) + "\n", states.text(notebook.metadata.learning_to_look.digest)


class ThisPython(AsyncKernelManager):
    """Start kernels with the Python of this build, whatever kernels of that name the user has installed."""

    def _kernel_spec_manager_default(self):
        return KernelSpecManager(kernel_dirs=[])


def execute(lesson, kind, notebook):
    """Run the cells in a fresh kernel, and return the states of their widgets.

    Raises BuildError for an exception, a cell that times out or a kernel that dies.
    """
    folder, metadata, running = lesson.path(kind).parent, copy.deepcopy(notebook.metadata), []
    states = WidgetStates()
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        environment = os.environ | ENVIRONMENT | {"IPYTHONDIR": scratch}
        client = NotebookClient(
            notebook,
            kernel_manager_class=ThisPython,
            extra_arguments=["--log-level=ERROR"],  # no warning about loopback at each start
            timeout=CELL_SECONDS,
            record_timing=False,
            store_widget_state=True,  # in the metadata, which is restored below
            resources={"metadata": {"path": str(folder)}},
            on_cell_start=lambda cell, cell_index: running.append(cell_index),
            on_cell_executed=lambda cell, cell_index, execute_reply: states.record(client, cell),
        )
        try:
            client.execute(env=environment)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            raise BuildError(f"{lesson.location(running[-1])}: {kind} notebook fails:\n{error}") from None
    notebook.metadata = metadata  # the kernel added the patch version of its Python
    return states


def reset_run_numbers(notebook):
    """Set the numbers of the runs to 0, which JupyterLab shows as none: a student sees which cells they have run.

    nbval refuses a cell that has outputs and no number at all.
    """
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        cell.execution_count = 0
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = None


def tidy(outputs):
    """Join pieces of printed text, and drop a widget that has a static form beside it.

    The stored notebook then shows the static form; without a kernel the widget would be an empty box.
    """
    tidied = []
    for output in outputs:
        if len(output.get("data", {})) > 1:
            output.data.pop(WIDGET, None)
        if tidied and output.output_type == tidied[-1].output_type == "stream":
            tidied[-1].text += output.text
        else:
            tidied.append(output)
    return tidied


def compare(lesson, kind, text):
    """How the stored notebook differs from a fresh build, as a list of at most one sentence."""
    path, rebuild = lesson.path(kind), f"run nox -s build -- {lesson.number}"
    stored, fresh = nbformat.read(path, as_version=4), nbformat.reads(text, as_version=4)
    name = short_path(path, lesson.source)
    if difference := first_difference(stored, fresh):
        position, description = difference
        return [f"{name}: cell {position + 1} is not what {lesson.location(position)} gives; {rebuild}\n{description}"]
    if stored_digest(stored) != digest(stored):
        return [f"{name}: a picture was changed by hand; {rebuild}"]
    for notebook in (stored, fresh):
        notebook.metadata.learning_to_look.pop("digest")  # it depends on the bytes of the pictures
    return (
        [] if stored.metadata == fresh.metadata else [f"{name}: its metadata are not what the build gives; {rebuild}"]
    )


if __name__ == "__main__":
    sys.exit(main())
