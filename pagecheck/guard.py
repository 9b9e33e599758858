"""What stands around an answer: its output is kept back, it ends no kernel, and what it changes is put back and said.

`protect()` stands around a whole check, `isolate()` around each run of the answer inside it.
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
from threading import Thread, current_thread  # by name, and so the clock: an answer may replace them in their modules
from time import monotonic
from typing import NamedTuple

import numpy as np

# Folders whose files are not the student's. A course adds its own.
LIBRARIES = [str(Path(os.__file__).parent)]
HERE = os.path.dirname(__file__)
MOST_KEPT = 2000  # characters of what is printed
MOST_PRINTED = 1_000_000  # characters: an answer that prints more is stopped
MOST_RECURSION = 1000  # calls, as Python begins: in Python 3.13 2000 through C and back overflow a stack of 8 MB
GRACE = 0.2  # seconds for threads that are about to end

# While an answer runs, others stand in the place of these.
set_handler, set_recursion = signal.signal, sys.setrecursionlimit
set_timer, set_mask = getattr(signal, "setitimer", None), getattr(signal, "pthread_sigmask", None)
ALARM = getattr(signal, "SIGALRM", None)

THREADS = weakref.WeakSet()  # those that check, and those that an answer has started
SAID = []  # what was put back since the check began, in words


class AsksForInput(Exception):
    """Raised where an answer calls input(): nobody can reply inside a check."""


class SignalRefused(RuntimeError):
    """Raised where an answer changes a signal that the check needs."""

    def __init__(self):
        super().__init__(
            "inside a check nobody waits for a signal, and SIGALRM and SIGINT, which stop an answer, stay as they are"
        )


class TooMuchOutput(BaseException):
    """Raised where an answer prints without end. `except Exception` does not see it."""


class Left(NamedTuple):
    """What an answer left behind: what was put back and what was taken away, in words; and threads that go on."""

    put_back: list[str]
    taken_away: list[str]
    threads: list[Thread]


def is_running() -> bool:
    """Tell whether a check runs in this thread, or an answer has started this thread."""
    return current_thread() in THREADS


def is_main() -> bool:
    """Tell whether Python handles signals in this thread."""
    return current_thread() is threading.main_thread()


def is_installed(filename) -> bool:
    """Tell whether a file belongs to Python, to an installed package or to the course."""
    return "site-packages" in filename or filename.startswith(tuple(LIBRARIES)) or os.path.dirname(filename) == HERE


@contextlib.contextmanager
def protect():
    """Leave the kernel as it was. Gives a Left, which is complete when the block has ended.

    A name of NumPy or Python that a cell replaced before the check counts too: np.exp = 2.7 would make every later
    answer wrong. What a package sets up when it is first loaded stays, because no answer did that.
    """
    left, interrupts, started, me, start = Left([], [], []), [], [], current_thread(), Thread.start
    SAID.clear()
    _put_back_names()
    HELD[:] = [(module, prefix, {name: getattr(module, name)}) for module, prefix, name in PLACES]
    names, loaded = {module: set(vars(module)) for module in MODULES}, set(sys.modules)
    before = _note(STATES)

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
        yield left
    finally:
        with catch_interrupts(lambda *_: interrupts.append(True)):
            Thread.start = start
            THREADS.discard(me)
            left.threads.extend(_wait(started))
            left.taken_away.extend(_take_away(names))
            _put_back_names()
            HELD.clear()
            _put_back(STATES, before, SET_UP_BY_PACKAGES if _has_new_package(loaded) else ())
            left.put_back.extend(dict.fromkeys(SAID))
        if interrupts:
            raise KeyboardInterrupt


def _wait(threads):
    """Return the threads that go on. Nothing ends them by force: one that holds a lock would never release it."""
    until = monotonic() + GRACE
    for thread in threads:
        thread.join(max(0, until - monotonic()))
    return [thread for thread in threads if thread.is_alive()]


@contextlib.contextmanager
def catch_interrupts(handle):
    """Give Ctrl-C to handle(signal, frame) while the block runs: nothing that is put back is to be left half done."""
    before = signal.getsignal(signal.SIGINT)
    catches = is_main() and callable(before)
    if catches:
        set_handler(signal.SIGINT, handle)
    try:
        yield
    finally:
        if catches:
            set_handler(signal.SIGINT, before)


@contextlib.contextmanager
def isolate():
    """Stand around a run of an answer: it reads and writes no stream, and ends no kernel. Gives its Output."""
    _put_back_names()
    output, before, is_known = Output(), _note(AROUND_A_RUN), is_running()
    THREADS.add(output.thread)
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(_streams(output))
            for owner, name, instead in _substitutes():
                stack.enter_context(_replace(owner, name, instead))
            yield output
    finally:
        if not is_known:
            THREADS.discard(output.thread)
        _put_back_names()  # before the course computes with them
        _put_back(AROUND_A_RUN, before)


class Output:
    """What an answer prints: its beginning, and how much it is."""

    def __init__(self):
        self.text, self.length, self.thread, self.others = "", 0, current_thread(), set(THREADS) - {current_thread()}

    def add(self, text, kept=True):
        if current_thread() in self.others:  # an earlier answer has left it behind
            return
        if kept and self.length < MOST_KEPT:
            self.text += text[:MOST_KEPT]
        self.length += len(text)
        if self.is_too_much() and current_thread() is self.thread:
            raise TooMuchOutput

    def is_too_much(self):
        return self.length > MOST_PRINTED


class _Stream:
    """Stands for sys.stdout or sys.stderr: keeps back what an answer writes, lets other threads through."""

    def __init__(self, stream, output, kept):
        self._stream, self._output, self._kept = stream, output, kept

    def write(self, text):
        if not is_running():
            return self._stream.write(text)
        self._output.add(str(text), self._kept)
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def close(self):
        """Leave the stream open: every later cell writes to it."""

    def __getattr__(self, name):
        return getattr(self._stream, name)


@contextlib.contextmanager
def _streams(output):
    before = {name: getattr(sys, name) for name in ("stdin", "stdout", "stderr")}
    ours = {name: _Stream(before[name], output, name == "stdout") for name in ("stdout", "stderr")} | {
        "stdin": io.StringIO()
    }
    vars(sys).update(ours)
    try:
        yield
    finally:
        SAID.extend(f"`sys.{name}`" for name in ours if getattr(sys, name, None) is not ours[name])
        vars(sys).update(before)


@contextlib.contextmanager
def _replace(owner, name, instead):
    """Let the threads of a check call instead(function, *arguments) in the place of a function."""
    function = getattr(owner, name)

    def choose(*arguments, **named):
        return instead(function, *arguments, **named) if is_running() else function(*arguments, **named)

    setattr(owner, name, choose)
    try:
        yield
    finally:
        setattr(owner, name, function)


def _refuse(problem, when=lambda *arguments, **named: True):
    def instead(function, *arguments, **named):
        if when(*arguments, **named):
            raise problem
        return function(*arguments, **named)

    return instead


def _names_alarm(*arguments):
    return any(ALARM in group for group in arguments if hasattr(group, "__iter__"))


def _substitutes():
    """Give owner, name, and what stands there while an answer runs."""
    yield builtins, "input", _refuse(AsksForInput)
    yield sys, "unraisablehook", lambda *_: None  # where a __del__ swallows an error, Python would print it
    yield sys, "setrecursionlimit", lambda function, limit: function(min(limit, MOST_RECURSION))
    for name in {"_exit", "abort", "fork"} & set(vars(os)):  # a fork would be a second kernel; a library ends its own
        yield os, name, _refuse(SystemExit, lambda *_: not is_installed(sys._getframe(3).f_code.co_filename))
    yield signal, "signal", _refuse(SignalRefused, lambda number, _: number in (ALARM, signal.SIGINT))
    if set_timer:
        yield signal, "alarm", _refuse(SignalRefused)
        yield signal, "setitimer", _refuse(SignalRefused, lambda which, *_: which == signal.ITIMER_REAL)
        yield signal, "siginterrupt", _refuse(SignalRefused, lambda number, _: number == ALARM)
        for name in {"sigwait", "sigwaitinfo", "sigtimedwait"} & set(vars(signal)):  # nothing would end such a wait
            yield signal, name, _refuse(SignalRefused)
        if hasattr(signal, "pthread_sigmask"):
            yield signal, "pthread_sigmask", _refuse(SignalRefused, _names_alarm)
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if hasattr(
        shell, "ask_exit"
    ):  # its quit() asks the kernel to end once the cell has run; that of Python raises SystemExit
        yield shell, "ask_exit", _refuse(SystemExit)
        yield shell.display_pub, "publish", lambda *_, **__: None


MODULES = {builtins: "", math: "math.", random: "random.", time: "time."}
MODULES |= {np: "np.", np.linalg: "np.linalg.", np.random: "np.random."}


def _own_names(module):
    """Return the functions of a module, and all names of NumPy and math.

    Of Python's own those that it made: IPython adds some, and a kernel has its own input.
    """
    names = {name: value for name, value in vars(module).items() if callable(value) or module in (math, np)}
    if module is builtins:
        del names["input"]
        names = {n: v for n, v in names.items() if getattr(v, "__module__", "") in ("builtins", "io", "_io")}
    return names


# As they were when the checks were loaded. A check answers with these, also when a notebook has replaced one since.
OURS = [(module, prefix, _own_names(module)) for module, prefix in MODULES.items()]
# Objects that other modules hold on to: what stands there when a check begins has to stand there afterwards.
PLACES = [(os, "os.", "environ"), (warnings, "warnings.", "filters"), (threading, "threading.", "excepthook")]
PLACES += [(sys, "sys.", name) for name in ("path", "excepthook", "displayhook", "unraisablehook")]
HELD = []  # the same with the objects, while a check runs


def _put_back_names():
    """Give the modules their own names again, and say which had been replaced or deleted."""
    for module, prefix, names in [*OURS, *HELD]:
        there = vars(module)
        for name, value in names.items():
            if there.get(name, OURS) is not value:
                setattr(module, name, value)
                SAID.append(f"`{prefix}{name}`")


def _take_away(before):
    """Delete the names that are new in a module, and return them; not its parts, which an import adds."""
    found = []
    for module, prefix in MODULES.items():
        for name in set(vars(module)) - before[module]:
            if not name.startswith("__") and not isinstance(vars(module)[name], types.ModuleType):
                delattr(module, name)
                found.append(f"`{prefix}{name}`")
    return sorted(found)


def _has_new_package(loaded):
    """Tell whether a package was loaded since then. One that was there, and loads a part of itself, is not new."""
    new = {name for name in set(sys.modules) - loaded if "." not in name} - sys.stdlib_module_names
    modules = [sys.modules[name] for name in new if isinstance(sys.modules[name], types.ModuleType)]
    return any(is_installed(str(vars(module).get("__file__"))) for module in modules)


def _note(states):
    """Return each state as it was and as it is for now, after setting it so."""
    noted = {}
    for words, (get, put, *change) in states.items():
        before = _try(get)
        if change:
            _try(put, change[0](before))
        noted[words] = before, _try(get)
    return noted


def _put_back(states, noted, stay=()):
    """Put the states back, and say which somebody has changed meanwhile."""
    for words, (get, put, *_) in states.items():
        before, meanwhile = noted[words]
        is_changed = words not in stay and not _same(_try(get), meanwhile)
        if is_changed or not _same(meanwhile, before):
            _try(put, before)  # what cannot be put back is said all the same
        if is_changed:
            SAID.append(words)


def _try(function, *arguments):
    """A state, or what stands for one that cannot be asked for any more."""
    try:
        return function(*arguments)
    except Exception as problem:
        return type(problem)


def _same(now, before):
    try:
        return bool(now == before)
    except ValueError:  # arrays inside
        return repr(now) == repr(before)


def _put_environment(before):
    os.environ.clear()
    os.environ.update(before)


GENERATOR = np.random.get_bit_generator()


def _numpy_random():
    name, keys, *rest = np.random.get_state()
    return (name, keys.tobytes(), *rest)


def _put_numpy_random(before):
    name, keys, *rest = before
    np.random.set_bit_generator(GENERATOR)
    np.random.set_state((name, np.frombuffer(keys, np.uint32), *rest))


def _tensorflow():
    """TensorFlow's context, which holds its seed and draws; None as long as nobody has loaded it."""
    module = sys.modules.get("tensorflow.python.eager.context")
    return module and module.context()


