"""Reviews as a writer meets them: the verdict that is asked for comes first, then the words; and what became of it.

NumPy only. The verdict takes the place of [CLS]. What is written can be held against the grammar.
"""

from typing import NamedTuple

import numpy as np

from course_utils.arguments import as_tokens, wrong
from course_utils.review_grammar import parse
from course_utils.review_task import PAD, SEQ_LEN, VOCABULARY

VERDICTS = ("[blame]", "[praise]")  # about the movie: label 0, label 1
WORDS = (*VOCABULARY, *VERDICTS)
END = VOCABULARY.index(".")


class Written(NamedTuple):
    """What the grammar says of written reviews, bool (n,) each.

    accepted: it could have drawn these words. obeyed: accepted, and the verdict about the movie is the one in front.
    new: accepted, and not among the rows of the training.
    """

    accepted: np.ndarray
    obeyed: np.ndarray
    new: np.ndarray


def writing_rows(task) -> np.ndarray:
    """Return reviews with their verdict in front: rows (n, SEQ_LEN), int32, of numbers of WORDS.

    task: Reviews, as `make_reviews` gives them. Raises ValueError for tokens or labels that are none.

    >>> from course_utils.review_task import make_reviews
    >>> row = writing_rows(make_reviews(1, seed=5))[0]
    >>> " ".join(in_words(row, verdict=True))
    '[praise] The picture was not dull , and the plot was never to my mind truly really bad .'
    """
    rows = as_tokens(task.tokens, len(VOCABULARY), SEQ_LEN).astype(np.int32)  # a copy, (n, SEQ_LEN)
    labels = np.asarray(task.labels)
    if labels.shape != rows.shape[:1] or not np.isin(labels, (0, 1)).all():
        raise wrong("labels", labels, f"{rows.shape[:1]}, 0 or 1 for each review")
    rows[:, 0] = len(VOCABULARY) + labels.astype(np.int32)
    return rows


def in_words(row, verdict=False) -> list[str]:
    """Return the words of a row (n,), up to the full stop.

    verdict: whether the first token, the verdict, is among them.
    Raises ValueError for numbers that are none of WORDS.
    """
    row = as_tokens([row], len(WORDS))[0]
    ends = np.flatnonzero(row == END)
    last = ends[0] + 1 if len(ends) else len(row)
    return [WORDS[token] for token in row[0 if verdict else 1 : last] if token != PAD]


def held_against_the_grammar(rows, training) -> Written:
    """Ask the grammar about written rows (n, n_tokens), verdict first.

    training (n_rows, SEQ_LEN): what the writer learned from.
    Raises ValueError for numbers that are none of WORDS, and for rows that do not begin with a verdict.
    """
    rows = as_tokens(rows, len(WORDS))
    if not (rows[:, 0] >= len(VOCABULARY)).all():
        raise wrong("rows", rows, f"a verdict in front, {len(VOCABULARY)} or {len(VOCABULARY) + 1}")
    known = {tuple(in_words(row)) for row in training}
    accepted, obeyed, new = (np.zeros(len(rows), bool) for _ in range(3))
    for i, row in enumerate(rows):
        words = in_words(row)
        try:
            review = parse(words)
        except ValueError:
            continue
        accepted[i], obeyed[i] = True, review.label == row[0] - len(VOCABULARY)
        new[i] = tuple(words) not in known
    return Written(accepted, obeyed, new)
