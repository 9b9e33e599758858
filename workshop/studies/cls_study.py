"""Train the [CLS] classifier on many seeds and settings, and record where it looks: nox -s study

Three recipes on seeds 0 to 19: "usual" (no decoys), "decoys" (decoys only), "focused" (decoys and the reward).
Then the focused recipe on 40 settings of position, target, length and vocabulary, nothing tuned.
Each finished run is one small file, so an interrupted study resumes where it stopped;
a changed recipe or model starts over. Uses all cores.

    nox -s study               all of it
    nox -s study -- --seeds 3  fewer seeds
    nox -s study -- --ship     also write course_utils/data/cls: the table, and two trainings of seed 0, epoch by epoch
"""

import json

import numpy as np
from jobs import DATA, RESULTS, fingerprint, folder_of_runs, options_of, rows_of, write_made_by, write_table

import course_utils
from course_utils.models import cls_reader
from course_utils.tasks import cls_task
from course_utils.tasks.cls_task import make_task, metrics

SHIPPED = DATA / "cls"
DECOYS = {"usual": 0.0, "decoys": 0.5, "focused": 0.5}
COLUMNS = ("recipe", "seed", "position", "target", "length", "vocab_size", "accuracy", "decoy_accuracy", "weight")
PLAIN = {"position": 4, "target": 42, "length": 6, "vocab_size": 51}


def settings(seeds, varied=40):
    """Return the runs: every recipe on every seed, then the focused one on `varied` settings."""
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
    from course_utils.models import cls_model, cls_rewards

    # QUIET_TENSORFLOW too: oneDNN, which it switches off, rounds differently.
    return fingerprint(cls_model, cls_rewards, cls_task, cls_reader.EPSILON, course_utils.QUIET_TENSORFLOW)


def measure(run, path):
    """Train one classifier, measure it on 5,000 unseen sentences, and write the row to `path`."""
    from course_utils.models.cls_model import FOCUSED, build_classifier, cls_weights, predict, train

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


def ship():
    """Write the two trainings that the lessons read: the classifier before the training, and after each epoch."""
    from course_utils.models.cls_model import FOCUSED

    for name, recipe in (("usual", {}), ("focused", FOCUSED)):
        cls_reader.save_training(record(DECOYS[name], recipe), SHIPPED / f"{name}.npz")
    write_made_by(SHIPPED, __file__, code())


def record(decoys, recipe):
    """Train a classifier of seed 0. Returns snapshots from before the training and after each epoch."""
    from course_utils.models.cls_model import build_classifier, to_reader, train

    model = build_classifier()
    classifiers = [to_reader(model)]
    train(model, make_task(decoys=decoys), **recipe, on_epoch=lambda epoch, logs: classifiers.append(to_reader(model)))
    return classifiers


def main():
    options = options_of(__doc__, seeds=20, varied=40)
    runs = settings(options.seeds, options.varied)
    rows = rows_of(runs, folder_of_runs("study", code(), SHIPPED), measure)
    write_table(rows, COLUMNS, (SHIPPED if options.ship else RESULTS) / "study.csv")
    focused = [row for row in rows if row["recipe"] == "focused"]
    right = [row for row in focused if row["decoy_accuracy"] == 1 and row["weight"] >= 0.99]
    print(f"\nfocused: accuracy 1.000 and weight at least 0.99 in {len(right)} of {len(focused)} runs")
    if options.ship:
        ship()


if __name__ == "__main__":
    main()