def _tensorflow_random():
    here = _tensorflow()
    return None if here is None or here._seed is None else (here._seed, here._rng.getstate())


def _put_tensorflow_random(before):
    seed, state = before or (None, None)
    _tensorflow()._set_global_seed(seed)
    if before:
        _tensorflow()._rng.setstate(state)


def _put_path(before):
    sys.path[:] = before


def _put_filters(before):
    warnings.filters[:] = before
    warnings._filters_mutated()


def _handlers():
    return {number: signal.getsignal(number) for number in signal.valid_signals() - {signal.SIGINT}}


def _put_handlers(before):
    for number, handler in before.items():
        if handler is not None and signal.getsignal(number) != handler:
            set_handler(number, handler)


RANDOM_OF_PYTHON = "the random numbers of Python"
# TensorFlow, at its first import, writes variables, ignores warnings of others, and draws.
SET_UP_BY_PACKAGES = {"the environment variables", "the filters of warnings", RANDOM_OF_PYTHON}
# words -> (what gives the state, what puts it back)
STATES = {
    "the working folder": (os.getcwd, os.chdir),
    "the environment variables": (lambda: dict(os.environ), _put_environment),
    "the path of imports": (lambda: list(sys.path), _put_path),
    "the filters of warnings": (lambda: list(warnings.filters), _put_filters),
    "the way NumPy prints": (np.get_printoptions, lambda before: np.set_printoptions(**before)),
    "the random numbers of NumPy": (_numpy_random, _put_numpy_random),
    RANDOM_OF_PYTHON: (random.getstate, random.setstate),
    "the random numbers of TensorFlow": (_tensorflow_random, _put_tensorflow_random),
    "Python's garbage collection": (gc.isenabled, lambda before: gc.enable() if before else gc.disable()),
    "the handlers of signals": (_handlers, _put_handlers),
}
ERRORS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}  # as NumPy begins
# The same around each run of an answer, with what the state is meanwhile.
AROUND_A_RUN = {
    "NumPy's handling of errors": (np.geterr, lambda before: np.seterr(**before), lambda _: ERRORS),
    "the limit of recursion": (sys.getrecursionlimit, set_recursion, lambda before: min(before, MOST_RECURSION)),
}
if set_mask:
    AROUND_A_RUN["the signals that wait"] = lambda: set_mask(0, ()), lambda before: set_mask(signal.SIG_SETMASK, before)
