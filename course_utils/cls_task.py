"""Sentences of random tokens for the [CLS] classifier: does the target stand at the position? NumPy only."""

from typing import NamedTuple

import numpy as np

from course_utils.arguments import as_count, as_real, wrong

CLS = 0  # the token that opens every sentence and later holds the answer


class Task(NamedTuple):
    """Sentences and their labels: `tokens` (n_samples, length + 1), int32, and `labels` (n_samples,), float32."""

    tokens: np.ndarray
    labels: np.ndarray


class Metrics(NamedTuple):
    """Shares between 0 and 1: right answers, positives found, and the mean of both classes' right answers."""

    accuracy: float
    recall: float
    balanced_accuracy: float


def make_task(n_samples=8000, *, position=4, target=42, length=6, vocab_size=51, decoys=0.0, seed=0) -> Task:
    """Draw random sentences whose label is 1 where the token at `position` is `target`.

    Column 0 of the tokens is [CLS] = 0. The others are 1..vocab_size - 1, and position 1 is the first of them.
    With decoys=0 every token is drawn uniformly, so few labels are 1 and the target is rare elsewhere.
    With decoys=p the target stands at the position in half of the sentences, and at every other position
    with probability p. Then only the position tells the labels apart.

    Shapes: tokens (n_samples, length + 1), int32; labels (n_samples,), float32. One seed, one data set, everywhere.
    Raises ValueError for a count below 1, a position outside 1..length, a target outside 1..vocab_size - 1,
    or decoys outside 0..1.
    Source: the position task of the course's self-attention example; the decoys are the course's own.

    >>> tokens, labels = make_task(5, seed=1)
    >>> tokens.shape, labels.shape
    ((5, 7), (5,))
    >>> make_task(1000, decoys=0.5).labels.mean()
    np.float32(0.5)
    """
    n_samples = as_count("n_samples", n_samples)
    length = as_count("length", length)
    vocab_size = as_count("vocab_size", vocab_size, least=3)
    position = as_count("position", position, most=length)
    target = as_count("target", target, most=vocab_size - 1)
    decoys = as_real("decoys", decoys, wanted="a probability from 0 to 1")
    if not 0 <= decoys <= 1:
        raise wrong("decoys", decoys, "a probability from 0 to 1")
    rng = np.random.default_rng(as_count("seed", seed, least=0))
    if decoys == 0:
        words = rng.integers(1, vocab_size, size=(n_samples, length), dtype=np.int32)
    else:
        words = _words_with_decoys(rng, (n_samples, length), position, target, vocab_size, decoys)
    cls_column = np.full((n_samples, 1), CLS, dtype=np.int32)
    tokens = np.concatenate([cls_column, words], axis=1)  # (n_samples, length + 1)
    return Task(tokens, (tokens[:, position] == target).astype(np.float32))


def _words_with_decoys(rng, shape, position, target, vocab_size, decoys):
    others = rng.integers(1, vocab_size - 1, size=shape, dtype=np.int32)
    others += others >= target  # leaves the target out: 1..target - 1 stay, the rest move up by one
    is_target = rng.random(shape) < decoys
    is_target[:, position - 1] = rng.permutation(shape[0]) < shape[0] // 2  # half of the sentences, exactly
    return np.where(is_target, np.int32(target), others)


def metrics(labels, probabilities) -> Metrics:
    """Compare labels (n,) with predicted probabilities (n,), where 0.5 and above means yes.

    Raises ValueError for shapes that differ and for labels that are all one class: recall or its counterpart
    would then divide by zero.

    >>> metrics([0, 0, 0, 1], [0.1, 0.2, 0.1, 0.3])
    Metrics(accuracy=0.75, recall=0.0, balanced_accuracy=0.5)
    """
    labels, probabilities = np.asarray(labels), np.asarray(probabilities)
    check_labels(labels)
    if probabilities.shape != labels.shape:
        raise wrong("probabilities", probabilities, f"shape {labels.shape}, as labels have")
    right = (probabilities >= 0.5) == (labels == 1)
    recall, specificity = right[labels == 1].mean(), right[labels == 0].mean()
    return Metrics(float(right.mean()), float(recall), float((recall + specificity) / 2))


def check_labels(labels) -> None:
    """Raise a ValueError where labels (n,) are not 0 and 1, or all one class.

    >>> check_labels([1, 1])
    Traceback (most recent call last):
    ValueError: labels has shape (2,) and dtype int64; wanted: both 0 and 1 among them; these are all one class
    """
    labels = np.asarray(labels)
    if labels.ndim != 1 or not np.isin(labels, [0, 1]).all():
        raise wrong("labels", labels, "(n,), each 0 or 1")
    if len(np.unique(labels)) < 2:
        raise wrong("labels", labels, "both 0 and 1 among them; these are all one class")
