"""Runs a student's function where it can do no harm: in a thread of its own, with a time limit, its output kept back.

A thread, not a process: functions of a notebook cannot be sent to another process on Windows and macOS.
An endless loop is ended by an exception that is raised inside its thread; that works on every system.
What it cannot end is a single call into compiled code; and os._exit() ends the kernel.
"""

import contextlib
import copy
import gc
import sys
import traceback
from pathlib import Path
from threading import Thread  # by name, and so the clocks: an answer may replace them in their modules
from time import monotonic, process_time
from typing import NamedTuple

import numpy as np

from course_utils.checks.engine.guards import AsksForInput, deep_stack, kept_back, recursion_limit
from course_utils.checks.engine.kernel_state import BETWEEN_RUNS, put_back_names
from course_utils.checks.engine.outcome import Outcome, as_outcome
from course_utils.checks.engine.threads import Stopped, is_installed, stop, stoppable

SECONDS = 0.7  # of computing: the probes are tiny, and loops in Python need milliseconds for them
WAITING_SECONDS = 3.0  # for an answer that sleeps, or gets no turn on a busy machine
LOADING_SECONDS = 60.0  # an import, or TensorFlow's first call, may take its time
POLL = 0.05
COURSE = str(Path(__file__).parents[2])


class Run(NamedTuple):
    """One outcome for each input (fewer when time ran out), the arguments changed in place, and what was printed."""

    outcomes: list[Outcome]
    changed: set[int]
    printed: str


def run(function, inputs, n_parts, seconds=SECONDS) -> Run:
    """Call the function once for each input (a tuple of arguments), on copies, and return what happened.

    Never raises.
    """
    BETWEEN_RUNS.extend(put_back_names())
    done = Run([], set(), "")
    worker = stoppable(Thread(target=_work, args=(function, inputs, n_parts, done), daemon=True))
    with kept_back(worker) as printed, recursion_limit():
        with deep_stack():
            worker.start()
        try:
            _wait(worker, seconds)
        finally:
            stop([worker])
    BETWEEN_RUNS.extend(put_back_names())  # before the course computes with them
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
    return is_installed(filename) or filename.startswith(COURSE)


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

    What passes while it loads counts as loading only. What a collection of garbage takes counts as waiting only: where
    a kernel holds TensorFlow that can be half a second, and it comes when Python likes.
    """
    computed = waited = loaded = 0.0
    with _collections() as collecting:
        while worker.is_alive() and computed < seconds and waited < WAITING_SECONDS and loaded < LOADING_SECONDS:
            start, start_computing = monotonic(), process_time() - collecting()
            worker.join(POLL)
            if _is_loading(worker):
                loaded += monotonic() - start
            else:
                waited += monotonic() - start
                computed += process_time() - collecting() - start_computing


@contextlib.contextmanager
def _collections():
    """Give a function that returns the seconds of computing that collections of garbage have taken since then."""
    started, took = [], []

    def note(phase, _):
        if phase == "start":
            started.append(process_time())
        elif started:
            took.append(process_time() - started[-1])
            started.pop()

    gc.callbacks.append(note)
    try:
        yield lambda: sum(took) + sum(process_time() - start for start in started)
    finally:
        with contextlib.suppress(ValueError):  # an answer has taken it away
            gc.callbacks.remove(note)


def _is_loading(worker):
    """Tell whether the thread is inside an import or inside TensorFlow, whose first calls take seconds."""
    with _no_garbage_collected():
        frame = sys._current_frames().get(worker.ident)
    while frame is not None:
        name = frame.f_code.co_filename.replace("\\", "/")
        if name.startswith("<frozen importlib") or "/tensorflow/" in name or "/keras/" in name:
            return True
        frame = frame.f_back
    return False


@contextlib.contextmanager
def _no_garbage_collected():
    """Until Python 3.11.7 and 3.12.0, garbage collected inside sys._current_frames can wait for itself without end.

    It makes an object for each frame while it holds a lock, and a threading.local that is collected wants that lock:
    https://github.com/python/cpython/issues/106883
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class ChecksItself(SystemExit):
    """Raised where a student's function calls check(): an indented line, and it would check itself without end.

    As SystemExit, for the same reasons as Stopped.
    """


PROBLEMS = {
    RecursionError: "recursion",
    SystemExit: "exits",
    AsksForInput: "asks-for-input",
    ChecksItself: "checks-itself",
}
