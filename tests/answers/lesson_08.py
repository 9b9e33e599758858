"""Answers to the exercises of lesson 08."""

import math

import numpy as np

from answers import tf
from answers.lesson_04 import soft
from course_utils.attention import scaled_dot_product_attention


def permutation_loop(order):
    P = np.zeros((len(order), len(order)))
    for i, j in enumerate(order):
        P[i, j] = 1
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


def turned(
    base=10000.0,
    start=0,
    speed=lambda i, d: 2 * i / d,
    turn=lambda t, s: t / s,
    spin=lambda x, y, a: (x * math.cos(a) - y * math.sin(a), x * math.sin(a) + y * math.cos(a)),
    columns=lambda i, d: (2 * i, 2 * i + 1),
    into=None,
):
    """RoPE, one pair of numbers after the other, with one step written in another way."""

    def rotate(X):
        d = X.shape[-1]
        Y = np.zeros(X.shape)
        for place in np.ndindex(X.shape[:-1]):
            for i in range(d // 2):
                angle = turn(place[-1] + start, base ** speed(i, d))
                x, y = (X[place][column] for column in columns(i, d))
                first, second = (into or columns)(i, d)
                Y[place][first], Y[place][second] = spin(x, y, angle)
        return Y

    return rotate


def complex_turn(X):
    n, d = X.shape[-2:]
    z = (X[..., ::2] + 1j * X[..., 1::2]) * np.exp(1j * np.outer(np.arange(n), 10000.0 ** -(np.arange(0, d, 2) / d)))
    return np.stack([z.real, z.imag], axis=-1).reshape(X.shape)


def by_matrices(X):
    """One rotation matrix for each place."""
    n, d = X.shape[-2:]
    Y = []
    for t in range(n):
        R = np.zeros((d, d))
        for i in range(0, d, 2):
            a = t / 10000 ** (i / d)
            R[i : i + 2, i : i + 2] = [[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]
        Y.append(X[..., t, :] @ R.T)
    return np.stack(Y, axis=-2)


def turned_by_90(X):
    """As libraries write it: X * cos + the pairs turned by a right angle, times sin."""
    n, d = X.shape[-2:]
    angles = np.repeat(np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d), 2, axis=1)
    quarter = np.empty(X.shape)
    quarter[..., ::2], quarter[..., 1::2] = -X[..., 1::2], X[..., ::2]
    return X * np.cos(angles) + quarter * np.sin(angles)


def into_whole_numbers(X):
    n, d = X.shape[-2:]
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    Y = np.zeros_like(X)
    Y[..., ::2] = X[..., ::2] * np.cos(angles) - X[..., 1::2] * np.sin(angles)
    Y[..., 1::2] = X[..., ::2] * np.sin(angles) + X[..., 1::2] * np.cos(angles)
    return Y


def masked_attention(Q, K, V, mask, scale=None):
    scores = np.einsum("...id,...jd->...ij", Q, K) / (scale or np.sqrt(Q.shape[-1]))
    return soft(np.where(mask, scores, -np.inf)) @ V


def with_turns(turn_Q=complex_turn, turn_K=complex_turn, turn_V=lambda V: V, last=lambda output: output):
    return lambda Q, K, V, mask: last(masked_attention(turn_Q(Q), turn_K(K), turn_V(V), mask))


def rotary_loops(Q, K, V, mask):
    """Scores from distances alone: only the key is turned, back by the distance."""
    Q, K, V, mask = np.broadcast_arrays(Q, K)[0], K, V, np.broadcast_to(mask, (*Q.shape[:-1], K.shape[-2]))
    n, d = Q.shape[-2:]
    speeds = 10000.0 ** -(np.arange(0, d, 2) / d)
    q, k = (A[..., ::2] + 1j * A[..., 1::2] for A in (Q, K))
    scores = np.empty((*Q.shape[:-1], n))
    for i in range(n):
        for j in range(n):
            product = q[..., i, :] * np.conj(k[..., j, :]) * np.exp(1j * (i - j) * speeds)
            scores[..., i, j] = product.real.sum(axis=-1) / np.sqrt(d)
    return soft(np.where(mask, scores, -1e9)) @ V


def added_in_loop(X, P):
    Y = np.array(X, dtype=float)
    for sentence in Y:
        for i in range(len(sentence)):
            sentence[i] += P[i]
    return Y


def added_in_place(X, P):
    X += P[: X.shape[1]]
    return X


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
    "rotate": [
        turned(),
        complex_turn,
        by_matrices,
        turned_by_90,
        lambda X: complex_turn(X.astype(np.float32)).astype(np.float32),
        lambda X: tf.constant(complex_turn(X)),
    ],
    "rotary_attention": [
        with_turns(),
        with_turns(by_matrices, by_matrices),
        rotary_loops,
        lambda Q, K, V, mask: scaled_dot_product_attention(turned_by_90(Q), turned_by_90(K), V, mask).output,
    ],
}
WRONG = {
    "permutation": [
        ("returns-first-only", lambda order: np.eye(len(order))[order[0]]),
    ],
    "sinusoidal_positions": [
        ("rounded", lambda n, d_model: waves()(n, d_model).round(3)),
    ],
    "add_positions": [
        ("changes-input", added_in_place),
        ("promise-broken", lambda X, P: np.add(X, P[: X.shape[1]]).astype(X.dtype)),  # X may hold whole numbers
        ("transposed", lambda X, P: np.swapaxes(X + P[: X.shape[1]], 1, 2)),
    ],
    "rotate": [
        ("promise-broken", into_whole_numbers),
    ],
}
