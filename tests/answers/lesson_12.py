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


def keras_recall(labels, predictions):
    import keras

    metric = keras.metrics.Recall()
    metric.update_state(labels, predictions)
    return metric.result()


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
    "recall": [
        ("returns-nothing", lambda labels, predictions: predictions[labels == 1].sort()),
        ("shape", lambda labels, predictions: predictions[labels == 1]),
    ],
    "count_weights": [
        ("hard-coded", lambda v, n, d: 777),
    ],
}
