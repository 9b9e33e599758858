"""Answers to the exercises of lesson 02."""

import math

import numpy as np

from answers import tf


def exp_loop(scores):
    exponentials = [math.exp(s) for s in scores]
    return [e / sum(exponentials) for e in exponentials]


def soft(scores, axis=-1):
    e = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def softmax32(scores):
    e = np.exp(np.asarray(scores, dtype=np.float32))
    return e / e.sum()


def in_place(scores):
    scores -= scores.max()
    return np.exp(scores) / np.exp(scores).sum()


def stable_loops(scores):
    if scores.ndim > 1:
        return np.array([stable_loops(row) for row in scores])
    top = max(scores)
    e = [math.exp(s - top) for s in scores]
    return np.array([x / sum(e) for x in e])


def stable_log(scores):
    shifted = scores - np.max(scores, axis=-1)[..., None]
    return np.exp(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def stable32(scores):
    scores = scores.astype(np.float32)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


RIGHT = {
    "softmax": [
        exp_loop,
        soft,
        softmax32,
        lambda scores: tf.nn.softmax(scores),
        lambda scores: np.exp(scores) / np.einsum("i->", np.exp(scores)),
        lambda scores: np.e**scores / sum(np.e**scores),
    ],
    "temperature": [
        lambda scores, T: soft(scores / T),
        lambda scores, T: exp_loop([s / T for s in scores]),
        lambda scores, T: softmax32(scores / T),
        lambda scores, T: tf.nn.softmax(tf.constant(scores, tf.float32) / T),
        lambda scores, T: soft(scores) ** (1 / T) / np.sum(soft(scores) ** (1 / T)),
    ],
    "stable_softmax": [stable_loops, stable_log, stable32, soft, lambda scores: tf.nn.softmax(scores, axis=-1)],
    "softmax_axes": [(-1, -1, -2, -2), (1, 2, 0, 1), [-1, 2, 0, -2], np.array([1, -1, -2, 1])],
}


def shifted(scores):
    return np.exp(scores - scores.max(axis=-1, keepdims=True))


WRONG = {
    "softmax": [
        ("changes-input", in_place),
        ("rounded", lambda scores: soft(scores).round(2)),
        ("sorted", lambda scores: np.sort(soft(scores))),
        ("shape-extra-axis", lambda scores: soft(scores[None])),
    ],
    "temperature": [
        ("wrong-arguments", lambda scores: soft(scores)),
        ("arguments-order", lambda T, scores: soft(scores / T)),
        ("arguments-order", lambda t, s: soft(s / t)),
        ("promise-broken", lambda scores, T: soft(scores / max(T, 0.1))),
    ],
    "stable_softmax": [
        ("raises", lambda scores: shifted(scores) / shifted(scores).sum(axis=-2, keepdims=True)),
        ("promise-broken", lambda scores: np.exp(scores - np.logaddexp.reduce(scores, axis=-1)[..., None])),
    ],
    "softmax_axes": [
        ("not-a-value", (-1, -1)),
        ("not-a-value", (-1, -1, -2, 0.5)),
        ("not-a-value", "last"),
    ],
}
