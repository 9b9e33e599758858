"""Attention in tiles and with a cache gives and refuses what plain attention does, in the memory that it promises."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from course_utils.attention import causal_mask, padding_mask, scaled_dot_product_attention
from course_utils.checks.exercises import exercise_of
from course_utils.long_sequences import KeyValueCache, tiled_attention

# Students read a warning as a failure: there is none, not even on the way to an error.
# Every warning of the code is an error; a socket that another test left open is not of this code.
pytestmark = pytest.mark.filterwarnings(
    "error", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)

# The same examples in every run, so that a red test is red for everybody.
on_examples = settings(max_examples=150, derandomize=True)

SIZES = st.integers(1, 9)


def draw(*shapes, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def causal(queries, keys):
    return keys <= queries


@st.composite
def inputs(draw, dtype, largest=1.0):
    """Q, K, V, a tile that may be longer than the sentence, a mask that leaves each query a key, often a late one."""
    leading = draw(array_shapes(min_dims=0, max_dims=2, max_side=2)) if draw(st.booleans()) else ()
    n_queries, n_keys, d_k, d_v, tile = (draw(SIZES) for _ in range(5))
    elements = st.floats(-largest, largest, width=16)
    shapes = ((n_queries, d_k), (n_keys, d_k), (n_keys, d_v))
    Q, K, V = (draw(arrays(dtype, (*leading, *shape), elements=elements)) for shape in shapes)
    mask = draw(arrays(bool, (*leading, n_queries, n_keys)))
    late = st.integers(n_keys // 2, n_keys - 1)
    np.put_along_axis(mask, draw(arrays(int, (*leading, n_queries, 1), elements=late)), True, -1)
    mask &= np.arange(n_keys) >= draw(st.integers(0, n_keys // 2))  # the first keys hidden from all
    return Q, K, V, mask, tile


@on_examples
@given(inputs(np.float32), st.sampled_from(["none", "bool", "added", "one for all"]))
def test_tiles_give_the_plain_output_to_1e_6_in_float32(case, kind):
    Q, K, V, mask, tile = case
    masks = {
        "none": None,
        "bool": mask,
        "added": np.where(mask, 0.5, -np.inf).astype(np.float32),
        "one for all": mask.reshape(-1, *mask.shape[-2:])[0],
    }
    plain = scaled_dot_product_attention(Q, K, V, masks[kind]).output
    tiled = tiled_attention(Q, K, V, masks[kind], tile)
    assert tiled.dtype == np.float32
    np.testing.assert_allclose(tiled, plain, rtol=0, atol=1e-6)


@on_examples
@given(inputs(np.float64, largest=60))
def test_tiles_give_the_plain_output_for_large_scores(case):
    Q, K, V, mask, tile = case
    plain = scaled_dot_product_attention(Q, K, V, mask).output
    np.testing.assert_allclose(tiled_attention(Q, K, V, mask, tile), plain, rtol=0, atol=1e-9)


@pytest.mark.parametrize("n_queries, n_keys", [(1, 1), (7, 7), (1, 9), (9, 4), (4, 9)])
@pytest.mark.parametrize("tile", range(1, 11))
def test_a_function_gives_what_its_array_gives(n_queries, n_keys, tile):
    Q, K, V = draw((n_queries, 3), (n_keys, 3), (n_keys, 2))
    plain = scaled_dot_product_attention(Q, K, V, causal_mask(n_queries, n_keys)).output
    np.testing.assert_allclose(tiled_attention(Q, K, V, causal, tile), plain, rtol=0, atol=1e-14)
    np.testing.assert_allclose(
        tiled_attention(Q, K, V, causal_mask(n_queries, n_keys), tile), plain, rtol=0, atol=1e-14
    )


@pytest.mark.parametrize("tile", [1, 2, 3, 4, 7, 8, 9])
def test_rows_whose_first_tiles_are_hidden(tile):
    Q, K, V = draw((8, 3), (8, 3), (8, 2))
    mask = np.arange(8) >= np.arange(8)[:, None]  # the last query sees the last key only
    plain = scaled_dot_product_attention(Q, K, V, mask).output
    for hidden in (mask, np.where(mask, 0, -np.inf), lambda query, key: key >= query):
        np.testing.assert_allclose(tiled_attention(Q, K, V, hidden, tile), plain, rtol=0, atol=1e-14)


def test_masks_with_axes_of_length_1_serve_all():
    Q, K, V = draw((2, 3, 5, 4), (2, 3, 6, 4), (2, 3, 6, 2))
    for mask in (padding_mask([2, 5], 6)[:, None], np.arange(6)[None] < 4, np.ones((1, 3, 1, 6), bool)):
        plain = scaled_dot_product_attention(Q, K, V, mask).output
        np.testing.assert_allclose(tiled_attention(Q, K, V, mask, tile=2), plain, rtol=0, atol=1e-14)
    one_row = tiled_attention(Q, K, V, lambda query, key: key < 4, tile=2)
    plain = scaled_dot_product_attention(Q, K, V, np.arange(6)[None] < 4).output
    np.testing.assert_allclose(one_row, plain, rtol=0, atol=1e-14)


def test_hidden_tiles_are_not_computed(monkeypatch):
    products, matmul = [], np.matmul
    monkeypatch.setattr(np, "matmul", lambda *arguments, **out: products.append(1) or matmul(*arguments, **out))
    Q, K, V = draw((32, 3), (32, 3), (32, 2))
    tiled_attention(Q, K, V, lambda query, key: (key <= query) & (key > query - 4), tile=4)
    assert len(products) == 8 + 7  # of 8 x 8 tiles: the diagonal and the one to the left of it
    products.clear()
    tiled_attention(Q, K, V, causal_mask(32), tile=4)
    assert len(products) == 8 * 9 // 2


@pytest.mark.parametrize("dtype, error", [(np.float16, 2e-3), (np.float32, 1e-6), (np.float64, 1e-14)])
def test_dtypes_stay_what_they_are(dtype, error):
    Q, K, V = draw((40, 8), (40, 8), (40, 4), dtype=dtype)
    tiled, plain = tiled_attention(Q, K, V, tile=7), scaled_dot_product_attention(Q, K, V).output
    assert tiled.dtype == plain.dtype == dtype
    np.testing.assert_allclose(tiled, plain, rtol=0, atol=error)


def test_half_precision_sums_stay_below_its_largest_number():
    ones, values = np.ones((4, 2), np.float16), np.full((4, 2), 60000, np.float16)
    np.testing.assert_array_equal(tiled_attention(ones, ones, values), values)


def test_the_arguments_stay_as_they_were():
    arguments = [*draw((6, 4), (6, 4), (6, 4)), causal_mask(6)]
    copies = [array.copy() for array in arguments]
    tiled_attention(*arguments, tile=2)
    for array, copy in zip(arguments, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


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
        at[n] = peak(lambda Q=Q, K=K, V=V: tiled_attention(Q, K, V, causal, tile=256))
    assert at[4096] - at[2048] < 2.5 * (at[2048] - at[1024])  # with n x n it would be 4 times
    Q, K, V = draw((2048, 16), (2048, 16), (2048, 16), dtype=np.float32)
    plain = peak(lambda: scaled_dot_product_attention(Q, K, V))
    # n = 16,384 asks for less than 1/20 of the plain memory, which grows as n^2 or faster:
    assert at[4096] * 4 * 20 < plain * 8**2


# What is refused: in the words of the plain function


REFUSED = {
    "Q is text": {"Q": "abc"},
    "Q has one axis": {"Q": np.ones(3)},
    "Q holds NaN": {"Q": np.full((4, 3), np.nan)},
    "K has another d_k": {"K": np.ones((6, 5))},
    "K has a leading axis": {"K": np.ones((2, 6, 3))},
    "K is empty": {"K": np.ones((0, 3))},
    "V has too few values": {"V": np.ones((5, 2))},
    "V holds infinity": {"V": np.full((6, 2), np.inf)},
    "mask of another shape": {"mask": np.ones((4, 5), bool)},
    "mask with one key for all": {"mask": np.ones((4, 1), bool)},
    "mask of whole numbers": {"mask": np.ones((4, 6), int)},
    "mask holds NaN": {"mask": np.full((4, 6), np.nan)},
    "row 2 sees nothing": {"mask": np.arange(4)[:, None] != np.full(6, 2)},
    "row 1 sees nothing, in floats": {"mask": np.where(np.arange(4)[:, None] == np.full(6, 1), -np.inf, 0)},
    "scores overflow": {"Q": np.full((4, 3), 1e200), "K": np.full((6, 3), 1e200)},
    "scores overflow downwards": {"Q": np.full((4, 3), 1e200), "K": np.full((6, 3), -1e200)},
}


@pytest.mark.parametrize("changed", REFUSED.values(), ids=REFUSED)
def test_refuses_what_the_plain_function_refuses_in_its_words(changed):
    arguments = {"Q": np.ones((4, 3)), "K": np.ones((6, 3)), "V": np.ones((6, 2)), "mask": None} | changed
    with pytest.raises(ValueError) as plain:
        scaled_dot_product_attention(**arguments)
    with pytest.raises(ValueError) as tiled:
        tiled_attention(**arguments, tile=2)
    assert str(tiled.value) == str(plain.value)


def test_scores_near_the_largest_float_are_accepted():
    Q, K, V = np.full((3, 2), 1e150), np.array([[1e150, 0], [0, 1e149], [-1e150, 1e150]]), np.eye(3)
    plain = scaled_dot_product_attention(Q, K, V).output
    np.testing.assert_array_equal(tiled_attention(Q, K, V, tile=1), plain)


X = np.eye(4)
NO_FUNCTIONS = {
    "floats": (lambda query, key: (key <= query) * 1.0, r"mask\(queries, keys\) .*dtype float64; wanted: bool"),
    "one axis": (lambda query, key: np.ones(4, bool), r"mask\(queries, keys\) .*wanted: bool of shape \(2, 2\)"),
    "another shape": (lambda query, key: np.ones((4, 4), bool), r"wanted: bool of shape \(2, 2\)"),
    "nothing": (lambda query, key: None, r"mask\(queries, keys\) .*wanted: bool"),
    "a blind row": (lambda query, key: (key <= query) & (query != 3), r"mask is .*row 3 has none"),
}


@pytest.mark.parametrize("mask, sentence", NO_FUNCTIONS.values(), ids=NO_FUNCTIONS)
def test_a_function_that_is_no_mask_is_refused(mask, sentence):
    with pytest.raises(ValueError, match=sentence):
        tiled_attention(X, X, X, mask, tile=2)


@pytest.mark.parametrize("tile", [0, -1, 2.0, True, None, "2"])
def test_a_tile_that_is_no_count_is_refused(tile):
    with pytest.raises(ValueError, match=r"tile .*wanted: a whole number of at least 1"):
        tiled_attention(X, X, X, tile=tile)


def test_values_whose_sum_overflows_are_refused():
    with pytest.raises(ValueError, match=r"V has shape .*wanted: numbers small enough that the sum of 4 of them"):
        tiled_attention(X, X, np.full((4, 2), 1.5e308))


# The cache


@on_examples
@given(st.data())
def test_any_pieces_give_what_all_tokens_at_once_give(data):
    leading = data.draw(array_shapes(min_dims=0, max_dims=2, max_side=2)) if data.draw(st.booleans()) else ()
    n, d_k, d_v = (data.draw(SIZES) for _ in range(3))
    Q, K, V = draw((*leading, n, d_k), (*leading, n, d_k), (*leading, n, d_v), seed=n)
    cuts = sorted(data.draw(st.sets(st.integers(1, n - 1)))) if n > 1 else []
    cache, outputs = KeyValueCache(), []
    for start, stop in zip([0, *cuts], [*cuts, n], strict=True):
        output, weights = cache.step(*(array[..., start:stop, :] for array in (Q, K, V)))
        assert weights.shape == (*leading, stop - start, stop)
        assert len(cache) == stop
        outputs.append(output)
    whole = scaled_dot_product_attention(Q, K, V, causal_mask(n)).output
    np.testing.assert_allclose(np.concatenate(outputs, axis=-2), whole, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(cache.keys, K)
    np.testing.assert_array_equal(cache.values, V)


def test_a_cache_keeps_what_it_was_given():
    Q, K, V = draw((1, 3), (1, 3), (1, 2))
    cache = KeyValueCache()
    cache.step(Q, K, V)
    kept = K.copy()
    K[:] = 0
    np.testing.assert_array_equal(cache.keys, kept)


def test_rooms_double_and_so_seldom_copy():
    cache, rooms = KeyValueCache(), set()
    for x in np.ones((200, 1, 2)):
        cache.step(x, x, x)
        rooms.add(len(cache.keys.base))
    assert len(rooms) < 10


def test_a_step_costs_a_row_and_no_matrix():
    cache, X = KeyValueCache(), np.ones((4000, 2), np.float32)
    for piece in np.split(X, 40):
        cache.step(piece, piece, piece)
    rows = peak(lambda: cache.step(X[:1], X[:1], X[:1])) / (len(X) * X.itemsize)
    assert rows < 30  # rows of 4,000 scores; a matrix has 4,000 of them


WRONG_STEPS = {
    "another d_k": ((1, 4), (1, 4), (1, 2), "K has shape .*wanted: .*n_new, 3"),
    "another d_v": ((1, 3), (1, 3), (1, 5), "V has shape .*wanted: .*n_new, 2"),
    "a leading axis": ((2, 1, 3), (2, 1, 3), (2, 1, 2), "K has shape .*wanted: .*n_new, 3"),
    "more queries than keys": ((2, 3), (1, 3), (1, 2), "Q has shape .*one query for each new key"),
    "fewer values than keys": ((2, 3), (2, 3), (1, 2), "V has shape .*one value for each key"),
}


@pytest.mark.parametrize("q, k, v, sentence", WRONG_STEPS.values(), ids=WRONG_STEPS)
def test_a_wrong_step_is_refused_and_leaves_the_cache_as_it_was(q, k, v, sentence):
    cache = KeyValueCache()
    first = draw((2, 3), (2, 3), (2, 2))
    cache.step(*first)
    with pytest.raises(ValueError, match=sentence):
        cache.step(np.ones(q), np.ones(k), np.ones(v))
    np.testing.assert_array_equal(cache.keys, first[1])
    np.testing.assert_array_equal(cache.values, first[2])


def test_another_dtype_is_refused_and_overflow_leaves_the_cache_as_it_was():
    cache = KeyValueCache()
    x = np.ones((1, 2))
    cache.step(x, x, x)
    with pytest.raises(ValueError, match=r"K has shape .*of dtype float64, as before"):
        cache.step(x, x.astype(np.float32), x)
    with pytest.raises(ValueError, match="Q @ K"):
        cache.step(x * 1e200, x * 1e200, x)
    assert len(cache) == 1
    np.testing.assert_array_equal(cache.step(x, x * 2, x).weights.shape, (1, 2))
    np.testing.assert_array_equal(cache.keys, [[1, 1], [2, 2]])


# The exercises of lesson 16 are the steps of this module


def test_the_online_step_over_tiles_gives_attention():
    Q, K, V = draw((1, 4), (10, 4), (10, 3))
    step, state = exercise_of("online_step").reference, (-np.inf, 0.0, np.zeros(3))
    for start in range(0, 10, 4):
        state = step(*state, K[start : start + 4] @ Q[0] / 2, V[start : start + 4])
    _, total, mixture = state
    np.testing.assert_allclose(mixture / total, tiled_attention(Q, K, V)[0], rtol=0, atol=1e-14)


def test_the_cached_step_gives_what_the_cache_gives():
    Q, K, V = draw((6, 4), (6, 4), (6, 3))
    step, cache, keys, values = (
        exercise_of("cached_step").reference,
        KeyValueCache(),
        np.empty((0, 4)),
        np.empty((0, 3)),
    )
    for q, k, v in zip(Q, K, V, strict=True):
        output, keys, values = step(q, k, v, keys, values)
        np.testing.assert_allclose(output, cache.step(q[None], k[None], v[None]).output[0], rtol=0, atol=1e-14)
    np.testing.assert_array_equal(keys, cache.keys)
    np.testing.assert_array_equal(values, cache.values)
