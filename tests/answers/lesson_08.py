"""Answers to the exercises of lesson 08."""

import math

import numpy as np

from answers import tf


def permutation_loop(order):
    P = np.zeros((len(order), len(order)))
    for i, j in enumerate(order):
        P[i, j] = 1
    return P


def inverse_loop(order):
    P = np.zeros((len(order), len(order)))
    for i, j in enumerate(order):
        P[j, i] = 1
    return P


def waves(
    base=10000.0, start=0, speed=lambda i, d: 2 * i / d, first=math.sin, second=math.cos, turn=lambda p, s: p / s
):
    """Positions in a double loop; i counts the pairs of columns."""

    def positions(n, d_model):
        P = np.zeros((n, d_model))
        for p in range(n):
            for column in range(d_model):
                angle = turn(p + start, base ** speed(column // 2, d_model))
                P[p, column] = second(angle) if column % 2 else first(angle)
        return P

    return positions


def filled(n, d_model):
    angles = np.arange(n)[:, None] / np.power(10000, np.arange(0, d_model, 2) / d_model)
    P = np.zeros((n, d_model), dtype=np.float32)
    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)[:, : d_model // 2]
    return P


def with_tf(n, d_model):
    dims = np.arange(d_model)
    angles = tf.range(float(n))[:, None] / tf.constant(10000.0 ** (dims // 2 * 2 / d_model), tf.float32)
    return tf.where(dims % 2 == 1, tf.cos(angles), tf.sin(angles))


def logarithms(n, d_model):
    dims = np.arange(d_model)
    angles = np.arange(n)[:, None] * np.exp(-math.log(10000) * (dims - dims % 2) / d_model)
    return np.where(dims % 2 == 0, np.sin(angles), np.cos(angles))


def side_by_side(n, d_model):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.concatenate([np.sin(angles), np.cos(angles)[:, : d_model // 2]], axis=1)


def own_exponents(n, d_model, factor=1):
    dims = np.arange(d_model)
    angles = np.arange(n)[:, None] / 10000 ** (factor * dims / d_model)
    return np.where(dims % 2, np.cos(angles), np.sin(angles))


def added_in_loop(X, P):
    Y = np.array(X, dtype=float)
    for sentence in Y:
        for i in range(len(sentence)):
            sentence[i] += P[i]
    return Y


def added_in_place(X, P):
    X += P[: X.shape[1]]
    return X


def by_batch(X, P):
    Y = X.copy()
    for b in range(len(X)):
        Y[b] += P[b]
    return Y


def swapping(order):
    rows = [[float(i == j) for j in range(len(order))] for i in range(len(order))]
    for i in range(len(order)):
        rows[i], rows[order[i]] = rows[order[i]], rows[i]
    return rows


RIGHT = {
    "permutation": [
        permutation_loop,
        lambda order: np.eye(len(order), dtype=int)[order],
        lambda order: (np.arange(len(order)) == np.asarray(order)[:, None]).astype(np.float32),
        lambda order: tf.one_hot(order, len(order)),
        lambda order: np.take(np.eye(len(order)), order, axis=0),
    ],
    "sinusoidal_positions": [waves(), filled, with_tf, logarithms],
    "add_positions": [
        added_in_loop,
        lambda X, P: X + P[: X.shape[1]],
        lambda X, P: np.array([x + P[: len(x)] for x in X]),
        lambda X, P: tf.cast(X, tf.float32) + tf.cast(P[: X.shape[1]], tf.float32),
        lambda X, P: np.add(X, P[None, : X.shape[1], :], dtype=np.float32),
    ],
}
WRONG = {
    "permutation": [
        ("permutation-swaps", swapping),
        ("permutation-inverse", inverse_loop),
        ("permutation-inverse", lambda order: np.eye(len(order))[:, order]),
        ("permutation-identity", lambda order: np.eye(len(order))),
        ("permutation-reversed", lambda order: np.eye(len(order))[order][::-1]),
        ("permutation-reversed", lambda order: np.fliplr(np.eye(len(order)))),
        ("shifted", lambda order: np.eye(len(order))[np.asarray(order) - 1]),
        ("shifted", lambda order: np.eye(len(order))[:, np.asarray(order) - 1]),
        ("permutation-order", lambda order: order),
        ("permutation-order", lambda order: np.argsort(order)),
        ("permutation-order", lambda order: np.diag(order)),
        ("returns-first-only", lambda order: np.eye(len(order))[order[0]]),
    ],
    "sinusoidal_positions": [
        ("position-sin-cos-split", side_by_side),
        ("position-sin-cos-swapped", waves(first=math.cos, second=math.sin)),
        ("position-one-wave", waves(second=math.sin)),
        ("position-one-wave", waves(first=math.cos)),
        ("position-angles", waves(first=float, second=float)),
        (
            "position-degrees",
            waves(first=lambda a: math.sin(a * math.pi / 180), second=lambda a: math.cos(a * math.pi / 180)),
        ),
        ("position-base", waves(base=1000)),
        ("position-base", waves(base=10)),
        ("position-base", waves(base=100000)),
        ("position-base", waves(base=math.e)),
        ("position-pairs", own_exponents),
        ("position-pairs", lambda n, d_model: own_exponents(n, d_model, factor=2)),
        ("position-exponent", waves(speed=lambda i, d: i / d)),
        ("position-exponent", waves(speed=lambda i, d: 2 * i)),
        ("position-exponent", waves(speed=lambda i, d: i)),
        ("position-exponent", waves(speed=lambda i, d: 0)),
        ("position-times", waves(turn=lambda p, s: p * s)),
        ("position-from-one", waves(start=1)),
        ("position-axis", lambda n, d_model: waves()(n, d_model).T),
        ("position-base position-from-one", waves(base=1000, start=1)),
        ("rounded", lambda n, d_model: waves()(n, d_model).round(3)),
    ],
    "add_positions": [
        ("position-axis", by_batch),
        ("position-axis", lambda X, P: X + P[: len(X), None, :]),
        ("position-from-one", lambda X, P: X + P[1 : X.shape[1] + 1]),
        ("position-last", lambda X, P: X + P[len(P) - X.shape[1] :]),
        ("position-reversed", lambda X, P: X + np.flipud(P[: X.shape[1]])),
        ("position-one-for-all", lambda X, P: X + P[0]),
        ("position-one-for-all", lambda X, P: X + P.sum(axis=0)),
        ("position-one-for-all", lambda X, P: X + P.mean(axis=0)),
        ("position-not-cut", lambda X, P: X + P),
        ("position-multiplied", lambda X, P: X * P[: X.shape[1]]),
        ("position-subtracted", lambda X, P: X - P[: X.shape[1]]),
        ("position-missing", lambda X, P: X.copy()),
        ("position-only", lambda X, P: np.stack([P[: X.shape[1]]] * len(X))),
        ("position-only", lambda X, P: P[: X.shape[1]]),
        ("position-appended", lambda X, P: np.concatenate([X, np.stack([P[: X.shape[1]]] * len(X))], axis=2)),
        ("position-scaled", lambda X, P: X * np.sqrt(X.shape[2]) + P[: X.shape[1]]),
        ("position-axis position-subtracted", lambda X, P: X - P[: len(X)][:, None]),
        ("changes-input", added_in_place),
        ("promise-broken", lambda X, P: np.add(X, P[: X.shape[1]]).astype(X.dtype)),  # X may hold whole numbers
        ("transposed", lambda X, P: np.swapaxes(X + P[: X.shape[1]], 1, 2)),
    ],
}
