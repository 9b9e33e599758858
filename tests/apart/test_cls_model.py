"""The Keras classifier and its reader in NumPy: where it looks, what it answers, and that the focused recipe works.

Figures of training are asserted as bands, never as digits. Two seeds here; `nox -s study` runs twenty.
"""

import numpy as np
import pytest

from course_utils.models.cls_model import (
    FOCUSED,
    attention_weights,
    build_classifier,
    cls_weights,
    keras,
    predict,
    to_reader,
    train,
)
from course_utils.models.cls_reader import answer_with, cls_row, load_classifier
from course_utils.tasks.cls_task import make_task, metrics

UNSEEN = 5000


@pytest.fixture(scope="module")
def usual():
    """The usual recipe on a quarter of its sentences: enough to see that 100 % needs no sharp look."""
    model = build_classifier(seed=0)
    train(model, make_task(seed=0), epochs=10, batch_size=128, learning_rate=5e-3)
    return model


@pytest.mark.parametrize(
    ("seed", "where"), [(0, {}), (7, {"position": 1, "target": 3, "length": 12, "vocab_size": 200})]
)
def test_the_focused_recipe_looks_at_the_position(seed, where):
    model = build_classifier(where.get("vocab_size", 51), where.get("length", 6) + 1, seed=seed)
    history = train(model, make_task(decoys=0.5, seed=seed, **where), seed=seed, **FOCUSED)
    unseen = make_task(UNSEEN, decoys=0.5, seed=10_000 + seed, **where)
    assert metrics(unseen.labels, predict(model, unseen.tokens)).accuracy == 1
    assert cls_weights(model, unseen.tokens)[:, where.get("position", 4)].mean() >= 0.99
    assert len(history["loss"]) == len(history["accuracy"]) == FOCUSED["epochs"]
    assert history["loss"][-1] < 0.05 < history["loss"][0]


def test_the_usual_task_is_solved_without_a_sharp_look(usual):
    unseen = make_task(UNSEEN, seed=10_000)
    assert metrics(unseen.labels, predict(usual, unseen.tokens)).recall > 0.95
    assert 1 / 7 < cls_weights(usual, unseen.tokens)[:, 4].mean() < 0.9


def test_the_reader_gives_the_numbers_of_keras_also_where_the_epsilon_of_the_norm_shows(usual):
    tiny, tokens = build_classifier(seed=4), make_task(200, seed=5).tokens
    tiny.set_weights(
        [array / 30 if array.ndim == 2 and len(array) in (51, 7) else array for array in tiny.get_weights()]
    )
    for model in (usual, tiny):
        reader = to_reader(model)
        np.testing.assert_allclose(answer_with(reader, tokens), predict(model, tokens), atol=1e-5)
        np.testing.assert_allclose(cls_row(reader, tokens), cls_weights(model, tokens), atol=1e-5)
        np.testing.assert_allclose(attention_weights(model, tokens), reader(tokens).weights[:, 0, 0], atol=1e-5)


def test_one_seed_gives_one_model_which_survives_the_disk(tmp_path):
    first, again, other = (build_classifier(seed=seed) for seed in (1, 1, 2))
    first.save(tmp_path / "model.keras")
    for model in (again, keras.models.load_model(tmp_path / "model.keras")):
        assert all(map(np.array_equal, model.get_weights(), first.get_weights()))
    assert not all(map(np.array_equal, other.get_weights(), first.get_weights()))


# The reader


@pytest.mark.parametrize(("name", "low", "high"), [("usual", 0.25, 0.40), ("focused", 0.99, 1.0)])
def test_the_classifiers_that_come_with_the_course(name, low, high):
    classifier = load_classifier(name)
    task = make_task(UNSEEN, decoys=0.5 * (name == "focused"), seed=10_000)
    assert metrics(task.labels, answer_with(classifier, task.tokens)).accuracy == 1
    assert low <= cls_row(classifier, task.tokens)[:, 4].mean() <= high


def test_other_weights_give_other_answers_and_its_own_give_its_own():
    classifier, task = load_classifier("focused"), make_task(500, decoys=0.5, seed=3)
    own = cls_row(classifier, task.tokens)
    np.testing.assert_array_equal(answer_with(classifier, task.tokens, own), answer_with(classifier, task.tokens))
    for row in np.eye(7)[[4, 3]]:
        one_for_all = answer_with(classifier, task.tokens, row)
        np.testing.assert_array_equal(one_for_all, answer_with(classifier, task.tokens, np.tile(row, (500, 1))))
    assert metrics(task.labels, one_for_all).accuracy < 0.7


TASK = make_task(50, decoys=0.5)


def fit(tokens=TASK.tokens, labels=TASK.labels, **options):
    train(build_classifier(), TASK._replace(labels=labels, tokens=tokens), **options)


@pytest.mark.parametrize(
    ("function", "argument", "value"),
    [
        *((build_classifier, name, 0) for name in ("vocab_size", "seq_len", "d_model")),
        *((fit, name, value) for name, value in {"focus": -1, "epochs": 0, "batch_size": 51}.items()),
        (fit, "labels", np.zeros(50)),
        (fit, "tokens", np.full((50, 7), 51)),
        (lambda rows: answer_with(load_classifier(), TASK.tokens[:3], rows), "rows", np.ones(6)),
        (lambda tokens: answer_with(load_classifier(), tokens), "tokens", np.zeros((3, 6), int)),
        (lambda tokens: cls_row(load_classifier(), tokens), "tokens", np.zeros((0, 7), int)),
    ],
)
def test_what_does_not_fit_is_named(function, argument, value):
    with pytest.raises(ValueError, match=rf"^{argument} .*wanted: "):
        function(**{argument: value})
