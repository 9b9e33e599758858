"""The two models without attention: what they can tell and what not, on sentences where only the position tells."""

import numpy as np
import pytest

from course_utils.cls_baselines import build_mean_pooling, build_recurrent
from course_utils.cls_model import predict, train
from course_utils.cls_task import make_task, metrics

BUDGET = {"batch_size": 256, "learning_rate": 1e-2}  # as lesson 12 trains them


def trained(build):
    model = build()
    train(model, make_task(decoys=0.5), **BUDGET)
    unseen = make_task(5000, decoys=0.5, seed=1)
    return model, metrics(unseen.labels, predict(model, unseen.tokens)).accuracy


def test_mean_pooling_counts_and_no_more():
    model, accuracy = trained(build_mean_pooling)
    assert 0.6 < accuracy < 0.7  # counting the targets reaches 0.66
    sentence = np.array([[0, 42, 3, 42, 5, 6, 7]])
    moved = np.array([[0, 3, 42, 5, 42, 7, 6]])
    np.testing.assert_allclose(predict(model, sentence), predict(model, moved), rtol=1e-4)


def test_a_recurrent_memory_finds_the_position():
    _, accuracy = trained(build_recurrent)
    assert accuracy > 0.99


@pytest.mark.parametrize("build", [build_mean_pooling, build_recurrent])
def test_one_seed_one_model_and_other_sizes(build):
    tokens = make_task(8, length=4, vocab_size=20, target=3, seed=3).tokens
    one, same, other = (build(20, 5, 4, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(predict(one, tokens), predict(same, tokens))
    assert not np.array_equal(predict(one, tokens), predict(other, tokens))
    with pytest.raises(ValueError, match=r"^d_model "):
        build(d_model=0)
    with pytest.raises(ValueError, match=r"^tokens "):
        predict(one, tokens[:, :4])
