"""course_utils.attention against loops over single numbers, and many heads against one attention for each."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.attention import (
    MultiHeadAttention,
    attention_scores,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
    sinusoidal_positions,
    softmax,
    split_heads,
)

# Students read a warning as a failure: there is none, not even on the way to an error.
# Every warning of the code is an error; a socket that another test left open is not of this code.
pytestmark = pytest.mark.filterwarnings(
    "error", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


def by_loops(Q, K, V, added, scale):
    """Attention of one place, number by number: lists of lists in, output and weights as lists of lists out."""
    output, weights = [], []
    for q, summands in zip(Q, added, strict=True):
        scores = [sum(a * b for a, b in zip(q, k, strict=True)) * scale + s for k, s in zip(K, summands, strict=True)]
        exponentials = [math.exp(score) for score in scores]
        weights.append([e / sum(exponentials) for e in exponentials])
        output.append([sum(w * v[c] for w, v in zip(weights[-1], V, strict=True)) for c in range(len(V[0]))])
    return output, weights


@st.composite
def attentions(draw):
    """Q, K, V, a mask of any shape that is allowed and that leaves each query a key, or None, and a scale or None."""
    leading = draw(st.sampled_from([(), (3,), (2, 3)]))
    n_queries, n_keys, d_k, d_v = (draw(st.integers(1, 5)) for _ in range(4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shapes = (n_queries, d_k), (n_keys, d_k), (n_keys, d_v)
    axes = draw(st.sampled_from([(*leading, n_queries), (n_queries,)]))
    shape = (*(draw(st.sampled_from([1, length])) for length in axes), n_keys)
    visible = rng.random(shape) < 0.6
    visible[..., -1] = True
    mask = draw(st.sampled_from([None, visible, np.where(visible, rng.normal(size=shape), -np.inf)]))
    return *(rng.normal(size=(*leading, *s)) for s in shapes), mask, draw(st.sampled_from([None, 0.3, -1, 0]))


@settings(max_examples=200, derandomize=True)
@given(attentions())
def test_attention_is_the_triple_loop(case):
    Q, K, V, mask, scale = case
    result = scaled_dot_product_attention(Q, K, V, mask, scale)
    added = 0.0 if mask is None else np.where(mask, 0, -np.inf) if mask.dtype == bool else mask
    added = np.broadcast_to(added, result.weights.shape)
    scale = 1 / math.sqrt(Q.shape[-1]) if scale is None else scale
    for place in np.ndindex(Q.shape[:-2]):
        output, weights = by_loops(*(array[place].tolist() for array in (Q, K, V, added)), scale)
        np.testing.assert_allclose(result.weights[place], weights, rtol=1e-12, atol=0)
        np.testing.assert_allclose(result.output[place], output, rtol=1e-12, atol=1e-14)


def test_a_large_float_mask_hides_in_every_dtype():
    # -1e9 is beyond the largest float16: there it becomes -inf, without a warning.
    mask = np.where(np.eye(3), 0.0, -1e9)
    for dtype in (np.float16, np.float32, np.float64):
        eye = np.eye(3, dtype=dtype)
        np.testing.assert_array_equal(scaled_dot_product_attention(eye, eye, eye, mask).weights, eye)


def test_large_scores_hidden_keys_and_tiny_floats_pass_without_a_warning():
    np.testing.assert_array_equal(softmax([1.7e308, -1.7e308, -np.inf, 0.0]), [1, 0, 0, 0])
    np.testing.assert_array_equal(attention_scores(np.full((1, 2), 1e-200), np.full((3, 2), 1e-200)), [[0, 0, 0]])
    large, hidden = np.eye(3) * 1e150, np.where(np.eye(3), 0, -np.inf)
    np.testing.assert_array_equal(scaled_dot_product_attention(large, large, np.eye(3), hidden).output, np.eye(3))


@pytest.mark.parametrize(("n_queries", "n_keys"), [(1, 1), (3, None), (2, 5), (5, 2)])
def test_masks_hide_the_future_and_the_padding(n_queries, n_keys):
    wanted = [[key <= query for key in range(n_keys or n_queries)] for query in range(n_queries)]
    padding = padding_mask(np.arange(1, n_queries + 1), n_queries)
    np.testing.assert_array_equal(padding, causal_mask(n_queries)[:, None], strict=True)
    np.testing.assert_array_equal(causal_mask(n_queries, n_keys), wanted, strict=True)


@pytest.mark.parametrize(("n", "d_model"), [(1, 1), (5, 4), (7, 5), (50, 16)])
def test_positions_as_the_paper_writes_them(n, d_model):
    wanted = np.empty((n, d_model))
    for position, dimension in np.ndindex(n, d_model):
        turn = math.cos if dimension % 2 else math.sin
        wanted[position, dimension] = turn(position / 10000 ** ((dimension - dimension % 2) / d_model))
    np.testing.assert_allclose(sinusoidal_positions(n, d_model), wanted, rtol=1e-12, atol=1e-14)


# Many heads: two of them, in a layer in which every width differs, so that no two matrices can be confused


def a_layer(rng, *, d_context=5, biases=True):
    matrices = [(6, 4), (d_context, 4), (d_context, 6), (6, 7)]  # d_model 6, d_k 2, d_v 3, d_out 7
    given = {f"b_{name}": rng.normal(size=columns) for name, (_, columns) in zip("QKVO", matrices, strict=True)}
    return MultiHeadAttention(*(rng.normal(size=shape) for shape in matrices), 2, **(given if biases else {}))


MASKS = [(4, 7), (1, 7), (3, 4, 7), (3, 1, 7), (1, 4, 7), (3, 2, 4, 7), (1, 2, 4, 7), (3, 1, 1, 7)]


@pytest.mark.parametrize("shape", MASKS)  # three axes are one mask a sentence, the same for all heads
@pytest.mark.parametrize("biases", [True, False])
def test_many_heads_are_single_attentions_side_by_side(shape, biases):
    rng = np.random.default_rng(1)
    layer, X, context = a_layer(rng, biases=biases), rng.normal(size=(3, 4, 6)), rng.normal(size=(3, 7, 5))
    mask = rng.random(shape) < 0.4
    mask[..., 0] = True
    result, heads = layer(X, context, mask), np.empty((3, 4, 6))
    b_Q, b_K, b_V, b_O = (layer.b_Q, layer.b_K, layer.b_V, layer.b_O) if biases else (0, 0, 0, 0)
    Q, K, V = X @ layer.W_Q + b_Q, context @ layer.W_K + b_K, context @ layer.W_V + b_V
    of_heads = np.broadcast_to(mask[:, None] if len(shape) == 3 else mask, (3, 2, 4, 7))
    for i, head in np.ndindex(3, 2):
        keys, values = slice(2 * head, 2 * head + 2), slice(3 * head, 3 * head + 3)
        alone = scaled_dot_product_attention(Q[i, :, keys], K[i, :, keys], V[i, :, values], of_heads[i, head])
        np.testing.assert_allclose(result.weights[i, head], alone.weights, rtol=1e-12)
        heads[i, :, values] = alone.output
    np.testing.assert_allclose(result.output, heads @ layer.W_O + b_O, rtol=1e-12)


def test_one_sentence_that_looks_at_itself_takes_a_mask_for_all_heads_or_one_for_each():
    rng = np.random.default_rng(4)
    layer, X, each_head = a_layer(rng, d_context=6), rng.normal(size=(4, 6)), np.stack([causal_mask(4), np.eye(4) > 0])
    for mask in (causal_mask(4), each_head):
        np.testing.assert_array_equal(layer(X, mask=mask).weights > 0, np.broadcast_to(mask, (2, 4, 4)))
    np.testing.assert_array_equal(layer(X).output, layer(X, context=X).output)


def test_another_attention_stands_in():
    rng = np.random.default_rng(1)
    layer, X, context, mask = a_layer(rng), rng.normal(size=(4, 6)), rng.normal(size=(7, 5)), np.ones((4, 7), bool)

    def attention(Q, K, V, given):
        assert given is mask
        for heads, name, tokens in zip((Q, K, V), "QKV", (X, context, context), strict=True):
            projected = tokens @ getattr(layer, f"W_{name}") + getattr(layer, f"b_{name}")
            np.testing.assert_allclose(heads, split_heads(projected, 2), rtol=1e-12)  # b_K changes no weight
        output, weights = scaled_dot_product_attention(Q, K, V, given)
        return (2 * output).tolist(), weights

    own, other = layer(X, context, mask), layer(X, context, mask, attention)
    np.testing.assert_array_equal(other.weights, own.weights)
    np.testing.assert_allclose(other.output - layer.b_O, 2 * (own.output - layer.b_O), rtol=1e-12)


def test_a_layer_keeps_lists_as_arrays():
    eye = np.eye(2).tolist()
    layer = MultiHeadAttention(eye, eye, eye, eye, n_heads=1, b_Q=[0, 0], b_K=[0, 0], b_V=[1, 2], b_O=[3, 4])
    assert all(isinstance(part, np.ndarray) for name, part in vars(layer).items() if name != "n_heads")
    np.testing.assert_allclose(layer([[0.0, 0.0]]).output, [[4.0, 6.0]], rtol=1e-15)
