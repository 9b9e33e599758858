"""The encoder: equal to the official implementation, for every batch and length; honest about its files and input.

Tests that need the weights are skipped where the package of model.lock is not installed.
The others run on a tiny BERT of random numbers, against a second implementation that loops over tokens
in double precision.
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

from course_utils import encoder as module
from course_utils.attention import scaled_dot_product_attention
from course_utils.checks.exercises import exercise_of
from course_utils.encoder import FILES, build_encoder, load_encoder, weights_folder

# Token ids, last hidden states and all attentions of seven sentences, from transformers 5.23 with torch 2.13.
REFERENCE = np.load(Path(__file__).parent / "data" / "minilm_reference.npz", allow_pickle=False)
SENTENCES = [str(sentence) for sentence in REFERENCE["sentences"]]
TOOLS = "batched_attention", "split_heads", "merge_heads", "layer_norm", "feed_forward"
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


def by_loops(ids):
    """Hidden states and weights of the tiny BERT, one number after the other."""

    def dense(x, name):
        weight, bias = TENSORS[f"{name}.weight"], TENSORS[f"{name}.bias"]
        return [
            sum(w * number for w, number in zip(row, x, strict=True)) + b for row, b in zip(weight, bias, strict=True)
        ]

    def norm(x, name):
        mean = sum(x) / len(x)
        spread = math.sqrt(sum((number - mean) ** 2 for number in x) / len(x))
        gain, bias = TENSORS[f"{name}.LayerNorm.weight"], TENSORS[f"{name}.LayerNorm.bias"]
        return [(number - mean) / spread * g + b for number, g, b in zip(x, gain, bias, strict=True)]

    def look(q, keys, values):
        scores = [math.exp(sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q))) for k in keys]
        row = [score / sum(scores) for score in scores]
        return [sum(w * v[c] for w, v in zip(row, values, strict=True)) for c in range(len(q))], row

    word, position, kind = (
        TENSORS[f"embeddings.{part}_embeddings.weight"] for part in ("word", "position", "token_type")
    )
    X = [norm(word[i] + position[place] + kind[0], "embeddings") for place, i in enumerate(ids)]
    weights = np.zeros((2, 2, len(ids), len(ids)))
    for layer in range(2):
        place = f"encoder.layer.{layer}"
        Q, K, V = ([dense(x, f"{place}.attention.self.{part}") for x in X] for part in ("query", "key", "value"))
        looked = [[] for _ in X]
        for head, part in enumerate((slice(0, 4), slice(4, 8))):
            for i, q in enumerate(Q):
                output, weights[layer, head, i] = look(q[part], [k[part] for k in K], [v[part] for v in V])
                looked[i] += output
        for i, x in enumerate(X):
            seen = np.add(x, dense(looked[i], f"{place}.attention.output.dense"))
            x = norm(seen, f"{place}.attention.output")
            wide = [n * 0.5 * (1 + math.erf(n / math.sqrt(2))) for n in dense(x, f"{place}.intermediate.dense")]
            X[i] = norm(np.add(x, dense(wide, f"{place}.output.dense")), f"{place}.output")
    return np.array(X), weights


@given(words)
def test_equals_an_encoder_that_loops(text):
    hidden, weights = by_loops([ord(letter) - ord("a") for letter in text])
    ours = TINY(text)
    assert ours.tokens == list(text) and ours.mask.all() and ours.mask.shape == (len(text),)
    assert ours.probability is None, "an encoder answers nothing"
    np.testing.assert_allclose(ours.hidden, hidden, atol=1e-5)  # gelu is right to 2e-7, and norms may enlarge that
    np.testing.assert_allclose(ours.weights, weights, atol=1e-5)


@with_weights
@pytest.mark.parametrize("number", range(len(SENTENCES)), ids=SENTENCES)
def test_equals_the_official_implementation(encoder, number):
    reading = encoder(SENTENCES[number])
    np.testing.assert_array_equal(
        [encoder.tokenizer.token_to_id(t) for t in reading.tokens], REFERENCE[f"ids_{number}"]
    )
    assert np.abs(reading.hidden - REFERENCE[f"hidden_{number}"]).max() < 1e-5
    assert np.abs(reading.weights - REFERENCE[f"attention_{number}"]).max() < 1e-5
    assert reading.hidden.dtype == reading.weights.dtype == np.float32


@with_weights
def test_equals_the_official_implementation_in_a_batch(encoder):
    batch = encoder(SENTENCES)
    for i, n in enumerate(batch.mask.sum(axis=1)):
        assert len(batch.tokens[i]) == n == len(REFERENCE[f"ids_{i}"])
        assert np.abs(batch.hidden[i, :n] - REFERENCE[f"hidden_{i}"]).max() < 1e-5
        assert np.abs(batch.weights[i, :, :, :n, :n] - REFERENCE[f"attention_{i}"]).max() < 1e-5


# Batches and lengths


@given(st.lists(words, min_size=1, max_size=4))
def test_a_batch_is_its_sentences_and_zeros(texts):
    batch = TINY(texts)
    longest = max(map(len, texts))
    assert batch.hidden.shape == (len(texts), longest, 8) and batch.weights.shape == (
        len(texts),
        2,
        2,
        longest,
        longest,
    )
    for i, text in enumerate(texts):
        alone, n = TINY(text), len(text)
        assert batch.tokens[i] == alone.tokens and batch.mask[i].tolist() == [j < n for j in range(longest)]
        np.testing.assert_allclose(batch.hidden[i, :n], alone.hidden, atol=1e-12)
        np.testing.assert_allclose(batch.weights[i, :, :, :n, :n], alone.weights, atol=1e-12)
        assert not batch.hidden[i, n:].any() and not batch.weights[i, :, :, n:].any()
        assert not batch.weights[i, :, :, :, n:].any()


@with_weights
def test_as_many_tokens_as_there_are_positions(encoder):
    longest = encoder("cat " * 510)
    assert longest.hidden.shape == (512, 384) and longest.weights.shape == (6, 12, 512, 512)
    assert np.isfinite(longest.hidden).all() and np.allclose(longest.weights.sum(axis=-1), 1, atol=1e-5)
    with pytest.raises(ValueError, match=r"sentences is .* at most 512 tokens; this sentence has 513"):
        encoder("cat " * 511)


@with_weights
def test_a_text_without_words_is_two_tokens(encoder):
    assert encoder("").tokens == encoder(" \n").tokens == ["[CLS]", "[SEP]"]


# Another attention


def test_the_attention_of_a_student_takes_the_place_of_the_course_s():
    seen = []

    def attention(Q, K, V, mask):
        seen.append((Q.shape, mask.shape))
        return scaled_dot_product_attention(Q, K, V, mask)

    ours, theirs = TINY(["abc", "de"]), TINY(["abc", "de"], attention=attention)
    np.testing.assert_array_equal(ours.hidden, theirs.hidden)
    np.testing.assert_array_equal(ours.weights, theirs.weights)
    assert seen == [((2, 2, 3, 4), (2, 1, 1, 3))] * 2
    TINY("abc", attention=attention)
    assert seen[2:] == [((1, 2, 3, 4), (1, 1, 1, 3))] * 2


@pytest.mark.parametrize("number", range(len(RIGHT["batched_attention"])))
@pytest.mark.parametrize("pack", [tuple, list, lambda pair: [np.asarray(part).tolist() for part in pair]])
def test_every_answer_that_its_check_calls_right_runs_the_encoder(number, pack):
    answer = made(RIGHT["batched_attention"][number])

    def attention(*given):
        return pack((answer(*given), scaled_dot_product_attention(*given).weights))

    theirs, ours = TINY(["abc", "de"], attention=attention), TINY(["abc", "de"])
    np.testing.assert_allclose(theirs.hidden, ours.hidden, atol=1e-5)
    np.testing.assert_allclose(theirs.weights, ours.weights, atol=1e-5)


def made(one):
    """The answer that its code makes."""
    space = {"__name__": "answer"}
    exec(oracle.code_of(HELPERS, one), space)
    return space["answer"]


def lesson_18(**tools):
    """The functions of lesson 18 that put a block together from the student's tools, with these tools."""
    source = Path(__file__).parents[1] / "notebooks" / "source" / "18_real_encoder.py"
    wanted = [f for f in ast.parse(source.read_text("utf-8")).body if getattr(f, "name", "") in ("attend", "my_block")]
    space = {"np": np} | {name: exercise_of(name).stand_in for name in TOOLS} | tools
    exec(compile(ast.Module(wanted, []), str(source), "exec"), space)
    return space["my_block"]


