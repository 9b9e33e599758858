"""How the benchmarks time a call."""

import statistics
import time


def once(function, *arguments, clock=time.perf_counter, **options):
    """Return the time of one call, in seconds."""
    start = clock()
    function(*arguments, **options)
    return clock() - start


def median_time(function, *arguments, runs, warm_up=1, **options):
    """Return the median time of one call, in seconds, after some that do not count."""
    return statistics.median([once(function, *arguments, **options) for _ in range(warm_up + runs)][warm_up:])
