"""Whatever a student passes to a check: it answers with a sentence, and leaves the kernel as it was."""

# ruff: noqa: PIE790, SIM105

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
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from jupyter_client.manager import run_kernel

from course_utils.checks import check as free_check
from course_utils.checks.engine.outcome import Outcome
from course_utils.checks.engine.running import run
from course_utils.sentences import CONCEPTUAL_ROW


def of_the_process():
    """What every cell that runs later relies on."""
    streams = (sys.stdin, sys.stdout, sys.stderr, sys.stdin.closed, sys.excepthook, gc.isenabled())
    limits = (sys.getrecursionlimit(), threading.stack_size(), threading.Thread.start)
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
        assert set(threading.enumerate()) <= threads  # one of an earlier answer may have come to its end meanwhile


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


@pytest.fixture(scope="module", autouse=True)
def first_check():
    """It loads parts of NumPy that nobody has asked for yet."""
    free_check("weights", right)


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
        ("too-slow", prints_for_ever),
        ("recursion", recursive),
        ("recursion", recursive_through_numpy),
        ("asks-for-input", asks),
        ("exits", leaves),
        ("exits", quits),
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
        ("returns-no-numbers", lambda Q, K: right(Q, K).astype(str)),
        ("returns-masked", lambda Q, K: np.ma.masked_all_like(right(Q, K))),
        ("returns-masked", lambda Q, K: [np.ma.masked_less(row, 0.2) for row in right(Q, K)]),
        ("returns-masked", lambda Q, K: tuple(np.ma.masked_less(row, 0.2) for row in right(Q, K))),
        ("returns-masked", lambda Q, K: [[np.ma.masked, *row[1:]] for row in right(Q, K)]),
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


def test_a_sleep_is_too_slow(capsys):
    """Python cannot end it, so its thread is still there when the check is over."""
    assert free_check("weights", sleeps).mistakes == ("too-slow",)
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
        found = buffer.setdefault((Q.shape, K.shape), np.zeros((len(Q), len(K))))
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


def checks_itself(Q, K):
    check("weights", checks_itself)
    return right(Q, K)


def checks_another(Q, K):
    return check("softmax", softmax) and right(Q, K)


def replaces_exp(Q, K):
    np.exp = lambda x: 1 + x
    return right(Q, K)


def replaces_len(Q, K):
    builtins.len = lambda x: 0
    return right(Q, K)


def deletes_norm(Q, K):
    del np.linalg.norm
    return right(Q, K)


def goes_away(Q, K):
    os.chdir(os.sep)
    return right(Q, K)


def sets_a_variable(Q, K):
    os.environ["ATTENTION"] = "1"
    return right(Q, K)


def silences(Q, K):
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    np.set_printoptions(precision=1)
    return right(Q, K)


def draws(Q, K):
    np.random.seed(0)
    random.random()
    return right(Q, K) + 0 * np.random.normal()


def raises_without_words(Q, K):
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError("no")

    raise Mute


def adds_names(Q, K):
    builtins.softmax, np.mine = softmax, 1
    return right(Q, K)


def another_pi(Q, K):
    np.pi, math.tau = 3, 6
    return right(Q, K)


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


def stops_the_collector(Q, K):
    gc.disable()
    return right(Q, K)


def replaces_open(Q, K):
    builtins.open = None
    return right(Q, K)


def starts_a_loop(Q, K):
    threading.Thread(target=endless, args=(Q, K), daemon=True).start()
    return right(Q, K)


def starts_a_chain(Q, K):
    """A thread that starts another one before it ends, and so on."""

    def link():
        time.sleep(0.001)
        threading.Thread(target=link, daemon=True).start()

    link()
    return right(Q, K)


