"""The page's mathematics gives the numbers of course_utils.attention, computed by a real browser."""

import numpy as np
import pytest
from samples import any_classifier

from course_utils.attention import attention_scores, causal_mask, padding_mask, scaled_dot_product_attention, softmax
from course_utils.cls_reader import answer_with, cls_row, load_classifier
from course_utils.cls_task import make_task
from course_utils.explorables.assets import joined
from course_utils.explorables.base import written
from course_utils.explorables.traits import packed

INPUTS = 200
CLOSE = {"rtol": 0, "atol": 1e-6}


@pytest.fixture
def compute(page):
    """A function that gives each of many inputs to a JavaScript function of a module and returns the results."""

    def run(body, inputs, name="maths.js"):
        module = joined(name) + f"\nexport const asked = {body};"
        call = """async ([module, inputs]) => {
          const url = URL.createObjectURL(new Blob([module], { type: 'text/javascript' }));
          const { asked } = await import(url);
          return inputs.map(asked);
        }"""
        return page.evaluate(call, [module, inputs])

    return run


def drawn(seed):
    """Random Q (n_queries, d_k), K (n_keys, d_k), V (n_keys, d_v) of random sizes; some hold large numbers."""
    rng = np.random.default_rng(seed)
    n_queries, n_keys, d_k, d_v = rng.integers(1, 9, size=4)
    size = rng.choice([1, 1, 10, 300])
    return [size * rng.normal(size=shape) for shape in ((n_queries, d_k), (n_keys, d_k), (n_keys, d_v))]


def test_softmax(compute):
    rng = np.random.default_rng(0)
    rows = [rng.choice([1, 30, 800]) * rng.normal(size=rng.integers(1, 65)) for _ in range(INPUTS)]
    for row, weights in zip(rows, compute("softmax", [row.tolist() for row in rows]), strict=True):
        np.testing.assert_allclose(weights, softmax(row), **CLOSE)


@pytest.mark.parametrize("hide", [False, True], ids=["all to see", "masked"])
def test_attention(compute, hide):
    inputs = [drawn(seed) for seed in range(INPUTS)]
    masks = [causal_mask(len(Q), len(K)) if hide else None for Q, K, _ in inputs]
    asked = "({ Q, K, V, mask }) => attention(Q, K, V, { mask })"
    sent = [
        {"Q": Q.tolist(), "K": K.tolist(), "V": V.tolist(), "mask": mask if mask is None else mask.tolist()}
        for (Q, K, V), mask in zip(inputs, masks, strict=True)
    ]
    for (Q, K, V), mask, got in zip(inputs, masks, compute(asked, sent), strict=True):
        output, weights = scaled_dot_product_attention(Q, K, V, mask=mask)
        np.testing.assert_allclose(got["weights"], weights, **CLOSE)
        np.testing.assert_allclose(got["output"], output, **CLOSE)
        np.testing.assert_allclose(got["scores"], attention_scores(Q, K), rtol=1e-12, atol=1e-6)


def test_masks(compute):
    cases = [(n, causal, padding) for n in (1, 2, 7, 64) for causal in (False, True) for padding in range(min(n, 4))]
    asked = "([n, causal, padding]) => mayLook(n, causal, padding)"
    for (n, causal, padding), mask in zip(cases, compute(asked, cases), strict=True):
        wanted = (causal_mask(n) if causal else np.ones((n, n), dtype=bool)) & padding_mask([n - padding], n)[0]
        np.testing.assert_array_equal(mask, wanted)


def test_scale_given_and_left_out(compute):
    inputs = [drawn(seed)[:2] for seed in range(INPUTS)]
    sent = [{"Q": Q.tolist(), "K": K.tolist()} for Q, K in inputs]
    for (Q, K), scores in zip(inputs, compute("({ Q, K }) => attentionScores(Q, K, 0.3)", sent), strict=True):
        np.testing.assert_allclose(scores, attention_scores(Q, K, scale=0.3), rtol=1e-12, atol=1e-6)


def test_a_classifier_answers_and_looks_as_in_python(compute):
    """200 classifiers of other sizes, each with a sentence; then the trained one with 200 sentences."""
    rng = np.random.default_rng(0)
    cases = []
    for seed in range(INPUTS):
        vocab_size, seq_len, d_model, d_k, d_v = (int(n) for n in rng.integers([2, 1, 2, 1, 1], 12))
        tokens = rng.integers(0, vocab_size, size=seq_len)
        cases.append((any_classifier(seed, vocab_size, seq_len, d_model, d_k, d_v), tokens))
    trained = load_classifier("focused")
    cases += [(trained, tokens) for tokens in make_task(INPUTS, decoys=0.5, seed=5).tokens]
    sent = [
        {"c": {name: packed(array) for name, array in one._asdict().items()}, "tokens": tokens.tolist()}
        for one, tokens in cases
    ]
    asked = """({ c, tokens }) => readCls(
      Object.fromEntries(Object.entries(c).map(([name, array]) => [name, nested(array)])), tokens)"""
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


def test_entropy_and_size_of_the_gradient(compute):
    rows = [softmax(3 * np.random.default_rng(seed).normal(size=1 + seed % 40)) for seed in range(INPUTS)]
    rows[-2:] = [np.eye(4)[0], np.full(8, 1 / 8)]  # no share at all, and even shares
    asked = "(weights) => [entropy(weights), gradientSize(weights)]"
    for row, (bits, size) in zip(rows, compute(asked, [row.tolist() for row in rows]), strict=True):
        wanted = -sum(w * np.log2(w) for w in row if w > 0)
        largest = np.abs(np.diag(row) - np.outer(row, row)).max()  # of all derivatives, not of the diagonal alone
        np.testing.assert_allclose([bits, size], [wanted, largest], **CLOSE)


def test_numbers_are_written_as_python_writes_them(compute):
    rng = np.random.default_rng(1)
    ties = [0.125, -0.125, 2.675, 1.005, 0.5, 1.5, -0.0, -0.001, -0.004999, -0.005, 999999.995]
    for digits in (0, 1, 2, 3):
        numbers = [*ties, *(rng.normal(size=INPUTS) * rng.choice([0.01, 1, 1000], size=INPUTS))]
        shown = compute(f"(x) => written(x, {digits})", numbers, "elements.js")
        assert shown == [written(x, digits) for x in numbers]


def test_a_row_that_sees_nothing_is_an_error_and_no_nan(compute):
    asked = "(row) => { try { return softmax(row.map(() => -Infinity)); } catch (error) { return error.message; } }"
    assert "at least one key" in compute(asked, [[0, 0]])[0]
