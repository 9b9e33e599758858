"""Answers to the exercises of lesson 14."""

# ruff: noqa: B905

import numpy as np

from answers import tf
from answers.lesson_12 import f1
from course_utils.cls_task import metrics


def shares(labels, predictions):
    return np.mean(predictions[labels == 1] == 1), np.mean(predictions[labels == 0] == 0)


def balanced_loop(labels, predictions):
    right, seen = {0: 0, 1: 0}, {0: 0, 1: 0}
    for label, prediction in zip(labels, predictions):
        seen[label] += 1
        right[label] += label == prediction
    return sum(right[c] / seen[c] for c in (0, 1)) / 2


def even_loop(weights):
    result = np.zeros(weights.shape)
    result[...] = 1 / weights.shape[-1]
    return result


RIGHT = {
    "balanced_accuracy": [
        balanced_loop,
        lambda labels, predictions: np.mean(shares(labels, predictions)),
        lambda labels, predictions: metrics(labels, predictions).balanced_accuracy,
        lambda labels, predictions: np.float32(sum(shares(labels, predictions)) / 2),
        lambda labels, predictions: tf.reduce_mean(tf.constant(shares(labels, predictions))),
    ],
    "uniform_attention": [
        even_loop,
        lambda weights: np.ones_like(weights) / weights.shape[-1],
        lambda weights: np.full(weights.shape, 1 / weights.shape[-1], dtype=np.float32),
        lambda weights: tf.nn.softmax(tf.zeros_like(weights)),
        lambda weights: weights * 0 + weights.mean(axis=-1, keepdims=True),
    ],
}
WRONG = {
    "balanced_accuracy": [
        (
            "edit-brackets",
            lambda labels, predictions: (
                (predictions == labels)[labels == 1].mean() + (predictions == labels)[labels == 0].mean() / 2
            ),
        ),
        ("balanced-is-accuracy", lambda labels, predictions: np.mean(labels == predictions)),
        ("balanced-is-recall", lambda labels, predictions: predictions[labels == 1].mean()),
        ("balanced-is-specificity", lambda labels, predictions: (predictions[labels == 0] == 0).mean()),
        ("balanced-not-halved", lambda labels, predictions: sum(shares(labels, predictions))),
        ("balanced-not-halved", lambda labels, predictions: sum(shares(labels, predictions)) - 1),
        ("balanced-product", lambda labels, predictions: np.prod(shares(labels, predictions))),
        ("balanced-product", lambda labels, predictions: np.sqrt(np.prod(shares(labels, predictions)))),
        ("balanced-product", lambda labels, predictions: min(shares(labels, predictions))),
        (
            "balanced-precision",
            lambda labels, predictions: (labels[predictions == 1].mean() + predictions[labels == 1].mean()) / 2,
        ),
        ("balanced-precision", f1),
        (
            "balanced-false-alarms",
            lambda labels, predictions: (predictions[labels == 1].mean() + predictions[labels == 0].mean()) / 2,
        ),
        ("recall-percent", lambda labels, predictions: 100 * np.mean(shares(labels, predictions))),
        ("returns-tuple", lambda labels, predictions: tuple(np.array([s]) for s in shares(labels, predictions))),
    ],
    "uniform_attention": [
        ("edit-size", lambda weights: np.ones(weights.shape) / weights.shape[1]),
        ("edit-fixed", lambda weights: np.ones(weights.shape) / 6),
        ("uniform-root", lambda weights: np.ones(weights.shape) / weights.shape[-1] ** 0.5),
        ("uniform-queries", lambda weights: np.ones(weights.shape) / weights.shape[-2]),
        ("uniform-queries", lambda weights: np.ones(weights.shape) / len(weights)),
        ("uniform-everything", lambda weights: np.ones(weights.shape) / weights.size),
        ("uniform-ones", lambda weights: np.ones(weights.shape)),
        ("uniform-ones", lambda weights: weights * 0),
        ("uniform-average", lambda weights: weights * 0 + weights.mean(axis=-2, keepdims=True)),
        ("uniform-average", lambda weights: weights * 0 + weights.mean(axis=0)),
        ("uniform-one-row", lambda weights: np.ones(weights.shape[-1]) / weights.shape[-1]),
        ("uniform-one-row", lambda weights: 1 / weights.shape[-1]),
        ("uniform-unchanged", lambda weights: weights),
        ("promise-broken", lambda weights: (weights > 0) / (weights > 0).sum(-1, keepdims=True)),
    ],
}
