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


@given(values)
def test_a_plain_value_comes_back_as_it_was(value):
    back = unpack(pack(value))
    np.testing.assert_equal(back, value)
    assert repr(back) == repr(value)  # types, too: a tuple is not a list, and 1 is not True


class Pair(NamedTuple):
    left: int
    right: object


def test_what_has_names_keeps_them_and_what_is_strange_is_named():
    sent = Pair(1, np.eye(2)), object(), Fraction(1, 4), np.float32(2), len, int, "\ud800"
    pair, some, fraction, number, function, kind, text = unpack(pack(sent, {len: 7}.get), lambda *which: which)
    assert (pair.left, pair.right.tolist(), type(pair).__name__) == (1, [[1, 0], [0, 1]], "Pair")
    assert isinstance(some, Opaque) and some.kind == "object" and kind == Opaque("type", "<class 'int'>")
    assert fraction == 0.25 and type(number) is np.float32 and function == (7, "len")
    assert text.encode()  # half a sign can be written into a file


@given(st.data())
def test_a_message_with_a_wrong_byte_raises_nothing_else(data):
    message = bytearray(pack([1, "a", np.arange(3), {"k": (None, 2.5)}]))
    position = data.draw(st.integers(0, len(message) - 1))
    message[position] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(NotPlain):
        unpack(bytes(message))


def nested(depth):
    return functools.reduce(lambda inside, _: ["list", [inside]], range(depth), None)


def message_of(text, *arrays):
    text = text if isinstance(text, bytes) else json.dumps(text).encode()
    sizes = [len(text), *map(len, arrays)]
    return b"".join([struct.pack(f">I{len(sizes)}Q", len(sizes), *sizes), text, *arrays])


def header_of(kind, shape):
    content = io.BytesIO()
    np.lib.format.write_array_header_1_0(content, {"descr": kind, "fortran_order": False, "shape": shape})
    return content.getvalue()


@pytest.mark.parametrize(
    "message",
    [
        message_of(["named", [None], "Pair", ["__array_interface__"]]),
        message_of(["named", [None], "__class__", ["left"]]),
        message_of(["named", [None], "Pair", ["left", "right"]]),
        message_of(nested(400)),
        message_of(b"[" * 100_000),
        message_of(b"[" + b"[]," * (MAX_TEXT_BYTES // 3) + b"[]]"),
        message_of(["array", 0], header_of("<U0", (10**15,))),
        message_of(["array", 0], header_of("<f8", (10**15, 0))),
        message_of(["array", 0], header_of([("a", "<f8")], (0,))),
        message_of(["array", 0], header_of("<M8[s]", (0,))),
        pack(np.arange(2)).replace(b"'<i8'", b"'|O' "),
        b"noise, and no message",
    ],
    ids=lambda message: f"{len(message)} bytes",
)
def test_what_would_cost_the_judge_memory_or_time_is_refused(message):
    with pytest.raises(NotPlain):
        unpack(message)


def test_what_is_too_deep_is_not_sent():
    with pytest.raises(NotPlain, match="deep"):
        pack(nested(MAX_DEPTH))


def test_a_reader_that_is_stopped_in_the_middle_of_a_message_begins_anew():
    source, sink = os.pipe()
    wire, message = Wire(source, sink), pack("whole")
    sent = struct.pack(">Q", len(message)) + message
    os.write(sink, sent[:12])
    with pytest.raises(Silent):
        wire.receive(0.01)
    os.write(sink, sent[12:])
    assert wire.receive(1) == "whole"
