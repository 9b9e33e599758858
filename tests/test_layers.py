"""Layer norm, GELU and mean pooling, against loops over single numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from course_utils.layers import gelu, layer_norm, mean_pooling, sentence_vectors

# Every warning of the code is an error; a socket that another test left open is not of this code.
pytestmark = pytest.mark.filterwarnings(
    "error", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
numbers = st.floats(-50, 50)


@given(arrays(float, st.integers(1, 6), elements=numbers), numbers, numbers)
def test_layer_norm_equals_a_loop(x, gain, bias):
    mean = sum(x) / len(x)
    variance = sum((number - mean) ** 2 for number in x) / len(x)
    wanted = [(number - mean) / math.sqrt(variance + 1e-12) * gain + bias for number in x]
    np.testing.assert_allclose(layer_norm(x, np.full(len(x), gain), np.full(len(x), bias)), wanted, atol=1e-6)


@given(arrays(float, array_shapes(min_dims=2, max_dims=3, max_side=4), elements=numbers))
def test_layer_norm_takes_each_vector_by_itself(X):
    ones, zeros = np.ones(X.shape[-1]), np.zeros(X.shape[-1])
    normalised = layer_norm(X, ones, zeros)
    assert normalised.shape == X.shape
    for place in np.ndindex(X.shape[:-1]):
        np.testing.assert_allclose(normalised[place], layer_norm(X[place], ones, zeros), atol=1e-6)


def test_layer_norm_gives_mean_0_and_variance_1():
    X = layer_norm(np.random.default_rng(0).normal(3, 7, (5, 64)), np.ones(64), np.zeros(64))
    np.testing.assert_allclose(X.mean(axis=-1), 0, atol=1e-12)
    np.testing.assert_allclose(X.var(axis=-1), 1, atol=1e-12)


def test_a_constant_vector_becomes_the_bias():
    np.testing.assert_array_equal(layer_norm([2.0, 2.0], [3.0, 3.0], [0.5, -1.0]), [0.5, -1.0])


@given(st.floats(-1e300, 1e300))
def test_gelu_is_x_times_the_normal_law(x):
    assert gelu(np.array([x]))[0] == pytest.approx(x * 0.5 * math.erfc(-x / math.sqrt(2)), abs=2e-7)


def test_float32_stays():
    X = np.ones((2, 3, 4), np.float32)
    made = layer_norm(X, X[0, 0], X[0, 0]), gelu(X), mean_pooling(X, X[..., 0] > 0)
    assert all(array.dtype == np.float32 for array in made)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.integers(0, 10**6))
def test_mean_pooling_equals_a_loop_and_never_sees_the_padding(lengths, seed):
    hidden = np.random.default_rng(seed).normal(size=(len(lengths), 5, 3))
    mask = np.arange(5) < np.array(lengths)[:, None]
    wanted = [sum(sentence[:n]) / n for sentence, n in zip(hidden, lengths, strict=True)]
    np.testing.assert_allclose(mean_pooling(hidden, mask), wanted, atol=1e-12)
    hidden[~mask] = 1e6
    np.testing.assert_allclose(mean_pooling(hidden, mask), wanted, atol=1e-12)


ONE = np.ones(3)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: layer_norm(np.ones((2, 0)), ONE, ONE), r"X has shape \(2, 0\)"),
        (lambda: layer_norm([1.0, np.nan, 2.0], ONE, ONE), "X has .* nan stands at"),
        (lambda: layer_norm(ONE, np.ones(2), ONE), r"gain has shape \(2,\) .* \(3,\), one number"),
        (lambda: layer_norm(ONE, ONE, 1.0), r"bias has shape \(\) .* \(3,\), one number"),
        (lambda: layer_norm(ONE, ONE, np.ones((2, 3))), r"bias has shape \(2, 3\) .* \(3,\), one number"),
        (lambda: layer_norm([1e200, -1e200, 0], ONE, ONE), "X has .* fit into float64"),
        (lambda: layer_norm([1.7e308, 1.7e308, 0], ONE, ONE), "X has .* fit into float64"),
        (lambda: gelu([np.inf]), "X has .* inf stands at"),
        (lambda: gelu("cat"), "X has .* real numbers"),
        (lambda: mean_pooling(ONE, ONE > 0), r"hidden has shape \(3,\) .* \(..., n, d\)"),
        (lambda: mean_pooling(np.ones((2, 3)), ONE > 0), r"mask has shape \(3,\) .* \(2,\) and bool"),
        (lambda: mean_pooling(np.ones((3, 2)), ONE), r"mask has shape \(3,\) and dtype float64.* bool"),
        (lambda: mean_pooling(np.ones((4, 3, 2)), ONE > 0), r"mask has shape \(3,\) .* \(4, 3\) and bool"),
        (lambda: mean_pooling(np.ones((3, 2)), ONE > 1), "mask has .* at least one token in every sentence"),
        (
            lambda: mean_pooling(np.ones((2, 1, 2)), [[True], [False]]),
            "mask has .* at least one token in every sentence",
        ),
        (lambda: mean_pooling(np.full((3, 2), np.nan), ONE > 0), "hidden has .* nan stands at"),
    ],
)
def test_bad_input_is_met_by_a_sentence(call, says):
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.parametrize("size", [1e30, 1e-30])
def test_a_mean_whose_length_does_not_fit_is_refused(size):
    with pytest.raises(ValueError, match=r"^hidden .* squares that fit into float32"):
        sentence_vectors(np.full((1, 2), size, np.float32), [True])
