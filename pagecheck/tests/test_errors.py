"""What the errors of Python and NumPy mean, each in one sentence of plain words."""

# ruff: noqa: F821, F841, RUF059

import math
from operator import iadd, setitem

import numpy as np
import pytest

from pagecheck.tests.toys import COURSE, verdict_on
from pagecheck.words import Reasons

A = np.arange(12.0).reshape(3, 4)
PLACES = np.arange(3)
FIXED = np.ones(2)
TEXT, NOTHING = "a", None
FIXED.flags.writeable = False


class Layer:
    def __init__(self, size):
        self.size = size


def scaled(Q, K, scale=1):
    return Q


def unpacked(pair):
    first, second = pair


def first_of(several):
    first, *_ = several


def only_one(several):
    (one,) = several


def too_early():
    total += 1


STOPS = [  # what stops, and how that begins which is said of it
    (lambda: A @ A, "An axis of length 4 meets an axis of length 3 there, but the two lengths must be equal."),
    (
        lambda: A.dot(A[:, :2]),
        "An axis of length 4 meets an axis of length 3 there, but the two lengths must be equal.",
    ),
    (lambda: A @ 2, "The operator @ needs an array on both sides, but one side is a single number."),
    (lambda: A + np.ones((3, 2)), "The shapes (3, 4) and (3, 2) do not fit together there."),
    (lambda: setitem(A, [0, 1], np.ones(3)), "The shapes do not fit together there."),
    (
        lambda: setitem(A, slice(2), np.ones(3)),
        "An array of shape (3,) does not fit into a space of shape (2, 4) there.",
    ),
    (too_early, "The name total has no value yet at that line: does it get its value later, or only in some cases?"),
    (lambda: d_k, "Python doesn't know the name d_k there."),
    (lambda: A[3], "There is no index 3 along axis 0, which has length 3: the last index is 2."),
    (lambda: A[:0][0], "There is no index 0 along axis 0, because this axis is empty: its length is 0."),
    (lambda: [1][1], "The index there lies outside the list."),
    (lambda: A[0, 0, 0], "The array there has 2 axes, but you gave it 3 indices."),
    (lambda: A.sum(axis=2), "There is no axis 2: the array there has 2 axes, and the first one is axis 0."),
    (
        lambda: A[np.ones(4, dtype=bool)],
        "The mask there has a different shape from the array that it picks from: along axis 0",
    ),
    (
        lambda: A[PLACES / 2],
        "An array of indices must hold whole numbers, or True and False, but there it holds something else.",
    ),
    (lambda: A["a"], "An index must be a whole number, but there it is something else."),
    (lambda: [1][TEXT], "A list takes one whole number as an index, but there it gets a text."),
    (
        lambda: [1, 2][PLACES],
        "Python needs one whole number there, perhaps for an axis or an index, but it gets an array.",
    ),
    (lambda: math.exp(A), "Python needs one number there, but it gets a whole array."),
    (lambda: np.array([[1], [1, 2]]), "The pieces that should become one array there have different lengths."),
    (
        lambda: setitem(A, (0, 0), [1, 2]),
        "One position of an array can hold only one number, but it was given several.",
    ),
    (
        lambda: 1 if A > 1 else 0,
        "Python needs a single True or False there, but it gets a whole array of them: if, and, or, not",
    ),
    (lambda: A.reshape(5, 2), "The array there has 12 numbers, so it can't take the shape (5, 2)."),
    (lambda: PLACES.reshape(2, -1), "The array there has 3 numbers, so it can't take the shape (2, -1)."),
    (lambda: np.stack([A, PLACES]), "The arrays that are stacked there have different shapes."),
    (lambda: np.concatenate([A, PLACES]), "The arrays that are joined there have different numbers of axes."),
    (
        lambda: np.concatenate([A, A.T]),
        "The arrays that you join there should have equal lengths along all the other axes, but they don't.",
    ),
    (lambda: np.split(A, 2), "The array there can't be cut into that many equal pieces."),
    (lambda: A.transpose(0, 1, 2), "The transpose there doesn't name as many axes as the array has."),
    (lambda: A.transpose(0, 0), "The axes that are named there don't go together."),
    (
        lambda: iadd(PLACES.copy(), 0.5),
        "The array there holds whole numbers, so it can't store a result with decimals.",
    ),
    (
        lambda: A & 1,
        "The operators &, |, ^ and ~ work on True and False or on whole numbers, but there they get something else.",
    ),
    (lambda: 1 + "a", "The operator + can't combine a whole number and a text."),
    (lambda: max - min, "The operator - can't combine a function and a function."),
    (lambda: [1] * 2.0, "A list can only be multiplied by a whole number, which repeats the list."),
    (lambda: None < 1, "Python can't compare None with a whole number."),
    (lambda: A.append, "An array has nothing called append."),
    (lambda: math.power, "The module math has nothing called power."),
    (lambda: A(1), "Round brackets call a function, but there they come after an array."),
    (lambda: NOTHING[0], "Square brackets pick out a part, but there they come after None."),
    (lambda: next([1]), "Only a generator or an iterator has a next item, but there Python gets a list."),
    (lambda: list(5), "Python needs several things there, but it gets a whole number."),
    (lambda: unpacked(0.5), "Python needs several things there, but it gets a number."),
    (lambda: len(5), "Python needs several numbers there, but it gets only one."),
    (lambda: setitem((1, 2), 0, 1), "You can't change a single item of a tuple."),
    (lambda: range(TEXT), "Python needs a whole number there, but it gets a text."),
    (
        lambda: range(2.0),
        "Python needs a whole number there, but it gets a float. Does the float come from a division with /?",
    ),
    (
        lambda: np.zeros(np.float64(4)),
        "Python needs a whole number there, but it gets a float. Does the float come from a division with /?",
    ),
    (lambda: A[: 4 / 2], "The ends of a slice must be whole numbers, but there one of them is something else."),
    (lambda: {A: 1}, "An array can't be put into a set or used as the key of a dict."),
    (lambda: np.int8(300), "A whole number there is too large."),
    (lambda: np.sum(A, dim=1), "sum doesn't take an argument called dim."),
    (lambda: sorted([1], axis=0), "sort doesn't take an argument called axis."),
    (lambda: scaled(1, 2, 3, 4), "scaled takes 3 arguments, but there it gets 4."),
    (lambda: scaled(), "scaled needs 2 more arguments: Q and K."),
    (lambda: Layer(), "Layer needs 1 more argument: size."),
    (lambda: unpacked([1]), "Python needs 2 things there, but it gets 1."),
    (lambda: unpacked([1, 2, 3]), "Python needs 2 things there, but it gets more."),
    (lambda: first_of([]), "Python needs one thing there, but it gets 0."),
    (lambda: only_one([1, 2]), "Python needs one thing there, but it gets more."),
    (lambda: setitem(FIXED, 0, 1), "The array there can be read but not changed."),
    (lambda: __import__("no_such_package"), "The package no_such_package is not installed here."),
    (lambda: 1 / 0, "Something is divided by 0 there."),
    (lambda: math.sqrt(-1), "Your code takes a root or a logarithm there of a number that has none."),
    (lambda: math.exp(1000), "The result there is too large for a float."),
    (lambda: np.max([]), "The array there is empty, so it has no largest or smallest number."),
    (lambda: np.einsum("ijk", A), "The letters of the einsum don't match the axes of its arrays."),
    (lambda: [1].index(2), "Your code looks there for something that is not in the list."),
]


