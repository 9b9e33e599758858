"""The position task: the same sentences everywhere, labels that say what they should, errors for what cannot be."""

import functools
import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.tasks.cls_task import (
    CLS,
    Task,
    best_counter,
    check_labels,
    hardest,
    make_task,
    metrics,
    shares_of_yes,
)


@st.composite
def tasks(draw):
    length, vocab_size = draw(st.integers(1, 12)), draw(st.integers(3, 200))
    return {
        "length": length,
        "vocab_size": vocab_size,
        "position": draw(st.integers(1, length)),
        "target": draw(st.integers(1, vocab_size - 1)),
        "decoys": draw(st.sampled_from([0.0, 0.3, 0.5, 1.0])),
        "seed": draw(st.integers(0, 2**31)),
        "n_samples": draw(st.integers(1, 200)),
    }


@given(tasks())
@settings(max_examples=60)
def test_labels_say_whether_the_target_stands_at_the_position(task):
    tokens, labels = make_task(**task)
    assert tokens.shape == (task["n_samples"], task["length"] + 1) and tokens.dtype == np.int32
    assert labels.shape == (task["n_samples"],) and labels.dtype == np.float32
    assert (tokens[:, 0] == CLS).all() and tokens[:, 1:].min() >= 1 and tokens[:, 1:].max() < task["vocab_size"]
    np.testing.assert_array_equal(labels, tokens[:, task["position"]] == task["target"])


def checksum(task):
    return hashlib.sha256(task.tokens.astype("<i4").tobytes()).hexdigest()[:16]


def test_the_same_seed_gives_the_same_data_on_every_platform():
    assert checksum(make_task(1000, seed=3)) == "d486c00eb52b9bfd"
    assert checksum(make_task(1000, decoys=0.5, seed=3)) == "d4d3e4333f0a161c"
    assert checksum(make_task(1000, seed=3, question=above_25)) == "5a3be4a7da52146c"
    assert checksum(make_task(1000, seed=4)) != checksum(make_task(1000, seed=3))


def test_with_decoys_the_classes_are_balanced_and_the_target_is_everywhere():
    tokens, labels = make_task(20_001, decoys=0.5, seed=1)
    assert labels.sum() == 10_000, "half of an odd number is rounded down"
    assert np.abs((tokens[:, 1:] == 42).mean(axis=0) - 0.5).max() < 0.02
    counts = (np.delete(tokens[:, 1:], 3, axis=1) == 42).sum(axis=1)
    assert abs(counts[labels == 1].mean() - counts[labels == 0].mean()) < 0.1, "the other positions must say nothing"
    assert 0.01 < make_task(20_000).labels.mean() < 0.03, "without decoys yes is rare"


def test_without_arguments_the_task_is_the_one_of_the_lessons():
    given = make_task(8000, position=4, target=42, length=6, vocab_size=51, decoys=0.0, seed=0)
    for ours, wanted in zip(make_task(), given, strict=True):
        np.testing.assert_array_equal(ours, wanted)


class Never:
    """A question that nobody says yes to."""

    def __call__(self, tokens):
        return tokens[:, 1] < 0

    def __repr__(self):
        return "never"


A_SHARE = "a probability from 0 to 1"
ONE_CLASS, OF_MAKE_TASK = "these are all one class", "a task of make_task, which knows its question"


@pytest.mark.parametrize(
    ("argument", "value", "wanted"),
    [
        ("position", 0, "a whole number from 1 to 6"),
        ("position", 7, "a whole number from 1 to 6"),
        ("position", 2.0, "a whole number from 1 to 6"),
        ("target", 0, "a whole number from 1 to 50"),
        ("target", 51, "a whole number from 1 to 50"),
        ("decoys", -0.1, A_SHARE),
        ("decoys", 1.1, A_SHARE),
        ("decoys", float("nan"), A_SHARE),
        ("length", 0, "a whole number of at least 1"),
        ("vocab_size", 1, "a whole number of at least 3"),
        ("vocab_size", 2, "a whole number of at least 3"),
        ("n_samples", 0, "a whole number of at least 1"),
        ("seed", -1, "a whole number of at least 0"),
        ("seed", "0", "a whole number of at least 0"),
    ],
)
def test_what_cannot_be_is_named(argument, value, wanted):
    with pytest.raises(ValueError) as error:
        make_task(**{argument: value})
    assert str(error.value) == f"{argument} is {value!r} ({type(value).__name__}); wanted: {wanted}"


