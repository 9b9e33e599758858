"""Measure every speed figure that the course promises, and print it beside its goal.

    nox -s bench            all
    nox -s bench -- import  the parts whose names begin with these: import, lessons, attention, ...

Machines differ and are shared: a figure is the median of several runs, ratios are taken within one run,
and nothing is asserted.
"""

import argparse
import contextlib
import io
import os
import runpy
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "workshop"), str(ROOT / "classroom")]  # lesson_time counts words, the grader grades


def seconds(command, runs=5):
    """Return the median wall time of a whole process, in seconds, after a run that warms the disk cache."""
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def bench_import():
    """Import times, the bare interpreter subtracted."""
    bare = seconds([sys.executable, "-c", "pass"])
    for module, goal in (
        ("course_utils", 0.3),
        ("course_utils.attention", None),
        ("course_utils.checks", None),
        ("course_utils.plots", None),
    ):
        print_row(f"import {module}", seconds([sys.executable, "-c", f"import {module}"]) - bare, "s", goal)
    print_row(
        "import course_utils.cls_model (TensorFlow)",
        seconds([sys.executable, "-c", "import course_utils.cls_model"], runs=3) - bare,
        "s",
    )


def bench_lessons():
    """Each lesson from top to bottom in a fresh kernel, its start included."""
    goals = {"12": 30, "13": 30, "11": 45, "15": 45, "18": 45, "19": 45}  # all others: 10
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        command = [sys.executable, __file__, "--run-notebook", str(path)]
        runs = [subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout for _ in range(4)]
        warm = [float(seconds) for seconds in runs[1:]]  # the first warms the disk cache
        print_row(f"lesson {path.stem}", statistics.median(warm), "s", goals.get(path.stem[:2], 10))


def run_notebook(path):
    """Run one notebook as the tests do, and print the lifetime of its kernel in seconds."""
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(Path(path).parent)}})
    print(once(client.execute))


def bench_attention():
    """Attention in NumPy against the naive double loop, in one run."""
    import numpy as np

    from course_utils.attention import scaled_dot_product_attention

    rng = np.random.default_rng(0)
    Q, K, V = (rng.normal(size=(256, 64)) for _ in range(3))  # (n, d)

    def loop():
        scores = np.array([[q @ k / 8 for k in K] for q in Q])  # (n_queries, n_keys), sqrt(64) = 8
        weights = np.array([np.exp(row - row.max()) / np.exp(row - row.max()).sum() for row in scores])
        return np.array([sum(w * v for w, v in zip(row, V, strict=True)) for row in weights])

    matrix = best(lambda: scaled_dot_product_attention(Q, K, V), 50)
    print_row("attention, n = 256, d = 64: matrices", 1000 * matrix, "ms")
    print_row("  double loop / matrices", best(loop, 5) / matrix, "x")


def bench_classifier():
    """The fit of the [CLS] classifier, tracing included: usual recipe, focused one, and plain NumPy as the floor."""
    from course_utils.cls_model import FOCUSED, build_classifier, train
    from course_utils.cls_task import make_task

    fits = {"usual": (make_task(), {}), "focused": (make_task(decoys=0.5), FOCUSED)}
    # A first fit loads parts of TensorFlow, which counts for neither.
    train(build_classifier(), make_task(500, decoys=0.5), epochs=1)
    pairs = [[once(train, build_classifier(), task, **options) for task, options in fits.values()] for _ in range(5)]
    for name, times in zip(fits, zip(*pairs, strict=True), strict=True):
        print_row(f"fit, {name} recipe", statistics.median(times), "s")
    print_row(
        "  focused / usual, pair by pair", statistics.median(focused / usual for usual, focused in pairs), "x", 0.25
    )
    print_row("fit by hand in NumPy, lesson 10's reader", best(lesson_10_train(), 3), "s", 1)


def lesson_10_train():
    """Return the training function defined in lesson 10, by running the lesson without pictures and output."""
    os.environ |= {"MPLBACKEND": "agg", "LEARNING_TO_LOOK_DATA": "off"}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the agg backend, which shows nothing
        return runpy.run_path(str(ROOT / "notebooks" / "source" / "10_learning_where.py"))["train"]


def bench_checks():
    """What the checks say to all answers that the project holds, and how long they take."""
    subprocess.run(
        [sys.executable, str(ROOT / "workshop" / "oracle.py"), "--times"],
        cwd=ROOT,
        check=True,
        stderr=subprocess.DEVNULL,
    )


def bench_reading():
    """The reading grade of each lesson."""
    from reading_grade import GOAL, grades

    for name, figure in grades().items():
        print_row(f"reading grade {name}", figure, "", GOAL)


def bench_explorables():
    """Key press to painted in a real browser, beside a matplotlib slider that draws a heat map."""
    from explorable_latency import figures

    for figure in figures():
        print_row(*figure)


def bench_playground():
    """Training in the page beside Keras: an epoch, twenty seeds live, and the frames meanwhile."""
    from playground_speed import figures

    for figure in figures():
        print_row(*figure)


def bench_grading():
    """Returned notebooks: what the sandbox costs, and a class of sixty."""
    from grading_speed import figures

    for figure in figures():
        print_row(*figure)


def bench_encoder():
    """A sentence through the encoder of lesson 18, in NumPy."""
    from encoder_speed import figures

    from course_utils.encoder import weights_folder

    if weights_folder() is None:
        print("the package of model.lock is not installed here")
        return
    for figure in figures():
        print_row(*figure)


def bench_long_sequences():
    """Attention over long sequences, on one core: growth with n, tiles, cache, and a recurrent layer."""
    one_core = {"OPENBLAS_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}  # NumPy reads these at import
    script = ROOT / "workshop" / "benchmarks" / "attention_cost.py"
    subprocess.run([sys.executable, str(script)], cwd=ROOT, check=True, env=os.environ | one_core)


def best(function, runs):
    """Return the median time of one call, in seconds."""
    return statistics.median(once(function) for _ in range(runs))


def once(function, *arguments, **options):
    """Return the time of one call, in seconds."""
    start = time.perf_counter()
    function(*arguments, **options)
    return time.perf_counter() - start


def print_row(label, figure, unit, goal=None):
    """Print one line of the table."""
    aim = "" if goal is None else f"   goal: at most {goal} {unit}" + ("" if figure <= goal else "   MISSED")
    print(f"{label:<48}{figure:>9.3g} {unit:<3}{aim}", flush=True)


PARTS = {name.removeprefix("bench_"): part for name, part in list(globals().items()) if name.startswith("bench_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=f"any of: {', '.join(PARTS)}")
    parser.add_argument("--run-notebook", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run_notebook:
        os.environ["LEARNING_TO_LOOK_DATA"] = "off"  # keep the student's record of progress out of it
        return run_notebook(arguments.run_notebook)
    unknown = [part for part in arguments.parts if not any(name.startswith(part) for name in PARTS)]
    if unknown:
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    for name, part in PARTS.items():
        if not arguments.parts or any(name.startswith(word) for word in arguments.parts):
            print(f"\n{part.__doc__}")
            part()
    return None


if __name__ == "__main__":
    main()
