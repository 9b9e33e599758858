"""Answers to the exercises of lesson 11."""

# ruff: noqa: B905

import math

import numpy as np

from answers import tf
from answers.lesson_04 import soft
from course_utils import layers
from course_utils.attention import MultiHeadAttention


def erf_gelu(X):
    return np.vectorize(lambda x: x * 0.5 * (1 + math.erf(x / math.sqrt(2))), otypes=[float])(X)


def norm_loop(X, gain, bias, epsilon):
    rows = [
        [(x - np.mean(row)) / math.sqrt(np.var(row) + epsilon) * g + b for x, g, b in zip(row, gain, bias)]
        for row in X.reshape(-1, X.shape[-1])
    ]
    return np.array(rows).reshape(X.shape)


def norm_with(centre=lambda X, m: X - m, share=lambda c, v, e: c / np.sqrt(v + e), axis=-1, ddof=0):
    def layer_norm(X, gain, bias, epsilon):
        m, v = X.mean(axis, keepdims=True), X.var(axis, ddof=ddof, keepdims=True)
        return gain * share(centre(X, m), v, epsilon) + bias

    return layer_norm


def normal(X, epsilon):
    return (X - X.mean(-1, keepdims=True)) / np.sqrt(X.var(-1, keepdims=True) + epsilon)


def tf_norm(X, gain, bias, epsilon):
    mean, variance = tf.nn.moments(tf.convert_to_tensor(X), axes=[-1], keepdims=True)
    return tf.nn.batch_normalization(X, mean, variance, bias, gain, epsilon)


def feed(bend=erf_gelu):
    return lambda X, W_in, b_in, W_out, b_out: np.dot(bend(np.dot(X, W_in) + b_in), W_out) + b_out


def feed_loop(X, W_in, b_in, W_out, b_out):
    tokens = [
        sum((erf_gelu(token @ W_in + b_in)[k] * W_out[k] for k in range(len(W_out))), b_out)
        for token in X.reshape(-1, X.shape[-1])
    ]
    return np.array(tokens).reshape(X.shape)


def attention(X, W, n_heads):
    """Heads one after the other."""
    width, found = W.shape[-1] // n_heads, []
    for h in range(n_heads):
        part = slice(h * width, (h + 1) * width)
        Q, K, V = (X @ M[:, part] for M in W[:3])
        found.append(soft(Q @ K.T / np.sqrt(width)) @ V)
    return np.concatenate(found, axis=1) @ W[3]


def norm_1(X, gains, biases, i):
    return normal(X, 1e-3) * gains[i] + biases[i]


def block_with(
    before=lambda norm: norm == "before",
    after=lambda norm: norm == "after",
    adds=lambda residual, i: residual,
    base=lambda X, inside, start: X,
    reads=lambda X, start: X,
    rows=(0, 1),
    order=(0, 1),
    turn=lambda W: W,
    many=lambda n_heads: n_heads,
    flip=False,
    inner=False,
):
    """A block with one step written in another way."""

    def block(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
        start, (gains, biases) = X, (biases, gains) if flip else (gains, biases)
        parts = (lambda Z: attention(Z, turn(W), many(n_heads)), lambda Z: feed()(Z, W_in, b_in, W_out, b_out))
        for i in order:
            inside = reads(X, start)
            inside = norm_1(inside, gains, biases, rows[i]) if before(norm) else inside
            out = parts[i](inside)
            if inner and after(norm):
                out = norm_1(out, gains, biases, rows[i])
            X = base(X, inside, start) + out if adds(residual, i) else out
            if after(norm) and not inner:
                X = norm_1(X, gains, biases, rows[i])
        return X

    return block


def with_the_course(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
    parts = (
        lambda Z: MultiHeadAttention(*W, n_heads)(Z).output,
        lambda Z: layers.FeedForward(W_in, b_in, W_out, b_out)(Z),
    )
    for part, gain, bias in zip(parts, gains, biases):
        out = part(layers.layer_norm(X, gain, bias, 1e-3) if norm == "before" else X)
        X = out + residual * X
        if norm == "after":
            X = layers.layer_norm(X, gain, bias, 1e-3)
    return X


def with_branches(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
    def look(Z):
        return attention(Z, W, n_heads)

    def think(Z):
        return feed()(Z, W_in, b_in, W_out, b_out)

    old = 1.0 if residual else 0.0
    if norm == "before":
        X = old * X + look(norm_1(X, gains, biases, 0))
        return old * X + think(norm_1(X, gains, biases, 1))
    if norm == "after":
        X = norm_1(old * X + look(X), gains, biases, 0)
        return norm_1(old * X + think(X), gains, biases, 1)
    X = old * X + look(X)
    return old * X + think(X)


def with_one_norm_forgotten(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
    first = lambda Z: layers.layer_norm(Z, gains[0], biases[0], 1e-3)  # noqa: E731  students write it like this
    second = lambda Z: layers.layer_norm(Z, gains[1], biases[1], 1e-3)  # noqa: E731
    looked = attention(first(X) if norm == "before" else X, W, n_heads)
    X1 = X + looked if residual else looked
    X1 = first(X1) if norm == "after" else X1
    thought = layers.gelu(X1 @ W_in + b_in) @ W_out + b_out
    X2 = X1 + thought if residual else thought
    return second(X2) if norm == "after" else X2


def block32(*given):
    return with_branches(*(a.astype(np.float32) if isinstance(a, np.ndarray) else a for a in given))


RIGHT = {
    "layer_norm": [
        norm_loop,
        norm_with(),
        layers.layer_norm,
        tf_norm,
        lambda X, gain, bias, epsilon: norm_with()(X.astype(np.float32), gain, bias, epsilon),
    ],
    "feed_forward": [
        feed(),
        feed_loop,
        lambda X, *weights: layers.FeedForward(*weights)(X),
        lambda X, W_in, b_in, W_out, b_out: tf.tensordot(tf.nn.gelu(tf.tensordot(X, W_in, 1) + b_in), W_out, 1) + b_out,
        lambda X, *weights: feed(layers.gelu)(*(a.astype(np.float32) for a in (X, *weights))),
    ],
    "block": [block_with(), with_the_course, with_branches, block32],
    "deep_stack": [("before", True), ["before", True], ("Before", np.True_), {"norm": "before", "residual": True}],
}
WRONG = {
    "layer_norm": [
        ("argument-unused", lambda X, gain, bias, epsilon: normal(X, epsilon) * gain),
    ],
    "feed_forward": [
        ("argument-unused", lambda X, W, b, W_out, b_out: erf_gelu(X @ W) @ W_out + b_out),
    ],
    "block": [
        ("only-some-inputs", with_one_norm_forgotten),
    ],
    "deep_stack": [
        ("not-a-value", 24),
    ],
}
