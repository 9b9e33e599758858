"""Train the [CLS] classifier on many seeds and settings, and write down where it looks: nox -s study

Three recipes on seeds 0 to 19: "usual" (no decoys), "decoys" (decoys, and no more), "focused" (decoys and the reward). Then the focused recipe on 40
settings of position, target, length and vocabulary, nothing tuned. Each finished run is one small file, so an interrupted study goes on
where it stopped; a changed recipe or model begins anew. All cores work.

    nox -s study               all of it
    nox -s study -- --seeds 3  fewer seeds
    nox -s study -- --ship     also write course_utils/data: the table, the picture's numbers and two classifiers of seed 0
"""

import argparse
import csv
import hashlib
import inspect
import json
import os
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from rich.progress import track

ROOT = Path(__file__).parent.parent
RUNS, RESULTS, DATA = ROOT / "artefacts" / "study", ROOT / "artefacts", ROOT / "course_utils" / "data"
DECOYS = {"usual": 0.0, "decoys": 0.5, "focused": 0.5}
COLUMNS = ("recipe", "seed", "position", "target", "length", "vocab_size", "accuracy", "decoy_accuracy", "weight")
PLAIN = {"position": 4, "target": 42, "length": 6, "vocab_size": 51}


def settings(seeds, varied=40):
    """Return what is to be run: every recipe on every seed, then the focused one on `varied` settings."""
    import numpy as np

    runs = [{"recipe": recipe, "seed": seed, **PLAIN} for seed in range(seeds) for recipe in DECOYS]
    rng = np.random.default_rng(0)
    for seed in range(varied):
        length, vocab_size = int(rng.integers(4, 13)), int(rng.choice([20, 35, 51, 100, 200]))
        position, target = int(rng.integers(1, length + 1)), int(rng.integers(1, vocab_size))
        run = {"position": position, "target": target, "length": length, "vocab_size": vocab_size}
        runs.append({"recipe": "focused", "seed": 100 + seed, **run})
    return runs


def fingerprint():
    """Return what a result depends on, as a short hash: the code of the model and of the task."""
    from course_utils import cls_model, cls_task

    return hashlib.sha256((inspect.getsource(cls_model) + inspect.getsource(cls_task)).encode()).hexdigest()[:12]


def measure(run, path):
    """Train one classifier, measure it on 5,000 unseen sentences, and write the row to `path` in one step."""
    from course_utils.cls_model import FOCUSED, build_classifier, cls_weights, predict, train
    from course_utils.cls_task import make_task, metrics

    where = {name: run[name] for name in PLAIN}
    model = build_classifier(run["vocab_size"], run["length"] + 1, seed=run["seed"])
    recipe = FOCUSED if run["recipe"] == "focused" else {}
    decoys = DECOYS[run["recipe"]]
    train(model, make_task(decoys=decoys, seed=run["seed"], **where), seed=run["seed"], **recipe)
    plain = make_task(5000, seed=10_000 + run["seed"], **where)
    hard = make_task(5000, decoys=0.5, seed=10_000 + run["seed"], **where)
    own = hard if decoys else plain
    row = run | {"accuracy": metrics(plain.labels, predict(model, plain.tokens)).accuracy}
    row["decoy_accuracy"] = metrics(hard.labels, predict(model, hard.tokens)).accuracy
    row["weight"] = float(cls_weights(model, own.tokens)[:, run["position"]].mean())
    part = path.with_suffix(".part")
    part.write_text(json.dumps(row))
    os.replace(part, path)
    return row


def run_all(runs, folder):
    """Run what is not there yet, on all cores, and return all rows in order."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / ("-".join(str(value) for value in run.values()) + ".json") for run in runs]
    missing = [(run, path) for run, path in zip(runs, paths, strict=True) if not path.exists()]
    print(f"{len(runs)} runs, {len(runs) - len(missing)} of them done before; the rest on {os.cpu_count()} cores")
    # A fresh process for each core: TensorFlow does not survive a fork.
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(measure, *job) for job in missing]
        for job in track(as_completed(jobs), total=len(jobs), description="training"):
            job.result()
    return [json.loads(path.read_text()) for path in paths]


def write_table(rows, folder):
    """Write study.csv and print the table."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "study.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: round(v, 4) if isinstance(v, float) else v for name, v in row.items()} for row in rows)
    print("\n" + "  ".join(COLUMNS))
    for row in rows:
        print(
            "  ".join(f"{row[name]:.4f}" if isinstance(row[name], float) else f"{row[name]!s:>7}" for name in COLUMNS)
        )
    focused = [row for row in rows if row["recipe"] == "focused"]
    right = [row for row in focused if row["decoy_accuracy"] == 1 and row["weight"] >= 0.99]
    print(f"\nfocused: accuracy 1.000 and weight at least 0.99 in {len(right)} of {len(focused)} runs")


def draw(rows, path):
    """Draw the weight on the position, one mark for each seed and recipe."""
    from course_utils.plots import COLOURS, MARKERS, plt

    ax = plt.subplots(figsize=(8.4, 4.8))[1]
    for recipe, colour, marker in zip(DECOYS, COLOURS, MARKERS, strict=False):
        plain = [row for row in rows if row["recipe"] == recipe and row["seed"] < 100]
        ax.plot(
            [r["weight"] for r in plain],
            [r["decoy_accuracy"] for r in plain],
            marker,
            color=colour,
            label=recipe,
            alpha=0.7,
        )
    ax.set(xlabel="mean weight of [CLS] on position 4", ylabel="accuracy on sentences with decoys")
    ax.set(title="Where [CLS] looks, over the seeds", xlim=(0, 1.03))
    ax.grid(color="#E5E8EB")
    ax.legend(loc="lower right")
    ax.figure.savefig(path, metadata={"Software": None})
    print(f"picture: {path.relative_to(ROOT)}")


def ship():
    """Write the two classifiers that the lessons read."""
    from course_utils.cls_model import FOCUSED, build_classifier, to_reader, train
    from course_utils.cls_reader import save_classifier
    from course_utils.cls_task import make_task

    DATA.mkdir(exist_ok=True)
    for name, decoys, recipe in (("usual", 0.0, {}), ("focused", 0.5, FOCUSED)):
        model = build_classifier()
        train(model, make_task(decoys=decoys), **recipe)
        save_classifier(to_reader(model), DATA / f"{name}.npz")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20, help="seeds 0 to SEEDS - 1 for each recipe")
    parser.add_argument("--varied", type=int, default=40, help="settings of position, target, length, vocabulary")
    parser.add_argument("--ship", action="store_true", help="write course_utils/data")
    options = parser.parse_args()
    rows = run_all(settings(options.seeds, options.varied), RUNS / fingerprint())
    write_table(rows, DATA if options.ship else RESULTS)
    draw(rows, RESULTS / "study.png")
    if options.ship:
        ship()


if __name__ == "__main__":
    main()
