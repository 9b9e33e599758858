"""The parts of the Keras classifier in NumPy: what the pages in Keras compare with.

An answer in Keras becomes a function of numbers in `keras_answers`: it builds the layers and gives them weights.
Both sides draw these weights by name and shape, so that a layer of another size can be compared as well.
"""

import numpy as np

from course_utils.attention import merge_heads, softmax, split_heads

EPSILON = 1e-6


def drawn(name, shape, weights):
    """Return the weights of this name, float32: the same numbers for every shape of one size.

    weights: (seed, size), size being the standard deviation of vectors and biases.

    >>> drawn("W_Q", (2, 1, 3), (0, 1.0)).ravel() == drawn("W_Q", (2, 3), (0, 1.0)).ravel()
    array([ True,  True,  True,  True,  True,  True])
    """
    seed, size = weights
    rng = np.random.default_rng([seed, *name.encode()])
    if name.startswith(("W", "norm", "answer")):
        size = 0.5 if name.startswith("W") else 1.0
    return (size * rng.normal(size=shape)).astype(np.float32)


class Drawn:
    """The weights of one model, drawn when they are asked for, and how many there are."""

    def __init__(self, weights):
        self.weights, self.count = weights, 0

    def __call__(self, name, *shape):
        self.count += int(np.prod(shape))
        return drawn(name, shape, self.weights).astype(float)


def sentences_of(vocab_size, seq_len):
    """Return sentences (seq_len + 2, seq_len) of tokens below vocab_size, as the checks of a whole model use them."""
    tokens = np.random.default_rng([vocab_size, seq_len]).integers(1, vocab_size, (seq_len + 2, seq_len))
    tokens[:, 0] = 0
    return tokens


def look(W, query, value, heads, wide, biased=True, share=softmax):
    """Return the output (batch, n_query, d_model) and the weights (batch, heads, n_query, n_value) of attention.

    W: the weights, Drawn. wide: the numbers of a head.
    """
    query, value = np.asarray(query, float), np.asarray(value, float)
    d = query.shape[-1]

    def project(sign, X):
        bias = W(f"b_{sign}", heads * wide) if biased else 0
        return split_heads(X @ W(f"W_{sign}", d, heads * wide) + bias, heads)  # (batch, heads, n, wide)

    Q, K, V = project("Q", query), project("K", value), project("V", value)
    seen = share(Q @ K.swapaxes(-1, -2) / np.sqrt(wide))  # (batch, heads, n_query, n_value)
    output = merge_heads(seen @ V) @ W("W_O", heads * wide, d)
    return output + (W("b_O", d) if biased else 0), seen


def normalised(X, gain, shift, axis=-1, epsilon=EPSILON):
    """Return X (batch, n, d) with mean 0 and variance 1 along an axis, times gain and plus shift."""
    centred = X - X.mean(axis, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis, keepdims=True) + epsilon) * gain + shift
