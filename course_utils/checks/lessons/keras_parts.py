"""The parts of the Keras classifier, in NumPy with switches: what the exercises in Keras of lesson 12 compare with.

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


def positional_embedding(
    token_ids,
    token_vectors,
    position_vectors,
    *,
    look_up=lambda table, ids: table[ids],
    places=lambda table, ids: table[: ids.shape[1]],
    add=np.add,
):
    """Return the vectors of tokens and positions, added: (batch, n, d_model)."""
    return add(look_up(token_vectors, token_ids), places(position_vectors, token_ids))


def attend(
    query,
    value,
    d_model,
    weights,
    *,
    roles=lambda query, value: (query, value),
    sizes=lambda d_model: (1, d_model),
    biased=True,
    share=softmax,
    back=lambda output, scores: (output, scores),
):
    """Return the output (batch, n_query, d_model) and the weights (batch, heads, n_query, n_value)."""
    query, value = roles(np.asarray(query, float), np.asarray(value, float))
    return back(*look(Drawn(weights), query, value, *sizes(d_model), biased, share))


def look(W, query, value, heads, wide, biased=True, share=softmax):
    d = query.shape[-1]

    def project(sign, X):
        bias = W(f"b_{sign}", heads * wide) if biased else 0
        return split_heads(X @ W(f"W_{sign}", d, heads * wide) + bias, heads)  # (batch, heads, n, wide)

    Q, K, V = project("Q", query), project("K", value), project("V", value)
    seen = share(Q @ K.swapaxes(-1, -2) / np.sqrt(wide))  # (batch, heads, n_query, n_value)
    output = merge_heads(seen @ V) @ W("W_O", heads * wide, d)
    return output + (W("b_O", d) if biased else 0), seen


def normalised(X, gain, shift, axis=-1, epsilon=EPSILON):
    centred = X - X.mean(axis, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis, keepdims=True) + epsilon) * gain + shift


def add_and_norm(X, output, gain, shift, *, join=lambda X, output, norm: norm(X + output()), norm=normalised):
    """Return X plus output, (batch, n, d) each, normalised."""
    return join(X, lambda: output, lambda S: norm(S, gain, shift))


def output_of(W, X, *, sizes=lambda d_model: (1, d_model), biased=True, share=softmax):
    """The output of self-attention."""
    return look(W, X, X, *sizes(X.shape[-1]), biased, share)[0]


def build_model(
    vocab_size,
    seq_len,
    d_model,
    weights,
    *,
    fits=lambda *sizes: None,
    places=lambda W, n, d: W("positions", n, d),
    join=lambda X, output, norm: norm(X + output()),
    epsilon=EPSILON,
    row=lambda X: X[:, 0],
    squash=lambda z: 1 / (1 + np.exp(-z)),
    **looks,
):
    """Return the probabilities (n, 1) of some sentences, and the number of weights."""
    fits(vocab_size, seq_len, d_model)
    W = Drawn(weights)
    X = W("tokens", vocab_size, d_model)[sentences_of(vocab_size, seq_len)] + places(W, seq_len, d_model)

    def norm(S):
        return normalised(S, W("norm_scale", d_model), W("norm_shift", d_model), epsilon=epsilon)

    # A function, since weights that nothing asks for are not part of the model.
    vector = row(join(X, lambda: output_of(W, X, **looks), norm))  # (n, d_model)
    return squash(vector @ W("answer", vector.shape[-1], 1) + W("answer_bias", 1)), W.count


def compile_model(
    labels,
    probabilities,
    gradient,
    *,
    loss=lambda y, p: -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)),
    step=lambda g: -np.sign(g),
    shown=lambda y, p: np.mean((p >= 0.5) == y),
):
    """Return what compiling decides: the loss, the first step for a gradient, in thousandths, and the accuracy."""
    return loss(labels, probabilities), step(gradient), shown(labels, probabilities)
