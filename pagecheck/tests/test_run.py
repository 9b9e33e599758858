"""An answer runs where cells run, is stopped when its time is up, and leaves everything as it was."""

# ruff: noqa: E722, SIM105

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
from types import SimpleNamespace

import numpy as np
import pytest

from pagecheck import guard
from pagecheck import run as running
from pagecheck.guard import is_running, protect
from pagecheck.run import ChecksItself, Limits, call, run

SHORT = Limits(computing=0.1, waiting=0.5, loading=5)
pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals of POSIX")


def of_the_process():
    hooks = sys.gettrace(), sys.getprofile(), sys.excepthook, sys.displayhook, sys.unraisablehook, threading.excepthook
    signals = [signal.getsignal(number) for number in signal.valid_signals()], signal.pthread_sigmask(0, ())
    functions = signal.signal, signal.alarm, os._exit, input, sys.setrecursionlimit, threading.Thread.start, print, len
    streams, limits = (sys.stdin, sys.stdout, sys.stderr), (sys.getrecursionlimit(), gc.isenabled(), np.geterr())
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    state = os.getcwd(), environment, list(sys.path), list(warnings.filters), random.getstate(), len(gc.callbacks)
    held = [id(thing) for thing in (os.environ, sys.path, warnings.filters)], signal.getitimer(signal.ITIMER_REAL)[1]
    return hooks, signals, functions, streams, limits, state, held, repr(np.random.get_state())


@pytest.fixture(autouse=True, params=[signal.default_int_handler])
def the_process_is_as_before(request):
    signal.signal(signal.SIGINT, request.param)  # a shell lets its background ignore it
    before = of_the_process()
    yield
    assert of_the_process() == before


def outcome_of(answer, *arguments, limits=SHORT):
    return run(answer, [arguments], 1, limits).outcomes[0]


def problem_of(answer, *arguments, limits=SHORT):
    return outcome_of(answer, *arguments, limits=limits).problem


# Time


def endless(*_, **__):
    while True:
        pass


WAITS = {
    "sleep": lambda: time.sleep(60),
    "queue": lambda: queue.Queue().get(),
    "semaphore": lambda: threading.Semaphore(0).acquire(),
    "subprocess": lambda: subprocess.run(["sleep", "60"]),
    "socket": lambda: socket.create_server(("127.0.0.1", 0)).accept(),
    "pipe": lambda: os.read(os.pipe()[0], 1),
    "pool": lambda: ThreadPoolExecutor().submit(time.sleep, 2).result(),
}
COMPUTES = {
    "loop": endless,
    "power": lambda: 7**10**8,
    "regex": lambda: re.match(r"(a+)+$", "a" * 60 + "b"),
    "generator": lambda: sum(1 for _ in iter(int, 1)),
    "row": lambda: np.apply_along_axis(endless, 0, np.ones((2, 2))),
    "digits": lambda: [str(7**100_000) for _ in range(10**6)],
}


@pytest.mark.parametrize("kind", [*WAITS, *COMPUTES])
def test_an_answer_that_waits_or_computes_too_long_is_ended(kind):
    start = time.monotonic()
    outcome = outcome_of((WAITS | COMPUTES)[kind])
    assert time.monotonic() - start < 3
    assert outcome.detail == "0 of 1\nwaiting" if kind in WAITS else outcome.problem in ("too-slow", "raises")


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


def goes_on_in_finally():
    try:
        endless()
    finally:
        endless()


def falls_back():
    try:
        endless()
    except:
        return 1.0


class Endless:
    def __init__(self):
        self.me = self  # so that only the garbage collection ends it

    __del__ = endless


SWALLOWS = [swallows_all, swallows_in_a_sleep, goes_on_in_finally, falls_back, lambda: Endless() and 1.0]
SWALLOWS += [lambda: [[Endless()]]]


@pytest.mark.parametrize("answer", SWALLOWS, ids=lambda answer: answer.__name__)
def test_an_answer_that_swallows_every_error_is_ended(answer):
    assert problem_of(answer) == "too-slow"


COMPUTING = [endless, swallows_all, goes_on_in_finally, falls_back]


