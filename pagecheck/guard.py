"""Isolates an answer: captures its output, keeps it from ending the kernel, and restores and reports what it changes.

`protect()` wraps a whole check, `isolate()` each run of the answer inside it.
"""

import builtins
import contextlib
import gc
import io
import math
import os
import random
import signal
import sys
import threading
import time
import types
import warnings
import weakref
from pathlib import Path
from threading import Thread, current_thread  # by name, as monotonic: an answer may replace them in their modules
from time import monotonic
from typing import NamedTuple

import numpy as np

# Folders whose files are not the student's. A course adds its own.
LIBRARIES = [str(Path(os.__file__).parent)]
HERE = os.path.dirname(__file__)
MOST_RECORDED = 2000  # characters of output
MOST_PRINTED = 1_000_000  # characters: an answer that prints more is stopped
MOST_RECURSION = 1000  # calls, Python's default: in Python 3.13, 2000 through C and back overflow a stack of 8 MB
GRACE = 0.2  # seconds for threads that are about to end

# The originals: substitutes replace them while an answer runs.
set_handler, set_recursion = signal.signal, sys.setrecursionlimit
set_timer, set_mask = getattr(signal, "setitimer", None), getattr(signal, "pthread_sigmask", None)
ALARM = getattr(signal, "SIGALRM", None)

THREADS = weakref.WeakSet()  # those of checks, and those that answers have started
CHANGES = []  # what was restored since the check began, in words


class AsksForInput(Exception):
    """Raised if an answer calls input(): nobody can reply inside a check."""


class SignalRefused(RuntimeError):
    """Raised if an answer changes a signal that the check needs."""

    def __init__(self):
        super().__init__(
            "inside a check nobody waits for a signal, and SIGALRM and SIGINT, which stop an answer, stay as they are"
        )


class TooMuchOutput(BaseException):
    """Raised if an answer prints endlessly. `except Exception` does not catch it."""


class Leftovers(NamedTuple):
    """What an answer left behind: what was restored and what was removed, in words; and threads that still run."""

    put_back: list[str]
    taken_away: list[str]
    threads: list[Thread]


def is_running() -> bool:
    """Tell whether a check runs in this thread, or an answer started this thread."""
    return current_thread() in THREADS


def is_main() -> bool:
    """Tell whether Python handles signals in this thread."""
    return current_thread() is threading.main_thread()


def is_installed(filename) -> bool:
    """Tell whether a file belongs to Python, to an installed package or to the course."""
    return "site-packages" in filename or filename.startswith(tuple(LIBRARIES)) or os.path.dirname(filename) == HERE


@contextlib.contextmanager
def protect():
    """Leave the kernel as it was. Yields Leftovers, which are complete once the block has ended.

    Names of NumPy or Python that a cell replaced before the check are restored too: np.exp = 2.7 would make every later
    answer wrong. What a package sets up on its first import stays, because no answer did that.
    """
    leftovers, interrupts, started, me, start = Leftovers([], [], []), [], [], current_thread(), Thread.start
    CHANGES.clear()
    _restore_names()
    OBJECTS_AT_START[:] = [(module, prefix, {name: getattr(module, name)}) for module, prefix, name in SHARED_OBJECTS]
    names, loaded = {module: set(vars(module)) for module in MODULES}, set(sys.modules)
    states = _snapshot(STATES)

    def start_and_count(thread):
        counts = is_running()
        if counts:
            THREADS.add(thread)
        start(thread)
        if counts:
            started.append(thread)

    THREADS.add(me)
    Thread.start = start_and_count
    try:
        yield leftovers
    finally:
        with catch_interrupts(lambda *_: interrupts.append(True)):
            Thread.start = start
            THREADS.discard(me)
            leftovers.threads.extend(_wait(started))
            leftovers.taken_away.extend(_remove_new_names(names))
            _restore_names()
            OBJECTS_AT_START.clear()
            _restore(STATES, states, SET_UP_BY_PACKAGES if _has_new_package(loaded) else ())
            leftovers.put_back.extend(dict.fromkeys(CHANGES))
        if interrupts:
            raise KeyboardInterrupt


