"""How numbers are said: with two digits, the largest of a row by name and the rest summed, a curve from end to end."""

import re
from collections.abc import Callable, Sequence

import numpy as np

from course_utils.arrays.shapes import Array

MOST_NAMED = 3  # values of a long row that are named; the others are summed, or have a range
SHORT = 6  # values that are all named
COUNTS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def writer(values: Array, small: bool = False, whole: bool = False) -> Callable[[float], str]:
    """Return how numbers of this size are written: whole, with two decimals, or with two digits that count.

    small: they differ by powers of ten. whole: 6 instead of 6.00.

    >>> writer([0.125, 2.0])(2.0), writer([1.0, 2.0])(2.0), writer([0.001, -0.02])(-0.02)
    ('2.00', '2', '−0.02')
    """
    values = np.asarray(values, dtype=float).ravel()
    values = values[np.isfinite(values)]
    largest = np.abs(values).max(initial=0)
    if np.array_equal(values, values.round()) and largest < 1e6:
        form = "{:,.0f}"
    elif small or largest < 0.05 or largest >= 1e6:
        form = "{:.2g}"
    else:
        form = "{:,.2f}"

    def write(value):
        if not np.isfinite(value):
            return "–"
        is_far = form == "{:.2g}" and not 1e-4 <= abs(value) < 1e6  # outside the range where two digits are reliable
        text = ("{:.1g}" if is_far else "{:,.0f}" if abs(value) >= 100 else form).format(value)
        if whole:
            text = text.removesuffix(".00")
        return re.sub("^-", "−" if re.search("[1-9]", text) else "", text)

    return write


def row_text(names: Sequence[str], values: Array["n"], write: Callable[[float], str]) -> str:
    """Return the values of one row by name, the largest first; the others summed, or with their range.

    >>> names = ["The", "movie", "was", "not", "good", "but", "amazing"]
    >>> row_text(names, [0, 0, 0, 0.67, 0, 0, 0.33], "{:.2f}".format)
    'not 0.67, amazing 0.33, the five others 0.00 together'
    >>> row_text(names, [1, 1, 1, 0, 0, 0, 0], "{:.0f}".format)
    '1 each at The to was, 0 elsewhere'
    """
    values = np.asarray(values, dtype=float)
    written = [*map(write, values)]
    if len(values) > 1 and len(set(written)) == 1:
        return f"{written[0]} each"
    if len(values) > MOST_NAMED and len(set(written)) == 2 and write(0) in written:
        (one,) = {*written} - {write(0)}
        chosen = [text == one for text in written]
        return f"{one}{' each' if sum(chosen) > 1 else ''} at {_runs(names, chosen)}, {write(0)} elsewhere"
    if len(values) <= SHORT:
        is_tiny = [text == "0.00" and value > 0 for value, text in zip(values, written, strict=True)]
        written = ["under 0.01" if tiny else text for tiny, text in zip(is_tiny, written, strict=True)]
        return ", ".join(f"{name} {text}" for name, text in zip(names, written, strict=True))
    return _largest(names, values, write)


def _largest(names, values, write):
    """Return the largest values by name, and the others."""
    order = np.argsort(-values.round(6), kind="stable")
    top = [i for i in order[:MOST_NAMED] if abs(values[i]) >= 0.005] or [order[0]]
    rest = values[[i for i in order if i not in top]]
    said = ", ".join(f"{names[i]} {write(values[i])}" for i in top)
    others = f"the {count_in_words(len(rest))} others"
    if rest.min() >= 0 and values.sum() < 1.001:  # shares of one whole
        return f"{said}, {others} {write(rest.sum())} together"
    ranged = f"{said}, {others} {reach(rest, write)}"
    if write(rest.min()) == write(rest.max()):
        return f"{ranged} each"
    lowest = [name for name, value in zip(names, values, strict=True) if write(value) == write(rest.min())]
    return f"{ranged}, the lowest {lowest[0]}" if len(lowest) == 1 else ranged


def _runs(names, is_one):
    """Return the names that are chosen, neighbours as `first to last`."""
    edges = np.flatnonzero(np.diff([0, *map(int, is_one), 0])).reshape(-1, 2)
    said = [names[a] if b - a == 1 else f"{names[a]} {'to' if b - a > 2 else 'and'} {names[b - 1]}" for a, b in edges]
    return ", ".join(said)


def reach(values: Array["n"], write: Callable[[float], str]) -> str:
    """Return from where to where values go."""
    low, high = write(values.min()), write(values.max())
    return low if low == high else f"from {low} to {high}"


def count_in_words(n: int) -> str:
    """Return a number of things, as a word up to twelve."""
    return COUNTS[n] if n < len(COUNTS) else str(n)


def course(x: Array["n"], y: Array["n"], write_x: Callable[[float], str], write: Callable[[float], str]) -> str:
    """Return in words where a curve begins, where it ends, and how far it goes between.

    >>> course(np.arange(3), np.array([0.5, 0.9, 0.6]), str, str)
    'from 0.5 at 0 to 0.6 at 2, highest 0.9 at 1'
    >>> course(np.arange(3), np.array([0.5, 0.9, 1.0]), str, str)
    'from 0.5 at 0 to 1.0 at 2, 0.9 at 1 on the way'
    """
    x, y = x[np.isfinite(y)], y[np.isfinite(y)]
    if not len(y):
        return "nothing to see"
    if write(y.min()) == write(y.max()):
        return f"{write(y[0])} throughout, from {write_x(x[0])} to {write_x(x[-1])}"
    said = ends_only = f"from {write(y[0])} at {write_x(x[0])} to {write(y[-1])} at {write_x(x[-1])}"
    ends, margin = sorted([y[0], y[-1]]), 0.02 * (y.max() - y.min())
    for word, at, is_beyond in (
        ("highest", int(y.round(9).argmax()), y.max() > ends[1] + margin),
        ("lowest", int(y.round(9).argmin()), y.min() < ends[0] - margin),
    ):
        said += f", {word} {write(y[at])} at {write_x(x[at])}" if is_beyond else ""
    middle = len(y) // 2
    straight = np.interp(x[middle], [x[0], x[-1]], [y[0], y[-1]])
    if said == ends_only and abs(y[middle] - straight) > 0.1 * (y.max() - y.min()):  # it rises early, or late
        said += f", {write(y[middle])} at {write_x(x[middle])} on the way"
    return said
