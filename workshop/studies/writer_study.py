"""Train the writers of lessons 17 and 18 on ten seeds, and check what they write against the grammar.

Each finished seed is one small file, so an interrupted study resumes where it stopped;
a changed recipe, model or grammar starts over.

    nox -s writer_study              ten seeds and a longer training, the table goes to artefacts/
    nox -s writer_study -- --ship    also write course_utils/data/writer: the tables and the two writers of seed 0
"""

import json
import math
import shutil

import numpy as np
from jobs import DATA, RESULTS, fingerprint, folder_of_runs, options_of, rows_of, run_all, write_made_by, write_table

import course_utils
from course_utils import attention
from course_utils.models import induction, writer_reader
from course_utils.models.induction import induction_scores, previous_scores, repeat_loss
from course_utils.tasks import review_task, writer_task
from course_utils.tasks.review_grammar import limit, repeats_phrase
from course_utils.tasks.review_task import PAD, make_reviews
from course_utils.tasks.writer_task import in_words, judge_by_grammar, writing_rows

SHIPPED = DATA / "writer"
N_TRAIN, N_NEW, N_WRITTEN, NEW_SEED = 40_000, 1000, 1000, 10_000  # pairs of twins; pairs; reviews
LONGER = 4  # times the steps of the lesson, on seeds 0 to 2


def code():
    """Return the fingerprint of what a trained writer depends on: grammar, model, training, and their sizes."""
    from course_utils.models import writer_model

    parts = review_task, writer_model, writer_task.writing_rows, attention.sinusoidal_positions, attention.causal_mask
    return fingerprint(*parts, (writer_reader.EPSILON, writer_reader.N_BLOCKS, N_TRAIN, course_utils.QUIET_TENSORFLOW))


def train(run, path):
    """Train one writer and write its weights. run: (seed, multiple of the steps of the lesson)."""
    from course_utils.models import writer_model

    seed, times = run
    model, recipe = writer_model.build_writer(seed=seed), dict(writer_model.RECIPE)
    recipe["steps"] *= times
    writer_model.train(model, writing_rows(make_reviews(N_TRAIN, seed=seed)), **recipe, seed=seed)
    writer_reader.save_writer(writer_model.to_writer(model), path)


def nats(writer, rows):
    """Return the loss on rows (n, SEQ_LEN) in nats, the mean over real words."""
    scores = writer.next_scores(writer(rows[:, :-1]).hidden).astype(float)  # (n, SEQ_LEN - 1, n_words)
    logs = scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True)
    right = np.take_along_axis(logs, rows[:, 1:, None], axis=-1)[..., 0]  # (n, SEQ_LEN - 1)
    return float(-right[rows[:, 1:] != PAD].mean())


def skill(writer, seed, best):
    """Return how the grammar judges the writer of a seed: nats per word, perplexity / limit, and shares.

    accepted: of N_WRITTEN reviews at temperature 1, half of them praise. new, obeyed: of the accepted reviews.
    twice: of the others, the share that says a phrase twice in one clause.
    """
    loss = nats(writer, writing_rows(make_reviews(N_NEW, split="held out", seed=NEW_SEED)))
    rows = writer.write(np.arange(N_WRITTEN) % 2, seed=seed)
    found = judge_by_grammar(rows, writing_rows(make_reviews(N_TRAIN, seed=seed)))
    shares = {name: float(getattr(found, name).sum() / found.accepted.sum()) for name in ("new", "obeyed")}
    shares["twice"] = float(np.mean([repeats_phrase(in_words(row)) for row in rows[~found.accepted]]))
    return {"nats": loss, "times_limit": math.exp(loss - best), "accepted": float(found.accepted.mean())} | shares


# Induction: a head that continues a repeated sequence


INDUCTION = {"steps": 900, "batch_size": 64, "short_first": 0}
N_REPEATED, N_ASKED = 40_000, 300  # rows to train on, and to ask


def induction_code():
    """Return the fingerprint of what a writer of repeated rows depends on."""
    from course_utils.models import writer_model

    parts = induction, writer_model, attention.sinusoidal_positions, attention.causal_mask
    sizes = INDUCTION, N_REPEATED, N_ASKED, writer_reader.EPSILON, writer_reader.N_BLOCKS, course_utils.QUIET_TENSORFLOW
    return fingerprint(*parts, sizes)


