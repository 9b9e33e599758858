"""The parts of the Keras classifier in NumPy: what the pages in Keras compare with.

`keras_answers` turns an answer in Keras into a function of numbers: it builds the layers and sets their weights.
Both sides draw these weights by name and shape, so that a layer of another size can be compared too.
"""

from collections.abc import Callable

import numpy as np

from course_utils.arrays.shapes import Array
from course_utils.attention import merge_heads, softmax, split_heads

EPSILON = 1e-6


def draw_weights(name: str, shape: tuple[int, ...], weights: tuple[int, float]) -> np.ndarray:
    """Return the float32 weights of this name: the same numbers for every shape of the same size.

    weights: (seed, size), where size is the standard deviation of vectors and biases.

    >>> draw_weights("W_Q", (2, 1, 3), (0, 1.0)).ravel() == draw_weights("W_Q", (2, 3), (0, 1.0)).ravel()
    array([ True,  True,  True,  True,  True,  True])
    """
    seed, size = weights
    rng = np.random.default_rng([seed, *name.encode()])
    if name.startswith(("W", "norm", "answer")):
        size = 0.5 if name.startswith("W") else 1.0
    return (size * rng.normal(size=shape)).astype(np.float32)


class Drawn:
    """The weights of one model, drawn on demand, and their number so far."""

    def __init__(self, weights: tuple[int, float]):
        self.weights, self.count = weights, 0

    def __call__(self, name: str, *shape: int) -> np.ndarray:
        self.count += int(np.prod(shape))
        return draw_weights(name, shape, self.weights).astype(float)


def sentences_of(vocab_size: int, seq_len: int) -> Array["seq_len + 2, seq_len"]:
    """Return sentences of tokens below vocab_size, for the checks of a whole model."""
    tokens = np.random.default_rng([vocab_size, seq_len]).integers(1, vocab_size, (seq_len + 2, seq_len))
    tokens[:, 0] = 0
    return tokens


def look(
    W: Drawn,
    query: Array["batch, n_query, d_model"],
    value: Array["batch, n_value, d_model"],
    heads: int,
    d_head: int,
    biased: bool = True,
    share: Callable[[np.ndarray], np.ndarray] = softmax,
) -> tuple[Array["batch, n_query, d_model"], Array["batch, heads, n_query, n_value"]]:
    """Return the output and the weights of attention.

    d_head: the length of a head's vectors. share: turns scores into weights.
    """
    query, value = np.asarray(query, float), np.asarray(value, float)
    d = query.shape[-1]

    def project(sign, X):
        bias = W(f"b_{sign}", heads * d_head) if biased else 0
        return split_heads(X @ W(f"W_{sign}", d, heads * d_head) + bias, heads)  # (batch, heads, n, d_head)

    Q, K, V = project("Q", query), project("K", value), project("V", value)
    attention_weights = share(Q @ K.swapaxes(-1, -2) / np.sqrt(d_head))  # (batch, heads, n_query, n_value)
    output = merge_heads(attention_weights @ V) @ W("W_O", heads * d_head, d)
    return output + (W("b_O", d) if biased else 0), attention_weights


def normalised(
    X: Array["batch, n, d"],
    gain: np.ndarray,
    shift: np.ndarray,
    axis: int | tuple[int, ...] = -1,
    epsilon: float = EPSILON,
) -> Array["batch, n, d"]:
    """Return X with mean 0 and variance 1 along an axis, times gain, plus shift."""
    centred = X - X.mean(axis, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis, keepdims=True) + epsilon) * gain + shift
