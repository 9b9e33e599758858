"""The smallest input on which an answer is wrong: few and plain numbers, and still what the exercise allows."""

from dataclasses import replace

import numpy as np
import pytest

from pagecheck import shrink
from pagecheck.compare import same
from pagecheck.shrink import axes_of, smallest
from pagecheck.tests.test_promise import toy
from pagecheck.tests.toys import answer_to, exercise_of

BIG = np.arange(24.0).reshape(4, 6) % 7 + 0.25


def shrunk(exercise, code, arguments, **names):
    """The arguments as lists, what the answer gives for them and what is right, also as lists."""
    answer = answer_to("share", code, ", ".join(exercise.arguments), **names)
    found = smallest(exercise, answer, arguments)
    assert found is None or not same(found[1], found[2])
    return found and [np.asarray(value).tolist() for value in (*found[0], found[1].parts[0], found[2].parts[0])]


@pytest.mark.parametrize(
    ("page", "code", "arguments", "small"),
    [
        ("share", "numbers / 8", (np.array([1.5, 2.5, -9.0]),), [[1], [0.125], [1]]),
        ("share", "numbers / numbers.max()", (BIG[0],), [[1, 1], [1, 1], [0.5, 0.5]]),
        (
            "share",
            "numbers / (numbers.sum() - (len(numbers) > 3) / 2)",
            (BIG[0],),
            [[0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 1]],
        ),
        ("share", "numbers / (numbers.sum() - 3)", (np.array([3.0, 0.0]),), [[1], [-0.5], [1]]),
        ("above", "numbers >= limit", (np.array([1.5, 2.0, 4.5]), 2), [[2], 2, [True], [False]]),
        ("ranks", "[0] * len(names)", (["Mia", "Ada", "Ben"],), [["Mia", "Ada"], [0, 0], [1, 0]]),
        ("totals", "table.sum(axis=1) / len(weights)", (BIG, np.arange(1.5, 7)), [[[0, 1]], [0, 1], [0.5], [1]]),
        ("share", "numbers / numbers.sum()", (BIG[0],), None),
        ("share", "'text'", (BIG[0],), None),
    ],
)
def test_an_input_gets_small_and_plain_as_long_as_it_shows_the_mistake(page, code, arguments, small):
    assert shrunk(exercise_of(page), code, arguments) == small


def test_an_input_of_consecutive_numbers_counts_on_from_one_argument_to_the_next():
    exercise = exercise_of("totals")
    (table, weights), _, right = shrink.consecutive_case(exercise, answer_to("totals", "table.sum(axis=1)"))
    assert (table.tolist(), weights.tolist()) == ([[1, 2], [3, 4]], [5, 6])
    assert right.parts[0].tolist() == pytest.approx([17 / 11, 39 / 11])
    assert shrink.consecutive_case(exercise, exercise.reference) is None


def test_what_is_not_allowed_is_no_example():
    exercise, given = exercise_of("totals"), (BIG, np.arange(1.5, 7))
    table, weights, *_ = shrunk(exercise, "table @ weights / weights.sum() + 1", given)
    assert np.any(table) and np.any(weights)  # no more arguments are filled with zeros than were
    exercise = replace(exercise, shapes={"table": ("n_rows", "")})  # only arguments with shapes get smaller
    table, weights, *_ = shrunk(exercise, "table @ weights + 1", given)
    assert np.shape(table) == (1, 6) and weights == given[1].tolist()
    exercise = replace(exercise_of("share"), allowed=lambda numbers: len(numbers) > 2 and numbers.min() > 1)
    numbers, *_ = shrunk(exercise, "numbers / numbers.max()", (BIG[0] + 2,))
    assert len(numbers) == 3 and min(numbers) > 1


