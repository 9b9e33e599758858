"""Answers to the exercises of lesson 10."""

# ruff: noqa: B905

import numpy as np

from answers import tf
from answers.lesson_09 import by_einsum


def step(move=None, squash=None, error=None, share=None):
    """One step with one line written in another way."""
    squash = squash or (lambda z: 1 / (1 + np.exp(-z)))
    error = error or (lambda p, y: p - y)
    move = move or (lambda w, b, dw, db, rate: (w - rate * dw, b - rate * db))

    def train_step(w, b, X, labels, learning_rate):
        e = error(squash(X @ w + b), labels) * (share(len(X)) if share else 1 / len(X))
        return move(w, b, np.einsum("nd,n->d", X, e), e.sum(), learning_rate)

    return train_step


def step_loop(w, b, X, labels, learning_rate):
    dw, db = np.zeros(len(w)), 0
    for x, y in zip(X, labels):
        p = 1 / (1 + np.exp(-(x @ w + b)))
        dw += (p - y) * x / len(X)
        db += (p - y) / len(X)
    return w - learning_rate * dw, b - learning_rate * db


def step_tape(w, b, X, labels, learning_rate):
    w, b = tf.Variable(w), tf.Variable(tf.cast(b, tf.float64))
    with tf.GradientTape() as watched:
        z = tf.linalg.matvec(X, w) + b
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels, z))
    dw, db = watched.gradient(loss, [w, b])
    return w - learning_rate * dw, b - learning_rate * db


def step32(w, b, X, labels, learning_rate):
    return step()(w.astype(np.float32), np.float32(b), X.astype(np.float32), labels.astype(np.float32), learning_rate)


def step_in_place(w, b, X, labels, learning_rate):
    p = 1 / (1 + np.exp(-(X @ w + b)))
    w -= learning_rate * X.T @ (p - labels) / len(X)
    b -= learning_rate * (p - labels).mean()
    return w, b


def reader(X=None, query=None, join=None, to_E=None, to_P=None, order=(0, 1)):
    """The way back through the reader with one step written in another way."""
    X = X or (lambda E, P, tokens: E[tokens] + P)
    query = query or (lambda rows: rows[:, :1])

    def reader_gradient(E, P, tokens, gradient):
        rows = X(E, P, tokens)
        asks = query(rows)
        dQ, dK, dV = by_einsum(asks, rows, rows, np.repeat(gradient[:, None], asks.shape[1], axis=1))
        if join:
            dX = join(dQ, dK, dV)
        else:
            dX = (
                np.concatenate([dK[:, :1] + dV[:, :1] + dQ, (dK + dV)[:, 1:]], axis=1)
                if dQ.shape[1] == 1
                else dQ + dK + dV
            )
        found = (to_E or by_token)(E, tokens, dX), to_P(dX) if to_P else np.add.reduce(dX, axis=0)
        return tuple(found[i] for i in order)

    return reader_gradient


def by_token(E, tokens, dX):
    return np.array([dX[tokens == token].sum(axis=0) for token in range(len(E))])


def by_one_hot(E, tokens, dX):
    return np.einsum("nlt,nld->td", np.eye(len(E))[tokens], dX)


def film_after_film(E, P, tokens, gradient):
    dE, dP = np.zeros(E.shape), np.zeros(P.shape)
    for row, g in zip(tokens, gradient):
        X = E[row] + P
        dQ, dK, dV = by_einsum(X[:1], X, X, g[None])
        for place, token in enumerate(row):
            dX = dK[place] + dV[place] + (dQ[0] if place == 0 else 0)
            dE[token] += dX
            dP[place] += dX
    return dE, dP


def reader_tape(E, P, tokens, gradient):
    E, P = tf.Variable(E), tf.Variable(P)
    with tf.GradientTape() as watched:
        X = tf.gather(E, tokens) + P
        scores = tf.matmul(X[:, :1], X, transpose_b=True) / np.sqrt(E.shape[1])
        loss = tf.reduce_sum((tf.nn.softmax(scores) @ X)[:, 0] * gradient)
    dE, dP = watched.gradient(loss, [E, P])
    return tf.convert_to_tensor(dE), dP


def last_film(E, P, tokens, gradient):
    for row, g in zip(tokens, gradient):
        dE, dP = film_after_film(E, P, row[None], g[None])
    return dE, dP


def in_place(E, P, w, b):
    P *= 0
    return E, P, w, b


def removed(**zeros):
    """Return the four arrays, those that are named replaced."""
    return lambda E, P, w, b: tuple(
        zeros[name](value) if name in zeros else value for name, value in zip("EPwb", (E, P, w, b))
    )


def nothing(value):
    return 0 * np.asarray(value)


RIGHT = {
    "train_step": [step(), step_loop, step_tape, step32],
    "reader_gradient": [reader(), reader(to_E=by_one_hot), film_after_film, reader_tape],
    "without_where": [
        removed(P=nothing),
        lambda E, P, w, b: [E, np.zeros_like(P), w, b],
        lambda E, P, w, b: (E.copy(), P - P, w.copy(), float(b)),
    ],
}
WRONG = {
    "train_step": [
        ("changes-input", step_in_place),
    ],
    "reader_gradient": [
        ("differs", last_film),
    ],
    "without_where": [
        ("changes-input", in_place),
        ("returns-too-few", lambda E, P, w, b: 0 * P),
    ],
}
