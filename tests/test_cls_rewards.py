"""The course's rewards and patience, and what a training does with those of a student."""

import numpy as np
import pytest

from course_utils.models.cls_model import FOCUSED, build_classifier, cls_weights, keras, predict, train
from course_utils.models.cls_rewards import LEARNED, look_reward, patience, set_reward
from course_utils.tasks.cls_task import make_task

WEIGHTS = np.random.default_rng(0).dirichlet(np.ones(5), size=8).astype("float32")  # (8, 5)


def test_the_rewards_are_logs_of_the_weight_on_the_favourites_of_the_batch():
    order = np.argsort(-WEIGHTS.mean(axis=0))
    np.testing.assert_allclose(look_reward(WEIGHTS), np.log(WEIGHTS[:, order[0]]).mean(), rtol=1e-5)
    for k in (1, 2, 5):
        wanted = np.log(WEIGHTS[:, order[:k]].sum(axis=1)).mean()
        np.testing.assert_allclose(set_reward(WEIGHTS, k), wanted, rtol=1e-5, atol=1e-6)


def test_patience_waits_for_one_low_loss_and_remembers_it():
    assert [patience(np.array(losses), 0.3) for losses in ([], [0.7], [0.7, 0.05], [0.7, 0.05, 0.4])] == [
        0,
        0,
        0.3,
        0.3,
    ]
    assert patience([LEARNED], 0.3) == 0


def a_short_training(**changed):
    model, seen = build_classifier(), []
    short = FOCUSED | {"epochs": 2, "on_batch": lambda *given: seen.append(given)} | changed
    history = train(model, make_task(1000, decoys=0.5), **short)
    return model, history, seen


def test_each_batch_is_told():
    _, history, seen = a_short_training(patience=lambda losses, focus: focus * len(losses))
    assert [(done, total) for done, total, _ in seen] == [(i, 8) for i in range(1, 9)]
    logs = [logs for *_, logs in seen]
    assert [log["focus"] for log in logs] == pytest.approx([0] * 4 + [0.3] * 4)
    assert all(log["row"].shape == (7,) and abs(log["row"].sum() - 1) < 1e-5 for log in logs)
    for name in ("loss", "accuracy"):
        np.testing.assert_allclose(history[name], np.reshape([log[name] for log in logs], (2, 4)).mean(axis=1))


def test_without_a_strength_the_reward_changes_nothing():
    one, other = (a_short_training(focus=0, reward=reward)[0] for reward in (look_reward, lambda w: -look_reward(w)))
    tokens = make_task(50).tokens
    np.testing.assert_array_equal(predict(one, tokens), predict(other, tokens))


@pytest.mark.parametrize(
    "reward",
    [
        lambda weights: np.mean(np.log(weights)),
        lambda weights: keras.ops.log(weights[:, 0]),
        lambda weights: keras.ops.mean(weights) if weights[0, 0] > 0 else 0.0,
    ],
    ids=["numpy", "one for each sentence", "if"],
)
def test_a_reward_without_a_gradient_is_named(reward):
    with pytest.raises(ValueError, match=r"^reward is .* wanted: .* one number with keras.ops"):
        a_short_training(reward=reward)


def test_a_weight_of_0_has_a_logarithm_in_training():
    """A question about two equal tokens drives weights to 0 exactly; the plain logarithm has to survive that."""
    model = build_classifier()
    sharp = [w * 60 if w.ndim == 3 else w * 30 for w in model.get_weights()]
    model.set_weights(sharp)
    task = make_task(1000, decoys=0.5)
    assert (cls_weights(model, task.tokens) == 0).any()
    history = train(model, task, **FOCUSED | {"epochs": 1, "patience": lambda losses, focus: focus})
    assert np.isfinite(history["loss"]).all() and np.isfinite(predict(model, task.tokens)).all()
