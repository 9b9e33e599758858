"""An answer runs where cells run, is ended when its time is over, and leaves everything as it was."""

# ruff: noqa: E722, SIM105

import asyncio
import builtins
import contextlib
import gc
import math
import os
import queue
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pagecheck import guard
from pagecheck import run as running
from pagecheck.guard import is_running, protect
from pagecheck.run import ChecksItself, Limits, TimeOver, call, run

SHORT = Limits(computing=0.1, waiting=0.5, loading=5)
pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals of POSIX")


def of_the_process():
    hooks = (
        sys.gettrace(),
        sys.getprofile(),
        sys.excepthook,
        sys.displayhook,
        sys.unraisablehook,
        threading.excepthook,
    )
    signals = [signal.getsignal(number) for number in signal.valid_signals()]
    timer, mask = signal.getitimer(signal.ITIMER_REAL)[1], signal.pthread_sigmask(signal.SIG_BLOCK, ())
    functions = (
        signal.signal,
        signal.alarm,
        os._exit,
        input,
        sys.setrecursionlimit,
        threading.Thread.start,
        print,
        len,
    )
    streams, limits = (sys.stdin, sys.stdout, sys.stderr), (sys.getrecursionlimit(), gc.isenabled(), np.geterr())
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    state = (os.getcwd(), environment, list(sys.path), list(warnings.filters), random.getstate(), len(gc.callbacks))
    held = [id(thing) for thing in (os.environ, sys.path, warnings.filters)]
    return hooks, signals, timer, mask, functions, streams, limits, state, held, repr(np.random.get_state())


@pytest.fixture(autouse=True)
def no_running_loop():
    """A browser that another test of this process has opened holds a loop that runs."""
    before = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(before)


@pytest.fixture(autouse=True)
def the_process_is_as_before():
    before = of_the_process()
    yield
    assert of_the_process() == before


def outcome_of(answer, *arguments, limits=SHORT):
    return run(answer, [arguments], 1, limits).outcomes[0]


def problem_of(answer, *arguments, limits=SHORT):
    return outcome_of(answer, *arguments, limits=limits).problem


def lock_twice():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def joins():
    thread = threading.Thread(target=time.sleep, args=(2,))
    thread.start()
    thread.join()


def waits_in_a_pool():
    with ThreadPoolExecutor() as pool:
        pool.submit(time.sleep, 1).result()


def condition():
    waiting = threading.Condition()
    with waiting:
        waiting.wait()


WAITS = {
    "sleep": lambda: time.sleep(60),
    "lock": lock_twice,
    "event": lambda: threading.Event().wait(),
    "queue": lambda: queue.Queue().get(),
    "condition": condition,
    "barrier": lambda: threading.Barrier(2).wait(),
    "semaphore": lambda: threading.Semaphore(0).acquire(),
    "subprocess": lambda: subprocess.run(["sleep", "60"]),
    "socket": lambda: socket.create_server(("127.0.0.1", 0)).accept(),
    "pipe": lambda: os.read(os.pipe()[0], 1),
    "join": joins,
    "pool": waits_in_a_pool,
    "loop": lambda: asyncio.run(asyncio.sleep(60)),
}


@pytest.mark.parametrize("kind", WAITS)
def test_who_waits_is_ended(kind):
    start = time.monotonic()
    assert outcome_of(WAITS[kind]).detail == "0 of 1\nwaiting"
    assert time.monotonic() - start < 3


def endless():
    while True:
        pass


COMPUTES = {
    "loop": endless,
    "power": lambda: 7**10**8,
    "factorial": lambda: math.factorial(10**7),
    "regex": lambda: re.match(r"(a+)+$", "a" * 60 + "b"),
    "generator": lambda: sum(1 for _ in iter(int, 1)),
    "key": lambda: sorted([1, 2], key=lambda _: endless()),
    "row": lambda: np.apply_along_axis(lambda _: endless(), 0, np.ones((2, 2))),
    "digits": lambda: [str(7**100_000) for _ in range(10**6)],
}


@pytest.mark.parametrize("kind", COMPUTES)
def test_who_computes_is_ended(kind):
    start = time.monotonic()
    assert problem_of(COMPUTES[kind]) in ("too-slow", "raises")
    assert time.monotonic() - start < 3


def swallows_all():
    while True:
        try:
            pass
        except:
            pass


def swallows_in_a_sleep():
    while True:
        try:
            time.sleep(60)
        except:
            pass


def suppresses():
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(0.01)


