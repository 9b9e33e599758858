"""The exercises of lesson 12: the [CLS] classifier."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, fault
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.keras_exercises import KERAS
from course_utils.checks.lessons.promised.text_12 import PROMISED
from course_utils.checks.lessons.shared import digits, f1


def cls_labels(
    tokens, position, target, *, test=np.equal, asked=lambda t: t, look=lambda hits, p: hits[:, p], last=lambda y: y
):
    """Return the labels of tokens (n, length): 1 where the target stands at the position."""
    hits = np.multiply(test(tokens, asked(target)), 1)  # numbers: True and 1 are both right
    return last(look(hits, position))


def recall(labels, predictions, *, hits=lambda y, p: (y * p).sum(), of=lambda y, p: y.sum(), last=lambda r: r):
    """Return the share of label 1 that was predicted 1."""
    return last(hits(labels, predictions) / of(labels, predictions))


def count_weights(
    vocab_size,
    seq_len,
    d_model,
    *,
    tokens=lambda v, n, d: v * d,
    positions=lambda v, n, d: n * d,
    attention=lambda d: 4 * (d * d + d),
    norm=lambda d: 2 * d,
    read_out=lambda n, d: d + 1,
    last=lambda count: count,
):
    """Return the number of weights of the classifier."""
    v, n, d = vocab_size, seq_len, d_model
    return last(tokens(v, n, d) + positions(v, n, d) + attention(d) + norm(d) + read_out(n, d))


def sentences(n, length, seed, position, target):
    """Return the arguments of a probe; in the last sentence, the target stands at every position."""
    tokens = np.random.default_rng(seed).choice([0, 1, 2, 3, 4, 5, 6, 42], (n, length))
    tokens[-1] = target
    return tokens, position, target


EXERCISES = (
    Exercise(
        name="cls_labels",
        reference=cls_labels,
        solution=solutions.cls_labels,
        arguments=("tokens", "position", "target"),
        gives={"the labels": "(n,)"},
        **PROMISED["cls_labels"],
        probes=(
            sentences(40, 7, 1, 3, 5),
            sentences(40, 7, 2, 2, 4),
            sentences(30, 7, 3, 4, 3),
            sentences(25, 5, 4, 1, 2),
        ),
        facts=((lambda y: np.isin(y, (0, 1)).all(), "A label is 0 or 1."),),
        hint="A label looks at one place of its own sentence only.",
        faults=(
            fault("label-position", look=lambda hits, p: hits[:, p - 1]),
            fault("label-position", look=lambda hits, p: hits[:, p + 1]),
            fault("label-position", "fixed", look=lambda hits, p: hits[:, 4]),
            fault("label-position", look=lambda hits, p: hits[:, -1]),
            fault("label-row", look=lambda hits, p: hits[p]),
            fault("label-all-positions", look=lambda hits, p: hits),
            fault("label-anywhere", look=lambda hits, p: hits.max(-1)),
            fault("label-first-only", look=lambda hits, p: hits.argmax(-1) == p),
            fault("label-everywhere", look=lambda hits, p: hits.min(-1)),
            fault("label-count", look=lambda hits, p: hits.sum(-1)),
            fault("label-token", asked=lambda target: target + 1),
            fault("label-token", asked=lambda target: target - 1),
            fault("label-token", "fixed", asked=lambda target: 42),
            fault("label-inverted", test=np.not_equal),
            fault("label-comparison", test=np.greater_equal),
            fault("label-comparison", test=np.greater),
            fault("label-comparison", test=np.less_equal),
            fault("label-comparison", test=np.less),
            fault("label-is-token", test=lambda t, target: t),
            fault("label-is-token", test=lambda t, target: np.where(t == target, t, 0)),
            fault("label-indices", last=lambda y: np.flatnonzero(y)),
            fault("label-signs", last=lambda y: np.where(y, 1, -1)),
        ),
    ),
    *KERAS[:4],
    Exercise(
        name="count_weights",
        reference=count_weights,
        solution=solutions.count_weights,
        arguments=("vocab_size", "seq_len", "d_model"),
        gives={"the number of weights": "one number"},
        **PROMISED["count_weights"],
        probes=((51, 7, 8), (40, 5, 6), (23, 11, 4), (100, 3, 5)),
        hint="Count the weights of one layer after the other.",
        faults=(
            fault("count-tokens", tokens=lambda v, n, d: 0),
            fault("count-tokens", tokens=lambda v, n, d: v),
            fault("count-tokens", "row_more", tokens=lambda v, n, d: (v + 1) * d),
            fault("count-positions", positions=lambda v, n, d: 0),
            fault("count-positions", positions=lambda v, n, d: n),
            fault("count-positions", positions=lambda v, n, d: v * d),
            fault("count-biases", "four_missing", attention=lambda d: 4 * d * d),
            fault("count-biases", "three_missing", attention=lambda d: 4 * d * d + d),
            fault("count-three-matrices", attention=lambda d: 3 * (d * d + d)),
            fault("count-three-matrices", attention=lambda d: 3 * d * d),
            fault("count-one-matrix", attention=lambda d: d * d + d),
            fault("count-attention", attention=lambda d: 0),
            fault("count-attention", attention=lambda d: 4 * (d * d + 1)),
            fault("count-norm", norm=lambda d: 0),
            fault("count-norm", norm=lambda d: d),
            fault("count-norm", "one_number", norm=lambda d: 2),
            fault("count-norm", "two_norms", norm=lambda d: 4 * d),
            fault("count-read-out", read_out=lambda n, d: 0),
            fault("count-read-out", read_out=lambda n, d: d),
            fault("count-read-out", read_out=lambda n, d: n * d + 1),
            fault("count-read-out", read_out=lambda n, d: 2 * d + 2),
            fault("count-read-out", "vector_more", read_out=lambda n, d: 2 * d),
            fault("count-feed-forward", attention=lambda d: 4 * (d * d + d) + 8 * d * d + 5 * d),
            fault("count-optimiser", last=lambda count: 3 * count + 2),
            fault("count-optimiser", last=lambda count: 3 * count),
        ),
    ),
    KERAS[4],
    Exercise(
        name="recall",
        reference=recall,
        solution=solutions.recall,
        arguments=("labels", "predictions"),
        gives={"the recall": "one number"},
        **PROMISED["recall"],
        probes=(
            digits("110010111000", "100011010010"),
            digits("101100010011", "001101110001"),
            digits("0100101101", "1100111000"),
            digits("1100100", "0000000"),
            digits("11010", "11110"),
            digits("1100", "1100"),
            digits("1010", "0101"),
        ),
        facts=((lambda r: r.min() >= 0 and r.max() <= 1, "A recall lies between 0 and 1."),),
        hint="Only the sentences labelled 1 count.",
        faults=(
            fault("recall-is-precision", of=lambda y, p: p.sum()),
            fault("recall-is-precision", of=lambda y, p: max(p.sum(), 1)),
            fault("recall-labels-as-index", hits=lambda y, p: p[y].mean() * y.sum()),
            fault("recall-is-accuracy", hits=lambda y, p: (y == p).sum() * y.sum() / len(y)),
            fault("recall-over-all", of=lambda y, p: len(y)),
            fault("recall-not-divided", of=lambda y, p: 1),
            fault("recall-of-the-rest", of=lambda y, p: (1 - y).sum()),
            fault("recall-is-specificity", hits=lambda y, p: ((1 - y) * (1 - p)).sum() * y.sum() / (1 - y).sum()),
            fault("recall-is-false-alarms", hits=lambda y, p: ((1 - y) * p).sum() * y.sum() / (1 - y).sum()),
            fault("recall-counts-all", hits=lambda y, p: p.sum()),
            fault("recall-counts-all", hits=lambda y, p: (y == p).sum()),
            fault("recall-is-f1", hits=lambda y, p: f1(y, p) * y.sum()),
            fault("recall-is-f1", of=lambda y, p: y.sum() + p.sum()),
            fault("recall-upside-down", last=lambda r: 1 / r),
            fault("recall-is-overlap", of=lambda y, p: ((y + p) > 0).sum()),
            fault("recall-is-base-rate", hits=lambda y, p: y.sum() * y.mean()),
            fault("recall-is-miss-rate", last=lambda r: 1 - r),
            fault("recall-percent", last=lambda r: 100 * r),
            fault("truncated", last=np.floor),
        ),
    ),
)
