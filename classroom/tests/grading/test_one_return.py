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
GOOD = "def attention(Q, K, V): return softmax(Q @ K.T, scale=np.sqrt(K.shape[-1])) @ V\ncheck('attention', attention)"
WITHOUT_SCALE = GOOD.replace(", scale=np", " / np")
FORGED = "import course_utils.checks\ncourse_utils.checks.check = check = print\n"
ENDS = GOOD.replace("return", "import os; os._exit(0); return")
KEPT = b"from course_utils.checks import keep\nattention = keep('attention')"
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

# Not the student's work: the course's own answer, whatever it is called. The stub comes first, as a lesson has it.
STUB = "def attention(Q, K, V):\n    ...\n\ncheck('attention', attention)"
BORROWED = {  # name: what comes first, the answer
    "below the lesson's own keep": ("attention = keep('attention')", "attention"),
    "what mine hands out": ("attention = mine('attention')", "attention"),
    "the page": ("from course_utils.checks.exercises import exercise_of", "exercise_of('attention').reference"),
    "by its old name": ("from course_utils.checks.exercises import attention", "attention"),
    "in a lambda": ("own = keep('attention')", "lambda Q, K, V: own(Q, K, V)"),
    "in a function": ("own = keep('attention')\ndef mix(Q, K, V):\n    return own(Q, K, V) * 1", "mix"),
    "in a partial": ("from functools import partial", "partial(keep('attention'))"),
    "in a wrapper": ("from functools import wraps\nown = keep('attention')", "wraps(own)(lambda *a: own(*a))"),
    "in a class": ("own = keep('attention')\nclass Mix:\n    def __call__(self, *a): return own(*a)", "Mix()"),
    "with a profile": ("import sys\nsys.setprofile(lambda *a: None)\nown = keep('attention')", "lambda *a: own(*a)"),
    "with %prun": ("own = keep('attention')\n%prun -q check('attention', lambda *a: own(*a))", "lambda *a: own(*a)"),
    "loaded anew": (
        "import importlib, sys\nimportlib.reload(sys.modules['course_utils.checks.check'])\n"
        "own = keep('attention')\ndef attention(*a): return own(*a)",
        "attention",
    ),
    "in a map": ("own = keep('attention')", "lambda *a: next(map(own, *[[x] for x in a]))"),
}


def rows_of(exercise, cells, own=None, **limits):
    files = {"my_attention.py": own} if own else {}
    return grade_return(cells, files, {exercise: exercise}, 1, fonts(), Limits(**limits))


@pytest.mark.parametrize(
    ("cells", "own", "states"),
    [
        ([IMPORTS, GOOD, "attention = keep('attention')"], OWN, ["done"]),
        ([IMPORTS, GOOD], None, ["not yet"]),
        ([IMPORTS, WITHOUT_SCALE], b"def stable_softmax(:", ["done"]),
        ([IMPORTS, WITHOUT_SCALE], OWN.replace(b"/ weights", b"* weights"), ["done"]),
        ([IMPORTS, WITHOUT_SCALE], b"\xff\xfe", ["done"]),
        (["from my_attention import attention"], KEPT, ["missing"]),
        ([IMPORTS, FORGED + GOOD], OWN, ["not judged", "suspect"]),
        ([IMPORTS, "if 'attention' in globals():\n    check('attention', attention)"], None, ["missing"]),
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
    assert [row.state for row in rows_of("attention", cells, own, cell_seconds=20)] == states


@pytest.mark.parametrize("name", BORROWED)
def test_what_the_course_hands_out_is_no_work(name):
    first, answer = BORROWED[name]
    cell = f"{first}\ncheck('attention', {answer})"
    [row] = rows_of("attention", [IMPORTS, cell])
    assert row.state == "missing" and "the course's own function" in row.message
    if name == "in a lambda":
        assert rows_of("attention", [IMPORTS, STUB, cell])[0].state == "not started"
        assert rows_of("attention", [IMPORTS, WITHOUT_SCALE, cell])[0].state == "done"  # the student's own stays


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
    for cell in (f"check('attention', lambda *a: {line})", f"check('attention', {line})"):
        [row] = rows_of("attention", [IMPORTS, cell])
        assert row.state == "not yet" and said in row.message.replace(",", "") and len(row.message) > 20, row


def test_a_set_is_a_right_answer_and_a_module_in_any_encoding_is_read():
    cell = "from course_utils.checks import check\ncheck('can_win', {'not', 'good'})"
    assert (
        rows_of("can_win", [cell])[0].state == rows_of("can_win", [cell.replace("{", "[").replace("}", "]")])[0].state
    )
    own = b"# -*- coding: latin-1 -*-\n# gr\xf6\xdfe\n" + OWN
    assert rows_of("attention", [IMPORTS, GOOD], own)[0].state == "done"


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