def in_a_thread(function):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


@pytest.mark.parametrize("where", [in_a_thread, lambda function: function()], ids=["thread", "main"])
@pytest.mark.parametrize("answer", COMPUTING, ids=lambda answer: answer.__name__)
def test_a_watchdog_keeps_time_where_no_alarm_can(answer, where, monkeypatch):
    monkeypatch.setattr(guard, "set_timer", None)
    threads = threading.active_count()
    assert where(lambda: [problem_of(answer) for _ in range(2)]) == ["too-slow"] * 2
    assert where(lambda: run(lambda: 1.0, [()] * 50, 1, SHORT).done) == 50
    assert threading.active_count() <= threads


def test_a_sleep_in_another_thread_ends_by_itself_and_is_too_slow():
    assert in_a_thread(lambda: problem_of(lambda: time.sleep(1))) == "too-slow"


def test_where_no_thread_starts_the_answer_still_runs(monkeypatch):
    monkeypatch.setattr(guard, "set_timer", None)
    monkeypatch.setattr(running.Thread, "start", fails)
    assert run(lambda: 1.0, [()], 1, SHORT).done == 1
    monkeypatch.undo()


def test_what_no_run_calls_is_not_inside_an_answer():
    assert running._inspect_stack(sys._getframe()) == (False, False)


def test_all_inputs_share_the_time_and_are_counted():
    done = run(lambda: time.sleep(0.1), [()] * 10, 1, SHORT)  # none of them takes too long alone
    assert done.done < 10 and [outcome.problem for outcome in done.outcomes][done.done :] == ["too-slow"]
    assert done.outcomes[-1].detail.startswith(f"{done.done} of 10")
    assert run(lambda: time.sleep(0.6) or 1.0, [()], 1, None).done == 1


@pytest.mark.parametrize(
    ("ticks", "loads", "limit"),
    [
        ([(5, 0.5)], False, ""),
        ([(8, 0.8)], False, "computing"),
        ([(3.1, 0.1)], False, "waiting"),
        ([(0.05, 0.05)] * 6 + [(0.1, 0)] * 40, False, "waiting"),  # after work
        ([(90, 9)], True, ""),
        ([(900, 61)], True, "loading"),
        ([(61, 1)], True, "loading"),
    ],
)
def test_on_a_busy_machine_an_answer_has_as_much_time_as_on_an_idle_one(ticks, loads, limit, monkeypatch):
    """Beside many other processes its turns are a tenth of the time; a sleeper takes next to none."""
    assert over_after(ticks, loads, True, monkeypatch) == limit


def test_an_answer_that_never_gives_up_a_turn_does_not_sleep_however_few_it_gets(monkeypatch):
    assert over_after([(0.15, 0.003)] * 40, False, False, monkeypatch) == ""
    assert over_after([(0.15, 0.004), (0.05, 0.03)] * 30, False, False, monkeypatch) == "computing"
    assert over_after([(0.15, 0.003)] * 300, False, False, monkeypatch) == "computing"


@pytest.mark.skipif(not running.RUSAGE_THREAD, reason="only Linux counts the turns of a thread")
def test_a_sleep_gives_up_its_turn_and_work_does_not():
    clock, rested = running.Clock(None), {}
    with clock.keep_time():
        for work in (lambda: sum(range(100_000)), lambda: time.sleep(0.001)):
            rested[work] = []
            for _ in range(20):
                clock.has_rested()
                work()
                rested[work].append(clock.has_rested())
    works, sleeps = rested.values()
    assert not all(works) and all(sleeps)


def over_after(ticks, loads, rested, monkeypatch):
    """The limit that is over after these ticks, each with the seconds that passed and those of work."""
    monkeypatch.setattr(running, "_inspect_stack", lambda frame: (True, loads))
    monkeypatch.setattr(running.Clock, "has_rested", lambda clock: rested)
    clock = running.Clock(Limits(0.7, 3, 60))
    with clock.keep_time():
        for passed, computed in ticks:
            clock.passed -= passed
            clock.worked -= computed
            clock.count(sys._getframe())
    return clock.over