def test_metrics_of_both_classes():
    assert metrics([0, 0, 0, 1], [0, 0, 1, 1]) == (0.75, 1.0, pytest.approx(5 / 6))
    assert metrics(np.array([1, 0]), np.array([0.2, 0.8])) == (0.0, 0.0, 0.0)
    assert metrics([0, 1], [0.5, 0.5]) == (0.5, 1.0, 0.5), "one half means yes"


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: check_labels([1, 1]), "labels has shape (2,) <...>; wanted: both 0 and 1 among them; " + ONE_CLASS),
        (lambda: metrics([0, 0], [0, 0]), "labels has shape (2,) <...>; wanted: both 0 and 1 among them; " + ONE_CLASS),
        (lambda: check_labels([0, 2]), "labels has shape (2,) <...>; wanted: (n,), each 0 or 1"),
        (lambda: check_labels([[0, 1]]), "labels has shape (1, 2) <...>; wanted: (n,), each 0 or 1"),
        (
            lambda: metrics([0, 1], [1]),
            "probabilities has shape (1,) <...>; wanted: shape (2,), as labels have",
        ),
        (
            lambda: shares_of_yes(Task("tokens", "labels")),
            f"task is Task(tokens='tokens', labels='labels') (Task); wanted: {OF_MAKE_TASK}",
        ),
        (lambda: shares_of_yes((1, 2)), f"task is (1, 2) (tuple); wanted: {OF_MAKE_TASK}"),
        (
            lambda: make_task(100, question=Never()),
            "question is never (Never); wanted: a question to which more of 2,000,000 random sentences answer yes",
        ),
    ],
)
def test_bad_input_is_met_by_a_sentence(call, says):
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == says.replace("<...>", "and dtype int64")


# Questions of one's own


def equal(tokens):
    """Is the token at position 2 equal to the one at position 5?

    More words.
    """
    return tokens[:, 2] == tokens[:, 5]


def above_25(tokens):
    return (tokens[:, 3] > 25).astype(int)


def first_above(tokens, word):
    return tokens[:, 1] > word


@pytest.mark.parametrize("question", [equal, above_25])
@pytest.mark.parametrize("given", [{}, {"length": 9, "vocab_size": 30, "seed": 4}, {"decoys": 0.5, "target": 7}])
def test_half_of_the_sentences_answer_yes_to_a_question_of_ones_own(question, given):
    tokens, labels = make_task(1001, question=question, **given)
    np.testing.assert_array_equal(labels, question(tokens))
    assert tokens.shape == (1001, given.get("length", 6) + 1) and tokens.dtype == np.int32
    assert labels.sum() == 500 and labels.dtype == np.float32
    assert (tokens[:, 0] == CLS).all() and tokens[:, 1:].min() == 1
    assert tokens.max() == given.get("vocab_size", 51) - 1
    assert 200 < labels[:500].sum() < 300, "yes and no are mixed"
    again, other = (make_task(1001, question=question, **given | seed).tokens for seed in ({}, {"seed": 9}))
    assert np.array_equal(tokens, again) and not np.array_equal(tokens, other)


def test_decoys_stand_everywhere_for_a_question_of_ones_own():
    tokens = make_task(4000, question=above_25, decoys=0.5, target=7).tokens
    assert np.abs((tokens[:, [1, 2, 4, 5, 6]] == 7).mean(axis=0) - 0.5).max() < 0.04
    assert (make_task(4000, question=above_25, target=7).tokens == 7).mean() < 0.05


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (equal, "Is the token at position 2 equal to the one at position 5?"),
        (above_25, "Is it a yes for above 25?"),
        (lambda tokens: tokens[:, 1] > 3, "Is the answer yes?"),
        (functools.partial(first_above, word=25), "Is the answer yes?"),  # it has no name, and Python's docstring
    ],
)
def test_a_task_says_its_question(question, words):
    assert make_task(100, question=question).question == words


