"""Measure every speed figure that the course promises, and print it beside its goal.

    nox -s bench            all
    nox -s bench -- import  the parts whose names begin with these: import, lessons, attention, ...

Machines differ and are shared: a figure is the median of several runs, ratios are taken within one run,
and nothing is asserted.
"""

import argparse
import contextlib
import io
import json
import os
import re
import runpy
import statistics
import subprocess
import sys
import tempfile
import warnings
import zipfile

from timing import ROOT, call_time, median_time, print_row

sys.path += [str(ROOT / "workshop"), str(ROOT / "classroom")]  # lesson_time counts words, the grader grades
os.environ |= {"MPLBACKEND": "agg", "LEARNING_TO_LOOK_DATA": "off"}  # no window, and no record of progress
SOLVED = ROOT / "notebooks" / "solutions"


def run(*command, **options):
    """Run a Python program, and return what it prints."""
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

    goals = {"12": 30, "13": 30, "11": 45, "15": 45, "19": 45, "21": 45}  # all others: 10
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

    # A first fit loads parts of TensorFlow, which counts for neither.
    train(build_classifier(), make_task(500, decoys=0.5), epochs=1)
    fits = {"usual": (make_task(), {}), "focused": (make_task(decoys=0.5), FOCUSED)}
    times = {name: [] for name in fits}
    for _ in range(5):
        for name, (task, options) in fits.items():
            times[name].append(call_time(train, build_classifier(), task, **options))
    for name in fits:
        yield f"fit, {name} recipe", statistics.median(times[name]), "s"
    pairs = zip(times["focused"], times["usual"], strict=True)
    yield "  focused / usual, pair by pair", statistics.median(focused / usual for focused, usual in pairs), "x", 0.25
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the agg backend, which shows nothing
        by_hand = runpy.run_path(str(ROOT / "notebooks" / "source" / "09_learning_where.py"))["train"]
    yield "fit by hand in NumPy, lesson 09's reader", median_time(by_hand, runs=3), "s", 1


def checks():
    """What the checks say to all answers that the project holds, and how long they take."""
    print(run("workshop/oracle.py", "--times", text=True, stderr=subprocess.DEVNULL), end="")
    return ()


def reading():
    """The reading grade of each lesson: the school year for its prose (Flesch and Kincaid 1975).

    Code, formulas, headings, tables and folded hints do not count. Syllables are counted by hyphenation points.
    """
    import jupytext
    import pyphen
    from lesson_time import prose

    hyphenation = pyphen.Pyphen(lang="en_US")
    for source in sorted((ROOT / "notebooks" / "source").glob("*.py")):
        cells = jupytext.read(source, fmt="py:percent").cells
        text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        text = re.sub(r"<details>.*?</details>|^[#|].*?$", "", text, flags=re.S | re.M)
        sentences = [words for line in prose(text).splitlines() if (words := re.findall(r"[A-Za-z]+", line))]
        words = [word for sentence in sentences for word in sentence]
        syllables = sum(len(hyphenation.positions(word)) + 1 for word in words)
        grade = 0.39 * len(words) / len(sentences) + 11.8 * syllables / len(words) - 15.59
        yield f"reading grade {source.stem}", grade, "", 9


def explorables():
    """Key press to painted in a real browser, beside a matplotlib slider that draws a heat map."""
    from explorable_latency import figures

    return figures()


def playground():
    """Training in the page beside Keras: an epoch, twenty seeds live, and the frames meanwhile."""
    from playground_speed import figures

    return figures()


def grading():
    """Returned notebooks: what the sandbox costs, and a class of sixty with two workers, half of it right."""
    from grading.cells import cells_of
    from grading.cells import lessons as known_lessons
    from grading.one_return import grade_return
    from grading.sandbox import Limits
    from grading.workers import fonts

    def grade(trusted):
        rows = grade_return(cells, {}, known_lessons()[lesson], 1, fonts(), Limits(), trusted)
        assert {row.state for row in rows} == {"done"}, rows

    for lesson in ("05", "09", "12"):  # the last two fit models
        cells = cells_of(next(SOLVED.glob(f"{lesson}_*.ipynb")).read_bytes())
        boxed, plain = zip(*[(call_time(grade, False), call_time(grade, True)) for _ in range(5)], strict=True)
        yield f"one return of lesson {lesson}, all right", statistics.median(boxed), "s"
        added = statistics.median(one - other for one, other in zip(boxed, plain, strict=True))
        yield "  the sandbox adds", added, "s", 1.5
    yield from class_of_sixty()


def class_of_sixty():
    """Sixty returns of lesson 05, half of them right, with two workers."""
    [solved], [stubs] = SOLVED.glob("05_*.ipynb"), (ROOT / "notebooks").glob("05_*.ipynb")
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(f"{folder}/class.zip", "w") as archive:
            for i in range(60):
                notebook = json.loads((solved if i % 2 else stubs).read_text(encoding="utf-8"))
                cells = [cell for cell in notebook["cells"] if "predict(" not in "".join(cell["source"])]
                notebook["cells"] = [
                    *cells,
                    cells[-1] | {"cell_type": "code", "source": f"# {i}"},
                ]
                archive.writestr(f"student {i}/{solved.name}", json.dumps(notebook))
        command = "classroom/grade.py", f"{folder}/class.zip", "--out", f"{folder}/grades", "--jobs", "2"
        seconds = call_time(run, *command, stderr=subprocess.DEVNULL)
    yield "60 returns of lesson 05, 2 workers", seconds, "s", 240
    yield "  so 10,000 returns on this machine", seconds / 60 * 10_000 / 3600, "h"


def encoder():
    """A sentence through the encoder of lesson 19, in NumPy."""
    from course_utils.models.encoder import load_encoder, weights_folder

    if weights_folder() is None:
        print("the package of model.lock is not installed here")
        return
    model, sentence = load_encoder(), "The animal didn't cross the street because it was too tired."
    alone, batch = (1000 * median_time(model, words, runs=50, warm_up=5) for words in (sentence, [sentence] * 16))
    yield f"encoder, {len(model(sentence).tokens)} tokens", alone, "ms", 15
    yield "  in a batch of 16 such sentences, each", batch / 16, "ms"


def long_sequences():
    """Attention over long sequences, on one core: growth with n, tiles, cache, and a recurrent layer."""
    one_core = {"OPENBLAS_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}  # NumPy reads these at import
    print(run("workshop/benchmarks/attention_cost.py", env=os.environ | one_core, text=True), end="")
    return ()


# Each yields rows (what, figure, unit, goal), or prints its own.
PARTS = {"import": import_times} | {
    part.__name__: part
    for part in (lessons, attention, classifier, checks, reading)
    + (explorables, playground, grading, encoder, long_sequences)
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
            print(f"\n{part.__doc__.splitlines()[0]}")
            for row in part():
                print_row(*row)


if __name__ == "__main__":
    main()
