"""A return that breaks its judging process affects no other return, and without a sandbox none runs."""

import os
import signal
import sys
import time
from pathlib import Path
from typing import NamedTuple

import grade
import pytest
from grading import container, judge, workers
from grading.one_return import grade_return
from grading.sandbox import Limits, require_sandbox
from grading.workers import Task, fonts, grade_locally

ROOT = Path(__file__).resolve().parents[3]
GIVEN_UP = "not graded", "the process that judges it ended twice, or took too long"
STAND_IN = """#!/bin/sh
[ "$1" = image ] && exit 0
echo "$@" > {folder}/said
export PYTHONPATH={root}/classroom:{root} MPLCONFIGDIR={folder} COURSE_FONTS={folder}
exec {python} -m grading.inside
"""


class Breaking(NamedTuple):
    """A return that does something to the process that reads its cells."""

    student: str
    number = place = problem = ""
    name, attempt, digest, files = "x.ipynb", 0, "", {}

    @property
    def cells(self):
        match self.student:
            case "ends":
                os.kill(os.getpid(), signal.SIGKILL)
            case "holds":
                time.sleep(600)
            case "breaks":
                raise RuntimeError("\x1b[2J odd")
        time.sleep(0.05)
        return ()


def test_a_return_that_ends_or_holds_its_judge_is_given_up_and_the_others_are_graded():
    special = {"ends": GIVEN_UP, "holds": GIVEN_UP}
    special["breaks"] = "not graded", "the grader stopped at it: RuntimeError: [2J odd"
    limits = Limits(seconds=5 - workers.JUDGING)  # five for each
    tasks = [Task(Breaking(student), {}, "", 1, limits, False) for student in (*"abc", *special, *"defg")]
    results = [(one.student, one.rows[0]) for one in grade_locally(tasks, 2)]
    assert len(results) == len(tasks)
    assert {student: (row.state, row.message) for student, row in results if student in special} == special
    others = {student: row.message.split(":")[0] for student, row in results if student not in special}
    assert others == dict.fromkeys("abcdefg", "not a notebook of this course")


@pytest.mark.parametrize("kind", ["KeyboardInterrupt", "GeneratorExit", "BaseException", "a\0b", "ValueError"])
def test_no_error_of_a_notebook_is_one_that_stops_the_judge(kind):
    with pytest.raises(Exception, match=r"."):
        judge.raise_error(kind, "said", "line", "place")


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Return a function that puts a program into the only folder on the path."""
    monkeypatch.setenv("PATH", str(tmp_path))
    container.engine.cache_clear()

    def put(name, text):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)

    yield put
    container.engine.cache_clear()


@pytest.mark.parametrize(
    ("name", "said"),
    [("none", ""), ("bwrap", "no permissions"), ("podman", "")],
    ids=["nothing", "no namespaces", "no image"],
)
def test_where_nothing_can_shut_a_return_in_none_runs(program, tmp_path, monkeypatch, name, said):
    (tmp_path / "04_x.ipynb").write_text('{"cells": [], "nbformat": 4}')
    program(name, f"#!/bin/sh\necho {said} >&2\nexit 1\n")
    monkeypatch.setattr(workers, "grade_task", None)
    with pytest.raises(SystemExit, match=rf"(?s)Install bubblewrap.*--trust.*{said}"):
        grade.main([str(tmp_path), "--out", str(tmp_path / "out")])


def test_without_bubblewrap_a_return_is_graded_in_a_container_without_network_and_rights(program, tmp_path):
    program("podman", STAND_IN.format(root=ROOT, folder=tmp_path, python=sys.executable))
    require_sandbox()
    dot = "lambda a, b: sum(x * y for x, y in zip(a, b))"
    cells = ["from course_utils.checks import check", f"check('dot_product', {dot})"]
    [row] = grade_return(cells, {}, {"dot_product": "dot"}, 1, fonts(), Limits(), False)
    assert row.state == "done"
    said = (tmp_path / "said").read_text()
    options = "--network none", "--read-only", "--cap-drop ALL", "--memory 2000000000", "--user 65534:65534"
    assert not [words for words in (*options, "--tmpfs /course/notebooks/solutions") if words not in said]
    assert "-v " not in said and "PATH=/course/classroom" in said
