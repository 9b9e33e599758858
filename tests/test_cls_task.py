"""The position task: the same sentences everywhere, labels that say what they should, errors for what cannot be."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.cls_task import CLS, check_labels, make_task, metrics


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


def test_the_same_seed_gives_the_same_data_on_every_platform():
    def checksum(task):
        return hashlib.sha256(task.tokens.astype("<i4").tobytes()).hexdigest()[:16]

    assert checksum(make_task(1000, seed=3)) == "d486c00eb52b9bfd"
    assert checksum(make_task(1000, decoys=0.5, seed=3)) == "d4d3e4333f0a161c"
    assert checksum(make_task(1000, seed=4)) != checksum(make_task(1000, seed=3))


def test_without_decoys_yes_is_rare():
    assert 0.01 < make_task(20_000).labels.mean() < 0.03


def test_with_decoys_the_classes_are_balanced_and_the_target_is_everywhere():
    tokens, labels = make_task(20_000, decoys=0.5, seed=1)
    assert labels.mean() == 0.5
    assert np.abs((tokens[:, 1:] == 42).mean(axis=0) - 0.5).max() < 0.02
    others = np.delete(tokens[:, 1:], 3, axis=1)
    counts = (others == 42).sum(axis=1)
    assert abs(counts[labels == 1].mean() - counts[labels == 0].mean()) < 0.1, "the other positions must say nothing"


def test_half_of_an_odd_number_of_sentences_is_rounded_down():
    assert make_task(7, decoys=0.5).labels.sum() == 3


def test_without_arguments_the_task_is_the_one_of_the_lessons():
    given = make_task(8000, position=4, target=42, length=6, vocab_size=51, decoys=0.0, seed=0)
    for ours, wanted in zip(make_task(), given, strict=True):
        np.testing.assert_array_equal(ours, wanted)


def test_the_last_word_may_be_the_target_and_the_last_position_the_place():
    tokens, labels = make_task(1000, position=6, target=50, decoys=0.5)
    np.testing.assert_array_equal(labels, tokens[:, 6] == 50)
    assert labels.sum() == 500


A_SHARE = "a probability from 0 to 1"


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


def test_one_half_means_yes():
    assert metrics([0, 1], [0.5, 0.5]) == (0.5, 1.0, 0.5)


@pytest.mark.parametrize(
    ("labels", "shape", "wanted"),
    [
        ([1, 1], "(2,)", "both 0 and 1 among them; these are all one class"),
        ([0, 0], "(2,)", "both 0 and 1 among them; these are all one class"),
        ([0, 2], "(2,)", "(n,), each 0 or 1"),
        ([[0, 1]], "(1, 2)", "(n,), each 0 or 1"),
    ],
)
def test_labels_that_cannot_be_learned_or_measured_are_refused(labels, shape, wanted):
    with pytest.raises(ValueError) as error:
        check_labels(labels)
    assert str(error.value) == f"labels has shape {shape} and dtype int64; wanted: {wanted}"


def test_probabilities_that_do_not_fit_are_refused():
    with pytest.raises(ValueError) as error:
        metrics([0, 1], [0.1])
    assert str(error.value) == "probabilities has shape (1,) and dtype float64; wanted: shape (2,), as labels have"