def test_each_error_is_said_in_one_sentence_and_each_sentence_is_met():
    first = set()
    for stops, said in STOPS:
        with pytest.raises(Exception) as raised:
            stops()
        kind, message = raised.type.__name__, " ".join(str(raised.value).split())
        text, id = COURSE.reasons.of(f"{kind}\n{message}\n")
        assert text.startswith(f"Your function stops with {kind}. {said}"), text
        assert id == "" and "{" not in text and text[-1] in ".?"
        first.add(next(p for p, *_ in COURSE.reasons.entries if p.search(f"{kind}: {message}")))
    unmet = {pattern.pattern for pattern, *_ in COURSE.reasons.entries if pattern not in first}
    assert [one for one in unmet if "invalid keyword" not in one] == []  # which Python says until 3.12
    assert not any(pattern.search("") for pattern, *_ in COURSE.reasons.entries)


@pytest.mark.parametrize(
    ("detail", "said"),
    [
        ("ValueError\nnot so\n`x = Q[3]`", "ValueError at `x = Q[3]`. Not so."),
        ("ValueError\nnot so\n" + "x" * 110, f"ValueError at {'x' * 110}. Not so."),
        ("ValueError\nis it?\n" + "x" * 111, "ValueError. Is it?"),
        ("ValueError\nno  numpy.ndarray, ndarray  here.\n", "ValueError. No array, array here."),
        ("ValueError\n" + "x" * 140 + "\n", f"ValueError. X{'x' * 139}."),
        ("ValueError\n" + "x" * 141 + "\n", "ValueError."),
        ("StopIteration\n\n", "StopIteration."),
        ("OverflowError\n(34, 'Result too large')\n", "OverflowError. The result there is too large for a float."),
    ],
)
def test_what_nobody_has_put_into_words_is_quoted_where_it_is_short(detail, said):
    assert COURSE.reasons.of(detail) == (f"Your function stops with {said}", "")


def test_a_course_adds_reasons_with_ids_and_what_a_library_puts_round_a_message(tmp_path):
    (tmp_path / "first.toml").write_text(
        "bare = ['Wrapped: (.*) .end', '<(.*)>']\n"
        "[[error]]\npattern = '(\\S+) has (\\d+) and (\\d+), (\\(.*\\))'\n"
        "says = '{0:Kind} with {1:axis}, {2:more thing}, {3:shape}.'\nid = 'one-of-ours'\n"
    )
    (tmp_path / "second.toml").write_text("[[error]]\npattern = 'has( no)?'\nsays = 'Second{0}.'\n")
    reasons = Reasons(tmp_path / "first.toml", tmp_path / "second.toml")
    said = "Your function stops with E. An array with 1 axis, 2 more things, (3, -1)."
    assert reasons.of("E\nWrapped: <numpy.ndarray has 1 and 2, (3,newaxis)> .end\n") == (said, "one-of-ours")
    assert reasons.of("E\nWho has it?\n") == ("Your function stops with E. Second.", "")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("inside = [1][9]\nreturn inside", "IndexError at `inside = [1][9]`. The index there"),
        ("np.split(numbers, 7)", "ValueError at `return np.split(numbers, 7)`. The array there can't"),
        ("class Own(Exception):\n    __str__ = None\nraise Own", "Own at `raise Own`."),
    ],
)
def test_the_line_of_the_student_is_quoted_and_none_of_a_library(code, said):
    verdict = verdict_on("share", code)
    assert verdict.mistakes == ("raises",), verdict
    assert verdict.message.startswith(f"Your function stops with {said}"), verdict
