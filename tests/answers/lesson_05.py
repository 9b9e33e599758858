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
        ("row-is-column", lambda Q, K, i: soft(dots(Q, K))[:, i]),
        ("row-off-by-one", lambda Q, K, i: soft(dots(Q, K))[i - 1]),
        ("row-off-by-one", lambda Q, K, i: soft(dots(Q, K))[i + 1]),
        ("row-fixed", lambda Q, K, i: soft(dots(Q, K))[4]),
        ("row-fixed", lambda Q, K, i: soft(K @ Q[0] / np.sqrt(Q.shape[1]))),
        ("row-all", lambda Q, K, i: soft(dots(Q, K))),
        ("row-one-weight", lambda Q, K, i: soft(dots(Q, K))[i][i]),
        ("product-elementwise", lambda Q, K, i: soft(Q[i] * K / np.sqrt(Q.shape[1]))),
        ("product-elementwise", lambda Q, K, i: Q[i] * K / np.sqrt(Q.shape[1])),
        ("query-key-swapped", lambda Q, K, i: soft(Q @ K[i] / np.sqrt(Q.shape[1]))),
        ("key-unused", lambda Q, K, i: soft(Q @ Q[i] / np.sqrt(Q.shape[1]))),
        ("query-unused", lambda Q, K, i: soft(K @ K[i] / np.sqrt(Q.shape[1]))),
        ("scale-missing", lambda Q, K, i: soft(K @ Q[i])),
        ("scale-after-softmax", lambda Q, K, i: soft(K @ Q[i]) / math.sqrt(len(Q[i]))),
        ("scale-dk-not-sqrt", lambda Q, K, i: soft(K @ Q[i] / Q.shape[1])),
        ("scale-hardcoded", lambda Q, K, i: soft(K @ Q[i] / np.sqrt(2))),
        ("scale-n", lambda Q, K, i: soft(K @ Q[i] / np.sqrt(len(K)))),
        ("scale-multiplied", lambda Q, K, i: soft(K @ Q[i] * np.sqrt(Q.shape[1]))),
        ("softmax-missing", lambda Q, K, i: K @ Q[i] / np.sqrt(Q.shape[1])),
        ("softmax-unnormalised", lambda Q, K, i: np.exp(K @ Q[i] / np.sqrt(Q.shape[1]))),
        ("softmax-axis", lambda Q, K, i: soft(dots(Q, K), axis=0)[i]),
        ("softmax-over-all", lambda Q, K, i: np.exp(dots(Q, K))[i] / np.exp(dots(Q, K)).sum()),
        ("key-not-transposed", lambda Q, K, i: soft(Q[i] @ K / np.sqrt(Q.shape[1]))),
        ("row-off-by-one scale-missing", lambda Q, K, i: soft(K @ Q[i - 1])),
        ("query-key-swapped", lambda Q, K, i: soft(dots(Q, K), axis=0)[:, i]),
        ("sorted", lambda Q, K, i: np.sort(soft(K @ Q[i] / np.sqrt(Q.shape[1])))),
        ("promise-broken", lambda Q, K, i: soft(dots(Q, K)).squeeze()[i]),
    ],
    "good_output": [
        ("value-small-dropped", lambda weights, V: sum(w * v for w, v in zip(weights, V, strict=True) if w > 0.01)),
        ("value-small-dropped", lambda weights, V: np.where(weights < 0.1, 0, weights) @ V),
        ("value-missing", lambda weights, V: weights),
        ("value-elementwise", lambda weights, V: [w * v for w, v in zip(weights, V, strict=True)]),
        ("value-elementwise", lambda weights, V: weights * V),
        ("value-first", lambda weights, V: V @ weights),
        ("value-mean", lambda weights, V: np.mean(V, axis=0)),
        ("value-sum", lambda weights, V: sum(V)),
        ("value-largest", lambda weights, V: V[np.argmax(weights)]),
        ("value-unweighted", lambda weights, V: weights.sum() * V),
        ("output-divided", lambda weights, V: weights @ V / len(V)),
        ("output-divided", lambda weights, V: (weights[:, None] * V).mean(axis=0)),
        ("output-divided", lambda weights, V: weights @ V / weights.max()),
        ("output-wrong-axis", lambda weights, V: (weights[:, None] * V).sum(axis=1)),
        ("output-summed", lambda weights, V: np.sum(weights[:, None] * V)),
        ("softmax-twice", lambda weights, V: soft(weights) @ V),
        ("weights-reversed", lambda weights, V: weights[::-1] @ V),
        ("value-missing softmax-twice", lambda weights, V: soft(weights)),
        ("rounded", lambda weights, V: np.round(weights @ V, 2)),
        ("shape-extra-axis", lambda weights, V: weights[None] @ V),
    ],
    "conceptual_keys": [
        ("scale-missing", (E1, beside(np.log(ROW)))),
        ("scale-dk-not-sqrt", (E1, beside(2 * np.log(ROW)))),
        ("scale-multiplied", (E1, beside(np.log(ROW) / np.sqrt(2)))),
        ("keys-are-weights", (np.array([1.0]), ROW[:, None])),
        ("keys-are-weights", (np.array([1.0]), 100 * ROW[:, None])),
        ("keys-are-weights", (E1, beside(ROW))),
        ("keys-log-base", (np.array([1.0]), np.log2(ROW)[:, None])),
        ("keys-log-base", (np.array([1.0]), np.log10(ROW)[:, None])),
        ("keys-log-base scale-missing", (E1, beside(np.log10(ROW)))),
        ("keys-shape", (E1, np.ones((2, 12)))),
        ("keys-shape", (E1, np.log(ROW))),
        ("keys-row", (E1, np.ones((12, 2)))),
        ("keys-row", (E1, beside(np.sqrt(2) * np.log(ROW[::-1])))),
        ("nan", (np.array([1.0]), np.where(ROW > 0.01, np.log(ROW), -np.inf)[:, None])),
        ("not-a-value", np.ones((12, 2)).sum()),
        ("not-a-value", lambda: None),
    ],
}