def goes_on_in_finally():
    try:
        endless()
    finally:
        endless()


def recursion_in_except():
    try:
        return recursion_in_except()
    except:
        return recursion_in_except()


def recursion_in_finally():
    try:
        return recursion_in_finally()
    finally:
        recursion_in_finally()


class Endless:
    def __del__(self):
        endless()


def deletes():
    Endless()
    return 1.0


def deletes_later():
    last = Endless()
    time.sleep(60)
    return last


def returns_endless():
    return [[Endless()]]


def swallowing_generator():
    def rows():
        while True:
            try:
                yield 1
            except:
                pass

    for _ in rows():
        pass


def takes_the_tracer_away():
    while True:
        try:
            sys.settrace(None)
            sys.setprofile(None)
            time.sleep(0.001)
        except:
            pass


def falls_back():
    try:
        endless()
    except:
        return 1.0


def converts_the_error():
    try:
        endless()
    except BaseException:
        raise ValueError from None


def swallows_deep():
    while True:
        try:
            try:
                try:
                    time.sleep(1)
                except:
                    pass
            except:
                pass
        except:
            pass


SWALLOWS = [
    swallows_all,
    swallows_in_a_sleep,
    suppresses,
    goes_on_in_finally,
    recursion_in_except,
    recursion_in_finally,
]
SWALLOWS += [deletes, deletes_later, returns_endless, swallowing_generator, takes_the_tracer_away, falls_back]
SWALLOWS += [converts_the_error, swallows_deep]


@pytest.mark.parametrize("answer", SWALLOWS, ids=lambda answer: answer.__name__)
def test_who_swallows_every_error_is_ended(answer):
    assert problem_of(answer) == "too-slow"


class Hostile:
    def __getattribute__(self, name):
        raise RuntimeError("no")

    def __array__(self, *arguments, **named):
        raise RuntimeError("no")


class Slow:
    def __array__(self, *arguments, **named):
        endless()


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no")


class Talks(Exception):
    def __str__(self):
        endless()


def raises(error):
    def answer():
        raise error

    return answer


@pytest.mark.parametrize(
    ("problem", "answer"),
    [
        ("raises", Hostile),
        ("too-slow", Slow),
        ("raises", raises(Mute())),
        ("too-slow", raises(Talks())),
        ("raises", raises(KeyboardInterrupt())),
        ("raises", raises(GeneratorExit())),
        ("raises", raises(MemoryError())),
        ("raises", raises(BaseExceptionGroup("two", [ValueError(), SystemExit()]))),
        ("exits", raises(SystemExit())),
        ("exits", lambda: sys.exit(3)),
        ("exits", lambda: os._exit(3)),
        ("exits", lambda: os.abort()),
        ("exits", lambda: os.fork()),
        ("asks-for-input", lambda: input("? ")),
        ("checks-itself", raises(ChecksItself())),
        ("recursion", lambda: repr_of_itself()),
        ("returns-generator", lambda: iter(int, 1)),
        ("returns-nothing", lambda: None),
        ("", lambda: [1.0, 2.0]),
    ],
)
def test_what_happens_has_its_problem(problem, answer):
    assert problem_of(answer) == problem


def repr_of_itself():
    class Deep:
        def __repr__(self):
            return repr([self])

    return repr(Deep())


def test_an_error_is_told_with_its_line_and_trace():
    found = outcome_of(lambda: np.ones(2) @ np.ones(3))
    assert found.detail.startswith("ValueError\nmatmul")
    assert found.detail.endswith("\n`found = outcome_of(lambda: np.ones(2) @ np.ones(3))`")
    assert 'run.py", line' not in found.trace.replace("test_run.py", "") and "test_run.py" in found.trace


def test_a_course_is_no_student(monkeypatch):
    monkeypatch.setattr(running, "LIBRARIES", guard.LIBRARIES)
    guard.LIBRARIES.append(__file__)
    try:
        assert outcome_of(raises(ValueError("no"))).detail == "ValueError\nno\n"
    finally:
        guard.LIBRARIES.pop()


# Slow is slow


def test_inputs_are_counted():
    def slow(i):
        if i > 2:
            endless()
        return float(i)

    done = run(slow, [(i,) for i in range(5)], 1, SHORT)
    assert [outcome.problem for outcome in done.outcomes] == ["", "", "", "too-slow"]
    assert done.done == 3 and done.outcomes[-1].detail.startswith("3 of 5")


