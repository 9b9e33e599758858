"""Calls a function in the thread of the cells, under limits, and reports what happened.

In the main thread a signal keeps the time: twenty times a second its handler looks at the stack, and raises TimeOver in
the answer once its time is over, even in a sleep. Without signals (Windows, other threads) a watchdog thread does it:
it stops computations at once, and waits only when they return. Nothing stops compiled code that ignores signals.
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
from pagecheck.guard import is_installed

try:
    from resource import RUSAGE_THREAD, getrusage
except ImportError:  # only Linux tells of one thread
    RUSAGE_THREAD = None

TICK = 0.05  # seconds
SOON = 0.002  # until the next tick, where one had no room at the end of a deep recursion
THREAD_SECONDS = getattr(time, "thread_time", process_time)


class Limits(NamedTuple):
    """Seconds for all calls of a run together."""

    computing: float = 0.7  # the probes are tiny: loops in Python take milliseconds
    waiting: float = 3.0  # asleep, by the clock
    loading: float = 60.0  # an import, or TensorFlow's first call, may be slow


LIMITS = Limits()


class TimeOver(BaseException):
    """Raised inside an answer. Not an Exception, which answers catch, nor a SystemExit, on which C code ends Python."""


class ChecksItself(SystemExit):
    """Raised if an answer calls the check: with a wrongly indented line it would check itself endlessly.

    A SystemExit, which neither `except Exception` catches nor a thread reports.
    """


PROBLEMS = {
    RecursionError: "recursion",
    SystemExit: "exits",
    guard.AsksForInput: "asks-for-input",
    guard.TooMuchOutput: "too-much-output",
    ChecksItself: "checks-itself",
}


class Run(NamedTuple):
    """One outcome for each input, the arguments that were changed in place, the output, and how many inputs were done.

    If the answer was stopped, the last outcome says so: "7 of 18", and for too-slow a second line with what took long.
    """

    outcomes: list[Outcome]
    changed: set[int]
    printed: str
    done: int = 0


def run(function, inputs, n_parts, limits=LIMITS) -> Run:
    """Call the function once for each input (a tuple of arguments), on copies, and return what happened.

    limits: None for no limit. Raises KeyboardInterrupt if the student interrupts the check, and nothing else.
    """
    outcomes, changed = [], set()
    with _timed_isolation(limits) as (clock, output):
        for arguments in inputs:
            outcome = clock.call(_outcome, function, arguments, n_parts, changed)
            if outcome is None or output.is_too_much():
                break
            outcomes.append(outcome)
    done = len(outcomes)
    if done < len(inputs):
        outcomes.append(_stop_outcome(clock, output, f"{done} of {len(inputs)}"))
    return Run(outcomes, changed, output.text, done)


def call(function, arguments=(), limits=LIMITS):
    """Call a function once. Returns its result and None, or None and an Outcome with the problem."""
    result = None
    with _timed_isolation(limits) as (clock, output):
        result = clock.call(_result, function, arguments)
    return (None, _stop_outcome(clock, output, "0 of 1")) if result is None or output.is_too_much() else result


@contextlib.contextmanager
def _timed_isolation(limits):
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


def _stop_outcome(clock, output, done):
    if output.is_too_much():
        return Outcome(problem="too-much-output", detail=done)
    return Outcome(problem="too-slow", detail=f"{done}\n{clock.over}")


def _outcome(function, arguments, n_parts, changed):
    copies = copy.deepcopy(arguments)
    outcome, problem = _result(lambda: as_outcome(function(*copies), n_parts))
    changed.update(i for i, pair in enumerate(zip(arguments, copies, strict=True)) if _result(_differs, pair)[0])
    return problem or outcome


def _result(function, arguments=()):
    try:
        return function(*arguments), None
    except TimeOver:
        raise
    except BaseException as error:  # also sys.exit(), and errors of a notebook whose own methods raise
        return None, _result(_raised, (error,))[0] or Outcome(problem="raises", detail="Exception\n\n")


def _raised(error):
    """Return the outcome of an error; detail: its kind, its message, and the student's innermost line."""
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
    """Mark a call on the stack: TimeOver is only raised inside this frame."""
    try:
        result = function(*arguments)
        gc.collect(0)  # its garbage ends here too: a __del__ may run forever
        return result
    except TimeOver:  # frees the answer's objects here, where an endless __del__ can still be stopped
        return None


