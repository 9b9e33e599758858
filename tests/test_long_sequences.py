"""Attention in tiles and with a cache gives and refuses what plain attention does, in the memory that it promises."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from course_utils.attention import causal_mask, scaled_dot_product_attention
from course_utils.checks.exercises import exercise_of
from course_utils.long_sequences import KeyValueCache, tiled_attention

# Students read a warning as a failure: there is none, not even on the way to an error.
# Every warning of the code is an error; a socket that another test left open is not this code's.
pytestmark = pytest.mark.filterwarnings(
    "error", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)

# The same examples in every run, so that a red test is red for everybody.
on_examples = settings(max_examples=300, derandomize=True)

SIZES = st.integers(1, 9)
CASES = [(np.float16, 1.0, 2e-3), (np.float32, 1.0, 1e-6), (np.float64, 60.0, 1e-9), (np.float64, 3.0, 1e-14)]


def draw(*shapes, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


@on_examples
@given(st.data(), st.sampled_from(CASES))
def test_tiles_give_the_plain_output(data, case):
    """With masks of every kind that leave each query a key, often a late one, and tiles that may be too long."""
    dtype, largest, error = case
    leading = data.draw(array_shapes(min_dims=0, max_dims=2, max_side=2)) if data.draw(st.booleans()) else ()
    n_queries, n_keys, d_k, d_v, tile = (data.draw(SIZES) for _ in range(5))
    elements = st.floats(-largest, largest, width=16)
    shapes = ((n_queries, d_k), (n_keys, d_k), (n_keys, d_v))
    arguments = [data.draw(arrays(dtype, (*leading, *shape), elements=elements)) for shape in shapes]
    mask = data.draw(arrays(bool, (*leading, n_queries, n_keys)))
    late = st.integers(n_keys // 2, n_keys - 1)
    np.put_along_axis(mask, data.draw(arrays(int, (*leading, n_queries, 1), elements=late)), True, -1)
    mask &= np.arange(n_keys) >= data.draw(st.integers(0, n_keys // 2))  # the first keys hidden from all
    of_all = mask.reshape(-1, n_queries, n_keys)[0]
    masks = [
        (None, None),
        (mask, mask),
        (np.where(mask, 0.5, -np.inf).astype(dtype),) * 2,
        (of_all, of_all),
        (mask[..., :1, :], mask[..., :1, :]),
        (lambda query, key: of_all[query, key], of_all),
        (lambda query, key: key <= query, causal_mask(n_queries, n_keys)),
        (lambda query, key: key >= n_keys // 2, np.arange(n_keys)[None] >= n_keys // 2),
    ]
    hidden, plain = data.draw(st.sampled_from(masks))
    for array in (*arguments, mask):
        array.flags.writeable = False  # writing into one raises
    tiled = tiled_attention(*arguments, hidden, tile)
    assert tiled.dtype == dtype
    np.testing.assert_allclose(tiled, scaled_dot_product_attention(*arguments, plain).output, rtol=0, atol=error)


def test_hidden_tiles_are_not_computed(monkeypatch):
    products, matmul = [], np.matmul
    monkeypatch.setattr(np, "matmul", lambda *arguments, **out: products.append(1) or matmul(*arguments, **out))
    Q, K, V = draw((32, 3), (32, 3), (32, 2))
    tiled_attention(Q, K, V, lambda query, key: (key <= query) & (key > query - 4), tile=4)
    assert len(products) == 8 + 7  # of 8 x 8 tiles: the diagonal and the one to the left of it
    products.clear()
    tiled_attention(Q, K, V, causal_mask(32), tile=4)
    assert len(products) == 8 * 9 // 2


def test_scores_near_the_largest_float_and_sums_beyond_that_of_float16_are_accepted():
    Q, K, V = np.full((3, 2), 1e150), np.array([[1e150, 0], [0, 1e149], [-1e150, 1e150]]), np.eye(3)
    plain = scaled_dot_product_attention(Q, K, V).output
    np.testing.assert_array_equal(tiled_attention(Q, K, V, tile=1), plain)
    ones, values = np.ones((4, 2), np.float16), np.full((4, 2), 60000, np.float16)
    np.testing.assert_array_equal(tiled_attention(ones, ones, values), values)


# Memory


def peak(function):
    """Return the largest number of bytes that a call holds at a time, its result included."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_grows_as_n_and_not_as_its_square():
    at = {}
    for n in (1024, 2048, 4096):
        Q, K, V = draw((n, 16), (n, 16), (n, 16), dtype=np.float32)
        at[n] = peak(lambda Q=Q, K=K, V=V: tiled_attention(Q, K, V, lambda query, key: key <= query, tile=256))
    assert at[4096] - at[2048] < 2.5 * (at[2048] - at[1024])  # with n x n it would be 4 times
    plain = peak(lambda: scaled_dot_product_attention(Q[:2048], K[:2048], V[:2048]))
    # n = 16,384 asks for less than 1/20 of the plain memory, which grows as n^2 or faster:
    assert at[4096] * 4 * 20 < plain * 8**2


