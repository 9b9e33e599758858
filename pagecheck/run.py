"""Calls a function where cells run, under limits, and says what happened.

In the main thread a signal keeps the time: twenty times a second its handler looks where the answer is, and raises
TimeOver there once the time is over, also in a sleep. Where no signal can (Windows, other threads) a watchdog does it:
that ends what computes, and what waits once it goes on. Nothing ends a call into compiled code that heeds no signal.
"""

import contextlib
import copy
import ctypes
import gc
import signal
import sys
import time
import traceback
from threading import Event, Thread, get_ident
from time import monotonic, process_time
from typing import NamedTuple

import numpy as np

from pagecheck import guard
from pagecheck.compare import Outcome, as_outcome
from pagecheck.guard import LIBRARIES, is_installed, is_running

__all__ = ["LIBRARIES", "LIMITS", "ChecksItself", "Limits", "Run", "TimeOver", "call", "is_running", "run"]

TICK = 0.05  # seconds
THREAD_SECONDS = getattr(time, "thread_time", process_time)


class Limits(NamedTuple):
    """Seconds for all calls of a run together."""

    computing: float = 0.7  # the probes are tiny, and loops in Python need milliseconds for them
    waiting: float = 3.0  # asleep, or without a turn on a busy machine
    loading: float = 60.0  # an import, or TensorFlow's first call, may take its time


LIMITS = Limits()


class TimeOver(BaseException):
    """Raised inside an answer. No Exception, which answers catch, and no SystemExit, with which C code ends Python."""


class ChecksItself(SystemExit):
    """Raised where an answer calls the check: an indented line, and it would check itself without end.

    A SystemExit: neither `except Exception` nor the report of a thread sees it.
    """


PROBLEMS = {
    RecursionError: "recursion",
    SystemExit: "exits",
    guard.AsksForInput: "asks-for-input",
    guard.TooMuchOutput: "too-much-output",
    ChecksItself: "checks-itself",
}


class Run(NamedTuple):
    """One outcome for each input, the arguments that were changed in place, what was printed, and how many were done.

    Of an answer that is stopped the last outcome says so: "7 of 18", and for too-slow in a second line what took long.
    """

    outcomes: list[Outcome]
    changed: set[int]
    printed: str
    done: int = 0


def run(function, inputs, n_parts, limits=LIMITS) -> Run:
    """Call the function once for each input (a tuple of arguments), on copies, and return what happened.

    limits: None for no limit. Raises KeyboardInterrupt where the student stops the check, and nothing else.
    """
    outcomes, changed = [], set()
    with _answering(limits) as (clock, output):
        for arguments in inputs:
            outcome = clock.call(_outcome, function, arguments, n_parts, changed)
            if outcome is None or output.is_too_much():
                break
            outcomes.append(outcome)
    done = len(outcomes)
    if done < len(inputs):
        outcomes.append(_stopped(clock, output, f"{done} of {len(inputs)}"))
    return Run(outcomes, changed, output.text, done)


def call(function, arguments=(), limits=LIMITS):
    """Call a function once. Returns what it gives and None, or None and an Outcome that names the problem."""
    found = None
    with _answering(limits) as (clock, output):
        found = clock.call(_result, function, arguments)
    return (None, _stopped(clock, output, "0 of 1")) if found is None or output.is_too_much() else found


@contextlib.contextmanager
def _answering(limits):
    clock = Clock(limits)
    with (
        guard.catch_interrupts(clock.interrupt),
        guard.isolate() as output,
        contextlib.suppress(TimeOver),  # a watchdog's may come late
        clock.keep_time(),
    ):
        yield clock, output
    if clock.is_interrupted:
        raise KeyboardInterrupt


def _stopped(clock, output, done):
    if output.is_too_much():
        return Outcome(problem="too-much-output", detail=done)
    return Outcome(problem="too-slow", detail=f"{done}\n{clock.over}")


def _outcome(function, arguments, n_parts, changed):
    given = copy.deepcopy(arguments)
    outcome, problem = _result(lambda: as_outcome(function(*given), n_parts))
    changed.update(i for i, pair in enumerate(zip(arguments, given, strict=True)) if _result(_differs, pair)[0])
    return problem or outcome


def _result(function, arguments=()):
    try:
        return function(*arguments), None
    except TimeOver:
        raise
    except BaseException as error:  # also sys.exit(), and whatever else a notebook raises, whose own parts may raise
        return None, _result(_raised, (error,))[0] or Outcome(problem="raises", detail="Exception\n\n")


def _raised(error):
    """The problem; in words the kind of error, its message, and the student's line: the innermost of no library."""
    outside = error.__traceback__
    while outside and outside.tb_frame.f_code.co_filename == __file__:
        outside = outside.tb_next
    frames = [f for f in traceback.extract_tb(outside) if f.line and not is_installed(f.filename)]
    message = " ".join((_result(str, (error,))[0] or "").split())
    detail = "\n".join([type(error).__name__, message[:10_000], f"`{frames[-1].line}`" if frames else ""])
    trace = "".join(traceback.format_exception(type(error), error, outside, limit=-6))
    return Outcome(problem=PROBLEMS.get(type(error), "raises"), detail=detail, trace=trace)


