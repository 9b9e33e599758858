"""Print every figure of speed that the course promises, as measured here, beside its goal.

    nox -s bench            all
    nox -s bench -- import  the parts whose names begin so: import, lessons, attention, ...

Machines differ and are shared: a figure is the median of several runs, ratios are taken within one run, and nothing is asserted.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent


def seconds(command, runs=5):
    """Return the median wall time of a whole process, in seconds, after one run that warms the disk cache."""
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
        row(f"import {module}", seconds([sys.executable, "-c", f"import {module}"]) - bare, "s", goal)
    row(
        "import course_utils.cls_model (TensorFlow)",
        seconds([sys.executable, "-c", "import course_utils.cls_model"], runs=3) - bare,
        "s",
    )


def bench_lessons():
    """Each lesson from top to bottom in a fresh kernel, its start included."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        goal = 35 if path.stem.startswith("10") else 4
        row(f"lesson {path.stem}", seconds([sys.executable, __file__, "--run-notebook", str(path)], runs=3), "s", goal)


def run_notebook(path):
    """Run one notebook as the tests do; its own process, so that the start of the kernel counts."""
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(Path(path).parent)}}).execute()


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
    row("attention, n = 256, d = 64: matrices", 1000 * matrix, "ms")
    row("  double loop / matrices", best(loop, 5) / matrix, "x")


def bench_explorables():
    """Key press to painted in a real browser, beside a matplotlib slider that draws a heat map."""
    from explorables import figures

    for figure in figures():
        row(*figure)


def best(function, runs):
    """Return the median time of one call, in seconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def row(what, figure, unit, goal=None):
    """Print one line of the table."""
    aim = "" if goal is None else f"   goal: at most {goal} {unit}" + ("" if figure <= goal else "   MISSED")
    print(f"{what:<48}{figure:>9.3g} {unit:<3}{aim}", flush=True)


PARTS = {name.removeprefix("bench_"): part for name, part in list(globals().items()) if name.startswith("bench_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=f"any of: {', '.join(PARTS)}")
    parser.add_argument("--run-notebook", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run_notebook:
        os.environ["LEARNING_TO_LOOK_DATA"] = "off"  # a measurement is no progress of the student
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
