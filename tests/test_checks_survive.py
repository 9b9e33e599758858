"""Whatever a student passes to a check: it answers with a sentence, and leaves the kernel as it was."""

# ruff: noqa: SIM105

import builtins
import gc
import io
import math
import os
import random
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
from jupyter_client.manager import run_kernel

from course_utils.checks import check as free_check
from course_utils.checks.exercises import exercise_of


def of_the_process():
    """What every cell that runs later relies on."""
    streams = (sys.stdin, sys.stdout, sys.stderr, sys.stdin.closed, sys.excepthook, gc.isenabled())
    limits = (sys.getrecursionlimit(), threading.stack_size(), threading.Thread.start, sys.gettrace(), sys.getprofile())
    names = [dict(vars(module)) for module in (builtins, math, np, np.linalg)]
    state = (os.getcwd(), dict(os.environ), list(sys.path), list(warnings.filters), np.geterr(), random.getstate())
    held = [id(thing) for thing in (os.environ, sys.path, warnings.filters)]
    return streams, limits, names, state, held, repr((np.get_printoptions(), np.random.get_state()))


def check(name, answer):
    """Check, and prove that the process is as before.

    Where something is meant to change, or two threads check at once, tests call `free_check`.
    """
    before, threads = of_the_process(), set(threading.enumerate())
    try:
        return free_check(name, answer)
    finally:
        assert of_the_process() == before
        assert set(threading.enumerate()) <= threads


def softmax(S):
    e = np.exp(S)
    return e / e.sum(axis=-1, keepdims=True)


def right(Q, K):
    return softmax(Q @ K.T / np.sqrt(Q.shape[1]))


@pytest.fixture(scope="module", autouse=True)
def first_check():
    """It loads parts of NumPy that nobody has asked for yet."""
    free_check("weights", right)


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


def asks(Q, K):
    return float(input("weights? "))


def leaves(Q, K):
    sys.exit(1)


def quits(Q, K):
    quit()


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
        ("too-slow", sleeps),
        ("too-much-output", prints_for_ever),
        ("recursion", recursive),
        ("asks-for-input", asks),
        ("exits", leaves),
        ("exits", quits),
        ("raises", interrupts),
        ("raises", lambda Q, K: Q @ undefined),  # noqa: F821
        ("returns-generator", generator),
        ("prints-only", lambda Q, K: print(right(Q, K))),
        ("returns-no-numbers", lambda Q, K: right(Q, K) + 1j),
        ("returns-masked", lambda Q, K: [[np.ma.masked, *row[1:]] for row in right(Q, K)]),
        ("returns-function", lambda Q, K: Layer()),
        ("raises", lambda Q, K: Hostile()),
        ("returns-tuple", lambda Q, K: (right(Q, K), right(Q, K))),
        ("nan", lambda Q, K: right(Q, K) * np.where(np.eye(len(Q)), np.nan, 1)),
        ("infinite", lambda Q, K: right(Q, K) + np.where(np.eye(len(Q)), np.inf, 0)),
        ("changes-input", changes),
        ("wrong-arguments", lambda Q: Q),
        ("not-a-function", Layer),
        ("not-a-function", np.ones((12, 12))),
        ("not-a-function", Hostile()),
        ("returns-nothing", None),
        ("not-a-function", generator(np.ones((2, 2)), np.ones((2, 2)))),
        ("shape", lambda Q, K: Q[:0]),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_whatever_comes_gets_its_own_sentence(id, answer, capsys):
    verdict = check("weights", answer)
    assert verdict.mistakes == (id,), verdict
    assert verdict.message
    assert capsys.readouterr() == ("", "")


def test_a_value_that_raises_or_leaves_is_no_answer():
    class Leaves:
        def __array__(self, *arguments, **named):
            raise SystemExit

    assert check("first_check", Hostile()).mistakes == ("not-a-value",)
    assert check("conceptual_keys", (Leaves(), Leaves())).mistakes == ("unreadable",)
    verdict = check("conceptual_keys", (Hostile(), Hostile()))
    assert verdict.mistakes == ("unreadable",) and "RuntimeError" in verdict.message


BUFFER = {}


