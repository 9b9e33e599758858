"""What an answer leaves behind: each thing that is put back or taken away has its words."""

import builtins
import gc
import math
import os
import random
import sys
import warnings

import numpy as np
import pytest

from course_utils.checks.engine import kernel_state
from course_utils.checks.engine.kernel_state import kept
from course_utils.checks.engine.running import _differs, run

CHANGES = {  # words: what changes it
    "the working folder": lambda folder: os.chdir(folder),
    "the environment variables": lambda folder: os.environ.update(NOT_THERE="1"),
    "the path of imports": lambda folder: sys.path.append("nowhere"),
    "the filters of warnings": lambda folder: warnings.simplefilter("error", BytesWarning),
    "NumPy's handling of errors": lambda folder: np.seterr(all="raise"),
    "the way NumPy prints": lambda folder: np.set_printoptions(precision=1),
    "the random numbers of NumPy": lambda folder: np.random.seed(3),
    "the random numbers of Python": lambda folder: random.seed(3),
    "Python's garbage collection": lambda folder: gc.disable(),
    "the limit of recursion": lambda folder: sys.setrecursionlimit(sys.getrecursionlimit() + 1),
    "`np.exp`": lambda folder: setattr(np, "exp", 2.7),
    "`np.pi`": lambda folder: setattr(np, "pi", 3),
    "`np.linalg.norm`": lambda folder: setattr(np.linalg, "norm", max),
    "`np.random.rand`": lambda folder: delattr(np.random, "rand"),
    "`math.e`": lambda folder: setattr(math, "e", 3),
    "`random.random`": lambda folder: setattr(random, "random", max),
    "`sum`": lambda folder: setattr(builtins, "sum", 6),
    "`open`": lambda folder: setattr(builtins, "open", None),
    "`os.environ`": lambda folder: setattr(os, "environ", {**os.environ}),
    "`sys.path`": lambda folder: setattr(sys, "path", [*sys.path]),
    "`sys.excepthook`": lambda folder: setattr(sys, "excepthook", print),
    "`warnings.filters`": lambda folder: setattr(warnings, "filters", [*warnings.filters]),
}


def state():
    held = [os.environ, sys.path, sys.excepthook, warnings.filters]
    lists = [dict(os.environ), list(sys.path), list(warnings.filters), np.geterr(), repr(np.get_printoptions())]
    names = [np.exp, np.pi, np.linalg.norm, np.random.rand, math.e, random.random, builtins.sum, builtins.open]
    numbers = [os.getcwd(), gc.isenabled(), sys.getrecursionlimit(), random.getstate(), repr(np.random.get_state())]
    return [list(map(id, held)), lists, names, numbers]


@pytest.mark.parametrize("words", CHANGES)
def test_what_is_changed_is_put_back_and_said(words, tmp_path):
    before = state()
    with kept() as (put_back, taken_away):
        CHANGES[words](tmp_path)
    assert state() == before
    assert (put_back, taken_away) == ([words], [])


def test_what_a_cell_has_replaced_before_counts_too():
    exp, np.exp = np.exp, 2.7
    with kept() as (put_back, _):
        assert np.exp is exp
    assert put_back == ["`np.exp`"]


def test_what_is_added_is_taken_away_but_no_part_and_no_name_of_python():
    with kept() as (put_back, taken_away):
        np.two = math.one = builtins.three = 3
        np.__four__, np.five = 4, math
    assert (put_back, taken_away) == ([], ["`math.one`", "`np.two`", "`three`"])
    assert not (hasattr(np, "two") or hasattr(math, "one") or hasattr(builtins, "three"))
    assert np.__four__ == 4 and np.five is math
    del np.__four__, np.five


def test_nothing_is_said_of_nothing():
    with kept() as (put_back, taken_away):
        np.exp(1)
    assert (put_back, taken_away) == ([], [])


def test_a_stream_is_still_asked_for_what_it_is():
    before = sys.stdout.encoding, sys.stdout.errors

    def answer(x):
        return float((sys.stdout.encoding, sys.stdout.errors) == before)

    assert run(answer, [(1,)], 1).outcomes[0].parts[0] == 1


def test_what_is_printed_is_kept_up_to_a_length_and_the_stream_stays_open(capsys):
    def answer(x):
        print("x" * 1999)
        print("y" * 5000)
        print("z")
        sys.stdout.close()
        return sys.stdout.write("abc")

    found = run(answer, [(1,)], 1)
    assert found.printed == "x" * 1999 + "\n" and found.outcomes[0].parts[0] == 3
    print("open")
    assert capsys.readouterr().out == "open\n"


def test_states_that_hold_arrays_are_compared():
    random_numbers = np.random.RandomState(1)
    before = random_numbers.get_state()
    assert kernel_state._same(random_numbers.get_state(), before)
    random_numbers.rand()
    assert not kernel_state._same(random_numbers.get_state(), before)


def test_an_array_with_nan_that_nothing_touched_is_the_same():
    assert not _differs(np.array([np.nan, 1]), np.array([np.nan, 1]))
    assert _differs(np.array([np.nan, 1]), np.array([1, np.nan]))
