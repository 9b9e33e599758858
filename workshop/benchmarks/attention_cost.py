"""The price of attention: how it grows with n, tiles against plain, the cache, a recurrent layer.

    OPENBLAS_NUM_THREADS=1 VECLIB_MAXIMUM_THREADS=1 python workshop/benchmarks/attention_cost.py

On one core, and in CPU time, which other work on the computer disturbs least.
The two sides of a ratio run alternately.
"""

import statistics
import time

import numpy as np
from timing import median_time, once

from course_utils.attention import causal_mask, scaled_dot_product_attention
from course_utils.computer.measure import peak_bytes, power
from course_utils.long_sequences import KeyValueCache, tiled_attention

D = 64  # numbers in a query, a key and a value


def figures():
    """Yield (what, figure, unit, goal or None), in the order of lesson 16."""
    for part in (exponents, memory, tiles, cache, recurrent):
        yield from part()


def exponents():
    """The power of n in time and memory, and its standard error."""
    for name, attend, sizes in (
        ("plain", plain, (512, 1024, 2048, 4096)),
        ("tiled, tiles of 128", tiles_of_128, (2048, 4096, 8192, 16384)),
    ):
        times = [seconds(attend, draw(n), runs=3) for n in sizes]
        peaks = [peak_bytes(attend, draw(n)) for n in sizes]
        for what, values in (("time", times), ("memory", peaks)):
            fitted = power(sizes, values)
            yield f"{name}: power of n in {what}", fitted.exponent, "", None
            yield "  standard error", fitted.error, "", None


def memory():
    """Peak memory of one call, without its arguments."""
    peak = peak_bytes(tiled, draw(16384))
    yield "tiled, n = 16,384: memory", peak / 1e6, "MB", None
    yield "  tiled / plain", peak / peak_bytes(plain, draw(16384)), "x", 1 / 20  # plain needs 3.2 GB
    long = draw(65536)
    yield "tiled, n = 65,536: memory", peak_bytes(tiled, long) / 1e6, "MB", None
    yield "  time", seconds(tiled, long, runs=1), "s", None


def tiles():
    """Tiles against plain attention."""
    for n in (1024, 2048, 4096):
        yield f"tiled / plain, time, n = {n:,}", ratio(tiled, plain, draw(n), runs=2**16 // n), "x", 1
    yield "tiled, n = 4,096: causal / not masked", ratio(causal, tiled, draw(4096)), "x", None


def cache():
    """One more token after n others: with the cache, and recomputing all attention."""
    for n in (512, 1024, 2048, 4096):
        QKV, mask, filled = draw(n), causal_mask(n), KeyValueCache()
        filled.step(*QKV)
        step = seconds(lambda new, filled=filled: filled.step(*new), QKV[:, :1], runs=51)
        again = seconds(lambda QKV, mask=mask: scaled_dot_product_attention(*QKV, mask), QKV)
        yield f"token {n:,}: with the cache", 1e6 * step, "us", None
        yield "  all again / with the cache", again / step, "x", None


def recurrent():
    """A recurrent layer and attention of the same width over n tokens."""
    W, U = np.random.default_rng(1).standard_normal((2, D, D), dtype=np.float32) / D**0.5  # each (d, d)

    def layer(QKV):
        h = np.zeros(D, np.float32)  # (d,)
        for x in QKV[0]:
            h = np.tanh(W @ x + U @ h)

    for n in (128, 512, 2048, 4096):
        yield f"recurrent / plain attention, time, n = {n:,}", ratio(layer, plain, draw(n)), "x", None


def draw(n):
    return np.random.default_rng(n).standard_normal((3, n, D), dtype=np.float32)  # Q, K, V, each (n, d)


def plain(QKV):
    return scaled_dot_product_attention(*QKV).output


def tiled(QKV):
    return tiled_attention(*QKV)


def tiles_of_128(QKV):
    return tiled_attention(*QKV, tile=128)


def causal(QKV):
    return tiled_attention(*QKV, lambda query, key: key <= query)


def seconds(function, argument, runs=7):
    """Return the median time of one call; with more than one run, after a warm-up call."""
    return median_time(function, argument, runs=runs, warm_up=runs > 1, clock=time.thread_time)


def ratio(ours, theirs, argument, runs=9):
    """Return the median of the pairwise time ratios, after a warm-up call of each."""
    pairs = [[once(one, argument, clock=time.thread_time) for one in (ours, theirs)] for _ in range(runs + 1)]
    return statistics.median(our / their for our, their in pairs[1:])


if __name__ == "__main__":
    from bench import print_row

    for figure in figures():
        print_row(*figure)
