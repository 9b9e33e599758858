"""The encoder: equal to the official implementation, for every batch and length; honest about its files and input.

Tests that need the weights are skipped where the package of model.lock is not installed.
The others run on a tiny BERT of random numbers, against a second implementation without the course's functions.
"""

import ast
import math
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_utils.attention import merge_heads, scaled_dot_product_attention
from course_utils.checks.exercises import exercise_of
from course_utils.models import encoder as module
from course_utils.models.encoder import (
    FILES,
    STORED,
    build_encoder,
    good_in_the_review,
    load_encoder,
    stored_sentence,
    vectors_of,
    weights_folder,
)

# Token ids, last hidden states and all attentions of seven sentences, from transformers 5.23 with torch 2.13.
REFERENCE = np.load(Path(__file__).parent / "data" / "minilm_reference.npz", allow_pickle=False)
SENTENCES = [str(sentence) for sentence in REFERENCE["sentences"]]
TOOLS = "batched_attention", "split_heads", "layer_norm", "feed_forward"
HELPERS, ANSWERS = oracle.read()
RIGHT = {name: [one for one in ANSWERS if one["exercise"] == name and one["file"] == "right.jsonl"] for name in TOOLS}
with_weights = pytest.mark.skipif(weights_folder() is None, reason="the package of model.lock is not installed")

# A tiny BERT: 7 words, 6 positions, d_model 8, 2 heads, 2 layers.
DENSE = {
    "attention.self.query": (8, 8),
    "attention.self.key": (8, 8),
    "attention.self.value": (8, 8),
    "attention.output.dense": (8, 8),
    "intermediate.dense": (20, 8),
    "output.dense": (8, 20),
}


def tiny_tensors():
    rng = np.random.default_rng(5)
    shapes = {
        f"embeddings.{kind}_embeddings.weight": (n, 8) for kind, n in (("word", 7), ("position", 6), ("token_type", 2))
    }
    norms = ["embeddings"]
    for place in ("encoder.layer.0", "encoder.layer.1"):
        shapes |= {f"{place}.{name}.weight": shape for name, shape in DENSE.items()}
        shapes |= {f"{place}.{name}.bias": shape[:1] for name, shape in DENSE.items()}
        norms += [f"{place}.attention.output", f"{place}.output"]
    shapes |= {f"{name}.LayerNorm.{part}": (8,) for name in norms for part in ("weight", "bias")}
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}


class Letters:
    """A tokenizer for the tiny BERT: a is word 0, b is word 1, and so on; no special tokens."""

    def encode(self, text):
        return SimpleNamespace(ids=[ord(letter) - ord("a") for letter in text], tokens=list(text))


TENSORS = tiny_tensors()
TINY = build_encoder(TENSORS, Letters(), n_heads=2)
words = st.text("abcdefg", min_size=1, max_size=6)


@pytest.fixture(scope="module")
def encoder():
    return load_encoder()


# The same numbers as others


def written_anew(ids):
    """Hidden states and weights of the tiny BERT, without a function of the course."""

    def dense(X, name):
        return X @ TENSORS[f"{name}.weight"].T + TENSORS[f"{name}.bias"]

    def norm(X, name):
        X = (X - X.mean(axis=-1, keepdims=True)) / X.std(axis=-1, keepdims=True)
        return X * TENSORS[f"{name}.LayerNorm.weight"] + TENSORS[f"{name}.LayerNorm.bias"]

    words, places, kinds = (
        TENSORS[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "position", "token_type")
    )
    X = norm(words[ids] + places[: len(ids)] + kinds[0], "embeddings")
    gelu, weights = np.vectorize(lambda z: z * 0.5 * (1 + math.erf(z / math.sqrt(2)))), []
    for place in ("encoder.layer.0", "encoder.layer.1"):
        parts = (dense(X, f"{place}.attention.self.{name}") for name in ("query", "key", "value"))
        Q, K, V = (part.reshape(-1, 2, 4).swapaxes(0, 1) for part in parts)  # (2, n, 4)
        exponentials = np.exp(Q @ K.swapaxes(1, 2) / math.sqrt(4))
        weights.append(exponentials / exponentials.sum(axis=-1, keepdims=True))
        looked = (weights[-1] @ V).swapaxes(0, 1).reshape(X.shape)
        X = norm(X + dense(looked, f"{place}.attention.output.dense"), f"{place}.attention.output")
        wide = gelu(dense(X, f"{place}.intermediate.dense"))
        X = norm(X + dense(wide, f"{place}.output.dense"), f"{place}.output")
    return X, weights


@given(words)
def test_equals_an_encoder_written_anew(text):
    hidden, weights = written_anew([ord(letter) - ord("a") for letter in text])
    ours = TINY(text)
    assert ours.tokens == list(text) and ours.mask.all() and ours.mask.shape == (len(text),)
    assert ours.probability is None, "an encoder answers nothing"
    np.testing.assert_allclose(ours.hidden, hidden, atol=1e-5)  # gelu is right to 2e-7, and norms may enlarge that
    np.testing.assert_allclose(ours.weights, weights, atol=1e-5)


@with_weights
def test_equals_the_official_implementation_alone_and_in_a_batch(encoder):
    batch = encoder(SENTENCES)
    for i, sentence in enumerate(SENTENCES):
        alone, n = encoder(sentence), len(REFERENCE[f"ids_{i}"])
        assert [encoder.tokenizer.token_to_id(t) for t in alone.tokens] == REFERENCE[f"ids_{i}"].tolist()
        for hidden, weights in ((alone.hidden, alone.weights), (batch.hidden[i, :n], batch.weights[i, :, :, :n, :n])):
            assert np.abs(hidden - REFERENCE[f"hidden_{i}"]).max() < 1e-5
            assert np.abs(weights - REFERENCE[f"attention_{i}"]).max() < 1e-5
            assert hidden.dtype == weights.dtype == np.float32
        assert len(batch.tokens[i]) == n == batch.mask[i].sum()


