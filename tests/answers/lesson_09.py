"""Answers to the exercises of lesson 09."""

# ruff: noqa: B905

import numpy as np

from answers import tf
from answers.lesson_04 import dots, soft


def jacobian_loop(weights, gradient):
    result = np.zeros(len(weights))
    for i in range(len(weights)):
        for j in range(len(weights)):
            result[i] += gradient[j] * weights[j] * ((i == j) - weights[i])
    return result


def jacobian(w):
    return np.diag(w) - np.outer(w, w)


def jacobians(weights, gradient):
    J = weights[..., None] * np.eye(weights.shape[-1]) - weights[..., None] * weights[..., None, :]
    return (J @ gradient[..., None])[..., 0]


def softmax_gradient32(weights, gradient):
    average = np.sum(weights * gradient, axis=-1)
    return weights * (gradient - average[..., np.newaxis])


def by_tape(Q, K, V, gradient):
    Q, K, V = (tf.Variable(M) for M in (Q, K, V))
    with tf.GradientTape() as watched:
        output = tf.nn.softmax(tf.matmul(Q, K, transpose_b=True) / np.sqrt(Q.shape[-1])) @ V
        loss = tf.reduce_sum(output * gradient)
    return watched.gradient(loss, [Q, K, V])


def back(softmax_back=None, scale=None, back_scale=None, parts=None, order=(0, 1, 2)):
    """The way back with one step written in another way."""
    parts = parts or (lambda dS, W, Q, K, g: (dS @ K, dS.T @ Q, W.T @ g))
    softmax_back = softmax_back or (lambda W, dW: W * (dW - np.sum(W * dW, axis=1, keepdims=True)))

    def attention_gradient(Q, K, V, gradient):
        factor = scale(Q) if scale else 1 / np.sqrt(Q.shape[1])
        W = soft(Q @ K.T * factor)
        dS = softmax_back(W, gradient @ V.T) * (factor if back_scale is None else back_scale(Q))
        found = parts(dS, W, Q, K, gradient)
        return [found[i] for i in order]

    return attention_gradient


def by_einsum(Q, K, V, gradient):
    root = K.shape[-1] ** 0.5
    W = soft(np.einsum("...qd,...kd->...qk", Q, K) / root)
    dW = np.einsum("...qv,...kv->...qk", gradient, V)
    dS = (W * dW - W * np.einsum("...qk,...qk->...q", W, dW)[..., None]) / root
    dQ, dK = np.einsum("...qk,...kd->...qd", dS, K), np.einsum("...qk,...qd->...kd", dS, Q)
    return [dQ, dK, np.einsum("...qk,...qv->...kv", W, gradient)]


def by_jacobians(Q, K, V, gradient):
    W = soft(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]))
    J = W[..., None] * np.eye(W.shape[-1]) - W[..., None] * W[..., None, :]
    dS = (J @ (gradient @ V.swapaxes(-1, -2))[..., None])[..., 0] / np.sqrt(Q.shape[-1])
    return dS @ K, dS.swapaxes(-1, -2) @ Q, W.swapaxes(-1, -2) @ gradient


def one_back(scale=None, back_scale=None, ds=None, dq=None, dK=None, dV=None, order=(0, 1, 2)):
    """The walk of one query with one step written in another way."""
    ds = ds or (lambda w, dw: w * (dw - w @ dw))

    def one_query_gradient(q, K, V, gradient):
        factor = len(q) ** -0.5 if scale is None else scale(q)
        w = soft(K @ q * factor)
        s = ds(w, np.array([v @ gradient for v in V])) * (factor if back_scale is None else back_scale(q))
        found = (
            dq(s, q, K) if dq else sum(one * k for one, k in zip(s, K)),
            dK(s, q, K) if dK else np.array([one * q for one in s]),
            dV(w, gradient) if dV else np.array([one * gradient for one in w]),
        )
        return tuple(found[i] for i in order)

    return one_query_gradient


def by_matrices(q, K, V, gradient):
    dQ, dK, dV = by_einsum(q[None], K, V, gradient[None])
    return dQ[0], dK, dV


