"""course_utils.attention on numbers that can be checked on paper, and the parts against their definitions."""

import inspect
import math
from dataclasses import replace

import numpy as np
import pytest

from course_utils import attention
from course_utils.attention import (
    Attention,
    MultiHeadAttention,
    attention_scores,
    causal_mask,
    merge_heads,
    padding_mask,
    scaled_dot_product_attention,
    sinusoidal_positions,
    softmax,
    split_heads,
)
from course_utils.sentences import first_look, review_vectors

# Students read a warning as a failure: there is none, not even on the way to an error.
# Every warning of the code is an error; a socket that another test left open is not of this code.
pytestmark = pytest.mark.filterwarnings(
    "error", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


def test_softmax_of_a_column_and_of_a_row():
    scores = np.log([[1.0, 2.0], [3.0, 6.0]])
    np.testing.assert_allclose(softmax(scores), [[1 / 3, 2 / 3], [1 / 3, 2 / 3]], rtol=1e-15)
    np.testing.assert_allclose(softmax(scores, axis=0), [[1 / 4, 1 / 4], [3 / 4, 3 / 4]], rtol=1e-15)
    np.testing.assert_array_equal(softmax(scores, axis=-2), softmax(scores, axis=0))


def test_softmax_runs_along_the_last_axis_unless_told():
    scores = np.arange(6.0).reshape(1, 2, 3) ** 2
    np.testing.assert_array_equal(softmax(scores), softmax(scores, axis=2))


def test_softmax_where_the_naive_one_overflows():
    with np.errstate(over="ignore"):
        assert np.isinf(np.exp(710.0))
    weights = softmax([710.0, 710.0, 709.0])
    assert np.isfinite(weights).all()
    np.testing.assert_allclose(weights[1] / weights[2], math.e, rtol=1e-15)


def test_softmax_hides_minus_infinity_exactly():
    np.testing.assert_array_equal(softmax([3.0, -np.inf, 3.0]), [0.5, 0.0, 0.5])


def test_scores_are_dot_products_over_the_root_of_d_k():
    Q, K = [[1.0, 2.0, 3.0, 4.0]], [[5.0, 6.0, 7.0, 8.0], [1.0, 0.0, 0.0, 0.0]]
    np.testing.assert_array_equal(attention_scores(Q, K), [[70 / 2, 1 / 2]])  # d_k = 4
    np.testing.assert_array_equal(attention_scores(Q, K, scale=1), [[70, 1]])
    np.testing.assert_array_equal(attention_scores(Q, K, scale=-0.5), [[-35, -0.5]])
    np.testing.assert_array_equal(attention_scores(Q, K, scale=0), [[0, 0]])


def test_scores_put_queries_on_rows_and_keys_on_columns():
    scores = attention_scores(np.eye(2, 3), np.arange(12.0).reshape(4, 3), scale=1.0)
    np.testing.assert_array_equal(scores, [[0, 3, 6, 9], [1, 4, 7, 10]])


@pytest.mark.parametrize(("n_queries", "n_keys"), [(1, 1), (3, 3), (2, 5), (5, 2)])
def test_causal_mask_looks_at_itself_and_back(n_queries, n_keys):
    wanted = [[key <= query for key in range(n_keys)] for query in range(n_queries)]
    np.testing.assert_array_equal(causal_mask(n_queries, n_keys), wanted)
    assert causal_mask(n_queries, n_keys).dtype == bool


def test_causal_mask_is_square_unless_told():
    np.testing.assert_array_equal(causal_mask(4), causal_mask(4, 4))


def test_padding_mask_hides_what_stands_behind_each_sentence():
    mask = padding_mask(np.array([1, 3, 2]), 3)
    np.testing.assert_array_equal(mask, [[[1, 0, 0]], [[1, 1, 1]], [[1, 1, 0]]])
    assert mask.dtype == bool


def test_attention_of_one_query_on_paper():
    # scores/sqrt(2): ln 1, ln 3 -> weights 1/4, 3/4 -> output 1/4 * 8 + 3/4 * 4
    K = np.sqrt(2) * np.log([[1.0, 1.0], [3.0, 1.0]])
    result = scaled_dot_product_attention([[1.0, 0.0]], K, [[8.0], [4.0]])
    np.testing.assert_allclose(result.weights, [[0.25, 0.75]], rtol=1e-15)
    np.testing.assert_allclose(result.output, [[5.0]], rtol=1e-15)


def test_the_first_look_of_good():
    Q, K, V = first_look()
    np.testing.assert_array_equal(scaled_dot_product_attention(Q, K, V).weights.round(2), [[0.46, 0.32, 0.22]])


def test_good_looks_at_not_and_amazing():
    output, weights = scaled_dot_product_attention(*review_vectors())
    np.testing.assert_array_equal(weights[4].round(2), np.where(np.arange(12) == 3, 0.67, np.eye(12)[10] * 0.33))
    np.testing.assert_array_equal(output[4].round(8), [0.99999467, 0.33023767])


def test_scale_reaches_the_weights():
    Q, K, V = review_vectors()
    flat = scaled_dot_product_attention(Q, K, V, scale=0.0).weights
    np.testing.assert_array_equal(flat, np.full((12, 12), 1 / 12))


def test_a_boolean_mask_says_where_a_query_may_look():
    weights = scaled_dot_product_attention(np.eye(3), np.eye(3), np.eye(3), mask=causal_mask(3)).weights
    assert np.array_equal(weights > 0, causal_mask(3))
    np.testing.assert_array_equal(weights[0], [1, 0, 0])


def test_a_float_mask_is_added_to_the_scores():
    Q, K, V = np.zeros((1, 2)), np.zeros((3, 2)), np.eye(3)
    mask = np.log([[1.0, 2.0, 5.0]])
    np.testing.assert_allclose(scaled_dot_product_attention(Q, K, V, mask).weights, [[1 / 8, 2 / 8, 5 / 8]], rtol=1e-15)


def test_a_float_mask_and_its_boolean_twin_agree():
    Q, K, V = np.random.default_rng(0).normal(size=(3, 2, 4, 5))
    twin = np.where(causal_mask(4), 0.0, -np.inf)
    for a, b in zip(
        scaled_dot_product_attention(Q, K, V, causal_mask(4)), scaled_dot_product_attention(Q, K, V, twin), strict=True
    ):
        np.testing.assert_array_equal(a, b)


def test_a_large_float_mask_hides_in_every_dtype():
    # -1e9 is beyond the largest float16: there it becomes -inf, without a warning.
    mask = np.where(np.eye(3), 0.0, -1e9)
    for dtype in (np.float16, np.float32, np.float64):
        eye = np.eye(3, dtype=dtype)
        np.testing.assert_array_equal(scaled_dot_product_attention(eye, eye, eye, mask).weights, eye)


@pytest.mark.parametrize(
    "shape", [(4, 6), (1, 6), (2, 3, 4, 6), (2, 1, 4, 6), (1, 3, 1, 6), (1, 1, 1, 6), (2, 1, 1, 6)]
)
@pytest.mark.parametrize("kind", ["boolean", "float"])
def test_a_mask_serves_axes_of_length_1_for_all(shape, kind):
    rng = np.random.default_rng(0)
    Q, K, V = rng.normal(size=(2, 3, 4, 5)), rng.normal(size=(2, 3, 6, 5)), rng.normal(size=(2, 3, 6, 2))
    mask = rng.random(shape) < 0.5
    mask[..., 0] = True
    mask = mask if kind == "boolean" else np.where(mask, rng.normal(size=shape), -np.inf)
    small = scaled_dot_product_attention(Q, K, V, mask)
    full = scaled_dot_product_attention(Q, K, V, np.broadcast_to(mask, (2, 3, 4, 6)))
    np.testing.assert_array_equal(small.weights, full.weights)
    np.testing.assert_array_equal(small.output, full.output)


def test_padding_hides_keys_of_each_sentence():
    Q, K, V = np.random.default_rng(0).normal(size=(3, 2, 4, 5))
    weights = scaled_dot_product_attention(Q, K, V, padding_mask([4, 2], 4)).weights
    assert (weights[0] > 0).all()
    assert (weights[1, :, :2] > 0).all()
    np.testing.assert_array_equal(weights[1, :, 2:], np.zeros((4, 2)))


def test_leading_axes_are_as_many_attentions_as_there_are_places():
    rng = np.random.default_rng(0)
    Q, K, V = rng.normal(size=(2, 3, 4, 5)), rng.normal(size=(2, 3, 6, 5)), rng.normal(size=(2, 3, 6, 2))
    together = scaled_dot_product_attention(Q, K, V)
    assert together.output.shape == (2, 3, 4, 2)
    assert together.weights.shape == (2, 3, 4, 6)
    for place in np.ndindex(2, 3):
        alone = scaled_dot_product_attention(Q[place], K[place], V[place])
        np.testing.assert_allclose(together.output[place], alone.output, rtol=1e-12)
        np.testing.assert_allclose(together.weights[place], alone.weights, rtol=1e-12)


def test_split_heads_gives_each_head_its_columns():
    X = np.arange(24.0).reshape(3, 8)
    heads = split_heads(X, 4)
    assert heads.shape == (4, 3, 2)
    for head in range(4):
        np.testing.assert_array_equal(heads[head], X[:, 2 * head : 2 * head + 2])


def test_merge_heads_puts_the_heads_side_by_side():
    heads = np.arange(24.0).reshape(4, 3, 2)
    np.testing.assert_array_equal(merge_heads(heads), np.concatenate(list(heads), axis=-1))


def test_split_heads_of_a_batch():
    assert split_heads(np.zeros((1, 6, 512)), 8).shape == (1, 8, 6, 64)
    assert merge_heads(np.zeros((1, 8, 6, 64))).shape == (1, 6, 512)


def a_layer(rng, d_model=6, d_context=5, d_k=2, d_v=3, d_out=7, n_heads=2, biases=True):
    """A layer in which every width differs, so that no two matrices can be confused."""
    matrices = [
        (d_model, n_heads * d_k),
        (d_context, n_heads * d_k),
        (d_context, n_heads * d_v),
        (n_heads * d_v, d_out),
    ]
    given = {f"b_{name}": rng.normal(size=columns) for name, (_, columns) in zip("QKVO", matrices, strict=True)}
    return MultiHeadAttention(*(rng.normal(size=shape) for shape in matrices), n_heads, **(given if biases else {}))


@pytest.mark.parametrize("biases", [True, False])
def test_many_heads_are_single_attentions_side_by_side(biases):
    rng = np.random.default_rng(1)
    layer = a_layer(rng, biases=biases)
    X, context = rng.normal(size=(4, 6)), rng.normal(size=(7, 5))
    b_Q, b_K, b_V, b_O = (layer.b_Q, layer.b_K, layer.b_V, layer.b_O) if biases else (0, 0, 0, 0)
    Q, K, V = X @ layer.W_Q + b_Q, context @ layer.W_K + b_K, context @ layer.W_V + b_V
    heads = [
        scaled_dot_product_attention(Q[:, 2 * h : 2 * h + 2], K[:, 2 * h : 2 * h + 2], V[:, 3 * h : 3 * h + 3])
        for h in range(2)
    ]
    result = layer(X, context)
    np.testing.assert_allclose(result.weights, [head.weights for head in heads], rtol=1e-12)
    wanted = np.concatenate([head.output for head in heads], axis=-1) @ layer.W_O + b_O
    np.testing.assert_allclose(result.output, wanted, rtol=1e-12)


def test_another_attention_gets_the_queries_keys_and_values_of_each_head():
    rng = np.random.default_rng(1)
    layer, seen = a_layer(rng), []
    X, context = rng.normal(size=(4, 6)), rng.normal(size=(7, 5))

    def attention(Q, K, V, mask):
        seen.extend([Q, K, V])
        return scaled_dot_product_attention(Q, K, V, mask)

    layer(X, context, attention=attention)
    for heads, name, given in zip(seen, "QKV", (X, context, context), strict=True):
        wanted = split_heads(given @ getattr(layer, f"W_{name}") + getattr(layer, f"b_{name}"), 2)
        np.testing.assert_allclose(heads, wanted, rtol=1e-12)


def test_a_bias_of_the_keys_changes_nothing():
    # It adds q @ b_K to all scores of a row, and softmax does not see a shift.
    rng = np.random.default_rng(2)
    layer, X, context = a_layer(rng), rng.normal(size=(4, 6)), rng.normal(size=(7, 5))
    without = replace(layer, b_K=None)
    np.testing.assert_allclose(without(X, context).output, layer(X, context).output, rtol=1e-10)


def test_self_attention_is_attention_to_oneself():
    rng = np.random.default_rng(2)
    layer = a_layer(rng, d_context=6)
    X = rng.normal(size=(2, 4, 6))
    for alone, given in zip(layer(X), layer(X, context=X), strict=True):
        np.testing.assert_array_equal(alone, given)


MASKS_OF_A_LAYER = {
    (4, 7): (None, None, slice(None), slice(None)),
    (1, 7): (None, None, slice(None), slice(None)),
    (3, 4, 7): (slice(None), None),  # one mask a sentence, the same for all heads
    (3, 1, 7): (slice(None), None),
    (1, 4, 7): (slice(None), None),
    (3, 2, 4, 7): (),
    (1, 2, 4, 7): (),
    (3, 1, 1, 7): (),
}


@pytest.mark.parametrize("shape", MASKS_OF_A_LAYER)
@pytest.mark.parametrize("kind", ["boolean", "float"])
def test_masks_of_a_layer(shape, kind):
    rng = np.random.default_rng(3)
    layer, X, context = a_layer(rng), rng.normal(size=(3, 4, 6)), rng.normal(size=(3, 7, 5))
    visible = rng.random(shape) < 0.4
    visible[..., 0] = True
    mask = visible if kind == "boolean" else np.where(visible, 0.0, -np.inf)
    wanted = np.broadcast_to(visible[MASKS_OF_A_LAYER[shape]], (3, 2, 4, 7))
    np.testing.assert_array_equal(layer(X, context, mask).weights > 0, wanted)


def test_masks_of_a_layer_on_one_sentence():
    rng = np.random.default_rng(4)
    layer, X = a_layer(rng, d_context=6), rng.normal(size=(4, 6))
    each_head = np.stack([causal_mask(4), np.eye(4, dtype=bool)])
    np.testing.assert_array_equal(layer(X, mask=causal_mask(4)).weights > 0, np.stack([causal_mask(4)] * 2))
    np.testing.assert_array_equal(layer(X, mask=each_head).weights > 0, each_head)


def test_a_layer_keeps_lists_as_arrays():
    eye = np.eye(2).tolist()
    layer = MultiHeadAttention(eye, eye, eye, eye, n_heads=1, b_Q=[0, 0], b_K=[0, 0], b_V=[1, 2], b_O=[3, 4])
    assert all(isinstance(getattr(layer, name), np.ndarray) for name in ("W_Q", "W_K", "W_V", "W_O", "b_Q", "b_O"))
    np.testing.assert_allclose(layer([[0.0, 0.0]]).output, [[4.0, 6.0]], rtol=1e-15)


@pytest.mark.parametrize(("n", "d_model"), [(1, 1), (5, 4), (7, 5), (50, 16)])
def test_positions_as_the_paper_writes_them(n, d_model):
    wanted = np.empty((n, d_model))
    for position in range(n):
        for dimension in range(d_model):
            even = dimension - dimension % 2
            turn = math.cos if dimension % 2 else math.sin
            wanted[position, dimension] = turn(position / 10000 ** (even / d_model))
    np.testing.assert_allclose(sinusoidal_positions(n, d_model), wanted, rtol=1e-12, atol=1e-14)


def test_results_carry_names():
    result = scaled_dot_product_attention(np.eye(2), np.eye(2), np.eye(2))
    assert isinstance(result, Attention)
    assert result._fields == ("output", "weights")
    assert isinstance(MultiHeadAttention(*[np.eye(2)] * 4, n_heads=1)(np.eye(2)), Attention)


CONTRACT = {
    "softmax": "(scores, axis=-1)",
    "attention_scores": "(Q, K, scale=None)",
    "causal_mask": "(n_queries, n_keys=None)",
    "padding_mask": "(lengths, n_keys)",
    "scaled_dot_product_attention": "(Q, K, V, mask=None, scale=None)",
    "split_heads": "(X, n_heads)",
    "merge_heads": "(X)",
    "sinusoidal_positions": "(n, d_model)",
}


def without_annotations(signature):
    parameters = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


def test_signatures_are_the_contract():
    signatures = {name: inspect.signature(getattr(attention, name)) for name in dir(attention) if name in CONTRACT}
    assert {name: without_annotations(signature) for name, signature in signatures.items()} == CONTRACT


def test_large_scores_hidden_keys_and_tiny_floats_pass_without_a_warning():
    softmax([1.7e308, -1.7e308, -np.inf, 0.0])
    attention_scores(np.full((1, 2), 1e-200), np.full((3, 2), 1e-200))
    scaled_dot_product_attention(np.eye(3) * 1e150, np.eye(3) * 1e150, np.eye(3), np.where(np.eye(3), 0, -np.inf))
