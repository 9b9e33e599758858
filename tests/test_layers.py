"""Layer norm, GELU and mean pooling, against loops over single numbers."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from course_utils.attention import MultiHeadAttention, causal_mask, scaled_dot_product_attention
from course_utils.layers import Block, FeedForward, gelu, layer_norm, mean_pooling, random_block, sentence_vectors

# Every warning of the code is an error; a socket that another test left open is not this code's.
pytestmark = pytest.mark.filterwarnings(
    "error", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
numbers = st.floats(-50, 50)


def by_hand(x, gain, bias, epsilon):
    mean, spread = np.mean(x), math.sqrt(np.var(x) + epsilon)
    return np.array([(number - mean) / spread * g + b for number, g, b in zip(x, gain, bias, strict=True)])


@given(arrays(float, array_shapes(max_dims=3, max_side=5), elements=numbers), st.integers(0, 99), st.data())
def test_layer_norm_takes_each_vector_by_itself(X, seed, data):
    gain, bias = np.random.default_rng(seed).normal(size=(2, X.shape[-1]))
    epsilon = data.draw(st.sampled_from([(), (1e-6,), (0.5,)]))  # the default is 1e-12
    normalised = layer_norm(X, gain, bias, *epsilon)
    assert normalised.shape == X.shape
    for place in np.ndindex(X.shape[:-1]):
        wanted = by_hand(X[place], gain, bias, *epsilon or (1e-12,))
        np.testing.assert_allclose(normalised[place], wanted, atol=1e-6)


@given(st.floats(-1e300, 1e300))
def test_gelu_is_x_times_the_normal_law(x):
    assert gelu(np.array([x]))[0] == pytest.approx(x * 0.5 * math.erfc(-x / math.sqrt(2)), abs=2e-7)


def test_float32_stays():
    X = np.ones((2, 3, 4), np.float32)
    made = layer_norm(X, X[0, 0], X[0, 0], np.float64(0.1)), gelu(X), mean_pooling(X, X[..., 0] > 0)
    assert all(array.dtype == np.float32 for array in made)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.integers(0, 10**6))
def test_mean_pooling_equals_a_loop_and_never_sees_the_padding(lengths, seed):
    hidden = np.random.default_rng(seed).normal(size=(len(lengths), 5, 3))
    mask = np.arange(5) < np.array(lengths)[:, None]
    wanted = [sum(sentence[:n]) / n for sentence, n in zip(hidden, lengths, strict=True)]
    np.testing.assert_allclose(mean_pooling(hidden, mask), wanted, atol=1e-12)
    hidden[~mask] = 1e6
    np.testing.assert_allclose(mean_pooling(hidden, mask), wanted, atol=1e-12)


def test_vectors_of_sentences_have_length_1_and_the_direction_of_the_mean():
    hidden = np.random.default_rng(0).normal(size=(3, 2, 5, 4)) / 10  # (..., n, d): means shorter than 1 as well
    means = hidden.mean(axis=-2)
    wanted = [[mean / math.hypot(*mean) for mean in row] for row in means]
    np.testing.assert_allclose(sentence_vectors(hidden, np.ones((3, 2, 5), bool)), wanted, atol=1e-12)


# The block


def parts(seed, d_model=4, d_wide=6, n_heads=2):
    """Attention, feed-forward and two norms, of random numbers."""
    rng = np.random.default_rng(seed)
    square, wide = (d_model, d_model), (d_model, d_wide)
    looks = MultiHeadAttention(*rng.normal(size=(4, *square)), n_heads, *rng.normal(size=(4, d_model)))
    shapes = (wide, (d_wide,), wide[::-1], (d_model,))
    return looks, FeedForward(*(rng.normal(size=shape) for shape in shapes)), rng.normal(size=(2, 2, d_model))


@pytest.mark.parametrize("has_feed_forward", [True, False])
@pytest.mark.parametrize("epsilon", [1e-12, 0.3])
def test_a_block_adds_what_goes_in_and_normalises_token_by_token(has_feed_forward, epsilon):
    looks, wide, norms = parts(0)
    norms, X, mask = norms[: 1 + has_feed_forward], np.random.default_rng(1).normal(size=(3, 5, 4)), causal_mask(5)
    output, weights = Block(looks, norms, wide if has_feed_forward else None, epsilon)(X, mask)
    np.testing.assert_array_equal(weights, looks(X, mask=mask).weights)
    for place in np.ndindex(3, 5):
        x = by_hand(X[place] + looks(X, mask=mask).output[place], *norms[0], epsilon)
        if has_feed_forward:
            inner = [number * 0.5 * (1 + math.erf(number / math.sqrt(2))) for number in x @ wide.W_in + wide.b_in]
            np.testing.assert_allclose(wide(x), inner @ wide.W_out + wide.b_out, atol=1e-5)
            x = by_hand(x + inner @ wide.W_out + wide.b_out, *norms[1], epsilon)
        np.testing.assert_allclose(output[place], x, atol=1e-5)


def test_a_norm_that_stands_before_each_part_leaves_what_is_added_as_it_is():
    looks, wide, norms = parts(0)
    X, mask = np.random.default_rng(1).normal(size=(3, 5, 4)), causal_mask(5)
    output, weights = Block(looks, norms, wide, norm="before")(X, mask)
    normed = layer_norm(X, *norms[0])
    np.testing.assert_array_equal(weights, looks(normed, mask=mask).weights)
    X = X + looks(normed, mask=mask).output  # (3, 5, d_model)
    np.testing.assert_allclose(output, X + wide(layer_norm(X, *norms[1])), atol=1e-12)


def test_a_random_block_keeps_the_size_of_numbers_and_comes_back_with_its_seed():
    w = random_block(64, 256, seed=3)
    assert [part.shape for part in w] == [(4, 64, 64), (64, 256), (256,), (256, 64), (64,), (2, 64), (2, 64)]
    for matrix in (*w.W, w.W_in, w.W_out):
        assert matrix.std() * len(matrix) ** 0.5 == pytest.approx(1, abs=0.05)
    assert not w.b_in.any() and not w.b_out.any() and not w.biases.any() and (w.gains == 1).all()
    np.testing.assert_array_equal(w.W, random_block(64, 256, seed=3).W)
    assert (w.W != random_block(64, 256, seed=4).W).all()


def test_a_block_without_a_head_leaves_out_what_the_head_brings():
    looks, wide, norms = parts(2)
    block, X = Block(looks, norms, wide), np.random.default_rng(3).normal(size=(5, 4))

    def all_but_head_1(Q, K, V, mask):
        output, weights = scaled_dot_product_attention(Q, K, V, mask)
        output[1] = 0
        return output, weights

    less = block.without([1])
    np.testing.assert_allclose(less(X).output, block(X, attention=all_but_head_1).output, atol=1e-12)
    brings = looks(X, attention=all_but_head_1).output  # the norm would hide what is the same for all components
    np.testing.assert_allclose(less.attention(X).output, brings, atol=1e-12)
    np.testing.assert_array_equal(less(X).weights, block(X).weights)
    assert np.abs(less(X).output - block(X).output).max() > 0.01


LOOKS, WIDE, NORMS = parts(0)
W_IN, B_IN, W_OUT, B_OUT = vars(WIDE).values()
FOUR, ONE, YES = np.ones(4), np.ones(3), np.ones(3, bool)
FOR_EACH, PAIRS = "(3,), one number for each component of X", "pairs (gain, bias), one for each part of the block"
HUGE = 1.7e308 * np.repeat([1, -1], 4)  # sums that overflow in both directions, and cancel
SQUARES = "numbers small enough that their squares fit into float64"
NO_MEAN = "(1, 2) and dtype float32; wanted: tokens whose mean is not 0, with squares that fit into float32"
ONE_TOKEN = "and dtype bool; wanted: at least one token in every sentence"


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: layer_norm(1.0, ONE, ONE), "X has shape () <...>; wanted: (..., d)"),
        (
            lambda: layer_norm([1.0, np.nan, 2.0], ONE, ONE),
            "X has shape (3,) <...>; wanted: (..., d), finite numbers; nan stands at (1,)",
        ),
        (lambda: layer_norm(ONE, np.ones(2), ONE), f"gain has shape (2,) <...>; wanted: {FOR_EACH}"),
        (lambda: layer_norm(ONE, "one", ONE), f"gain has shape () and dtype <U3; wanted: {FOR_EACH}, real numbers"),
        (lambda: layer_norm(ONE, ONE, 1.0), f"bias has shape () <...>; wanted: {FOR_EACH}"),
        (lambda: layer_norm(ONE, ONE, np.ones((2, 3))), f"bias has shape (2, 3) <...>; wanted: {FOR_EACH}"),
        (lambda: layer_norm(ONE, ONE, "one"), f"bias has shape () and dtype <U3; wanted: {FOR_EACH}, real numbers"),
        (lambda: layer_norm([1e200, -1e200, 0], ONE, ONE), f"X has shape (3,) <...>; wanted: {SQUARES}"),
        (lambda: layer_norm([1.7e308, 1.7e308, 0], ONE, ONE), f"X has shape (3,) <...>; wanted: {SQUARES}"),
        (lambda: layer_norm(HUGE, np.ones(8), np.ones(8)), f"X has shape (8,) <...>; wanted: {SQUARES}"),
        (lambda: layer_norm(ONE, ONE, ONE, 0), "epsilon is 0 (int); wanted: a number above 0"),
        (lambda: layer_norm(ONE, ONE, ONE, "small"), "epsilon is 'small' (str); wanted: a finite number"),
        (lambda: FeedForward(W_IN, ONE, W_OUT, B_OUT), "b_in has shape (3,) <...>; wanted: (6,)"),
        (lambda: FeedForward(W_IN, B_IN, W_OUT[1:], B_OUT), "W_out has shape (5, 4) <...>; wanted: (6, 4)"),
        (lambda: FeedForward(W_IN, B_IN, W_OUT[:, 1:], ONE), "W_out has shape (6, 3) <...>; wanted: (6, 4)"),
        (lambda: FeedForward(W_IN, B_IN, W_OUT, ONE), "b_out has shape (3,) <...>; wanted: (4,)"),
        (lambda: WIDE(np.ones((2, 3))), "X has shape (2, 3) <...>; wanted: (..., 4), as many numbers as W_in has rows"),
        (lambda: WIDE(1.0), "X has shape () <...>; wanted: (..., d_model)"),
        (lambda: WIDE("cat"), "X has shape () and dtype <U3; wanted: (..., d_model), real numbers"),
        (lambda: Block(LOOKS, NORMS[:1], norm="Before"), 'norm is \'Before\' (str); wanted: "after" or "before"'),
        (lambda: Block(LOOKS, []), f"norms is [] (list); wanted: 1 {PAIRS}"),
        (lambda: Block(LOOKS, NORMS), f"norms has shape (2, 2, 4) <...>; wanted: 1 {PAIRS}"),
        (lambda: Block(LOOKS, NORMS[:1], WIDE), f"norms has shape (1, 2, 4) <...>; wanted: 2 {PAIRS}"),
        (lambda: Block(LOOKS, [(FOUR,)]), f"norms is [(array([1., 1., 1., 1.]),)] (list); wanted: 1 {PAIRS}"),
        (lambda: Block(LOOKS, [(ONE, ONE)]), "gain after attention has shape (3,) <...>; wanted: (4,)"),
        (lambda: Block(LOOKS, [(FOUR, ONE)]), "bias after attention has shape (3,) <...>; wanted: (4,)"),
        (
            lambda: Block(LOOKS, (NORMS[0], (ONE, FOUR)), WIDE),
            "gain after feed-forward has shape (3,) <...>; wanted: (4,)",
        ),
        (
            lambda: Block(LOOKS, (NORMS[0], (FOUR, ONE)), WIDE),
            "bias after feed-forward has shape (3,) <...>; wanted: (4,)",
        ),
        (lambda: Block(LOOKS, NORMS, parts(0, d_model=6)[1]), "b_out has shape (6,) <...>; wanted: (4,)"),
        (
            lambda: Block(replace(LOOKS, W_O=np.ones((4, 3)), b_O=None), [(ONE, ONE)]),
            "W_O has shape (4, 3) <...>; wanted: (values, 4)",
        ),
        (lambda: random_block(0, 2, 0), "d_model is 0 (int); wanted: a whole number of at least 1"),
        (lambda: random_block(2, 2.0, 0), "d_wide is 2.0 (float); wanted: a whole number of at least 1"),
        (lambda: random_block(2, 2, -1), "seed is -1 (int); wanted: a whole number of at least 0"),
        (lambda: gelu("cat"), "X has shape () and dtype <U3; wanted: (...), real numbers"),
        (lambda: gelu([np.inf]), "X has shape (1,) <...>; wanted: (...), finite numbers; inf stands at (0,)"),
        (lambda: mean_pooling(ONE, YES), "hidden has shape (3,) <...>; wanted: (..., n, d)"),
        (lambda: mean_pooling("cat", YES), "hidden has shape () and dtype <U3; wanted: (..., n, d), real numbers"),
        (
            lambda: mean_pooling(np.ones((4, 3, 2)), YES),
            "mask has shape (3,) and dtype bool; wanted: (4, 3) and bool, to go with hidden of shape (4, 3, 2)",
        ),
        (
            lambda: mean_pooling(np.ones((3, 2)), ONE),
            "mask has shape (3,) <...>; wanted: (3,) and bool, to go with hidden of shape (3, 2)",
        ),
        (
            lambda: mean_pooling(np.ones((2, 3, 2)), [[True], [True, False]]),
            "mask is [[True], [True, False]] (list); wanted: (2, 3), all rows equally long",
        ),
        (lambda: mean_pooling(np.ones((3, 2)), ~YES), f"mask has shape (3,) {ONE_TOKEN}"),
        (lambda: mean_pooling(np.ones((2, 1, 2)), [[True], [False]]), f"mask has shape (2, 1) {ONE_TOKEN}"),
        (lambda: sentence_vectors(np.full((1, 2), 1e30, np.float32), [True]), f"hidden has shape {NO_MEAN}"),
        (lambda: sentence_vectors(np.full((1, 2), 1e-30, np.float32), [True]), f"hidden has shape {NO_MEAN}"),
    ],
)
def test_bad_input_is_met_by_a_sentence(call, says):
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == says.replace("<...>", "and dtype float64")
