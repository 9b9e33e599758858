"""What arguments may be, and the one wording of bad input: the argument, its shape, what was wanted."""

from fractions import Fraction

import numpy as np
import pytest

from course_utils.arrays.arguments import as_array, as_count, as_finite, as_numbers, as_real, as_tokens, shorten, wrong

MATRIX = np.ones((2, 2), np.float16)


@pytest.mark.parametrize("length", [2, 58, 59, 1000])
def test_a_value_is_shown_on_one_line_of_at_most_60_characters(length):
    text = shorten("x" * length)
    assert len(text) == min(60, length + 2) and text.endswith("...") == (length > 58)  # the two quotes count
    assert shorten(np.eye(2)) == "array([[1., 0.], [0., 1.]])"
    assert shorten(list(range(100)), most=10) == "[0, 1, ..."
    assert str(wrong("n", 0, "at least 1")) == "n is 0 (int); wanted: at least 1"


@pytest.mark.parametrize("value", [[1, 2], [True, False], np.array([3], np.uint8), [1, 2.5], 7, [np.nan, np.inf]])
def test_whole_numbers_become_float64_and_floats_stay(value):
    array = as_numbers("a", value, "(n,)")
    assert array.dtype == np.float64
    np.testing.assert_array_equal(array, value)
    assert as_finite("a", MATRIX, "(n, d)", rank=2, exact=True) is MATRIX
    assert as_numbers("a", [MATRIX], "(..., n, d)", rank=2).ndim == 3


@pytest.mark.parametrize("value", [1, 7, np.int64(3), np.uint8(2)])
def test_a_count_is_an_int(value):
    assert type(as_count("n", value, least=0, most=7)) is int
    assert as_count("n", value) == value


@pytest.mark.parametrize("value", [0, -1.5, 2**60, np.float32(0.5), np.int8(-3), Fraction(1, 4)])
def test_a_real_number_is_a_float(value):
    assert type(as_real("scale", value)) is float
    assert as_real("scale", value) == value


NO_NUMBERS = [None, "text", ["a", "b"], [1j], [None, 1.0], {1: 2}, np.array([1], object), b"bytes"]
NO_NUMBERS += [np.array(["2026-01-01"], "datetime64[D]"), np.array([1], "timedelta64[s]")]
RAGGED, A_COUNT, FINITE = [[1.0], [1.0, 2.0]], "a whole number of at least 1", "a finite number"
HOLES = [np.where([[False] * 3, [True, False, True]], bad, 0) for bad in (np.nan, np.inf, -np.inf)]


@pytest.mark.parametrize(
    ("refuse", "value", "wanted"),
    [
        (lambda v: as_array("a", v, "(n, d)"), RAGGED, "(n, d), all rows equally long"),
        (lambda v: as_numbers("a", v, "(n, d)"), RAGGED, "(n, d), all rows equally long"),
        *((lambda v: as_numbers("a", v, "(n,)"), value, "(n,), real numbers") for value in NO_NUMBERS),
        *((lambda v: as_numbers("a", v, "(n,)"), np.ones(s), "(n,) with no empty axis") for s in (0, (0, 3), (2, 0))),
        (lambda v: as_numbers("a", v, "(n, d)", rank=2), np.ones(2), "(n, d)"),
        (lambda v: as_numbers("a", v, "(n, d)", rank=2, exact=True), np.ones((2, 2, 2)), "(n, d)"),
        (lambda v: as_finite("a", v, "(n, d)", rank=2, exact=True), np.ones((2, 2, 2)), "(n, d)"),
        *((lambda v: as_finite("a", v, "(n,)"), v, f"(n,), finite numbers; {v[1, 0]} stands at (1, 0)") for v in HOLES),
        *(
            (lambda v: as_count("a", v), v, A_COUNT)
            for v in (0, -1, True, np.True_, 3.0, "3", None, [3], np.ones(1, int))
        ),
        *((lambda v: as_count("a", v, least=0, most=2), v, "a whole number from 0 to 2") for v in (-1, 3)),
        (lambda v: as_count("a", v, least=2), 1, "a whole number of at least 2"),
        *((lambda v: as_real("a", v), v, FINITE) for v in (True, np.False_, np.nan, -np.inf, "1", None, 1j, [1.0])),
        *((lambda v: as_real("a", v), v, FINITE) for v in (10**400, Fraction(10**400, 3), np.float32("nan"))),
        (lambda v: as_real("a", v, wanted="a rate"), "high", "a rate"),
    ],
)
def test_bad_input_is_met_by_a_sentence(refuse, value, wanted):
    with pytest.raises(ValueError) as caught:
        refuse(value)
    array = np.asarray(None if value is RAGGED else value)
    by_shape = f"a has shape {array.shape} and dtype {array.dtype}; wanted: {wanted}"
    assert str(caught.value) in (by_shape, f"a is {shorten(value)} ({type(value).__name__}); wanted: {wanted}")


@pytest.mark.parametrize("tokens", [[[0, 51]], [[-1, 2]], [[0.0, 1.0]], [0, 1], [[0]], [[]], [[True, True]]])
def test_tokens_are_rows_of_the_numbers_of_words(tokens):
    np.testing.assert_array_equal(as_tokens([[0, 50]], 51, 2), np.array([[0, 50]], np.int32), strict=True)
    with pytest.raises(ValueError, match=r"^tokens has shape .*wanted: \(n, 2\), whole numbers from 0 to 50"):
        as_tokens(tokens, 51, 2)