@pytest.mark.parametrize(("name", "i"), [(name, i) for name in TOOLS for i in range(len(RIGHT[name]))], ids=str)
def test_each_right_tool_runs_the_encoder_in_the_block_of_lesson_18(name, i):
    theirs = TINY(["abc", "de"], block=lesson_18(**{name: made(RIGHT[name][i])}))
    ours = TINY(["abc", "de"])
    np.testing.assert_allclose(theirs.hidden, ours.hidden, atol=1e-4)
    np.testing.assert_allclose(theirs.weights, ours.weights, atol=1e-5)


@pytest.mark.parametrize("name", TOOLS)
def test_a_wrong_tool_changes_what_the_encoder_says_in_the_block_of_lesson_18(name):
    right = exercise_of(name).stand_in
    wrong = TINY("abc", block=lesson_18(**{name: lambda *given, **named: 0.9 * np.asarray(right(*given, **named))}))
    assert np.abs(wrong.hidden - TINY("abc").hidden).max() > 1e-3


# What all models share, hiding and giving weights, is tested in test_reading.py


def test_edges_hide_in_a_padded_batch_too():
    cut = TINY(["abcd", "ef"], hide=[(1, 0, 0, 1), (1, 0, 1, 0)])
    alone = TINY("ef", hide=[(1, 0, 0, 1), (1, 0, 1, 0)])
    assert not cut.weights[:, 1, 0, 0, 1].any() and not cut.weights[:, 1, 0, 1, 0].any()
    np.testing.assert_allclose(cut.hidden[1, :2], alone.hidden, atol=1e-12)