def _differs(old, new):
    if isinstance(old, np.ndarray):
        return not (old.shape == new.shape and old.dtype == new.dtype and np.array_equal(old, new, equal_nan=True))
    return bool(old != new)


def _inside(function, arguments):
    """Mark a call on the stack: only above this frame TimeOver is raised."""
    try:
        found = function(*arguments)
        gc.collect(0)  # what it threw away ends here as well: a __del__ may go on for ever
        return found
    except TimeOver:  # with it goes what the answer held: here an endless __del__ can still be stopped
        return None


class Clock:
    """Adds up what an answer takes, and raises TimeOver in it at a limit.

    What passes while it loads counts as loading only. What a collection of garbage takes counts as waiting only: where
    a kernel holds TensorFlow that can be half a second, and it comes when Python likes.
    """

    def __init__(self, limits):
        self.limits, self.over, self.is_interrupted = limits, "", False
        self.is_called = self.is_armed = False  # Ctrl-C comes from the watchdog, or from the tracer
        self.hooks, self.raised = (sys.gettrace(), sys.getprofile()), 0
        self.collected, self.collects_since, self.recursion = 0.0, None, sys.getrecursionlimit()

    def call(self, function, *arguments):
        """Return what a function gives; None once the time is over, whatever the answer makes of it."""
        handled = sys.exception()
        try:
            found = _inside(function, arguments)
        except TimeOver:
            found = None
        if not self.hooks[0] and (sys.gettrace(), sys.getprofile()) != self.hooks:  # at once: they see what follows
            sys.setprofile(self.hooks[1])
            sys.settrace(None)
            if not self.is_armed:
                guard.SAID.append("the trace function")
        if self.raised:
            _stop_monitoring()
            # What a monitor raises can stay behind as the error that is being handled, with all that its frames hold.
            with contextlib.suppress(TimeOver):
                _inside(SET_HANDLED, (ctypes.py_object(handled) if handled else ctypes.py_object(),))
            guard.set_recursion(self.recursion)
        return None if self.over else found

    @contextlib.contextmanager
    def keep_time(self):
        """Count, and raise TimeOver, while the block runs. Where somebody debugs, no time is kept."""
        has_alarm = guard.set_timer and guard.is_main() and signal.getsignal(guard.ALARM) is not None
        # Threads that an earlier answer left behind compute, too; a watchdog cannot ask for the seconds of one thread.
        self.seconds = THREAD_SECONDS if has_alarm else process_time
        self.spent = dict.fromkeys(Limits._fields, 0.0)
        self.passed, self.worked = monotonic(), self.work()
        gc.callbacks.append(self.collect)
        try:
            if self.limits is None or is_debugged():
                yield
            else:
                with self.alarm() if has_alarm else self.watchdog():
                    yield
        finally:
            with contextlib.suppress(ValueError):  # an answer has taken it away
                gc.callbacks.remove(self.collect)

    @contextlib.contextmanager
    def alarm(self):
        before, since = signal.getsignal(guard.ALARM), monotonic()
        guard.set_handler(guard.ALARM, self.tick)
        masked = guard.set_mask(signal.SIG_UNBLOCK, {guard.ALARM})
        left, again = guard.set_timer(signal.ITIMER_REAL, TICK, TICK)
        try:
            yield
        finally:
            guard.set_timer(signal.ITIMER_REAL, 0)
            if signal.getsignal(guard.ALARM) != self.tick:
                guard.SAID.append("the handlers of signals")
            guard.set_handler(guard.ALARM, signal.SIG_IGN)  # drops one that was kept back: it would end Python
            guard.set_mask(signal.SIG_BLOCK, masked & {guard.ALARM})
            guard.set_handler(guard.ALARM, before)
            if left:  # the notebook's own alarm goes on
                guard.set_timer(signal.ITIMER_REAL, max(left - (monotonic() - since), TICK), again)

    @contextlib.contextmanager
    def watchdog(self):
        thread, ended = get_ident(), Event()
        can_signal = guard.is_main() and signal.getsignal(signal.SIGINT) == self.interrupt

        def watch():
            while not ended.wait(TICK):
                if self.count(_frame_of(thread)) and self.over:
                    self.is_called = can_signal
                    if can_signal:  # on Windows this wakes a sleep, too
                        signal.raise_signal(signal.SIGINT)
                    else:
                        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TimeOver))

        watching = Thread(target=watch, daemon=True)
        with contextlib.suppress(RuntimeError):  # Pyodide starts no threads
            watching.start()
        try:
            yield
        finally:
            while watching.is_alive():
                # One may still be on its way. It is met here: taking it back would leave 3.11 busy for ever at a trace.
                with contextlib.suppress(TimeOver):
                    ended.set()
                    watching.join()

    def work(self):
        """Seconds of computing, without those of collections."""
        return (self.collects_since or self.seconds()) - self.collected

    def collect(self, phase, _):
        if phase == "start":
            self.collects_since = self.seconds()
        elif self.collects_since:
            self.collected += self.seconds() - self.collects_since
            self.collects_since = None

    def tick(self, _, frame):
        if self.count(frame) and self.over:
            self.stop(frame)

    def interrupt(self, _, frame):
        """Note Ctrl-C, which is the student's and no error of the answer; or stop where the watchdog has called."""
        self.is_interrupted |= not (self.is_called or self.is_armed)
        self.is_called, self.over = False, self.over or "interrupted"
        if _look(frame)[0]:
            self.stop(frame, arm=not self.is_armed)

    def count(self, frame):
        """Add up what passed since the last time. Return whether a call is on the stack: nothing else is stopped."""
        passed, worked = monotonic(), self.work()
        is_inside, loads = _look(frame)
        self.spent["loading" if loads else "waiting"] += passed - self.passed
        self.spent["computing"] += 0 if loads else worked - self.worked
        self.passed, self.worked = passed, worked
        passed_limits = [kind for kind, most in self.limits._asdict().items() if self.spent[kind] > most]
        self.over = self.over or "".join(passed_limits[:1])
        return is_inside

    def stop(self, frame, arm=True):
        self.raised += 1
        if self.raised > 1 and arm:  # an `except` inside caught the first: from now on each new line raises
            guard.set_recursion(self.recursion + 50)  # room for that, where a recursion has come to its end
            if MONITORING:
                _monitor_lines()
            else:
                self.is_armed = True
                sys.settrace(lambda *_: None)
                while frame.f_code is not _inside.__code__:
                    frame.f_trace = INTERRUPT
                    frame = frame.f_back
        raise TimeOver


