"""What one return earns in its sandbox: with modules handed in beside it, with forged checks, with slow functions."""

import shutil
import time

import pytest
from grading.one_return import grade_return
from grading.sandbox import Limits
from grading.workers import fonts

from pagecheck.run import LIMITS

pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")
OWN = b"""import numpy as np

def stable_softmax(scores, scale=1):  # the course's has no scale
    weights = np.exp((scores - scores.max(axis=-1, keepdims=True)) / scale)
    return weights / weights.sum(axis=-1, keepdims=True)
"""
IMPORTS = "import numpy as np\nfrom course_utils.checks import check, keep, mine\nsoftmax = mine('stable_softmax')\n"
GOOD = "def good_row(Q, K, i): return softmax(K @ Q[i], scale=np.sqrt(K.shape[-1]))\ncheck('good_row', good_row)"
WITHOUT_SCALE = GOOD.replace(", scale=np", " / np")
FORGED = "import course_utils.checks\ncourse_utils.checks.check = check = print\n"
ENDS = GOOD.replace("return", "import os; os._exit(0); return")
KEPT = b"from course_utils.checks import keep\ngood_row = keep('good_row')"
COSINE = (
    IMPORTS
    + """import time
calls = []
def cosine(a, b):
    calls.append(1)
    {}
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
check("cosine", cosine)"""
)


def rows_of(exercise, cells, own=None, **limits):
    files = {"my_attention.py": own} if own else {}
    return grade_return(cells, files, {exercise: exercise}, 1, fonts(), Limits(**limits))


@pytest.mark.parametrize(
    ("cells", "own", "states"),
    [
        ([IMPORTS, GOOD, "good_row = keep('good_row')"], OWN, ["done"]),
        ([IMPORTS, GOOD], None, ["not yet"]),
        ([IMPORTS, WITHOUT_SCALE], b"def stable_softmax(:", ["done"]),
        ([IMPORTS, WITHOUT_SCALE], OWN.replace(b"/ weights", b"* weights"), ["done"]),
        ([IMPORTS, WITHOUT_SCALE], b"\xff\xfe", ["done"]),
        (["from my_attention import good_row"], KEPT, ["missing"]),
        ([IMPORTS, FORGED + GOOD], OWN, ["not judged", "suspect"]),
        ([IMPORTS, ENDS], OWN, ["not judged", "not graded"]),
    ],
    ids=["own function", "none handed in", "broken", "wrong", "no text", "the course's answer", "forged", "ends"],
)
def test_what_is_right_in_a_student_s_module_counts_and_what_breaks_the_judging_does_not(cells, own, states):
    assert [row.state for row in rows_of("good_row", cells, own)] == states


def test_a_call_that_waits_longer_than_a_check_allows_is_right_here():
    line = f"time.sleep({LIMITS.waiting + 1} * (len(calls) == 1))"
    [row] = rows_of("cosine", [COSINE.format(line)])
    assert row.state == "done"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("while True: pass", "did not come to an end"),
        ("while len(calls) > 2: pass", "Right so far, but too slow: time ran out after 2 of"),
    ],
)
def test_an_answer_that_goes_on_is_too_slow_and_is_not_called_again(line, message):
    start, [row] = time.monotonic(), rows_of("cosine", [COSINE.format(line)], call_seconds=1)
    assert (row.state, row.mistakes) == ("not yet", ("too-slow",)) and message in row.message
    assert time.monotonic() - start < 8
