"""Train the reviewer of lesson 15 on ten seeds, and record how well it reads and where "good" looks.

Each finished seed is one small file, so an interrupted study resumes where it stopped;
a changed recipe, model or grammar starts over.

    nox -s review_study              ten seeds, the table goes to artefacts/
    nox -s review_study -- --ship    also write course_utils/data/reviews: the table and the reviewer of seed 0
"""

import shutil

import numpy as np
from jobs import DATA, RESULTS, fingerprint, folder_of_runs, options_of, run_all, write_made_by, write_table

import course_utils
from course_utils import attention
from course_utils.models import review_reader
from course_utils.tasks import review_task
from course_utils.tasks.review_task import make_reviews

SHIPPED = DATA / "reviews"
N_TRAIN, N_TEST, TEST_SEED = 20_000, 2000, 10_000  # pairs of twins


def code():
    """Return the fingerprint of what a trained reviewer depends on: grammar, model, training, and their sizes."""
    from course_utils.models import review_model

    constants = review_reader.EPSILON, review_reader.SPREAD, review_reader.LAYERS, N_TRAIN
    constants += (course_utils.QUIET_TENSORFLOW,)
    return fingerprint(review_task, review_model, attention.sinusoidal_positions, constants)


def train(seed, path):
    """Train one reviewer and write its weights."""
    from course_utils.models import review_model

    model = review_model.build_reviewer(seed=seed)
    review_model.train(model, make_reviews(N_TRAIN, seed=seed), **review_model.RECIPE, seed=seed)
    review_reader.save_reader(review_model.to_reader(model), path)


def skill(reader, tests):
    """Return how well a reviewer reads unseen reviews. tests: a dict, split -> reviews.

    For each split the accuracy, and under _twins the share of pairs told apart.
    """
    row = {}
    for split, test in tests.items():
        right = (reader(test.tokens).probability >= 0.5) == (test.labels == 1)  # (n,)
        name = split.replace(" ", "_")
        row |= {name: float(right.mean()), f"{name}_twins": float(right.reshape(-1, 2).all(axis=1).mean())}
    return row


def like_the_review(task):
    """Return the reviews built like the well-known one, tokens (n, SEQ_LEN), and where three words are, (n,) each.

    "good" stands for the adjective about the movie, "not" for its one negation, "amazing" for the other adjective,
    which has no negation.
    """
    found = [(i, *review_task.places(review)) for i, review in enumerate(task.reviews)]
    found = [(i, m, o) for i, m, o in found if len(m.negations) == 1 and not o.negations]
    rows, *where = np.array([(i, m.adjective, m.negations[0], o.adjective) for i, m, o in found]).T
    return task.tokens[rows], *where


def looks(reader, task):
    """Return the weights good -> not and amazing -> not in layer 0, and how many verdicts a cut flips.

    weight: that of the head with the largest.
    turned: the share of verdicts that flip when this look is cut in all heads of layer 0; turned_back: not -> good;
    turned_cls: [CLS] -> not in layer 1; turned_hidden: nobody but "not" itself may look at it, in neither layer.
    """
    tokens, good, no, amazing = like_the_review(task)
    plain = reader(tokens)
    others = [(None, None, (no + step) % tokens.shape[1], no) for step in range(1, tokens.shape[1])]

    def turned(hide):
        return float(((reader(tokens, hide=hide).probability >= 0.5) != (plain.probability >= 0.5)).mean())

    def weight(queries):
        return float(plain.weights[range(len(tokens)), 0, :, queries, no].mean(axis=0).max())

    return {
        "weight": weight(good),
        "turned": turned([(0, None, good, no)]),
        "weight_amazing": weight(amazing),
        "turned_amazing": turned([(0, None, amazing, no)]),
        "turned_back": turned([(0, None, no, good)]),
        "turned_cls": turned([(1, None, 0, no)]),
        "turned_hidden": turned(others),
    }


def main():
    options = options_of(__doc__, seeds=10)
    jobs = {f"{seed}.npz": seed for seed in range(options.seeds)}
    paths = run_all(train, jobs, folder_of_runs("review_study", code(), SHIPPED))
    tests = {split: make_reviews(N_TEST, split=split, seed=TEST_SEED) for split in ("held out", "new pairs")}
    readers = [review_reader.load_reader(path) for path in paths]
    rows = [{"seed": i} | skill(reader, tests) | looks(reader, tests["held out"]) for i, reader in enumerate(readers)]
    write_table(rows, rows[0], (SHIPPED if options.ship else RESULTS) / "review_study.csv")
    if options.ship:
        shutil.copy(paths[0], SHIPPED / "reviewer.npz")
        write_made_by(SHIPPED, __file__, code())


if __name__ == "__main__":
    main()