def test_a_collection_of_garbage_is_no_computing():
    much = [[i] for i in range(1_000_000)]
    took = time.thread_time()
    gc.collect()
    took = time.thread_time() - took
    assert run(lambda: gc.collect() * 0.0, [()] * 5, 1, Limits(took, 60)).done == 5
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


def test_a_recursion_without_end_is_stopped_where_it_leaves_no_room_for_a_handler():
    """Half its time it is at its limit, or one call before, where the handler of a tick would recurse too deeply."""

    def answer():
        with contextlib.suppress(BaseException):
            answer()
        answer()

    took = time.thread_time()
    assert problem_of(answer) == "too-slow"
    assert time.thread_time() - took < 1  # of computing; 0.1 is the limit, and waiting for luck took 2 and more


@pytest.mark.skipif(hasattr(sys, "monitoring"), reason="what a monitor raises does not end the monitoring")
def test_an_answer_is_stopped_though_python_drops_the_trace_function(monkeypatch):
    """At the end of a recursion it does: calling that function is one call too deep."""
    settings, until = [], time.monotonic() + 5

    def settrace(function, really=sys.settrace):
        settings.append(function)
        really(function if len(settings) > 1 else None)

    def answer():
        while time.monotonic() < until:
            with contextlib.suppress(BaseException):
                while time.monotonic() < until:
                    pass

    monkeypatch.setattr(sys, "settrace", settrace)
    assert problem_of(answer) == "too-slow" and time.monotonic() < until


@pytest.mark.parametrize("own", [endless, lambda: time.sleep(60)])
def test_what_a_library_calls_of_the_answer_has_the_time_of_the_answer(own):
    """As a layer of the student's own, which Keras calls."""
    library = {}
    exec(compile("def call(layer):\n    return layer()", "/x/keras/layer.py", "exec"), library)
    since = time.monotonic()
    assert problem_of(lambda: library["call"](own)) == "too-slow"
    assert time.monotonic() - since < 4  # and not the 5 seconds of loading


def test_no_time_is_kept_while_somebody_debugs(monkeypatch):
    assert not running.is_debugged()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "debugpy.server.api", SimpleNamespace(is_client_connected=lambda: True))
        assert running.is_debugged()
    if hasattr(sys, "monitoring"):
        sys.monitoring.use_tool_id(sys.monitoring.DEBUGGER_ID, "mine")
        assert running.is_debugged()
        sys.monitoring.free_tool_id(sys.monitoring.DEBUGGER_ID)
    trace = lambda *_: None  # noqa: E731
    sys.settrace(trace)
    try:
        assert (problem_of(lambda: time.sleep(0.9) or 1.0), sys.gettrace()) == ("", trace)
    finally:
        sys.settrace(None)


def test_a_profiler_of_the_notebook_goes_on():
    profile = lambda *_: None  # noqa: E731
    sys.setprofile(profile)
    try:
        with protect() as left:
            assert problem_of(lambda: sys.setprofile(None) or 1.0) == ""
        assert (left.put_back, sys.getprofile()) == (["the trace function"], profile)
    finally:
        sys.setprofile(None)


def test_a_signal_that_comes_late_leaves_no_trace_function_behind(monkeypatch):
    """It would count as a debugger, and no later answer would ever be stopped."""

    def busy(*_):
        until = time.monotonic() + 0.3
        while time.monotonic() < until:
            pass

    monkeypatch.setattr(running, "SET_HANDLED", busy)
    assert problem_of(swallows_all) == "too-slow"
    monitoring = getattr(sys, "monitoring", None)
    assert sys.gettrace() is None and not (monitoring and monitoring.get_tool(running.TOOL))


# What comes of a call


def fails(*_, **__):
    raise RuntimeError("no")


def raises(error):
    def answer(*_):
        raise error

    return answer


def kind(*bases, **methods):
    return type("Odd", bases, methods)


