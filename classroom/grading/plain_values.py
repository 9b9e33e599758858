"""Serializes values between the process that runs a student's code and the judge, without pickle or eval.

A message is a JSON text and the arrays that it refers to. Anything but numbers, texts, arrays and tuples, lists or
dicts of these crosses as the name of its type and the start of its repr. Functions cross as numbers, by which the other
side requests calls.
"""

import io
import json
import numbers
import struct
from operator import itemgetter
from typing import NamedTuple

import numpy as np

MAX_BYTES = 50_000_000  # of one message
MAX_TEXT_BYTES = 8_000_000  # of the JSON text, whose lists take about ten times as much memory
MAX_AXIS = 10_000_000  # of an array; nothing else limits an empty one
MAX_DEPTH = 12  # lists in lists
MAX_PARTS = 1_000_000  # of one list
MAX_REPR = 200  # characters of the repr of an opaque value


class NotPlain(ValueError):
    """Raised for malformed messages and for values that are too large or too deeply nested."""


class Opaque(NamedTuple):
    """Stands for a value that cannot be serialized: the name of its type and the start of its repr."""

    kind: str
    text: str


def pack(value, as_number=None) -> bytes:
    """Return a value as bytes. as_number(function): the number by which the other side requests calls.

    Raises NotPlain if it is too large or too deeply nested.

    >>> unpack(pack({"rows": (1, 2.5, "a")}))
    {'rows': (1, 2.5, 'a')}
    """
    arrays = []
    text = json.dumps(_encode(value, arrays, as_number or (lambda function: None), MAX_DEPTH)).encode()
    sizes = [len(text), *map(len, arrays)]
    if sum(sizes) > MAX_BYTES or len(text) > MAX_TEXT_BYTES:
        raise NotPlain(f"{sum(sizes):,} bytes; at most {MAX_BYTES:,} are allowed, {MAX_TEXT_BYTES:,} of them text")
    return b"".join([struct.pack(f">I{len(sizes)}Q", len(sizes), *sizes), text, *arrays])


def _encode(value, arrays, as_number, depth):
    """Return a value in JSON types; arrays are appended to `arrays` and referred to by index."""
    if not depth:
        raise NotPlain(f"lists in lists, more than {MAX_DEPTH} deep")
    if value is None or isinstance(value, bool):
        return value
    if type(value) in ENCODERS:
        return ENCODERS[type(value)](value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        value = value.tolist()
    if isinstance(value, range):
        value = list(value)
    context = [as_number, depth - 1]
    if isinstance(value, tuple | list | set | frozenset):
        if len(value) > MAX_PARTS:
            raise NotPlain(f"a list of {len(value):,}; at most {MAX_PARTS:,} are allowed")
        return _encode_sequence(value, [_encode(part, arrays, *context) for part in value])
    if type(value) is dict:
        return ["dict", [[_encode(part, arrays, *context) for part in pair] for pair in value.items()]]
    if isinstance(value, numbers.Real) and not isinstance(value, np.generic):  # a fraction
        return ["float", float(value).hex()]
    if (array := _as_array(value)) is not None:
        return ["scalar" if isinstance(value, np.generic | complex) else "array", _store_array(array, arrays)]
    if callable(value) and not isinstance(value, type) and (number := as_number(value)) is not None:
        return ["function", number, str(getattr(value, "__name__", ""))]
    return ["something", type(value).__name__, _short_repr(value)]


ENCODERS = {  # by type
    str: lambda text: ["text", text[:MAX_BYTES]],
    int: lambda number: ["int", f"{number:x}"],  # hexadecimal has no limit on digits, unlike decimal
    float: lambda number: ["float", number.hex()],
    type(...): lambda dots: ["dots"],
}


SEQUENCES = {"tuple": tuple, "list": list, "set": set}


def _encode_sequence(value, parts):
    """Encode a list, a set or a tuple with these encoded parts; a named tuple keeps its field names."""
    if isinstance(value, set | frozenset):
        return ["set", parts]
    if isinstance(value, list):
        return ["list", parts]
    fields = [str(name) for name in getattr(value, "_fields", ())]
    return ["named", parts, type(value).__name__, fields] if fields else ["tuple", parts]


def _as_array(value):
    """Return an array, NumPy scalar or tensor as an array of numbers or text; None for other values."""
    if not isinstance(value, np.ndarray | np.generic | complex) and not (
        hasattr(value, "numpy") and hasattr(value, "shape")
    ):
        return None
    try:
        array = np.asarray(value)
    except Exception:  # a symbolic tensor has no values
        return None
    if array.dtype.name == "bfloat16":  # unknown to NumPy itself
        array = array.astype(np.float16)
    masked = isinstance(value, np.ma.MaskedArray)
    return array if array.dtype.kind in "biufcUS" and not masked else None


def _store_array(array, arrays):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, allow_pickle=False)
    arrays.append(file.getvalue())
    return len(arrays) - 1