@given(st.lists(words, min_size=1, max_size=4))
def test_a_batch_is_its_sentences_and_zeros(texts):
    batch = TINY(texts)
    hidden, weights = np.zeros_like(batch.hidden), np.zeros_like(batch.weights)
    for i, text in enumerate(texts):
        alone, n = TINY(text), len(text)
        assert batch.tokens[i] == alone.tokens and batch.mask[i].sum() == batch.mask[i, :n].sum() == n
        hidden[i, :n], weights[i, :, :, :n, :n] = alone.hidden, alone.weights
    assert hidden.shape == (len(texts), max(map(len, texts)), 8)
    np.testing.assert_allclose(batch.hidden, hidden, atol=1e-12)
    np.testing.assert_allclose(batch.weights, weights, atol=1e-12)


@with_weights
def test_as_many_tokens_as_there_are_positions_or_none(encoder):
    longest = encoder("cat " * 510)
    assert longest.hidden.shape == (512, 384) and longest.weights.shape == (6, 12, 512, 512)
    assert np.isfinite(longest.hidden).all() and np.allclose(longest.weights.sum(axis=-1), 1, atol=1e-5)
    with pytest.raises(ValueError, match=r"sentences is .* at most 512 tokens; this sentence has 513"):
        encoder("cat " * 511)
    assert encoder("").tokens == encoder(" \n").tokens == ["[CLS]", "[SEP]"]


# A student's own tools


def answer_of(one):
    """The answer that its code makes."""
    space = {"__name__": "answer"}
    exec(oracle.code_of(HELPERS, one), space)
    return space["answer"]


def lesson_19(**tools):
    """The functions of lesson 19 that put a block together from the student's tools, with these tools."""
    source = Path(__file__).parents[1] / "notebooks" / "source" / "19_real_encoder.py"
    wanted = [f for f in ast.parse(source.read_text("utf-8")).body if getattr(f, "name", "") in ("attend", "my_block")]
    space = {"np": np, "merge_heads": merge_heads} | {name: exercise_of(name).stand_in for name in TOOLS} | tools
    exec(compile(ast.Module(wanted, []), str(source), "exec"), space)
    return space["my_block"]


@pytest.mark.parametrize(("name", "i"), [(name, i) for name in TOOLS for i in range(len(RIGHT[name]))], ids=str)
def test_each_right_tool_runs_the_encoder_in_the_block_of_lesson_19(name, i):
    """And as the attention of the encoder, in any form that a pair may have."""
    answer, ours = answer_of(RIGHT[name][i]), TINY(["abc", "de"])
    theirs = [(1e-4, TINY(["abc", "de"], block=lesson_19(**{name: answer})))]
    packs = (tuple, list, lambda pair: [np.asarray(part).tolist() for part in pair])
    for pack in packs if name == "batched_attention" else ():
        attention = lambda *given, p=pack: p((answer(*given), scaled_dot_product_attention(*given).weights))  # noqa: E731
        theirs.append((1e-5, TINY(["abc", "de"], attention=attention)))
    for atol, reading in theirs:
        np.testing.assert_allclose(reading.hidden, ours.hidden, atol=atol)
        np.testing.assert_allclose(reading.weights, ours.weights, atol=1e-5)


# Files


def test_the_stored_rows_of_good_are_the_encoders(encoder):
    reading = encoder("The movie was not good, but the soundtrack was amazing.")
    tokens, rows = good_in_the_review()
    assert tokens == reading.tokens
    np.testing.assert_allclose(rows, reading.weights[:2, :, tokens.index("good")], atol=1e-5)


@pytest.mark.parametrize("text", STORED)
def test_the_stored_vectors_of_a_sentence_are_the_encoders_but_for_their_rounding(encoder, text):
    tokens, (Q, K, V) = stored_sentence(text)
    assert tokens == encoder(text).tokens
    for stored, own, error in zip((Q, K, V), vectors_of(encoder, text), (0.005, 0.005, 0.02), strict=True):
        np.testing.assert_allclose(stored, own, atol=error)
    np.testing.assert_allclose(scaled_dot_product_attention(Q, K, V).weights, encoder(text).weights, atol=2e-3)


def test_a_sentence_that_is_not_stored_is_refused():
    with pytest.raises(ValueError, match=r"^text is 'Good\.'"):
        stored_sentence("Good.")


def test_a_package_that_is_not_installed_says_what_to_do(monkeypatch):
    monkeypatch.setattr(module, "PACKAGE", "no_such_package")
    assert weights_folder() is None
    with pytest.raises(FileNotFoundError, match=r"not installed.*nox -s lab.*load_encoder"):
        load_encoder()


@with_weights
@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_and_one_other_byte_say_what_to_do(tmp_path, name):
    for other in FILES:
        shutil.copy(weights_folder() / other, tmp_path)
    assert load_encoder(str(tmp_path))("cat").tokens == ["[CLS]", "cat", "[SEP]"]
    content = bytearray((tmp_path / name).read_bytes())
    content[-1] ^= 1
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=f"{name} is not the file of the model.*nox -s lab.*load_encoder"):
        load_encoder(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(FileNotFoundError, match=rf"{name} is missing.*nox -s lab.*load_encoder"):
        load_encoder(tmp_path)