@pytest.mark.parametrize(
    ("problem", "answer"),
    [
        ("raises", kind(__getattribute__=fails, __array__=fails)),
        ("too-slow", kind(__array__=endless)),
        ("raises", raises(kind(Exception, __str__=fails)())),
        ("too-slow", raises(kind(Exception, __str__=endless)())),
        ("raises", raises(KeyboardInterrupt())),
        ("raises", raises(BaseExceptionGroup("two", [ValueError(), SystemExit()]))),
        ("exits", lambda: sys.exit(3)),
        ("exits", lambda: os._exit(3)),
        ("exits", lambda: os._exit(status=3)),
        ("exits", lambda: os.abort()),
        ("exits", lambda: os.fork()),
        ("asks-for-input", lambda: input("? ")),
        ("checks-itself", raises(ChecksItself())),
        ("recursion", lambda: repr(kind(__repr__=lambda self: repr([self]))())),
        ("returns-generator", lambda: iter(int, 1)),
        ("returns-nothing", lambda: None),
        ("", lambda: [1.0, 2.0]),
    ],
)
def test_what_happens_has_its_problem(problem, answer):
    assert problem_of(answer) == problem


def test_an_error_is_told_with_its_line_and_trace(monkeypatch):
    found = outcome_of(lambda: np.ones(2) @ np.ones(3))
    assert found.detail.startswith("ValueError\nmatmul")
    assert found.detail.endswith("\n`found = outcome_of(lambda: np.ones(2) @ np.ones(3))`")
    assert 'run.py", line' not in found.trace.replace("test_run.py", "") and "test_run.py" in found.trace
    monkeypatch.setattr(guard, "LIBRARIES", [*guard.LIBRARIES, __file__])  # a course is not a student
    assert outcome_of(raises(ValueError("no"))).detail == "ValueError\nno\n"


def test_call_gives_the_value_or_the_problem():
    assert call(lambda a, b: (a, b), (1, [2])) == ((1, [2]), None)
    assert call(lambda: None) == (None, None)
    assert call(endless, limits=SHORT)[1].problem == "too-slow"
    assert call(raises(ValueError("no")))[1].detail.startswith("ValueError\nno\n")


def test_output_is_kept_counted_and_too_much_ends(capsys):
    def prints(n):
        for _ in range(n):
            print("x" * 999)
        sys.stdout.writelines(["a", "b"])
        sys.stdout.flush()
        return 1.0

    def prints_on():
        while True:
            with contextlib.suppress(BaseException):
                print("x" * 9999)

    done = run(prints, [(1,), (900,)], 1)
    assert done.done == 2 and done.printed == "x" * 999 + "\nab" + "x" * 999
    done = run(prints, [(1,), (2000,)], 1)
    assert (done.done, done.outcomes[-1].problem, done.outcomes[-1].detail) == (1, "too-much-output", "1 of 2")
    assert problem_of(prints_on) == "too-much-output"
    assert capsys.readouterr() == ("", "")


def test_arguments_are_copies():
    given = np.ones(3)
    done = run(lambda a, b: a.fill(7) or a, [(given, [given])], 1)
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


def test_an_alarm_of_the_notebook_goes_on():
    came = []
    before = signal.signal(signal.SIGALRM, lambda *_: came.append(time.monotonic()))
    start = time.monotonic()
    try:
        for seconds in (0.8, 0.1):  # the second one is due meanwhile
            signal.setitimer(signal.ITIMER_REAL, seconds)
            seen = len(came)
            assert problem_of(lambda: time.sleep(60)) == "too-slow"
            assert len(came) == seen
            time.sleep(0.5)
            assert len(came) == seen + 1
        assert 0.7 < came[0] - start < 1.2
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_tick_that_comes_when_the_time_is_over_leaves_no_alarm(monkeypatch):
    """On a busy machine it may come between the end of the answer and that of the timer; an alarm later ends Python."""
    set_timer = guard.set_timer

    def with_a_late_tick(which, *seconds):
        before = set_timer(which, *seconds)
        if seconds == (0,):
            signal.raise_signal(signal.SIGALRM)
        return before

    monkeypatch.setattr(guard, "set_timer", with_a_late_tick)
    assert problem_of(lambda: 1) == ""
    assert signal.setitimer(signal.ITIMER_REAL, 0) == (0, 0)


