"""Compares results: what a function returned, as plain arrays, and how it differs from the right result."""

import numbers
import types
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy import ma  # loaded early: during a check it would look like a name that the answer added to NumPy


class Outcome(NamedTuple):
    """The outcome of one call: its results as arrays (usually one), or a problem.

    problem: "" or the id of a mistake. detail: what the message about it needs. trace: the traceback of an error.
    """

    parts: tuple[np.ndarray, ...] = ()
    problem: str = ""
    detail: str = ""
    trace: str = ""


RAISED = Outcome(problem="raises")
MOST_NUMBERS = 10_000_000  # per result: the probes are tiny, and copying more takes seconds

# (relative, absolute) for each width of float. Students may compute in float32 or in TensorFlow and return float64,
# so float64 gets what float32 needs, which is some hundred roundings of 6e-8. float16 rounds at 5e-4. These are not
# too generous: a test proves that every mistake changes some number by many times more.
TOLERANCES = {8: (1e-5, 1e-6), 4: (1e-5, 1e-6), 2: (4e-3, 2e-3)}


def same(got: Outcome, wanted: Outcome) -> bool:
    """Tell whether two outcomes agree: in shapes, in numbers up to the rounding of their dtype, and in problems."""
    if got.problem or wanted.problem:
        return got.problem == wanted.problem or (_is_arithmetic(got) and not np.isfinite(wanted.parts[0]).all())
    return len(got.parts) == len(wanted.parts) and all(map(close, got.parts, wanted.parts))


def is_finite(outcome: Outcome) -> bool:
    """Tell whether an outcome holds numbers, all of them finite."""
    return not outcome.problem and all(np.isfinite(part).all() for part in outcome.parts)


def _is_arithmetic(outcome):
    """Tell whether Python raised where NumPy gives inf or NaN: math.exp(1000), 1 / 0."""
    return outcome.detail.startswith(("OverflowError", "ZeroDivisionError", "FloatingPointError"))


def close(got: np.ndarray, wanted: np.ndarray) -> bool:
    """Tell whether two arrays have the same shape and numbers, with NaN and infinity in the same positions."""
    if got.shape != wanted.shape:
        return False
    relative, absolute = TOLERANCES.get(got.dtype.itemsize if got.dtype.kind == "f" else 8, TOLERANCES[8])
    with np.errstate(all="ignore"):
        near = abs(np.subtract(got, wanted, dtype=float)) <= absolute + relative * abs(wanted)
    if np.isfinite(wanted).all():
        return bool(near.all())
    equal = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    return bool(np.where(np.isfinite(wanted), near, equal).all())


def as_outcome(value: object, n_parts: int) -> Outcome:
    """Return whatever a function returned as an Outcome of n_parts arrays."""
    if n_parts == 1:
        return _one(value)
    if problem := _problem_of(value):
        return Outcome(problem=problem, detail=kind_in_words(value))
    if not isinstance(value, tuple | list) and np.shape(value)[:1] != (n_parts,):
        return Outcome(problem="returns-too-few", detail="1")
    if len(value) != n_parts:
        if len(value) and all(isinstance(group, tuple | list) and len(group) == n_parts for group in value):
            return Outcome(problem="returns-grouped", detail=str(len(value)))
        problem = "returns-too-few" if len(value) < n_parts else "returns-too-many"
        return Outcome(problem=problem, detail=str(len(value)))
    parts = [_one(part) for part in value]
    return next((part for part in parts if part.problem), Outcome(tuple(part.parts[0] for part in parts if part.parts)))


def _one(value):
    if isinstance(value, np.ndarray) and value.size > MOST_NUMBERS:
        return Outcome(problem="too-large", detail=f"an array of shape {value.shape}")
    if type(value) is np.ndarray and value.dtype.kind in "fiub":  # a fast path for nearly every call
        return Outcome((np.array(value),))
    if problem := _problem_of(value):
        return Outcome(problem=problem, detail=kind_in_words(value))
    if isinstance(value, tuple) and any(np.ndim(part) for part in value if hasattr(part, "shape")):
        return _stacked([_one(part) for part in value])
    try:
        array = np.array(value)  # a copy: the student may return a view, or the same buffer twice
    except (ValueError, TypeError) as error:
        problem = "returns-ragged" if "inhomogeneous" in str(error) else "returns-no-numbers"
        several = problem == "returns-ragged" and isinstance(value, tuple)
        return Outcome((), "returns-tuple", str(len(value))) if several else Outcome((), problem, kind_in_words(value))
    if array.dtype.name == "bfloat16":  # TensorFlow's half precision, a void to NumPy
        array = array.astype(np.float16)
    if array.dtype.kind == "O" and all(isinstance(number, numbers.Real) for number in array.flat):
        try:
            array = array.astype(float)  # whole numbers beyond 64 bits, fractions
        except OverflowError:
            return Outcome(problem="too-large", detail="a whole number of more than 308 digits")
    if array.dtype.kind not in "fiub":
        return Outcome(problem="returns-no-numbers", detail=kind_in_words(value, array))
    return Outcome((array,), detail="list" if isinstance(value, list) else "")


def _stacked(parts):
    """Read arrays of one shape in a tuple as one array, as in a list; anything else in a tuple is several results."""
    arrays = [part.parts[0] for part in parts if part.parts and not part.problem]
    if len(arrays) == len(parts) and len({array.shape for array in arrays}) == 1:
        return Outcome((np.stack(arrays),), detail=f"tuple of {len(parts)}")
    return Outcome(tuple(arrays), "returns-tuple", str(len(parts)))