@pytest.mark.parametrize(("computed", "limit"), [(0.3, "computing"), (0.01, "waiting")])
def test_who_computes_on_a_busy_machine_is_not_told_to_wait(computed, limit):
    """Its turns are a tenth of the time, as beside many other processes; a sleeper takes next to none."""
    clock = running.Clock(Limits(0.7, 3))
    with clock.keep_time():
        clock.spent = {"computing": computed, "waiting": 3.1, "loading": 0.0}
        clock.count(sys._getframe())
    assert clock.over == limit


def test_all_inputs_share_the_time():
    done = run(lambda: time.sleep(0.1), [()] * 10, 1, SHORT)
    assert 1 <= done.done <= 6


def test_without_limits_nothing_is_ended():
    assert run(lambda: time.sleep(0.5) or 1.0, [()], 1, None).done == 1


def test_call_gives_the_value_or_the_problem():
    assert call(lambda a, b: (a, b), (1, [2])) == ((1, [2]), None)
    assert call(lambda: None) == (None, None)
    assert call(endless, limits=SHORT)[1].problem == "too-slow"
    assert call(raises(ValueError("no")))[1].detail.startswith("ValueError\nno\n")


def test_a_collection_of_garbage_is_no_computing():
    much = [[i] for i in range(1_000_000)]
    took = time.thread_time()
    gc.collect()
    took = time.thread_time() - took
    done = run(lambda: gc.collect() * 0.0, [()] * 5, 1, Limits(took, 60))
    assert done.done == 5
    assert problem_of(lambda: sum(sum(part) for part in much * 20), limits=Limits(took)) == "too-slow"


def test_a_first_import_may_take_its_time_and_a_file_of_ones_own_may_not(monkeypatch, tmp_path):
    (tmp_path / "slow_to_load.py").write_text("import time\ntime.sleep(0.9)\nvalue = 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)

    def loads():
        import slow_to_load

        return slow_to_load.value

    assert problem_of(loads) == "too-slow"
    monkeypatch.setattr("pagecheck.guard.LIBRARIES", [*guard.LIBRARIES, str(tmp_path)])
    assert problem_of(loads) == ""


@pytest.mark.parametrize("code", ["while True: pass", "import time; time.sleep(60)"])
def test_what_a_library_calls_of_the_answer_has_the_time_of_the_answer(code):
    """As a layer of the student's own, which Keras calls."""
    own, library = {}, {}
    exec(compile(f"def own():\n    {code}", "<cell>", "exec"), own)
    exec(compile("def call(layer):\n    return layer()", "/x/keras/layer.py", "exec"), library)
    since = time.monotonic()
    assert problem_of(lambda: library["call"](own["own"])) == "too-slow"
    assert time.monotonic() - since < 4  # and not the 5 seconds of loading


class InACycle:
    def __init__(self):
        self.me = self

    def __del__(self):
        while True:
            pass


def test_what_ends_with_the_garbage_of_an_answer_is_ended_too():
    def answer():
        InACycle()
        return 1.0

    assert problem_of(answer) == "too-slow"


def test_output_is_kept_counted_and_too_much_ends(capsys):
    def prints(n):
        for _ in range(n):
            print("x" * 999)
        sys.stdout.writelines(["a", "b"])
        sys.stdout.flush()
        return 1.0

    done = run(prints, [(1,), (900,)], 1)
    assert done.done == 2 and done.printed == "x" * 999 + "\nab" + "x" * 999
    done = run(prints, [(1,), (2000,)], 1)
    assert (done.done, done.outcomes[-1].problem, done.outcomes[-1].detail) == (1, "too-much-output", "1 of 2")

    def prints_on():
        while True:
            try:
                print("x" * 9999)
            except:
                pass

    assert problem_of(prints_on) == "too-much-output"
    assert capsys.readouterr() == ("", "")


def test_arguments_are_copies():
    given = np.ones(3)

    def spoils(a, b):
        a += 1
        return a

    done = run(spoils, [(given, [given])], 1)
    assert (given == 1).all() and done.changed == {0}


# Signals


@pytest.mark.parametrize(
    "answer",
    [
        lambda: signal.signal(signal.SIGALRM, signal.SIG_IGN),
        lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        lambda: signal.alarm(1),
        lambda: signal.setitimer(signal.ITIMER_REAL, 0),
        lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]),
        lambda: signal.sigwait({signal.SIGALRM}),
        lambda: signal.siginterrupt(signal.SIGALRM, False),
    ],
)
def test_the_signals_of_a_check_are_refused(answer):
    assert outcome_of(answer).detail.startswith("SignalRefused\n")


