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

# What is no work: the course's own answer, however it is called. The stub comes first, as a lesson has it.
STUB = "def good_row(Q, K, i):\n    ...\n\ncheck('good_row', good_row)"
BORROWED = {  # name: what comes first, the answer
    "below the lesson's own keep": ("good_row = keep('good_row')", "good_row"),
    "what mine hands out": ("good_row = mine('good_row')", "good_row"),
    "the page": ("from course_utils.checks.exercises import exercise_of", "exercise_of('good_row').reference"),
    "by its old name": ("from course_utils.checks.exercises import good_row", "good_row"),
    "in a lambda": ("own = keep('good_row')", "lambda Q, K, i: own(Q, K, i)"),
    "in a function": ("own = keep('good_row')\ndef row(Q, K, i):\n    return own(Q, K, i) * 1", "row"),
    "in a partial": ("from functools import partial", "partial(keep('good_row'))"),
    "in a wrapper": ("from functools import wraps\nown = keep('good_row')", "wraps(own)(lambda *a: own(*a))"),
    "in a class": ("own = keep('good_row')\nclass Row:\n    def __call__(self, *a): return own(*a)", "Row()"),
    "with a profile": ("import sys\nsys.setprofile(lambda *a: None)\nown = keep('good_row')", "lambda *a: own(*a)"),
    "with %prun": ("own = keep('good_row')\n%prun -q check('good_row', lambda *a: own(*a))", "lambda *a: own(*a)"),
    "loaded anew": (
        "import importlib, sys\nimportlib.reload(sys.modules['course_utils.checks.check'])\n"
        "own = keep('good_row')\ndef good_row(*a): return own(*a)",
        "good_row",
    ),
    "in a map": ("own = keep('good_row')", "lambda *a: next(map(own, *[[x] for x in a]))"),
}


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
        ([IMPORTS, "if 'good_row' in globals():\n    check('good_row', good_row)"], None, ["missing"]),
        ([IMPORTS + "import time\n" + "time.sleep(99)\n" * 2, GOOD], OWN, ["done", "remark"]),
        ([IMPORTS, ENDS], OWN, ["not judged", "not graded"]),
    ],
    ids=[
        "own",
        "none handed in",
        "broken",
        "wrong",
        "no text",
        "the course's",
        "forged",
        "guarded",
        "slow lines",
        "ends",
    ],
)
def test_what_is_right_in_a_student_s_module_counts_and_what_breaks_the_judging_does_not(cells, own, states):
    assert [row.state for row in rows_of("good_row", cells, own, cell_seconds=20)] == states


@pytest.mark.parametrize("name", BORROWED)
def test_what_the_course_hands_out_is_no_work(name):
    first, answer = BORROWED[name]
    cell = f"{first}\ncheck('good_row', {answer})"
    [row] = rows_of("good_row", [IMPORTS, cell])
    assert row.state == "missing" and "the course's own function" in row.message
    if name == "in a lambda":
        assert rows_of("good_row", [IMPORTS, STUB, cell])[0].state == "not started"
        assert rows_of("good_row", [IMPORTS, WITHOUT_SCALE, cell])[0].state == "done"  # the student's own stays


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("np.zeros(6_000_000)", ""),
        ("list(range(6_000_000))", "too large"),
        ("[0.5] * 3_000_000", "too large"),
        ("'x' * 60_000_000", ""),
    ],
)
def test_an_answer_of_any_size_gets_a_sentence(line, said):
    for cell in (f"check('good_row', lambda *a: {line})", f"check('good_row', {line})"):
        [row] = rows_of("good_row", [IMPORTS, cell])
        assert row.state == "not yet" and said in row.message.replace(",", "") and len(row.message) > 20, row


def test_a_set_is_a_right_answer_and_a_module_in_any_encoding_is_read():
    cell = "from course_utils.checks import check\ncheck('can_win', {'not', 'good'})"
    assert (
        rows_of("can_win", [cell])[0].state == rows_of("can_win", [cell.replace("{", "[").replace("}", "]")])[0].state
    )
    own = b"# -*- coding: latin-1 -*-\n# gr\xf6\xdfe\n" + OWN
    assert rows_of("good_row", [IMPORTS, GOOD], own)[0].state == "done"


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
