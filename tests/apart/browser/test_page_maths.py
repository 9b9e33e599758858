"""The page's mathematics gives the numbers of course_utils.attention, computed by a real browser."""

import numpy as np
import pytest
from random_writer import random_writer
from samples import any_classifier

from course_utils.attention import attention_scores, causal_mask, scaled_dot_product_attention
from course_utils.explorables.base import format_number
from course_utils.explorables.traits import pack_array
from course_utils.layers import gelu
from course_utils.models.cls_reader import answer_with, cls_row, load_classifier
from course_utils.models.writer_reader import from_arrays, to_arrays
from course_utils.tasks.cls_task import make_task

INPUTS = 200
CLOSE = {"rtol": 0, "atol": 1e-6}


def packed(arrays):
    return {name: pack_array(array) for name, array in arrays.items()}


@pytest.mark.parametrize("hide", [False, True], ids=["all to see", "masked"])
@pytest.mark.parametrize("scale", [None, 0.3])
def test_attention(compute, hide, scale):
    """Random sizes, up to 64 keys; some numbers are so large that the exponential overflows."""
    cases, sent = [], []
    for seed in range(INPUTS):
        rng = np.random.default_rng(seed)
        n_queries, n_keys, d_k, d_v = rng.integers(1, [9, 65 if seed % 8 == 0 else 9, 9, 9])
        sizes = (n_queries, d_k), (n_keys, d_k), (n_keys, d_v)
        Q, K, V = (rng.choice([1, 10, 300]) * rng.normal(size=size) for size in sizes)
        mask = causal_mask(n_queries, n_keys) if hide else None
        cases.append((Q, K, V, mask))
        options = {"mask": None if mask is None else mask.tolist()} | ({} if scale is None else {"scale": scale})
        sent.append([Q.tolist(), K.tolist(), V.tolist(), options])
    for (Q, K, V, mask), got in zip(cases, compute("(all) => attention(...all)", sent), strict=True):
        output, weights = scaled_dot_product_attention(Q, K, V, mask, scale)
        np.testing.assert_allclose(got["weights"], weights, **CLOSE)
        np.testing.assert_allclose(got["output"], output, **CLOSE)
        np.testing.assert_allclose(got["scores"], attention_scores(Q, K, scale), rtol=1e-12, atol=1e-6)


def test_a_row_that_sees_nothing_is_an_error_and_no_nan(compute):
    asked = "(row) => { try { return softmax(row.map(() => -Infinity)); } catch (error) { return error.message; } }"
    assert "at least one key" in compute(asked, [[0, 0]])[0]


def test_a_classifier_answers_and_looks_as_in_python(compute):
    """200 classifiers of other sizes, each with a sentence; then the trained one with 200 sentences."""
    rng, cases = np.random.default_rng(0), []
    for seed in range(INPUTS):
        vocab_size, seq_len, *sizes = (int(n) for n in rng.integers([2, 1, 2, 1, 1], 12))
        cases.append((any_classifier(seed, vocab_size, seq_len, *sizes), rng.integers(0, vocab_size, size=seq_len)))
    trained = load_classifier("focused")
    cases += [(trained, tokens) for tokens in make_task(INPUTS, decoys=0.5, seed=5).tokens]
    asked = """({ c, tokens }) => readCls(
      Object.fromEntries(Object.entries(c).map(([name, array]) => [name, nested(array)])), tokens)"""
    sent = [{"c": packed(one._asdict()), "tokens": tokens.tolist()} for one, tokens in cases]
    answers = []
    for (one, tokens), got in zip(cases, compute(asked, sent), strict=True):
        exact = one._replace(**{name: array.astype(float) for name, array in one._asdict().items()})
        # The page computes in double precision. Single precision in Python is as close where the weights are those of a
        # trained model, not where random ones make scores of 60: there it is off by 1e-6 itself.
        for classifier in (exact, one) if one is trained else (exact,):
            np.testing.assert_allclose(got["row"], cls_row(classifier, tokens[None])[0], **CLOSE)
            np.testing.assert_allclose(got["answer"], answer_with(classifier, tokens[None])[0], **CLOSE)
        answers.append(got["answer"])
    assert min(answers) < 0.01 and max(answers) > 0.99


def test_gelu(compute):
    normal = np.random.default_rng(0).normal(size=INPUTS)
    numbers = np.concatenate([np.linspace(-12, 12, 401), normal, [-1e6, -60, 0, 60, 1e6]])
    np.testing.assert_allclose(compute("(x) => gelu(x)", numbers.tolist()), gelu(numbers), rtol=1e-12, atol=1e-12)


def test_a_writer_of_any_size_reads_as_in_python(compute):
    """All scores and all weights, with heads cut, of writers whose sizes differ on every axis."""
    rng, sent, wanted = np.random.default_rng(0), [], []
    for seed in range(30):
        n_heads, width, d_model, d_wide, n_words, n = (int(x) for x in rng.integers([1, 1, 2, 1, 3, 1], 9))
        sizes = {"heads": n_heads * width, "d_model": d_model, "d_wide": d_wide, "n_words": n_words}
        arrays = to_arrays(random_writer(seed, n_heads, n_positions=n, **sizes))
        arrays = {name: array.astype("float32") for name, array in arrays.items()}  # the numbers that the page gets
        writer = from_arrays({name: array.astype(float) for name, array in arrays.items()})
        tokens = rng.choice([token for token in range(n_words) if token != 1], size=rng.integers(1, n + 1))  # 1: [PAD]
        share = rng.choice([0, 0.3, 0.3, 1])
        hide = [[layer, head] for layer in range(2) for head in range(n_heads) if rng.random() < share]
        sent.append({"arrays": packed(arrays), "tokens": tokens.tolist(), "hide": hide})
        reading = writer(tokens[None], hide=hide)
        wanted.append((writer.next_scores(reading.hidden)[0, -1], reading.weights[0]))
    asked = "({ arrays, tokens, hide }) => readWriter(unpackStack(arrays), tokens, hide)"
    for (scores, weights), got in zip(wanted, compute(asked, sent, "writer_reader.js"), strict=True):
        np.testing.assert_allclose(got["scores"], scores, rtol=1e-9, atol=1e-6)
        np.testing.assert_allclose(got["weights"], weights, **CLOSE)


def test_numbers_are_written_as_python_writes_them(compute):
    rng = np.random.default_rng(1)
    ties = [0.125, -0.125, 2.675, 1.005, 0.5, 1.5, -0.0, -0.001, -0.004999, -0.005, 999999.995]
    for digits in (0, 1, 2, 3):
        numbers = [*ties, *(rng.normal(size=INPUTS) * rng.choice([0.01, 1, 1000], size=INPUTS))]
        shown = compute(f"(x) => written(x, {digits})", numbers, "elements.js")
        assert shown == [format_number(x, digits) for x in numbers]
