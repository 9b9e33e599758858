"""Train the two finished examples of lesson 21 on five seeds each, and record what was claimed and measured.

Each finished run is one small file, so an interrupted study resumes where it stopped.

    nox -s question_study              ten trainings, the table goes to artefacts/
    nox -s question_study -- --ship    also write course_utils/data/questions: the table
"""

import json

import numpy as np
from jobs import DATA, RESULTS, fingerprint, folder_of_runs, options_of, rows_of, write_made_by, write_table

import course_utils
from course_utils.models import cls_reader
from course_utils.models.cls_reader import answer_with, cls_row
from course_utils.tasks import cls_task
from course_utils.tasks.cls_task import best_counter, make_task, metrics

SHIPPED = DATA / "questions"
SEEDS = range(5)
N_TRAIN, N_TEST = 8000, 5000
EXAMPLES = {  # the places and the weight that were claimed for each of them, before these five seeds
    "A": {"places": [3], "at_least": 0.5, "decoys": 0.0, "focus": 0.0},
    "B": {"places": [2, 5], "at_least": 0.3, "decoys": 0.5, "focus": 0.3},  # the reward of lesson 13, for one place
}
COLUMNS = ("example", "seed", "counter", "accuracy", *(f"look_{place}" for place in range(7)), "hidden", "control")


def above(tokens):
    """Is the token at position 3 above 25?"""
    return tokens[:, 3] > 25


def both(tokens):
    """Is there a 42 at position 2 and at position 5?"""
    return (tokens[:, 2] == 42) & (tokens[:, 5] == 42)


QUESTIONS = {"A": above, "B": both}


def code():
    """Return the fingerprint of what a result depends on: the model, its training, the task and what is measured."""
    from course_utils.models import cls_model

    quiet = course_utils.QUIET_TENSORFLOW
    return fingerprint(cls_model, cls_task, cls_reader.EPSILON, quiet, above, both, EXAMPLES, figures_of)


def measure(run, path):
    """Train one classifier, measure it on held-out sentences, and write the row to `path`."""
    from course_utils.models.cls_model import FOCUSED, build_classifier, to_reader, train

    example, question = EXAMPLES[run["example"]], QUESTIONS[run["example"]]
    task, fresh = (
        make_task(n, question=question, decoys=example["decoys"], seed=seed) for n, seed in ((N_TRAIN, 0), (N_TEST, 1))
    )
    model = build_classifier(seed=run["seed"])
    train(model, task, **FOCUSED | {"seed": run["seed"], "focus": example["focus"]})
    row = run | {"counter": best_counter(fresh)} | figures_of(to_reader(model), fresh, example["places"])
    path.write_text(json.dumps(row))


def figures_of(reader, fresh, places):
    """Return the accuracy, the mean weight of each place, and the balanced accuracy with places hidden.

    hidden: the claimed ones; control: as many others, those with the most weight.
    """
    rows = cls_row(reader, fresh.tokens)  # (n, 7)
    mean = rows.mean(axis=0)  # (7,)
    others = [place for place in np.argsort(-mean) if place not in places][: len(places)]
    row = {"accuracy": metrics(fresh.labels, answer_with(reader, fresh.tokens)).accuracy}
    row |= {f"look_{place}": float(weight) for place, weight in enumerate(mean)}
    for name, hidden in (("hidden", places), ("control", others)):
        left = rows.astype(float)
        left[:, hidden] = 0
        left /= left.sum(axis=1, keepdims=True)
        row[name] = metrics(fresh.labels, answer_with(reader, fresh.tokens, left)).balanced_accuracy
    return row


def main():
    options = options_of(__doc__)
    runs = [{"example": example, "seed": seed} for example in EXAMPLES for seed in SEEDS]
    rows = rows_of(runs, folder_of_runs("question_study", code(), SHIPPED), measure)
    write_table(rows, COLUMNS, (SHIPPED if options.ship else RESULTS) / "question_study.csv")
    if options.ship:
        write_made_by(SHIPPED, __file__, code())


if __name__ == "__main__":
    main()