def test_the_usual_question_names_position_and_target():
    task = make_task(100, position=2, target=7, decoys=0.5)
    assert task.question == "Is the token at position 2 the number 7?"
    np.testing.assert_array_equal(task.ask(task.tokens), task.labels)
    assert Task(*task).question == "Is the answer yes?", "a task made by hand does not know"


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("42?", r"^question is '42\?' \(str\); wanted: a function"),
        (
            lambda tokens: tokens == 42,
            r"^question\(tokens\) has shape \(20000, 7\).* wanted: \(20000,\), True or False",
        ),
        (lambda tokens: tokens[:, 3], r"^question\(tokens\) .* True or False for each sentence"),
        (lambda tokens: tokens[:, 3] > 99, r"^question is .* wanted: a question to which more .* answer yes"),
        (lambda tokens: tokens[:, 3] > 0, r"^question is .* wanted: a question to which more .* answer no"),
    ],
)
def test_a_question_that_cannot_be_trained_on_is_named(question, message, monkeypatch):
    monkeypatch.setattr("course_utils.tasks.cls_task.MOST_DRAWN", 60_000)
    with pytest.raises(ValueError, match=message):
        make_task(100, question=question)


def test_the_share_of_yes_is_what_the_words_alone_say():
    task = make_task(300, decoys=0.5, seed=5)
    np.testing.assert_allclose(shares_of_yes(task), (task.tokens == 42).sum(axis=1) / 6)
    pairs = make_task(50, question=equal, vocab_size=6)
    counts = [np.bincount(sentence[1:]) for sentence in pairs.tokens]
    np.testing.assert_allclose(shares_of_yes(pairs), [(n * (n - 1)).sum() / 30 for n in counts])
    long = make_task(40, length=8, position=8, decoys=0.5)
    np.testing.assert_allclose(shares_of_yes(long), (long.tokens == 42).sum(axis=1) / 8, atol=0.08)


@pytest.mark.parametrize(("length", "orders"), [(1, 1), (4, 24), (6, 720), (7, 720), (9, 720)])
def test_all_orders_of_six_words_are_asked_and_no_more_of_a_longer_sentence(length, orders):
    task, asked = make_task(20, length=length, position=1, decoys=0.5), []
    first = task.ask
    task.ask = lambda tokens: asked.append(1) or first(tokens)
    shares = shares_of_yes(task)
    assert len(asked) == orders
    np.testing.assert_array_equal(shares, shares_of_yes(task), "the orders of a long sentence come back")


def test_the_best_counter_is_no_better_than_counting_and_no_worse():
    task = make_task(20_000, decoys=0.5, seed=2)
    n_42 = (task.tokens == 42).sum(axis=1)
    counting = sum(max(np.sum(task.labels[n_42 == n] == answer) for answer in (0, 1)) for n in range(7)) / 20_000
    assert abs(best_counter(task) - counting) < 0.01
    assert best_counter(make_task(4000, question=lambda tokens: tokens[:, 1:].sum(axis=1) > 150)) > 0.99, (
        "where the order does not matter, a counter knows all"
    )
    assert best_counter(make_task(4000)) > 0.96, "always no"


@pytest.mark.parametrize(
    ("words", "labels", "right"),
    [
        ([9, 9, 9, 9], [1, 1, 0, 1], 0.5),  # half of the sentences tells it yes, and one of the other half is one
        ([9, 9], [0, 0], 1),
        ([9, 9], [1, 1], 1),
        ([1, 9], [1, 0], 1),  # of a share that it never met it says no
        ([9, 9, 9, 9], [0, 1, 0, 0], 1),  # and where yes and no were equally many
    ],
)
def test_the_best_counter_learns_from_the_first_half(words, labels, right):
    task = Task(np.array([[CLS, word] for word in words]), np.array(labels))
    task.ask = lambda tokens: tokens[:, 1] > 5
    assert best_counter(task) == right


def test_the_hardest_sentence_is_a_no_that_its_words_take_for_a_yes():
    sentence = hardest(make_task(decoys=0.5, position=2))
    assert sentence[2] != 42 and (np.delete(sentence, [0, 2]) == 42).all()
    pairs = hardest(make_task(question=equal, vocab_size=5))
    assert pairs[2] != pairs[5] and len(set(pairs[1:].tolist())) == 2
