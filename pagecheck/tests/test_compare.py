"""Results as arrays, when two of them are the same, and in which ways they may differ."""

from fractions import Fraction

import numpy as np
import pytest

from pagecheck.compare import (
    RAISED,
    RELATIONS,
    Outcome,
    as_outcome,
    close,
    find_relation,
    same,
)


class Refuses:
    def __array__(self, *_, **__):
        raise ValueError("no")


MASKED = np.ma.masked_less([1.0, 2.0], 1.5)


@pytest.mark.parametrize(
    ("value", "problem", "detail"),
    [
        (1.0, "", ""),
        (np.float16([1, 2]), "", ""),
        ([1, 2], "", "list"),
        ([Fraction(1, 2), 2**70], "", "list"),
        (None, "returns-nothing", "a NoneType"),
        (..., "returns-nothing", "an ellipsis"),
        ((x for x in "ab"), "returns-generator", "a generator"),
        (max, "returns-function", "a builtin_function_or_method"),
        (Refuses, "returns-function", "a class"),
        ("0.5", "returns-no-numbers", "a str"),
        ({1: 2}, "returns-no-numbers", "a dict"),
        ([[None, 1]], "returns-no-numbers", "an array of Python objects"),
        (["a"], "returns-no-numbers", "an array of text"),
        (1j, "returns-no-numbers", "a complex"),
        ([1j, 2], "returns-no-numbers", "an array of complex numbers"),
        (np.array(b"a"), "returns-no-numbers", "an array of bytes"),
        (np.array(["2026-01-01"], "M8[D]"), "returns-no-numbers", "an array of dates"),
        (np.array([1], "m8[s]"), "returns-no-numbers", "an array of times"),
        (np.zeros(1, [("a", int)]), "returns-no-numbers", "an array of records"),
        (Refuses(), "returns-no-numbers", "a Refuses"),
        ([[1.0], [1.0, 2.0]], "returns-ragged", "a list"),
        (10**400, "too-large", "a whole number of more than 308 digits"),
        (np.broadcast_to(1.0, (10**5, 10**5)), "too-large", "an array of shape (100000, 100000)"),
        (MASKED, "returns-masked", "a MaskedArray"),
        ([[MASKED]], "returns-masked", "a list"),
        (np.ma.array([1.0, 2.0]), "", ""),
        ((1, 2), "", ""),
        ((np.ones(2), np.ones(2)), "", "tuple of 2"),
        ((np.ones(2), np.ones(3)), "returns-tuple", "2"),
        ((np.ones(2), "a"), "returns-tuple", "2"),
        (([1, 2], [3]), "returns-tuple", "2"),
    ],
)
def test_what_comes_is_numbers_or_has_its_problem(value, problem, detail):
    outcome = as_outcome(value, 1)
    assert (outcome.problem, outcome.detail, outcome.trace) == (problem, detail, "")
    assert bool(problem) or (outcome.parts[0].dtype.kind in "fiub" and not np.ma.isMaskedArray(outcome.parts[0]))


@pytest.mark.parametrize(
    ("value", "problem", "detail"),
    [
        ((1, [2, 3]), "", ""),
        (np.ones((2, 3)), "", ""),
        (np.ones((3, 2)), "returns-too-few", "1"),
        (1.0, "returns-too-few", "1"),
        ((1, 2, 3), "returns-too-many", "3"),
        ([(1, 2), (3, 4), (5, 6)], "returns-grouped", "3"),
        ([], "returns-too-few", "0"),
        ((1, None), "returns-nothing", "a NoneType"),
        (("a", 1), "returns-no-numbers", "a str"),
    ],
)
def test_of_two_results_each_is_an_array(value, problem, detail):
    outcome = as_outcome(value, 2)
    assert (outcome.problem, outcome.detail, len(outcome.parts)) == (problem, detail, 0 if problem else 2)


def test_a_result_is_a_copy():
    buffer = np.ones(2)
    outcomes = [as_outcome(buffer, 1), as_outcome(buffer[:], 1)]
    buffer[:] = 7
    assert [outcome.parts[0].tolist() for outcome in outcomes] == [[1, 1]] * 2


