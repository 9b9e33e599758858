"""Sentences of random tokens for the [CLS] classifier, and a question about each of them. NumPy only.

The usual question: is the target at the position? `make_task(question=...)` takes any other.
"""

from collections import namedtuple
from collections.abc import Callable
from itertools import permutations
from math import factorial
from typing import NamedTuple

import numpy as np

from course_utils.arrays.arguments import as_count, as_real, wrong
from course_utils.arrays.shapes import Array

CLS = 0  # the token that opens every sentence and later holds the answer
MOST_DRAWN = 2_000_000  # sentences, to find enough of both answers
N_ORDERS = 720  # of a sentence that are tried: all of them for six tokens


class Task(namedtuple("Sentences", ("tokens", "labels"))):
    """Sentences and their labels: `tokens` (n_samples, length + 1), int32, and `labels` (n_samples,), float32.

    question: what the labels answer, in words. ask: the function that answers it, from tokens to labels.
    make_task sets both; a Task made by hand has only what you set.
    """

    question, ask = "Is the answer yes?", None


class Metrics(NamedTuple):
    """Shares between 0 and 1: right answers, those of the positives, and the mean of both classes' shares."""

    accuracy: float
    recall: float
    balanced_accuracy: float


def make_task(
    n_samples: int = 8000,
    *,
    position: int = 4,
    target: int = 42,
    length: int = 6,
    vocab_size: int = 51,
    decoys: float = 0.0,
    seed: int = 0,
    question: Callable | None = None,
) -> Task:
    """Draw random sentences whose label is 1 where the token at `position` is `target`.

    Column 0 of the tokens is [CLS] = 0. The others are 1..vocab_size - 1, and position 1 is the first of them.
    With decoys=0 every token is drawn uniformly, so few labels are 1 and the target is rare elsewhere.
    With decoys=p the target is at the position in half of the sentences, and at every other position
    with probability p. Then only the position separates the labels.

    question: a function of your own instead, from tokens (n, length + 1) to n answers, yes or no.
    Half of the sentences are then chosen from those with a yes, and with decoys=p the target is at every position
    with probability p. `position` is not used. The first line of its docstring is the question in words.

    Shapes: tokens (n_samples, length + 1), int32; labels (n_samples,), float32. One seed, one data set, everywhere.
    Raises ValueError for a count below 1, a position outside 1..length, a target outside 1..vocab_size - 1,
    decoys outside 0..1, and a question that returns something else or almost never one of the two answers.
    Source: the position task of the course's self-attention example; the decoys are the course's own.

    >>> tokens, labels = make_task(5, seed=1)
    >>> tokens.shape, labels.shape
    ((5, 7), (5,))
    >>> make_task(1000, decoys=0.5).labels.mean()
    np.float32(0.5)
    >>> make_task(1000, question=lambda tokens: tokens[:, 2] == tokens[:, 5]).labels.mean()
    np.float32(0.5)
    """
    n_samples, length = as_count("n_samples", n_samples), as_count("length", length)
    vocab_size = as_count("vocab_size", vocab_size, least=3)
    decoys = as_real("decoys", decoys, wanted="a probability from 0 to 1")
    if not 0 <= decoys <= 1:
        raise wrong("decoys", decoys, "a probability from 0 to 1")
    if question is None or decoys:  # else no target is needed, and a small vocabulary may not hold it
        target = as_count("target", target, most=vocab_size - 1)
    rng = np.random.default_rng(as_count("seed", seed, least=0))
    if question is not None:
        return _task_of(_balanced_tokens(rng, (n_samples, length), target, vocab_size, decoys, question), question)
    position = as_count("position", position, most=length)
    words = _draw_words(rng, (n_samples, length), position, target, vocab_size, decoys)
    at_position = lambda tokens: tokens[:, position] == target  # noqa: E731  too short for a def
    return _task_of(_prepend_cls(words), at_position, f"Is the token at position {position} the number {target}?")


def _prepend_cls(words):
    return np.insert(words, 0, CLS, axis=1)  # (n, length + 1)


def _task_of(tokens, ask, question=""):
    """Return the Task of these sentences; without a question, it is worded by the docstring or the name of `ask`."""
    task = Task(tokens, _answers(ask, tokens).astype(np.float32))
    name = getattr(ask, "__name__", "<lambda>")
    words = (ask.__doc__ or "").strip() or f"Is it a yes for {name.replace('_', ' ')}?"
    task.question = question or ("Is the answer yes?" if name == "<lambda>" else words.splitlines()[0])
    task.ask = ask
    return task


def _answers(question, tokens):
    """Return the answers (n,) of a question to sentences, as booleans."""
    if not callable(question):
        raise wrong("question", question, "a function, from tokens (n, length + 1) to n times yes or no")
    answers = np.asarray(question(tokens))
    if answers.shape != (len(tokens),) or not np.isin(answers, (0, 1)).all():
        raise wrong("question(tokens)", answers, f"({len(tokens)},), True or False for each sentence")
    return answers.astype(bool)


