"""Answers to the exercises of lesson 12."""

# ruff: noqa: B905

import numpy as np

from answers import tf


def labels_loop(tokens, position, target):
    labels = []
    for sentence in tokens:
        if sentence[position] == target:
            labels.append(1)
        else:
            labels.append(0)
    return labels


def recall_loop(labels, predictions):
    hits = misses = 0
    for label, prediction in zip(labels, predictions):
        if label == 1 and prediction == 1:
            hits += 1
        elif label == 1:
            misses += 1
    return hits / (hits + misses)


def precision_loop(labels, predictions):
    hits = alarms = 0
    for label, prediction in zip(labels, predictions):
        hits += label == 1 and prediction == 1
        alarms += label == 0 and prediction == 1
    return hits / (hits + alarms)


def guarded_precision(labels, predictions):
    return int((labels * predictions).sum()) / int(predictions.sum())


def keras_recall(labels, predictions):
    import keras

    metric = keras.metrics.Recall()
    metric.update_state(labels, predictions)
    return metric.result()


def f1(labels, predictions):
    hits = (labels * predictions).sum()
    return 2 * hits / (labels.sum() + predictions.sum())


def count_lines(vocab_size, seq_len, d_model):
    total = vocab_size * d_model + seq_len * d_model
    for _ in ("Q", "K", "V", "O"):
        total += d_model * d_model + d_model
    return total + d_model + d_model + (d_model + 1)


def count_shapes(vocab_size, seq_len, d_model):
    square = [(d_model, d_model), (d_model,)] * 4
    shapes = [(vocab_size, d_model), (seq_len, d_model), *square, (d_model,), (d_model,), (d_model, 1), (1,)]
    return sum(np.prod(shape) for shape in shapes)


def count_keras(vocab_size, seq_len, d_model):
    from course_utils.cls_model import build_classifier

    return build_classifier(vocab_size, seq_len, d_model).count_params()


def count(tokens=None, positions=None, attention=None, norm=None, read_out=None):
    """A count with one layer counted in another way."""

    def weights(v, n, d):
        return (
            (v * d if tokens is None else tokens(v, d))
            + (n * d if positions is None else positions(v, n, d))
            + (4 * d**2 + 4 * d if attention is None else attention(d))
            + (2 * d if norm is None else norm(d))
            + (d + 1 if read_out is None else read_out(n, d))
        )

    return weights