def find_heads(run, path):
    """Train one writer on repeating rows, measure it after each tenth of the training, and write its row of the table.

    run: {"seed": ...}.
    """
    from course_utils.models import writer_model

    model = writer_model.build_writer(induction.N_WORDS, induction.N_TOKENS - 1, seed=run["seed"])
    probe, history = induction.repeated_rows(N_ASKED, NEW_SEED), {}

    def look(epoch, logs):
        writer = writer_model.to_writer(model)
        scores = induction_scores(writer(probe[0][:, :-1]).weights, probe[1])  # (2, 4)
        history[f"score_{epoch + 1}"] = float(scores.max())
        history[f"loss_{epoch + 1}"] = repeat_loss(writer, *probe)

    learn_repeats(model, run["seed"], look)
    path.write_text(json.dumps(run | heads_of(writer_model.to_writer(model), *probe) | history), encoding="utf-8")


def learn_repeats(model, seed, on_epoch=None):
    """Train a model on repeating rows."""
    from course_utils.models import writer_model

    rows, _ = induction.repeated_rows(N_REPEATED, seed)
    writer_model.train(model, rows, **writer_model.RECIPE | INDUCTION, seed=seed, on_epoch=on_epoch)


def heads_of(writer, rows, periods):
    """Return the best induction head of a writer, its score, and the loss with heads cut.

    cut: this head; cut_two: this one and the second best; cut_previous: the head of layer 0 that looks most at the
    previous token; cut_other: the one of the others that costs most.
    """
    weights = writer(rows[:, :-1]).weights  # (n, 2, 4, 31, 31)
    scores = induction_scores(weights, periods)  # (2, 4)
    order = (-scores).argsort(axis=None)
    best, second = (tuple(map(int, np.unravel_index(index, scores.shape))) for index in order[:2])
    before = 0, int(previous_scores(weights)[0].argmax())
    others = [head for head in np.ndindex(*scores.shape) if head not in (best, second, before)]
    return {
        "layer": best[0],
        "head": best[1],
        "score": float(scores.max()),
        "loss": repeat_loss(writer, rows, periods),
        "cut": repeat_loss(writer, rows, periods, [best]),
        "cut_two": repeat_loss(writer, rows, periods, [best, second]),
        "cut_previous": repeat_loss(writer, rows, periods, [before]),
        "cut_other": max(repeat_loss(writer, rows, periods, [head]) for head in others),
    }


def main():
    options = options_of(__doc__, seeds=10)
    runs = [(seed, 1) for seed in range(options.seeds)] + [(seed, LONGER) for seed in range(min(options.seeds, 3))]
    jobs = {f"{seed}-{times}.npz": (seed, times) for seed, times in runs}
    writers = run_all(train, jobs, folder_of_runs("writer_study", code(), SHIPPED))
    best, error = limit(2000)
    print(f"limit: {best:.4f} nats a word, standard error {error:.4f}")
    named = zip(runs, writers, strict=True)
    rows = [
        {"seed": seed, "times": times} | skill(writer_reader.load_writer(path), seed, best)
        for (seed, times), path in named
    ]
    write_table(rows, rows[0], (SHIPPED if options.ship else RESULTS) / "writer_study.csv")
    seeds, folder = [{"seed": seed} for seed in range(options.seeds)], RESULTS / "induction_study" / induction_code()
    rows = rows_of(seeds, folder, find_heads)
    write_table(rows, rows[0], (SHIPPED if options.ship else RESULTS) / "induction_study.csv")
    if options.ship:
        from course_utils.models import writer_model

        shutil.copy(writers[0], SHIPPED / "writer.npz")
        repeats = writer_model.build_writer(induction.N_WORDS, induction.N_TOKENS - 1)
        learn_repeats(repeats, seed=0)
        writer_reader.save_writer(writer_model.to_writer(repeats), SHIPPED / "induction.npz")
        write_made_by(SHIPPED, __file__, code(), induction_code())


if __name__ == "__main__":
    main()
