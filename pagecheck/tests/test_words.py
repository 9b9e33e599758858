"""The words of a verdict: which digits and inputs are shown, and the verdict as a line and a page."""

from types import SimpleNamespace

import numpy as np
import pytest

from pagecheck import Verdict, words
from pagecheck.compare import Outcome
from pagecheck.exercise import Exercise
from pagecheck.tests.toys import COURSE


def exercise(gives, course=COURSE, **more):
    return Exercise(course, "toy", max, ("Q", "K"), gives, (), (), **more)


ONE, TWO = exercise({"y": "(n, d)"}), exercise({"dQ": "(n, d)", "total": "one number"})
SMALL, BIG = np.arange(4.0).reshape(2, 2), np.arange(30.0).reshape(5, 6)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (SMALL, "[[0, 1], [2, 3]]"),
        (np.arange(13), "an array of shape (13,)"),
        (["a", "b"], "['a', 'b']"),
        (["a"] * 13, "13 times 'a'"),
        (True, "True"),
        (None, "None"),
        ([1 / 3, 2e7], "[0.3333, 20000000]"),
        ([[1], [2, 3]], "[[1], [2, 3]]"),
        (999999.0, "999,999"),
        (-2e6, "-2,000,000"),
        (1e15, "1e+15"),
        (1234567.5, "1.235e+06"),
        (-np.inf, "-inf"),
    ],
)
def test_a_value_is_written_as_a_student_would(value, said):
    assert words.short(value) == said


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        *((value, True) for value in (np.zeros(12), ["a", "b"] * 6, ["a"] * 99, "a text of many letters", 3)),
        *((value, False) for value in (np.zeros(13), np.zeros((2, 1, 3, 4)), ["a", "b"] * 7, len)),
        ([(np.zeros((2, 3)), np.zeros(2))], True),
        ([(np.zeros((2, 3)), np.zeros(2)), (np.ones((2, 3)), np.ones(2))], False),
        ([(np.zeros((3, 4)), 1), (np.ones(2), 2)], False),  # arrays of several shapes in a list
    ],
)
def test_an_input_of_few_numbers_can_be_shown(value, fits):
    assert words.can_be_shown((value, 1)) is words.can_be_shown((1, value)) is fits


@pytest.mark.parametrize(
    ("got", "right", "digits"),
    [
        (1.0, 1.00002, 6),
        (1.0, 1.0, 4),
        (np.nan, 1.0, 4),
        (1.0, np.inf, 4),
        (np.ones(3), np.ones(2), 4),
        (np.array([1, 2.0]), np.array([1.00002, 2]), 6),
        (np.array([1, 1e9]), np.array([1, 1e9 + 2e4]), 6),
    ],
)
def test_as_many_digits_are_shown_as_tell_the_numbers_apart(got, right, digits):
    assert words.digits_to_see(got, right) == digits


@pytest.mark.parametrize(
    ("arguments", "part", "got", "right", "said"),
    [
        ((SMALL, SMALL), "dQ", SMALL + [[0, 0], [0, 1]], SMALL, "Row 1, column 1 of dQ holds 4, but it should be 3."),
        (
            (SMALL, SMALL),
            "dQ",
            np.array([1, 2.00004]),
            np.array([1, 2.0]),
            "Position 1 of dQ holds 2.00004, but it should be 2",
        ),
        ((SMALL, SMALL), "dQ", np.array([True]), np.array([False]), "Position 0 of dQ holds True, which is not right."),
        (
            (SMALL, 3),
            "total",
            2.5,
            3.0,
            "For Q = [[0, 1], [2, 3]], K = 3, your function gives 2.5 for total, but it should be 3",
        ),
        ((BIG, 3), "total", 2.5, 3.0, "Your function gives 2.5 for total, but it should be 3."),
    ],
)
def test_the_first_number_that_differs_is_named_with_its_position(arguments, part, got, right, said):
    assert words.first_difference(TWO, arguments, part, np.asarray(got), np.asarray(right)).startswith(said)


def test_a_position_is_named_in_the_words_of_the_course_and_a_secret_result_is_not_said():
    course = SimpleNamespace(position_in_words=lambda exercise, place: f"the seat {place[0]}" if exercise.axes else "")
    seats, plain = exercise({"y": ""}, course, axes=("seat",), secret=True), exercise({"y": ""}, course)
    said = words.first_difference(seats, (), "y", SMALL[1], SMALL[1] + [0, 1])
    assert said == "The seat 1 holds 3, which is not right."
    assert (plain.position((2,)), plain.position((0, 1, 2))) == ("position 2", "position [0, 1, 2]")