def reuses(Q, K):
    found = BUFFER.setdefault((Q.shape, K.shape), np.zeros((len(Q), len(K))))
    found[...] = right(Q, K)
    return found[:, :]


@pytest.mark.parametrize(
    "answer",
    [
        Layer(),
        lambda Q, K: right(Q, K).astype(np.float16),
        lambda Q, K: right(Q, K).tolist(),
        lambda Q, K: np.asfortranarray(right(Q, K))[::1, ::1],
        lambda Q, K: print("looking") or right(Q, K),
        reuses,
    ],
)
def test_right_numbers_in_any_array_are_done(answer, capsys):
    assert check("weights", answer).state == "done"
    assert capsys.readouterr() == ("", "")


def test_keras_and_tensorflow_tensors_are_read():
    tf = pytest.importorskip("tensorflow")
    assert check("weights", lambda Q, K: tf.constant(right(Q, K))).state == "done"
    assert check("weights", lambda Q, K: tf.Variable(tf.cast(right(Q, K), tf.float32))).state == "done"
    assert check("weights", lambda Q, K: tf.cast(right(Q, K), tf.bfloat16)).state == "done"
    assert check("weights", lambda Q, K: tf.constant(softmax(Q @ K.T))).mistakes == ("scale-missing",)
    keras = pytest.importorskip("keras")
    assert check("weights", lambda Q, K: keras.Input((3,))).mistakes in {("returns-no-numbers",), ("raises",)}


# The kernel is as before


def replaces_names(Q, K):
    result = right(Q, K)
    np.exp, np.pi, math.tau = (lambda x: 1 + x), 3, 6
    builtins.len, builtins.open, builtins.softmax, np.mine = (lambda x: 0), None, softmax, 1
    del np.linalg.norm
    return result


def changes_states(Q, K):
    os.chdir(os.sep)
    os.environ["ATTENTION"] = "1"
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    np.set_printoptions(precision=1)
    gc.disable()
    np.random.seed(0)
    random.random()
    return right(Q, K) + 0 * np.random.normal()


def takes_the_streams(Q, K):
    sys.stdin, sys.stdout, sys.stderr = io.StringIO("3"), io.StringIO(), None
    return right(Q, K)


def closes_the_streams(Q, K):
    sys.stdin.close()
    sys.stdout.close()
    return right(Q, K)


def replaces_what_modules_hold(Q, K):
    os.environ, sys.path, warnings.filters, sys.excepthook = {}, None, None, None
    return right(Q, K)


@pytest.mark.parametrize(
    "answer",
    [replaces_names, changes_states, takes_the_streams, closes_the_streams, replaces_what_modules_hold, changes],
    ids=lambda answer: answer.__name__,
)
def test_the_kernel_is_as_before_and_the_next_check_hears_nothing_of_it(answer, capsys):
    assert check("weights", answer).message
    assert capsys.readouterr() == ("", "")
    assert check("weights", right).message.startswith("Right on")


POISON = """
import numpy as np
from course_utils.checks import check

def poisons(Q, K):
    found = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))
    np.exp = lambda x: 1 + x
    return found / found.sum(-1, keepdims=True)

def right(Q, K):
    found = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))
    return found / found.sum(-1, keepdims=True)

print(check("weights", poisons).state, check("weights", right).state)
"""


def test_what_an_answer_replaced_does_not_reach_what_the_course_reckons():
    """In a process of its own: the course keeps what its references give, so the first check decides."""
    environment = os.environ | {"LEARNING_TO_LOOK_DATA": "off"}
    ran = subprocess.run([sys.executable, "-c", POISON], capture_output=True, text=True, env=environment, check=True)
    assert ran.stdout.split() == ["not", "yet", "done"]  # the first one was wrong from its second input on


def test_a_name_of_numpy_that_a_cell_replaced_before_is_put_back(monkeypatch):
    monkeypatch.setattr(np, "exp", lambda x: np.ones_like(x))  # every softmax would be right with it
    verdict = free_check("weights", lambda Q, K: np.full((len(Q), len(K)), 1 / len(K)))
    assert verdict.state == "not yet"
    assert verdict.message.endswith("Something had changed `np.exp`. The check has put it back.")