def test_a_step_costs_a_row_and_no_matrix_and_seldom_a_copy():
    cache, rooms, X = KeyValueCache(), set(), np.ones((4000, 2), np.float32)
    for x in X[:200, None]:
        cache.step(x, x, x)
        rooms.add(len(cache.keys.base))
    assert len(rooms) < 10
    for piece in np.split(X[200:], 38):
        cache.step(piece, piece, piece)
    rows = peak(lambda: cache.step(X[:1], X[:1], X[:1])) / (len(X) * X.itemsize)
    assert rows < 30  # rows of 4,000 scores; a matrix has 4,000 of them


# The cache, and the exercises of lesson 16, which are the steps of this module


@on_examples
@given(st.data())
def test_any_pieces_give_what_all_tokens_at_once_give(data):
    leading = data.draw(array_shapes(min_dims=0, max_dims=2, max_side=2)) if data.draw(st.booleans()) else ()
    n, d_k, d_v = (data.draw(SIZES) for _ in range(3))
    Q, K, V = draw((*leading, n, d_k), (*leading, n, d_k), (*leading, n, d_v), seed=n)
    cuts = sorted(data.draw(st.sets(st.integers(1, n - 1)))) if n > 1 else []
    cache, outputs = KeyValueCache(), []
    for start, stop in zip([0, *cuts], [*cuts, n], strict=True):
        pieces = [array[..., start:stop, :].copy() for array in (Q, K, V)]
        output, weights = cache.step(*pieces)
        assert weights.shape == (*leading, stop - start, stop)
        assert len(cache) == stop
        outputs.append(output)
        pieces[1][:] = 0  # the cache holds what it was given
    whole = scaled_dot_product_attention(Q, K, V, causal_mask(n)).output
    np.testing.assert_allclose(np.concatenate(outputs, axis=-2), whole, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(cache.keys, K)
    np.testing.assert_array_equal(cache.values, V)


def test_the_solutions_of_lesson_16_give_what_this_module_gives():
    Q, K, V = draw((10, 4), (10, 4), (10, 3))
    step, state = exercise_of("online_step").reference, (-np.inf, 0.0, np.zeros(3))
    for start in range(0, 10, 4):
        state = step(*state, K[start : start + 4] @ Q[0] / 2, V[start : start + 4])
    np.testing.assert_allclose(state[2] / state[1], tiled_attention(Q, K, V)[0], rtol=0, atol=1e-14)
    cache, keys, values = KeyValueCache(), np.empty((0, 4)), np.empty((0, 3))
    for q, k, v in zip(Q, K, V, strict=True):
        output, keys, values = exercise_of("cached_step").reference(q, k, v, keys, values)
        np.testing.assert_allclose(output, cache.step(q[None], k[None], v[None]).output[0], rtol=0, atol=1e-14)
    np.testing.assert_array_equal(keys, cache.keys)
    np.testing.assert_array_equal(values, cache.values)


# What is refused: more of it stands in test_bad_input.py

REFUSED = {
    "Q is text": {"Q": "abc"},
    "K has another d_k": {"K": np.ones((6, 5))},
    "mask of another shape": {"mask": np.ones((4, 5), bool)},
    "row 2 sees nothing": {"mask": np.arange(4)[:, None] != np.full(6, 2)},
    "scores overflow": {"Q": np.full((4, 3), 1e200), "K": np.full((6, 3), 1e200)},
}


@pytest.mark.parametrize("changed", REFUSED.values(), ids=REFUSED)
def test_tiles_refuse_what_the_plain_function_refuses_in_its_words(changed):
    arguments = {"Q": np.ones((4, 3)), "K": np.ones((6, 3)), "V": np.ones((6, 2)), "mask": None} | changed
    with pytest.raises(ValueError) as plain:
        scaled_dot_product_attention(**arguments)
    with pytest.raises(ValueError) as tiled:
        tiled_attention(**arguments, tile=2)
    assert str(tiled.value) == str(plain.value)


ones = np.ones
WRONG_STEPS = {
    "another d_k": (ones((1, 4)), ones((1, 4)), ones((1, 2)), "K has shape .*wanted: .*n_new, 3"),
    "another d_v": (ones((1, 3)), ones((1, 3)), ones((1, 5)), "V has shape .*wanted: .*n_new, 2"),
    "more queries than keys": (ones((2, 3)), ones((1, 3)), ones((1, 2)), "Q has shape .*one query for each new key"),
    "another dtype": (ones((1, 3)), ones((1, 3), "f4"), ones((1, 2)), "K has shape .*of dtype float64, as before"),
    "overflow": (np.full((1, 3), 1e200), np.full((1, 3), 1e200), ones((1, 2)), "Q @ K"),
}


@pytest.mark.parametrize("q, k, v, sentence", WRONG_STEPS.values(), ids=WRONG_STEPS)
def test_a_wrong_step_is_refused_and_leaves_the_cache_as_it_was(q, k, v, sentence):
    cache = KeyValueCache()
    first, after = draw((2, 3), (2, 3), (2, 2)), draw((1, 3), (1, 3), (1, 2))
    cache.step(*first)
    with pytest.raises(ValueError, match=sentence):
        cache.step(q, k, v)
    cache.step(*after)
    np.testing.assert_array_equal(cache.keys, np.concatenate([first[1], after[1]]))
    np.testing.assert_array_equal(cache.values, np.concatenate([first[2], after[2]]))