def _wait(threads):
    """Return the threads that still run. They are not killed: one that holds a lock would never release it."""
    until = monotonic() + GRACE
    for thread in threads:
        thread.join(max(0, until - monotonic()))
    return [thread for thread in threads if thread.is_alive()]


@contextlib.contextmanager
def catch_interrupts(handle):
    """Pass Ctrl-C to handle(signal, frame) while the block runs, so that nothing stays half restored."""
    previous = signal.getsignal(signal.SIGINT) if is_main() else None
    if callable(previous):
        set_handler(signal.SIGINT, handle)
    try:
        yield
    finally:
        if previous is not None:  # ignored in a background process, where the clock sets one all the same
            set_handler(signal.SIGINT, previous)


@contextlib.contextmanager
def isolate():
    """Wrap a run of an answer: it cannot use the streams or end the kernel. Yields its Output."""
    _restore_names()
    output, states, is_known = Output(), _snapshot(AROUND_A_RUN), is_running()
    THREADS.add(output.thread)
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(_streams(output))
            for owner, name, replacement in _substitutes():
                stack.enter_context(_substitute(owner, name, replacement))
            yield output
    finally:
        if not is_known:
            THREADS.discard(output.thread)
        _restore_names()  # the course computes with them next
        _restore(AROUND_A_RUN, states)


class Output:
    """What an answer prints: its beginning, and its length."""

    def __init__(self):
        self.text, self.length, self.thread, self.others = "", 0, current_thread(), set(THREADS) - {current_thread()}

    def add(self, text, is_recorded=True):
        if current_thread() in self.others:  # a thread that an earlier answer left behind
            return
        if is_recorded and self.length < MOST_RECORDED:
            self.text += text[:MOST_RECORDED]
        self.length += len(text)
        if self.is_too_much() and current_thread() is self.thread:
            raise TooMuchOutput

    def is_too_much(self):
        return self.length > MOST_PRINTED


class _Stream:
    """Replaces sys.stdout or sys.stderr: captures what an answer writes, and passes on what other threads write."""

    def __init__(self, stream, output, is_recorded):
        self._stream, self._output, self._is_recorded = stream, output, is_recorded

    def write(self, text):
        if not is_running():
            return self._stream.write(text)
        self._output.add(str(text), self._is_recorded)
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def close(self):
        """Leave the stream open: later cells write to it."""

    def __getattr__(self, name):
        return getattr(self._stream, name)


@contextlib.contextmanager
def _streams(output):
    originals = {name: getattr(sys, name) for name in ("stdin", "stdout", "stderr")}
    replacements = {name: _Stream(originals[name], output, name == "stdout") for name in ("stdout", "stderr")} | {
        "stdin": io.StringIO()
    }
    vars(sys).update(replacements)
    try:
        yield
    finally:
        CHANGES.extend(f"`sys.{name}`" for name in replacements if getattr(sys, name, None) is not replacements[name])
        vars(sys).update(originals)


@contextlib.contextmanager
def _substitute(owner, name, replacement):
    """Make threads of a check call replacement(function, *arguments) instead of a function."""
    function = getattr(owner, name)

    def dispatch(*arguments, **named):
        return replacement(function, *arguments, **named) if is_running() else function(*arguments, **named)

    setattr(owner, name, dispatch)
    try:
        yield
    finally:
        setattr(owner, name, function)


def _refuse(problem, when=lambda *arguments: True):
    def refuse(function, *arguments, **named):
        if when(*arguments):
            raise problem
        return function(*arguments, **named)

    return refuse


def _names_alarm(*arguments):
    return any(ALARM in group for group in arguments if hasattr(group, "__iter__"))


