"""Whatever a student passes to a check: it answers with a sentence, and the next check and the next cell are as before.

pagecheck/tests/test_run.py asks this of each run, and test_checks_kernel.py of a real kernel.
"""

import contextlib
import os
import random
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from course_utils.attention import softmax
from course_utils.checks import check


def right(Q, K):
    return softmax(Q @ K.T / np.sqrt(Q.shape[1]))


class Hostile:
    """An object that raises at every touch."""

    def __getattr__(self, *arguments, **named):
        raise RuntimeError("no")

    __array__ = __len__ = __eq__ = __getattr__


class Leaves:
    def __array__(self, *arguments, **named):
        raise SystemExit


@pytest.mark.parametrize(
    ("name", "kind", "id"),
    [
        ("weights", Hostile, "not-a-function"),
        ("first_check", Hostile, "not-a-value"),
        ("conceptual_keys", lambda: (Leaves(), Leaves()), "unreadable"),
    ],
)
def test_a_thing_that_raises_or_leaves_is_no_answer(name, kind, id):
    verdict = check(name, kind())
    assert verdict.mistakes == (id,) and verdict.message


@pytest.mark.parametrize(
    ("id", "change"),
    [
        ((), lambda tf, W: tf.constant(W)),
        ((), lambda tf, W: tf.Variable(tf.cast(W, tf.float32))),
        ((), lambda tf, W: tf.cast(W, tf.bfloat16)),
        (("returns-no-numbers",), lambda tf, W: tf.keras.Input((3,))),
    ],
)
def test_tensors_are_read(id, change):
    tf = pytest.importorskip("tensorflow")
    assert check("weights", lambda Q, K: change(tf, right(Q, K))).mistakes == id


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


def with_a_layer(n, query, key):
    keras.layers.Dense(1).build((None, n))
    return n * query


def with_a_seed(n, query, key):
    random.seed(3)
    return n * query


@pytest.mark.parametrize(("answer", "is_said"), [(with_a_layer, False), (with_a_seed, True)])
def test_the_random_number_that_keras_takes_for_a_layer_is_put_back_without_a_word(answer, is_said, monkeypatch):
    monkeypatch.setitem(globals(), "keras", pytest.importorskip("keras"))
    before = random.getstate()
    assert ("random numbers of Python" in check("cut_edge", answer).message) == is_said
    assert random.getstate() == before


# Checks within and beside one another


def checks_itself(Q, K):
    with contextlib.suppress(Exception):
        check("weights", checks_itself)
    return right(Q, K)


def test_a_check_inside_an_answer_is_named_also_where_its_error_is_caught():
    verdict = check("weights", checks_itself)
    assert verdict.mistakes == ("checks-itself",) and "indented" in verdict.message


def test_two_threads_may_check(capsys):
    """The second one waits for the first, whose answers take a while."""
    verdicts = []

    def slow(Q, K):
        time.sleep(0.02)
        return right(Q, K)

    threads = [threading.Thread(target=lambda: verdicts.append(check("weights", slow))) for _ in range(2)]
    for thread in threads:
        thread.start()
    verdicts.append(check("softmax", lambda scores: scores))
    for thread in threads:
        thread.join()
    assert sorted(verdict.state for verdict in verdicts) == ["done", "done", "not yet"]
    assert capsys.readouterr() == ("", "")