MONITORING, TOOL = getattr(sys, "monitoring", None), 4  # from Python 3.12 on; a number that no known tool uses
# A tracer of Python's own is dropped once it raises, and then a `try` around the `try` would win. This one raises
# nothing: it asks for the handler of Ctrl-C, which runs where the next jump or call is.
INTERRUPT = ctypes.pythonapi.PyErr_SetInterrupt
INTERRUPT.restype, INTERRUPT.argtypes = None, [ctypes.py_object] * 3
SET_HANDLED = ctypes.pythonapi.PyErr_SetHandledException
SET_HANDLED.restype, SET_HANDLED.argtypes = None, [ctypes.py_object]


def _monitor_lines():
    """Let each line of the answer raise TimeOver. At an exception it would be raised inside the same `try` again."""

    def raise_inside(code, line):
        if _look(sys._getframe(1))[0]:
            raise TimeOver

    if MONITORING.get_tool(TOOL) is None:
        MONITORING.use_tool_id(TOOL, "pagecheck")
        MONITORING.register_callback(TOOL, MONITORING.events.LINE, raise_inside)
        MONITORING.set_events(TOOL, MONITORING.events.LINE)


def _stop_monitoring():
    if MONITORING and MONITORING.get_tool(TOOL) == "pagecheck":
        MONITORING.set_events(TOOL, 0)
        MONITORING.free_tool_id(TOOL)


def _look(frame):
    """Return whether a call is on the stack, and whether it loads: an import, or TensorFlow that the answer calls.

    What stands above the student's innermost line does not count: a layer of the student's that Keras calls computes.
    """
    loads = is_own = False
    while frame is not None and frame.f_code is not _inside.__code__:
        name = frame.f_code.co_filename.replace("\\", "/")
        is_import = name.startswith("<frozen importlib")
        loads = loads or (not is_own and (is_import or "/tensorflow/" in name or "/keras/" in name))
        is_own = is_own or not (name.startswith("<frozen") or is_installed(name))
        frame = frame.f_back
    return frame is not None, loads and frame is not None


def is_debugged():
    """Tell whether somebody steps through the code, and may stay at a line for long."""
    monitoring, debugpy = getattr(sys, "monitoring", None), sys.modules.get("debugpy.server.api")
    by_monitoring = monitoring and monitoring.get_tool(monitoring.DEBUGGER_ID)
    return bool(sys.gettrace() or by_monitoring or (debugpy and debugpy.is_client_connected()))


def _frame_of(thread):
    """Until Python 3.11.7 and 3.12.0, garbage collected inside sys._current_frames can wait for itself without end.

    It makes an object for each frame while it holds a lock, and a threading.local that is collected wants that lock:
    https://github.com/python/cpython/issues/106883
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        return sys._current_frames().get(thread)
    finally:
        if was_on:
            gc.enable()
