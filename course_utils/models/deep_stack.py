"""A stack of blocks, trained on several seeds at once, whole or with a part left out. TensorFlow finds the gradients.

It shows what a part is good for: leave it out, and see what can no longer be learned.
"""

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from course_utils.arrays.arguments import as_array, as_count, as_real, wrong
from course_utils.arrays.shapes import Array
from course_utils.layers import BlockWeights, random_block

EPSILON = 1e-3  # of the layer norms, as in Keras
D_MODEL = 16
NORMS = ("after", "before", "none")


class Stack(NamedTuple):
    """A trained stack. The scores of a sentence are `X @ R`, where X = E[tokens] + P went through all blocks."""

    E: Array["vocab_size, d_model"]
    P: Array["n, d_model"]
    blocks: list[BlockWeights]
    R: Array["d_model, n_answers"]


def train_stack(
    tokens: Array["n_sentences, n"],
    targets: Array["n_sentences, m"],
    depth: int,
    *,
    norm: str = "before",
    residual: bool = True,
    feed_forward: bool = True,
    n_heads: int = 2,
    seeds: int = 5,
    steps: int = 40,
    rate: float = 5e-3,
) -> list[Stack]:
    """Train one stack for each seed, with Adam on batches of up to 16 sentences, and return them.

    tokens: whole numbers from 0; targets: what the first m tokens have to answer.
    norm: "after" a part and its residual, "before" a part, or "none". feed_forward=False leaves that part out.
    Seeds share their batches and differ in their first weights.
    Raises ValueError for targets that do not fit the tokens, an unknown norm, heads that do not divide d_model = 16,
    and counts below 1. Source: Vaswani et al. 2017, section 3.1; Xiong et al. 2020 for a norm before.

    >>> (stack,) = train_stack([[0, 1], [1, 0]], [[0], [1]], depth=1, seeds=1, steps=20, rate=0.01)
    >>> stack.E.shape, len(stack.blocks), stack.R.shape
    ((2, 16), 1, (16, 2))
    """
    tokens, targets = _as_ids("tokens", tokens, "(n_sentences, n)"), _as_ids("targets", targets, "(n_sentences, m)")
    if len(targets) != len(tokens) or targets.shape[1] > tokens.shape[1]:
        raise wrong("targets", targets, f"({len(tokens)}, m), m at most {tokens.shape[1]}, to go with tokens")
    _check_parts(norm, n_heads)
    values = _first_weights(tokens, targets, as_count("depth", depth), range(as_count("seeds", seeds)))
    step = _adam_step(values, {"norm": norm, "residual": residual, "feed_forward": feed_forward}, n_heads)
    rate, rng = tf.constant(as_real("rate", rate), tf.float64), np.random.default_rng(0)
    for number in range(1, as_count("steps", steps) + 1):
        batch = rng.permutation(len(tokens))[:16]
        step(*map(tf.constant, (tokens[batch], targets[batch])), rate, tf.constant(number, tf.float64))
    return [_as_arrays(values, seed) for seed in range(seeds)]


def _check_parts(norm, n_heads):
    if norm not in NORMS:
        raise wrong("norm", norm, f"one of {NORMS}")
    if D_MODEL % as_count("n_heads", n_heads):
        raise wrong("n_heads", n_heads, f"a number that divides d_model = {D_MODEL}")


def _as_ids(name, value, shape):
    """Return the value as an array with two axes. Raises ValueError unless it holds whole numbers from 0."""
    array = as_array(name, value, shape)
    if array.ndim != 2 or array.dtype.kind not in "iu" or not array.size or array.min() < 0:
        raise wrong(name, value, f"{shape}, whole numbers from 0")
    return array.astype(np.int32)


def _first_weights(tokens, targets, depth, seeds):
    """Return variables by name, seeds along the first axis; those of the blocks (depth, n_seeds, ...)."""
    shapes = {"E": (tokens.max() + 1, D_MODEL), "P": (tokens.shape[1], D_MODEL), "R": (D_MODEL, targets.max() + 1)}
    spread = {"E": 0.5**0.5, "P": 0.5**0.5, "R": D_MODEL**-0.5}  # E + P: numbers of variance 1
    rngs = [np.random.default_rng([seed, depth]) for seed in seeds]
    values = {name: np.stack([spread[name] * rng.normal(size=shapes[name]) for rng in rngs]) for name in shapes}
    blocks = [[random_block(D_MODEL, 2 * D_MODEL, 1000 * seed + layer) for seed in seeds] for layer in range(depth)]
    for name in BlockWeights._fields:
        values[name] = np.stack([[getattr(block, name) for block in layer] for layer in blocks])
    return {name: tf.Variable(value) for name, value in values.items()}  # float64: nearly the same on every machine


