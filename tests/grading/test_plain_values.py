"""Values cross as they are, and what is no message is refused."""

import contextlib
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from grading.plain_values import DEEPEST, NotPlain, Something, packed, unpacked
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

numbers = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
arrays_of_numbers = arrays(
    st.sampled_from([np.float64, np.float32, np.int64, bool]), st.sampled_from([(), (0, 2), (2, 3)])
)
values = st.recursive(
    numbers | arrays_of_numbers,
    lambda inside: (
        st.lists(inside, max_size=3) | st.tuples(inside, inside) | st.dictionaries(st.text(max_size=3), inside)
    ),
    max_leaves=6,
)


def same(one, other):
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    return type(one) is type(other) and one == other


@given(values)
def test_a_plain_value_comes_back_as_it_was(value):
    assert same(value, unpacked(packed(value)))


class Pair(NamedTuple):
    left: int
    right: object


def test_what_has_names_keeps_them_and_what_is_strange_is_named():
    pair, some, fraction, number = unpacked(packed((Pair(1, np.eye(2)), object(), Fraction(1, 4), np.float32(2))))
    assert pair.left == 1 and type(pair).__name__ == "Pair" and same(pair.right, np.eye(2))
    assert isinstance(some, Something) and some.kind == "object"
    assert fraction == 0.25 and type(number) is np.float32


def test_a_function_crosses_as_its_number_and_a_class_as_nothing():
    kept = []
    message = packed([len, int], lambda function: kept.append(function) or 7)
    assert kept == [len]
    assert unpacked(message, lambda number, name: (number, name)) == [(7, "len"), Something("type", "<class 'int'>")]


@given(st.binary(max_size=60))
def test_bytes_that_are_no_message_are_refused(noise):
    with pytest.raises(NotPlain):
        unpacked(noise)


@given(st.data())
def test_a_message_with_a_wrong_byte_raises_nothing_else(data):
    message = bytearray(packed([1, "a", np.arange(3), {"k": (None, 2.5)}]))
    place = data.draw(st.integers(0, len(message) - 1))
    message[place] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(NotPlain):
        unpacked(bytes(message))


def test_what_is_too_deep_or_pickled_is_refused():
    deep = []
    for _ in range(DEEPEST + 1):
        deep = [deep]
    with pytest.raises(NotPlain, match="deep"):
        packed(deep)
    pickled = packed(np.arange(2)).replace(b"'<i8'", b"'|O' ")
    with pytest.raises(NotPlain):
        unpacked(pickled)
