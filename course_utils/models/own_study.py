"""A study of one's own: file a claim before the training; two finished studies show the outcome. NumPy only.

The table in course_utils/data/questions is made by `nox -s question_study -- --ship`.
"""

import hashlib
import json
from pathlib import Path

import numpy as np

from course_utils.arrays.arguments import wrong
from course_utils.arrays.shapes import Array
from course_utils.arrays.tables import load_table
from course_utils.tasks.cls_task import Task

EXAMPLES = Path(__file__).parents[1] / "data" / "questions" / "question_study.csv"
SEEDS = range(5)


def file_claim(claim: dict) -> str:
    """Return a fingerprint of a claim, eight characters: change a number or a word of it, and you get others.

    Raises ValueError for a claim that is not a dict of numbers, texts and lists.

    >>> file_claim({"places": [5], "at_least": 0.5}) == file_claim({"at_least": 0.5, "places": (5,)})
    True
    """
    if not isinstance(claim, dict):
        raise wrong("claim", claim, "a dict of numbers, texts and lists")
    try:
        text = json.dumps(claim, sort_keys=True, default=lambda value: np.asarray(value).tolist())
    except (TypeError, ValueError, RecursionError) as problem:
        raise wrong("claim", claim, "a dict of numbers, texts and lists") from problem
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def without_known(task: Task, known: Array["n, seq_len"]) -> Task:
    """Return the task, question included, without the sentences that are in `known`.

    >>> from course_utils.tasks.cls_task import make_task
    >>> task = make_task(5)
    >>> without_known(task, task.tokens[:3]).tokens.shape
    (2, 7)
    """
    known = {sentence.tobytes() for sentence in np.asarray(known)}
    is_new = np.array([sentence.tobytes() not in known for sentence in task.tokens], dtype=bool)  # (n,)
    remaining = type(task)(task.tokens[is_new], task.labels[is_new])
    remaining.question, remaining.ask = task.question, task.ask
    return remaining


def load_examples() -> list[dict]:
    """Return the rows of the two finished studies of lesson 21, one for each trained model.

    Columns: example ("A", "B"), seed, counter (the best counter), accuracy, look_0 to look_6 (mean weight of [CLS] on
    each position), hidden and control: the balanced accuracy without the claimed positions, and without as many others.

    >>> [row["seed"] for row in load_examples() if row["example"] == "B"]
    [0, 1, 2, 3, 4]
    """
    return load_table(EXAMPLES, example=str, seed=int)
