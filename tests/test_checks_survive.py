"""Whatever a student passes to a check: it answers with a sentence, and leaves the kernel as it was."""

# ruff: noqa: PIE790, SIM105

import builtins
import sys
import threading
import time
import warnings

import numpy as np
import pytest

from course_utils.checks import check
from course_utils.checks.engine.outcome import Outcome
from course_utils.checks.engine.running import run


def softmax(S):
    e = np.exp(S)
    return e / e.sum(axis=-1, keepdims=True)


def right(Q, K):
    return softmax(Q @ K.T / np.sqrt(Q.shape[1]))


def untouched(Q, K): ...


def with_words(Q, K):
    """Return the weights."""
    ...  # your code


def given_lines(Q, K):
    d_k = Q.shape[-1]  # noqa: F841
    ...  # your code


def raised(Q, K):
    raise NotImplementedError


@pytest.mark.parametrize("stub", [..., untouched, with_words, given_lines, raised, lambda Q, K: ..., lambda Q, K: None])
def test_a_stub_is_not_started(stub):
    assert str(check("weights", stub)) == "○ weights: not started"


@pytest.mark.parametrize("stub", [..., (..., ...), (np.ones(2), ...), [...]])
def test_a_value_that_is_missing_is_not_started(stub):
    assert check("conceptual_keys", stub).state == "not started"


def endless(Q, K):
    while True:
        pass


def swallows(Q, K):
    while True:
        try:
            Q = Q + 1
        except:  # noqa: E722
            pass


def prints_for_ever(Q, K):
    while True:
        print("x" * 1000)


def sleeps(Q, K):
    time.sleep(60)


def recursive(Q, K):
    return recursive(Q, K)


def recursive_through_numpy(Q, K):
    return np.apply_along_axis(lambda q: recursive_through_numpy(Q, K)[0], 1, Q)


def asks(Q, K):
    return float(input("weights? "))


def leaves(Q, K):
    sys.exit(1)


def interrupts(Q, K):
    raise KeyboardInterrupt


def generator(Q, K):
    yield right(Q, K)


def changes(Q, K):
    Q /= np.sqrt(Q.shape[1])
    return softmax(Q @ K.T)


class Layer:
    """A class, and an object that can be called."""

    def __call__(self, Q, K):
        return right(Q, K)


class Hostile:
    """An object that raises at every touch."""

    def __array__(self, *arguments, **named):
        raise RuntimeError("no")

    def __len__(self):
        raise RuntimeError("no")

    def __getattr__(self, name):
        raise RuntimeError("no")

    def __eq__(self, other):
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("id", "answer"),
    [
        ("too-slow", endless),
        ("too-slow", swallows),
        ("too-slow", prints_for_ever),
        ("too-slow", sleeps),
        ("recursion", recursive),
        ("recursion", recursive_through_numpy),
        ("asks-for-input", asks),
        ("raises", leaves),
        ("raises", interrupts),
        ("raises", lambda Q, K: Q @ undefined),  # noqa: F821
        ("returns-generator", generator),
        ("returns-generator", lambda Q, K: map(sum, Q)),
        ("returns-function", lambda Q, K: right),
        ("returns-function", lambda Q, K: np.exp),
        ("returns-function", lambda Q, K: Layer),
        ("returns-nothing", lambda Q, K: print(end="")),
        ("prints-only", lambda Q, K: print(right(Q, K))),
        ("returns-no-numbers", lambda Q, K: "0.67"),
        ("returns-no-numbers", lambda Q, K: {"not": 0.67}),
        ("returns-no-numbers", lambda Q, K: [[None, 1], [2, 3]]),
        ("returns-no-numbers", lambda Q, K: right(Q, K) + 1j),
        ("returns-no-numbers", lambda Q, K: Layer()),
        ("raises", lambda Q, K: Hostile()),
        ("returns-ragged", lambda Q, K: [[1.0], [2.0, 3.0]]),
        ("returns-tuple", lambda Q, K: (right(Q, K), right(Q, K))),
        ("nan", lambda Q, K: right(Q, K) * np.where(np.eye(len(Q)), np.nan, 1)),
        ("infinite", lambda Q, K: right(Q, K) + np.where(np.eye(len(Q)), np.inf, 0)),
        ("changes-input", changes),
        ("wrong-arguments", lambda Q: Q),
        ("wrong-arguments", lambda: None),
        ("not-a-function", Layer),
        ("not-a-function", np.ones((12, 12))),
        ("not-a-function", [[1.0]]),
        ("not-a-function", "right"),
        ("not-a-function", 0.67),
        ("not-a-function", {}),
        ("returns-nothing", None),
        ("not-a-function", generator(np.ones((2, 2)), np.ones((2, 2)))),
        ("shape-extra-axis", lambda Q, K: right(Q, K)[None]),
        ("shape-flat", lambda Q, K: right(Q, K).ravel()),
        ("shape", lambda Q, K: Q[:0]),
        ("hard-coded", lambda Q, K: [0.46, 0.32, 0.22]),
        ("rounded", lambda Q, K: right(Q, K).round(1)),
    ],
    ids=lambda value: value if isinstance(value, str) else getattr(value, "__name__", type(value).__name__),
)
def test_whatever_comes_gets_its_own_sentence(id, answer, capsys):
    verdict = check("weights", answer)
    assert verdict.mistakes == (id,), verdict
    assert verdict.message
    assert capsys.readouterr() == ("", "")