class Clock:
    """Measures the time of an answer, and raises TimeOver in it at a limit.

    Time spent loading counts as loading only. Garbage collection counts as waiting at most: with TensorFlow loaded it
    can take half a second, at any time.
    """

    def __init__(self, limits):
        self.limits, self.over, self.is_interrupted = limits, "", False
        self.has_ended = self.keeps_time = False
        self.is_called = self.is_armed = False  # whether Ctrl-C comes from the watchdog, or from the tracer
        self.hooks, self.raised = (sys.gettrace(), sys.getprofile()), 0
        self.collected, self.collects_since, self.rests, self.recursion = 0.0, None, 0, sys.getrecursionlimit()

    def call(self, function, *arguments):
        """Return the result of a function; None once the time is over, even if the answer catches TimeOver."""
        handled_before, self.has_ended = sys.exception(), False
        try:
            result = _inside(function, arguments)
        except TimeOver:
            result = None
        self.has_ended = True  # from here on nothing is armed that nobody would disarm
        hooks = sys.gettrace(), sys.getprofile()
        if not self.hooks[0] and hooks != self.hooks:  # at once, since they trace what follows
            sys.setprofile(self.hooks[1])
            sys.settrace(None)
            if not self.is_armed:
                guard.CHANGES.append("the trace function")
        if self.raised:
            _stop_monitoring()
            # What a monitor raises can remain as the error being handled, with all objects of its frames.
            with contextlib.suppress(TimeOver):
                _inside(SET_HANDLED, (handled_before,))
            guard.set_recursion(self.recursion)
        return None if self.over else result

    @contextlib.contextmanager
    def keep_time(self):
        """Measure the time, and raise TimeOver, while the block runs; under a debugger, do nothing."""
        self.has_alarm = guard.set_timer and guard.is_main() and signal.getsignal(guard.ALARM) is not None
        # Threads of an earlier answer may compute too; a watchdog cannot measure another thread alone.
        self.seconds = THREAD_SECONDS if self.has_alarm else process_time
        self.spent = dict.fromkeys(Limits._fields, 0.0)
        self.passed, self.worked = monotonic(), self.work()
        gc.callbacks.append(self.collect)
        try:
            if self.limits is None or is_debugged():
                yield
            else:
                with self.alarm() if self.has_alarm else self.watchdog():
                    yield
        finally:
            with contextlib.suppress(ValueError):  # the answer removed it
                gc.callbacks.remove(self.collect)

    @contextlib.contextmanager
    def alarm(self):
        previous, start = signal.getsignal(guard.ALARM), monotonic()
        guard.set_handler(guard.ALARM, self.tick)
        masked = guard.set_mask(signal.SIG_UNBLOCK, {guard.ALARM})
        self.keeps_time = True
        remaining, interval = guard.set_timer(signal.ITIMER_REAL, TICK, SOON)
        try:
            yield
        finally:
            self.keeps_time = False  # before the timer ends: a tick that comes between would start it again
            guard.set_timer(signal.ITIMER_REAL, 0)
            if signal.getsignal(guard.ALARM) not in (self.tick, self.insist):
                guard.CHANGES.append("the handlers of signals")
            guard.set_handler(guard.ALARM, signal.SIG_IGN)  # drops a pending one, which would end Python
            guard.set_mask(signal.SIG_BLOCK, masked & {guard.ALARM})
            guard.set_handler(guard.ALARM, previous)
            if remaining:  # the notebook's own alarm continues
                guard.set_timer(signal.ITIMER_REAL, max(remaining - (monotonic() - start), TICK), interval)

    @contextlib.contextmanager
    def watchdog(self):
        thread, is_over = get_ident(), Event()
        can_signal = guard.is_main() and signal.getsignal(signal.SIGINT) == self.interrupt

        def watch():
            while not is_over.wait(TICK):
                if self.count(_frame_of(thread)) and self.over:
                    self.is_called = can_signal
                    if can_signal:  # on Windows this also ends a sleep
                        signal.raise_signal(signal.SIGINT)
                    else:
                        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TimeOver))

        watcher = Thread(target=watch, daemon=True)
        with contextlib.suppress(RuntimeError):  # Pyodide starts no threads
            watcher.start()
        try:
            yield
        finally:
            while watcher.is_alive():
                # Catch a pending TimeOver: cancelling it would leave 3.11 in an endless loop while tracing.
                with contextlib.suppress(TimeOver):
                    is_over.set()
                    watcher.join()

    def work(self):
        """Seconds of computing, without garbage collection."""
        return (self.collects_since or self.seconds()) - self.collected

    def collect(self, phase, _):
        if phase == "start":
            self.collects_since = self.seconds()
        elif self.collects_since:
            self.collected += self.seconds() - self.collects_since
            self.collects_since = None

    def tick(self, _, frame):
        is_over = self.count(frame) and self.over
        if self.keeps_time:  # a tick that came late would leave an alarm that ends Python
            guard.set_timer(signal.ITIMER_REAL, TICK, SOON)
        if is_over:
            self.stop(frame)

    def interrupt(self, _, frame):
        """Note the student's Ctrl-C, which is not an error of the answer, or stop if the watchdog sent it."""
        self.is_interrupted |= not (self.is_called or self.is_armed)
        self.is_called, self.over = False, self.over or "interrupted"
        if _inspect_stack(frame)[0]:
            self.stop(frame, arm=not self.is_armed)

    def count(self, frame):
        """Add the time since the last call. Return whether the answer is on the stack: nothing else is stopped."""
        is_inside, loads = _inspect_stack(frame)
        passed, computed = monotonic() - self.passed, self.work() - self.worked
        self.passed, self.worked = self.passed + passed, self.worked + computed
        sleeps = self.has_rested() and passed > 20 * computed  # else it has few turns on a busy machine, and uses them
        self.spent["loading" if loads else "computing"] += passed if loads and sleeps else computed
        self.spent["waiting"] += passed if sleeps and not loads else 0
        passed_limits = [kind for kind, most in self.limits._asdict().items() if self.spent[kind] > most]
        self.over = self.over or "".join(passed_limits[:1])
        return is_inside

    def has_rested(self):
        """Whether the answer gave up a turn since the last call, as a sleep does; True where nobody can tell."""
        if self.collects_since or not (self.has_alarm and RUSAGE_THREAD):
            return True
        before, self.rests = self.rests, getrusage(RUSAGE_THREAD).ru_nvcsw
        return self.rests != before or not self.rests  # a sandbox may not count them

    def stop(self, frame, arm=True):
        self.raised += 1
        # An `except` inside caught the first one: from now on every new line raises.
        if self.raised > 1 and arm and not self.has_ended:
            guard.set_recursion(self.recursion + 50)  # room for that at the end of a deep recursion
            if MONITORING:
                _monitor_lines()
            else:
                self.is_armed = True
                guard.set_handler(signal.SIGINT, self.insist)
                if self.has_alarm:
                    guard.set_timer(signal.ITIMER_REAL, TICK, TICK)
                    guard.set_handler(guard.ALARM, self.insist)
                self.insist(0, frame)
        raise TimeOver

    def insist(self, _, frame):
        """Raise TimeOver again, and at each line from now on.

        It calls next to nothing: the end of a recursion has no room. There Python drops the trace function as well, so
        each alarm sets it again.
        """
        inside, deepest = _inside.__code__, frame
        while frame is not None and frame.f_code is not inside:
            frame = frame.f_back
        if frame is None:
            return
        while deepest is not frame and not self.has_ended:
            deepest.f_trace = INTERRUPT
            deepest = deepest.f_back
        if not self.has_ended:
            sys.settrace(NO_TRACE)
        raise TimeOver


