"""Answers to the exercises of lesson 05."""

import math

import numpy as np

from answers import tf
from answers.lesson_04 import dots, soft
from course_utils.sentences import CONCEPTUAL_ROW

ROW = np.array(CONCEPTUAL_ROW)
E1 = np.array([1.0, 0.0])


def row_loop(Q, K, i):
    scores = [sum(a * b for a, b in zip(Q[i], k, strict=True)) / math.sqrt(Q.shape[1]) for k in K]
    exponentials = [math.exp(s) for s in scores]
    return [e / sum(exponentials) for e in exponentials]


def row32(Q, K, i):
    return soft(K.astype(np.float32) @ Q[i].astype(np.float32) / np.sqrt(np.float32(Q.shape[1])))


def mixed_in_loop(weights, V):
    output = np.zeros(V.shape[1])
    for w, v in zip(weights, V, strict=True):
        output += w * v
    return output


def beside(scores):
    """Keys of two numbers, of which the query sees the first only."""
    return np.stack([scores, np.arange(12.0)], axis=1)


RIGHT = {
    "good_row": [
        row_loop,
        row32,
        lambda Q, K, i: soft(dots(Q, K))[i],
        lambda Q, K, i: soft(dots(Q[i : i + 1], K))[0],
        lambda Q, K, i: tf.nn.softmax(tf.linalg.matvec(K, Q[i]) / np.sqrt(Q.shape[1])),
        lambda Q, K, i: soft(np.einsum("d,nd->n", Q[i], K) / Q.shape[1] ** 0.5),
    ],
    "good_output": [
        mixed_in_loop,
        lambda weights, V: weights @ V,
        lambda weights, V: np.einsum("n,nv->v", weights, V),
        lambda weights, V: (weights[:, None] * V).sum(axis=0),
        lambda weights, V: tf.tensordot(weights, V, axes=1),
        lambda weights, V: V.T.astype(np.float32) @ weights.astype(np.float32),
        lambda weights, V: np.average(V, axis=0, weights=weights),
    ],
    "conceptual_keys": [
        (np.array([1.0]), np.log(ROW)[:, None]),
        (E1, beside(np.log(ROW) * np.sqrt(2))),
        ([0.0, 1.0], [[0.0, math.sqrt(2) * (math.log(w) + 3)] for w in ROW]),
        (np.ones(4), np.tile(np.log(ROW)[:, None], 4) / 2),
        (E1.astype(np.float32), beside(np.log(ROW) * np.sqrt(2)).astype(np.float32)),
        (np.array([[1.0]]), np.log(ROW)[:, None] + 7),
    ],
}
WRONG = {
    "good_row": [
        ("scale-hardcoded", lambda Q, K, i: soft(K @ Q[i] / np.sqrt(2))),
        ("sorted", lambda Q, K, i: np.sort(soft(K @ Q[i] / np.sqrt(Q.shape[1])))),
        ("promise-broken", lambda Q, K, i: soft(dots(Q, K)).squeeze()[i]),
    ],
    "good_output": [
        ("rounded", lambda weights, V: np.round(weights @ V, 2)),
        ("shape-extra-axis", lambda weights, V: weights[None] @ V),
    ],
    "conceptual_keys": [
        ("nan", (np.array([1.0]), np.where(ROW > 0.01, np.log(ROW), -np.inf)[:, None])),
        ("not-a-value", np.ones((12, 2)).sum()),
        ("not-a-value", lambda: None),
    ],
}
