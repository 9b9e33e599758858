"""What stands around a student's function while it runs: it reads and writes no stream, ends nothing, has a stack."""

import builtins
import contextlib
import io
import sys
import threading
from threading import current_thread

from course_utils.checks.engine.kernel_state import BETWEEN_RUNS
from course_utils.notebook import kernel

MOST_OUTPUT = 2000  # characters that are kept of what is printed
STACK = 64 * 2**20  # bytes: room for Python's recursion limit, which threads do not have on every system
MOST_RECURSION = 3000  # calls, should a notebook have raised the limit: beyond this the stack itself could overflow


class AsksForInput(Exception):
    """Raised where a student's function calls input(): nobody can answer inside a check."""


class _Router:
    """Stands for sys.stdout or sys.stderr: keeps what one thread writes, lets the others through."""

    def __init__(self, stream, worker, kept):
        self._stream, self._worker, self._kept = stream, worker, kept

    def write(self, text):
        if current_thread() is not self._worker:
            return self._stream.write(text)
        if sum(map(len, self._kept)) < MOST_OUTPUT:
            self._kept.append(str(text)[:MOST_OUTPUT])
        return len(text)

    def close(self):
        """Leave the stream open: every later cell writes to it."""

    def __getattr__(self, name):
        return getattr(self._stream, name)


@contextlib.contextmanager
def kept_back(worker):
    """Keep what the thread prints, refuse its input() and its quit(). Gives the pieces printed so far."""
    kept = []
    with _streams(worker, kept), _refused(worker, builtins, "input", AsksForInput):
        shell = getattr(kernel(), "shell", None)
        # quit() of a notebook asks the kernel to end once the cell has run; that of Python raises SystemExit
        asks = hasattr(shell, "ask_exit")
        with _refused(worker, shell, "ask_exit", SystemExit) if asks else contextlib.nullcontext():
            yield kept


@contextlib.contextmanager
def _streams(worker, kept):
    before = {name: getattr(sys, name) for name in ("stdin", "stdout", "stderr")}
    ours = {name: _Router(before[name], worker, kept) for name in ("stdout", "stderr")} | {"stdin": io.StringIO()}
    vars(sys).update(ours)
    try:
        yield
    finally:
        BETWEEN_RUNS.extend(f"sys.{name}" for name in ours if getattr(sys, name, None) is not ours[name])
        vars(sys).update(before)


@contextlib.contextmanager
def _refused(worker, owner, name, problem):
    """Raise the problem where this thread calls a function; others may call it."""
    function = getattr(owner, name)

    def refuse(*arguments, **named):
        if current_thread() is worker:
            raise problem
        return function(*arguments, **named)

    setattr(owner, name, refuse)
    try:
        yield
    finally:
        setattr(owner, name, function)


@contextlib.contextmanager
def deep_stack():
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
def recursion_limit():
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(min(before, MOST_RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