def test_a_hostile_object_is_no_answer():
    assert check("weights", Hostile()).mistakes == ("not-a-function",)
    assert check("first_check", Hostile()).mistakes == ("not-a-value",)
    verdict = check("conceptual_keys", (Hostile(), Hostile()))
    assert verdict.mistakes == ("unreadable",)
    assert "RuntimeError" in verdict.message


@pytest.mark.parametrize(
    "answer",
    [
        Layer(),
        lambda Q, K: right(Q, K).astype(np.float16),
        lambda Q, K: right(Q, K).tolist(),
        lambda Q, K: tuple(map(tuple, right(Q, K).tolist())),
        lambda Q, K: np.asfortranarray(right(Q, K))[::1, ::1],
        lambda Q, K: np.ma.array(right(Q, K)),
        lambda Q, K, causal=False: right(Q, K),
        lambda *both: right(*both),
        lambda Q, K: print("looking") or right(Q, K),
    ],
)
def test_right_numbers_in_any_array_are_done(answer, capsys):
    assert check("weights", answer).state == "done"
    assert capsys.readouterr() == ("", "")


def test_a_result_in_one_buffer_is_copied_in_time():
    buffer = {}

    def reuses(Q, K):
        found = buffer.setdefault(Q.shape, np.zeros((len(Q), len(K))))
        found[...] = right(Q, K)
        return found[:, :]

    assert check("weights", reuses).state == "done"


def test_keras_and_tensorflow_tensors_are_read():
    tf = pytest.importorskip("tensorflow")
    assert check("weights", lambda Q, K: tf.constant(right(Q, K))).state == "done"
    assert check("weights", lambda Q, K: tf.Variable(tf.cast(right(Q, K), tf.float32))).state == "done"
    assert check("weights", lambda Q, K: tf.cast(right(Q, K), tf.bfloat16)).state == "done"
    assert check("weights", lambda Q, K: tf.constant(softmax(Q @ K.T))).mistakes == ("scale-missing",)
    keras = pytest.importorskip("keras")
    assert check("weights", lambda Q, K: keras.Input((3,))).mistakes in {("returns-no-numbers",), ("raises",)}


@pytest.mark.parametrize("answer", [endless, swallows, prints_for_ever, recursive, asks, changes])
def test_the_kernel_stays_usable(answer):
    before = sys.stdout, sys.stderr, builtins.input, sys.getrecursionlimit(), threading.stack_size()
    check("weights", answer)
    assert (sys.stdout, sys.stderr, builtins.input, sys.getrecursionlimit(), threading.stack_size()) == before
    assert check("weights", right).state == "done"


@pytest.mark.parametrize("answer", [endless, swallows, prints_for_ever])
def test_an_endless_loop_is_ended_and_not_left_behind(answer):
    threads = threading.active_count()
    start = time.process_time()
    run(answer, [(np.ones((2, 2)), np.ones((2, 2)))], 1, seconds=0.1)
    assert time.process_time() - start < 5
    assert threading.active_count() == threads


def test_a_first_import_may_take_its_time(monkeypatch, tmp_path):
    (tmp_path / "slow_to_load.py").write_text("import time\ntime.sleep(0.6)\nvalue = 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)

    def loads():
        import slow_to_load

        return slow_to_load.value

    monkeypatch.setattr("course_utils.checks.engine.running.WAITING_SECONDS", 0.2)
    assert run(loads, [()], 1, seconds=0.1).outcomes[0].parts[0] == 1.0


def test_who_gets_no_turn_on_a_busy_machine_may_wait():
    def waits():
        time.sleep(0.5)
        return 1.0

    assert run(waits, [()], 1, seconds=0.1).outcomes[0].parts[0] == 1.0


def test_output_of_other_threads_still_comes_through(capsys):
    def slow():
        time.sleep(0.2)
        print("kept back")
        return 1.0

    other = threading.Timer(0.1, lambda: print("from another thread"))
    other.start()
    done = run(slow, [()], 1)
    other.join()
    assert done.printed == "kept back\n"
    assert capsys.readouterr().out == "from another thread\n"


def test_an_interrupt_while_waiting_ends_the_thread(monkeypatch):
    def interrupted(worker, seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr("course_utils.checks.engine.running._wait", interrupted)
    threads = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        run(endless, [(1, 2)], 1)
    assert threading.active_count() == threads


def test_warnings_of_a_student_do_not_reach_the_page(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda *a, **k: print(a[0], file=sys.stderr)
        check("stable_softmax", softmax)
    assert capsys.readouterr() == ("", "")


def test_arguments_are_copies():
    given = np.ones(3)

    def spoils(a):
        a += 1
        return a

    done = run(spoils, [(given,)], 1)
    assert (given == 1).all()
    assert done.changed == {0}


def test_fewer_outcomes_than_inputs_end_with_too_slow():
    def slow_second(i):
        while i:
            pass
        return 0.0

    outcomes = run(slow_second, [(0,), (1,), (2,)], 1, seconds=0.1).outcomes
    assert [o.problem for o in outcomes] == ["", "too-slow"]
    assert isinstance(outcomes[0], Outcome)
