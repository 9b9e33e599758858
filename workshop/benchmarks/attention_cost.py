"""The price of attention: how it grows with n, tiles against plain, the cache, a recurrent layer.

    OPENBLAS_NUM_THREADS=1 VECLIB_MAXIMUM_THREADS=1 python workshop/benchmarks/attention_cost.py

On one core, and in CPU time, which other work on the computer disturbs least.
"""

import time

import numpy as np
from timing import median_time, print_row

from course_utils.attention import causal_mask, scaled_dot_product_attention
from course_utils.computer.measure import peak_bytes, power
from course_utils.long_sequences import KeyValueCache, tiled_attention

D = 64  # numbers in a query, a key and a value


def figures():
    """Yield (what, figure, unit, goal or None), in the order of lesson 16."""
    for name, attend, sizes in (("plain", plain, (512, 1024, 2048, 4096)), ("tiled", tiled, (2048, 4096, 8192, 16384))):
        for what, cost, unit in (("time", seconds, "s"), ("memory", peak_bytes, "B")):
            costs = [cost(attend, draw(n)) for n in sizes]
            fitted = power(sizes, costs)
            yield f"{name}, n = {sizes[-1]:,}: {what}", costs[-1], unit
            yield "  power of n", fitted.exponent
            yield "    its standard error", fitted.error
    yield "tiled / plain, memory, n = 16,384", ratio(peak_bytes, tiled, plain, 16384), "x", 1 / 20  # plain: 3.2 GB
    for n in (1024, 2048, 4096):
        yield f"tiled / plain, time, n = {n:,}", ratio(seconds, tiled, plain, n), "x", 1
    for n in (512, 4096):
        filled, new = KeyValueCache(), draw(n)[:, :1]
        filled.step(*draw(n))
        step = seconds(lambda new, filled=filled: filled.step(*new), new)
        yield f"token {n:,}: with the cache", 1e6 * step, "us"
        yield "  all again / with the cache", seconds(causal, draw(n)) / step, "x"
    for n in (128, 512, 2048, 4096):
        yield f"recurrent / plain attention, time, n = {n:,}", ratio(seconds, recurrent, plain, n), "x"


def draw(n):
    return np.random.default_rng(n).standard_normal((3, n, D), dtype=np.float32)  # Q, K, V, each (n, d)


def plain(QKV):
    return scaled_dot_product_attention(*QKV).output


def causal(QKV):
    return scaled_dot_product_attention(*QKV, causal_mask(QKV.shape[1])).output


def tiled(QKV):
    return tiled_attention(*QKV, tile=128)


def recurrent(QKV):
    """A recurrent layer of the same width."""
    W, U = np.random.default_rng(1).standard_normal((2, D, D), dtype=np.float32) / D**0.5  # each (d, d)
    h = np.zeros(D, np.float32)  # (d,)
    for x in QKV[0]:
        h = np.tanh(W @ x + U @ h)


def seconds(function, argument):
    """Return the median time of one call, after a warm-up call."""
    return median_time(function, argument, runs=7, clock=time.thread_time)


def ratio(cost, ours, theirs, n):
    return cost(ours, draw(n)) / cost(theirs, draw(n))


if __name__ == "__main__":
    for figure in figures():
        print_row(*figure)
