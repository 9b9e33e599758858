"""Ways in which an outcome can differ from the right one that need no fault model: they are the same in every exercise.

Each relation looks at what came back and what is right, for all probes: lists of arrays.
Names of relations are ids of mistakes.
"""

import numpy as np

from course_utils.checks.engine.outcome import close


def find_relation(got, right):
    """Return the id of the first relation that holds for every probe, or None. got, right: lists of arrays."""
    for id, holds in RELATIONS.items():
        try:
            if holds(got, right):
                return id
        except (ValueError, IndexError, ZeroDivisionError):
            continue
    return None


def each(test):
    """Return the relation that holds when `test` holds for one probe after the other."""
    return lambda got, right: all(test(g, r) for g, r in zip(got, right, strict=True))


def any_of(tests):
    """Return the relation that holds when one and the same test holds for all probes."""
    return lambda got, right: any(each(test)(got, right) for test in tests)


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
    there = right != 0
    return got.any() and close(got[~there], right[~there]) and _constant(got[there] / right[there])


def _offset(got, right):
    got, right = _flat(got, right)
    return _constant(got - right)


def _flat(got, right):
    """All numbers of all probes in one row each; an IndexError where a shape differs, which no relation survives."""
    if [g.shape for g in got] != [r.shape for r in right]:
        raise IndexError
    return np.concatenate([g.ravel() for g in got]), np.concatenate([r.ravel() for r in right])


def _constant(values):
    return len(values) > 2 and np.isfinite(values).all() and np.allclose(values, values[0], rtol=1e-4, atol=1e-6)


def _accumulated(got, right):
    return right.ndim > 0 and len(right) > 1 and close(got, np.cumsum(right, axis=0))


def _only_one_end(last):
    """The first (or last) row or column is wrong, the others are right."""

    def test(axis):
        def one_end(got, right):
            if got.shape != right.shape or right.ndim <= axis or right.shape[axis] < 2:
                return False
            got, right = np.moveaxis(got, axis, 0), np.moveaxis(right, axis, 0)
            return close(got[:-1], right[:-1]) if last else close(got[1:], right[1:])

        return one_end

    return any_of([test(0), test(1)])


def _moved(move):
    """The numbers stand in other places: `move` along the first or the last axis."""
    return any_of([lambda got, right, axis=axis: right.ndim > 0 and close(got, move(right, axis)) for axis in (0, -1)])


RELATIONS = {
    "shape-extra-axis": each(_extra_axis),
    "transposed": each(_transposed),
    "shape-flat": each(_reshaped),
    "returns-first-only": each(_row(0)),
    "returns-last-only": each(_row(-1)),
    "rounded": any_of([_rounded(digits) for digits in range(5)]),
    "truncated": each(_truncated),
    "sign": each(lambda got, right: close(got, -right)),
    "factor": _factor,
    "offset": _offset,
    "last-missing": _only_one_end(last=True),
    "first-missing": _only_one_end(last=False),
    "rows-accumulate": each(_accumulated),
    "reversed": _moved(np.flip),
    "shifted": any_of([lambda g, r, s=s: r.ndim > 0 and close(g, np.roll(r, s, axis=0)) for s in (1, -1)]),
    "sorted": each(lambda got, right: right.ndim > 0 and close(got, np.sort(right))),
}
