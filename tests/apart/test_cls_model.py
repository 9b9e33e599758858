"""The Keras classifier and its reader in NumPy: where it looks, what it answers, and that the focused recipe works.

Figures of training are asserted as bands, never as digits. Three seeds here; `nox -s study` runs twenty.
"""

import numpy as np
import pytest

from course_utils import cls_reader
from course_utils.cls_model import (
    FOCUSED,
    attention_weights,
    build_classifier,
    cls_weights,
    keras,
    predict,
    to_reader,
    train,
)
from course_utils.cls_reader import answer_with, cls_row, load_classifier, load_study, save_classifier
from course_utils.cls_task import make_task, metrics

UNSEEN = 5000


@pytest.fixture(scope="module")
def usual():
    """The usual recipe on a quarter of its sentences: enough to see that 100 % needs no sharp look."""
    model = build_classifier(seed=0)
    history = train(model, make_task(seed=0), epochs=10, batch_size=128, learning_rate=5e-3)
    return model, history


def focused(seed, **where):
    model = build_classifier(where.get("vocab_size", 51), where.get("length", 6) + 1, seed=seed)
    history = train(model, make_task(decoys=0.5, seed=seed, **where), seed=seed, **FOCUSED)
    unseen = make_task(UNSEEN, decoys=0.5, seed=10_000 + seed, **where)
    return model, history, unseen


@pytest.mark.parametrize(
    ("seed", "where"),
    [
        (0, {}),
        (5, {}),
        (7, {"position": 1, "target": 3, "length": 12, "vocab_size": 200}),
    ],
)
def test_the_focused_recipe_looks_at_the_position(seed, where):
    model, history, unseen = focused(seed, **where)
    assert metrics(unseen.labels, predict(model, unseen.tokens)).accuracy == 1
    weights = cls_weights(model, unseen.tokens)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)
    assert weights[:, where.get("position", 4)].mean() >= 0.99
    assert len(history["loss"]) == len(history["accuracy"]) == FOCUSED["epochs"]
    assert history["loss"][-1] < 0.05 < history["loss"][0]


def test_the_usual_task_is_solved_without_a_sharp_look(usual):
    model, _ = usual
    unseen = make_task(UNSEEN, seed=10_000)
    assert metrics(unseen.labels, predict(model, unseen.tokens)).recall > 0.95
    assert 1 / 7 < cls_weights(model, unseen.tokens)[:, 4].mean() < 0.9


def test_without_positions_the_decoy_task_cannot_be_learned():
    model = build_classifier(positions=False)
    train(model, make_task(decoys=0.5), **FOCUSED)
    unseen = make_task(UNSEEN, decoys=0.5, seed=10_000)
    assert metrics(unseen.labels, predict(model, unseen.tokens)).accuracy < 0.75


def test_the_reader_gives_the_numbers_of_keras(usual):
    model, _ = usual
    reader, tokens = to_reader(model), make_task(200, seed=5).tokens
    np.testing.assert_allclose(answer_with(reader, tokens), predict(model, tokens), atol=1e-5)
    np.testing.assert_allclose(cls_row(reader, tokens), cls_weights(model, tokens), atol=1e-5)
    np.testing.assert_allclose(attention_weights(model, tokens), reader(tokens).weights[:, 0, 0], atol=1e-5)
    assert reader.n_weights == model.count_params() == 777


def test_the_reader_normalises_as_keras_does_where_numbers_are_small():
    """Before training the vectors are so short that the epsilon of the norm shows in the answer."""
    model, tokens = build_classifier(seed=4), make_task(50, seed=5).tokens
    model.set_weights(
        [array / 30 if array.ndim == 2 and len(array) in (51, 7) else array for array in model.get_weights()]
    )
    np.testing.assert_allclose(answer_with(to_reader(model), tokens), predict(model, tokens), atol=1e-5)


