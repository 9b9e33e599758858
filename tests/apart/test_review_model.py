"""The Keras reviewer and its reader in NumPy: the same numbers, and a recipe that learns.

Figures of training are asserted as bands, never as digits. One seed here; `nox -s review_study` runs ten.
"""

import numpy as np
import pytest

from course_utils.models import review_model
from course_utils.models.review_model import EPOCHS, RECIPE, build_reviewer, keras, predict, to_reader, train
from course_utils.models.review_reader import load_reader, load_study, save_reader, to_arrays
from course_utils.sentences import REVIEW
from course_utils.tasks.review_task import SEQ_LEN, encode, make_reviews

OURS = encode(REVIEW)[None]  # (1, SEQ_LEN)
PAIRS = make_reviews(5)


def test_the_recipe_learns_to_read():
    """The training of lesson 15."""
    model, seen = build_reviewer(seed=1), []
    task = make_reviews(20_000, seed=0)
    task = task._replace(labels=task.labels.astype(int))  # as the student's function gives them
    losses = review_model.train(model, task, **RECIPE, seed=1, on_epoch=lambda n, logs: seen.append(n))
    assert seen == list(range(EPOCHS)) and losses[-1] < 0.05 < losses[0]
    for split in ("held out", "new pairs"):
        test = make_reviews(1000, split=split, seed=10_000)
        hits = (predict(model, test.tokens) >= 0.5) == (test.labels == 1)
        assert hits.mean() >= 0.99 and hits.reshape(-1, 2).all(axis=1).mean() >= 0.99
    assert predict(model, OURS)[0] < 0.5


@pytest.fixture(scope="module")
def shipped():
    """The reader that comes with the course, and its weights in the Keras model."""
    reader, model, arrays = load_reader(), build_reviewer(), []
    named = to_arrays(reader)
    for layer in ("first", "second"):
        heads = (reader.tokens.shape[1], int(named[f"{layer}.n_heads"]), -1)
        for name in "QKV":
            arrays += [named[f"{layer}.W_{name}"].reshape(heads), named[f"{layer}.b_{name}"].reshape(heads[1:])]
        arrays += [named[f"{layer}.W_O"].reshape(*heads[1:], heads[0]), named[f"{layer}.b_O"]]
        arrays += [named[f"{layer}.gain"], named[f"{layer}.bias"]]
    model.set_weights([reader.tokens, *arrays, reader.answer[:, None], reader.answer_bias])
    return reader, model


def test_the_reader_gives_the_numbers_of_keras_and_survives_the_disk(shipped, tmp_path):
    """In Keras, layer 1 has only the query of [CLS]."""
    reader, model = shipped
    save_reader(to_reader(model), tmp_path / "mine.npz")
    np.testing.assert_equal(to_arrays(load_reader(tmp_path / "mine.npz")), to_arrays(reader))
    tokens = make_reviews(200, split="held out", seed=9).tokens
    layers = keras.Model(model.input, [model.get_layer(name).output[1] for name in ("first", "second")])
    reading, (first, second) = reader(tokens), map(keras.ops.convert_to_numpy, layers(tokens))
    assert reading.weights.shape == (len(tokens), 2, 3, SEQ_LEN, SEQ_LEN)
    np.testing.assert_allclose(reading.probability, predict(model, tokens), atol=1e-5)
    np.testing.assert_allclose(reading.weights[:, 0], first * reading.mask[:, None, :, None], atol=1e-5)
    np.testing.assert_allclose(reading.weights[:, 1, :, :1], second, atol=1e-5)


def test_the_study_holds_ten_seeds_that_read_and_look_differently():
    study = load_study()
    assert [row["seed"] for row in study] == list(range(10))
    skills = ("held_out", "new_pairs", "held_out_twins", "new_pairs_twins")
    assert min(row[name] for row in study for name in skills) >= 0.99
    assert all(row["turned_hidden"] > 0.9 > 0.1 > row["turned_amazing"] for row in study)
    assert np.ptp([row["turned"] for row in study]) > 0.3


def test_one_seed_gives_one_model():
    models = [build_reviewer(seed=seed) for seed in (1, 1, 2)]
    for model in models[:2]:
        train(model, PAIRS, **RECIPE | {"steps": 12}, seed=1)
    first, again, other = (predict(model, PAIRS.tokens) for model in models)
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-4


def fit(tokens=PAIRS.tokens, labels=PAIRS.labels, **changed):
    train(build_reviewer(), PAIRS._replace(tokens=tokens, labels=labels), **RECIPE | changed)


@pytest.mark.parametrize(
    ("function", "given"),
    [
        *((build_reviewer, given) for given in ({"d_model": 0}, {"seed": -1}, {"n_heads": 3, "d_model": 2})),
        *((fit, given) for given in ({"steps": 3}, {"pairs_per_step": 0}, {"learning_rate": "fast"})),
        *((fit, given) for given in ({"tokens": PAIRS.tokens[:9]}, {"labels": PAIRS.labels[:9]})),
        (lambda tokens: predict(build_reviewer(), tokens), {"tokens": OURS[:, :20]}),
        (lambda tokens: load_reader()(tokens), {"tokens": OURS + 50}),
    ],
)
def test_what_does_not_fit_is_named(function, given):
    with pytest.raises(ValueError, match=rf"^{next(iter(given))} .*wanted: "):
        function(**given)
