"""What came back from the student's function, as plain arrays; and when two outcomes are the same."""

import numbers
import types
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy import ma  # loaded here, and not inside a check: it is a new name of NumPy

from course_utils.checks.engine.grammar import with_article


class Outcome(NamedTuple):
    """The parts of what came back as arrays (usually one), or the problem that stands in their place.

    problem: "" or a mistake's id. detail: what the message about it needs. trace: the error's traceback, as text.
    """

    parts: tuple[np.ndarray, ...] = ()
    problem: str = ""
    detail: str = ""
    trace: str = ""


RAISED = Outcome(problem="raises")

# (relative, absolute) for each width of float.
# Students may compute in float32, or in TensorFlow, and hand back float64:
# so float64 gets what float32 needs, which is some hundred roundings of 6e-8. float16 rounds at 5e-4.
# These are not generous: a test holds that on the probes every fault moves some number by many times more.
TOLERANCES = {8: (1e-5, 1e-6), 4: (1e-5, 1e-6), 2: (4e-3, 2e-3)}


def same(got: Outcome, wanted: Outcome) -> bool:
    """Tell whether two outcomes are the same: shapes, numbers within the rounding of their dtype, and problems."""
    if got.problem or wanted.problem:
        return got.problem == wanted.problem or (_is_arithmetic(got) and not np.isfinite(wanted.parts[0]).all())
    return len(got.parts) == len(wanted.parts) and all(map(close, got.parts, wanted.parts))


def is_finite(outcome) -> bool:
    """Tell whether numbers came, and all of them are finite."""
    return not outcome.problem and all(np.isfinite(part).all() for part in outcome.parts)


def _is_arithmetic(outcome):
    """Tell whether Python raised where NumPy gives inf or NaN: math.exp(1000), 1 / 0."""
    return outcome.detail.startswith(("OverflowError", "ZeroDivisionError", "FloatingPointError"))


def close(got, wanted) -> bool:
    """Tell whether two arrays have one shape and one set of numbers, NaN and infinity in the same places."""
    if got.shape != wanted.shape:
        return False
    relative, absolute = TOLERANCES.get(got.dtype.itemsize if got.dtype.kind == "f" else 8, TOLERANCES[8])
    with np.errstate(all="ignore"):
        near = abs(np.subtract(got, wanted, dtype=float)) <= absolute + relative * abs(wanted)
    if np.isfinite(wanted).all():
        return bool(near.all())
    alike = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    return bool(np.where(np.isfinite(wanted), near, alike).all())


def as_outcome(value, n_parts) -> Outcome:
    """Return what a function gave back as an Outcome of n_parts arrays, whatever it is."""
    if n_parts == 1:
        return _one(value)
    if problem := _kind_of(value):
        return Outcome(problem=problem, detail=kind_in_words(value))
    if not isinstance(value, tuple | list) and np.shape(value)[:1] != (n_parts,):
        return Outcome(problem="returns-too-few", detail="1")
    if len(value) != n_parts:
        problem = "returns-too-few" if len(value) < n_parts else "returns-too-many"
        return Outcome(problem=problem, detail=str(len(value)))
    parts = [_one(part) for part in value]
    return next((part for part in parts if part.problem), Outcome(tuple(part.parts[0] for part in parts if part.parts)))


def _one(value):
    if type(value) is np.ndarray and value.dtype.kind in "fiub":  # what nearly every call gives: no question is asked
        return Outcome((np.array(value),))
    if problem := _kind_of(value):
        return Outcome(problem=problem, detail=kind_in_words(value))
    if isinstance(value, tuple) and any(np.ndim(part) for part in value if hasattr(part, "shape")):
        return _stacked([_one(part) for part in value])
    try:
        array = np.array(value)  # a copy: the student may hand back a view, or the same buffer twice
    except (ValueError, TypeError) as error:
        problem = "returns-ragged" if "inhomogeneous" in str(error) else "returns-no-numbers"
        return Outcome(problem=problem, detail=kind_in_words(value))
    if array.dtype.name == "bfloat16":  # TensorFlow's half: NumPy calls it a void
        array = array.astype(np.float16)
    if array.dtype.kind == "O" and all(isinstance(number, numbers.Real) for number in array.flat):
        array = array.astype(float)  # whole numbers beyond 64 bits, fractions
    if array.dtype.kind not in "fiub":
        return Outcome(problem="returns-no-numbers", detail=kind_in_words(value, array))
    return Outcome((array,))


def _stacked(parts):
    """Arrays of one shape in a tuple are an array, as in a list; what else a tuple holds are several results."""
    arrays = [part.parts[0] for part in parts if part.parts and not part.problem]
    if len(arrays) == len(parts) and len({array.shape for array in arrays}) == 1:
        return Outcome((np.stack(arrays),), detail=f"tuple of {len(parts)}")
    return Outcome(tuple(arrays), "returns-tuple", str(len(parts)))


KINDS = {"c": "complex numbers", "U": "text", "S": "bytes", "O": "Python objects", "M": "dates", "m": "times"}


def kind_in_words(value, array=None):
    """Return what came, with its article: a dict, an array of complex numbers."""
    if array is not None and (array.ndim or isinstance(value, np.ndarray)):
        return f"an array of {KINDS.get(array.dtype.kind, 'records')}"
    return with_article(type(value).__name__.replace("ndarray", "array"))


def owned(values):
    """Return what somebody has who passes these values to a function: an array or a list, by its name alone.

    >>> owned([np.ones(3)]), owned([["a"]]), owned([np.ones(3), ["a"]])
    ('array', 'list', 'input')
    """
    kinds = {"array" if isinstance(value, np.ndarray) else type(value).__name__ for value in values}
    return kinds.pop() if len(kinds) == 1 else "input"


def _kind_of(value):
    """Return the id of something that cannot be an answer, "" for what may be one."""
    if value is None or value is ...:
        return "returns-nothing"
    if isinstance(value, Iterator):
        return "returns-generator"
    if _is_masked(value):
        return "returns-masked"
    if isinstance(value, str | bytes | dict | set | frozenset):
        return "returns-no-numbers"
    if isinstance(value, type | types.FunctionType | types.MethodType | types.BuiltinFunctionType | np.ufunc):
        return "returns-function"
    return ""


def _is_masked(value, deep=4):
    """Tell whether a place is masked, also in a list of lists: NumPy would read what lies below the mask."""
    inside = isinstance(value, list | tuple) and deep
    return ma.is_masked(value) or (bool(inside) and any(_is_masked(part, deep - 1) for part in value))
