"""Attention against Keras's MultiHeadAttention: the same weights, inputs and masks give the same numbers."""

import keras
import numpy as np
import pytest

from course_utils.attention import MultiHeadAttention, causal_mask, padding_mask

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


@pytest.mark.parametrize("biases", [True, False], ids=["biases", "no biases"])
@pytest.mark.parametrize("looks_at", ["itself", "context"])
@pytest.mark.parametrize("sizes", KERAS_SIZES.values(), ids=KERAS_SIZES)
def test_a_layer_is_kerass_layer(sizes, looks_at, biases):
    d_context, n_keys = (D_MODEL, N_QUERIES) if looks_at == "itself" else (D_CONTEXT, N_KEYS)
    theirs, rng = keras_layer(*sizes, biases, d_context), np.random.default_rng(5)
    X = rng.normal(size=(N_SENTENCES, N_QUERIES, D_MODEL)).astype(np.float32)
    context = None if looks_at == "itself" else rng.normal(size=(N_SENTENCES, N_KEYS, D_CONTEXT)).astype(np.float32)
    random = rng.random((N_SENTENCES, N_QUERIES, n_keys)) < 0.4
    random[..., 1] = True
    for mask in (None, causal_mask(N_QUERIES, n_keys), padding_mask([n_keys, 1, n_keys - 1], n_keys), random):
        # Keras takes masks of three axes only; the polarity is the same, True = may look.
        how = {} if mask is None else {"attention_mask": np.broadcast_to(mask, random.shape)}
        how = {"use_causal_mask": True} if np.ndim(mask) == 2 else how
        output, weights = theirs(X, X if context is None else context, **how, return_attention_scores=True)
        result = copy_of(theirs)(X, context, mask)
        assert result.output.dtype == result.weights.dtype == np.float32
        np.testing.assert_allclose(result.output, output.numpy(), rtol=0, atol=1e-5)
        np.testing.assert_allclose(result.weights, weights.numpy(), rtol=0, atol=1e-5)
