"""The sentences that depend on numbers and shapes, and the relations between what came and what is right."""

from types import SimpleNamespace

import numpy as np
import pytest

from course_utils.checks.engine import words
from course_utils.checks.engine.exercise import Fault, Promise
from course_utils.checks.engine.outcome import Outcome
from course_utils.checks.engine.relations import find_relation
from course_utils.checks.exercises import exercise_of

SQUARE = np.array([[1.26, -2.31, 4.57], [0.5, 7.77, -3.14], [2.22, 9.1, 6.06]])
LONG = np.array([[3.3, -1.7, 0.25, 8.12], [5.51, 2.9, -6.4, 1.05]])


def with_row(array, place):
    """The array with other numbers in one row."""
    array = array.copy()
    array[place] = np.arange(array.shape[1]) ** 2
    return array


RELATIONS = {  # what is done to the right numbers: what it is called
    "shape-extra-axis": [lambda x: x[None], lambda x: x[..., None]],
    "transposed": [lambda x: x.T],
    "shape-flat": [np.ravel],
    "returns-first-only": [lambda x: x[0]],
    "returns-last-only": [lambda x: x[-1]],
    "rounded": [lambda x: x.round(), lambda x: x.round(1)],
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
    ],
}


@pytest.mark.parametrize("id", RELATIONS)
def test_a_relation_holds_for_all_inputs_or_is_none(id):
    right = [SQUARE, LONG]
    for change in RELATIONS[id]:
        assert find_relation([change(array) for array in right], right) == id
        assert find_relation([change(SQUARE), LONG**3], right) is None


ONE = SimpleNamespace(arguments=("Q", "K"), gives={"weights": "(n_queries, n_keys)"}, axes=())
TWO = SimpleNamespace(arguments=("Q", "K"), gives={"dQ": "(n, d)", "total": "one number"}, axes=())
SMALL, BIG = np.arange(4.0).reshape(2, 2), np.arange(30.0).reshape(5, 6)
INPUT = "Q = [[0, 1], [2, 3]], K = [[0, 1], [2, 3]]"
WRONG = SMALL + [[0, 0], [0, 1]]


@pytest.mark.parametrize(
    ("part", "got", "right", "said"),
    [
        ("weights", np.float64(3), SMALL, "one number where (2, 2) was wanted for weights, (n_queries, n_keys)."),
        (
            "weights",
            SMALL,
            SMALL[:1],
            "an array of shape (2, 2) where (1, 2) was wanted for weights, (n_queries, n_keys).",
        ),
        ("total", SMALL, np.float64(3), "an array of shape (2, 2), and one number is wanted for total."),
    ],
)
def test_a_wrong_shape_is_said_beside_the_right_one(part, got, right, said):
    exercise = ONE if part == "weights" else TWO
    assert words.shapes(exercise, part, got, right) == f"Your function gives {said}"


@pytest.mark.parametrize(
    ("exercise", "arguments", "part", "got", "right", "said"),
    [
        (ONE, (SMALL, SMALL), "weights", WRONG, SMALL, "Row 1, column 1 holds 4"),
        (TWO, (SMALL, SMALL), "dQ", WRONG, SMALL, "Row 1, column 1 of dQ holds 4"),
        (ONE, (SMALL, SMALL), "weights", SMALL, SMALL, "Row 0, column 0 holds 0"),
        (ONE, (SMALL, SMALL), "weights", np.array([1, 2, 3.0]), np.array([1, 2, 3.2]), "Position 2 holds 3"),
        (ONE, (SMALL, SMALL), "weights", np.array([1, 2.00004]), np.array([1, 2.0]), "Position 1 holds 2.00004"),
        (ONE, (SMALL, SMALL), "weights", BIG[None], BIG[None] + 1, "Place [0, 0, 0] holds 0"),
        (ONE, (SMALL, SMALL), "weights", np.array([True]), np.array([False]), "Position 0 holds True"),
        (
            TWO,
            (SMALL, SMALL),
            "total",
            np.float64(2.5),
            np.float64(3),
            f"For {INPUT} your function gives 2.5 for total",
        ),
        (ONE, (SMALL, SMALL), "weights", np.float64(2.5), np.float64(3), f"For {INPUT} your function gives 2.5"),
        (
            ONE,
            (SMALL, 3),
            "weights",
            np.float64(2.00004),
            np.float64(2),
            "For Q = [[0, 1], [2, 3]], K = 3 your function gives 2.00004",
        ),
        (
            ONE,
            (BIG[:, :4], SMALL),
            "weights",
            np.float64(2.5),
            np.float64(3),
            "For Q = an array of shape (5, 4), K = [[0, 1], [2, 3]] your function gives 2.5",
        ),
        (ONE, (BIG, SMALL), "weights", np.float64(2.5), np.float64(3), "Your function gives 2.5"),
        (ONE, (len, SMALL), "weights", np.float64(2.5), np.float64(3), "Your function gives 2.5"),
    ],
)
def test_the_first_number_that_differs_is_named_with_its_place(exercise, arguments, part, got, right, said):
    found = words.first_difference(exercise, arguments, part, got, right)
    assert found == f"{said}, and that is not it."


