"""Modules handed in beside the notebook: a lesson uses those functions of the student that are right."""

import shutil

import pytest
from grading.one_return import grade_return
from grading.sandbox import Limits
from grading.workers import fonts

pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")
OWN = b"""import numpy as np

def stable_softmax(scores, scale=1):  # the course's has no scale
    weights = np.exp((scores - scores.max(axis=-1, keepdims=True)) / scale)
    return weights / weights.sum(axis=-1, keepdims=True)
"""
CELLS = [
    "import numpy as np\nfrom course_utils.checks import check, keep, mine\nsoftmax = mine('stable_softmax')",
    "def good_row(Q, K, i): return softmax(K @ Q[i], scale=np.sqrt(K.shape[-1]))\ncheck('good_row', good_row)",
    "good_row = keep('good_row')",
]


def state(files, cells=CELLS):
    [row] = grade_return(cells, files, {"good_row": "good_row"}, 1, fonts(), Limits())
    return row.state, row.mistakes


def test_an_answer_that_uses_the_student_s_own_function_is_right_with_the_file_of_it():
    assert state({"my_attention.py": OWN}) == ("done", ())
    assert state({})[0] == "not yet"


def test_a_file_that_is_broken_or_wrong_leaves_the_course_s_function():
    cells = [CELLS[0], CELLS[1].replace(", scale=np", " / np"), CELLS[2]]
    for own in (b"def stable_softmax(:", OWN.replace(b"/ weights", b"* weights"), b"\xff\xfe"):
        assert state({"my_attention.py": own}, cells) == ("done", ())


def test_the_course_s_own_answer_in_a_file_is_not_the_student_s():
    module = b"from course_utils.checks import keep\ngood_row = keep('good_row')"
    assert state({"my_attention.py": module}, ["from my_attention import good_row"])[0] == "missing"


def test_an_answer_whose_check_was_replaced_is_not_called_missing():
    forged = "import course_utils.checks\ncourse_utils.checks.check = check = print\n"
    cells = [CELLS[0], forged + CELLS[1]]
    rows = grade_return(cells, {}, {"good_row": "good_row"}, 1, fonts(), Limits())
    assert [row.state for row in rows] == ["not judged", "suspect"]