def _adam_step(values, parts, n_heads):
    """Return a function that takes one step of Adam with a batch. Source: Kingma and Ba 2014, algorithm 1."""
    means, squares = ([tf.Variable(tf.zeros_like(value)) for value in values.values()] for _ in range(2))

    @tf.function
    def step(tokens, targets, rate, number):
        with tf.GradientTape() as tape:
            scores = _scores(values, tokens, targets.shape[1], n_heads, **parts)  # (n_seeds, batch, m, n_answers)
            wanted = tf.broadcast_to(targets, scores.shape[:-1])
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(wanted, scores)
            loss = tf.reduce_sum(tf.reduce_mean(losses, axis=(1, 2)))  # each seed has its own weights
        gradients = tape.gradient(loss, list(values.values()), unconnected_gradients="zero")
        for value, gradient, mean, square in zip(values.values(), gradients, means, squares, strict=True):
            gradient = tf.convert_to_tensor(gradient)
            mean.assign(0.9 * mean + 0.1 * gradient)
            square.assign(0.999 * square + 0.001 * gradient**2)
            value.assign_sub(rate * mean / (1 - 0.9**number) / (tf.sqrt(square / (1 - 0.999**number)) + 1e-7))

    return step


def _scores(values, tokens, m, n_heads, norm, residual, feed_forward):
    """Return the scores of all seeds for the first m tokens: (n_seeds, batch, m, n_answers)."""
    depth = values["W_in"].shape[0]
    X = tf.gather(values["E"], tokens, axis=1) + values["P"][:, None]  # (n_seeds, batch, n, d_model)
    parts = (_attention, _feed_forward) if feed_forward else (_attention,)
    layers = [tf.TensorArray(tf.float64, depth).unstack(values[name]) for name in BlockWeights._fields]

    def block(layer, X):
        w = BlockWeights(*(weights.read(layer)[:, None] for weights in layers))  # each (n_seeds, 1, ...)
        for i, part in enumerate(parts):
            inputs = _layer_norm(X, w, i) if norm == "before" else X
            X = part(inputs, w, n_heads) + (X if residual else 0)
            X = _layer_norm(X, w, i) if norm == "after" else X
        return layer + 1, X

    start = (tf.constant(0), X)
    _, X = tf.while_loop(lambda layer, X: layer < depth, block, start, maximum_iterations=depth)  # traced once
    return X[:, :, :m] @ values["R"][:, None]


def _layer_norm(X, w, i):
    mean, variance = tf.nn.moments(X, axes=-1, keepdims=True)
    return (X - mean) / tf.sqrt(variance + EPSILON) * w.gains[:, :, i, None] + w.biases[:, :, i, None]


def _feed_forward(X, w, n_heads):
    return tf.nn.gelu(X @ w.W_in + w.b_in[:, :, None]) @ w.W_out + w.b_out[:, :, None]


def _attention(X, w, n_heads):
    seeds, batch, n, d = X.shape
    cut = (seeds, batch, n, n_heads, d // n_heads)
    Q, K, V = (tf.einsum("sbnhd->sbhnd", tf.reshape(X @ W, cut)) for W in tf.unstack(w.W[:, :, :3], axis=2))
    weights = tf.nn.softmax(tf.matmul(Q, K, transpose_b=True) / np.sqrt(d // n_heads))
    return tf.reshape(tf.einsum("sbhnd->sbnhd", weights @ V), (seeds, batch, n, d)) @ w.W[:, :, 3]


def _as_arrays(values, seed):
    blocks = [
        BlockWeights(*(values[name][layer, seed].numpy() for name in BlockWeights._fields))
        for layer in range(values["W_in"].shape[0])
    ]
    return Stack(values["E"][seed].numpy(), values["P"][seed].numpy(), blocks, values["R"][seed].numpy())
