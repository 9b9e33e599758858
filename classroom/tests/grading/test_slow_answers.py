"""Time limits in a sandbox: a call gets its full limit, the judge adds none, and slow answers are reported as slow."""

import shutil
import time

import pytest
from grading.one_return import grade_return
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
    [row] = grade_return([CELL.format(line)], {}, {"cosine": "cosine"}, 1, fonts(), Limits(call_seconds=seconds))
    return row


def test_a_call_that_waits_longer_than_a_check_allows_is_right_here():
    line = f"time.sleep({LIMITS.waiting + 1} * (len(calls) == 1))"
    assert row(line, seconds=10).state == "done"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("while True: pass", "did not come to an end"),
        ("while len(calls) > 2: pass", "Right so far, but too slow: time ran out after 2 of"),
    ],
)
def test_an_answer_that_goes_on_is_too_slow_and_is_not_called_again(line, message):
    start, result = time.monotonic(), row(line, seconds=1)
    assert (result.state, result.mistakes) == ("not yet", ("too-slow",))
    assert message in result.message
    assert time.monotonic() - start < 8