RIGHT = {
    "cls_labels": [
        labels_loop,
        lambda tokens, position, target: tokens[:, position] == target,
        lambda tokens, position, target: (tokens[:, position] == target).astype(np.float32),
        lambda tokens, position, target: np.where(tokens.T[position] - target, 0, 1),
        lambda tokens, position, target: tf.cast(tf.equal(tokens[:, position], target), tf.float32),
        lambda tokens, position, target: [sentence[position] == target for sentence in tokens.tolist()],
    ],
    "recall": [
        recall_loop,
        keras_recall,
        lambda labels, predictions: predictions[labels == 1].mean(),
        lambda labels, predictions: labels @ predictions / labels.sum(),
        lambda labels, predictions: np.float32(np.sum((labels == 1) & (predictions == 1)) / np.sum(labels == 1)),
        lambda labels, predictions: 1 - ((labels == 1) & (predictions == 0)).sum() / labels.sum(),
    ],
    "count_weights": [
        count_lines,
        count_shapes,
        count_keras,
        count(),
        lambda v, n, d: float(4 * d**2 + (v + n + 7) * d + 1),
    ],
}
WRONG = {
    "cls_labels": [
        ("label-position", lambda tokens, position, target: tokens[:, position - 1] == target),
        ("label-position", lambda tokens, position, target: tokens[:, 1:][:, position] == target),
        ("label-position", lambda tokens, position, target: tokens[:, 4] == target),
        ("label-position", lambda tokens, position, target: tokens[:, -1] == target),
        ("label-row", lambda tokens, position, target: tokens[position] == target),
        ("label-all-positions", lambda tokens, position, target: (tokens == target).astype(int)),
        ("label-token", lambda tokens, position, target: tokens[:, position] == target + 1),
        ("label-token", lambda tokens, position, target: tokens[:, position] == target - 1),
        ("label-token", lambda tokens, position, target: tokens[:, position] == 42),
        ("label-inverted", lambda tokens, position, target: tokens[:, position] != target),
        ("label-comparison", lambda tokens, position, target: tokens[:, position] >= target),
        ("label-comparison", lambda tokens, position, target: tokens[:, position] > target),
        ("label-comparison", lambda tokens, position, target: tokens[:, position] <= target),
        ("label-comparison", lambda tokens, position, target: tokens[:, position] < target),
        ("label-is-token", lambda tokens, position, target: tokens[:, position]),
        ("label-is-token", lambda tokens, position, target: tokens[:, position] * (tokens[:, position] == target)),
        ("label-anywhere", lambda tokens, position, target: (tokens == target).any(axis=1)),
        ("label-anywhere", lambda tokens, position, target: [target in sentence for sentence in tokens]),
        ("label-first-only", lambda tokens, position, target: (tokens == target).argmax(axis=1) == position),
        ("label-everywhere", lambda tokens, position, target: (tokens == target).all(axis=1)),
        ("label-count", lambda tokens, position, target: (tokens == target).sum(axis=1)),
        ("label-indices", lambda tokens, position, target: np.where(tokens[:, position] == target)[0]),
        ("label-signs", lambda tokens, position, target: 2 * (tokens[:, position] == target) - 1),
        ("label-position label-token", lambda tokens, position, target: tokens[:, position - 1] == target + 1),
        ("label-position label-inverted", lambda tokens, position, target: tokens[:, position + 1] != target),
    ],
    "recall": [
        ("recall-is-precision", lambda labels, predictions: (labels & predictions).sum() / max(1, predictions.sum())),
        ("recall-labels-as-index", lambda labels, predictions: np.mean([predictions[label] for label in labels])),
        ("recall-is-precision", precision_loop),
        ("recall-is-precision", guarded_precision),
        ("recall-is-precision", lambda labels, predictions: labels[predictions == 1].mean()),
        ("recall-is-accuracy", lambda labels, predictions: (labels == predictions).mean()),
        ("recall-over-all", lambda labels, predictions: ((labels == 1) & (predictions == 1)).mean()),
        ("recall-not-divided", lambda labels, predictions: sum(labels * predictions)),
        ("recall-of-the-rest", lambda labels, predictions: labels @ predictions / (labels == 0).sum()),
        ("recall-is-specificity", lambda labels, predictions: np.mean(predictions[labels == 0] == 0)),
        ("recall-is-false-alarms", lambda labels, predictions: predictions[labels == 0].mean()),
        ("recall-counts-all", lambda labels, predictions: predictions.sum() / labels.sum()),
        ("recall-counts-all", lambda labels, predictions: (labels == predictions).sum() / labels.sum()),
        ("recall-is-f1", f1),
        ("recall-is-f1", lambda labels, predictions: f1(labels, predictions) / 2),
        ("recall-upside-down", lambda labels, predictions: labels.sum() / (labels * predictions).sum()),
        ("recall-is-overlap", lambda labels, predictions: (labels & predictions).sum() / (labels | predictions).sum()),
        ("recall-is-base-rate", lambda labels, predictions: labels.mean()),
        ("recall-is-miss-rate", lambda labels, predictions: 1 - predictions[labels == 1].mean()),
        ("recall-percent", lambda labels, predictions: 100 * predictions[labels == 1].mean()),
        ("truncated", lambda labels, predictions: (labels * predictions).sum() // labels.sum()),
        ("returns-nothing", lambda labels, predictions: predictions[labels == 1].sort()),
        ("shape", lambda labels, predictions: predictions[labels == 1]),
    ],
    "count_weights": [
        ("count-tokens", count(tokens=lambda v, d: 0)),
        ("count-tokens", count(tokens=lambda v, d: v)),
        ("count-tokens", count(tokens=lambda v, d: (v + 1) * d)),
        ("count-positions", count(positions=lambda v, n, d: 0)),
        ("count-positions", count(positions=lambda v, n, d: n)),
        ("count-positions", count(positions=lambda v, n, d: v * d)),
        ("count-biases", count(attention=lambda d: 4 * d * d)),
        ("count-biases", count(attention=lambda d: 4 * d * d + d)),
        ("count-feed-forward", count(attention=lambda d: 4 * (d * d + d) + (d * 4 * d + 4 * d) + (4 * d * d + d))),
        ("count-three-matrices", count(attention=lambda d: 3 * (d * d + d))),
        ("count-three-matrices", count(attention=lambda d: 3 * d * d)),
        ("count-one-matrix", count(attention=lambda d: d * d + d)),
        ("count-attention", count(attention=lambda d: 0)),
        ("count-attention", count(attention=lambda d: 4 * (d * d + 1))),
        ("count-norm", count(norm=lambda d: 0)),
        ("count-norm", count(norm=lambda d: d)),
        ("count-norm", count(norm=lambda d: 2)),
        ("count-norm", count(norm=lambda d: 2 * (d + d))),
        ("count-read-out", count(read_out=lambda n, d: 2 * d)),
        ("count-read-out", count(read_out=lambda n, d: 0)),
        ("count-read-out", count(read_out=lambda n, d: d)),
        ("count-read-out", count(read_out=lambda n, d: n * d + 1)),
        ("count-read-out", count(read_out=lambda n, d: 2 * (d + 1))),
        ("count-optimiser", lambda v, n, d: 3 * count_lines(v, n, d) + 2),
        ("count-optimiser", lambda v, n, d: 3 * count_lines(v, n, d)),
        ("count-biases count-positions", count(attention=lambda d: 4 * d * d, positions=lambda v, n, d: 0)),
        (
            "count-three-matrices count-positions",
            count(attention=lambda d: 3 * (d * d + d), positions=lambda v, n, d: 0),
        ),
        ("hard-coded", lambda v, n, d: 777),
    ],
}
