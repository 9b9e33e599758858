"""What must hold for attention on any input: hypothesis looks for the input that breaks it."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from course_utils.attention import (
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

# The same examples in every run, so that a red test is red for everybody.
on_examples = settings(max_examples=100, derandomize=True)

SIZES = st.integers(1, 5)
FLOATS = (np.float16, np.float32, np.float64)
MODERATE = st.floats(-3, 3, width=16)


def numbers(shape, elements=MODERATE, dtype=np.float64):
    return arrays(dtype, shape, elements=elements)


@st.composite
def attentions(draw, elements=MODERATE):
    """Q, K, V of one leading shape, and a boolean mask that leaves each query at least one key."""
    leading = draw(array_shapes(min_dims=0, max_dims=2, max_side=2)) if draw(st.booleans()) else ()
    n_queries, n_keys, d_k, d_v = (draw(SIZES) for _ in range(4))
    Q = draw(numbers((*leading, n_queries, d_k), elements))
    K = draw(numbers((*leading, n_keys, d_k), elements))
    V = draw(numbers((*leading, n_keys, d_v), elements))
    mask = draw(arrays(bool, (*leading, n_queries, n_keys)))
    np.put_along_axis(mask, draw(arrays(int, (*leading, n_queries, 1), elements=st.integers(0, n_keys - 1))), True, -1)
    return Q, K, V, mask


@on_examples
@given(st.data())
def test_weights_are_shares_of_one_whole(data):
    dtype = data.draw(st.sampled_from(FLOATS))
    scores = data.draw(arrays(dtype, array_shapes(max_dims=3, max_side=6), elements=st.floats(-300, 300, width=16)))
    axis = data.draw(st.integers(-scores.ndim, scores.ndim - 1))
    weights = softmax(scores, axis=axis)
    assert weights.dtype == dtype
    assert weights.shape == scores.shape
    assert (weights >= 0).all()
    rounding = scores.shape[axis] * np.finfo(dtype).eps
    np.testing.assert_allclose(weights.sum(axis=axis, dtype=np.float64), 1, rtol=rounding)


@on_examples
@given(arrays(np.int64, array_shapes(max_dims=2), elements=st.integers(-1000, 1000)), st.integers(-(10**6), 10**6))
def test_softmax_does_not_see_a_shift(scores, shift):
    # Whole numbers: the shift is exact, and so is the equality.
    np.testing.assert_array_equal(softmax(scores + shift), softmax(scores))


@on_examples
@given(arrays(np.float64, array_shapes(max_dims=2), elements=st.floats(-30, 30)))
def test_softmax_is_the_formula_where_the_formula_works(scores):
    naive = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(softmax(scores), naive, rtol=1e-13)


@on_examples
@given(arrays(np.float64, array_shapes(max_dims=2), elements=st.floats(-1e300, 1e300)))
def test_scores_up_to_1e300_stay_finite(scores):
    weights = softmax(scores)
    assert np.isfinite(weights).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-14)
    assert (
        np.take_along_axis(weights, scores.argmax(axis=-1, keepdims=True), axis=-1) == weights.max(-1, keepdims=True)
    ).all()


@on_examples
@given(
    arrays(np.float64, st.tuples(SIZES, st.just(1)), elements=st.floats(-1e300, 1e300)),
    arrays(np.float64, st.tuples(SIZES, st.just(1)), elements=st.floats(-1, 1)),
)
def test_attention_to_scores_up_to_1e300_stays_finite(Q, K):
    output, weights = scaled_dot_product_attention(Q, K, np.eye(len(K)))
    assert np.isfinite(output).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-14)


@on_examples
@given(attentions(), st.booleans())
def test_rows_of_attention_sum_to_one(qkv_mask, use_mask):
    Q, K, V, mask = qkv_mask
    output, weights = scaled_dot_product_attention(Q, K, V, mask if use_mask else None)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-14)
    np.testing.assert_allclose(output, weights @ V, rtol=1e-14, atol=1e-14)


@on_examples
@given(attentions(), st.randoms(use_true_random=False))
def test_permuted_queries_permute_the_output(qkv_mask, random):
    Q, K, V, mask = qkv_mask
    order = random.sample(range(Q.shape[-2]), Q.shape[-2])
    plain = scaled_dot_product_attention(Q, K, V, mask)
    permuted = scaled_dot_product_attention(Q[..., order, :], K, V, mask[..., order, :])
    np.testing.assert_allclose(permuted.output, plain.output[..., order, :], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(permuted.weights, plain.weights[..., order, :], rtol=1e-9, atol=1e-12)


@on_examples
@given(attentions(), st.randoms(use_true_random=False))
def test_keys_permuted_with_their_values_change_nothing(qkv_mask, random):
    Q, K, V, mask = qkv_mask
    order = random.sample(range(K.shape[-2]), K.shape[-2])
    plain = scaled_dot_product_attention(Q, K, V, mask)
    permuted = scaled_dot_product_attention(Q, K[..., order, :], V[..., order, :], mask[..., order])
    np.testing.assert_allclose(permuted.output, plain.output, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(permuted.weights, plain.weights[..., order], rtol=1e-9, atol=1e-12)


@on_examples
@given(attentions(), st.data())
def test_a_hidden_key_weighs_exactly_0_and_says_nothing(qkv_mask, data):
    Q, K, V, mask = qkv_mask
    n_keys = K.shape[-2]
    assume(n_keys > 1)
    hidden = data.draw(st.integers(0, n_keys - 1))
    mask[..., hidden - 1] = True
    mask[..., hidden] = False
    mask = mask if data.draw(st.booleans()) else np.where(mask, 0.0, -np.inf)
    before = scaled_dot_product_attention(Q, K, V, mask)
    K[..., hidden, :] = data.draw(numbers(K.shape[-1:], st.floats(-1e9, 1e9)))
    V[..., hidden, :] = data.draw(numbers(V.shape[-1:], st.floats(-1e9, 1e9)))
    after = scaled_dot_product_attention(Q, K, V, mask)
    assert (before.weights[..., hidden] == 0).all()
    np.testing.assert_array_equal(after.weights, before.weights)
    np.testing.assert_array_equal(after.output, before.output)


@on_examples
@given(attentions())
def test_only_what_is_hidden_weighs_nothing(qkv_mask):
    Q, K, V, mask = qkv_mask  # moderate scores: nothing visible is rounded down to 0
    np.testing.assert_array_equal(scaled_dot_product_attention(Q, K, V, mask).weights > 0, mask)


@on_examples
@given(attentions(st.floats(-1e6, 1e6)))
@example((np.zeros((1, 1)), np.zeros((3, 1)), np.full((3, 1), 2e-323), np.ones((1, 3), dtype=bool)))
def test_output_lies_inside_the_hull_of_the_values(qkv_mask):
    Q, K, V, mask = qkv_mask
    output = scaled_dot_product_attention(Q, K, V, mask).output
    visible, values = mask[..., None], V[..., None, :, :]  # (..., n_queries, n_keys, 1), (..., 1, n_keys, d_v)
    lowest = np.where(visible, values, np.inf).min(axis=-2)  # (..., n_queries, d_v)
    highest = np.where(visible, values, -np.inf).max(axis=-2)
    # A product that is nearly 0 is rounded to a multiple of the smallest number that there is; each key has one.
    rounding = 1e-14 * np.abs(V).max() + K.shape[-2] * np.finfo(V.dtype).smallest_subnormal
    assert (output >= lowest - rounding).all()
    assert (output <= highest + rounding).all()


@on_examples
@given(st.integers(2, 6), st.data())
def test_no_query_sees_the_future(n, data):
    X = data.draw(numbers((n, 3)))
    now = data.draw(st.integers(0, n - 2))
    before = scaled_dot_product_attention(X, X, X, causal_mask(n)).output
    X[now + 1 :] = data.draw(numbers((n - now - 1, 3), st.floats(-100, 100)))
    after = scaled_dot_product_attention(X, X, X, causal_mask(n)).output
    np.testing.assert_allclose(after[: now + 1], before[: now + 1], rtol=1e-12, atol=1e-15)


@on_examples
@given(st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_a_padded_sentence_reads_like_the_sentence_alone(lengths):
    X = np.random.default_rng(0).normal(size=(len(lengths), 6, 3))
    padded = scaled_dot_product_attention(X, X, X, padding_mask(lengths, 6)).output
    for sentence, (length, x) in enumerate(zip(lengths, X, strict=True)):
        alone = scaled_dot_product_attention(x[:length], x[:length], x[:length]).output
        np.testing.assert_allclose(padded[sentence, :length], alone, rtol=1e-12)


@on_examples
@given(numbers(array_shapes(min_dims=2, max_dims=4)), st.integers(1, 4))
def test_split_and_merge_undo_each_other(X, n_heads):
    X = np.repeat(X, n_heads, axis=-1) + np.arange(X.shape[-1] * n_heads)  # (..., n, n_heads * d_k)
    heads = split_heads(X, n_heads)
    assert heads.shape == (*X.shape[:-2], n_heads, X.shape[-2], X.shape[-1] // n_heads)
    np.testing.assert_array_equal(merge_heads(heads), X)
    np.testing.assert_array_equal(split_heads(merge_heads(heads), n_heads), heads)


@on_examples
@given(st.integers(1, 40), st.integers(1, 12).map(lambda half: 2 * half), st.integers(0, 10))
def test_positions_know_only_how_far_apart_they_are(n, d_model, far):
    positions = sinusoidal_positions(n + far, d_model)
    np.testing.assert_allclose((positions**2).sum(axis=-1), d_model / 2, rtol=1e-12)
    similarities = (positions[:n] * positions[far:]).sum(axis=-1)  # (n,)
    np.testing.assert_allclose(similarities, similarities[0], rtol=0, atol=1e-10)


def every_array_function(dtype):
    """Name -> (function, arrays); each is called with copies of these."""
    rng = np.random.default_rng(0)
    X, matrix, vector = (rng.normal(size=shape).astype(dtype) for shape in [(2, 3, 4), (4, 4), 4])
    layer = MultiHeadAttention(*[matrix] * 4, 2, *[vector] * 4)
    additive = np.where(causal_mask(3), dtype(0.5), dtype(-np.inf))
    return {
        "softmax": (softmax, [X]),
        "softmax of hidden scores": (softmax, [additive]),
        "attention_scores": (attention_scores, [X, X]),
        "attention": (scaled_dot_product_attention, [X, X, X]),
        "attention with a boolean mask": (scaled_dot_product_attention, [X, X, X, causal_mask(3)]),
        "attention with a float mask": (scaled_dot_product_attention, [X, X, X, additive]),
        "split_heads": (lambda X: split_heads(X, 2), [X]),
        "merge_heads": (merge_heads, [X]),
        "layer": (layer, [X]),
        "layer with context and mask": (layer, [X, X, additive]),
        "layer from its matrices": (
            lambda *given: MultiHeadAttention(*given[:4], 2, *given[4:])(X),
            [matrix] * 4 + [vector] * 4,
        ),
    }


@pytest.mark.parametrize("name", every_array_function(np.float64))
@pytest.mark.parametrize("dtype", FLOATS)
def test_a_float_dtype_stays_what_it_is(name, dtype):
    function, arguments = every_array_function(dtype)[name]
    result = function(*arguments)
    for array in result if isinstance(result, tuple) else (result,):
        assert array.dtype == dtype


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_a_scale_or_mask_of_float64_does_not_widen(dtype):
    X = np.ones((2, 2), dtype)
    assert attention_scores(X, X, scale=np.float64(0.3)).dtype == dtype
    assert scaled_dot_product_attention(X, X, X, np.zeros((2, 2)), np.float64(0.3)).output.dtype == dtype


@pytest.mark.parametrize("name", every_array_function(np.float64))
def test_inputs_are_not_changed(name):
    function, arguments = every_array_function(np.float64)[name]
    given_arrays = [array.copy() for array in arguments]
    for array in given_arrays:
        array.flags.writeable = False  # writing into one raises
    function(*given_arrays)
    for before, after in zip(arguments, given_arrays, strict=True):
        np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, bool])
def test_whole_numbers_give_the_float64_result(dtype):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2 if dtype is bool else 5, size=(3, 4)).astype(dtype)
    exact = X.astype(np.float64)
    for function in (
        softmax,
        lambda X: attention_scores(X, X),
        lambda X: split_heads(X, 2),
        lambda X: merge_heads(X[None]),
    ):
        assert function(X).dtype == np.float64
        np.testing.assert_array_equal(function(X), function(exact))
    matrix = rng.integers(-2, 3, size=(4, 4))
    layer, same_layer = MultiHeadAttention(*[matrix] * 4, 2), MultiHeadAttention(*[matrix.astype(float)] * 4, 2)
    for of_whole, of_float in [
        (scaled_dot_product_attention(X, X, X), scaled_dot_product_attention(exact, exact, exact)),
        (scaled_dot_product_attention(X.tolist(), X, X), scaled_dot_product_attention(exact, exact, exact)),
        (layer(X), same_layer(exact)),
    ]:
        assert of_whole.output.dtype == of_whole.weights.dtype == np.float64
        np.testing.assert_array_equal(of_whole.output, of_float.output)
        np.testing.assert_array_equal(of_whole.weights, of_float.weights)


def test_a_layer_is_one_head_when_it_has_one():
    rng = np.random.default_rng(0)
    X, eye = rng.normal(size=(5, 4)), np.eye(4)
    one = MultiHeadAttention(eye, eye, eye, eye, n_heads=1)(X)
    plain = scaled_dot_product_attention(X, X, X, scale=1 / math.sqrt(4))
    np.testing.assert_allclose(one.output, plain.output, rtol=1e-12)
    np.testing.assert_allclose(one.weights[0], plain.weights, rtol=1e-12)
