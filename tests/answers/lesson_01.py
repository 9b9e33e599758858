"""Answers to the exercises of lesson 01."""

# ruff: noqa: F841

import math

import numpy as np

from answers import tf


def loop(a, b):
    total = 0
    for x, y in zip(a, b, strict=True):
        total += x * y
    return total


def index_loop(a, b):
    result = 0.0
    for i in range(len(a)):
        result = result + a[i] * b[i]
    return float(result)


def printed(a, b):
    print(sum(x * y for x, y in zip(a, b, strict=True)))


def forgotten(a, b):
    total = a @ b


def yielded(a, b):
    for x, y in zip(a, b, strict=True):
        yield x * y


def two_only(a, b):
    return a[0] * b[0] + a[1] * b[1]


def cosine_loops(a, b):
    dot = length_a = length_b = 0.0
    for x, y in zip(a, b, strict=True):
        dot, length_a, length_b = dot + x * y, length_a + x * x, length_b + y * y
    return dot / math.sqrt(length_a) / math.sqrt(length_b)


def keras_cosine(a, b):
    a, b = tf.constant(a), tf.constant(b)
    return tf.reduce_sum(tf.math.l2_normalize(a) * tf.math.l2_normalize(b))


def half_cosine(a, b):
    a, b = a.astype(np.float16), b.astype(np.float16)
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))


norm = np.linalg.norm


def scores_loop(q, K):
    result = []
    for k in K:
        dot = 0
        for x, y in zip(q, k, strict=True):
            dot += x * y
        result.append(dot / math.sqrt(len(q)))
    return result


def scores_last_only(q, K):
    for k in K:
        score = q @ k / np.sqrt(len(q))
    return score


def scores_in_place(q, K):
    q /= np.sqrt(len(q))
    return K @ q


RIGHT = {
    "dot_product": [
        loop,
        index_loop,
        lambda a, b: np.einsum("i,i->", a, b),
        lambda a, b: tf.tensordot(a, b, axes=1),
        lambda a, b: np.float32(a.astype(np.float32) @ b.astype(np.float32)),
        lambda a, b: sum(map(lambda x, y: x * y, a, b)),
    ],
    "cosine": [
        cosine_loops,
        keras_cosine,
        half_cosine,
        lambda a, b: (a / norm(a)) @ (b / norm(b)),
        lambda a, b: np.einsum("i,i", a, b) / np.sqrt(np.einsum("i,i", a, a) * np.einsum("i,i", b, b)),
        lambda a, b: np.cos(np.arccos(a.astype("float32") @ b.astype("float32") / (norm(a) * norm(b)))),
    ],
    "one_query_scores": [
        scores_loop,
        lambda q, K: q @ K.T / K.shape[1] ** 0.5,
        lambda q, K: np.einsum("d,nd->n", q, K) / math.sqrt(q.size),
        lambda q, K: tf.linalg.matvec(K, q) / tf.sqrt(float(len(q)) + tf.zeros((), tf.float64)),
        lambda q, K: (K.astype(np.float32) * q.astype(np.float32)).sum(axis=1) / np.float32(np.sqrt(len(q))),
        lambda q, K: [float(np.dot(q, k)) / len(q) ** 0.5 for k in K],
    ],
    "can_win": [["not"], ("not",), {"not"}, "not", ["not", "not"]],
}
WRONG = {
    "dot_product": [
        ("differs", lambda a, b: max(x * y for x, y in zip(a, b, strict=True))),
        ("differs", lambda a, b: sum(x / y for x, y in zip(a, b, strict=True))),
        ("always-the-same", lambda a, b: 7 + 0 * (a @ b)),
        ("prints-only", printed),
        ("returns-nothing", forgotten),
        ("returns-generator", yielded),
        ("only-some-inputs", two_only),
        ("sign", lambda a, b: -sum(a * b)),
        ("factor", lambda a, b: 2 * (a @ b)),
        ("truncated", lambda a, b: int(a @ b)),
        ("hard-coded", lambda a, b: 7),
        ("shape-extra-axis", lambda a, b: np.array([a @ b])),
    ],
    "cosine": [
        ("differs", lambda a, b: b @ b / (np.linalg.norm(a) * np.linalg.norm(b))),
        ("differs", lambda a, b: a @ b / (np.sqrt((a**2).sum()) * np.sqrt((b**4).sum()))),
        ("rounded", lambda a, b: round(float(a @ b / (norm(a) * norm(b))), 2)),
        ("sign", lambda a, b: -(a @ b) / (norm(a) * norm(b))),
        ("promise-broken", lambda a, b: a @ b / (norm(a) * norm(b) + 1e-6)),
    ],
    "one_query_scores": [
        ("differs", lambda q, K: np.sqrt(len(q)) / (K @ q)),
        ("scale-wrong", lambda q, K: K @ q / np.sqrt(np.sqrt(len(q)))),
        ("scale-wrong", lambda q, K: K @ q / len(q) ** 0.25),
        ("scale-hardcoded", lambda q, K: K @ q / np.sqrt(2)),
        ("returns-last-only", scores_last_only),
        ("changes-input", scores_in_place),
        ("reversed", lambda q, K: (K @ q / np.sqrt(len(q)))[::-1]),
        ("sorted", lambda q, K: sorted(K @ q / np.sqrt(len(q)))),
        ("shape-extra-axis", lambda q, K: (K @ q / np.sqrt(len(q)))[None]),
        ("promise-broken", lambda q, K: (K @ q / np.sqrt(len(q))).squeeze()),
    ],
    "can_win": [
        ("not-a-value", ["not", "amazing"]),
        ("not-a-value", 2),
    ],
}