@pytest.mark.parametrize("before", [None, 3])
def test_the_seed_and_the_draws_of_tensorflow_are_put_back(before):
    tf = pytest.importorskip("tensorflow")
    tf.random.set_seed(before)

    def answer(Q, K):
        tf.random.set_seed(7)
        return right(Q, K) + 0 * tf.random.normal([]).numpy()

    def draws():
        return [float(tf.random.normal([])) for _ in range(3)]

    check("weights", answer)
    said = check("weights", answer).message
    assert said.endswith("Something had changed the random numbers of TensorFlow. The check has put them back.")
    if before is not None:
        found = draws()
        tf.random.set_seed(before)
        assert found == draws()


keras = None  # until the test below loads it


def with_a_layer(vocab_size, seq_len, d_model):
    keras.layers.Dense(1).build((None, d_model))
    return vocab_size * d_model


def by_another(vocab_size, seq_len, d_model):
    return with_a_layer(vocab_size, seq_len, d_model)


def with_a_seed(vocab_size, seq_len, d_model):
    random.seed(3)
    return vocab_size * d_model


@pytest.mark.parametrize(("answer", "is_said"), [(with_a_layer, False), (by_another, False), (with_a_seed, True)])
def test_the_random_number_that_keras_takes_for_a_layer_is_put_back_without_a_word(answer, is_said, monkeypatch):
    monkeypatch.setitem(globals(), "keras", pytest.importorskip("keras"))
    before = random.getstate()
    assert ("random numbers of Python" in check("count_weights", answer).message) == is_said
    assert random.getstate() == before


QUITS = """
from course_utils.checks import check
print(*(check("weights", answer).mistakes for answer in (lambda Q, K: quit(), lambda Q, K: exit() or Q)))
"""


def test_quit_in_an_answer_leaves_the_kernel_alive():
    """IPython's quit() raises nothing: it asks the kernel to end once the cell has run."""
    said = []
    with run_kernel(kernel_name="python3") as kernel:
        for code in (QUITS, "import time; time.sleep(1)", "print('alive')"):
            reply = kernel.execute_interactive(
                code, timeout=60, output_hook=lambda message: said.append(message["content"].get("text", ""))
            )
            assert reply["content"]["payload"] == []
    assert "".join(said) == "('exits',) ('exits',)\nalive\n"


# Checks within and beside one another


def checks_itself(Q, K):
    check("weights", checks_itself)
    return right(Q, K)


def checks_another(Q, K):
    return check("softmax", softmax) and right(Q, K)


def checks_and_catches(Q, K):
    try:
        check("weights", checks_and_catches)
    except Exception:
        pass
    return right(Q, K)


@pytest.mark.parametrize("answer", [checks_itself, checks_another, checks_and_catches])
def test_a_check_inside_an_answer_is_named_also_where_its_error_is_caught(answer):
    verdict = check("weights", answer)
    assert verdict.mistakes == ("checks-itself",)
    assert "indented" in verdict.message


def test_a_check_in_a_thread_of_an_answer_is_refused(capsys):
    """Else each check would begin the next one. No thread reports a SystemExit."""
    begun, ended = [], []

    def checks_in_a_thread(Q, K):
        thread = threading.Thread(target=inside)
        thread.start()
        thread.join()
        return right(Q, K)

    def inside():
        begun.append(1)
        ended.append(free_check("weights", checks_in_a_thread))

    exercise = exercise_of("weights")
    assert free_check("weights", checks_in_a_thread).state == "done"
    assert len(begun) == len(exercise.probes) + len(exercise.promised) and ended == []
    assert capsys.readouterr() == ("", "")


def test_two_threads_may_check(capsys):
    """The second one waits for the first, whose answers take a while."""
    verdicts = []

    def slow(Q, K):
        time.sleep(0.02)
        return right(Q, K)

    threads = [threading.Thread(target=lambda: verdicts.append(free_check("weights", slow))) for _ in range(2)]
    for thread in threads:
        thread.start()
    verdicts.append(free_check("softmax", lambda scores: scores))
    for thread in threads:
        thread.join()
    assert sorted(verdict.state for verdict in verdicts) == ["done", "done", "not yet"]
    assert capsys.readouterr() == ("", "")
