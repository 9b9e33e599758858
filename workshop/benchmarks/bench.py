"""Measure every speed figure that the course promises, and print it beside its goal.

    nox -s bench            all
    nox -s bench -- import  the parts whose names begin with these: import, lessons, attention, ...

Machines differ and are shared: a figure is the median of several runs, ratios are taken within one run,
and nothing is asserted.
"""

import argparse
import contextlib
import importlib
import io
import os
import runpy
import statistics
import subprocess
import sys
import warnings
from pathlib import Path

from timing import median_time, once

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "workshop"), str(ROOT / "classroom")]  # lesson_time counts words, the grader grades
os.environ |= {"MPLBACKEND": "agg", "LEARNING_TO_LOOK_DATA": "off"}  # no window, and no record of progress


def run(*command, **options):
    """Run a program of Python's, and return what it prints."""
    return subprocess.run([sys.executable, *command], cwd=ROOT, check=True, stdout=subprocess.PIPE, **options).stdout


def import_times():
    """Import times, the bare interpreter subtracted."""
    bare = median_time(run, "-c", "pass", runs=5)
    goals = {"course_utils": 0.3, "course_utils.attention": None, "course_utils.checks": None}
    goals |= {"course_utils.pictures.plots": None, "course_utils.models.cls_model": None}  # the last loads TensorFlow
    for module, goal in goals.items():
        yield f"import {module}", median_time(run, "-c", f"import {module}", runs=5) - bare, "s", goal


def lessons():
    """Each lesson from top to bottom in a fresh kernel, its start included."""
    import nbclient
    import nbformat

    goals = {"12": 30, "13": 30, "11": 45, "15": 45, "18": 45, "19": 45}  # all others: 10
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}})
        yield f"lesson {path.stem}", median_time(client.execute, runs=3), "s", goals.get(path.stem[:2], 10)


def attention():
    """Attention in NumPy against the naive double loop, in one run."""
    import numpy as np

    from course_utils.attention import scaled_dot_product_attention

    rng = np.random.default_rng(0)
    Q, K, V = (rng.normal(size=(256, 64)) for _ in range(3))  # (n, d)

    def loop():
        scores = np.array([[q @ k / 8 for k in K] for q in Q])  # (n_queries, n_keys), sqrt(64) = 8
        weights = np.array([np.exp(row - row.max()) / np.exp(row - row.max()).sum() for row in scores])
        return np.array([sum(w * v for w, v in zip(row, V, strict=True)) for row in weights])

    matrix = median_time(scaled_dot_product_attention, Q, K, V, runs=50)
    yield "attention, n = 256, d = 64: matrices", 1000 * matrix, "ms"
    yield "  double loop / matrices", median_time(loop, runs=5) / matrix, "x"


def classifier():
    """The fit of the [CLS] classifier, tracing included: usual recipe, focused one, and plain NumPy as the floor."""
    from course_utils.models.cls_model import FOCUSED, build_classifier, train
    from course_utils.tasks.cls_task import make_task

    fits = {"usual": (make_task(), {}), "focused": (make_task(decoys=0.5), FOCUSED)}
    # A first fit loads parts of TensorFlow, which counts for neither.
    train(build_classifier(), make_task(500, decoys=0.5), epochs=1)
    pairs = [[once(train, build_classifier(), task, **options) for task, options in fits.values()] for _ in range(5)]
    for name, times in zip(fits, zip(*pairs, strict=True), strict=True):
        yield f"fit, {name} recipe", statistics.median(times), "s"
    yield "  focused / usual, pair by pair", statistics.median(focused / usual for usual, focused in pairs), "x", 0.25
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the agg backend, which shows nothing
        by_hand = runpy.run_path(str(ROOT / "notebooks" / "source" / "10_learning_where.py"))["train"]
    yield "fit by hand in NumPy, lesson 10's reader", median_time(by_hand, runs=3), "s", 1


def checks():
    """What the checks say to all answers that the project holds, and how long they take."""
    print(run("workshop/oracle.py", "--times", text=True, stderr=subprocess.DEVNULL), end="")
    return ()


def long_sequences():
    """Attention over long sequences, on one core: growth with n, tiles, cache, and a recurrent layer."""
    one_core = {"OPENBLAS_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}  # NumPy reads these at import
    print(run("workshop/benchmarks/attention_cost.py", env=os.environ | one_core, text=True), end="")
    return ()


def print_row(label, figure, unit="", goal=None):
    """Print one line of the table."""
    aim = "" if goal is None else f"   goal: at most {goal} {unit}" + ("" if figure <= goal else "   MISSED")
    print(f"{label:<48}{figure:>9.3g} {unit:<3}{aim}", flush=True)


# Each part yields rows (what, figure, unit, goal); those given by a name are the `figures` of another module.
PARTS = {
    "import": import_times,
    "lessons": lessons,
    "attention": attention,
    "classifier": classifier,
    "checks": checks,
    "reading": "reading_grade",
    "explorables": "explorable_latency",
    "playground": "playground_speed",
    "grading": "grading_speed",
    "encoder": "encoder_speed",
    "long_sequences": long_sequences,
}


def main():
    """Measure the parts that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=f"any of: {', '.join(PARTS)}")
    words = parser.parse_args().parts
    if unknown := [word for word in words if not any(name.startswith(word) for name in PARTS)]:
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    for name, part in PARTS.items():
        if not words or name.startswith(tuple(words)):
            part = part if callable(part) else importlib.import_module(part).figures
            print(f"\n{part.__doc__}")
            for row in part():
                print_row(*row)


if __name__ == "__main__":
    main()