def _substitutes():
    """Yield owner, name, and the replacement while an answer runs."""
    yield builtins, "input", _refuse(AsksForInput)
    yield sys, "unraisablehook", lambda *_: None  # else Python prints the error of a __del__
    yield sys, "setrecursionlimit", lambda function, limit: function(min(limit, MOST_RECURSION))
    for name in {"_exit", "abort", "fork"} & set(
        vars(os)
    ):  # a fork would be a second kernel; libraries may end their own
        yield os, name, _refuse(SystemExit, lambda *_: not is_installed(sys._getframe(3).f_code.co_filename))
    yield signal, "signal", _refuse(SignalRefused, lambda number, _: number in (ALARM, signal.SIGINT))
    if set_timer:
        yield signal, "alarm", _refuse(SignalRefused)
        yield signal, "setitimer", _refuse(SignalRefused, lambda which, *_: which == signal.ITIMER_REAL)
        yield signal, "siginterrupt", _refuse(SignalRefused, lambda number, _: number == ALARM)
        for name in {"sigwait", "sigwaitinfo", "sigtimedwait"} & set(vars(signal)):  # nothing could end such a wait
            yield signal, name, _refuse(SignalRefused)
        if hasattr(signal, "pthread_sigmask"):
            yield signal, "pthread_sigmask", _refuse(SignalRefused, _names_alarm)
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if hasattr(shell, "ask_exit"):  # IPython's quit() makes the kernel exit after the cell; Python's raises SystemExit
        yield shell, "ask_exit", _refuse(SystemExit)
        yield shell.display_pub, "publish", lambda *_, **__: None


MODULES = {builtins: "", math: "math.", random: "random.", time: "time."}
MODULES |= {np: "np.", np.linalg: "np.linalg.", np.random: "np.random."}


def _own_names(module):
    """Return the functions of a module, or all names of NumPy and math.

    Of builtins only Python's own: IPython adds some, and a kernel has its own input.
    """
    names = {name: value for name, value in vars(module).items() if callable(value) or module in (math, np)}
    if module is builtins:
        del names["input"]
        names = {n: v for n, v in names.items() if getattr(v, "__module__", "") in ("builtins", "io", "_io")}
    return names


# As they were when pagecheck was imported. Checks use these, even if a notebook has replaced one since.
ORIGINALS = [(module, prefix, _own_names(module)) for module, prefix in MODULES.items()]
# Objects that other modules keep references to: each must be the same after a check as before.
SHARED_OBJECTS = [(os, "os.", "environ"), (warnings, "warnings.", "filters"), (threading, "threading.", "excepthook")]
SHARED_OBJECTS += [(sys, "sys.", name) for name in ("path", "excepthook", "displayhook", "unraisablehook")]
OBJECTS_AT_START = []  # those objects, while a check runs


def _restore_names():
    """Restore the names of the modules, and report which had been replaced or deleted."""
    for module, prefix, names in [*ORIGINALS, *OBJECTS_AT_START]:
        current = vars(module)
        for name, value in names.items():
            if current.get(name, ORIGINALS) is not value:
                setattr(module, name, value)
                CHANGES.append(f"`{prefix}{name}`")


def _remove_new_names(names_before):
    """Delete the new names of the modules, except submodules, which an import adds, and return them."""
    removed = []
    for module, prefix in MODULES.items():
        for name in set(vars(module)) - names_before[module]:
            if not name.startswith("__") and not isinstance(vars(module)[name], types.ModuleType):
                delattr(module, name)
                removed.append(f"`{prefix}{name}`")
    return sorted(removed)


def _has_new_package(loaded_before):
    """Tell whether a package was loaded since. A package that loads another part of itself is not new."""
    new = {name for name in set(sys.modules) - loaded_before if "." not in name} - sys.stdlib_module_names
    modules = [sys.modules[name] for name in new if isinstance(sys.modules[name], types.ModuleType)]
    return any(is_installed(str(vars(module).get("__file__"))) for module in modules)


def _snapshot(states):
    """Return each state before and after applying its temporary change, if it has one."""
    snapshot = {}
    for words, (get, put, *change) in states.items():
        before = _try(get)
        if change:
            _try(put, change[0](before))
        snapshot[words] = before, _try(get)
    return snapshot


