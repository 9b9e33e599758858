"""Answers to the exercises of lesson 03."""

import math

import numpy as np

from answers import tf


def soft(s):
    return np.exp(s) / np.exp(s).sum()


def variance_loops(Q, K):
    scores = [sum(x * y for x, y in zip(q, k, strict=True)) for q in Q for k in K]
    mean = sum(scores) / len(scores)
    return sum((s - mean) ** 2 for s in scores) / len(scores)


def gradient_loops(scores):
    w, largest = soft(scores), 0
    for i in range(len(w)):
        for j in range(len(w)):
            derivative = w[i] * ((i == j) - w[j])
            largest = max(largest, abs(derivative))
    return largest


def differences(scores, step=1e-6):
    moved = [(soft(scores + step * e) - soft(scores - step * e)) / (2 * step) for e in np.eye(len(scores))]
    return np.abs(moved).max()


def tape(scores):
    scores = tf.Variable(scores)
    with tf.GradientTape() as watched:
        weights = tf.nn.softmax(scores)
    return np.abs(watched.jacobian(weights, scores)).max()


def jacobian(w):
    return np.diag(w) - np.outer(w, w)


RIGHT = {
    "score_variance": [
        variance_loops,
        lambda Q, K: np.var(np.einsum("id,jd->ij", Q, K)),
        lambda Q, K: tf.math.reduce_variance(tf.matmul(Q, K, transpose_b=True)),
        lambda Q, K: (Q.astype(np.float32) @ K.T.astype(np.float32)).std() ** 2,
        lambda Q, K: ((K @ Q.T) ** 2).mean() - (K @ Q.T).mean() ** 2,
    ],
    "scale_for_unit_variance": [
        lambda d_k: d_k**-0.5,
        lambda d_k: 1 / math.sqrt(d_k),
        lambda d_k: np.float32(1) / np.sqrt(np.float32(d_k)),
        lambda d_k: math.exp(-0.5 * math.log(d_k)),
        lambda d_k: tf.math.rsqrt(float(d_k)),
    ],
    "softmax_gradient_size": [
        gradient_loops,
        differences,
        tape,
        lambda scores: (soft(scores) * (1 - soft(scores))).max(),
        lambda scores: np.abs(jacobian(soft(scores.astype(np.float32)))).max(),
    ],
    "broken_conditions": [
        ("none", "variance", "mean", "independent", "independent"),
        ["none", "variance", "mean", "independent", "independent"],
        np.array(["none", "variance", "mean", "independent", "independent"]),
    ],
}
WRONG = {
    "score_variance": [
        ("promise-broken", lambda Q, K: np.var([Q[i] @ K[j] for i in range(len(Q)) for j in range(len(Q))])),
    ],
    "scale_for_unit_variance": [
        ("hard-coded", lambda d_k: 1 / np.sqrt(64)),
        ("sign", lambda d_k: -1 / np.sqrt(d_k)),
        ("factor", lambda d_k: 2 / np.sqrt(d_k)),
        ("prints-only", lambda d_k: print(1 / np.sqrt(d_k))),
    ],
    "broken_conditions": [
        ("not-a-value", ("none", "variance", "mean", "independent")),
        ("not-a-value", ("none", "variance", "mean", "dependent", "dependent")),
        ("not-a-value", "independent"),
        ("not-a-value", 5),
    ],
}