def _balanced_tokens(rng, shape, target, vocab_size, decoys, question):
    """Return sentences (n, length + 1) of which half, rounded down, get a yes."""
    chunks, missing = {True: [], False: []}, {True: shape[0] // 2, False: shape[0] - shape[0] // 2}
    for _ in range(0, MOST_DRAWN, 20_000):
        words = rng.integers(1, vocab_size, size=(20_000, shape[1]), dtype=np.int32)
        words = np.where(rng.random(words.shape) < decoys, np.int32(target), words) if decoys else words
        tokens = _prepend_cls(words)
        answers = _answers(question, tokens)
        for answer, n_missing in missing.items():
            chunk = tokens[answers == answer][:n_missing]
            chunks[answer].append(chunk)
            missing[answer] -= len(chunk)
        if not any(missing.values()):
            return rng.permutation(np.concatenate(chunks[True] + chunks[False]))
    rare = "yes" if missing[True] else "no"
    raise wrong("question", question, f"a question to which more of {MOST_DRAWN:,} random sentences answer {rare}")


def _draw_words(rng, shape, position, target, vocab_size, decoys):
    if decoys == 0:
        return rng.integers(1, vocab_size, size=shape, dtype=np.int32)
    return _words_with_decoys(rng, shape, position, target, vocab_size, decoys)


def _words_with_decoys(rng, shape, position, target, vocab_size, decoys):
    others = rng.integers(1, vocab_size - 1, size=shape, dtype=np.int32)
    others += others >= target  # skips the target: 1..target - 1 stay, the rest move up by one
    is_target = rng.random(shape) < decoys
    is_target[:, position - 1] = rng.permutation(shape[0]) < shape[0] // 2  # half of the sentences, exactly
    return np.where(is_target, np.int32(target), others)


def metrics(labels: Array["n"], probabilities: Array["n"]) -> Metrics:
    """Compare labels with predicted probabilities, where 0.5 and above means yes.

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


def check_labels(labels: Array["n"]) -> None:
    """Raise a ValueError if labels are not 0 and 1, or all one class.

    >>> check_labels([1, 1])
    Traceback (most recent call last):
    ValueError: labels has shape (2,) and dtype int64; wanted: both 0 and 1 among them; these are all one class
    """
    labels = np.asarray(labels)
    if labels.ndim != 1 or not np.isin(labels, [0, 1]).all():
        raise wrong("labels", labels, "(n,), each 0 or 1")
    if len(np.unique(labels)) < 2:
        raise wrong("labels", labels, "both 0 and 1 among them; these are all one class")


def shares_of_yes(task: Task) -> Array["n"]:
    """Return the share of yes among all orders of each sentence's words, from 0 to 1.

    It is all that can be known about the answer without the order of the words.
    Of sentences with more than six words, 720 orders are tried.
    Raises ValueError for a Task without a question.

    >>> task = make_task(4, decoys=0.5, seed=2)
    >>> (task.tokens[:, 1:] == 42).mean(axis=1), shares_of_yes(task)
    (array([0.5       , 0.5       , 0.83333333, 0.33333333]), array([0.5       , 0.5       , 0.83333333, 0.33333333]))
    """
    if getattr(task, "ask", None) is None:
        raise wrong("task", task, "a task of make_task, which knows its question")
    words = np.sort(task.tokens[:, 1:], axis=1)  # nothing is left of the order
    length = words.shape[1]
    rng = np.random.default_rng(0)
    every = factorial(length) <= N_ORDERS
    orders = list(permutations(range(length)) if every else (rng.permutation(length) for _ in range(N_ORDERS)))
    return sum(_answers(task.ask, _prepend_cls(words[:, list(order)])) for order in orders) / len(orders)


def best_counter(task: Task) -> float:
    """Return the best accuracy of a program that knows the words of a sentence, but not their order.

    It learns the better answer for each share of yes on one half of the sentences, and is measured on the other.

    >>> round(best_counter(make_task(5000, decoys=0.5)), 2)
    0.67
    """
    shares, half = shares_of_yes(task), len(task.labels) // 2
    sums = {}
    for share, label in zip(shares[:half], task.labels[:half], strict=True):
        sums[share] = sums.get(share, 0) + label - 0.5
    guesses = np.array([sums.get(share, 0) > 0 for share in shares[half:]])
    return float((guesses == task.labels[half:]).mean())


def hardest(task: Task) -> Array["length + 1"]:
    """Return the sentence whose no is hardest to see: of its other orders, nearly all get a yes.

    >>> hardest(make_task(decoys=0.5))
    array([ 0, 42, 42, 42, 22, 42, 42], dtype=int32)
    """
    first = Task(task.tokens[:1000], task.labels[:1000])
    first.ask = task.ask
    return first.tokens[np.argmax(shares_of_yes(first) - first.labels)]
