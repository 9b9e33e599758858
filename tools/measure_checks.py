"""Print how well the checks do: on the wrong and right answers of tests/answers, and how fast they are.

python tools/measure_checks.py            the figures
python tools/measure_checks.py --missed   and each answer that was not named exactly
"""

import os
import statistics
import sys
import time
from pathlib import Path

os.environ["LEARNING_TO_LOOK_DATA"] = "off"  # these answers are no progress of the student
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from answers import RIGHT, WRONG
from answers.pairs import PAIRS, SINGLES

from course_utils.checks import check


def timed(case):
    """Return the verdict on a case and the seconds that it took."""
    start = time.perf_counter()
    verdict = check(case.exercise, case.answer)
    return verdict, time.perf_counter() - start


def figures(report=lambda line: None):
    """Return the figures as (name, value); report(line) hears of each answer that was not named exactly."""
    for case in RIGHT:
        timed(case)  # the first one of a lesson imports its module, and TensorFlow where an answer uses it
    right, wrong, single, double = ([timed(case) for case in cases] for cases in (RIGHT, WRONG, SINGLES, PAIRS))
    for cases, found in ((RIGHT, right), (WRONG, wrong), (SINGLES, single), (PAIRS, double)):
        for case, (verdict, _) in zip(cases, found, strict=True):
            if set(verdict.mistakes) != set(case.ids):
                report(f"{case}: {verdict!r}")
    return [
        ("wrong answers, written", len(WRONG)),
        ("  rejected, %", rejected(wrong)),
        ("  with exactly their ids, %", exactly(WRONG, wrong)),
        ("wrong answers, one step wrong", len(SINGLES)),
        ("  rejected, %", rejected(single)),
        ("  with exactly their id, %", exactly(SINGLES, single)),
        ("wrong answers, two steps wrong", len(PAIRS)),
        ("  rejected, %", rejected(double)),
        ("  with exactly both ids, %", exactly(PAIRS, double)),
        ("right answers", len(RIGHT)),
        ("  rejected", sum(verdict.state != "done" for verdict, _ in right)),
        ("ms for a right answer: middle", 1000 * statistics.median(seconds for _, seconds in right)),
        ("  slowest", 1000 * max(seconds for _, seconds in right)),
        ("ms for a wrong answer: middle", 1000 * statistics.median(seconds for _, seconds in wrong + double)),
        ("  slowest", 1000 * max(seconds for _, seconds in wrong + double)),
    ]


def rejected(found):
    return 100 * statistics.mean(verdict.state == "not yet" for verdict, _ in found)


def exactly(cases, found):
    named = (set(verdict.mistakes) == set(case.ids) for case, (verdict, _) in zip(cases, found, strict=True))
    return 100 * statistics.mean(named)


if __name__ == "__main__":
    for name, value in figures(print if "--missed" in sys.argv else lambda line: None):
        print(f"{name:32} {value:8.4g}")
