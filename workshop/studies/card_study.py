"""Train the writers and the adapters of lesson 20 on five seeds each: one line of a card changes, all else stays.

Each finished run is one small file, so an interrupted study resumes where it stopped.

    nox -s card_study              all trainings, the tables go to artefacts/
    nox -s card_study -- --ship    also write course_utils/data/card: the tables, and writers of seed 0
"""

import json
import shutil
from functools import cache

import numpy as np
from jobs import DATA, RESULTS, fingerprint, folder_of_runs, options_of, rows_of, run_all, write_made_by, write_table

import course_utils
from course_utils import attention
from course_utils.checks.exercises.solutions import attention_gradient, low_rank
from course_utils.models import adapter, card_reader, cls_reader
from course_utils.models.card_reader import PLAIN, VARIANTS, load_card_writer, right_side
from course_utils.tasks import cls_task, review_task, writer_task
from course_utils.tasks.cls_task import make_task, metrics
from course_utils.tasks.review_task import PAD, make_reviews
from course_utils.tasks.writer_task import writing_rows

SHIPPED = DATA / "card"
N_TRAIN, N_NEW, NEW_SEED = 20_000, 500, 1  # pairs of twins; the new ones are those of the lesson
REACH = 6  # tokens back, of two layers with a window of 4
RECIPE = {"steps": 3000}  # all else as in lesson 17
OLD, NEW, DECOYS = 4, 2, 0.5  # the positions that a classifier was, and will be, asked about
STARTS = {"usual": (16, 128, 777), "focused": (16,)}  # how many weights may change


def code():
    """Return the fingerprint of what a trained writer depends on."""
    from course_utils.models import card_model, writer_model

    parts = review_task, card_model, card_reader.masks_of, writer_model, writer_task.writing_rows
    sizes = attention.sinusoidal_positions, (PLAIN, VARIANTS, RECIPE, N_TRAIN, course_utils.QUIET_TENSORFLOW)
    return fingerprint(*parts, *sizes)


@cache
def training(seed):
    """Return the rows that the writers of a seed learn from."""
    return writing_rows(make_reviews(N_TRAIN, seed=seed))


def train(run, path):
    """Train one writer, and write its weights in 16 bits. run: (variant, seed)."""
    from course_utils.models import card_model, writer_model

    variant, seed = run
    card = card_reader.card_of(variant)
    model = card_model.build_card_writer(card, seed=seed)
    writer_model.train(model, training(seed), **writer_model.RECIPE | RECIPE, seed=seed)
    arrays = card_model.to_card_writer(model, card).arrays
    np.savez_compressed(path, **{name: array.astype("float16") for name, array in arrays.items()})


def skill(writer):
    """Return the loss of a writer on the new reviews, in nats a word, and its mean `right_side`.

    near: of the adjectives that two layers with a window of 4 can reach from the verdict; far: of the others.
    """
    task = make_reviews(N_NEW, split="held out", seed=NEW_SEED)
    rows = writing_rows(task)
    scores = writer(rows[:, :-1]).astype(float)  # (n, SEQ_LEN - 1, n_words)
    logs = scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True)
    right = np.take_along_axis(logs, rows[:, 1:, None], axis=-1)[..., 0]  # (n, SEQ_LEN - 1)
    sides, back = right_side(scores, task)
    shares = {"near": float(sides[back <= REACH].mean()), "far": float(sides[back > REACH].mean())}
    return {"nats": float(-right[rows[:, 1:] != PAD].mean())} | shares


# Adapters


def adapter_code():
    """Return the fingerprint of what an adapted classifier depends on."""
    from course_utils.models import cls_model

    sizes = OLD, NEW, DECOYS, STARTS, cls_reader.EPSILON, course_utils.QUIET_TENSORFLOW
    return fingerprint(cls_model, cls_task, adapter, adapt, with_adapter, accuracy, sizes)


def with_adapter(classifier, rank, seed):
    """Return a classifier whose W_K has learned about the new position through two matrices of this rank."""
    task, W = make_task(500, position=NEW, decoys=DECOYS, seed=seed), classifier.W_K  # W (d_model, d_k)
    start = np.random.default_rng(seed).normal(size=(len(W), rank)) / len(W) ** 0.5, np.zeros((rank, W.shape[1]))

    def ask(M):
        return adapter.key_gradient(classifier, *task, M, attention_gradient)[0]

    A, B = adapter.adam(lambda A, B: low_rank(W, A, B, ask)[1:], start)
    return classifier._replace(W_K=W + A @ B)


def accuracy(classifier, position, seed):
    """Return the balanced accuracy of a classifier about one position, on new sentences with decoys."""
    task = make_task(5000, position=position, decoys=DECOYS, seed=seed)
    return metrics(task.labels, classifier(task.tokens).probability).balanced_accuracy


def adapt(run, path):
    """Train a classifier about the old position, then let some weights learn the new one, and write the row.

    run: {"start", "weights", "seed"}. weights: 777, all of them, with Keras; else those of an adapter.
    """
    from course_utils.models import cls_model

    seed, focused = run["seed"], run["start"] == "focused"
    model, recipe = cls_model.build_classifier(seed=seed), cls_model.FOCUSED if focused else {}
    cls_model.train(model, make_task(decoys=DECOYS * focused, seed=seed), seed=seed, **recipe)
    before = cls_model.to_reader(model)
    if run["weights"] == before.n_weights:
        cls_model.train(model, make_task(position=NEW, decoys=DECOYS, seed=seed), seed=seed)
        after = cls_model.to_reader(model)
    else:
        after = with_adapter(before, run["weights"] // (2 * len(before.W_K)), seed)
    row = {}
    for when, which in (("before", before), ("after", after)):
        row |= {f"{name}_{when}": accuracy(which, place, 10_000 + seed) for name, place in (("old", OLD), ("new", NEW))}
    path.write_text(json.dumps(run | row), encoding="utf-8")


def main():
    options, folder = options_of(__doc__, seeds=5), RESULTS
    runs = [(variant, seed) for seed in range(options.seeds) for variant in VARIANTS]
    jobs = {"-".join(map(str, run)).replace(" ", "_") + ".npz": run for run in runs}
    paths = run_all(train, jobs, folder_of_runs("card_study", code(), SHIPPED))
    if options.ship:
        folder = SHIPPED
        for variant, name in card_reader.SHIPPED.items():
            shutil.copy(paths[runs.index((variant, 0))], SHIPPED / f"{name}.npz")
    named = zip(runs, paths, strict=True)
    rows = [{"variant": v, "seed": seed} | skill(load_card_writer(v, path)) for (v, seed), path in named]
    write_table(rows, rows[0], folder / "writers.csv")
    sizes, seeds = [(start, n) for start, some in STARTS.items() for n in some], range(options.seeds)
    runs = [{"start": start, "weights": n, "seed": seed} for start, n in sizes for seed in seeds]
    rows = rows_of(runs, folder_of_runs("adapter_study", adapter_code(), SHIPPED), adapt)
    write_table(rows, rows[0], folder / "adapters.csv")
    if options.ship:
        write_made_by(SHIPPED, __file__, code(), adapter_code())


if __name__ == "__main__":
    main()
