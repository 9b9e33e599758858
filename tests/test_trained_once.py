"""A training that is replayed leaves what the real one leaves; and what is not the same training is done for real."""

import numpy as np
import pytest
import tensorflow as tf
from runner import tapes, trained_once, training_state

from course_utils import cls_model, deep_stack, review_model
from course_utils.cls_model import keras
from course_utils.cls_task import make_task
from course_utils.review_task import make_reviews

TASK = make_task(300, decoys=0.5)


@pytest.fixture
def trainings(tmp_path):
    """A function that says of each training how often it was replayed."""
    real = trained_once.install(tmp_path)
    yield lambda: tapes.replay_counts(tmp_path)
    for place, name, train in real:
        setattr(place, name, train)


def built(*, dropout=0.5, loss="binary_crossentropy", act="relu", rate=0.01, seed=0, at_once=True, traced=False):
    keras.utils.set_random_seed(seed)
    first = [keras.Input((7,))] if at_once else []
    last = [keras.layers.Dropout(dropout), keras.layers.Dense(1, "sigmoid")]
    model = keras.Sequential([*first, keras.layers.Dense(4, act), keras.layers.BatchNormalization(), *last])
    model.compile(keras.optimizers.Adam(rate), loss, metrics=["accuracy"], run_eagerly=not traced)
    return model


def fitted(model=None, x=TASK.tokens / 50, y=TASK.labels, **options):
    """Train by `fit`; return all that it leaves, and what it told on the way."""
    model, seen = model or built(), []
    draw = keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: seen.append((epoch, logs, left_by(model)[0]))
    )
    history = model.fit(x, y, **{"epochs": 2, "batch_size": 100, "verbose": 0, "callbacks": [draw]} | options)
    return history.history, history.epoch, history.params, seen, left_by(model)


def left_by(model):
    return training_state.values_of(model), training_state.random_state()


def focused(heard=False, **options):
    model, seen = cls_model.build_classifier(), []
    note = lambda *said: seen.append((said, model.get_weights()))  # noqa: E731
    options = cls_model.FOCUSED | {"epochs": 2, "batch_size": 50, "on_batch": note if heard else None} | options
    history = cls_model.train(model, TASK, **options, on_epoch=note)
    return history, seen, model.get_weights(), training_state.random_state()


def reviewed(steps=24):
    model, seen = review_model.build_reviewer(), []
    note = lambda epoch, logs: seen.append((epoch, logs, model.get_weights()))  # noqa: E731
    losses = review_model.train(model, make_reviews(50), **review_model.RECIPE | {"steps": steps}, on_epoch=note)
    return losses, seen, model.get_weights(), training_state.random_state()


WAYS = {
    "fit": lambda: fitted(built(traced=True)),
    "fit, not built": lambda: fitted(built(at_once=False)),
    "a loop that fits": lambda: focused(focus=None),
    "loop": focused,
    "loop, with a word after each batch": lambda: focused(heard=True),
    "reviews": reviewed,
}


@pytest.mark.parametrize("train", WAYS.values(), ids=WAYS)
def test_a_replayed_training_leaves_what_the_real_one_leaves(train, trainings):
    first, again = train(), train()
    assert trainings() == [1]
    np.testing.assert_equal(again, first)


def test_a_function_that_a_notebook_took_by_its_name_before_is_exchanged_too(tmp_path):
    names = {"mine": deep_stack.train_stack, "other": deep_stack.Stack}
    real = trained_once.install(tmp_path)
    trained_once.replace_imported(real, names)
    for place, name, train in real:
        setattr(place, name, train)
    pairs = [[0, 1], [1, 0]], [[0], [1]]
    first, again = ([stack.R for stack in names["mine"](*pairs, depth=1, seeds=1, steps=2)] for _ in range(2))
    np.testing.assert_equal(again, first)
    assert tapes.replay_counts(tmp_path) == [1]
    assert names["other"] is deep_stack.Stack


def test_asking_for_the_key_changes_no_training(request):
    alone = fitted()
    trainings = request.getfixturevalue("trainings")
    np.testing.assert_equal(fitted(), alone)
    assert trainings() == [0]


OTHERS = {
    "weights": {"seed": 1},
    "data": {"x": TASK.tokens / 51},
    "labels": {"y": 1 - TASK.labels},
    "epochs": {"epochs": 2},
    "batches": {"batch_size": 51},
    "validation": {"validation_split": 0.2},
    "weights of the sentences": {"sample_weight": np.ones(300)},
    "loss": {"loss": lambda y, p: keras.ops.mean((y - p) ** 2)},
    "rate": {"rate": 0.02},
    "what only training does": {"dropout": 0.4},
    "what is no setting": {"act": lambda x: x},
}


def key(*, x=TASK.tokens / 50, y=TASK.labels, **changed):
    of_model = {name: changed.pop(name) for name in built.__kwdefaults__ if name in changed}
    asked = training_state.arguments_of(keras.Model.fit, (built(**of_model), x, y), {"verbose": 0} | changed)
    del asked["callbacks"]
    return trained_once.key_of_fit(asked.pop("self"), asked)


def test_one_key_is_one_training():
    assert key() == key() is not None
    keys = [key(), *(key(**other) for other in OTHERS.values())]
    assert len(set(keys)) == len(keys)


def test_changed_code_is_another_training(monkeypatch, tmp_path):
    before = training_state.hashed(1)
    assert training_state.hashed(1) == before
    (tmp_path / "cls_model.py").write_text("LEARNED = 9")
    monkeypatch.setattr(training_state, "COURSE", tmp_path)
    assert training_state.hashed(1) != before


UNKNOWN = {
    "printed": {"verbose": 2},
    "a generator": {"x": tf.data.Dataset.from_tensors((TASK.tokens / 50, TASK.labels)), "y": None},
    "ends early": {"callbacks": [keras.callbacks.EarlyStopping("loss")]},
    "told of batches": {"callbacks": [keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: None)]},
}


@pytest.mark.parametrize("options", UNKNOWN.values(), ids=UNKNOWN)
def test_what_no_key_tells_is_trained_for_real(options, trainings):
    fitted(**{"epochs": 1, "batch_size": 300, "shuffle": False} | options)
    assert trainings() == []


def test_a_callback_that_steers_is_found_out(trainings):
    def steered(model):
        stop = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: setattr(model, "stop_training", True))
        return fitted(model, callbacks=[stop])

    assert steered(built())[1] == steered(built())[1] == [0]
    assert trainings() == [0]
    fitted(built(seed=1))
    with pytest.raises(RuntimeError, match="steers"):
        steered(built(seed=1))
