"""Values survive the round trip, and malformed messages are rejected."""

import contextlib
import functools
import io
import json
import os
import struct
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from grading.plain_values import MAX_DEPTH, MAX_TEXT_BYTES, NotPlain, Opaque, pack, unpack
from grading.wire import Silent, Wire
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
    assert same(value, unpack(pack(value)))


class Pair(NamedTuple):
    left: int
    right: object


def test_what_has_names_keeps_them_and_what_is_strange_is_named():
    pair, some, fraction, number = unpack(pack((Pair(1, np.eye(2)), object(), Fraction(1, 4), np.float32(2))))
    assert pair.left == 1 and type(pair).__name__ == "Pair" and same(pair.right, np.eye(2))
    assert isinstance(some, Opaque) and some.kind == "object"
    assert fraction == 0.25 and type(number) is np.float32


def test_a_function_crosses_as_its_number_and_a_class_as_nothing():
    functions = []
    message = pack([len, int], lambda function: functions.append(function) or 7)
    assert functions == [len]
    assert unpack(message, lambda number, name: (number, name)) == [(7, "len"), Opaque("type", "<class 'int'>")]


@given(st.binary(max_size=60))
def test_bytes_that_are_no_message_are_refused(noise):
    with pytest.raises(NotPlain):
        unpack(noise)


@given(st.data())
def test_a_message_with_a_wrong_byte_raises_nothing_else(data):
    message = bytearray(pack([1, "a", np.arange(3), {"k": (None, 2.5)}]))
    position = data.draw(st.integers(0, len(message) - 1))
    message[position] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(NotPlain):
        unpack(bytes(message))


def test_what_is_too_deep_or_pickled_is_refused():
    deep = []
    for _ in range(MAX_DEPTH + 1):
        deep = [deep]
    with pytest.raises(NotPlain, match="deep"):
        pack(deep)
    pickled = pack(np.arange(2)).replace(b"'<i8'", b"'|O' ")
    with pytest.raises(NotPlain):
        unpack(pickled)


def message_of(text, *arrays):
    text = text if isinstance(text, bytes) else json.dumps(text).encode()
    sizes = [len(text), *map(len, arrays)]
    return b"".join([struct.pack(f">I{len(sizes)}Q", len(sizes), *sizes), text, *arrays])


def header_of(kind, shape):
    content = io.BytesIO()
    np.lib.format.write_array_header_1_0(content, {"descr": kind, "fortran_order": False, "shape": shape})
    return content.getvalue()


NESTED = functools.reduce(lambda inside, _: ["list", [inside]], range(400), None)


@pytest.mark.parametrize(
    "message",
    [
        message_of(["named", [None], "Pair", ["__array_interface__"]]),
        message_of(["named", [None], "__class__", ["left"]]),
        message_of(["named", [None], "Pair", ["left", "right"]]),
        message_of(NESTED),
        message_of(b"[" * 100_000),
        message_of(b"[" + b"[]," * (MAX_TEXT_BYTES // 3) + b"[]]"),
        message_of(["array", 0], header_of("<U0", (10**15,))),
        message_of(["array", 0], header_of("<f8", (10**15, 0))),
        message_of(["array", 0], header_of([("a", "<f8")], (0,))),
        message_of(["array", 0], header_of("<M8[s]", (0,))),
    ],
    ids=["memory", "class", "names", "deep", "deeper", "lists", "no bytes", "no numbers", "records", "times"],
)
def test_what_would_cost_the_judge_memory_or_time_is_refused(message):
    with pytest.raises(NotPlain):
        unpack(message)


def test_half_a_sign_can_be_written_into_a_file():
    assert unpack(pack(["\ud800"]))[0].encode()


def test_a_reader_that_is_stopped_in_the_middle_of_a_message_begins_anew():
    source, sink = os.pipe()
    wire, message = Wire(source, sink), pack("whole")
    sent = struct.pack(">Q", len(message)) + message
    os.write(sink, sent[:12])
    with pytest.raises(Silent):
        wire.receive(0.01)
    os.write(sink, sent[12:])
    assert wire.receive(1) == "whole"
