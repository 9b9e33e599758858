"""One way to read and to change all three models: classifier, reviewer, encoder.

The same words mean the same in each of them.
"""

import math

import numpy as np
import pytest
from test_encoder import TINY

from course_utils.attention import scaled_dot_product_attention
from course_utils.layers import layer_norm
from course_utils.models.cls_reader import load_classifier
from course_utils.models.reading import probability_of_yes
from course_utils.models.review_reader import load_reader
from course_utils.tasks.cls_task import make_task
from course_utils.tasks.review_task import make_reviews

# name -> (model, what it reads: at least three sentences)
MODELS = {
    "classifier": (load_classifier("usual"), make_task(5, decoys=0.5).tokens),
    "reviewer": (load_reader(), make_reviews(3, seed=4).tokens),
    "encoder": (TINY, ["abcd", "efg", "dacbef"]),
}
CLOSE = {"rtol": 0, "atol": 2e-6}  # float32, and a sum in another order

each_model = pytest.mark.parametrize(("model", "sentences"), MODELS.values(), ids=MODELS)


def where(reading):
    """The sizes (batch, n_layers, n_heads, n) of a reading."""
    return reading.weights.shape[:4]


def assert_equal(one, two, **close):
    for name in ("hidden", "weights", *["probability"] * (one.probability is not None)):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), **CLOSE | close)


def changed(one, two):
    return np.abs(one.hidden - two.hidden).max() > 1e-3


@each_model
def test_a_reading_has_one_form(model, sentences):
    reading = model(sentences)
    batch, n_layers, n_heads, n = where(reading)
    assert batch == len(sentences) == len(reading.tokens) and n_layers == (1 if model is MODELS["classifier"][0] else 2)
    assert reading.weights.shape == (batch, n_layers, n_heads, n, n) and reading.mask.shape == (batch, n)
    assert reading.hidden.shape[:2] == (batch, n) and reading.mask.dtype == bool
    sums = np.broadcast_to(reading.mask[:, None, None], (batch, n_layers, n_heads, n))
    np.testing.assert_allclose(reading.weights.sum(axis=-1), sums, atol=1e-5)  # 0 in rows of padding
    assert not reading.hidden[~reading.mask].any()
    if model is not TINY:
        assert reading.probability.shape == (batch,) and ((reading.probability > 0) & (reading.probability < 1)).all()
        assert reading.probability.dtype == reading.hidden.dtype == reading.weights.dtype == np.float32


@each_model
def test_nothing_hidden_changes_nothing_and_no_change_lasts(model, sentences):
    plain = model(sentences)
    model(sentences, hide=[(0, 0)])
    for again in (model(sentences), model(sentences, hide=[]), model(sentences, weights={}), model(sentences, hide=())):
        assert_equal(plain, again, atol=0)


def test_the_answer_is_the_sigmoid_of_the_row_of_cls():
    hidden = np.array([[[0.0, 2.0], [9.0, 9.0]], [[1.0, 0.0], [9.0, 9.0]]])  # (batch, n, d_model)
    wanted = [1 / (1 + math.exp(-5)), 1 / (1 + math.exp(4))]  # logits: 2 * 3 - 1 and -3 - 1
    np.testing.assert_allclose(probability_of_yes(hidden, [-3.0, 3.0], [-1.0]), wanted, rtol=1e-12)
    with np.errstate(over="raise", invalid="raise"):
        assert probability_of_yes(hidden, [0.0, 1e4], [0.0])[0] == 1


# Another block


def by_hand(part, X, mask, attention):
    """The course's block, written anew: what a student's own looks like."""
    looked, weights = part.attention(X, mask=mask, attention=attention or scaled_dot_product_attention)
    X = layer_norm(X + looked, *part.norms[0], part.epsilon)
    if part.feed_forward:
        X = layer_norm(X + part.feed_forward(X), *part.norms[1], part.epsilon)
    return X, weights


@each_model
@pytest.mark.parametrize("name", ["nothing", "head", "edge", "weights"])
def test_a_block_written_anew_gives_the_same_and_meets_every_intervention(model, sentences, name):
    own = np.eye(where(model(sentences))[3])
    changes = {"head": {"hide": [(0, 0)]}, "edge": {"hide": [(0, 0, 1, 0)]}, "weights": {"weights": {0: own}}}
    change = changes.get(name, {})
    assert_equal(model(sentences, **change), model(sentences, **change, block=by_hand), atol=1e-5)


# Heads and edges


@each_model
def test_a_hidden_head_passes_on_nothing(model, sentences):
    _, n_layers, n_heads, n = where(model(sentences))

    def without_the_last_head(Q, K, V, mask):
        output, weights = scaled_dot_product_attention(Q, K, V, mask)
        output[:, -1] = 0
        return output, weights

    hidden = model(sentences, hide=[(n_layers - 1, n_heads - 1)])
    assert_equal(hidden, model(sentences, attention={n_layers - 1: without_the_last_head}))
    assert changed(hidden, model(sentences))
    uniform = {0: np.full(n, 1 / n)}
    assert changed(model(sentences, weights=uniform, hide=[(0, 0)]), model(sentences, weights=uniform))