def test_a_place_is_named_by_its_words():
    grid = SimpleNamespace(arguments=(), gives={"weights": ""}, axes=("query", "key"))
    row = SimpleNamespace(arguments=(), gives={"weights": ""}, axes=("key",))
    assert words.first_difference(grid, (), "weights", SMALL, SMALL + [[0, 1], [0, 0]]) == (
        'The place where "The" looks at "movie" (row 0, column 1) holds 1, and that is not it.'
    )
    assert words.first_difference(row, (), "weights", SMALL[1], SMALL[1] + [0, 1]) == (
        'The place for the key of "movie" (position 1) holds 3, and that is not it.'
    )


def outcome(*parts):
    return Outcome(tuple(map(np.asarray, parts)))


WORK = f"Work it out by hand for {INPUT}: there"


@pytest.mark.parametrize(
    ("exercise", "arguments", "got", "right", "said"),
    [
        (ONE, (SMALL, SMALL), (SMALL + 1,), (SMALL,), f"{WORK} your function gives [[1, 2], [3, 4]]"),
        (ONE, (SMALL, SMALL), ([2.00004],), ([2.0],), f"{WORK} your function gives [2.00004]"),
        (TWO, (SMALL, SMALL), (SMALL, 2.0), (SMALL, 3.0), f"{WORK} your function gives 2 for total"),
        (ONE, (SMALL, SMALL), (BIG,), (BIG + [0, 0, 1, 0, 0, 0],), f"{WORK} place [0, 2] of your result holds 2"),
        (
            TWO,
            (SMALL, ["a"] * 20),
            (BIG, 2.0),
            (BIG * 1.00002, 2.0),
            "Work it out by hand for Q = [[0, 1], [2, 3]], K = 20 times 'a': there place [0, 1] of your result "
            "for dQ holds 1",
        ),
        (
            ONE,
            (BIG, SMALL),
            (SMALL + 1,),
            (SMALL,),
            "With Q of shape (5, 6), K of shape (2, 2), your function gives [[1, 2], [3, 4]]",
        ),
        (ONE, (BIG, "a text"), ([1.0],), ([2.0],), "With Q of shape (5, 6), K = 'a text', your function gives [1]"),
        (ONE, (3, ["a", "b"] * 9), ([1.0],), ([2.0],), "With Q = 3, K of length 18, your function gives [1]"),
    ],
)
def test_an_example_can_be_worked_out_by_hand_or_says_its_sizes(exercise, arguments, got, right, said):
    found = words.example(exercise, (arguments, outcome(*got), outcome(*right)))
    assert found == f"{said}, and that is not it."


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (SMALL, "[[0, 1], [2, 3]]"),
        (BIG, "an array of shape (5, 6)"),
        (np.arange(12), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]"),
        (np.arange(13), "an array of shape (13,)"),
        (["a", "b"], "['a', 'b']"),
        (["a"] * 12, "['a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a']"),
        (["a"] * 13, "13 times 'a'"),
        ("a text", "'a text'"),
        (len, "a function"),
        (True, "True"),
        (1 / 3, "0.3333"),
        ([1 / 3, 2e7], "[0.3333, 20000000]"),
        (999999.0, "1e+06"),
        (1e6, "1,000,000"),
        (-2e6, "-2,000,000"),
        (1e15 - 1, "999,999,999,999,999"),
        (1e15, "1e+15"),
        (1234567.5, "1.235e+06"),
        (np.nan, "NaN"),
        (-np.inf, "-inf"),
    ],
)
def test_a_value_is_written_as_a_student_would(value, said):
    assert words.short(value) == said


@pytest.mark.parametrize(
    ("got", "right", "digits"),
    [
        (0.5, 1.0, 4),
        (1.0, 1.00002, 6),
        (0.0, 1e-5, 4),
        (1.0, 1.0, 4),
        (np.nan, 1.0, 4),
        (1.0, np.inf, 4),
        (np.ones(3), np.ones(2), 4),
        (np.array([1, 2.0]), np.array([1.0001, 5]), 4),
        (np.array([1, 2.0]), np.array([1.00002, 2]), 6),
        (np.array([1, 1e9]), np.array([1, 1e9 + 2e4]), 6),
    ],
)
def test_as_many_digits_are_shown_as_tell_the_numbers_apart(got, right, digits):
    assert words.digits_to_see(got, right) == digits