def test_a_notebook_may_block_the_alarm():
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    try:
        assert problem_of(endless) == "too-slow"
        assert signal.SIGALRM in signal.pthread_sigmask(signal.SIG_BLOCK, ())
        assert not signal.sigpending()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@pytest.mark.parametrize("the_process_is_as_before", [signal.SIG_IGN], indirect=True)
def test_a_process_that_ignores_interrupts_goes_on_ignoring_them(the_process_is_as_before):
    assert problem_of(swallows_in_a_sleep) == "too-slow"


@pytest.mark.parametrize(
    ("keeps", "answer"),
    [
        *(("alarm", answer) for answer in (endless, swallows_in_a_sleep, falls_back)),
        *(("no time", answer) for answer in (endless, falls_back)),
        ("watchdog", endless),
    ],
)
def test_an_interrupt_is_the_student_s_and_ends_the_cell(keeps, answer, monkeypatch):
    if keeps == "watchdog":
        monkeypatch.setattr(guard, "set_timer", None)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    start = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt), protect():
        run(answer, [()] * 3, 1, None if keeps == "no time" else Limits())
    assert time.monotonic() - start < 1.5
    timer.join()


def test_an_interrupt_while_things_are_put_back_waits(monkeypatch):
    put = guard.STATES["the path of imports"][1]

    def put_and_interrupt(before):
        signal.raise_signal(signal.SIGINT)
        time.sleep(0.01)
        put(before)

    states = {**guard.STATES, "the path of imports": (lambda: list(sys.path), put_and_interrupt)}
    monkeypatch.setattr(guard, "STATES", states)
    with pytest.raises(KeyboardInterrupt), protect() as left:
        sys.path.append("nowhere")
        os.environ["ODD"] = "1"
    assert left.put_back == ["the environment variables", "the path of imports"]


# Threads


def test_threads_that_go_on_are_returned_and_print_for_themselves(capsys):
    stop = threading.Event()

    def floods():
        while not stop.wait(0.001):
            print("x" * 99_999)

    def answer():
        threading.Thread(target=floods, name="mine", daemon=True).start()
        threading.Thread(target=time.sleep, args=(0.05,)).start()
        ThreadPoolExecutor(thread_name_prefix="pool").submit(stop.wait)
        return 1.0

    with protect() as left:
        run(answer, [()], 1)
    assert [thread.name for thread in left.threads] == ["mine", "pool_0"]
    assert all(thread.is_alive() for thread in left.threads)
    with protect():
        done = run(lambda: time.sleep(0.2) or 1.0, [()], 1)
    stop.set()
    for thread in left.threads:
        thread.join()
    assert (done.done, done.printed) == (1, "")


STRANGERS = ThreadPoolExecutor(1)
STRANGERS.submit(int).result()


def test_threads_of_an_answer_are_known_and_others_keep_their_output(capsys):
    inside = []

    def answer():
        inside.append(is_running())
        thread = threading.Thread(target=lambda: inside.append(is_running()))
        thread.start()
        thread.join()
        STRANGERS.submit(print, "from another thread").result()
        print("kept back")
        return 1.0

    assert not is_running()
    with protect():
        assert is_running() and not STRANGERS.submit(is_running).result()
        assert run(answer, [()], 1).printed == "kept back\n"
    assert not is_running()
    run(answer, [()], 1)
    assert inside == [True, True, True, False]  # without protect() nobody notes the threads
    assert not is_running() and capsys.readouterr().out == "from another thread\n" * 2


# States


