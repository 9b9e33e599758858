"""Train the reviewer of lesson 12 on ten seeds, and write down how well it reads and where "good" looks: nox -s review_study

Each finished seed is one small file, so an interrupted study goes on where it stopped; a changed recipe, model or grammar begins anew.

    nox -s review_study              ten seeds, the table goes to artefacts/
    nox -s review_study -- --ship    also write course_utils/data/reviews: the table and the reviewer of seed 0
"""

import argparse
import csv
import hashlib
import inspect
import json
import os
import shutil
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
RUNS, RESULTS, DATA = (
    ROOT / "artefacts" / "review_study",
    ROOT / "artefacts",
    ROOT / "course_utils" / "data" / "reviews",
)
N_TRAIN, N_TEST, TEST_SEED = 20_000, 2000, 10_000  # pairs of twins
FIGURES = ("held_out", "held_out_twins", "new_pairs", "new_pairs_twins")
LOOKS = ("weight", "turned", "weight_amazing", "turned_amazing", "turned_back", "turned_cls", "turned_hidden")


def fingerprint():
    """Return what a trained reviewer depends on, as a short hash: the code of grammar, model and reading, and the sizes."""
    from course_utils import attention, layers, review_model, review_reader, review_task

    code = "".join(map(inspect.getsource, (attention, layers, review_task, review_reader, review_model)))
    return hashlib.sha256(f"{code}{N_TRAIN, N_TEST, TEST_SEED}".encode()).hexdigest()[:12]


def measure(seed, folder):
    """Train one reviewer, measure it on reviews that it never met, and write its row and its weights."""
    from course_utils import review_model, review_reader
    from course_utils.review_task import make_reviews

    model, start = review_model.build_reviewer(seed=seed), time.perf_counter()
    review_model.train(model, make_reviews(N_TRAIN, seed=seed), **review_model.RECIPE, seed=seed)
    reader, row = review_model.to_reader(model), {"seed": seed, "seconds": time.perf_counter() - start}
    for split in ("held out", "new pairs"):
        test = make_reviews(N_TEST, split=split, seed=TEST_SEED)
        right = (review_reader.read(reader, test.tokens).probability >= 0.5) == (test.labels == 1)  # (n,)
        name = split.replace(" ", "_")
        row |= {name: right.mean(), f"{name}_twins": right.reshape(-1, 2).all(axis=1).mean()}
    review_reader.save_reader(reader, folder / f"{seed}.npz")
    part = folder / f"{seed}.part"
    part.write_text(json.dumps(row))
    os.replace(part, folder / f"{seed}.json")


def like_the_review(task):
    """Return the reviews built like the well-known one, tokens (n, SEQ_LEN), and where they have "good", "not" and "amazing", (n,) each.

    "good" stands for the adjective about the movie, "not" for its one negation, "amazing" for the other adjective, which has no negation.
    """
    import numpy as np

    from course_utils.review_task import places

    found = [(i, *places(review)) for i, review in enumerate(task.reviews)]
    found = [(i, m, o) for i, m, o in found if len(m.negations) == 1 and not o.negations]
    rows, *where = np.array([(i, m.adjective, m.negations[0], o.adjective) for i, m, o in found]).T
    return task.tokens[rows], *where


def looks(reader, task):
    """Return the weights good -> not and amazing -> not in the first layer, and how many verdicts a cut turns.

    weight: of the head that has most. turned: the share of verdicts that turn when this look is cut in all heads of the first layer;
    turned_back: not -> good; turned_cls: [CLS] -> not in the second layer; turned_hidden: nobody but "not" itself may look at it.
    """
    import numpy as np

    from course_utils.review_reader import cut_looks, read
    from course_utils.review_task import SEQ_LEN

    tokens, good, no, amazing = like_the_review(task)
    plain, each = read(reader, tokens), np.arange(len(tokens))
    last = np.arange(SEQ_LEN) != no[:, None, None]  # (n, 1, SEQ_LEN): [CLS] may not look at "not"
    others = np.repeat(last, SEQ_LEN, axis=1)  # (n, SEQ_LEN, SEQ_LEN): nobody may,
    others[each, no, no] = True  # except "not" itself

    def turned(first=None, second=None):
        changed = read(reader, tokens, first, second).probability
        return float(np.mean((changed >= 0.5) != (plain.probability >= 0.5)))

    def weight(queries):
        return float(plain.first[each, :, queries, no].mean(axis=0).max())

    figures = (weight(good), turned(cut_looks(good, no)), weight(amazing), turned(cut_looks(amazing, no)))
    return dict(
        zip(LOOKS, (*figures, turned(cut_looks(no, good)), turned(None, last), turned(others, last)), strict=True)
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10, help="seeds 0 to SEEDS - 1")
    parser.add_argument("--ship", action="store_true", help="write course_utils/data/reviews")
    options = parser.parse_args()
    from course_utils.review_reader import load_reader
    from course_utils.review_task import make_reviews

    folder, task = RUNS / fingerprint(), make_reviews(N_TEST, split="held out", seed=TEST_SEED)
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for seed in range(options.seeds):
        if not (folder / f"{seed}.json").exists():
            measure(seed, folder)
        figures = json.loads((folder / f"{seed}.json").read_text())
        rows.append(figures | looks(load_reader(folder / f"{seed}.npz"), task))
        print("  ".join(f"{name} {value:.4g}" for name, value in rows[-1].items()), flush=True)
    target = DATA if options.ship else RESULTS
    with open(target / "review_study.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ("seed", *FIGURES, *LOOKS), lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows({name: round(value, 4) for name, value in row.items()} for row in rows)
    if options.ship:
        shutil.copy(folder / "0.npz", DATA / "reviewer.npz")


if __name__ == "__main__":
    main()