@pytest.mark.parametrize(
    ("came", "gives", "wanted", "should", "carrier"),
    [
        ("a dict", {"r": "one number"}, [np.float64(1)], "be one number", "A value of Python, NumPy or TensorFlow"),
        (
            "a complex",
            {"r": "one number"},
            [np.float64(1)],
            "be one real number",
            "A value of Python, NumPy or TensorFlow",
        ),
        ("a dict", {"r": "(n,)"}, [np.ones(2)], "be numbers", "An array, a list or a tensor"),
        ("an array of complex numbers", {"r": "(n,)"}, [np.ones(2)], "be real numbers", "An array, a list or a tensor"),
        ("a dict", {"r": "(n,)"}, [np.ones(2, bool)], "hold True and False", "An array, a list or a tensor"),
        ("a dict", {"r": "one", "s": "two"}, [np.float64(1)] * 2, "be numbers", "An array, a list or a tensor"),
        ("a dict", {"r": "True or False"}, [np.bool_(1)], "be True or False", "A value of Python, NumPy or TensorFlow"),
    ],
)
def test_what_will_do_in_place_of_what_is_no_number(came, gives, wanted, should, carrier):
    assert words.what_will_do(came, gives, wanted) == {"should": should, "carrier": carrier}


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (([], [], []), ""),
        ((["`np.exp`"], [], []), "Something had changed `np.exp`. The check has put it back."),
        (([], ["`math.x`"], []), "Something had added `math.x`. The check has taken it away."),
        (
            (["`np.exp`", "`len`"], [], [1]),
            "Something had changed `np.exp` and `len`. The check has put them back. "
            "Something that your function started still runs. Choose Kernel, Restart Kernel to end it.",
        ),
        *(
            (([name], [], []), f"Something had changed {name}. The check has put {it} back.")
            for name, it in {
                "the random numbers of NumPy": "them",
                "the environment variables": "them",
                "the filters of warnings": "them",
                "the working folder": "it",
            }.items()
        ),
    ],
)
def test_what_an_answer_left_behind_is_said(left, said):
    assert words.left_behind(*left) == said


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ("", "Right on 3 inputs."),
        ("a", "Right on 3 inputs: also a."),
        ("a b", "Right on 3 inputs: also a; and b."),
        ("a b c d", "Right on 3 inputs: also a; b; and c."),
    ],
)
def test_a_right_answer_hears_what_it_was_held_to(when, said):
    promises = [Promise("", one, ()) for one in when.split()]
    assert words.why_done(SimpleNamespace(probes=(1, 2), promised=(1,), promises=promises)) == said


SOFTMAX, SCALE = Fault("softmax-axis", "axis", 0), Fault("scale-missing", "scale", 0)
COLUMNS = "Each column sums to 1, and each row should. Your softmax runs over the queries."


@pytest.mark.parametrize(
    ("faults", "gives", "said"),
    [
        ([SOFTMAX], ("the weights",), COLUMNS),
        ([SOFTMAX], ("the scores",), COLUMNS),
        ([SOFTMAX], ("the output",), "Your softmax runs over the queries."),
        ([SOFTMAX, SOFTMAX], ("the weights",), COLUMNS),
        ([SOFTMAX._replace(says="Look here.")], ("the weights",), "Look here."),
        (
            [SOFTMAX, SCALE._replace(says="Look here.")],
            ("the weights",),
            "Two things at once. Your softmax runs over the queries. Look here.",
        ),
        ([Fault("product-absolute", "product", 0)], ("the output",), "Something seems to take absolute values."),
        ([Fault("row-off-by-one", "row", 0)], ("the output",), "The index seems to be off by one."),
        (
            [SCALE],
            ("the output",),
            "The scores are too large, and more so for longer keys. "
            "The scores look like bare dot products: the scaling is missing.",
        ),
    ],
)
def test_what_is_seen_in_weights_is_said_only_where_they_are_asked_for(faults, gives, said):
    assert words.suspicion(faults, gives) == said


def test_names_stay_as_they_are_at_the_beginning_of_a_sentence():
    names = ["the weights", "a row", "an axis", "dQ", "theta"]
    assert [words.capital_unless_name(name) for name in names] == ["The weights", "A row", "An axis", "dQ", "theta"]


def test_two_edits_are_one_sentence():
    edits = [SimpleNamespace(id="edit-argument", details={"wrong": "K", "right": "Q"})] * 2
    seen = words.mistake("edit-argument").seen.format(wrong="K", right="Q")[:-1]
    assert (
        words.two_edits(edits) == f"Two things at once. {seen}, and {seen.removeprefix('Your result fits an answer ')}."
    )


def test_numbers_are_near_up_to_rounding_and_nan_is_nan():
    got, right = np.array([1, 1.0001, np.nan, 2e-6, 0.9e-6]), np.array([1.000009, 1, np.nan, 0, 0])
    assert words.near(got, right).tolist() == [True, False, True, False, True]
    assert words.near(np.array([True, False]), np.array([True, True])).tolist() == [True, False]


def test_an_input_of_few_numbers_can_be_shown():
    for value in (np.zeros(12), ["a", "b"] * 6, ["a"] * 99, "a long text of many letters", 3):
        assert words.can_be_shown((value, 1))
    for value in (np.zeros(13), ["a", "b"] * 7, len):
        assert not words.can_be_shown((1, value))


def test_numbers_are_laid_side_by_side_with_the_digits_that_differ_and_only_a_few():
    found = (np.ones(1), np.ones(1)), outcome(0.268962), outcome(0.268941)
    assert words.contrast(exercise_of("dot_product"), found)[1:] == (
        "your function gives 0.268962",
        "and right is 0.268941",
    )
    assert words.contrast(exercise_of("dot_product"), (found[0], outcome(np.zeros(13)), outcome(np.ones(13)))) == ()