def test_one_seed_gives_one_model_and_another_seed_another():
    first, again, other = (build_classifier(seed=seed).get_weights() for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("recipe", [{}, FOCUSED], ids=["usual", "focused"])
def test_a_lesson_can_draw_after_each_epoch(recipe):
    seen, task = [], make_task(512, decoys=0.5)
    short = recipe | {"epochs": 2}
    train(build_classifier(), task, on_epoch=lambda epoch, logs: seen.append((epoch, *sorted(logs))), **short)
    assert seen == [(0, "accuracy", "loss"), (1, "accuracy", "loss")]


def test_training_prints_nothing(capfd):
    train(build_classifier(), make_task(512, decoys=0.5), **FOCUSED | {"epochs": 1})
    assert capfd.readouterr() == ("", "")


def test_a_saved_keras_model_comes_back(tmp_path):
    model, tokens = build_classifier(), make_task(20).tokens
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(predict(again, tokens), predict(model, tokens))


BAD_TRAINING = {
    "labels of one class": ({"labels": np.zeros(50)}, {}, "labels"),
    "tokens too short": ({"tokens": np.ones((50, 6), int)}, {}, "tokens"),
    "a token outside the vocabulary": ({"tokens": np.full((50, 7), 51)}, {}, "tokens"),
    "a negative focus": ({}, {"focus": -1}, "focus"),
    "no epoch": ({}, {"epochs": 0}, "epochs"),
    "a batch larger than the task": ({}, {"batch_size": 51}, "batch_size"),
    "a rate in words": ({}, {"learning_rate": "fast"}, "learning_rate"),
}


@pytest.mark.parametrize(("change", "options", "argument"), BAD_TRAINING.values(), ids=BAD_TRAINING)
def test_training_names_what_does_not_fit(change, options, argument):
    task = make_task(50, decoys=0.5)._replace(**change)
    with pytest.raises(ValueError, match=rf"^{argument} .*wanted: "):
        train(build_classifier(), task, **options)


@pytest.mark.parametrize("sizes", [{"vocab_size": 1}, {"seq_len": 1}, {"d_model": 0}, {"seed": -1}])
def test_building_names_what_does_not_fit(sizes):
    with pytest.raises(ValueError, match=rf"^{next(iter(sizes))} .*wanted: "):
        build_classifier(**sizes)


# The reader


@pytest.mark.parametrize(("name", "low", "high"), [("usual", 0.25, 0.40), ("focused", 0.99, 1.0)])
def test_the_classifiers_that_come_with_the_course(name, low, high):
    classifier = load_classifier(name)
    assert classifier.n_weights == 777
    task = make_task(UNSEEN, decoys=0.5 * (name == "focused"), seed=10_000)
    assert metrics(task.labels, answer_with(classifier, task.tokens)).accuracy == 1
    assert low <= cls_row(classifier, task.tokens)[:, 4].mean() <= high


def test_other_weights_give_other_answers_and_its_own_give_its_own():
    classifier, task = load_classifier("focused"), make_task(500, decoys=0.5, seed=3)
    own = cls_row(classifier, task.tokens)
    np.testing.assert_array_equal(answer_with(classifier, task.tokens, own), answer_with(classifier, task.tokens))
    np.testing.assert_array_equal(
        answer_with(classifier, task.tokens, np.eye(7)[4]),
        answer_with(classifier, task.tokens, np.tile(np.eye(7)[4], (500, 1))),
    )
    elsewhere = answer_with(classifier, task.tokens, np.eye(7)[3])
    assert metrics(task.labels, elsewhere).accuracy < 0.7


def test_a_classifier_is_saved_and_loaded_without_pickle(tmp_path):
    classifier = load_classifier()
    save_classifier(classifier, tmp_path / "mine.npz")
    again = load_classifier(tmp_path / "mine.npz")
    assert all(np.array_equal(a, b) for a, b in zip(classifier, again, strict=True))


def test_files_that_are_no_classifier_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no classifier 'sharp'; there are focused, usual"):
        load_classifier("sharp")
    np.savez(tmp_path / "half.npz", tokens=np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"half.npz holds \['tokens'\]"):
        load_classifier(tmp_path / "half.npz")
    np.savez(tmp_path / "objects.npz", **{name: np.array([None]) for name in cls_reader.Classifier._fields})
    with pytest.raises(ValueError, match="allow_pickle"):
        load_classifier(tmp_path / "objects.npz")
    save_classifier(load_classifier()._replace(W_O=np.ones((3, 3))), tmp_path / "shape.npz")
    with pytest.raises(ValueError, match=r"^W_O .*wanted: \(8, 8\)"):
        load_classifier(tmp_path / "shape.npz")


def test_the_row_of_cls_is_all_that_its_own_weights_are():
    classifier, tokens = load_classifier("usual"), make_task(50, seed=3).tokens
    own = classifier(tokens)
    given = classifier(tokens, weights=own.weights[:, 0])
    np.testing.assert_array_equal(own.probability, given.probability)
    np.testing.assert_array_equal(answer_with(classifier, tokens, cls_row(classifier, tokens)), own.probability)


@pytest.mark.parametrize("rows", [np.ones(6), np.ones((2, 7)), np.ones((7, 7)), np.full(7, np.nan), "all"])
def test_rows_that_do_not_fit_are_refused(rows):
    with pytest.raises(ValueError, match=r"^rows .*wanted: "):
        answer_with(load_classifier(), make_task(3).tokens, rows)


@pytest.mark.parametrize(
    "tokens", [np.zeros((3, 6), int), np.full((3, 7), 51), np.zeros((3, 7)), np.zeros((0, 7), int)]
)
def test_tokens_that_it_was_not_built_for_are_refused(tokens):
    for function in (cls_row, answer_with):
        with pytest.raises(ValueError, match=r"^tokens .*wanted: "):
            function(load_classifier(), tokens)


def test_the_study_that_comes_with_the_course_says_what_the_lessons_say():
    rows = load_study()
    focus = [row for row in rows if row["recipe"] == "focused"]
    assert {row["seed"] for row in focus} >= set(range(20)) and len(focus) == 60
    assert all(row["decoy_accuracy"] == 1 and row["weight"] >= 0.99 for row in focus)
    usual = [row for row in rows if row["recipe"] == "usual"]
    assert len(usual) == 20 and all(row["accuracy"] > 0.999 and row["weight"] < 0.6 for row in usual)