def _restore(states, snapshot, ignored=()):
    """Restore the states, and report those that changed meanwhile."""
    for words, (get, put, *_) in states.items():
        before, during = snapshot[words]
        is_changed = words not in ignored and not _same(_try(get), during)
        if is_changed or not _same(during, before):
            _try(put, before)  # what cannot be restored is reported all the same
        if is_changed:
            CHANGES.append(words)


def _try(function, *arguments):
    """Return a state, or the type of the error if it is not available any more."""
    try:
        return function(*arguments)
    except Exception as problem:
        return type(problem)


def _same(now, before):
    try:
        return bool(now == before)
    except ValueError:  # arrays inside
        return repr(now) == repr(before)


def _restore_environment(before):
    os.environ.clear()
    os.environ.update(before)


GENERATOR = np.random.get_bit_generator()


def _numpy_random():
    name, keys, *rest = np.random.get_state()
    return (name, keys.tobytes(), *rest)


def _restore_numpy_random(before):
    name, keys, *rest = before
    np.random.set_bit_generator(GENERATOR)
    np.random.set_state((name, np.frombuffer(keys, np.uint32), *rest))


def _tensorflow():
    """TensorFlow's context, which holds its seed and random state; None if TensorFlow is not loaded."""
    module = sys.modules.get("tensorflow.python.eager.context")
    return module and module.context()


def _tensorflow_random():
    context = _tensorflow()
    return None if context is None or context._seed is None else (context._seed, context._rng.getstate())


def _restore_tensorflow_random(before):
    seed, state = before or (None, None)
    _tensorflow()._set_global_seed(seed)
    if before:
        _tensorflow()._rng.setstate(state)


def _restore_path(before):
    sys.path[:] = before


def _restore_filters(before):
    warnings.filters[:] = before
    warnings._filters_mutated()


def _handlers():
    return {number: signal.getsignal(number) for number in signal.valid_signals() - {signal.SIGINT}}


def _restore_handlers(before):
    for number, handler in before.items():
        if handler is not None and signal.getsignal(number) != handler:
            set_handler(number, handler)


ENVIRONMENT, FILTERS = "the environment variables", "the filters of warnings"
RANDOM_OF_PYTHON = "the random numbers of Python"
# On its first import TensorFlow sets variables, adds filters of warnings, and draws random numbers.
SET_UP_BY_PACKAGES = {ENVIRONMENT, FILTERS, RANDOM_OF_PYTHON}
# words -> (get, restore)
STATES = {
    "the working folder": (os.getcwd, os.chdir),
    ENVIRONMENT: (lambda: dict(os.environ), _restore_environment),
    "the path of imports": (lambda: list(sys.path), _restore_path),
    FILTERS: (lambda: list(warnings.filters), _restore_filters),
    "the way NumPy prints": (np.get_printoptions, lambda before: np.set_printoptions(**before)),
    "the random numbers of NumPy": (_numpy_random, _restore_numpy_random),
    RANDOM_OF_PYTHON: (random.getstate, random.setstate),
    "the random numbers of TensorFlow": (_tensorflow_random, _restore_tensorflow_random),
    "Python's garbage collection": (gc.isenabled, lambda before: gc.enable() if before else gc.disable()),
    "the handlers of signals": (_handlers, _restore_handlers),
}
ERRORS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}  # NumPy's default
# The same around each run of an answer, with the temporary state.
AROUND_A_RUN = {
    "NumPy's handling of errors": (np.geterr, lambda before: np.seterr(**before), lambda _: ERRORS),
    "the limit of recursion": (sys.getrecursionlimit, set_recursion, lambda before: min(before, MOST_RECURSION)),
}
if set_mask:
    AROUND_A_RUN["the signals that wait"] = lambda: set_mask(0, ()), lambda before: set_mask(signal.SIG_SETMASK, before)