ODD = (
    endless,
    swallows,
    prints_for_ever,
    recursive,
    asks,
    changes,
    checks_itself,
    checks_another,
    replaces_exp,
    replaces_len,
)
ODD += (deletes_norm, goes_away, sets_a_variable, silences, draws, raises_without_words, leaves, quits, interrupts)
ODD += (adds_names, another_pi, takes_the_streams, closes_the_streams, replaces_what_modules_hold)
ODD += (stops_the_collector, replaces_open, starts_a_loop, starts_a_chain)


@pytest.mark.parametrize("answer", ODD, ids=lambda answer: answer.__name__)
def test_the_process_is_as_before(answer, capsys):
    verdict = check("weights", answer)
    assert capsys.readouterr() == ("", "")
    assert verdict.message
    assert check("weights", right).state == "done"


@pytest.mark.parametrize("answer", [starts_a_loop, starts_a_chain])
def test_a_thread_may_be_ended_at_any_moment(answer, capfd):
    """Python changes the thread a hundred times as often here, so that it happens at many moments."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(usual / 100)
    try:
        for _ in range(10):
            check("weights", answer)
    finally:
        sys.setswitchinterval(usual)
    assert capfd.readouterr() == ("", "")


def test_a_collection_of_garbage_is_no_computing_of_the_answer():
    much = [[i] for i in range(1_000_000)]
    took = time.process_time()
    gc.collect()
    took = time.process_time() - took
    done = run(lambda: gc.collect() * 0.0, [()] * 5, 1, seconds=took)
    assert [outcome.problem for outcome in done.outcomes] == [""] * 5
    assert run(lambda: sum(sum(part) for part in much * 20), [()], 1, took).outcomes[0].problem == "too-slow"


@pytest.mark.parametrize("answer", [checks_itself, checks_another])
def test_a_check_inside_an_answer_is_named(answer):
    verdict = check("weights", answer)
    assert verdict.mistakes == ("checks-itself",)
    assert "indented" in verdict.message


def test_an_error_without_words_is_named_by_its_kind():
    assert "stops with Mute" in check("weights", raises_without_words).message


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (replaces_len, "Something had changed `len`. The check has put it back."),
        (goes_away, "Something had changed the working folder. The check has put it back."),
        (draws, "the random numbers of NumPy and the random numbers of Python. The check has put them back."),
        (adds_names, "Something had added `np.mine` and `softmax`. The check has taken them away."),
        (another_pi, "Something had changed `math.tau` and `np.pi`. The check has put them back."),
        (takes_the_streams, "had changed `sys.stdout`, `sys.stderr` and `sys.stdin`. The check has put them back."),
        (stops_the_collector, "Something had changed Python's garbage collection. The check has put it back."),
        (
            replaces_what_modules_hold,
            "`os.environ`, `sys.path`, `sys.excepthook` and `warnings.filters`. The check has put them back.",
        ),
    ],
)
def test_what_was_put_back_is_said(answer, says):
    verdict = check("weights", answer)
    assert verdict.state == "done"
    assert verdict.message.endswith(says)


@pytest.mark.parametrize(("folder", "is_package"), [("site-packages", True), ("mine", False)])
def test_what_a_package_sets_up_when_it_is_first_loaded_stays(folder, is_package, tmp_path, monkeypatch):
    """As TensorFlow does, where a function is the first to load it. A module of the student's own is no package."""
    (tmp_path / folder).mkdir()
    lines = (
        "import os, random, warnings",
        "os.environ['SET_UP'] = 'yes'",
        "random.random()",
        "warnings.simplefilter('once')",
    )
    (tmp_path / folder / "first_loaded.py").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path / folder)
    monkeypatch.delitem(sys.modules, "first_loaded", raising=False)
    monkeypatch.delenv("SET_UP", raising=False)

    def loads(Q, K):
        import first_loaded  # noqa: F401

        return right(Q, K)

    with warnings.catch_warnings():
        said = free_check("weights", loads).message
    put_back = "the environment variables, the filters of warnings and the random numbers of Python"
    assert (put_back in said) == (not is_package)
    assert ("SET_UP" in os.environ) == is_package
    os.environ.pop("SET_UP", None)


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


