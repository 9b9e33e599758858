"""Attention against two oracles: a triple loop in plain Python, and Keras's MultiHeadAttention."""

import math
from itertools import product

import keras
import numpy as np
import pytest

from course_utils.attention import MultiHeadAttention, causal_mask, padding_mask, scaled_dot_product_attention


def naive_attention(Q, K, V, allowed, added, scale):
    """Attention of one place, number by number: lists of lists in, output and weights as lists of lists out."""
    output, weights = [], []
    for i, q in enumerate(Q):
        scores = []
        for j, k in enumerate(K):
            score = 0.0
            for a, b in zip(q, k, strict=True):
                score += a * b
            scores.append(score * scale + added[i][j])
        exponentials = [math.exp(s) if allowed[i][j] else 0.0 for j, s in enumerate(scores)]
        weights.append([e / sum(exponentials) for e in exponentials])
        output.append([sum(w * v[c] for w, v in zip(weights[i], V, strict=True)) for c in range(len(V[0]))])
    return output, weights


LEADING = [(), (3,), (2, 3)]
LENGTHS = [(1, 1, 1, 1), (4, 4, 4, 4), (3, 5, 4, 2), (5, 2, 1, 6)]  # n_queries, n_keys, d_k, d_v
NAIVE_CASES = list(product(LEADING, LENGTHS, ["none", "boolean", "float"], [None, 0.3]))


@pytest.mark.parametrize(("leading", "lengths", "kind", "scale"), NAIVE_CASES)
def test_attention_is_the_triple_loop(leading, lengths, kind, scale):
    rng = np.random.default_rng(len(leading))
    n_queries, n_keys, d_k, d_v = lengths
    Q = rng.normal(size=(*leading, n_queries, d_k))
    K = rng.normal(size=(*leading, n_keys, d_k))
    V = rng.normal(size=(*leading, n_keys, d_v))
    allowed = np.ones((*leading, n_queries, n_keys), bool)
    added = np.zeros(allowed.shape)
    if kind != "none":
        allowed = rng.random(allowed.shape) < 0.6
        allowed[..., -1] = True
    if kind == "float":
        added = rng.normal(size=allowed.shape)
    mask = {"none": None, "boolean": allowed, "float": np.where(allowed, added, -np.inf)}[kind]
    result = scaled_dot_product_attention(Q, K, V, mask, scale)
    used_scale = 1 / math.sqrt(d_k) if scale is None else scale
    for place in np.ndindex(leading):
        output, weights = naive_attention(
            *(array[place].tolist() for array in (Q, K, V, allowed, added)), scale=used_scale
        )
        np.testing.assert_allclose(result.weights[place], weights, rtol=1e-12, atol=0)
        np.testing.assert_allclose(result.output[place], output, rtol=1e-12, atol=1e-14)


N_SENTENCES, N_QUERIES, N_KEYS, D_MODEL, D_CONTEXT = 3, 4, 6, 10, 7
KERAS_SIZES = {  # n_heads, d_k, d_v, d_out (None: as wide as the input)
    "one head": (1, 5, 5, None),
    "two heads": (2, 4, 4, None),
    "five heads, wide values": (5, 2, 3, None),
    "three heads, narrow values, another width": (3, 4, 1, 8),
}


def keras_layer(n_heads, d_k, d_v, d_out, biases, d_context):
    """A built Keras layer in which every weight, biases too, is drawn: Keras itself would start them at 0."""
    layer = keras.layers.MultiHeadAttention(n_heads, d_k, value_dim=d_v, use_bias=biases, output_shape=d_out)
    layer.build((None, None, D_MODEL), (None, None, d_context))
    rng = np.random.default_rng(n_heads)
    layer.set_weights([rng.normal(size=weight.shape, scale=0.5) for weight in layer.get_weights()])
    return layer


def copy_of(layer):
    """The course's layer with the weights of the Keras layer; kernels (d_model, heads, d) are flattened."""
    given = {}
    for name, dense in zip("QKV", (layer.query_dense, layer.key_dense, layer.value_dense), strict=True):
        given[f"W_{name}"] = dense.kernel.numpy().reshape(dense.kernel.shape[0], -1)
        given[f"b_{name}"] = None if dense.bias is None else dense.bias.numpy().reshape(-1)
    kernel, bias = layer.output_dense.kernel.numpy(), layer.output_dense.bias
    given |= {"W_O": kernel.reshape(-1, kernel.shape[-1]), "b_O": None if bias is None else bias.numpy()}
    return MultiHeadAttention(**given, n_heads=kernel.shape[0])


def a_mask(kind, n_keys):
    if kind == "random":
        mask = np.random.default_rng(0).random((N_SENTENCES, N_QUERIES, n_keys)) < 0.4
        mask[..., 1] = True
        return mask
    lengths = [n_keys, 1, n_keys - 1]
    return {"none": None, "causal": causal_mask(N_QUERIES, n_keys), "padding": padding_mask(lengths, n_keys)}[kind]


@pytest.mark.parametrize("biases", [True, False], ids=["biases", "no biases"])
@pytest.mark.parametrize("looks_at", ["itself", "context"])
@pytest.mark.parametrize("sizes", KERAS_SIZES.values(), ids=KERAS_SIZES)
def test_a_layer_is_kerass_layer(sizes, looks_at, biases):
    d_context, n_keys = (D_MODEL, N_QUERIES) if looks_at == "itself" else (D_CONTEXT, N_KEYS)
    theirs = keras_layer(*sizes, biases, d_context)
    ours = copy_of(theirs)
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N_SENTENCES, N_QUERIES, D_MODEL)).astype(np.float32)
    context = None if looks_at == "itself" else rng.normal(size=(N_SENTENCES, N_KEYS, D_CONTEXT)).astype(np.float32)
    for kind in ("none", "causal", "padding", "random"):
        mask = a_mask(kind, n_keys)
        output, weights = theirs(
            X,
            X if context is None else context,
            attention_mask=mask_for_keras(mask, n_keys),
            return_attention_scores=True,
        )
        result = ours(X, context, mask)
        assert result.output.dtype == result.weights.dtype == np.float32
        np.testing.assert_allclose(result.output, output.numpy(), rtol=0, atol=1e-5, err_msg=kind)
        np.testing.assert_allclose(result.weights, weights.numpy(), rtol=0, atol=1e-5, err_msg=kind)


def mask_for_keras(mask, n_keys):
    """Keras takes masks of three axes only; the polarity is the same, True = may look."""
    return None if mask is None else np.broadcast_to(mask, (N_SENTENCES, N_QUERIES, n_keys))


def test_causal_mask_is_kerass_causal_mask():
    layer = keras_layer(2, 4, 4, None, biases=True, d_context=D_MODEL)
    rng = np.random.default_rng(6)
    X, context = (rng.normal(size=(N_SENTENCES, n, D_MODEL)).astype(np.float32) for n in (N_QUERIES, N_KEYS))
    output, weights = layer(X, context, use_causal_mask=True, return_attention_scores=True)
    result = copy_of(layer)(X, context, causal_mask(N_QUERIES, N_KEYS))
    np.testing.assert_allclose(result.output, output.numpy(), rtol=0, atol=1e-5)
    np.testing.assert_allclose(result.weights, weights.numpy(), rtol=0, atol=1e-5)