def test_other_signals_may_be_used_and_are_put_back():
    with protect() as left:
        assert problem_of(lambda: signal.signal(signal.SIGUSR1, lambda *_: None) and 1.0) == ""
        assert problem_of(lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1]) and 1.0) in (
            "",
            "returns-no-numbers",
        )
    assert left.put_back == ["the signals that wait", "the handlers of signals"]


def test_who_gets_round_the_refusal_is_put_back_and_said():
    def replaces():
        guard.set_handler(signal.SIGALRM, lambda *_: None)
        guard.set_mask(signal.SIG_BLOCK, [signal.SIGALRM])
        return 1.0

    with protect() as left:
        assert problem_of(replaces) == ""
    assert set(left.put_back) == {"the handlers of signals", "the signals that wait"}


def test_an_alarm_of_the_notebook_goes_on():
    came = []
    before = signal.signal(signal.SIGALRM, lambda *_: came.append(time.monotonic()))
    start = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, 0.8)
    try:
        assert problem_of(lambda: time.sleep(60)) == "too-slow"
        assert not came
        time.sleep(0.5)
        assert came and 0.7 < came[0] - start < 1.2
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        assert problem_of(lambda: time.sleep(60)) == "too-slow"
        time.sleep(0.1)
        assert len(came) == 2  # it was due meanwhile
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_notebook_that_blocks_the_alarm():
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    try:
        assert problem_of(endless) == "too-slow"
        assert signal.SIGALRM in signal.pthread_sigmask(signal.SIG_BLOCK, ())
        assert not signal.sigpending()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def interrupt_after(seconds):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


@pytest.mark.parametrize("limits", [Limits(), None], ids=["limits", "none"])
@pytest.mark.parametrize("answer", [endless, lambda: time.sleep(60), falls_back], ids=["loop", "sleep", "falls back"])
def test_an_interrupt_is_the_students(answer, limits):
    before = of_the_process()
    timer = interrupt_after(0.2)
    with pytest.raises(KeyboardInterrupt), protect():
        run(answer, [()] * 3, 1, limits)
    timer.join()
    assert of_the_process() == before


def test_an_interrupt_that_is_swallowed_comes_all_the_same():
    timer = interrupt_after(0.2)
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(swallows_in_a_sleep, [()], 1)
    assert time.monotonic() - start < 1
    timer.join()


def test_an_interrupt_while_things_are_put_back_waits():
    put = guard.STATES["the path of imports"][1]

    def put_and_interrupt(before):
        signal.raise_signal(signal.SIGINT)
        time.sleep(0.01)
        put(before)

    states = {**guard.STATES, "the path of imports": (lambda: list(sys.path), put_and_interrupt)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guard, "STATES", states)
        with pytest.raises(KeyboardInterrupt), protect() as left:
            sys.path.append("nowhere")
            os.environ["ODD"] = "1"
    assert left.put_back == ["the environment variables", "the path of imports"]


# Where somebody debugs, and where no signal can


def test_no_time_is_kept_while_somebody_debugs():
    def trace(*_):
        return None

    sys.settrace(trace)
    try:
        assert problem_of(lambda: time.sleep(0.9) or 1.0) == ""
        assert sys.gettrace() is trace
    finally:
        sys.settrace(None)


@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="Python 3.12")
def test_no_time_is_kept_while_a_debugger_monitors():
    sys.monitoring.use_tool_id(sys.monitoring.DEBUGGER_ID, "mine")
    try:
        assert problem_of(lambda: time.sleep(0.9) or 1.0) == ""
    finally:
        sys.monitoring.free_tool_id(sys.monitoring.DEBUGGER_ID)
    assert problem_of(lambda: time.sleep(0.9) or 1.0) == "too-slow"


def test_no_time_is_kept_while_debugpy_is_connected(monkeypatch):
    class Debugpy:
        is_client_connected = staticmethod(lambda: True)

    monkeypatch.setitem(sys.modules, "debugpy.server.api", Debugpy)
    assert running.is_debugged()


COMPUTING = [endless, swallows_all, goes_on_in_finally, falls_back, deletes, swallowing_generator]


@pytest.mark.parametrize("answer", COMPUTING, ids=lambda answer: answer.__name__)
def test_a_watchdog_keeps_time_without_the_alarm(answer, monkeypatch):
    monkeypatch.setattr(guard, "set_timer", None)
    threads = threading.active_count()
    done = run(answer, [()], 1, SHORT)
    assert done.outcomes[0].problem == "too-slow"
    assert threading.active_count() <= threads
    assert run(lambda: 1.0, [()], 1, SHORT).done == 1