def test_a_name_of_numpy_that_a_cell_replaced_before_is_put_back(monkeypatch):
    monkeypatch.setattr(np, "exp", lambda x: np.ones_like(x))  # every softmax would be right with it
    verdict = free_check("weights", lambda Q, K: np.full((len(Q), len(K)), 1 / len(K)))
    assert verdict.state == "not yet"
    assert verdict.message.endswith("Something had changed `np.exp`. The check has put it back.")


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (lambda Q, K: right(Q, K).astype(str), "an array of text"),
        (lambda Q, K: np.full((5, 5), None), "an array of Python objects"),
        (lambda Q, K: {}, "a dict"),
    ],
)
def test_what_is_no_number_is_called_by_its_kind(answer, kind):
    assert f"gives back {kind}, and the weights should be numbers" in check("weights", answer).message


@pytest.mark.parametrize(
    ("exercise", "answer", "said"),
    [
        (
            "weights",
            lambda Q, K: right(Q, K) + 0j,
            "an array of complex numbers, and the weights should be real numbers.",
        ),
        ("causal_mask", lambda n: np.tri(n).astype(str), "an array of text, and the mask should hold True and False."),
        (
            "project",
            lambda X, W_Q, W_K, W_V: (X @ W_Q, X @ W_K, "V"),
            "a str, and Q, K and V should be numbers. An array,",
        ),
        ("online_step", lambda *all: {}, "a dict, and highest, total and mixture should be numbers. An array,"),
        ("mask_label", lambda weights: "True", "a str, and the answer should be True or False. A value of Python,"),
        ("cosine", lambda a, b: a @ b + 0j, "a complex128, and the cosine should be one real number. A value of"),
    ],
)
def test_what_should_have_come_is_said(exercise, answer, said):
    verdict = check(exercise, answer)
    assert verdict.mistakes == ("returns-no-numbers",)
    assert f"gives back {said}" in verdict.message


@pytest.mark.parametrize(
    ("turned", "kind"),
    [
        (lambda keys: keys + 5j, "an array of complex numbers"),
        (lambda keys: keys.astype("m8[s]"), "an array of times"),
        (lambda keys: keys.astype("M8[s]"), "an array of dates"),
        (lambda keys: keys.astype(str), "an array of text"),
        (lambda keys: np.ma.masked_less(keys, -3), "a MaskedArray"),
    ],
)
def test_keys_that_are_no_real_numbers_reach_nothing(turned, kind):
    row = np.maximum(CONCEPTUAL_ROW, 1e-4)
    keys = np.log(row / row.sum())[:, None]
    assert check("conceptual_keys", (np.ones(1), keys)).state == "done"
    verdict = check("conceptual_keys", (np.ones(1), turned(keys)))
    assert verdict.mistakes == ("not-a-value",)
    assert verdict.message == f"This is {kind}, and q and the keys should be arrays of real numbers."


def test_a_value_that_leaves_is_no_answer():
    class Leaves:
        def __array__(self, *arguments, **named):
            raise SystemExit

    assert check("conceptual_keys", (Leaves(), Leaves())).mistakes == ("unreadable",)


def test_whole_numbers_of_any_size_are_numbers():
    assert (
        check(
            "attention_bytes", lambda n, layers, heads, size: int(n * n * layers * heads * size) * 2**70 // 2**70
        ).state
        == "done"
    )
    assert check("attention_bytes", lambda n, layers, heads, size: n * n * layers * heads * size * 10**30).mistakes


def test_a_tuple_of_arrays_is_an_array():
    assert (
        check("split_heads", lambda X, n_heads: tuple(np.moveaxis(X.reshape(*X.shape[:-1], n_heads, -1), -2, 0))).state
        == "done"
    )
    assert check("weights", lambda Q, K: (right(Q, K), Q)).mistakes == ("returns-tuple",)


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


