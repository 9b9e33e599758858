"""Train the [CLS] classifier on many seeds and settings, and record where it looks: nox -s study

Three recipes on seeds 0 to 19: "usual" (no decoys), "decoys" (decoys only), "focused" (decoys and the reward).
Then the focused recipe on 40 settings of position, target, length and vocabulary, nothing tuned.
Each finished run is one small file, so an interrupted study resumes where it stopped;
a changed recipe or model starts over. Uses all cores.

    nox -s study               all of it
    nox -s study -- --seeds 3  fewer seeds
    nox -s study -- --ship     also write course_utils/data/cls: the table, and two trainings of seed 0, epoch by epoch
    nox -s study -- --lesson   instead: lesson 13 as its solutions do it, the student's own model and reward, ten seeds
"""

import argparse
import json
import os

from jobs import DATA, RESULTS, ROOT, fingerprint, folder_of_runs, rows_of, write_made_by, write_table

SHIPPED, SOLUTIONS = DATA / "cls", ROOT / "notebooks" / "solutions"
DECOYS = {"usual": 0.0, "decoys": 0.5, "focused": 0.5}
COLUMNS = ("recipe", "seed", "position", "target", "length", "vocab_size", "accuracy", "decoy_accuracy", "weight")
PLAIN = {"position": 4, "target": 42, "length": 6, "vocab_size": 51}


def settings(seeds, varied=40):
    """Return the runs: every recipe on every seed, then the focused one on `varied` settings."""
    import numpy as np

    runs = [{"recipe": recipe, "seed": seed, **PLAIN} for seed in range(seeds) for recipe in DECOYS]
    rng = np.random.default_rng(0)
    for seed in range(varied):
        length, vocab_size = int(rng.integers(4, 13)), int(rng.choice([20, 35, 51, 100, 200]))
        position, target = int(rng.integers(1, length + 1)), int(rng.integers(1, vocab_size))
        run = {"position": position, "target": target, "length": length, "vocab_size": vocab_size}
        runs.append({"recipe": "focused", "seed": 100 + seed, **run})
    return runs


def code():
    """Return the fingerprint of what a result depends on: the model, its training and the task."""
    from course_utils import QUIET_TENSORFLOW, cls_model, cls_reader, cls_rewards, cls_task

    # QUIET_TENSORFLOW too: oneDNN, which it switches off, rounds differently.
    return fingerprint(cls_model, cls_rewards, cls_task, cls_reader.EPSILON, QUIET_TENSORFLOW)


def measure(run, path):
    """Train one classifier, measure it on 5,000 unseen sentences, and write the row to `path`."""
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
    path.write_text(json.dumps(row))


def measure_own(run, path):
    """Train the model of the solutions with their reward, as lesson 13 does, and write the row to `path`."""
    import keras

    from course_utils import cls_model
    from course_utils.cls_task import make_task, metrics

    build_model, look_reward, patience = own_functions()
    keras.utils.set_random_seed(run["seed"])
    model = build_model(51, 7, 8)
    own = {"reward": look_reward, "patience": patience} if run["recipe"] == "own" else {"focus": 0.0}
    cls_model.train(model, make_task(decoys=0.5), **cls_model.FOCUSED | own, seed=run["seed"])
    new = make_task(5000, decoys=0.5, seed=1)
    row = run | {"accuracy": metrics(new.labels, cls_model.predict(model, new.tokens)).accuracy}
    row["weight"] = float(cls_model.cls_weights(model, new.tokens)[:, 4].mean())
    path.write_text(json.dumps(row))


def own_functions():
    """Return build_model, look_reward and patience of the solutions, or the course's if the lessons are not built."""
    from course_utils.checks import mine

    before = os.getcwd()
    os.chdir(SOLUTIONS)  # the student's functions are looked up in the working directory
    try:
        return mine("build_model", "look_reward", "patience")
    finally:
        os.chdir(before)


def study_lesson():
    """Train ten seeds as lesson 13 does, without the reward and with it, and print how many really look."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(SOLUTIONS.glob("solved_*.py"))]
    folder = RESULTS / "lesson" / fingerprint(code(), *texts)
    runs = [{"recipe": recipe, "seed": seed} for recipe in ("without", "own") for seed in range(10)]
    rows = rows_of(runs, folder, measure_own)
    write_table(rows, ("recipe", "seed", "accuracy", "weight"), RESULTS / "lesson.csv")
    for recipe in ("without", "own"):
        selected = [row for row in rows if row["recipe"] == recipe]
        look = sum(row["accuracy"] == 1 and row["weight"] >= 0.99 for row in selected)
        print(f"{recipe}: accuracy 1.000 and weight at least 0.99 in {look} of {len(selected)} runs")


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
    """Write the two trainings that the lessons read: the classifier before the training, and after each epoch."""
    from course_utils.cls_model import FOCUSED
    from course_utils.cls_reader import save_training

    for name, recipe in (("usual", {}), ("focused", FOCUSED)):
        save_training(record(DECOYS[name], recipe), SHIPPED / f"{name}.npz")
    write_made_by(SHIPPED, __file__, code())


def record(decoys, recipe):
    """Train a classifier of seed 0. Returns snapshots from before the training and after each epoch."""
    from course_utils.cls_model import build_classifier, to_reader, train
    from course_utils.cls_task import make_task

    model = build_classifier()
    classifiers = [to_reader(model)]
    train(model, make_task(decoys=decoys), **recipe, on_epoch=lambda epoch, logs: classifiers.append(to_reader(model)))
    return classifiers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20, help="seeds 0 to SEEDS - 1 for each recipe")
    parser.add_argument("--varied", type=int, default=40, help="settings of position, target, length, vocabulary")
    parser.add_argument("--ship", action="store_true", help="write course_utils/data/cls")
    parser.add_argument("--lesson", action="store_true", help="train as lesson 13 does, ten seeds; nothing else")
    options = parser.parse_args()
    if options.lesson:
        study_lesson()
        return
    runs = settings(options.seeds, options.varied)
    rows = rows_of(runs, folder_of_runs("study", code(), SHIPPED), measure)
    write_table(rows, COLUMNS, (SHIPPED if options.ship else RESULTS) / "study.csv")
    focused = [row for row in rows if row["recipe"] == "focused"]
    right = [row for row in focused if row["decoy_accuracy"] == 1 and row["weight"] >= 0.99]
    print(f"\nfocused: accuracy 1.000 and weight at least 0.99 in {len(right)} of {len(focused)} runs")
    draw(rows, RESULTS / "study.png")
    if options.ship:
        ship()


if __name__ == "__main__":
    main()
