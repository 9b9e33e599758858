"""A return that breaks its judging process affects no other return."""

import os
import signal
import time

import grade
import pytest
from grading import judge, one_return, workers
from grading.one_return import Conversation, Row
from grading.returns import Return
from grading.sandbox import Limits
from grading.wire import Closed
from grading.workers import Task, grade_locally

ENDS, HOLDS = "ends its judge", "holds its judge"
GIVEN_UP = "the process that judges it ended twice, or took too long"


def task(student, seconds=300):
    content = b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}'
    returned = Return(student, "", "04_x.ipynb", 0, content + student.encode(), {})
    return Task(returned, {}, "", 1, Limits(seconds=seconds), False)


def rows_of(task, cells, number):
    if task.returned.student == ENDS:
        os.kill(os.getpid(), signal.SIGKILL)
    if task.returned.student == HOLDS:
        time.sleep(60)
    if task.returned.student == "breaks":
        raise RuntimeError("\x1b[2J odd")
    time.sleep(0.05)
    return [Row("scores", "done")]


def test_a_return_that_ends_its_judge_is_given_up_and_the_others_are_graded(monkeypatch):
    monkeypatch.setattr(workers, "rows_of", rows_of)
    monkeypatch.setattr(workers, "cells_of", lambda content: [])
    students = [*"abc", ENDS, "breaks", *"defg"]
    results = [(one.student, one.rows[0].state, one.rows[0].message) for one in grade_locally(map(task, students), 2)]
    assert len(results) == len(students)
    assert sorted(student for student, state, _ in results if state == "done") == list("abcdefg")
    assert (ENDS, "not graded", GIVEN_UP) in results
    assert ("breaks", "not graded", "the grader stopped at it: RuntimeError: [2J odd") in results


def test_a_return_that_holds_its_judge_for_too_long_is_given_up_too(monkeypatch):
    monkeypatch.setattr(workers, "rows_of", rows_of)
    monkeypatch.setattr(workers, "cells_of", lambda content: [])
    monkeypatch.setattr(workers, "JUDGING", 0)
    tasks = [task(student, seconds=2) for student in ("a", HOLDS, "b")]
    results = {one.student: (one.rows[0].state, one.rows[0].message) for one in grade_locally(tasks, 2)}
    assert results == {"a": ("done", ""), "b": ("done", ""), HOLDS: ("not graded", GIVEN_UP)}


@pytest.mark.parametrize("kind", ["KeyboardInterrupt", "GeneratorExit", "BaseException", "a\0b", "ValueError"])
def test_no_error_of_a_notebook_is_one_that_stops_the_judge(kind):
    with pytest.raises(Exception, match=r"."):
        judge.raise_error(kind, "said", "line", "place")


class Quiet:
    """A connection without replies."""

    as_number = as_function = None

    def send(self, value):
        pass

    def receive(self, seconds):
        raise Closed


def test_what_breaks_the_line_inside_a_check_is_not_taken_for_an_error_of_the_function():
    conversation = Conversation(Quiet(), Limits())
    with pytest.raises(Closed):
        conversation.call(1, ())
    with pytest.raises(Closed):
        conversation.settle()


@pytest.mark.parametrize("installed", [True, False])
def test_where_nothing_can_shut_a_return_in_none_runs(tmp_path, monkeypatch, installed):
    (tmp_path / "anna").mkdir()
    (tmp_path / "anna" / "04_x.ipynb").write_bytes(task("anna").returned.content)
    if installed:  # as in a container that forbids namespaces
        (tmp_path / "bwrap").write_text("#!/bin/sh\necho no permissions >&2\nexit 1\n")
        (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(workers, "grade_task", None)
    with pytest.raises(SystemExit, match=r"(?s)Install bubblewrap.*--trust" + ".*no permissions" * installed):
        grade.main([str(tmp_path), "--out", str(tmp_path / "out")])


def test_what_is_said_is_one_short_line():
    assert one_return.one_line("a\x1b[2J\n\u2028b" + "x" * 9999).startswith("a [2J bxx")
    assert len(one_return.one_line("x" * 9999)) == one_return.MAX_MESSAGE