NO_TRACE = lambda *_: None  # noqa: E731
MONITORING, TOOL = getattr(sys, "monitoring", None), 4  # from Python 3.12 on; an id that no known tool uses
# Python drops a trace function once it raises, and then an outer `try` would win. This one does not raise: it triggers
# the handler of Ctrl-C, which runs at the next jump or call.
INTERRUPT = ctypes.pythonapi.PyErr_SetInterrupt
INTERRUPT.restype, INTERRUPT.argtypes = None, [ctypes.py_object] * 3
SET_HANDLED = ctypes.pythonapi.PyErr_SetHandledException
SET_HANDLED.restype, SET_HANDLED.argtypes = None, [ctypes.py_object]


def _monitor_lines():
    """Make each line of the answer raise TimeOver. At an exception event it would be raised in the same `try` again."""

    def raise_inside(code, line):
        frame, inside = sys._getframe(1), _inside.__code__  # it calls nothing, as above
        while frame is not None and frame.f_code is not inside:
            frame = frame.f_back
        if frame is not None:
            raise TimeOver

    if MONITORING.get_tool(TOOL) is None:
        MONITORING.use_tool_id(TOOL, "pagecheck")
        MONITORING.register_callback(TOOL, MONITORING.events.LINE, raise_inside)
        MONITORING.set_events(TOOL, MONITORING.events.LINE)


def _stop_monitoring():
    if MONITORING and MONITORING.get_tool(TOOL) == "pagecheck":
        MONITORING.set_events(TOOL, 0)
        MONITORING.free_tool_id(TOOL)


def _inspect_stack(frame):
    """Return whether a call is on the stack, and whether it loads: an import, or TensorFlow that the answer calls.

    Only what the student's innermost line calls counts: a student's layer that Keras calls is computing.
    """
    loads, inside = False, _inside.__code__
    while frame is not None and frame.f_code is not inside:
        name = frame.f_code.co_filename.replace("\\", "/")
        is_import = name.startswith("<frozen importlib")
        if not is_import and not is_installed(name):
            break
        loads = loads or is_import or "/tensorflow/" in name or "/keras/" in name
        frame = frame.f_back
    while frame is not None and frame.f_code is not inside:  # quickly: a recursion is deep
        frame = frame.f_back
    return frame is not None, loads and frame is not None


def is_debugged():
    """Tell whether somebody may be stepping through the code."""
    monitoring, debugpy = getattr(sys, "monitoring", None), sys.modules.get("debugpy.server.api")
    has_debugger = monitoring and monitoring.get_tool(monitoring.DEBUGGER_ID)
    return bool(sys.gettrace() or has_debugger or (debugpy and debugpy.is_client_connected()))


def _frame_of(thread):
    """Return the frame of a thread, without garbage collection.

    Until Python 3.11.7 and 3.12.0, garbage collection inside sys._current_frames can deadlock: it creates objects while
    holding a lock that a collected threading.local needs: https://github.com/python/cpython/issues/106883
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        return sys._current_frames().get(thread)
    finally:
        if was_on:
            gc.enable()
