"""The two models without attention: what they can tell and what not, on sentences where only the position tells."""

import numpy as np
import pytest

from course_utils.models.cls_baselines import build_mean_pooling, build_recurrent
from course_utils.models.cls_model import predict, train
from course_utils.tasks.cls_task import make_task, metrics


@pytest.mark.parametrize(
    ("build", "least", "most"),
    [(build_mean_pooling, 0.6, 0.7), (build_recurrent, 0.99, 1)],  # counting the targets reaches 0.66
    ids=["counts and no more", "finds the position"],
)
def test_mean_pooling_counts_and_a_memory_finds_the_position(build, least, most):
    model, unseen = build(), make_task(5000, decoys=0.5, seed=1)
    train(model, make_task(decoys=0.5), batch_size=256, learning_rate=1e-2)  # as lesson 13 does, in its optional part
    assert least < metrics(unseen.labels, predict(model, unseen.tokens)).accuracy <= most
    sentences = np.array([[0, 42, 3, 42, 5, 6, 7], [0, 3, 42, 5, 42, 7, 6]])  # the same words
    assert np.isclose(*predict(model, sentences), rtol=1e-4) == (build is build_mean_pooling)
    tokens = make_task(8, length=4, vocab_size=20, target=3, seed=3).tokens
    one, same, other = (predict(build(20, 5, 4, seed=seed), tokens) for seed in (1, 1, 2))
    assert np.array_equal(one, same) and not np.array_equal(one, other)
