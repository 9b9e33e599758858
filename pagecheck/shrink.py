"""Shrinks an input on which an answer is wrong: it drops rows and makes numbers whole, as long as it stays wrong."""

from itertools import islice
from time import monotonic  # by name: an answer may replace it in its module

import numpy as np

from pagecheck.compare import close, is_finite, same
from pagecheck.run import LIMITS, THREAD_SECONDS, Limits, run

MOST_TRIES = 600  # a count, so that examples do not depend on the load of the machine
MOST_SECONDS, MOST_WAIT = 1.0, 5.0  # of computing, for a slow function; by the clock, for one that sleeps
MOST_AT_ONCE = 6
MOST_SINGLE_NUMBERS = 16
PLAIN = (0.0, 1.0, 2.0, -1.0, 3.0, -2.0)  # the easiest numbers to compute with, the easiest first
SIZES = (1, 2, 3, 4)


def smallest(exercise, answer, arguments, finite: bool = False, limits: Limits | None = LIMITS) -> tuple | None:
    """Return arguments, as small and plain as possible, on which the answer still gives wrong numbers.

    arguments: a probe on which it does. Only arguments named in exercise.shapes shrink.
    Those in exercise.tied keep their numbers; their rows that sum to 1 still do so afterwards.
    finite: whether only finite numbers of the answer count, to compare them with the right ones.
    Returns the arguments, and the outcomes of the answer and of the right function; None if none is found.
    """
    start, since = THREAD_SECONDS(), monotonic()
    smallest_case, tries = _wrong(exercise, answer, [arguments], finite, limits), 0
    n_zeros = _count_of_zeros(exercise, arguments)
    while smallest_case:
        smaller = None
        candidates = (c for c in _candidates(exercise, smallest_case[0]) if _count_of_zeros(exercise, c) <= n_zeros)
        for batch in batched(candidates):
            tries += len(batch)
            computed, passed = THREAD_SECONDS() - start, monotonic() - since
            if tries > MOST_TRIES or computed > MOST_SECONDS or passed > max(MOST_WAIT, 20 * computed):
                return smallest_case
            if smaller := _wrong(exercise, answer, batch, finite, limits):
                break
        if smaller is None:
            return smallest_case
        smallest_case = smaller
    return smallest_case


def consecutive_case(exercise, answer) -> tuple | None:
    """Return what `smallest` does, for arrays of length 2 with consecutive numbers: [1, 2] and [3, 4].

    None if an argument is not such an array, or the answer is right there.
    """
    arguments, first = [], 1
    for name, value in zip(exercise.arguments, exercise.probes[0], strict=True):
        axes = exercise.shapes.get(name)
        if not axes or axes is ... or name in exercise.tied or getattr(value, "dtype", np.dtype(bool)).kind not in "fi":
            return None
        shape = (2,) * len([axis for axis in axes if axis is not ...])
        arguments.append(np.arange(first, first + 2 ** len(shape), dtype=value.dtype).reshape(shape))
        first += 2 ** len(shape)
    return _wrong(exercise, answer, [tuple(arguments)], finite=True)


def batched(candidates):
    """Yield the candidates in small batches: the first ones succeed most often, so that the others need not run."""
    candidates = iter(candidates)
    while batch := list(islice(candidates, MOST_AT_ONCE)):
        yield batch


def _wrong(exercise, answer, candidates, finite, limits=LIMITS):
    """Return the first candidate on which the answer gives wrong numbers; None if there is none.

    NaN and infinite numbers count unless `finite`: they are wrong where finite ones are right. The right numbers in
    another shape do not: 1 and [1] look the same to a student.
    """
    candidates = [arguments for arguments in candidates if exercise.allowed(*arguments)]
    wanted = [exercise.give(arguments) for arguments in candidates]
    plain = [i for i, right in enumerate(wanted) if is_finite(right)]
    outcomes = run(answer, [candidates[i] for i in plain], len(exercise.gives), limits).outcomes
    for i, got in zip(plain, outcomes, strict=False):
        if got.problem or same(got, wanted[i]) or (finite and not is_finite(got)):
            continue
        if not all(map(_looks_alike, got.parts, wanted[i].parts)):
            return candidates[i], got, wanted[i]
    return None


def _looks_alike(got, right):
    return got.size == right.size and close(got.ravel(), right.ravel())


def _count_of_zeros(exercise, arguments):
    """The number of arguments that are all zeros, which show little."""
    named = zip(exercise.arguments, arguments, strict=True)
    arrays = [v for n, v in named if isinstance(v, np.ndarray) and v.dtype.kind == "f" and n not in exercise.tied]
    return sum(bool(array.size and not array.any()) for array in arrays)


def _candidates(exercise, arguments):
    """Yield smaller arguments: without a leading axis, with fewer positions, then with plainer numbers."""
    named, axes = axes_in(exercise, arguments)
    yield from _without_leading_axis(exercise, named)
    for positions in _fewer(axes, named):
        yield tuple(take(value, axes.get(name, ()), positions, name in exercise.tied) for name, value in named.items())
    whole = {name: _whole(named[name]) for name in axes if name not in exercise.tied and _has_fractions(named[name])}
    if whole:
        yield tuple((named | whole).values())
    for name in axes:
        for plainer in _plainer(named[name], name in exercise.tied):
            yield tuple((named | {name: plainer}).values())