def outcome(*parts):
    return Outcome(tuple(map(np.asarray, parts)))


@pytest.mark.parametrize(
    ("arguments", "got", "right", "said"),
    [
        (
            (1, 2),
            (SMALL, 2.0),
            (SMALL, 3.0),
            "Try this by hand: for Q = 1, K = 2, your function gives 2 for total,",
        ),
        (
            (1, 2),
            (SMALL, True),
            (SMALL, False),
            "for Q = 1, K = 2, your function gives True for total, which is not right.",
        ),
        (
            (1, ["a"] * 20),
            (BIG, 2),
            (BIG * 1.00002, 2),
            "K = 20 times 'a', position [0, 1] of your result for dQ",
        ),
        (
            (BIG, "a text"),
            (1.0, 2),
            (2.0, 2),
            "With Q of shape (5, 6) and K = 'a text', your function gives 1 for dQ, but it should be 2",
        ),
    ],
)
def test_an_example_can_be_worked_out_by_hand_or_says_its_sizes(arguments, got, right, said):
    assert said in words.example(TWO, (arguments, outcome(*got), outcome(*right)))


def test_small_numbers_stand_in_one_line_with_the_digits_that_differ():
    arguments = np.ones(1), 2
    line = words.contrast(ONE, (arguments, outcome(0.268962), outcome(0.268941)))
    assert line == "For Q = [1], K = 2, your function gives 0.268962, but it should be 0.268941."
    both = words.contrast(TWO, (arguments, outcome([1, 2], 3), outcome([1, 2], 4)))
    assert both == "For Q = [1], K = 2, your function gives [1, 2], 3, but it should be [1, 2], 4."
    assert words.contrast(ONE, (arguments, outcome(np.zeros(13)), outcome(np.ones(13)))) == ""
    assert words.contrast(ONE, ((BIG, 2), outcome(1.0), outcome(2.0))) == ""


def test_a_verdict_is_a_line_and_a_page_with_all_that_it_holds():
    explanation = type("Explanation", (), {"__str__": lambda self: "more", "html": lambda self: "<p>more</p>"})()
    verdict = Verdict("not yet", ("a", "b"), "At `x < y` & so.", "share", "Traceback", "", explanation)
    assert repr(verdict) == "✗ share: not yet. At `x < y` & so. (a, b)\nTraceback\nmore"
    page = verdict._repr_html_()
    parts = ("<strong>share: not yet</strong>", "At <code>x &lt; y</code> &amp; so.", "<code>a, b</code>")
    assert all(part in page for part in (*parts, "<pre>Traceback</pre>", "<p>more</p>"))
    assert repr(Verdict("not started", name="share")) == "○ share: not started"
    assert repr(Verdict("done", name="share", insight="So it is.")) == "✓ share: done. So it is."
    assert "<em>So &lt; it.</em>" in Verdict("done", name="share", insight="So < it.")._repr_html_()


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        ("kind", "tensorflow.string", "a text"),
        ("plain", "keras.layers.Dense.__init__", "Dense"),
        ("kind", "dict", "a dict"),
    ],
)
def test_what_an_error_names_is_said_as_a_student_would(form, text, said):
    assert format(words._Group(text), form) == said


def test_nan_is_right_where_nan_is_wanted():
    assert words.near(np.array([np.nan, 1.0]), np.array([np.nan, 2.0])).tolist() == [True, False]


@pytest.mark.parametrize(
    ("axes", "right", "named"),
    [
        ("(n, d)", (2, 3), True),
        ("(n, d)", (5, 2, 3), False),  # a batch has more axes than the text names
        ("(..., d)", (5, 2, 3), True),
        ("(…, d)", (5, 2, 3), True),
        ("one number", (), False),
    ],
)
def test_a_wrong_shape_is_named_by_the_axes_of_the_text_where_they_fit(axes, right, named):
    message = words.shape_message(exercise({"y": axes}), "y", np.zeros(7), np.zeros(right))
    assert message.startswith("Your function returns an array of shape (7,), but y should ")
    assert message.endswith(f", that is, {axes}." if named else "be one number." if right == () else f"{right}.")
