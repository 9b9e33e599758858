"""The wording of bad input: each sentence names the argument, its shape and what was wanted."""

from fractions import Fraction

import numpy as np
import pytest

from course_utils.arguments import as_array, as_count, as_finite, as_numbers, as_real, shorten, wrong


def refused(call, *parts):
    with pytest.raises(ValueError) as caught:
        call()
    for part in parts:
        assert part in str(caught.value)


def test_wrong_returns_the_sentence_and_does_not_raise():
    error = wrong("K", np.zeros((2, 3), np.float32), "(n_keys, 4)")
    assert isinstance(error, ValueError)
    assert str(error) == "K has shape (2, 3) and dtype float32; wanted: (n_keys, 4)"


def test_wrong_shows_the_value_of_what_has_no_shape():
    assert str(wrong("n_heads", 0, "at least 1")) == "n_heads is 0 (int); wanted: at least 1"


def test_shorten_keeps_what_is_short_and_one_line():
    assert shorten("ab") == "'ab'"
    assert shorten(np.eye(2)) == "array([[1., 0.], [0., 1.]])"


@pytest.mark.parametrize("length", [58, 59, 1000])
def test_shorten_cuts_at_the_most(length):
    text = shorten("x" * length)
    assert len(text) == 60
    assert text.endswith("...") == (length > 58)  # the two quotes count


def test_shorten_takes_another_most():
    assert shorten(list(range(100)), most=10) == "[0, 1, ..."


def test_as_array_takes_anything_that_has_a_shape():
    array = np.arange(3)
    assert as_array("a", array, "(n,)") is array
    assert as_array("a", [[1, 2]], "(n, d)").shape == (1, 2)
    assert as_array("a", None, "(n,)").dtype == object


def test_as_array_refuses_ragged_lists():
    refused(
        lambda: as_array("a", [[1], [1, 2]], "(n, d)"),
        "a is [[1], [1, 2]] (list); wanted: (n, d), all rows equally long",
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_as_numbers_hands_floats_through(dtype):
    array = np.ones((2, 2), dtype)
    assert as_numbers("a", array, "(n, d)") is array


@pytest.mark.parametrize("value", [[1, 2], [True, False], np.array([3], np.uint8), [1, 2.5], 7])
def test_as_numbers_makes_float64_of_whole_numbers(value):
    array = as_numbers("a", value, "(n,)")
    assert array.dtype == np.float64
    np.testing.assert_array_equal(array, value)


@pytest.mark.parametrize(
    "value", [None, "text", ["a", "b"], [1j], [None, 1.0], {1: 2}, np.array([1], object), b"bytes"]
)
def test_as_numbers_refuses_what_is_no_number(value):
    refused(lambda: as_numbers("a", value, "(n,)"), "a has shape (", "wanted: (n,), real numbers")


@pytest.mark.parametrize("value", [np.array(["2026-01-01"], "datetime64[D]"), np.array([1], "timedelta64[s]")])
def test_as_numbers_refuses_times(value):
    refused(lambda: as_numbers("a", value, "(n,)"), "a has shape (1,)", "real numbers")


def test_as_numbers_refuses_ragged_lists():
    refused(
        lambda: as_numbers("a", [[1.0], [1.0, 2.0]], "(n, d)"),
        "a is [[1.0], [1.0, 2.0]] (list)",
        "all rows equally long",
    )


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0), (2, 0, 3)])
def test_as_numbers_refuses_empty_axes(shape):
    refused(lambda: as_numbers("a", np.zeros(shape), "(n, d)"), f"a has shape {shape}", "no empty axis")


def test_as_numbers_counts_axes():
    assert as_numbers("a", np.ones((2, 2, 2)), "(..., n, d)", rank=2).ndim == 3
    assert as_numbers("a", np.ones((2, 2)), "(n, d)", rank=2, exact=True).ndim == 2
    refused(lambda: as_numbers("a", np.ones(2), "(..., n, d)", rank=2), "a has shape (2,)", "wanted: (..., n, d)")
    refused(
        lambda: as_numbers("a", np.ones((2, 2, 2)), "(n, d)", rank=2, exact=True),
        "a has shape (2, 2, 2)",
        "wanted: (n, d)",
    )
    refused(lambda: as_numbers("a", np.ones(2), "(n, d)", rank=2, exact=True), "a has shape (2,)")


def test_as_numbers_lets_nan_and_infinity_pass():
    assert np.isnan(as_numbers("a", [np.nan, np.inf], "(n,)")[0])


def test_as_finite_hands_numbers_through():
    array = np.ones((2, 3), np.float32)
    assert as_finite("a", array, "(n, d)", rank=2) is array


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_as_finite_says_where_the_first_one_stands(bad):
    array = np.zeros((2, 3))
    array[1, 0] = array[1, 2] = bad
    refused(
        lambda: as_finite("a", array, "(n, d)"), "a has shape (2, 3)", f"(n, d), finite numbers; {bad} stands at (1, 0)"
    )


def test_as_finite_counts_axes():
    refused(lambda: as_finite("a", [1.0], "(n, d)", rank=2), "a has shape (1,)")
    refused(lambda: as_finite("a", np.ones((1, 1, 1)), "(n, d)", rank=2, exact=True), "a has shape (1, 1, 1)")


@pytest.mark.parametrize("value", [1, 7, np.int64(3), np.uint8(2)])
def test_as_count_gives_an_int(value):
    count = as_count("n", value)
    assert type(count) is int
    assert count == value


@pytest.mark.parametrize("value", [0, -1, True, np.True_, 3.0, np.float64(3), "3", None, [3], 1j])
def test_as_count_refuses_what_is_no_count(value):
    refused(
        lambda: as_count("n", value), f"n is {value!r} ({type(value).__name__}); wanted: a whole number of at least 1"
    )


def test_as_count_refuses_an_array_of_one():
    refused(
        lambda: as_count("n", np.array([3])), "n has shape (1,) and dtype int64; wanted: a whole number of at least 1"
    )


def test_as_count_keeps_to_least_and_most():
    assert [as_count("n", value, least=0, most=2) for value in (0, 1, 2)] == [0, 1, 2]
    refused(lambda: as_count("n", 3, least=0, most=2), "n is 3 (int); wanted: a whole number from 0 to 2")
    refused(lambda: as_count("n", -1, least=0, most=2), "n is -1 (int); wanted: a whole number from 0 to 2")
    refused(lambda: as_count("n", 1, least=2), "n is 1 (int); wanted: a whole number of at least 2")


@pytest.mark.parametrize("value", [0, -1.5, 2**60, np.float32(0.5), np.int8(-3), Fraction(1, 4)])
def test_as_real_gives_a_float(value):
    number = as_real("scale", value)
    assert type(number) is float
    assert number == value


@pytest.mark.parametrize("value", [True, np.False_, np.nan, np.inf, -np.inf, np.float32("nan"), "1", None, 1j, [1.0]])
def test_as_real_refuses_what_is_no_finite_number(value):
    refused(lambda: as_real("scale", value), "scale is ", f"({type(value).__name__}); wanted: a finite number")


def test_as_real_refuses_what_no_float_can_hold():
    refused(lambda: as_real("scale", 10**400), "scale is 1000", "... (int); wanted: a finite number")
    refused(
        lambda: as_real("scale", Fraction(10**400, 3)),
        "scale is Fraction(1000",
        "... (Fraction); wanted: a finite number",
    )


def test_as_real_says_what_the_caller_wants():
    refused(lambda: as_real("rate", "high", wanted="a rate"), "rate is 'high' (str); wanted: a rate")
