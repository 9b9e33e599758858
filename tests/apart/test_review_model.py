"""The Keras reviewer and its reader in NumPy: the same numbers, looks that are cut, and a recipe that learns.

Figures of training are asserted as bands, never as digits. One seed here; `nox -s review_study` runs ten.
"""

import numpy as np
import pytest
from runner import trained_once

from course_utils import review_model, review_reader
from course_utils.review_model import EPOCHS, RECIPE, build_reviewer, keras, predict, to_reader, train
from course_utils.review_reader import load_reader, load_study, save_reader, to_arrays
from course_utils.review_task import PAD, SEQ_LEN, Reviews, encode, make_reviews
from course_utils.sentences import REVIEW

OURS = encode(REVIEW)[None]  # (1, SEQ_LEN)


@pytest.fixture(scope="module")
def hasty():
    """A reviewer after a few steps: its weights are no longer those of the start."""
    model = build_reviewer(seed=3)
    return model, train(model, make_reviews(100), **RECIPE | {"steps": 24})


def right(probabilities, labels):
    return (probabilities >= 0.5) == (labels == 1)


def test_the_recipe_learns_to_read():
    """The training of lesson 15: whoever comes first, lesson or test, trains for both."""
    model, seen = build_reviewer(seed=1), []
    with trained_once.with_notebooks():
        task = make_reviews(20_000, seed=0)
        task = task._replace(labels=task.labels.astype(int))  # as the student's function gives them
        losses = review_model.train(model, task, **RECIPE, seed=1, on_epoch=lambda n, logs: seen.append(n))
    assert seen == list(range(EPOCHS)) and losses[-1] < 0.05 < losses[0]
    for split in ("held out", "new pairs"):
        test = make_reviews(1000, split=split, seed=10_000)
        hits = right(predict(model, test.tokens), test.labels)
        assert hits.mean() >= 0.99 and hits.reshape(-1, 2).all(axis=1).mean() >= 0.99
    assert predict(model, OURS)[0] < 0.5


def assert_same_numbers(reader, model, tokens):
    """The reading in NumPy equals Keras's own answers and weights; in Keras, layer 1 has only the query of [CLS]."""
    layers = keras.Model(model.input, [model.get_layer(name).output[1] for name in ("first", "second")])
    reading, (first, second) = reader(tokens), map(keras.ops.convert_to_numpy, layers(tokens))
    assert reading.weights.shape == (len(tokens), 2, 3, SEQ_LEN, SEQ_LEN)
    np.testing.assert_allclose(reading.probability, predict(model, tokens), atol=1e-5)
    np.testing.assert_allclose(reading.weights[:, 0], first * reading.mask[:, None, :, None], atol=1e-5)
    np.testing.assert_allclose(reading.weights[:, 1, :, :1], second, atol=1e-5)
    assert reading.probability.std() > 1e-3, "an untrained model would give all reviews the same answer"


def test_the_reader_gives_the_numbers_of_keras(hasty):
    assert_same_numbers(to_reader(hasty[0]), hasty[0], make_reviews(200, seed=9).tokens)


def test_the_shipped_reader_gives_the_numbers_of_keras_too():
    reader, model = load_reader(), build_reviewer()
    named = to_arrays(reader)
    arrays = [reader.tokens]
    for layer in ("first", "second"):
        heads = (reader.tokens.shape[1], int(named[f"{layer}.n_heads"]), -1)
        for name in "QKV":
            arrays += [named[f"{layer}.W_{name}"].reshape(heads), named[f"{layer}.b_{name}"].reshape(heads[1:])]
        arrays += [named[f"{layer}.W_O"].reshape(*heads[1:], heads[0]), named[f"{layer}.b_O"]]
        arrays += [named[f"{layer}.gain"], named[f"{layer}.bias"]]
    model.set_weights([*arrays, reader.answer[:, None], reader.answer_bias])
    assert_same_numbers(reader, model, make_reviews(200, split="held out", seed=9).tokens)


@pytest.mark.parametrize("split", ["held out", "new pairs"])
def test_the_shipped_reader_reads(split):
    test = make_reviews(1000, split=split, seed=77)
    hits = right(load_reader()(test.tokens).probability, test.labels)
    assert hits.mean() >= 0.99 and hits.reshape(-1, 2).all(axis=1).mean() >= 0.99


def test_the_study_holds_ten_seeds_that_read_and_look_differently():
    study = load_study()
    assert [row["seed"] for row in study] == list(range(10))
    assert all(row[name] >= 0.99 for row in study for name in ("held_out", "new_pairs"))
    assert all(row[name] >= 0.99 for row in study for name in ("held_out_twins", "new_pairs_twins"))
    assert all(row["turned_hidden"] > 0.9 > 0.1 > row["turned_amazing"] for row in study)
    turned = [row["turned"] for row in study]
    assert max(turned) - min(turned) > 0.3


