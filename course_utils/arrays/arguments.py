"""One wording for bad input: the argument, its shape, and the shape wanted. NumPy only.

Every public function of the course calls these first, so that bad input gives a sentence and not a wrong number.
"""

import math
from numbers import Integral, Real

import numpy as np

from course_utils.arrays.shapes import Array


def wrong(name: str, value: object, wanted: str) -> ValueError:
    """Return (not raise) the error that says what the argument `name` is and what was expected instead.

    >>> wrong("Q", np.zeros((2, 3, 0)), "at least one number on every axis")
    ValueError('Q has shape (2, 3, 0) and dtype float64; wanted: at least one number on every axis')
    """
    if isinstance(value, np.ndarray):
        return ValueError(f"{name} has shape {value.shape} and dtype {value.dtype}; wanted: {wanted}")
    return ValueError(f"{name} is {shorten(value)} ({type(value).__name__}); wanted: {wanted}")


def shorten(value: object, most: int = 60) -> str:
    """Return repr(value) on one line of at most `most` characters."""
    text = " ".join(repr(value).split())
    return text if len(text) <= most else text[: most - 3] + "..."


def as_array(name: str, value: object, shape: str) -> np.ndarray:
    """Return `value` as an array of any dtype. Raises ValueError for input without a shape, such as a ragged list."""
    try:
        return np.asarray(value)
    except (ValueError, TypeError) as problem:
        raise wrong(name, value, f"{shape}, all rows equally long") from problem


def as_numbers(name: str, value: object, shape: str, *, rank: int = 0, exact: bool = False) -> np.ndarray:
    """Return `value` as an array of real floats of at least `rank` axes (or exactly `rank`), none of them empty.

    Integers and booleans become float64; a float dtype is kept. `shape` is the expected shape in words, for the error.
    Raises ValueError for non-numeric input, a wrong rank or an empty axis.
    """
    array = as_array(name, value, shape)
    if array.dtype.kind not in "fiub":
        raise wrong(name, array, f"{shape}, real numbers")
    if array.ndim < rank or (exact and array.ndim != rank):
        raise wrong(name, array, shape)
    if array.size == 0:
        raise wrong(name, array, f"{shape} with no empty axis")
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def as_finite(name: str, value: object, shape: str, **rank: int) -> np.ndarray:
    """Return `value` as `as_numbers` does, but refuse NaN and infinity; the error says where the first one is."""
    array = as_numbers(name, value, shape, **rank)
    if not np.isfinite(array).all():
        position = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise wrong(name, array, f"{shape}, finite numbers; {array[position]} stands at {position}")
    return array


def as_count(name: str, value: object, *, least: int = 1, most: int | None = None) -> int:
    """Return `value` as an int between `least` and `most`; True and 3.0 are not counts."""
    wanted = f"a whole number of at least {least}" if most is None else f"a whole number from {least} to {most}"
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise wrong(name, value, wanted)
    if value < least or (most is not None and value > most):
        raise wrong(name, value, wanted)
    return int(value)


def as_real(name: str, value: object, *, wanted: str = "a finite number") -> float:
    """Return `value` as a finite float; True is not a number here."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise wrong(name, value, wanted)
    try:
        number = float(value)
    except OverflowError as problem:  # an int or a fraction beyond the largest float
        raise wrong(name, value, wanted) from problem
    if not math.isfinite(number):
        raise wrong(name, value, wanted)
    return number


def as_tokens(tokens: object, vocab_size: int, seq_len: int | None = None) -> Array["n, seq_len"]:
    """Return `tokens` as int32. Raises ValueError for anything but whole numbers from 0 to vocab_size - 1.

    seq_len None: rows of any length.

    >>> as_tokens([[0, 42]], vocab_size=51, seq_len=2)
    array([[ 0, 42]], dtype=int32)
    """
    wanted = f"(n, {'n_tokens' if seq_len is None else seq_len}), whole numbers from 0 to {vocab_size - 1}"
    array = as_array("tokens", tokens, wanted)  # (n, seq_len)
    fits = array.ndim == 2 and seq_len in (None, array.shape[1])
    if not fits or array.dtype.kind not in "iu" or not array.size:
        raise wrong("tokens", array, wanted)
    if array.min() < 0 or array.max() >= vocab_size:
        raise wrong("tokens", array, f"{wanted}; these reach from {array.min()} to {array.max()}")
    return array.astype(np.int32)
