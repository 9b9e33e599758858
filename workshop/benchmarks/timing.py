"""What the benchmarks share: how they time a call, and the line that they print for a figure."""

import statistics
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def call_time(function, *arguments, clock=time.perf_counter, **options):
    """Return the time of one call, in seconds."""
    start = clock()
    function(*arguments, **options)
    return clock() - start


def median_time(function, *arguments, runs, warm_up=1, **options):
    """Return the median time of one call, in seconds, after some that do not count."""
    return statistics.median([call_time(function, *arguments, **options) for _ in range(warm_up + runs)][warm_up:])


def p95(times):
    """Return the time below which 95 % of the times are."""
    return statistics.quantiles(times, n=20, method="inclusive")[-1]


def print_row(label, figure, unit="", goal=None):
    """Print one line of the table."""
    aim = "" if goal is None else f"   goal: at most {goal} {unit}" + ("" if figure <= goal else "   MISSED")
    print(f"{label:<48}{figure:>9.3g} {unit:<3}{aim}", flush=True)