def test_one_seed_gives_one_model():
    task = make_reviews(20)
    runs = []
    for _ in range(2):
        model = build_reviewer(seed=1)
        train(model, task, **RECIPE | {"steps": 12}, seed=1)
        runs.append(predict(model, task.tokens))
    np.testing.assert_array_equal(*runs)
    assert np.abs(runs[0] - predict(build_reviewer(seed=2), task.tokens)).max() > 1e-4


def test_rows_sum_to_one_and_the_padding_is_never_seen(hasty):
    reading = to_reader(hasty[0])(OURS)
    np.testing.assert_allclose(
        reading.weights.sum(axis=-1), np.broadcast_to(reading.mask, (1, 2, 3, SEQ_LEN)), atol=1e-5
    )
    assert (reading.weights[..., OURS[0] == PAD] == 0).all()


def test_the_verdict_hangs_on_the_negation():
    """Hidden from all the others in both layers, a negation no longer turns the verdict."""
    others = [(None, None, query, 4) for query in range(SEQ_LEN) if query != 4]
    assert load_reader()(OURS).probability[0] < 0.5 < load_reader()(OURS, hide=others).probability[0]


def test_a_reader_survives_the_disk(tmp_path):
    reader = load_reader()
    save_reader(reader, tmp_path / "mine.npz")
    again = load_reader(tmp_path / "mine.npz")
    assert all(
        np.array_equal(one, two) for one, two in zip(*map(dict.values, map(to_arrays, (reader, again))), strict=True)
    )
    np.testing.assert_array_equal(again(OURS).probability, reader(OURS).probability)
    np.savez(tmp_path / "half.npz", tokens=reader.tokens)
    with pytest.raises(ValueError, match=r"half.npz holds \['tokens'\]"):
        load_reader(tmp_path / "half.npz")
    with pytest.raises(FileNotFoundError):
        load_reader(tmp_path / "none.npz")
    np.savez(tmp_path / "shape.npz", **to_arrays(reader) | {"second.gain": np.ones(3)})
    with pytest.raises(ValueError, match=r"^second.gain has shape \(3,\).*wanted: \(24,\)"):
        load_reader(tmp_path / "shape.npz")


@pytest.mark.parametrize(
    ("tokens", "sentence"),
    [
        (OURS[0], r"has shape \(24,\)"),
        (OURS[:, :20], r"has shape \(1, 20\)"),
        (OURS.astype(float), "dtype float64"),
        (OURS + 50, "these reach from"),
        (OURS - 1, "these reach from -1"),
        (OURS[:0], r"\(0, 24\)"),
    ],
)
def test_tokens_that_are_no_reviews_are_named(hasty, tokens, sentence):
    for reads in (load_reader(), lambda t: predict(hasty[0], t)):
        with pytest.raises(ValueError, match=f"^tokens .*{sentence}"):
            reads(tokens)


@pytest.mark.parametrize(("argument", "value"), [("d_model", 0), ("n_heads", 0), ("seed", -1)])
def test_sizes_that_cannot_be_are_named(argument, value):
    with pytest.raises(ValueError, match=f"^{argument} "):
        build_reviewer(**{argument: value})


@pytest.mark.parametrize(("argument", "value"), [("steps", 3), ("pairs_per_step", 0), ("seed", -1)])
def test_recipes_that_cannot_be_are_named(hasty, argument, value):
    with pytest.raises(ValueError, match=f"^{argument} "):
        train(hasty[0], make_reviews(5), **RECIPE | {argument: value})


def test_the_shipped_files_are_small():
    assert (review_reader.DATA / "reviewer.npz").stat().st_size < 50_000


@pytest.mark.parametrize(
    ("rows", "labels", "given", "message"),
    [
        (3, 3, {}, r"^tokens has shape \(3, 24\).*an even number of rows"),
        (4, 2, {}, r"^labels has shape \(2,\).*\(4,\), one for each review"),
        (4, 4, {"learning_rate": "fast"}, "^learning_rate is 'fast'"),
        (4, 4, {"short_first": None}, "^short_first is None"),
    ],
)
def test_what_is_no_task_of_twins_is_refused(rows, labels, given, message):
    tokens, answers, reviews = make_reviews(2)
    task = Reviews(tokens[:rows], answers[:labels], reviews)
    with pytest.raises(ValueError, match=message):
        train(build_reviewer(), task, **RECIPE | given)


def test_more_heads_than_columns_are_refused():
    with pytest.raises(ValueError, match=r"^n_heads is 3"):
        build_reviewer(d_model=2, n_heads=3)