@each_model
def test_none_names_every_layer_head_and_query(model, sentences):
    _, n_layers, n_heads, n = where(model(sentences))
    heads = [(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    edges = [(*head, query, 2) for head in heads for query in range(n)]
    for one, every in (
        ([(None, None)], heads),
        ([(0, None)], np.array(heads[:n_heads])),
        ([(None, None, None, 2)], edges),
        ([(0, None, None, 2)], edges[: n_heads * n]),
    ):
        assert_equal(model(sentences, hide=one), model(sentences, hide=every), atol=0)


@each_model
def test_a_hidden_edge_weighs_nothing_and_its_row_is_shared_anew(model, sentences):
    """By another attention too, which gets a mask."""
    plain, masks = model(sentences), []

    def attention(Q, K, V, mask):
        masks.append(mask)
        return scaled_dot_product_attention(Q, K, V, mask)

    cut = model(sentences, hide=[(0, 0, 1, 2)])
    wanted = plain.weights[:, 0].copy()
    wanted[:, 0, 1, 2] = 0
    wanted[:, 0, 1] /= wanted[:, 0, 1].sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(cut.weights[:, 0], wanted, **CLOSE)
    assert changed(plain, cut)
    assert_equal(model(sentences, hide=[(0, 0, 1, 2)], attention=attention), cut, atol=0)
    assert not masks[0][:, 0, 1, 2].any() and masks[0].dtype == bool


@each_model
def test_each_sentence_has_its_own_edge(model, sentences):
    """Reading the sentences together with arrays of positions is reading each with numbers, alone or not."""
    plain = model(sentences)
    n_layers, n = where(plain)[1], plain.mask.sum(axis=1).min()
    queries, keys = np.arange(len(sentences)) % n, np.arange(1, len(sentences) + 1) % n
    together = model(sentences, hide=[(n_layers - 1, None, queries, keys), (0, 0, 0, keys), (0, 0, queries, 1)])
    for i, (query, key) in enumerate(zip(queries, keys, strict=True)):
        single = [(n_layers - 1, None, int(query), int(key)), (0, 0, 0, int(key)), (0, 0, int(query), 1)]
        alone = model(sentences, hide=single)
        np.testing.assert_array_equal(together.hidden[i], alone.hidden[i])
        np.testing.assert_array_equal(together.weights[i], alone.weights[i])
    assert changed(together, plain)


# Weights


@each_model
def test_weights_that_are_given_mix_the_values(model, sentences):
    """As an attention function would that returns them; rows need not sum to 1."""
    plain = model(sentences)
    batch, n_layers, n_heads, n = where(plain)
    for shape in ((n,), (n, n), (batch, n_heads, n, n), (batch, 1, 1, n), (1, 1, n, n), (1, n)):
        weights = np.random.default_rng(0).uniform(size=shape)
        whole = np.broadcast_to(weights, (batch, n_heads, n, n)).astype(plain.hidden.dtype)
        given = model(sentences, weights={n_layers - 1: weights})
        mixed = model(sentences, attention={n_layers - 1: lambda Q, K, V, mask, w=whole: (w @ V, w)})
        assert_equal(given, mixed)
        assert changed(given, plain) and given.hidden.dtype == plain.hidden.dtype
        elsewhere = model(sentences, weights={n_layers - 1: weights}, attention=scaled_dot_product_attention)
        assert_equal(given, elsewhere)
    if n_layers == 1:
        assert_equal(model(sentences, weights=weights), given, atol=0)


# Bad input

A_PLACE, FITS = r".* \(layer, head\) or \(layer, head, query, key\)", ".* any axis but the last may be 1"
FOR_EACH, PAIR = r".* an array \(3,\) of them, one for each sentence", r".* a pair \(output, weights\)"
LAYER, HEAD, PLACE = ".* from 0 to 1$", ".* from 0 to 1$", ".* from 0 to 5"
BLIND = "in every row; row 0, 0, 1 has none"
ones = np.ones
WRONG = [  # of the encoder, which has two layers of two heads and reads three sentences of six tokens
    ({"hide": [(2, 0)]}, f"layer of hide is 2 {LAYER}"),
    ({"hide": [(0, 2)]}, f"head of hide is 2 {HEAD}"),
    ({"hide": [(0, True)]}, "head of hide is True"),
    ({"hide": [(0, 0, 0, 6)]}, f"key of hide is 6 {PLACE}"),
    ({"hide": [(0, 1, 2)]}, rf"a place of hide is \(0, 1, 2\) {A_PLACE}"),
    ({"hide": 3}, "hide is 3 .* a list"),
    ({"hide": [(0, 0, 1, key) for key in range(6)]}, f"hide, in layer 0, is .* at least one key .* {BLIND}"),
    ({"hide": [(0, 0, [1], 0)]}, rf"query of hide has shape \(1,\) {FOR_EACH}"),
    ({"hide": [(0, 0, np.full(3, 6), 0)]}, f"query of hide has {PLACE}"),
    ({"hide": [(0, 0, 1, 2)], "weights": {0: ones(6)}}, "hide is .* no edge in layer 0, whose weights are given"),
    ({"weights": {2: ones(1)}}, f"layer of weights is 2 {LAYER}"),
    ({"weights": {0: ones(5)}}, rf"weights of layer 0 has shape \(5,\) {FITS}"),
    ({"weights": {0: np.full(6, np.nan)}}, "weights of layer 0 has .* nan"),
    ({"weights": ones(6)}, "weights has shape .* a dict, layer -> array, with layers from 0 to 1"),
    ({"attention": {2: scaled_dot_product_attention}}, f"layer of attention is 2 {LAYER}"),
    ({"attention": lambda Q, K, V, mask: V}, f"what attention returned has shape {PAIR}"),
    ({"block": 3}, r"block is 3 \(int\); wanted: a function \(part, X, mask, attention\)"),
    ({"block": lambda part, X, mask, attention: (X, X)}, r"weights of block has shape \(3, 6, 8\).* \(3, 2, 6, 6\)"),
    ({"block": lambda part, X, mask, attention: (X * np.nan, X)}, "output of block .* finite"),
]


@pytest.mark.parametrize(("change", "says"), WRONG)
def test_a_change_that_does_not_fit_is_named(change, says):
    with pytest.raises(ValueError, match=f"^{says}"):
        TINY(MODELS["encoder"][1], **change)
