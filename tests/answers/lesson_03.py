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


def no_mean(Q, K):
    scores = [q @ k for q in Q for k in K]
    return sum(s**2 for s in scores) / len(scores)


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
        ("key-not-transposed", lambda Q, K: (Q @ K).var()),
        ("key-not-transposed", lambda Q, K: np.var(Q @ K.reshape(K.shape[1], K.shape[0]))),
        ("product-over-tokens", lambda Q, K: (Q.T @ K).var()),
        ("product-elementwise", lambda Q, K: (Q * K).var()),
        ("product-same-row", lambda Q, K: np.var([q @ k for q, k in zip(Q, K, strict=True)])),
        ("product-absolute", lambda Q, K: np.abs(Q @ K.T).var()),
        ("product-cosine", lambda Q, K: np.var([[q @ k / np.sqrt(q @ q * (k @ k)) for k in K] for q in Q])),
        ("product-distance", lambda Q, K: np.var([[np.linalg.norm(q - k) for k in K] for q in Q])),
        ("key-unused", lambda Q, K: (Q @ Q.T).var()),
        ("query-unused", lambda Q, K: (K @ K.T).var()),
        ("variance-of-scaled", lambda Q, K: (Q @ K.T / np.sqrt(Q.shape[1])).var()),
        ("variance-of-scaled", lambda Q, K: (Q @ K.T / Q.shape[1]).var()),
        ("variance-of-scaled", lambda Q, K: (Q @ K.T * np.sqrt(Q.shape[1])).var()),
        ("variance-is-deviation", lambda Q, K: (Q @ K.T).std()),
        ("variance-is-mean", lambda Q, K: (Q @ K.T).mean()),
        ("variance-without-mean", no_mean),
        ("variance-without-mean", lambda Q, K: np.sum((Q @ K.T) ** 2)),
        ("variance-not-averaged", lambda Q, K: np.sum((Q @ K.T - np.mean(Q @ K.T)) ** 2)),
        ("variance-one-less", lambda Q, K: np.var(Q @ K.T, ddof=1)),
        ("variance-per-row", lambda Q, K: np.var(Q @ K.T, axis=-1)),
        ("variance-per-row", lambda Q, K: np.var(Q @ K.T, axis=0)),
        ("variance-per-row", lambda Q, K: np.mean([np.var(K @ q) for q in Q])),
        ("variance-per-row", lambda Q, K: np.mean([np.var(Q @ k) for k in K])),
        ("variance-range", lambda Q, K: (Q @ K.T).max() - (Q @ K.T).min()),
        ("variance-of-scaled variance-is-deviation", lambda Q, K: np.std(Q @ K.T / np.sqrt(Q.shape[1]))),
        ("promise-broken", lambda Q, K: np.var([Q[i] @ K[j] for i in range(len(Q)) for j in range(len(Q))])),
    ],
    "scale_for_unit_variance": [
        ("scale-missing", lambda d_k: 1),
        ("scale-is-divisor", lambda d_k: np.sqrt(d_k)),
        ("scale-is-divisor", lambda d_k: d_k),
        ("scale-dk-not-sqrt", lambda d_k: 1 / d_k),
        ("scale-dk-not-sqrt", lambda d_k: 1 / d_k**2),
        ("scale-half-not-root", lambda d_k: 1 / (d_k**1 / 2)),
        ("scale-half-not-root", lambda d_k: 1 / d_k**1 / 2),
        ("scale-half-not-root", lambda d_k: d_k**1 / 2),
        ("scale-root-twice", lambda d_k: 1 / math.sqrt(math.sqrt(d_k))),
        ("hard-coded", lambda d_k: 1 / np.sqrt(64)),
        ("sign", lambda d_k: -1 / np.sqrt(d_k)),
        ("factor", lambda d_k: 2 / np.sqrt(d_k)),
        ("prints-only", lambda d_k: print(1 / np.sqrt(d_k))),
    ],
    "softmax_gradient_size": [
        ("gradient-weight-only", lambda scores: soft(scores).max()),
        ("gradient-outer-only", lambda scores: (soft(scores) ** 2).max()),
        ("gradient-plus", lambda scores: np.max(np.diag(soft(scores)) + np.outer(soft(scores), soft(scores)))),
        ("gradient-one-minus", lambda scores: np.max(1 - soft(scores))),
        ("gradient-smallest", lambda scores: jacobian(soft(scores)).min()),
        ("gradient-smallest", lambda scores: np.abs(jacobian(soft(scores))).min()),
        ("gradient-summed", lambda scores: np.abs(jacobian(soft(scores))).sum()),
        ("gradient-summed", lambda scores: np.abs(jacobian(soft(scores))).mean()),
        ("gradient-summed", lambda scores: np.linalg.norm(jacobian(soft(scores)))),
        ("gradient-whole", lambda scores: jacobian(soft(scores))),
        ("gradient-whole", lambda scores: np.abs(jacobian(soft(scores)))),
        ("gradient-whole", lambda scores: soft(scores) * (1 - soft(scores))),
        ("softmax-missing", lambda scores: np.abs(jacobian(scores)).max()),
        ("softmax-unnormalised", lambda scores: np.abs(jacobian(np.exp(scores))).max()),
        ("softmax-unnormalised", lambda scores: np.abs(jacobian(np.exp(scores - scores.max()))).max()),
        ("softmax-without-exp", lambda scores: np.abs(jacobian(scores / scores.sum())).max()),
        ("softmax-wrong-sum", lambda scores: np.abs(jacobian(np.exp(scores) / scores.sum())).max()),
        ("softmax-wrong-sum", lambda scores: np.abs(jacobian(np.exp(scores) / np.exp(scores.sum()))).max()),
        ("softmax-by-n", lambda scores: np.abs(jacobian(np.exp(scores) / len(scores))).max()),
        ("softmax-sigmoid", lambda scores: np.abs(jacobian(1 / (1 + np.exp(-scores)))).max()),
        ("softmax-hard", lambda scores: np.abs(jacobian((scores == scores.max()) * 1.0)).max()),
        ("softmax-log", lambda scores: np.abs(jacobian(np.log(soft(scores)))).max()),
        ("softmax-twice", lambda scores: np.abs(jacobian(soft(soft(scores)))).max()),
        ("softmax-sign", lambda scores: np.abs(jacobian(soft(-scores))).max()),
        ("softmax-base", lambda scores: np.abs(jacobian(2**scores / sum(2**scores))).max()),
    ],
    "broken_conditions": [
        ("condition-bell-curve", ["independent", "variance", "mean", "independent", "independent"]),
        ("condition-bell-curve", ["mean", "mean", "mean", "mean", "mean"]),
        ("condition-variance", ("none", "mean", "mean", "independent", "independent")),
        ("condition-mean", ("none", "variance", "none", "independent", "independent")),
        ("condition-copies", ("none", "variance", "mean", "variance", "independent")),
        ("condition-halves", ("none", "variance", "mean", "independent", "variance")),
        ("not-a-value", ("none", "variance", "mean", "independent")),
        ("not-a-value", ("none", "variance", "mean", "dependent", "dependent")),
        ("not-a-value", "independent"),
        ("not-a-value", 5),
    ],
}
