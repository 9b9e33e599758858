"""Reviews for a writer: the requested verdict comes first, then the words; and how well it was followed.

NumPy only. The verdict takes the place of [CLS]. The grammar judges what a model has written.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from course_utils.arrays.arguments import as_count, as_tokens, wrong
from course_utils.arrays.shapes import Array
from course_utils.tasks.review_grammar import parse
from course_utils.tasks.review_task import PAD, SEQ_LEN, VOCABULARY, Reviews

VERDICTS = ("[blame]", "[praise]")  # about the movie: label 0, label 1
WORDS = (*VOCABULARY, *VERDICTS)
END = VOCABULARY.index(".")
LEAST_TEXT = 1000  # characters of a text to train on


class Judgement(NamedTuple):
    """What the grammar says of written reviews, bool each.

    accepted: it could have drawn these words. obeyed: accepted, and the verdict about the movie is the one in front.
    new: accepted, and not among the rows of the training.
    """

    accepted: Array["n"]
    obeyed: Array["n"]
    new: Array["n"]


def writing_rows(task: Reviews) -> Array["n, SEQ_LEN"]:
    """Return reviews with their verdict in front: rows, int32, of indices of WORDS.

    Raises ValueError for invalid tokens or labels.

    >>> from course_utils.tasks.review_task import make_reviews
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


def text_of(path: str | Path | None = None) -> str:
    """Return the text of a file, or of all .txt and .md files of a folder; without a path, that of the lessons.

    Raises FileNotFoundError for a missing path, ValueError for a text below 1,000 characters.
    """
    if path is None:
        sources = sorted((Path(__file__).parents[2] / "notebooks" / "source").glob("*.py"))
        lines = [line for source in sources for line in source.read_text(encoding="utf-8").splitlines()]
        text = "\n".join(line[2:] for line in lines if line.startswith("# ") and not line.startswith("# %%"))
    else:
        path = Path(path)
        files = sorted(file for file in path.rglob("*") if file.suffix in (".txt", ".md")) if path.is_dir() else [path]
        text = "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)
    if len(text) < LEAST_TEXT:
        raise wrong("path", path, f"a text of at least {LEAST_TEXT} characters; there are {len(text)}")
    return text


def character_rows(text: str, n_tokens: int = 65) -> tuple[Array["n, n_tokens"], str]:
    """Cut a text into rows, int32, that start every n_tokens // 2 characters; return them and the alphabet of the text.

    Token i + 2 is character i of the alphabet, 1 is the padding. Raises ValueError for a text shorter than a row.

    >>> rows, characters = character_rows("abcabcab", n_tokens=4)
    >>> rows.tolist(), characters
    ([[2, 3, 4, 2], [4, 2, 3, 4], [3, 4, 2, 3]], 'abc')
    """
    n_tokens = as_count("n_tokens", n_tokens, least=2)
    if not isinstance(text, str) or len(text) < n_tokens:
        raise wrong("text", text, f"at least {n_tokens} characters")
    characters = "".join(sorted(set(text)))
    tokens = np.array([characters.index(character) for character in text], np.int32) + 2  # (n_characters,)
    starts = np.arange(0, len(tokens) - n_tokens + 1, n_tokens // 2)
    return tokens[starts[:, None] + np.arange(n_tokens)], characters


def in_words(row: Array["n"], verdict: bool = False) -> list[str]:
    """Return the words of a row, up to the full stop; verdict: with the first token, which is the verdict.

    Raises ValueError for anything but indices of WORDS.
    """
    row = as_tokens([row], len(WORDS))[0]
    ends = np.flatnonzero(row == END)
    last = ends[0] + 1 if len(ends) else len(row)
    return [WORDS[token] for token in row[0 if verdict else 1 : last] if token != PAD]


def judge_by_grammar(rows: Array["n, n_tokens"], training: Iterable[Array["SEQ_LEN"]]) -> Judgement:
    """Judge written rows, verdict first, by the grammar. training: the rows that the writer learned from.

    Raises ValueError for anything but indices of WORDS, and for rows that do not start with a verdict.
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
    return Judgement(accepted, obeyed, new)


held_against_the_grammar = judge_by_grammar  # its name in version 2, for students' files