@pytest.mark.parametrize(
    ("got", "wanted", "is_close"),
    [
        ([1.000009, 0.0000009], [1.0, 0.0], True),
        ([1.00002, 0], [1, 0], False),
        ([1, 0.000002], [1, 0], False),
        (np.float16([1.003]), [1.0], True),
        (np.float32([1.003]), [1.0], False),
        (np.array([True, False]), [1, 0], True),
        ([1, np.nan], [1, np.nan], True),
        ([1, np.nan], [1, 2], False),
        ([np.inf, -np.inf], [np.inf, -np.inf], True),
        ([np.inf], [-np.inf], False),
        ([1e300], [np.inf], False),
        ([1, 1], [[1, 1]], False),
        (np.uint8([1]), np.uint8([2]), False),
        (2**62, 2.0**62, True),
    ],
)
def test_numbers_are_close_up_to_the_rounding_of_their_dtype(got, wanted, is_close):
    assert close(np.asarray(got), np.asarray(wanted)) is is_close


def of(*parts, problem="", detail=""):
    return Outcome(tuple(map(np.asarray, parts)), problem, detail)


OVERFLOW = Outcome(problem="raises", detail="OverflowError\nmath range error\n")


@pytest.mark.parametrize(
    ("got", "wanted", "are_same"),
    [
        (of(1.0, 2.0), of(1.0, 2.0), True),
        (of(1.0, 2.0), of(1.0, 3.0), False),
        (of(1.0), of(1.0, 2.0), False),
        (RAISED, Outcome(problem="raises", detail="ValueError\n\n"), True),
        (RAISED, of(1.0), False),
        (of(1.0), RAISED, False),
        (RAISED, Outcome(problem="returns-nothing"), False),
        (OVERFLOW, of([np.nan]), True),
        (OVERFLOW, of([1.0]), False),
        (OVERFLOW._replace(detail="ValueError\nno\n"), of([np.nan]), False),
    ],
)
def test_outcomes_are_the_same_in_all_parts_or_in_their_problem(got, wanted, are_same):
    assert same(got, wanted) is are_same


SQUARE = np.array([[1.26, -2.31, 4.57], [0.5, 7.77, -3.14], [2.22, 9.1, 6.06]])
LONG = np.array([[3.3, -1.7, 0.25, 8.12], [5.51, 2.9, -6.4, 1.05]])


def with_row(array, place):
    """The array with other numbers in one row."""
    array = array.copy()
    array[place] = np.arange(array.shape[1]) ** 2
    return array


CHANGES = {  # what is done to the right numbers: what it is called
    "shape-extra-axis": [lambda x: x[None], lambda x: x[..., None]],
    "transposed": [lambda x: x.T],
    "shape-flat": [np.ravel],
    "returns-first-only": [lambda x: x[0]],
    "returns-last-only": [lambda x: x[-1]],
    "rounded": [np.round, lambda x: x.round(1)],
    "truncated": [np.trunc],
    "sign": [lambda x: -x],
    "factor": [lambda x: 3 * x, lambda x: x / 7],
    "offset": [lambda x: x + 3, lambda x: x - 0.1],
    "last-missing": [lambda x: with_row(x, -1), lambda x: with_row(x.T, -1).T],
    "first-missing": [lambda x: with_row(x, 0), lambda x: with_row(x.T, 0).T],
    "rows-accumulate": [lambda x: np.cumsum(x, axis=0)],
    "reversed": [lambda x: x[::-1], lambda x: x[:, ::-1]],
    "shifted": [lambda x: np.roll(x, 1, 0), lambda x: np.roll(x, -1, 0)],
    "sorted": [np.sort],
    None: [
        lambda x: x**2,
        lambda x: np.sort(x, axis=0),
        lambda x: np.roll(x, 1, 1),
        lambda x: x * np.arange(1, x.shape[1] + 1),
        lambda x: x[:, :-1],
        lambda x: x * np.inf,
        lambda x: 0 * x,
    ],
}


@pytest.mark.parametrize("id", [*RELATIONS, None])
def test_a_relation_holds_for_all_inputs_or_is_none(id):
    right = [SQUARE, LONG]
    for change in CHANGES[id]:
        assert find_relation([change(array) for array in right], right) == id
        assert find_relation([change(SQUARE), LONG**3], right) is None


def test_a_factor_is_the_same_for_all_inputs_and_zeros_stay():
    right = [np.array([0.0, 2.0, 4.0]), np.array([1.0, 0.0])]
    assert find_relation([2 * one for one in right], right) == "factor"
    assert find_relation([2 * right[0], 3 * right[1]], right) is None
    assert find_relation([2 * right[0] + [1, 0, 0], 2 * right[1]], right) is None
    assert find_relation([np.array(4.0), np.array(8.0)], [np.array(2.0), np.array(4.0)]) is None  # too few to tell
