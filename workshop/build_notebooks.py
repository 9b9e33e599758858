"""Build the notebooks from their sources: run them and write them, or check the ones that are there.

    python workshop/build_notebooks.py              all lessons
    python workshop/build_notebooks.py 05 06_masks  these lessons; before and after are the questionnaires
    python workshop/build_notebooks.py --check      compare a fresh build with the notebooks there, write nothing

Every notebook runs in a fresh kernel, in its own folder, without the record of progress.
Two builds give the same bytes, but for pictures of measured times.
Beside a student's notebook, the state of its widgets goes into book/states, for the book.
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
from derive_solved_tools import FILES, solved_tools
from derived_pages import derived
from inventory_notebooks import KIND, sittings
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from lesson_paths import BuildError, notebook_path, number, short
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from widget_states import WidgetStates

from course_utils import QUIET_TENSORFLOW
from course_utils.notebook import WIDGET

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("student", "solved")
# TensorFlow keeps quiet, and what the reader of this machine solved before leaves no trace in the outputs.
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
        problems += tools(root, options.check) + pages(root, options.check)
        jobs = chosen(root, options.lessons)
    except BuildError as error:
        return report([*problems, str(error)])
    # Two at a time: the student and the solved notebook of one lesson, side by side on two cores.
    with ThreadPoolExecutor(max_workers=2) as pool:
        runs = [pool.submit(timed, lesson, kind, options.check) for lesson, kind in jobs]
        try:
            for run in runs:
                line, found = run.result()
                print(line, flush=True)
                problems += found
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # after Ctrl-C: do not begin what is still waiting
    return report(problems)


def report(problems):
    """Print the problems, if any. Returns the exit status."""
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def sources(root):
    """The source files of all lessons."""
    return sorted((root / "notebooks" / "source").glob("*.py"))


def chosen(root, names):
    """(lesson, kind) of each notebook that is named by number or by name, of all without a name."""
    known = {key: source for source in sources(root) for key in (source.stem, number(source))}
    asked = {sitting.number: sitting for sitting in sittings(root)}
    if unknown := [name for name in names if name not in known | asked]:
        there = ", ".join(source.stem for source in sources(root)) or "none"
        raise BuildError(f"no lesson {', '.join(unknown)} in notebooks/source; there are: {there}")
    lessons = [derive(known[name]) for name in names if name in known] if names else map(derive, sources(root))
    others = [asked[name] for name in names or asked if name in asked]
    return [(lesson, kind) for lesson in lessons for kind in KINDS] + [(sitting, KIND) for sitting in others]


def orphans(root):
    """Notebooks without a source, and sources without a notebook, one sentence each."""
    wanted = {notebook_path(source, kind): source for source in sources(root) for kind in KINDS}
    folder = root / "notebooks"
    there = {*folder.glob("*.ipynb"), *folder.glob("solutions/*.ipynb")}
    stray = [
        f"{p.relative_to(root).as_posix()}: no source in notebooks/source; delete it" for p in sorted(there - {*wanted})
    ]
    return stray + [
        f"{short(path, source)}: not there; run nox -s build -- {number(source)}"
        for path, source in wanted.items()
        if path not in there
    ]


def tools(root, check):
    """Write the tools that the solved notebooks take their functions from, or compare them. Returns the problems."""
    folder, wanted = root / "notebooks" / "solutions", solved_tools(sources(root))
    paths = [folder / name for name in FILES]
    there = {path.name: path.read_text(encoding="utf-8") for path in paths if path.exists()}
    if check:
        odd = [name for name in FILES if there.get(name) != wanted.get(name)]
        return [f"notebooks/solutions/{name}: not what the lessons give; run nox -s build" for name in odd]
    for path in paths:
        if path.name in wanted:
            write(path, wanted[path.name])
        else:
            path.unlink(missing_ok=True)
    return []


def pages(root, check):
    """Write the files that follow from the lessons and the pages of their exercises, or compare them; lint pages."""
    wanted = derived(root, sources(root))
    faults = lint_pages.problems() if root == ROOT else []
    if not check:
        [write(path, text) for path, text in wanted.items()]
        return faults
    old = [path for path in wanted if not path.exists() or path.read_text(encoding="utf-8") != wanted[path]]
    return faults + [f"{path.relative_to(root).as_posix()}: not derived; run nox -s build" for path in old]


def timed(lesson, kind, check):
    """Build one notebook, or check it. Returns the line to print and the problems."""
    path, start = lesson.path(kind), time.perf_counter()
    try:
        text, states = built(lesson, kind)
        problems = compared(lesson, kind, text) if check and path.exists() else []
        if not check:
            write(path, text)
            if kind == "student":
                write(states_path(lesson), states)
    except BuildError as error:
        problems = [str(error)]
    result = "as built" if check else "built"
    seconds = time.perf_counter() - start
    return f"{short(path, lesson.source)}  {'failed' if problems else result}  {seconds:.1f} s", problems


def states_path(lesson):
    return lesson.source.parents[2] / "book" / "states" / f"{lesson.source.stem}.json"


def write(path, text):
    """Replace a file in one step: whoever reads it meanwhile finds the old or the new one, never a half."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".part")
    temporary.write_bytes(text.encode())  # bytes, so that Windows keeps the line ends
    os.replace(temporary, path)


