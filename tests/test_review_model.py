"""The Keras reviewer and its reader in NumPy: the same numbers, looks that are cut, and a recipe that learns.

Figures of training are asserted as bands, never as digits. One seed here; `nox -s review_study` runs ten.
"""

import numpy as np
import pytest

from course_utils import review_reader
from course_utils.review_model import (
    RECIPE,
    ROUNDS,
    attention_weights,
    build_reviewer,
    predict,
    to_reader,
    train,
)
from course_utils.review_reader import cut_looks, load_reader, load_study, read, save_reader
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
    model, rounds = build_reviewer(seed=3), []
    losses = train(model, make_reviews(20_000, seed=3), **RECIPE, seed=3, on_round=lambda n, logs: rounds.append(n))
    assert rounds == list(range(ROUNDS)) and losses[-1] < 0.05 < losses[0]
    for split in ("held out", "new pairs"):
        test = make_reviews(1000, split=split, seed=10_000)
        hits = right(predict(model, test.tokens), test.labels)
        assert hits.mean() >= 0.99 and hits.reshape(-1, 2).all(axis=1).mean() >= 0.99
    assert predict(model, OURS)[0] < 0.5


def test_the_reader_gives_the_numbers_of_keras(hasty):
    model, _ = hasty
    tokens = make_reviews(200, seed=9).tokens
    reading, (first, second) = read(to_reader(model), tokens), attention_weights(model, tokens)
    assert reading.first.shape == (400, 3, SEQ_LEN, SEQ_LEN) and reading.second.shape == (400, 3, 1, SEQ_LEN)
    np.testing.assert_allclose(reading.probability, predict(model, tokens), atol=1e-5)
    np.testing.assert_allclose(reading.first, first, atol=1e-5)
    np.testing.assert_allclose(reading.second, second, atol=1e-5)
    assert reading.probability.std() > 1e-3, "an untrained model would give all reviews the same answer"


def test_the_shipped_reader_gives_the_numbers_of_keras_too():
    reader, model = load_reader(), build_reviewer()
    arrays = [reader.tokens]
    for layer in (reader.first, reader.second):
        heads = (reader.tokens.shape[1], int(layer.n_heads), -1)
        for name in "QKV":
            arrays += [getattr(layer, f"W_{name}").reshape(heads), getattr(layer, f"b_{name}").reshape(heads[1:])]
        arrays += [layer.W_O.reshape(*heads[1:], heads[0]), layer.b_O, layer.gain, layer.bias]
    model.set_weights([*arrays, reader.answer[:, None], reader.answer_bias])
    tokens = make_reviews(200, split="held out", seed=9).tokens
    reading, (first, second) = read(reader, tokens), attention_weights(model, tokens)
    np.testing.assert_allclose(reading.probability, predict(model, tokens), atol=1e-5)
    np.testing.assert_allclose(reading.first, first, atol=1e-5)
    np.testing.assert_allclose(reading.second, second, atol=1e-5)


@pytest.mark.parametrize("split", ["held out", "new pairs"])
def test_the_shipped_reader_reads(split):
    test = make_reviews(1000, split=split, seed=77)
    hits = right(read(load_reader(), test.tokens).probability, test.labels)
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
    reading = read(to_reader(hasty[0]), OURS)
    for weights in (reading.first, reading.second):
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)
        assert (weights[..., OURS[0] == PAD] == 0).all()


def test_a_cut_look_weighs_nothing_and_all_others_stay():
    plain, changed = read(load_reader(), OURS), read(load_reader(), OURS, cut_looks([5], [4]))
    assert (plain.first[0, :, 5, 4] > 0).all() and (changed.first[0, :, 5, 4] == 0).all()
    others = np.arange(SEQ_LEN) != 5
    np.testing.assert_array_equal(plain.first[0][:, others], changed.first[0][:, others])
    shares = plain.first[0, :, 5] * (np.arange(SEQ_LEN) != 4)
    np.testing.assert_allclose(changed.first[0, :, 5], shares / shares.sum(-1, keepdims=True), atol=1e-6)


def test_masks_of_one_review_and_of_all_are_the_same():
    tokens = make_reviews(3, seed=4).tokens
    mask = cut_looks([5], [4])[0]
    one, each = read(load_reader(), tokens, mask), read(load_reader(), tokens, np.stack([mask] * 6))
    np.testing.assert_array_equal(one.probability, each.probability)
    last = np.ones((1, SEQ_LEN), dtype=bool)
    last[0, 4] = False
    assert (read(load_reader(), tokens, second=last).second[..., 4] == 0).all()


def test_the_verdict_hangs_on_the_negation():
    """Hidden from all the others in both layers, a negation no longer turns the verdict."""
    hidden, last = np.ones((SEQ_LEN, SEQ_LEN), dtype=bool), np.ones((1, SEQ_LEN), dtype=bool)
    hidden[:, 4] = last[:, 4] = False
    hidden[4, 4] = True
    assert read(load_reader(), OURS).probability[0] < 0.5 < read(load_reader(), OURS, hidden, last).probability[0]


def test_a_reader_survives_the_disk(tmp_path):
    reader = load_reader()
    save_reader(reader, tmp_path / "mine.npz")
    again = load_reader(tmp_path / "mine.npz")
    np.testing.assert_array_equal(read(again, OURS).probability, read(reader, OURS).probability)
    np.savez(tmp_path / "half.npz", tokens=reader.tokens)
    with pytest.raises(ValueError, match=r"half.npz holds \['tokens'\]"):
        load_reader(tmp_path / "half.npz")
    with pytest.raises(FileNotFoundError):
        load_reader(tmp_path / "none.npz")


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
    for reads in (lambda t: read(load_reader(), t), lambda t: predict(hasty[0], t)):
        with pytest.raises(ValueError, match=f"^tokens .*{sentence}"):
            reads(tokens)


@pytest.mark.parametrize("name", ["first", "second"])
def test_masks_that_do_not_fit_are_named(name):
    for mask in (np.ones((3, 3), dtype=bool), np.ones((SEQ_LEN, SEQ_LEN)), np.ones((2, 1, SEQ_LEN), dtype=bool)):
        with pytest.raises(ValueError, match=f"^{name} .*bool, True = may look"):
            read(load_reader(), OURS, **{name: mask})


@pytest.mark.parametrize(
    ("queries", "keys", "name"), [([-1], [2], "queries"), ([2], [24], "keys"), ([2, 3], [4], "keys"), (2, 3, "queries")]
)
def test_looks_that_are_nowhere_are_named(queries, keys, name):
    with pytest.raises(ValueError, match=f"^{name} .*positions from 0 to 23"):
        cut_looks(queries, keys)


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