SMALL_STACKS = """
import threading
import numpy as np
from course_utils.checks import check

def without_end(Q, K):
    return np.apply_along_axis(lambda q: without_end(Q, K)[0], 1, Q)

threading.stack_size(2**18)
print(check("weights", without_end).message)
print(threading.stack_size() == 2**18)
"""


def test_endless_calls_end_where_a_system_gives_its_threads_little_stack():
    """In a process of its own, which would crash, as the student's kernel would."""
    environment = os.environ | {"LEARNING_TO_LOOK_DATA": "off"}
    ran = subprocess.run([sys.executable, "-c", SMALL_STACKS], capture_output=True, text=True, env=environment)
    assert ran.stdout == "Your function calls itself without end. What makes it stop?\nTrue\n"


def test_no_garbage_is_collected_while_a_check_looks_at_the_frames_of_its_thread(monkeypatch):
    """With Python 3.11.7 the two could wait for each other without end, once in some thousands of checks."""
    seen, look = [], sys._current_frames
    monkeypatch.setattr(sys, "_current_frames", lambda: seen.append(gc.isenabled()) or look())
    run(lambda i: time.sleep(0.2), [(0,)], 1)
    assert seen and not any(seen)
    assert gc.isenabled()


@pytest.mark.parametrize(("module", "name"), [(np.random, "get_state"), (sys, "path"), (random, "seed")])
def test_a_state_that_cannot_be_asked_for_is_put_back(module, name):
    def answer(Q, K):
        setattr(module, name, None)
        return right(Q, K)

    assert check("weights", answer).state == "done"
    assert check("weights", right).message.startswith("Right on")


def test_some_inputs_without_a_result_are_told_from_none_at_all():
    verdict = check("mask_label", lambda weights: False if np.triu(weights, 1).any() else None)
    assert verdict.mistakes == ("returns-nothing",)
    assert verdict.message.startswith("Some inputs get a result")


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


def test_a_thread_that_python_cannot_end_is_said():
    woken = threading.Event()

    def leaves_a_thread(Q, K):
        threading.Thread(target=woken.wait, daemon=True).start()
        return right(Q, K)

    try:
        verdict = free_check("weights", leaves_a_thread)
        assert verdict.state == "done"
        assert verdict.message.endswith(
            "Something that your function started still runs. Choose Kernel, Restart Kernel to end it."
        )
    finally:
        woken.set()
    assert "still runs" not in free_check("weights", right).message


def test_a_pool_that_a_cell_made_goes_on():
    """Its threads start with the first work, inside the check, and wait for more."""
    with ThreadPoolExecutor(1) as pool:
        for _ in range(2):
            verdict = free_check("weights", lambda Q, K: pool.submit(right, Q, K).result())
            assert verdict.state == "done", verdict
            assert verdict.message.endswith("single key.")


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


def test_a_check_in_a_thread_of_an_answer_is_refused(monkeypatch):
    """Else each check would begin the next one."""
    raised = []
    monkeypatch.setattr(threading, "excepthook", lambda problem: raised.append(str(problem.exc_value)))

    def checks_in_a_thread(Q, K):
        thread = threading.Thread(target=free_check, args=("weights", checks_in_a_thread))
        thread.start()
        thread.join()
        return right(Q, K)

    assert free_check("weights", checks_in_a_thread).state == "done"
    assert set(raised) == {"check is called by an answer that is being checked. Call it in a cell of its own."}


def test_a_check_inside_an_answer_is_named_also_where_its_error_is_caught():
    def catches(Q, K):
        try:
            check("weights", catches)
        except Exception:
            pass
        return right(Q, K)

    assert check("weights", catches).mistakes == ("checks-itself",)


def test_clocks_that_an_answer_stopped_do_not_stop_the_check(monkeypatch):
    def stops_the_clocks(Q, K):
        monkeypatch.setattr(time, "process_time", lambda: 0.0)
        monkeypatch.setattr(time, "monotonic", lambda: 0.0)
        endless(Q, K)

    assert check("weights", stops_the_clocks).mistakes == ("too-slow",)
