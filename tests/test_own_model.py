"""A student's trained classifier: read whatever its layers are called, saved without pickle, and never in the way."""

from unittest.mock import Mock

import numpy as np
import pytest

from course_utils.models import cls_model
from course_utils.models.cls_model import keras, predict
from course_utils.models.cls_reader import Classifier, load_classifier, save_classifier
from course_utils.models.own_model import load_mine, save_mine, to_reader


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", str(tmp_path / "data"))
    return tmp_path


class Backwards(keras.layers.Layer):
    """As a student may write it: positions first, other names."""

    def __init__(self, vocab_size, seq_len, d_model):
        super().__init__()
        self.where = keras.layers.Embedding(seq_len, d_model)
        self.what = keras.layers.Embedding(vocab_size, d_model)

    def call(self, ids):
        return self.where(keras.ops.arange(ids.shape[1])) + self.what(ids)


def students(vocab_size=51, seq_len=7, d_model=8, heads=1):
    tokens = keras.Input((seq_len,), dtype="int32")
    X = Backwards(vocab_size, seq_len, d_model)(tokens)
    output, _ = keras.layers.MultiHeadAttention(heads, d_model)(X, X, return_attention_scores=True)
    X = keras.layers.LayerNormalization(epsilon=1e-6)(X + output)
    return keras.Model(tokens, keras.layers.Dense(1, activation="sigmoid", name="yes")(X[:, 0]))


def shaken(model, seed=0):
    """Give a model weights that are no longer the first ones: biases too."""
    rng = np.random.default_rng(seed)
    model.set_weights([rng.normal(size=array.shape) for array in model.get_weights()])
    return model


@pytest.mark.parametrize(
    ("build", "sizes"), [(students, (51, 7, 8)), (students, (9, 12, 3)), (cls_model.build_classifier, (7, 7, 4))]
)  # with as many tokens as positions, those that come first are the tokens
def test_a_students_model_becomes_arrays_that_answer_alike(build, sizes):
    model = shaken(build(*sizes))
    tokens = np.random.default_rng(1).integers(0, sizes[0], (40, sizes[1]))
    reading = to_reader(model)(tokens)
    np.testing.assert_allclose(reading.probability, predict(model, tokens), atol=1e-5)
    np.testing.assert_allclose(reading.weights[:, 0, 0], cls_model.attention_weights(model, tokens), atol=1e-5)
    assert to_reader(model).n_weights == model.count_params()


def test_a_model_with_other_weights_is_refused():
    tokens = keras.Input((7,))
    other = keras.Model(tokens, keras.layers.Dense(1)(keras.layers.Embedding(9, 2)(tokens)))
    for model in (other, students(heads=2)):
        with pytest.raises(ValueError, match=r"^model is .*wanted: the weights of a .* with one head"):
            to_reader(model)
    with pytest.raises(ValueError, match=r"^model is .*wanted: one layer of MultiHeadAttention"):
        cls_model.attention_weights(other, [[0] * 7])


def test_what_is_saved_comes_back_and_the_one_before_is_kept(place, capsys):
    first, second = shaken(students(), 1), shaken(students(), 2)
    save_mine(first)
    save_mine(second)
    assert same(load_mine(), to_reader(second))
    assert same(load_classifier(place / "my_classifier_before.npz"), to_reader(first))
    assert capsys.readouterr().out.splitlines() == [
        *["my_classifier: trained, 777 weights, now in my_classifier.npz"] * 2,
        "your model, from my_classifier.npz",
    ]
    assert sorted(path.name for path in place.iterdir()) == ["my_classifier.npz", "my_classifier_before.npz"]


def same(one, other):
    return all(map(np.array_equal, one, other))


def test_without_a_saved_model_the_courses_is_there(place, capsys):
    assert same(load_mine(), load_classifier("usual"))
    save_mine(load_classifier("focused"), "my_focused")
    assert same(load_mine("my_focused", instead="usual"), load_classifier("focused"))
    (place / "my_focused.npz").unlink()
    assert same(load_mine("my_focused", instead="focused"), load_classifier("focused"))
    said = capsys.readouterr().out.splitlines()
    assert [said[0], said[-1]] == [
        f"the course's model, until yours is saved as my_{x}" for x in ("classifier", "focused")
    ]


NOT_FINITE = load_classifier()._replace(b_O=np.full(8, np.nan))
DAMAGE = {
    "cut in half": lambda path: path.write_bytes(path.read_bytes()[:1000]),
    "a text": lambda path: path.write_text("my model"),
    "pickled": lambda path: np.savez(path, **dict.fromkeys(Classifier._fields, np.array([None]))),
    "not a number": lambda path: save_classifier(NOT_FINITE, path),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "has 20 tokens and 9 positions, not 51 tokens and 7 positions": lambda path: save_mine(students(20, 9)),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_file_that_cannot_be_used_falls_back_to_the_courses_with_a_sentence_and_stays(place, capsys, damage):
    save_mine(students(d_model=16))
    assert load_mine().tokens.shape == (51, 16)  # longer vectors are the student's own choice
    DAMAGE[damage](place / "my_classifier.npz")
    assert same(load_mine(), load_classifier("usual"))
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("the course's model, since ") and said.endswith(".") and "my_classifier.npz" in said
    assert (place / "my_classifier.npz").exists() and ("20 tokens" not in damage or damage in said)


@pytest.mark.parametrize("off", ["off", "solved", "refused"])
def test_nothing_is_read_or_written_where_nothing_can_be(place, monkeypatch, capsys, off):
    save_classifier(load_classifier("focused"), place / "my_classifier.npz")
    before = (place / "my_classifier.npz").read_bytes()
    if off == "refused":
        refuse = Mock(side_effect=PermissionError(13, "Permission denied"))
        monkeypatch.setattr("course_utils.models.own_model.save_classifier", refuse)
    elif off == "off":
        monkeypatch.setenv("LEARNING_TO_LOOK_DATA", "off")
    else:
        (place / "solved_attention.py").write_text("")
    save_mine(students())
    assert (place / "my_classifier.npz").read_bytes() == before
    said = capsys.readouterr().out
    if off == "refused":
        assert "my_classifier.npz cannot be written: Permission denied." in said
    else:
        assert said == "my_classifier: trained, 777 weights\n" and same(load_mine(), load_classifier("usual"))


def test_a_name_is_one_word_and_what_is_no_classifier_is_not_saved(place):
    for name in ("../mine", "my model", "", None, "a.npz"):
        with pytest.raises(ValueError, match=r"^name is"):
            save_mine(students(), name)
        with pytest.raises(ValueError, match=r"^name is"):
            load_mine(name)
    with pytest.raises(ValueError, match=r"^W_Q .*wanted|^model|^W_O"):
        save_mine(load_classifier()._replace(W_Q=np.ones((3, 3))))
    assert list(place.iterdir()) == []
