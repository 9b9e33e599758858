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


def by_tape(Q, K, V, gradient):
    Q, K, V = (tf.Variable(M) for M in (Q, K, V))
    with tf.GradientTape() as watched:
        output = tf.nn.softmax(tf.matmul(Q, K, transpose_b=True) / np.sqrt(Q.shape[1])) @ V
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


def rows_back(Q, K, V, gradient):
    dQ, dK, dV = (np.zeros(M.shape, dtype=np.float32) for M in (Q, K, V))
    for i, q in enumerate(Q):
        w = soft(K @ q / np.sqrt(len(q)))
        ds = jacobian(w) @ (V @ gradient[i]) / np.sqrt(len(q))
        dQ[i] = ds @ K
        dK += np.outer(ds, q)
        dV += np.outer(w, gradient[i])
    return dQ, dK, dV


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


def last_query_gradient(Q, K, V, gradient):
    root, dQ = np.sqrt(K.shape[1]), []
    for q, g in zip(Q, gradient):
        e = np.exp(K @ q / root)
        w = e / e.sum()
        ds = w * (V @ g - w @ (V @ g)) / root
        dQ.append(ds @ K)
        dK, dV = ds[:, None] * q, w[:, None] * g
    return np.array(dQ), dK, dV


def broadcast_step(w, b, X, labels, learning_rate):
    p = 1 / (1 + np.exp(-(X @ w + b)))
    errors = (p[:, None] - labels).mean(axis=1)
    return w - learning_rate * X.T @ errors / len(X), b - learning_rate * errors.mean()


def one_after_other(w, b, X, labels, learning_rate):
    w = w - learning_rate * X.T @ (1 / (1 + np.exp(-(X @ w + b))) - labels) / len(X)
    return w, b - learning_rate * (1 / (1 + np.exp(-(X @ w + b))) - labels).mean()


def gradient_of_softmax_again(weights, gradient):
    w = np.exp(weights) / np.exp(weights).sum()
    return w * gradient - w * (w @ gradient)


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
        jacobian_loop,
        lambda weights, gradient: jacobian(weights) @ gradient,
        lambda weights, gradient: weights * gradient - weights * (weights @ gradient),
        lambda weights, gradient: weights.astype(np.float32) * (gradient - gradient @ weights).astype(np.float32),
        lambda weights, gradient: tf.constant(weights) * (gradient - tf.tensordot(weights, gradient, 1)),
    ],
    "attention_gradient": [back(), by_tape, rows_back],
    "train_step": [step(), step_loop, step_tape, step32],
}
WRONG = {
    "softmax_gradient": [
        ("softmax-twice", gradient_of_softmax_again),
        ("gradient-diagonal-only", lambda weights, gradient: weights * (1 - weights) * gradient),
        ("gradient-not-centred", lambda weights, gradient: weights * gradient),
        ("gradient-plain-mean", lambda weights, gradient: weights * (gradient - gradient.mean())),
        ("gradient-plain-mean", lambda weights, gradient: weights * (gradient - gradient.sum())),
        ("gradient-weight-missing", lambda weights, gradient: gradient - weights @ gradient),
        ("gradient-weight-missing", lambda weights, gradient: (1 - weights) * (gradient - weights @ gradient)),
        ("gradient-weight-squared", lambda weights, gradient: weights**2 * (gradient - weights @ gradient)),
        ("gradient-plus", lambda weights, gradient: weights * (gradient + weights @ gradient)),
        ("sign", lambda weights, gradient: weights * (weights @ gradient - gradient)),
        ("gradient-whole", lambda weights, gradient: jacobian(weights)),
        ("gradient-untouched", lambda weights, gradient: gradient * 1),
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
        ("gradient-last-query", last_query_gradient),
        ("scale-missing", back(scale=lambda Q: 1)),
        ("scale-dk-not-sqrt", back(scale=lambda Q: 1 / Q.shape[1])),
        ("gradient-scale-missing", back(back_scale=lambda Q: 1)),
        ("gradient-scale-missing", back(back_scale=lambda Q: 1 / Q.shape[1])),
        ("gradient-softmax-skipped", back(softmax_back=lambda W, dW: dW)),
        ("gradient-diagonal-only", back(softmax_back=lambda W, dW: dW * W * (1 - W))),
        ("gradient-not-centred", back(softmax_back=lambda W, dW: W * dW)),
        ("softmax-axis", back(softmax_back=lambda W, dW: W * (dW - np.sum(W * dW, axis=0, keepdims=True)))),
        ("gradient-not-transposed", back(parts=lambda dS, W, Q, K, g: (dS @ K, dS @ Q, W.T @ g))),
        ("gradient-not-transposed", back(parts=lambda dS, W, Q, K, g: (dS @ K, dS.T @ Q, W @ g))),
        ("gradient-not-transposed", back(parts=lambda dS, W, Q, K, g: (dS.T @ K, dS.T @ Q, W.T @ g))),
        ("gradient-same-factor", back(parts=lambda dS, W, Q, K, g: (dS @ Q, dS.T @ Q, W.T @ g))),
        ("gradient-same-factor", back(parts=lambda dS, W, Q, K, g: (dS @ K, dS.T @ K, W.T @ g))),
        ("query-key-swapped", back(order=(1, 0, 2))),
        ("project-order", back(order=(2, 1, 0))),
        ("key-value-swapped", back(order=(0, 2, 1))),
        (
            "gradient-scale-missing gradient-softmax-skipped",
            back(back_scale=lambda Q: 1, softmax_back=lambda W, dW: dW),
        ),
        ("returns-too-few", lambda Q, K, V, gradient: soft(dots(Q, K)).T @ gradient),
    ],
    "train_step": [
        ("step-one-after-other", one_after_other),
        ("step-broadcast", broadcast_step),
        ("step-uphill", step(move=lambda w, b, dw, db, rate: (w + rate * dw, b + rate * db))),
        ("step-uphill", step(error=lambda p, y: y - p)),
        ("step-without-rate", step(move=lambda w, b, dw, db, rate: (w - dw, b - db))),
        ("step-is-gradient", step(move=lambda w, b, dw, db, rate: (dw, db))),
        ("step-is-gradient", step(move=lambda w, b, dw, db, rate: (-rate * dw, -rate * db))),
        ("step-not-averaged", step(share=lambda n: 1)),
        ("step-halved", step(share=lambda n: 2 / n)),
        ("step-halved", step(share=lambda n: 1 / (2 * n))),
        ("step-without-sigmoid", step(squash=lambda z: z)),
        ("step-hard", step(squash=lambda z: (z > 0).astype(float))),
        ("step-squared-error", step(error=lambda p, y: (p - y) * p * (1 - p))),
        ("step-squared-error", step(error=lambda p, y: 2 * (p - y) * p * (1 - p))),
        ("step-absolute-error", step(error=lambda p, y: np.abs(p - y))),
        ("step-no-labels", step(error=lambda p, y: p)),
        ("step-bias-kept", step(move=lambda w, b, dw, db, rate: (w - rate * dw, b))),
        ("step-weights-kept", step(move=lambda w, b, dw, db, rate: (w, b - rate * db))),
        ("step-uphill step-not-averaged", step(error=lambda p, y: y - p, share=lambda n: 1)),
        ("changes-input", step_in_place),
    ],
}