CHANGES = [  # what is said, and what an answer does
    ("the working folder", lambda: os.chdir("/")),
    ("the environment variables", lambda: os.environ.update(NOT_THERE="1")),
    ("the path of imports", lambda: sys.path.append("nowhere")),
    ("the filters of warnings", lambda: warnings.simplefilter("error", BytesWarning)),
    ("NumPy's handling of errors", lambda: np.seterr(all="raise")),
    ("the way NumPy prints", lambda: np.set_printoptions(precision=1)),
    ("the random numbers of NumPy", lambda: np.random.seed(3)),
    ("the random numbers of Python", lambda: random.seed(3)),
    ("Python's garbage collection", lambda: gc.disable()),
    ("the limit of recursion", lambda: sys.setrecursionlimit(900)),
    ("the trace function", lambda: sys.settrace(lambda *_: None)),
    ("the trace function", lambda: sys.setprofile(lambda *_: None)),
    ("the handlers of signals", lambda: signal.signal(signal.SIGUSR2, print)),
    ("the handlers of signals", lambda: guard.set_handler(signal.SIGALRM, print)),  # who gets round the refusal
    ("the signals that wait", lambda: guard.set_mask(signal.SIG_BLOCK, [signal.SIGALRM])),
    ("the signals that wait", lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])),
    ("`np.pi`", lambda: setattr(np, "pi", 3)),
    ("`np.linalg.norm`", lambda: setattr(np.linalg, "norm", max)),
    ("`np.random.rand`", lambda: delattr(np.random, "rand")),
    ("`math.e`", lambda: setattr(math, "e", 3)),
    ("`random.random`", lambda: setattr(random, "random", max)),
    ("`len`", lambda: setattr(builtins, "len", lambda x: 0)),
    ("`open`", lambda: setattr(builtins, "open", None)),
    ("`os.environ`", lambda: setattr(os, "environ", {**os.environ})),
    ("`sys.path`", lambda: setattr(sys, "path", [*sys.path])),
    ("`sys.excepthook`", lambda: setattr(sys, "excepthook", print)),
    ("`sys.stdout`", lambda: setattr(sys, "stdout", None)),
    ("`time.sleep`", lambda: setattr(time, "sleep", None)),
    ("`threading.excepthook`", lambda: setattr(threading, "excepthook", print)),
    ("`warnings.filters`", lambda: setattr(warnings, "filters", [*warnings.filters])),
]


@pytest.mark.parametrize(("words", "change"), CHANGES, ids=[words for words, _ in CHANGES])
def test_what_is_changed_is_put_back_and_said(words, change):
    with protect() as left:
        done = run(lambda: change() and 1.0, [()] * 2, 1)
    assert (done.done, left.put_back, left.taken_away, left.threads) == (2, [words], [], [])


def test_what_a_package_sets_up_on_its_first_import_stays(monkeypatch, tmp_path):
    sets_up = "os.environ['SET_UP'] = '1'\nwarnings.simplefilter('error', BytesWarning)\nrandom.seed(3)\nos.chdir('/')"
    (tmp_path / "sets_up.py").write_text(f"import os, random, warnings\n{sets_up}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("pagecheck.guard.LIBRARIES", [*guard.LIBRARIES, str(tmp_path)])
    monkeypatch.setenv("SET_UP", "0")
    random_numbers = random.getstate()
    with warnings.catch_warnings():
        with protect() as left:
            run(lambda: bool(__import__("sets_up")), [()], 1)
        assert (left.put_back, os.environ["SET_UP"]) == (["the working folder"], "1")
        assert warnings.filters[0][2] is BytesWarning and random.getstate() != random_numbers
    random.setstate(random_numbers)


def test_what_is_added_is_taken_away():
    with protect() as left:
        run(lambda: setattr(np, "two", 2) or setattr(builtins, "three", 3), [()], 1)
    assert (left.put_back, left.taken_away) == ([], ["`np.two`", "`three`"])


def test_answers_compute_under_the_errors_of_numpy():
    with np.errstate(all="raise"):
        before = np.geterr()
        with protect() as left:
            assert problem_of(lambda: np.exp(np.array([1000.0])) / 0) == ""
            assert np.geterr() == before
        assert left.put_back == []


def through_numpy(q):
    return np.apply_along_axis(lambda row: through_numpy(q)[0], 1, q)


def test_a_raised_limit_of_recursion_is_lowered_for_the_answer():
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)
    try:
        assert problem_of(through_numpy, np.ones((2, 2))) == "recursion"
        assert problem_of(lambda q: sys.setrecursionlimit(10**6) or through_numpy(q), np.ones((2, 2))) == "recursion"
        assert sys.getrecursionlimit() == 10**6
    finally:
        sys.setrecursionlimit(before)
