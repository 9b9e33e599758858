"""Runs a student's function where it can do no harm: in a thread of its own, with a time limit, its output kept back.

A thread, not a process: functions of a notebook cannot be sent to another process on Windows and macOS.
An endless loop is ended by an exception that is raised inside its thread; that works on every system.
What it cannot end is a single call into compiled code.
"""

import builtins
import contextlib
import copy
import ctypes
import os
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import NamedTuple

import numpy as np

from course_utils.checks.engine.kernel_state import BETWEEN_RUNS, put_back_names
from course_utils.checks.engine.outcome import Outcome, as_outcome

SECONDS = 0.7  # of computing: the probes are tiny, and loops in Python need milliseconds for them
WAITING_SECONDS = 3.0  # for who sleeps, or gets no turn on a busy machine
LOADING_SECONDS = 60.0  # an import, or TensorFlow's first call, may take its time
POLL = 0.05
MOST_OUTPUT = 2000  # characters that are kept of what is printed
COURSE = str(Path(__file__).parents[2])
STANDARD_LIBRARY = str(Path(os.__file__).parent)
STACK = 64 * 2**20  # bytes: room for Python's recursion limit, which threads do not have on every system
MOST_RECURSION = 3000  # calls, should a notebook have raised the limit: beyond this the stack itself could overflow


class Run(NamedTuple):
    """One outcome for each input (fewer when time ran out), the arguments changed in place, and what was printed."""

    outcomes: list[Outcome]
    changed: set[int]
    printed: str


class Stopped(SystemExit):
    """Raised inside the thread to end it. Neither `except Exception` nor the thread's own error report sees it."""


def run(function, inputs, n_parts, seconds=SECONDS) -> Run:
    """Call the function once for each input (a tuple of arguments), on copies, and return what happened.

    Never raises.
    """
    BETWEEN_RUNS.extend(put_back_names())
    done = Run([], set(), "")
    worker = threading.Thread(target=_work, args=(function, inputs, n_parts, done), daemon=True)
    with _kept_back(worker) as printed, _recursion_limit():
        with _deep_stack():
            worker.start()
        try:
            _wait(worker, seconds)
        finally:
            _stop(worker)
    BETWEEN_RUNS.extend(put_back_names())  # before the course reckons with them
    outcomes = list(done.outcomes)
    if len(outcomes) < len(inputs):
        outcomes.append(Outcome(problem="too-slow"))
    return Run(outcomes, done.changed, "".join(printed))


def _work(function, inputs, n_parts, done):
    for arguments in inputs:
        given = copy.deepcopy(arguments)
        try:
            outcome = as_outcome(function(*given), n_parts)
        except Stopped:
            return
        except BaseException as error:  # also sys.exit(), and whatever else a notebook raises
            outcome = _raised_safely(error)
        done.changed.update(i for i, (old, new) in enumerate(zip(arguments, given, strict=True)) if _differs(old, new))
        done.outcomes.append(outcome)


def _raised_safely(error):
    """An error whose own parts raise is an error, too."""
    try:
        return _raised(error)
    except Stopped:
        raise
    except BaseException:
        return Outcome(problem="raises", detail="Exception\n\n")


def _raised(error):
    problem = PROBLEMS.get(type(error), "raises")
    outside = error.__traceback__.tb_next if error.__traceback__ else None  # the first frame is this module's own
    trace = "".join(traceback.format_exception(type(error), error, outside, limit=-6))
    return Outcome(problem=problem, detail=_in_words(error), trace=trace)


def _in_words(error):
    """The kind of error, its message, and the student's line: the innermost one that no library and no course has."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.line and not _is_library(f.filename)]
    message = " ".join(_text(error).split())
    line = f"`{frames[-1].line}`" if frames else ""
    return "\n".join([type(error).__name__, message[:1000], line])


def _is_library(filename):
    return "site-packages" in filename or filename.startswith((COURSE, STANDARD_LIBRARY))


def _text(error):
    try:
        return str(error)
    except BaseException:  # an error of the student's own whose text raises
        return ""


def _differs(old, new):
    if isinstance(old, np.ndarray):
        return not (old.shape == new.shape and old.dtype == new.dtype and np.array_equal(old, new, equal_nan=True))
    return old != new


def _wait(worker, seconds):
    """Wait for the thread, but no longer than it may compute, wait or load.

    What passes while it loads counts as loading only.
    """
    computed = waited = loaded = 0.0
    while worker.is_alive() and computed < seconds and waited < WAITING_SECONDS and loaded < LOADING_SECONDS:
        start, start_computing = time.monotonic(), time.process_time()
        worker.join(POLL)
        if _is_loading(worker):
            loaded += time.monotonic() - start
        else:
            waited += time.monotonic() - start
            computed += time.process_time() - start_computing


def _is_loading(worker):
    """Tell whether the thread is inside an import or inside TensorFlow, whose first calls take seconds."""
    frame = sys._current_frames().get(worker.ident)
    while frame is not None:
        name = frame.f_code.co_filename.replace("\\", "/")
        if name.startswith("<frozen importlib") or "/tensorflow/" in name or "/keras/" in name:
            return True
        frame = frame.f_back
    return False


def _stop(worker):
    """End the thread if it still runs.

    Repeated, since a bare `except` in the student's loop may catch the first one.
    """
    for _ in range(100):
        if not worker.is_alive():
            return
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident), ctypes.py_object(Stopped))
        worker.join(0.002)


class AsksForInput(Exception):
    """Raised where a student's function calls input(): nobody can answer inside a check."""


class ChecksItself(Exception):
    """Raised where a student's function calls check(): an indented line, and it would check itself without end."""


PROBLEMS = {RecursionError: "recursion", AsksForInput: "asks-for-input", ChecksItself: "checks-itself"}


class _Router:
    """Stands for sys.stdout or sys.stderr: keeps what one thread writes, lets the others through."""

    def __init__(self, stream, worker, kept):
        self._stream, self._worker, self._kept = stream, worker, kept

    def write(self, text):
        if threading.current_thread() is not self._worker:
            return self._stream.write(text)
        if sum(map(len, self._kept)) < MOST_OUTPUT:
            self._kept.append(str(text)[:MOST_OUTPUT])
        return len(text)

    def __getattr__(self, name):
        return getattr(self._stream, name)


@contextlib.contextmanager
def _kept_back(worker):
    """Keep what the thread prints, and refuse its input(). Gives the pieces printed so far."""
    kept, streams, ask = [], (sys.stdout, sys.stderr), builtins.input

    def refuse(*prompt):
        if threading.current_thread() is worker:
            raise AsksForInput
        return ask(*prompt)

    sys.stdout, sys.stderr = (_Router(stream, worker, kept) for stream in streams)
    builtins.input = refuse
    try:
        yield kept
    finally:
        (sys.stdout, sys.stderr), builtins.input = streams, ask


@contextlib.contextmanager
def _deep_stack():
    try:
        before = threading.stack_size(STACK)
    except (ValueError, RuntimeError):  # a system that does not allow it
        before = None
    try:
        yield
    finally:
        if before is not None:
            threading.stack_size(before)


@contextlib.contextmanager
def _recursion_limit():
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(min(before, MOST_RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