FUNCTIONS = types.FunctionType | types.MethodType | types.BuiltinFunctionType | np.ufunc
KINDS = {"c": "complex numbers", "U": "text", "S": "bytes", "O": "Python objects", "M": "dates", "m": "times"}


def kind_in_words(value: object, array: np.ndarray | None = None) -> str:
    """Return what a value is, with its article: a dict, an array of complex numbers."""
    if array is not None and (array.ndim or isinstance(value, np.ndarray)):
        return f"an array of {KINDS.get(array.dtype.kind, 'records')}"
    return "a class" if isinstance(value, type) else with_article(type(value).__name__.replace("ndarray", "array"))


def with_article(word: str) -> str:
    """Return a word with its article, a or an.

    >>> with_article("array"), with_article("ufunc"), with_article("generator")
    ('an array', 'a ufunc', 'a generator')
    """
    return f"{'an' if word[:1].lower() in 'aeio' else 'a'} {word}"


def _problem_of(value):
    """Return the id of the mistake if a value cannot be an answer, "" if it may be one."""
    if value is None or value is ...:
        return "returns-nothing"
    if isinstance(value, Iterator):
        return "returns-generator"
    if _is_masked(value):
        return "returns-masked"
    if isinstance(value, str | bytes | dict | set | frozenset):
        return "returns-no-numbers"
    if isinstance(value, type | FUNCTIONS) or (callable(value) and not hasattr(value, "shape")):  # an uncalled layer
        return "returns-function"
    return ""


def _is_masked(value, depth=4):
    """Tell whether some position is masked, in nested lists too: NumPy would read the data below the mask."""
    parts = isinstance(value, list | tuple) and depth
    return ma.is_masked(value) or (bool(parts) and any(_is_masked(part, depth - 1) for part in value))


# Relations: ways in which all results can differ from the right ones, in any exercise.


def find_relation(got: Sequence[np.ndarray], right: Sequence[np.ndarray]) -> str | None:
    """Return the id of the first relation between results and right ones that holds for every input, or None."""
    for id, holds in RELATIONS.items():
        try:
            if holds(got, right):
                return id
        except (ValueError, IndexError, ZeroDivisionError):
            continue
    return None


def _each(test: Callable) -> Callable:
    """The relation that holds when `test` holds for every input."""
    return lambda got, right: all(test(g, r) for g, r in zip(got, right, strict=True))


def _any_of(tests: Sequence[Callable]) -> Callable:
    """The relation that holds when one of these tests holds for every input."""
    return lambda got, right: any(_each(test)(got, right) for test in tests)


def _extra_axis(got, right):
    return got.shape != right.shape and close(got.squeeze(), right.squeeze())


def _transposed(got, right):
    return right.ndim > 1 and close(np.swapaxes(got, -1, -2), right)


def _reshaped(got, right):
    return got.shape != right.shape and got.size == right.size and close(got.reshape(right.shape), right)


def _row(k):
    return lambda got, right: right.ndim and len(right) > 1 and close(got, right[k])


def _rounded(digits):
    return lambda got, right: bool(close(got, right.round(digits)) and (got != right).any())


def _truncated(got, right):
    return got.shape == right.shape and bool((got == np.trunc(right)).all())


def _factor(got, right):
    got, right = _flat(got, right)
    is_nonzero = right != 0
    return (
        got.any() and close(got[~is_nonzero], right[~is_nonzero]) and _is_constant(got[is_nonzero] / right[is_nonzero])
    )


def _offset(got, right):
    got, right = _flat(got, right)
    return _is_constant(got - right)


def _flat(got, right):
    """Flatten and join the arrays of each side. Raises IndexError if a shape differs: then no relation holds."""
    if [g.shape for g in got] != [r.shape for r in right]:
        raise IndexError
    return np.concatenate([g.ravel() for g in got]), np.concatenate([r.ravel() for r in right])


def _is_constant(values):
    return len(values) > 2 and np.isfinite(values).all() and np.allclose(values, values[0], rtol=1e-4, atol=1e-6)


def _accumulated(got, right):
    return right.ndim > 0 and len(right) > 1 and close(got, np.cumsum(right, axis=0))


def _only_one_end(last):
    """The first (or last) row or column is wrong, and the others are right."""

    def along(axis):
        def holds(got, right):
            if got.shape != right.shape or right.ndim <= axis or right.shape[axis] < 2:
                return False
            got, right = np.moveaxis(got, axis, 0), np.moveaxis(right, axis, 0)
            return close(got[:-1], right[:-1]) if last else close(got[1:], right[1:])

        return holds

    return _any_of([along(0), along(1)])


def _moved(move):
    """The numbers are in other positions along the first or the last axis."""
    return _any_of([lambda got, right, axis=axis: right.ndim > 0 and close(got, move(right, axis)) for axis in (0, -1)])


RELATIONS = {
    "shape-extra-axis": _each(_extra_axis),
    "transposed": _each(_transposed),
    "shape-flat": _each(_reshaped),
    "returns-first-only": _each(_row(0)),
    "returns-last-only": _each(_row(-1)),
    "rounded": _any_of([_rounded(digits) for digits in range(5)]),
    "truncated": _each(_truncated),
    "sign": _each(lambda got, right: close(got, -right)),
    "factor": _factor,
    "offset": _offset,
    "last-missing": _only_one_end(last=True),
    "first-missing": _only_one_end(last=False),
    "rows-accumulate": _each(_accumulated),
    "reversed": _moved(np.flip),
    "shifted": _any_of([lambda g, r, s=s: r.ndim > 0 and close(g, np.roll(r, s, axis=0)) for s in (1, -1)]),
    "sorted": _each(lambda got, right: right.ndim > 0 and close(got, np.sort(right))),
}
