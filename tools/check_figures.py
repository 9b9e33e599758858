"""Print how well the checks do: on the wrong and right answers of tests/mistakes, and how fast they are.

python tools/check_figures.py            the figures
python tools/check_figures.py --missed   and each answer that was not named exactly
"""

import os
import statistics
import sys
import time
from pathlib import Path

os.environ["LEARNING_TO_LOOK_DATA"] = "off"  # these answers are no progress of the student
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from mistakes import RIGHT, WRONG, pairs

from course_utils.checks import check


def timed(case):
    """Return the verdict on a case and the seconds that it took."""
    start = time.perf_counter()
    verdict = check(case.exercise, case.answer)
    return verdict, time.perf_counter() - start


def figures(report=lambda line: None):
    """Return the figures as {name: value}; report(line) hears of each answer that was not named exactly."""
    right, wrong, twice = ([timed(case) for case in cases] for cases in (RIGHT, WRONG, pairs.CASES))
    for cases, found in ((RIGHT, right), (WRONG, wrong), (pairs.CASES, twice)):
        for case, (verdict, _) in zip(cases, found, strict=True):
            if set(verdict.mistakes) != set(case.ids):
                report(f"{case}: {verdict!r}")
    return {
        "wrong answers": len(WRONG),
        "rejected": share(verdict.state == "not yet" for verdict, _ in wrong),
        "with exactly their id": share(set(v.mistakes) == set(c.ids) for c, (v, _) in zip(WRONG, wrong, strict=True)),
        "pairs of mistakes": len(pairs.CASES),
        "pairs rejected": share(verdict.state == "not yet" for verdict, _ in twice),
        "pairs with exactly both": share(
            set(v.mistakes) == set(c.ids) for c, (v, _) in zip(pairs.CASES, twice, strict=True)
        ),
        "right answers": len(RIGHT),
        "right answers rejected": sum(verdict.state != "done" for verdict, _ in right),
        "ms for a right answer, middle": 1000 * statistics.median(seconds for _, seconds in right),
        "ms for a right answer, slowest": 1000 * max(seconds for _, seconds in right),
        "ms for a wrong answer, middle": 1000 * statistics.median(seconds for _, seconds in wrong),
        "ms for a wrong answer, slowest": 1000 * max(seconds for _, seconds in wrong),
    }


def share(flags):
    """Return the share of flags that are true."""
    return statistics.mean(map(float, flags))


if __name__ == "__main__":
    for name, value in figures(print if "--missed" in sys.argv else lambda line: None).items():
        print(f"{name:32} {value:8.4g}")
