"""What must hold for attention on any input: hypothesis looks for the input that breaks it."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from course_utils.attention import (
    MultiHeadAttention,
    attention_scores,
    causal_mask,
    merge_heads,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)

# The same examples in every run, so that a red test is red for everybody.
on_examples = settings(max_examples=100, derandomize=True)

FLOATS = (np.float16, np.float32, np.float64)
MODERATE = st.floats(-3, 3, width=16)


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
@given(arrays(np.float64, array_shapes(max_dims=3), elements=st.floats(-30, 30)), st.data())
def test_softmax_is_the_formula_where_the_formula_works(scores, data):
    along = data.draw(st.sampled_from([{}, *({"axis": axis} for axis in range(-scores.ndim, scores.ndim))]))
    naive = np.exp(scores) / np.exp(scores).sum(axis=along.get("axis", -1), keepdims=True)
    np.testing.assert_allclose(softmax(scores, **along), naive, rtol=1e-13)


@on_examples
@given(arrays(np.float64, array_shapes(max_dims=2), elements=st.floats(-1e300, 1e300)))
def test_scores_up_to_1e300_stay_finite(scores):
    weights = softmax(scores)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-14)
    highest = np.take_along_axis(weights, scores.argmax(axis=-1, keepdims=True), axis=-1)
    np.testing.assert_array_equal(highest, weights.max(-1, keepdims=True))


@on_examples
@given(st.data())
def test_a_hidden_key_weighs_exactly_0_and_says_nothing(data):
    leading = data.draw(st.sampled_from([(), (2,), (2, 2)]))
    n_queries, n_keys, d_k, d_v = (data.draw(st.integers(1, 5)) for _ in range(4))
    assume(n_keys > 1)
    shapes = (n_queries, d_k), (n_keys, d_k), (n_keys, d_v)
    Q, K, V = (data.draw(arrays(np.float64, (*leading, *shape), elements=MODERATE)) for shape in shapes)
    mask = data.draw(arrays(bool, (*leading, n_queries, n_keys)))
    hidden = data.draw(st.integers(0, n_keys - 1))
    mask[..., hidden - 1] = True
    mask[..., hidden] = False
    mask = mask if data.draw(st.booleans()) else np.where(mask, 0.0, -np.inf)
    before = scaled_dot_product_attention(Q, K, V, mask)
    for array in (K, V):
        array[..., hidden, :] = data.draw(arrays(np.float64, array.shape[-1:], elements=st.floats(-1e9, 1e9)))
    after = scaled_dot_product_attention(Q, K, V, mask)
    assert (before.weights[..., hidden] == 0).all()
    np.testing.assert_array_equal(after.weights, before.weights)
    np.testing.assert_array_equal(after.output, before.output)


@on_examples
@given(arrays(np.float64, array_shapes(min_dims=2, max_dims=4), elements=MODERATE), st.integers(1, 4))
def test_split_and_merge_undo_each_other(X, n_heads):
    X = np.repeat(X, n_heads, axis=-1) + np.arange(X.shape[-1] * n_heads)  # (..., n, n_heads * d_k)
    heads = split_heads(X, n_heads)
    np.testing.assert_array_equal(heads[..., -1, :, :], X[..., -heads.shape[-1] :])
    np.testing.assert_array_equal(merge_heads(heads), X, strict=True)


ADDED = np.where(causal_mask(3), 0.5, -np.inf)  # of float64, and so is the scale below: neither may widen the result
FUNCTIONS = {
    "softmax": lambda X, W, b: softmax(X),
    "scores": lambda X, W, b: attention_scores(X, X, np.float64(0.3)),
    "attention": lambda X, W, b: scaled_dot_product_attention(X, X, X, ADDED, np.float64(0.3)),
    "attention with a boolean mask": lambda X, W, b: scaled_dot_product_attention(X, X, X, causal_mask(3)),
    "split": lambda X, W, b: split_heads(X, 2),
    "merge": lambda X, W, b: merge_heads(X),
    "layer": lambda X, W, b: MultiHeadAttention(W, W, W, W, 2, b, b, b, b)(X, X, ADDED),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize("dtype", [*FLOATS, np.int8, np.uint8, np.int64, bool])
def test_floats_keep_their_dtype_whole_numbers_count_exactly_and_no_input_is_changed(function, dtype):
    rng = np.random.default_rng(0)
    numbers = [rng.integers(0, 2, shape).astype(dtype) for shape in ((2, 3, 4), (4, 4), (4,))]
    for array in numbers:
        array.flags.writeable = False  # writing into one raises
    results, exact = function(*numbers), function(*(array.astype(np.float64) for array in numbers))
    for result, wanted in zip(*((r if isinstance(r, tuple) else (r,)) for r in (results, exact)), strict=True):
        assert result.dtype == (dtype if dtype in FLOATS else np.float64)
        if dtype not in FLOATS:
            np.testing.assert_array_equal(result, wanted)
