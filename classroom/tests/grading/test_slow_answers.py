"""Time in a sandbox: a call may take as long as its limit says, the judge adds none, and slow is called so."""

import shutil
import time

import pytest
from grading.one_return import graded
from grading.sandbox import Limits
from grading.workers import fonts

from pagecheck.run import LIMITS

pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")
CELL = """import time
import numpy as np
from course_utils.checks import check
calls = []
def cosine(a, b):
    calls.append(1)
    {}
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
check("cosine", cosine)"""


def row(line, seconds):
    [found] = graded([CELL.format(line)], {}, {"cosine": "cosine"}, 1, fonts(), Limits(call_seconds=seconds))
    return found


def test_a_call_that_waits_longer_than_a_check_allows_is_right_here():
    line = f"time.sleep({LIMITS.waiting + 1} * (len(calls) == 1))"
    assert row(line, seconds=10).state == "done"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("while True: pass", "did not come to an end"),
        ("while len(calls) > 2: pass", "Right so far, but too slow: time ran out after 2 of"),
    ],
)
def test_an_answer_that_goes_on_is_too_slow_and_is_not_called_again(line, said):
    start, found = time.monotonic(), row(line, seconds=1)
    assert (found.state, found.mistakes) == ("not yet", ("too-slow",))
    assert said in found.message
    assert time.monotonic() - start < 8
