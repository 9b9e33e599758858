"""What a call costs, and how the cost grows: seconds, bytes, and the power of n. NumPy only."""

import time
import tracemalloc
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from course_utils.arrays.arguments import as_finite, wrong
from course_utils.arrays.shapes import Array

LEAST = 0.03  # seconds of a measurement: two ticks of the coarsest clock, which is that of Windows


class Power(NamedTuple):
    """The exponent p of values that grow as n**p, and its standard error."""

    exponent: float
    error: float

    def __str__(self) -> str:
        return f"{self.exponent:.2f} ± {self.error:.2f}"


def seconds(function: Callable, *arguments: object) -> float:
    """Return the processor time of one call, in seconds: the fastest of three rounds, after one call to warm up.

    A round makes as many calls as fill 0.03 seconds. Other programs and threads do not count.
    Where NumPy computes on one core, this is the time that a clock shows on an idle computer.

    >>> seconds(sum, range(100_000)) > seconds(sum, range(1000))
    True
    """
    function(*arguments)
    return min(_round(function, arguments) for _ in range(3))


def _round(function, arguments):
    start, calls = time.thread_time(), 0
    while time.thread_time() < start + LEAST:
        function(*arguments)
        calls += 1
    return (time.thread_time() - start) / calls


def peak_bytes(function: Callable, *arguments: object) -> int:
    """Return the largest number of bytes that one call uses at a time, with its result and without its arguments.

    >>> 8000 <= peak_bytes(np.ones, 1000) < 10_000
    True
    """
    tracemalloc.start()
    try:
        function(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def power(sizes: Array["m"], values: Array["m"]) -> Power:
    """Fit values = c * n**p to sizes n, all above 0, m at least 3: a least-squares line through the logarithms.

    Raises ValueError for anything else.

    >>> print(power([1, 2, 4, 8], [5, 20, 80, 320]))
    2.00 ± 0.00
    """
    sizes = as_finite("sizes", sizes, "(m,)", rank=1, exact=True)
    values = as_finite("values", values, f"{sizes.shape}", rank=1, exact=True)
    if len(sizes) < 3 or min(sizes) <= 0 or min(sizes) == max(sizes):
        raise wrong("sizes", sizes, "(m,) with m at least 3, all above 0, not all equal")
    if values.shape != sizes.shape or min(values) <= 0:
        raise wrong("values", values, f"{sizes.shape}, all above 0")
    (exponent, _), covariance = np.polyfit(np.log(sizes), np.log(values), 1, cov=True)
    return Power(float(exponent), float(covariance[0, 0] ** 0.5))