# Bad input


@pytest.mark.parametrize(
    ("sentences", "says"),
    [
        (None, "sentences is None"),
        (3, "sentences is 3"),
        (b"abc", "sentences is b'abc'"),
        ([], "at least one sentence"),
        ({"abc"}, "sentences is {'abc'}"),
        (["abc", 3], "sentences is 3"),
        ([["a"]], r"sentences is \['a'\]"),
        ("a\ud800", "as text"),
        (["abcdefg"], "at most 6 tokens; this sentence has 7"),
    ],
    ids=str,
)
def test_what_is_no_sentence_is_named(sentences, says):
    with pytest.raises(ValueError, match=says):
        TINY(sentences)


# Files


def test_a_package_that_is_not_installed_says_what_to_do(monkeypatch):
    monkeypatch.setattr(module, "PACKAGE", "no_such_package")
    assert weights_folder() is None
    with pytest.raises(FileNotFoundError, match=r"not installed.*nox -s lab.*load_encoder"):
        load_encoder()


def test_a_missing_or_altered_file_says_what_to_do(tmp_path):
    for name in FILES:
        with pytest.raises(FileNotFoundError, match=rf"{name} is missing.*nox -s lab.*load_encoder"):
            module._read(tmp_path / name, FILES[name])
        (tmp_path / name).write_bytes(b"other numbers")
        with pytest.raises(ValueError, match=rf"{name} is not the file of the model.*nox -s lab.*load_encoder"):
            module._read(tmp_path / name, FILES[name])


@with_weights
@pytest.mark.parametrize("name", FILES)
def test_one_byte_is_enough(tmp_path, name):
    for other in FILES:
        shutil.copy(weights_folder() / other, tmp_path)
    assert load_encoder(str(tmp_path))("cat").tokens == ["[CLS]", "cat", "[SEP]"]
    content = bytearray((tmp_path / name).read_bytes())
    content[-1] ^= 1
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=f"{name} is not the file of the model"):
        load_encoder(tmp_path)


def test_a_file_of_another_model_is_named():
    with pytest.raises(ValueError, match=r"encoder\.layer\.1\.output\.dense\.bias is missing"):
        build_encoder({k: v for k, v in TENSORS.items() if k != "encoder.layer.1.output.dense.bias"}, Letters(), 2)
