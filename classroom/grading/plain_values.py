"""Values as bytes, between the process that runs a student's code and the one that judges it: no pickle, no eval.

A message is a JSON text and the arrays that it names. What is neither a number, a text nor an array, and no tuple, list
or dict of these, crosses as its kind and its first words: enough to say what came, and nothing that runs.
Functions stay where they are: the other side gets their number, and asks for a call by it.
"""

import io
import json
import numbers
import struct
from operator import itemgetter
from typing import NamedTuple

import numpy as np

MOST_BYTES = 50_000_000  # of one message
MOST_TEXT = 8_000_000  # of them in the JSON text: its lists take some ten times as much memory as their text
LONGEST_AXIS = 10_000_000  # of an array; one without a number has no other limit
DEEPEST = 12  # lists in lists
FIRST_WORDS = 200  # characters of what is no plain value


class NotPlain(ValueError):
    """Raised for bytes that are no message, and for a value that is too large or too deep to be one."""


class Something(NamedTuple):
    """What stands for a value that is not plain: the name of its type, and its first words."""

    kind: str
    says: str


def packed(value, as_number=None) -> bytes:
    """Return a value as bytes. as_number(function) gives the number under which the other side asks for its calls.

    Raises NotPlain where it is too large or too deep.

    >>> unpacked(packed({"rows": (1, 2.5, "a")}))
    {'rows': (1, 2.5, 'a')}
    """
    arrays = []
    text = json.dumps(_described(value, arrays, as_number or (lambda function: None), DEEPEST)).encode()
    sizes = [len(text), *map(len, arrays)]
    if sum(sizes) > MOST_BYTES or len(text) > MOST_TEXT:
        raise NotPlain(f"{sum(sizes):,} bytes came back, and {MOST_BYTES:,} are the most, of text {MOST_TEXT:,}")
    return b"".join([struct.pack(f">I{len(sizes)}Q", len(sizes), *sizes), text, *arrays])


def _described(value, arrays, as_number, deep):
    """Return a value as JSON can hold it; arrays are put into the list `arrays`, and named by their place in it."""
    if not deep:
        raise NotPlain(f"lists in lists, more than {DEEPEST} deep")
    if value is None or isinstance(value, bool):
        return value
    if type(value) in SINGLE:
        return SINGLE[type(value)](value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        value = value.tolist()
    if isinstance(value, range):
        value = list(value)
    inside = [as_number, deep - 1]
    if isinstance(value, tuple | list):
        return _as_row(value, [_described(part, arrays, *inside) for part in value])
    if type(value) is dict:
        return ["dict", [[_described(part, arrays, *inside) for part in pair] for pair in value.items()]]
    if isinstance(value, numbers.Real) and not isinstance(value, np.generic):  # a fraction
        return ["float", float(value).hex()]
    if (array := _as_array(value)) is not None:
        return ["scalar" if isinstance(value, np.generic | complex) else "array", _put(array, arrays)]
    if callable(value) and not isinstance(value, type) and (number := as_number(value)) is not None:
        return ["function", number, str(getattr(value, "__name__", ""))]
    return ["something", type(value).__name__, _first_words(value)]


SINGLE = {  # type -> what stands for one value of it
    str: lambda text: ["text", text[:MOST_BYTES]],
    int: lambda number: ["int", f"{number:x}"],  # of any size, and not limited in digits as decimals are
    float: lambda number: ["float", number.hex()],
    type(...): lambda dots: ["dots"],
}


def _as_row(value, parts):
    """What stands for a tuple or a list with these parts; a tuple whose places have names keeps them."""
    if isinstance(value, list):
        return ["list", parts]
    fields = [str(name) for name in getattr(value, "_fields", ())]
    return ["named", parts, type(value).__name__, fields] if fields else ["tuple", parts]


def _as_array(value):
    """Return an array, a NumPy number or a tensor as an array of numbers or text; None for all others."""
    if not isinstance(value, np.ndarray | np.generic | complex) and not (
        hasattr(value, "numpy") and hasattr(value, "shape")
    ):
        return None
    try:
        array = np.asarray(value)
    except Exception:  # a tensor of a graph has no numbers
        return None
    if array.dtype.name == "bfloat16":  # NumPy alone cannot read TensorFlow's half
        array = array.astype(np.float16)
    masked = isinstance(value, np.ma.MaskedArray)
    return array if array.dtype.kind in "biufcUS" and not masked else None


def _put(array, arrays):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, allow_pickle=False)
    arrays.append(file.getvalue())
    return len(arrays) - 1


def _first_words(value):
    try:
        return repr(value)[:FIRST_WORDS]
    except Exception:  # an object whose own words raise
        return ""


def unpacked(message, as_function=None):
    """Return the value of a message. as_function(number, name) gives what stands for a function of the other side.

    Raises NotPlain for everything that `packed` does not write.
    """
    try:
        (count,) = struct.unpack_from(">I", message)
        sizes = struct.unpack_from(f">{count}Q", message, 4)
        pieces, place = [], 4 + 8 * count
        for size in sizes:
            pieces.append(message[place : place + size])
            place += size
        if place != len(message) or not count or sizes[0] > MOST_TEXT:
            raise NotPlain("a message of another length")
        return _value(json.loads(pieces[0]), pieces[1:], as_function or (lambda number, name: None), DEEPEST + 1)
    except NotPlain:
        raise
    except Exception as problem:  # whatever a stranger's bytes do to a reader of bytes
        raise NotPlain(f"no message: {type(problem).__name__}") from None


def _value(described, arrays, as_function, deep):
    if not deep:
        raise NotPlain("lists in lists, too deep")
    if described is None or isinstance(described, bool):
        return described
    kind, *rest = described
    inside = [arrays, as_function, deep - 1]
    if kind in ("tuple", "list", "named"):
        parts = [_value(part, *inside) for part in rest[0]]
        return parts if kind == "list" else _named(parts, *rest[1:]) if kind == "named" else tuple(parts)
    if kind == "dict":
        return {_value(key, *inside): _value(value, *inside) for key, value in rest[0]}
    if kind in ("array", "scalar"):
        array = _taken(arrays[rest[0]])
        return array[()] if kind == "scalar" else array
    readers = {
        "text": _readable,
        "int": lambda digits: int(digits, 16),
        "float": float.fromhex,
        "dots": lambda: ...,
        "function": lambda number, name: as_function(number, _readable(name)),
        "something": lambda kind, says: Something(_readable(kind), _readable(says)),
    }
    return readers[kind](*rest)


def _readable(text):
    """A text that can be written into a file: half a pair of UTF-16 has no bytes."""
    return str(text).encode("utf-8", "replace").decode()


def _taken(content):
    """The array of numbers or text that these bytes are. Raises NotPlain for one of other kinds, or without bytes."""
    array = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    if array.dtype.kind not in "biufcUS" or array.nbytes > len(content) or max(array.shape, default=0) > LONGEST_AXIS:
        raise NotPlain("an array that nobody writes")
    if array.size and not array.dtype.itemsize:
        raise NotPlain("an array without bytes")
    return array


def _named(parts, name, fields):
    """A tuple whose places have names, without its own methods. No name may be one that Python looks for itself."""
    own = [*fields, name]
    if len(fields) != len(parts) or not all(one.isidentifier() and not one.startswith("_") for one in own):
        raise NotPlain("a tuple with names that are none")
    places = {field: property(itemgetter(i)) for i, field in enumerate(fields)}
    return type(name, (tuple,), places | {"_fields": tuple(fields)})(parts)