def in_a_thread(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


@pytest.mark.parametrize("answer", COMPUTING, ids=lambda answer: answer.__name__)
def test_a_watchdog_keeps_the_time_of_another_thread(answer):
    threads = threading.active_count()
    problems = in_a_thread(lambda: [run(answer, [()], 1, SHORT).outcomes[0].problem for _ in range(3)])
    assert problems == ["too-slow"] * 3  # which limit is met first, a busy machine decides
    assert in_a_thread(lambda: run(lambda: 1.0, [()] * 50, 1, SHORT).done) == 50
    assert threading.active_count() <= threads


def test_a_sleep_in_another_thread_ends_by_itself_and_is_too_slow():
    assert in_a_thread(lambda: run(lambda: time.sleep(1), [()], 1, SHORT)).outcomes[0].problem == "too-slow"


def test_an_interrupt_reaches_the_cell_while_the_watchdog_keeps_time(monkeypatch):
    monkeypatch.setattr(guard, "set_timer", None)
    timer = interrupt_after(0.2)
    with pytest.raises(KeyboardInterrupt):
        run(endless, [()], 1)
    timer.join()


def test_where_no_thread_starts_the_answer_still_runs(monkeypatch):
    def fails(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(guard, "set_timer", None)
    monkeypatch.setattr(running.Thread, "start", fails)
    assert run(lambda: 1.0, [()], 1, SHORT).done == 1
    monkeypatch.undo()


# Threads


def test_threads_that_go_on_are_returned():
    stop = threading.Event()

    def answer():
        threading.Thread(target=stop.wait, name="mine", daemon=True).start()
        threading.Thread(target=time.sleep, args=(0.05,)).start()
        pool = ThreadPoolExecutor(thread_name_prefix="pool")
        pool.submit(stop.wait)
        return 1.0

    with protect() as left:
        assert problem_of(answer) == ""
    assert [thread.name for thread in left.threads] == ["mine", "pool_0"]
    assert all(thread.is_alive() for thread in left.threads)
    stop.set()
    for thread in left.threads:
        thread.join()


def test_who_is_inside_is_told():
    assert not is_running()
    inside = []

    def answer():
        inside.append(is_running())
        thread = threading.Thread(target=lambda: inside.append(is_running()))
        thread.start()
        thread.join()
        return 1.0

    with protect():
        assert is_running() and not in_a_stranger(is_running)
        run(answer, [()], 1)
    assert inside == [True, True] and not is_running()
    run(answer, [()], 1)
    assert inside[2:] == [True, False]  # without protect() nobody notes the threads
    assert not is_running()


STRANGERS = ThreadPoolExecutor(1)
STRANGERS.submit(int).result()


def in_a_stranger(function):
    return STRANGERS.submit(function).result()


def test_output_and_input_of_other_threads_are_theirs(capsys):
    def answer():
        in_a_stranger(lambda: print("from another thread"))
        print("kept back")
        return 1.0

    assert run(answer, [()], 1).printed == "kept back\n"
    assert capsys.readouterr().out == "from another thread\n"


def test_what_an_earlier_answer_left_behind_prints_for_itself(capsys):
    stop = threading.Event()

    def floods():
        def flood():
            while not stop.wait(0.001):
                print("x" * 99_999)

        threading.Thread(target=flood, daemon=True).start()
        return 1.0

    with protect() as left:
        run(floods, [()], 1)
    with protect():
        done = run(lambda: time.sleep(0.2) or 1.0, [()], 1)
    stop.set()
    left.threads[0].join()
    assert (done.done, done.printed) == (1, "")


# States


CHANGES = {  # words: what changes it
    "the working folder": lambda: os.chdir("/"),
    "the environment variables": lambda: os.environ.update(NOT_THERE="1"),
    "the path of imports": lambda: sys.path.append("nowhere"),
    "the filters of warnings": lambda: warnings.simplefilter("error", BytesWarning),
    "NumPy's handling of errors": lambda: np.seterr(all="raise"),
    "the way NumPy prints": lambda: np.set_printoptions(precision=1),
    "the random numbers of NumPy": lambda: np.random.seed(3),
    "the random numbers of Python": lambda: random.seed(3),
    "Python's garbage collection": lambda: gc.disable(),
    "the limit of recursion": lambda: sys.setrecursionlimit(900),
    "the trace function": lambda: sys.settrace(lambda *_: None),
    "the handlers of signals": lambda: signal.signal(signal.SIGUSR2, print),
    "`np.exp`": lambda: setattr(np, "exp", 2.7),
    "`np.pi`": lambda: setattr(np, "pi", 3),
    "`np.linalg.norm`": lambda: setattr(np.linalg, "norm", max),
    "`np.random.rand`": lambda: delattr(np.random, "rand"),
    "`math.e`": lambda: setattr(math, "e", 3),
    "`random.random`": lambda: setattr(random, "random", max),
    "`sum`": lambda: setattr(builtins, "sum", 6),
    "`len`": lambda: setattr(builtins, "len", lambda x: 0),
    "`open`": lambda: setattr(builtins, "open", None),
    "`os.environ`": lambda: setattr(os, "environ", {**os.environ}),
    "`sys.path`": lambda: setattr(sys, "path", [*sys.path]),
    "`sys.excepthook`": lambda: setattr(sys, "excepthook", print),
    "`sys.stdout`": lambda: setattr(sys, "stdout", None),
    "`time.sleep`": lambda: setattr(time, "sleep", None),
    "`threading.excepthook`": lambda: setattr(threading, "excepthook", print),
    "`warnings.filters`": lambda: setattr(warnings, "filters", [*warnings.filters]),
}


@pytest.mark.parametrize("words", CHANGES)
def test_what_is_changed_is_put_back_and_said(words):
    def answer():
        CHANGES[words]()
        return 1.0

    with protect() as left:
        done = run(answer, [()] * 2, 1)
    assert (done.done, left.put_back, left.taken_away, left.threads) == (2, [words], [], [])


def test_a_profile_function_is_taken_away_at_once():
    def answer():
        sys.setprofile(lambda *_: None)
        return 1.0

    with protect() as left:
        run(answer, [()], 1)
    assert left.put_back == ["the trace function"]


def test_what_is_added_is_taken_away():
    def answer():
        np.two = builtins.three = 3
        return 1.0

    with protect() as left:
        run(answer, [()], 1)
    assert (left.put_back, left.taken_away) == ([], ["`np.two`", "`three`"])


def test_answers_compute_under_the_errors_of_numpy():
    before = np.seterr(all="raise")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with protect() as left:
                assert problem_of(lambda: np.exp(np.array([1000.0])) / 0) == ""
                assert np.geterr()["over"] == "raise"
        assert left.put_back == []
    finally:
        np.seterr(**before)


def through_numpy(q):
    return np.apply_along_axis(lambda row: through_numpy(q)[0], 1, q)


def test_a_raised_limit_of_recursion_is_lowered_for_the_answer():
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)

    def raises_it(q):
        sys.setrecursionlimit(10**6)
        return through_numpy(q)

    try:
        assert problem_of(through_numpy, np.ones((2, 2))) == "recursion"
        assert problem_of(raises_it, np.ones((2, 2))) == "recursion"
        assert sys.getrecursionlimit() == 10**6
    finally:
        sys.setrecursionlimit(before)


def test_a_check_inside_a_running_loop():
    async def cell():
        await asyncio.sleep(0)
        return [problem_of(lambda: time.sleep(60)), problem_of(lambda: 1.0), problem_of(raises(KeyboardInterrupt()))]

    assert asyncio.run(cell()) == ["too-slow", "", "raises"]


def test_a_task_that_swallows():
    async def task():
        while True:
            with contextlib.suppress(BaseException):
                await asyncio.sleep(0.01)

    async def main():
        asyncio.get_running_loop().create_task(task())
        await asyncio.sleep(60)

    assert problem_of(lambda: asyncio.run(main())) == "too-slow"


def test_a_signal_that_comes_late_leaves_no_trace_function_behind(monkeypatch):
    """It would count as a debugger, and no later answer would have an end."""

    def swallows_all():
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass

    def busy(*_):
        until = time.monotonic() + 0.3
        while time.monotonic() < until:
            pass

    monkeypatch.setattr(running, "SET_HANDLED", busy)
    assert problem_of(swallows_all) == "too-slow"
    monitoring = getattr(sys, "monitoring", None)
    assert sys.gettrace() is None and not (monitoring and monitoring.get_tool(running.TOOL))


def test_time_over_is_no_exception_and_no_exit():
    assert not issubclass(TimeOver, Exception | SystemExit | KeyboardInterrupt)