def built(lesson, kind):
    """Run one notebook of a lesson and return the text of its file, and of its widgets' states. Raises BuildError."""
    notebook = nbformat.from_dict(getattr(lesson, kind))
    states = execute(lesson, kind, notebook)
    for position, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            for output in cell.outputs:
                if output.get("name") == "stderr":
                    raise BuildError(f"{lesson.place(position)}: {kind} notebook writes to stderr:\n{output.text}")
            cell.outputs = tidy(cell.outputs)
    notebook.metadata.learning_to_look = {"source": short(lesson.source, lesson.source), "digest": digest(notebook)}
    nbformat.validate(notebook)
    return nbformat.writes(notebook) + "\n", states.text(notebook.metadata.learning_to_look.digest)


class ThisPython(AsyncKernelManager):
    """Starts kernels of the Python that runs this build, whatever kernels of that name the user has installed."""

    def _kernel_spec_manager_default(self):
        return KernelSpecManager(kernel_dirs=[])


def execute(lesson, kind, notebook):
    """Run the cells in a fresh kernel, and return the states of their widgets.

    Raises BuildError for an exception, a cell without end or a kernel that dies.
    """
    folder, metadata, running = lesson.path(kind).parent, copy.deepcopy(notebook.metadata), []
    states = WidgetStates()
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        environment = os.environ | ENVIRONMENT | {"IPYTHONDIR": scratch}
        client = NotebookClient(
            notebook,
            kernel_manager_class=ThisPython,
            extra_arguments=["--log-level=ERROR"],  # not a warning on each start that the kernel talks over loopback
            timeout=CELL_SECONDS,
            record_timing=False,
            store_widget_state=True,  # in the metadata, which are put back below
            resources={"metadata": {"path": str(folder)}},
            on_cell_start=lambda cell, cell_index: running.append(cell_index),
            on_cell_executed=lambda cell, cell_index, execute_reply: states.note(client, cell),
        )
        try:
            client.execute(env=environment)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            raise BuildError(f"{lesson.place(running[-1])}: {kind} notebook fails:\n{error}") from None
    notebook.metadata = metadata  # the kernel added the patch version of its Python
    return states


def tidy(outputs):
    """Join pieces of printed text, and leave out the widget where a static form of it stands beside it.

    The stored notebook then shows the static form. Without a kernel the widget would be an empty box.
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


def compared(lesson, kind, text):
    """How the notebook that is there differs from a fresh build, as a list of at most one sentence."""
    path, rebuild = lesson.path(kind), f"run nox -s build -- {lesson.number}"
    stored, fresh = nbformat.read(path, as_version=4), nbformat.reads(text, as_version=4)
    name = short(path, lesson.source)
    if found := first_difference(stored, fresh):
        position, words = found
        return [f"{name}: cell {position + 1} is not what {lesson.place(position)} gives; {rebuild}\n{words}"]
    if stored_digest(stored) != digest(stored):
        return [f"{name}: a picture was changed by hand; {rebuild}"]
    for notebook in (stored, fresh):
        notebook.metadata.learning_to_look.pop("digest")  # it sums up bytes of pictures
    return (
        [] if stored.metadata == fresh.metadata else [f"{name}: its metadata are not what the build gives; {rebuild}"]
    )


if __name__ == "__main__":
    sys.exit(main())