def axes_in(exercise, arguments):
    """Return {argument: value}, and {argument: the names of its axes} for those that may shrink."""
    named, shapes = dict(zip(exercise.arguments, arguments, strict=True)), exercise.shapes
    shrinkable = [name for name, value in named.items() if name in shapes and not isinstance(value, str | None)]
    return named, {name: axes_of(shapes[name], name, named[name]) for name in shrinkable}


def axes_of(axes, name, value):
    """Return the names of the axes of one argument; `...` means all its axes.

    Before other names `...` means leading axes, which keep all their positions or disappear.

    >>> axes_of((..., "n", "d"), "Q", np.ones((2, 3, 4)))
    ('', 'n', 'd')
    """
    if axes is ...:
        return tuple(f"{name} {i}" for i in range(np.ndim(value)))
    return ("",) * (np.ndim(value) - len(axes) + 1) + axes[1:] if _has_more(axes) else axes


def _without_leading_axis(exercise, named):
    """Yield the arguments at one index of their first leading axis: one sentence of a batch, one head of a sentence.

    An argument with fewer axes, or with length 1 there, serves all indices.
    """
    leading = {
        name: np.ndim(named[name]) - len(axes) + 1
        for name, axes in exercise.shapes.items()
        if _has_more(axes) and named[name] is not None
    }
    most = max((np.ndim(named[name]) for name in leading), default=0)
    outer = [name for name in leading if np.ndim(named[name]) == most]
    if outer and all(leading[name] for name in outer):
        for index in range(max(len(named[name]) for name in outer)):
            yield tuple((named | {name: named[name][index % len(named[name])] for name in outer}).values())


def _has_more(axes):
    """Tell whether these axes begin with `...`."""
    return axes is not ... and axes[:1] == (...,)


def _fewer(axes, named):
    """Yield {axis: positions to keep}: few on all axes; a half, all but two, all but one; then on two equal axes."""
    sizes = {axis: size for name in axes for axis, size in zip(axes[name], np.shape(named[name]), strict=True) if axis}
    lengths = {axis: size for axis, size in sizes.items() if size > 1}
    for few in (1, 2, 3):
        if any(size > few for size in lengths.values()):
            yield {axis: np.arange(min(few, size)) for axis, size in lengths.items()}
    for axis, size in lengths.items():
        positions = np.arange(size)
        if size > 3:
            halves_and_pairs = positions[: size // 2], positions[size // 2 :], positions[:-2], positions[2:]
            yield from ({axis: part} for part in halves_and_pairs)
        yield from ({axis: np.delete(positions, position)} for position in reversed(positions))
    for axis, size in lengths.items():
        yield from (
            dict.fromkeys((axis, other), np.arange(size - 1))
            for other in lengths
            if other > axis and lengths[other] == size
        )


def take(value, axes, positions, tied):
    """Return an argument with these positions of its axes; rows that summed to 1 do so again."""
    if isinstance(value, list):
        return [value[i] for i in positions[axes[0]]] if axes and axes[0] in positions else value
    shares = tied and _are_shares(value)
    for i, axis in enumerate(axes):
        if axis in positions:
            value = np.take(value, positions[axis], axis=i)
    if not shares or np.allclose(value.sum(-1), 1):
        return value
    total = value.sum(-1, keepdims=True)
    return np.where(total > 0, value / np.where(total > 0, total, 1), 1 / value.shape[-1])


def _has_fractions(value):
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and not np.array_equal(value, _whole(value))


def _whole(value):
    """Return an array with small whole numbers; only zeros become 0."""
    return np.clip(np.sign(value) * np.ceil(abs(value)), -2, 2) + 0.0


def _are_shares(value):
    return np.ndim(value) > 0 and value.dtype.kind == "f" and (value >= 0).all() and np.allclose(value.sum(-1), 1)


def _plainer(value, tied):
    """Yield an argument with plainer numbers: all at once, or one at a time."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        yield from (type(value)(size) for size in SIZES if size < value)
    elif isinstance(value, float):  # a rate, a temperature: not 0
        yield from (number for number in (1.0, 2.0) if value not in (0.0, 1.0, 2.0) and np.isfinite(value))
    elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
        yield from _plainer_shares(value) if tied else _plainer_numbers(value)


def _plainer_shares(value):
    """Yield rows that still sum to 1: equal shares, or nearly all of them plain."""
    if not _are_shares(value) or (n := value.shape[-1]) < 2 or np.isin(value, (0, 0.25, 0.5, 0.75, 1, 1 / n)).all():
        return
    for row in ([0.5, 0.5, *[0] * (n - 2)], [0.25, 0.75, *[0] * (n - 2)], [1 / n] * n):
        yield np.broadcast_to(row, value.shape).copy()


def _plainer_numbers(value):
    costs = _costs(value)
    for whole in (np.clip(np.round(value), -2, 2) + 0.0, _whole(value)):
        if _costs(whole).sum() < costs.sum():
            yield whole
    if value.size <= MOST_SINGLE_NUMBERS:
        for index in zip(*np.nonzero(costs), strict=True):
            for number in PLAIN[: int(costs[index])]:
                plainer = value.copy()
                plainer[index] = number
                yield plainer


def _costs(value):
    """Return the index of each number in PLAIN, or its length for others."""
    costs = np.full(value.shape, len(PLAIN))
    for cost, number in reversed(list(enumerate(PLAIN))):
        costs[value == number] = cost
    return costs