def one_by_tape(q, K, V, gradient):
    dQ, dK, dV = by_tape(q[None], K, V, gradient[None])
    return dQ[0], dK, dV


def one_by_jacobian(q, K, V, gradient):
    w = soft(K @ q / np.sqrt(len(q)))
    ds = jacobian(w) @ V @ gradient / np.sqrt(len(q))
    return (ds[:, None] * K).sum(axis=0), np.outer(ds, q), np.outer(w, gradient)


def zeros_like(q, K, V, gradient):
    """Right, but gradients of whole numbers are cut off."""
    found = one_by_jacobian(q, K, V, gradient)
    dq, dK, dV = (np.zeros_like(M) for M in (q, K, V))
    dq[:], dK[:], dV[:] = found
    return dq, dK, dV


def partly(wrong):
    """The right gradients, but for one that lacks the root or knows the last query only."""

    def gradients(Q, K, V, gradient):
        root = np.sqrt(Q.shape[1])
        e = np.exp(Q @ K.T / root)
        W = e / e.sum(axis=1, keepdims=True)
        dW = gradient @ V.T
        dS = W * (dW - (W * dW).sum(axis=1, keepdims=True)) / root
        found = {"dQ": dS @ K, "dK": dS.T @ Q, "dV": W.T @ gradient}
        name, *last = wrong.split()
        found[name] = {"dK": dS[-1:].T @ Q[-1:], "dV": W[-1:].T @ gradient[-1:]}[name] if last else found[name] * root
        return tuple(found.values())

    return gradients


RIGHT = {
    "softmax_gradient": [
        lambda weights, gradient: weights * (gradient - (weights * gradient).sum(axis=-1, keepdims=True)),
        np.vectorize(jacobian_loop, signature="(n),(n)->(n)"),
        jacobians,
        lambda weights, gradient: (
            weights * gradient - weights * np.einsum("...i,...i->...", weights, gradient)[..., None]
        ),
        lambda weights, gradient: softmax_gradient32(weights.astype(np.float32), gradient.astype(np.float32)),
        lambda weights, gradient: (
            tf.constant(weights) * (gradient - tf.reduce_sum(weights * gradient, -1, keepdims=True))
        ),
    ],
    "one_query_gradient": [one_back(), by_matrices, one_by_tape, one_by_jacobian],
    "attention_gradient": [by_tape, by_einsum, by_jacobians],
    "test_sizes": [(2, 3, 2, 1), (4, 3, 2, 5), [2, 2, 3, 1], np.array([9, 8, 7, 6])],
}
WRONG = {
    "softmax_gradient": [
        ("sign", lambda weights, gradient: weights * (weights @ gradient - gradient)),
        ("promise-broken", lambda weights, gradient: weights * (gradient - (weights * gradient).sum())),
        ("promise-broken", lambda weights, gradient: weights * (gradient - weights @ gradient)),
        ("promise-broken", jacobian_loop),
    ],
    "one_query_gradient": [
        ("shape", lambda q, K, V, gradient: one_by_jacobian(q, K, V, gradient)[::-1]),
        ("promise-broken", zeros_like),
        ("returns-too-few", lambda q, K, V, gradient: np.outer(soft(K @ q / np.sqrt(len(q))), gradient)),
    ],
    "attention_gradient": [
        *(
            (id, partly(name))
            for id, name in (
                ("gradient-scale-missing", "dQ"),
                ("gradient-scale-missing", "dK"),
                ("gradient-last-query", "dK last"),
                ("gradient-last-query", "dV last"),
            )
        ),
        ("promise-broken", back()),
        ("returns-too-few", lambda Q, K, V, gradient: soft(dots(Q, K)).T @ gradient),
    ],
    "test_sizes": [
        ("not-a-value", (4, 3, 2)),
        ("not-a-value", (4.5, 3, 2, 5)),
        ("not-a-value", "4325"),
        ("not-a-value", lambda: (4, 3, 2, 5)),
    ],
}
