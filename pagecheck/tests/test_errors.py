"""What the errors of Python and NumPy mean, each in one sentence of plain words."""

# ruff: noqa: F821, F841, RUF059

import math
from operator import iadd, setitem

import numpy as np
import pytest

from pagecheck.tests.toys import COURSE, told
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
    (lambda: A @ A, "An axis of length 4 meets one of length 3"),
    (lambda: A.dot(A[:, :2]), "An axis of length 4 meets one of length 3"),
    (lambda: A @ 2, "The sign @ needs arrays"),
    (lambda: A + np.ones((3, 2)), "The shapes (3, 4) and (3, 2)"),
    (lambda: setitem(A, [0, 1], np.ones(3)), "The shapes do not fit"),
    (lambda: setitem(A, slice(2), np.ones(3)), "Numbers of shape (3,) do not fit there into a place of shape (2, 4)."),
    (too_early, "The name total has no"),
    (lambda: d_k, "Nothing is called d_k there."),
    (lambda: A[3], "There is no index 3 along axis 0, which has length 3: the last index is 2."),
    (lambda: A[:0][0], "There is no index 0 along axis 0, which has length 0:"),
    (lambda: [1][1], "The index there lies beyond"),
    (lambda: A[0, 0, 0], "The array there has 2 axes, and 3"),
    (lambda: A.sum(axis=2), "There is no axis 2: the array there has 2 axes, and the first one is axis 0."),
    (
        lambda: A[np.ones(4, dtype=bool)],
        "The mask there has another shape than the array that it picks from: along axis 0",
    ),
    (lambda: A[PLACES / 2], "An index must be a"),
    (lambda: A["a"], "An index must be a"),
    (lambda: [1][TEXT], "A list takes one whole"),
    (lambda: [1, 2][PLACES], "One whole number is wanted"),
    (lambda: math.exp(A), "One number is wanted there,"),
    (lambda: np.array([[1], [1, 2]]), "The pieces that become one"),
    (lambda: setitem(A, (0, 0), [1, 2]), "One place of an array"),
    (lambda: 1 if A > 1 else 0, "One True or False is"),
    (lambda: A.reshape(5, 2), "12 numbers cannot be cut into shape (5, 2)."),
    (lambda: PLACES.reshape(2, -1), "3 numbers cannot be cut into shape (2, -1)."),
    (lambda: np.stack([A, PLACES]), "The arrays that are stacked"),
    (lambda: np.concatenate([A, PLACES]), "The arrays that are joined"),
    (lambda: np.concatenate([A, A.T]), "The arrays that are joined"),
    (lambda: np.split(A, 2), "The array cannot be cut"),
    (lambda: A.transpose(0, 1, 2), "The transpose there names more"),
    (lambda: A.transpose(0, 0), "The axes named there do"),
    (lambda: iadd(PLACES.copy(), 0.5), "The array there holds whole"),
    (lambda: A & 1, "The signs &, |, ^"),
    (lambda: 1 + "a", "The sign + cannot join"),
    (lambda: max - min, "The sign - cannot join"),
    (lambda: [1] * 2.0, "A list can only be"),
    (lambda: None < 1, "Python cannot tell which is"),
    (lambda: A.append, "An array has no append."),
    (lambda: math.power, "There is no power in"),
    (lambda: A(1), "Round brackets call a function,"),
    (lambda: NOTHING[0], "Square brackets take out a"),
    (lambda: next([1]), "Only a generator, or what"),
    (lambda: list(5), "Several things are wanted there,"),
    (lambda: unpacked(0.5), "Several things are wanted there,"),
    (lambda: len(5), "Several numbers are wanted there"),
    (lambda: setitem((1, 2), 0, 1), "A tuple cannot be changed"),
    (lambda: range(TEXT), "A whole number is wanted"),
    (lambda: range(2.0), "A whole number is wanted there, and a float"),
    (lambda: np.zeros(np.float64(4)), "A whole number is wanted there, and a float"),
    (lambda: A[: 4 / 2], "The ends of a slice"),
    (lambda: {A: 1}, "An array cannot stand in"),
    (lambda: np.int8(300), "A whole number there is"),
    (lambda: np.sum(A, dim=1), "sum does not take the argument dim."),
    (lambda: sorted([1], axis=0), "sort does not take the argument axis."),
    (lambda: scaled(1, 2, 3, 4), "scaled takes 3 arguments, and 4 came."),
    (lambda: scaled(), "scaled needs 2 more arguments: Q and K."),
    (lambda: Layer(), "Layer needs 1 more argument:"),
    (lambda: unpacked([1]), "2 things are wanted there, and 1 came."),
    (lambda: unpacked([1, 2, 3]), "2 things are wanted there, and more came."),
    (lambda: first_of([]), "1 thing is wanted there, and 0 came."),
    (lambda: only_one([1, 2]), "1 thing is wanted there, and more came."),
    (lambda: setitem(FIXED, 0, 1), "The array there can be"),
    (lambda: __import__("no_such_package"), "The package no_such_package is not"),
    (lambda: 1 / 0, "Something is divided by 0"),
    (lambda: math.sqrt(-1), "A root or a logarithm"),
    (lambda: math.exp(1000), "The result there is too"),
    (lambda: np.max([]), "Nothing is left there to"),
    (lambda: np.einsum("ijk", A), "The letters of the einsum"),
    (lambda: [1].index(2), "It looks for something in"),
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
    (tmp_path / "second.toml").write_text("[[error]]\npattern = 'has'\nsays = 'Second.'\n")
    reasons = Reasons(tmp_path / "first.toml", tmp_path / "second.toml")
    said = "Your function stops with E. An array with 1 axis, 2 more things, (3, -1)."
    assert reasons.of("E\nWrapped: <numpy.ndarray has 1 and 2, (3,newaxis)> .end\n") == (said, "one-of-ours")
    assert reasons.of("E\nWho has it?\n") == ("Your function stops with E. Second.", "")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("inside = [1][9]\nreturn inside", "IndexError at `inside = [1][9]`. The index there"),
        ("np.split(numbers, 7)", "ValueError at `return np.split(numbers, 7)`. The array cannot"),
        ("class Own(Exception):\n    __str__ = None\nraise Own", "Own at `raise Own`."),
    ],
)
def test_the_line_of_the_student_is_quoted_and_none_of_a_library(code, said):
    verdict = told("share", code)
    assert verdict.mistakes == ("raises",), verdict
    assert verdict.message.startswith(f"Your function stops with {said}"), verdict