def _short_repr(value):
    try:
        return repr(value)[:MAX_REPR]
    except Exception:  # a broken __repr__
        return ""


def unpack(message, as_function=None):
    """Return the value of a message. as_function(number, name): a proxy for a function of the other side.

    Raises NotPlain for everything that `pack` does not write.
    """
    try:
        (count,) = struct.unpack_from(">I", message)
        sizes = struct.unpack_from(f">{count}Q", message, 4)
        pieces, offset = [], 4 + 8 * count
        for size in sizes:
            pieces.append(message[offset : offset + size])
            offset += size
        if offset != len(message) or not count or sizes[0] > MAX_TEXT_BYTES:
            raise NotPlain("a message of another length")
        return _decode(json.loads(pieces[0]), pieces[1:], as_function or (lambda number, name: None), MAX_DEPTH + 1)
    except NotPlain:
        raise
    except Exception as problem:  # the bytes are untrusted
        raise NotPlain(f"no message: {type(problem).__name__}") from None


def _decode(encoded, arrays, as_function, depth):
    if not depth:
        raise NotPlain("lists in lists, too deep")
    if encoded is None or isinstance(encoded, bool):
        return encoded
    kind, *rest = encoded
    context = [arrays, as_function, depth - 1]
    if kind in ("tuple", "list", "set", "named"):
        parts = [_decode(part, *context) for part in rest[0]]
        return _make_named_tuple(parts, *rest[1:]) if kind == "named" else SEQUENCES[kind](parts)
    if kind == "dict":
        return {_decode(key, *context): _decode(value, *context) for key, value in rest[0]}
    if kind in ("array", "scalar"):
        array = _read_array(arrays[rest[0]])
        return array[()] if kind == "scalar" else array
    readers = {
        "text": _valid_text,
        "int": lambda digits: int(digits, 16),
        "float": float.fromhex,
        "dots": lambda: ...,
        "function": lambda number, name: as_function(number, _valid_text(name)),
        "something": lambda kind, text: Opaque(_valid_text(kind), _valid_text(text)),
    }
    return readers[kind](*rest)


def _valid_text(text):
    """Replace lone surrogates, which cannot be written to a file."""
    return str(text).encode("utf-8", "replace").decode()


def _read_array(content):
    """Read an array of numbers or text. Raises NotPlain for other dtypes and for zero-size elements."""
    array = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    if array.dtype.kind not in "biufcUS" or array.nbytes > len(content) or max(array.shape, default=0) > MAX_AXIS:
        raise NotPlain("an array that nobody writes")
    if array.size and not array.dtype.itemsize:
        raise NotPlain("an array without bytes")
    return array


def _make_named_tuple(parts, name, fields):
    """Return a named tuple without its own methods. Raises NotPlain for private and special names."""
    names = [*fields, name]
    if len(fields) != len(parts) or not all(word.isidentifier() and not word.startswith("_") for word in names):
        raise NotPlain("a tuple with names that are none")
    properties = {field: property(itemgetter(i)) for i, field in enumerate(fields)}
    return type(name, (tuple,), properties | {"_fields": tuple(fields)})(parts)
