"""Answers to the exercises of lesson 01."""

# ruff: noqa: F841, RET503

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


def overwritten(a, b):
    for x, y in zip(a, b, strict=True):
        total = x * y
    return total


def inside(a, b):
    total = 0
    for x, y in zip(a, b, strict=True):
        total += x * y
        return total


def starts_at_one(a, b):
    total = 1
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


def one_short(a, b):
    total = 0
    for i in range(len(a) - 1):
        total += a[i] * b[i]
    return total


def starts_late(a, b):
    total = 0
    for i in range(1, len(a)):
        total += a[i] * b[i]
    return total


def multiplied(a, b):
    total = 1
    for x, y in zip(a, b, strict=True):
        total *= x * y
    return total


def always_zero(a, b):
    total = 0
    for x, y in zip(a, b, strict=True):
        total *= x * y
    return total


def totals(a, b):
    found = []
    for i in range(len(a)):
        found.append(sum(a[: i + 1] * b[: i + 1]))
    return found


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


def soft(s):
    return np.exp(s) / np.exp(s).sum()


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
        ("edit-function", lambda a, b: max(x * y for x, y in zip(a, b, strict=True))),
        ("edit-operator", lambda a, b: sum(x / y for x, y in zip(a, b, strict=True))),
        ("always-the-same", lambda a, b: 7 + 0 * (a @ b)),
        ("terms-added", lambda a, b: sum(x + y for x, y in zip(a, b, strict=True))),
        ("product-distance", lambda a, b: sum((x - y) ** 2 for x, y in zip(a, b, strict=True))),
        ("product-absolute", lambda a, b: sum(abs(x * y) for x, y in zip(a, b, strict=True))),
        ("product-absolute", lambda a, b: np.abs(np.dot(a, b))),
        ("sums-multiplied", lambda a, b: sum(a) * sum(b)),
        ("sums-multiplied", lambda a, b: sum(x * y for x in a for y in b)),
        ("key-unused", lambda a, b: sum(x * x for x in a)),
        ("query-unused", lambda a, b: sum(x * x for x in b)),
        ("product-cosine", lambda a, b: a @ b / (norm(a) * norm(b))),
        ("product-elementwise", lambda a, b: a * b),
        ("product-elementwise", lambda a, b: [x * y for x, y in zip(a, b, strict=True)]),
        ("running-totals", totals),
        ("total-overwritten", overwritten),
        ("returned-too-early", inside),
        ("total-of-one", starts_at_one),
        ("last-missing", one_short),
        ("first-missing", starts_late),
        ("output-divided", lambda a, b: np.mean(a * b)),
        ("terms-multiplied", multiplied),
        ("terms-multiplied", always_zero),
        ("terms-reversed", lambda a, b: a @ b[::-1]),
        ("key-unused", lambda a, b: sum(abs(x) ** 2 for x in a)),
        ("output-divided product-absolute", lambda a, b: np.abs(a * b).mean()),
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
        ("edit-argument", lambda a, b: b @ b / (np.linalg.norm(a) * np.linalg.norm(b))),
        ("edit-constant", lambda a, b: a @ b / (np.sqrt((a**2).sum()) * np.sqrt((b**4).sum()))),
        ("product-absolute", lambda a, b: abs(a @ b) / (norm(a) * norm(b))),
        ("product-absolute", lambda a, b: np.dot(np.abs(a), np.abs(b)) / norm(a) / norm(b)),
        ("product-elementwise", lambda a, b: a * b / (norm(a) * norm(b))),
        ("cosine-without-lengths", lambda a, b: np.dot(a, b)),
        ("cosine-one-length", lambda a, b: a @ b / norm(a)),
        ("cosine-one-length", lambda a, b: a @ b / norm(b)),
        ("cosine-one-vector", lambda a, b: np.dot(a, b) / np.dot(a, a)),
        ("cosine-one-vector", lambda a, b: a @ b / norm(b) ** 2),
        ("cosine-root-missing", lambda a, b: a @ b / ((a @ a) * (b @ b))),
        ("cosine-lengths-added", lambda a, b: a @ b / (norm(a) + norm(b))),
        ("cosine-brackets", lambda a, b: a @ b / norm(a) * norm(b)),
        ("cosine-wrong-length", lambda a, b: a @ b / (np.abs(a).sum() * np.abs(b).sum())),
        ("cosine-wrong-length", lambda a, b: a @ b / (max(abs(a)) * max(abs(b)))),
        ("cosine-wrong-length", lambda a, b: a @ b / (sum(a) * sum(b))),
        ("cosine-wrong-length", lambda a, b: a @ b / np.sqrt(sum(a) ** 2 * sum(b) ** 2)),
        ("cosine-wrong-length", lambda a, b: a @ b / norm(a * b)),
        ("cosine-wrong-length", lambda a, b: a @ b / norm(a + b)),
        ("cosine-counts", lambda a, b: a @ b / (len(a) * len(b))),
        ("cosine-counts", lambda a, b: a @ b / len(a)),
        ("cosine-root-twice", lambda a, b: a @ b / np.sqrt(norm(a) * norm(b))),
        ("cosine-angle", lambda a, b: np.arccos(a @ b / (norm(a) * norm(b)))),
        ("cosine-angle", lambda a, b: math.degrees(math.acos(a @ b / norm(a) / norm(b)))),
        ("cosine-distance", lambda a, b: 1 - a @ b / (norm(a) * norm(b))),
        ("cosine-of-number", lambda a, b: np.cos(a @ b / (norm(a) * norm(b)))),
        ("cosine-without-lengths cosine-of-number", lambda a, b: np.cos(a @ b)),
        ("cosine-squared", lambda a, b: (a @ b) ** 2 / ((a @ a) * (b @ b))),
        ("rounded", lambda a, b: round(float(a @ b / (norm(a) * norm(b))), 2)),
        ("sign", lambda a, b: -(a @ b) / (norm(a) * norm(b))),
        ("promise-broken", lambda a, b: a @ b / (norm(a) * norm(b) + 1e-6)),
    ],
    "one_query_scores": [
        ("edit-order", lambda q, K: np.sqrt(len(q)) / (K @ q)),
        ("edit-twice", lambda q, K: K @ q / np.sqrt(np.sqrt(len(q)))),
        ("scale-wrong", lambda q, K: K @ q / len(q) ** 0.25),
        ("scale-norm", lambda q, K: (K @ q) / math.sqrt(math.sqrt(sum(x * x for x in q)))),
        ("scale-norm", lambda q, K: K @ q / np.linalg.norm(K, axis=-1) ** 0.5),
        ("scale-missing", lambda q, K: K @ q),
        ("scale-missing", lambda q, K: [sum(k * q) for k in K]),
        ("scale-dk-not-sqrt", lambda q, K: K @ q / len(q)),
        ("scale-dk-not-sqrt", lambda q, K: K @ q / q.shape[0] ** 2),
        ("scale-multiplied", lambda q, K: K @ q * np.sqrt(len(q))),
        ("scale-multiplied", lambda q, K: K @ q * len(q)),
        ("scale-n", lambda q, K: K @ q / np.sqrt(len(K))),
        ("scale-n", lambda q, K: K @ q / K.shape[0]),
        ("scale-half-not-root", lambda q, K: K @ q / (len(q) ** 1 / 2)),
        ("scale-half-not-root", lambda q, K: K @ q / len(q) ** 1 / 2),
        ("scale-hardcoded", lambda q, K: K @ q / np.sqrt(2)),
        ("key-not-transposed", lambda q, K: q @ K / np.sqrt(len(q))),
        ("key-not-transposed", lambda q, K: q @ K.reshape(len(q), -1) / np.sqrt(len(q))),
        ("product-elementwise", lambda q, K: q * K / np.sqrt(len(q))),
        ("product-over-tokens", lambda q, K: np.sum(q * K, axis=0) / np.sqrt(len(q))),
        ("product-summed-up", lambda q, K: np.sum(q * K) / np.sqrt(len(q))),
        ("product-absolute", lambda q, K: np.abs(K @ q) / np.sqrt(len(q))),
        ("product-cosine scale-missing", lambda q, K: [k @ q / (norm(k) * norm(q)) for k in K]),
        ("product-cosine", lambda q, K: K @ q / (norm(K, axis=1) * norm(q)) / np.sqrt(len(q))),
        ("product-distance", lambda q, K: norm(K - q, axis=1) / np.sqrt(len(q))),
        ("product-distance scale-missing", lambda q, K: -norm(K - q, axis=1)),
        ("product-distance", lambda q, K: -norm(q - K, axis=1) / np.sqrt(len(q))),
        ("query-unused", lambda q, K: K.sum(axis=1) / np.sqrt(len(q))),
        ("softmax-too-early", lambda q, K: soft(K @ q / np.sqrt(len(q)))),
        ("scale-missing softmax-too-early", lambda q, K: soft(K @ q)),
        ("returns-last-only", scores_last_only),
        ("changes-input", scores_in_place),
        ("reversed", lambda q, K: (K @ q / np.sqrt(len(q)))[::-1]),
        ("sorted", lambda q, K: sorted(K @ q / np.sqrt(len(q)))),
        ("shape-extra-axis", lambda q, K: (K @ q / np.sqrt(len(q)))[None]),
        ("promise-broken", lambda q, K: (K @ q / np.sqrt(len(q))).squeeze()),
    ],
    "can_win": [
        ("win-opposite", ["not", "bad"]),
        ("win-opposite", ["bad", "movie", "not"]),
        ("win-right-angle", ["not", "movie"]),
        ("win-zeros", ("not", "The")),
        ("win-already", ["good", "not"]),
        ("win-none", []),
        ("win-right-angle", "movie"),
        ("not-a-value", ["not", "amazing"]),
        ("not-a-value", 2),
    ],
}