def test_tied_rows_go_on_summing_to_one_and_keep_their_numbers():
    weights = np.array([[0.125, 0.375, 0.5], [0.3, 0.3, 0.4], [1.0, 0.0, 0.0]])
    mixed = toy(lambda shares, x, n: shares @ x, probe=(weights, np.array([1.5, 2.5, -3.5]), 2))
    mixed = replace(mixed, shapes={"shares": ("rows", "n"), "x": ("n",)}, faults=())
    shares, _, n, *_ = shrunk(mixed, "shares @ x + x[0] * (shares[0, 0] < 1)", mixed.probes[0])
    assert np.allclose(np.sum(shares, axis=-1), 1) and n == 2
    assert np.isin(shares, [0, 0.25, 0.5, 0.75, 1]).all() and np.size(shares) < weights.size
    labels, ones = np.array([0, 1, 1, 0]), np.ones(4)
    counted = toy(lambda labels, x: labels * x, ("labels", "x"), (labels, ones), tied=("labels",), faults=())
    counted = replace(counted, shapes={"labels": ("n",), "x": ("n",)})
    assert shrunk(counted, "labels * x + labels", (labels, ones))[0] == [1]


def test_shares_get_plainer_rows_unless_theirs_are_plain():
    plainer = [[[0.5, 0.5, 0]] * 2, [[0.25, 0.75, 0]] * 2, [[1 / 3] * 3] * 2]
    assert [rows.tolist() for rows in shrink._plainer_shares(np.array([[0.2, 0.3, 0.5], [1, 0, 0]]))] == plainer
    assert [rows.tolist() for rows in shrink._plainer_shares(np.array([0.125, 0.875]))] == [
        [0.5, 0.5],
        [0.25, 0.75],
        [0.5, 0.5],
    ]
    plain = np.array([[0.25, 0.75, 0], [0, 0, 1], [0.5, 0.5, 0]]), np.full(5, 0.2), np.ones((2, 1)), BIG, 1
    assert not [rows for shares in plain for rows in shrink._plainer_shares(shares)]


def test_where_finite_numbers_are_wanted_others_show_nothing():
    answer = answer_to("share", "numbers / 7 if len(numbers) > 2 else numbers * np.nan")
    (one,), *_ = smallest(exercise_of("share"), answer, (BIG[0],))
    (three,), *_ = smallest(exercise_of("share"), answer, (BIG[0],), finite=True)
    assert len(one) < 3 == len(three)


@pytest.mark.parametrize(
    ("axes", "shape", "names"),
    [
        (("n", "d"), (3, 4), ("n", "d")),
        (("n", ""), (3, 4), ("n", "")),
        ((..., "n", "d"), (2, 3, 4), ("", "n", "d")),
        ((..., "n", "d"), (3, 4), ("n", "d")),
        ((..., "n"), (5, 2, 3), ("", "", "n")),
        (..., (2, 3), ("Q 0", "Q 1")),
        ((), (), ()),
    ],
)
def test_axes_have_names_and_leading_ones_none(axes, shape, names):
    assert axes_of(axes, "Q", np.ones(shape)) == names


def test_of_leading_axes_one_place_stays_and_is_no_axis_any_more():
    batches = toy(lambda x, y: x + y, ("x", "y"), (np.ones((2, 3, 4)), np.ones((1, 3, 4))), faults=(), tied=())
    batches = replace(batches, shapes={"x": (..., "n", "d"), "y": (..., "n", "d")})
    x, y, *_ = shrunk(batches, "x + y + 1", (np.full((2, 3, 4), 1.5), np.full((1, 3, 4), 2.5)))
    assert np.shape(x) == np.shape(y) == (1, 1)
    several = shrunk(batches, "x + y + (np.ndim(x) > 2)", (np.full((2, 3, 4), 1.5), np.full((1, 3, 4), 2.5)))
    assert np.shape(several[0]) == (2, 1, 1)


def test_an_axis_of_three_is_tried_with_one_with_two_and_without_each():
    tried = [next(iter(one.values())).tolist() for one in shrink._fewer({"a": ("n",)}, {"a": np.zeros(3)})]
    assert tried == [[0], [0, 1], [0, 1], [0, 2], [1, 2]]
