"""One way to read and to change all three models: classifier, reviewer, encoder.

The same words mean the same in each of them.
"""

import math

import numpy as np
import pytest
from test_encoder import TINY

from course_utils.attention import scaled_dot_product_attention
from course_utils.cls_reader import load_classifier
from course_utils.cls_task import make_task
from course_utils.layers import layer_norm
from course_utils.reading import probability_of_yes
from course_utils.review_reader import load_reader
from course_utils.review_task import make_reviews

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
    for name in ("hidden", "weights"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), **CLOSE | close)
    assert (one.probability is None) == (two.probability is None)
    if one.probability is not None:
        np.testing.assert_allclose(one.probability, two.probability, **CLOSE | close)


def changed(one, two):
    return np.abs(one.hidden - two.hidden).max() > 1e-3


def by_attention(change):
    """An attention function that lets `change(layer, output, weights)` alter what the course's own gives, in place."""
    calls = []

    def attention(Q, K, V, mask):
        output, weights = scaled_dot_product_attention(Q, K, V, mask)
        change(len(calls), output, weights)
        calls.append(1)
        return output, weights

    return attention


def giving(layer, weights):
    """An attention function that mixes by these weights in one layer, and is the course's own in the others."""
    calls = []

    def attention(Q, K, V, mask):
        own = scaled_dot_product_attention(Q, K, V, mask)
        calls.append(1)
        whole = np.broadcast_to(weights, own.weights.shape).astype(V.dtype)
        return (whole @ V, whole) if len(calls) == layer + 1 else own

    return attention


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
    if reading.probability is not None:
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
@pytest.mark.parametrize(
    "change", [{}, {"hide": [(0, 0)]}, {"hide": [(0, 0, 1, 0)]}, {"weights": {0: np.eye(1)}}], ids=str
)
def test_a_block_written_anew_gives_the_same_and_meets_every_intervention(model, sentences, change):
    if "weights" in change:
        change = {"weights": {0: np.eye(model(sentences).weights.shape[-1])}}
    assert_equal(model(sentences, **change), model(sentences, **change, block=by_hand), atol=1e-5)


def test_a_block_is_called_once_a_layer_with_a_mask_and_with_the_attention_that_was_given():
    seen = []

    def block(part, X, mask, attention):
        seen.append((mask.dtype, mask.shape, attention))
        return by_hand(part, X, mask, attention)

    TINY(["abc", "de"], block=block)
    TINY(["abc", "de"], block=block, attention=scaled_dot_product_attention)
    given = [None, None, scaled_dot_product_attention, scaled_dot_product_attention]
    assert seen == [(bool, (2, 1, 1, 3), attention) for attention in given]


def test_another_block_changes_the_reading():
    def silent(part, X, mask, attention):
        return X, by_hand(part, X, mask, attention)[1]

    start = TINY("abc", hide=[(0, 0)], block=silent).hidden
    np.testing.assert_array_equal(start, TINY("abc", block=silent).hidden)
    assert changed(TINY("abc"), TINY("abc", block=silent))


@pytest.mark.parametrize(
    ("block", "says"),
    [
        (3, r"block is 3 \(int\); wanted: a function \(part, X, mask, attention\)"),
        (lambda part, X, mask, attention: X, "what block returned"),
        (lambda part, X, mask, attention: (X[..., :-1], X), r"output of block has shape \(1, 3, 7\)"),
        (lambda part, X, mask, attention: (X, X), r"weights of block has shape \(1, 3, 8\).* \(1, 2, 3, 3\)"),
        (lambda part, X, mask, attention: (X * np.nan, X), "output of block"),
    ],
)
def test_what_is_no_block_is_named(block, says):
    with pytest.raises(ValueError, match=says):
        TINY("abc", block=block)


# Heads


@each_model
def test_a_hidden_head_passes_on_nothing(model, sentences):
    def without_the_last_head_of_layer_0(layer, output, weights):
        if layer == 0:
            output[:, -1] = 0

    head = where(model(sentences))[2] - 1
    hidden = model(sentences, hide=[(0, head)])
    assert_equal(hidden, model(sentences, attention=by_attention(without_the_last_head_of_layer_0)))
    assert changed(hidden, model(sentences))


@each_model
def test_none_names_every_head_and_every_layer(model, sentences):
    _, n_layers, n_heads, _ = where(model(sentences))
    every = [(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    assert_equal(model(sentences, hide=[(None, None)]), model(sentences, hide=every), atol=0)
    assert_equal(model(sentences, hide=[(0, None)]), model(sentences, hide=every[:n_heads]), atol=0)
    assert_equal(model(sentences, hide=np.array(every)), model(sentences, hide=every), atol=0)


# Edges


@each_model
def test_a_hidden_edge_weighs_nothing_and_its_row_is_shared_anew(model, sentences):
    plain, cut = model(sentences), model(sentences, hide=[(0, 0, 1, 2)])
    wanted = plain.weights[:, 0].copy()
    wanted[:, 0, 1, 2] = 0
    wanted[:, 0, 1] /= wanted[:, 0, 1].sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(cut.weights[:, 0], wanted, **CLOSE)
    assert changed(plain, cut)


@each_model
def test_none_names_every_query_head_and_layer_of_an_edge(model, sentences):
    _, n_layers, n_heads, n = where(model(sentences))
    every = [(layer, head, query, 2) for layer in range(n_layers) for head in range(n_heads) for query in range(n)]
    assert_equal(model(sentences, hide=[(None, None, None, 2)]), model(sentences, hide=every), atol=0)
    column = model(sentences, hide=[(0, None, None, 2)]).weights
    assert not column[:, 0, :, :, 2].any()
    assert n_layers == 1 or column[:, 1, :, :, 2].any()


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


@each_model
def test_a_hidden_edge_is_hidden_from_another_attention_too(model, sentences):
    masks = []

    def attention(Q, K, V, mask):
        masks.append(mask)
        return scaled_dot_product_attention(Q, K, V, mask)

    places = [(0, 0, 1, 2)]
    assert_equal(model(sentences, hide=places, attention=attention), model(sentences, hide=places), atol=0)
    assert not masks[0][:, 0, 1, 2].any() and masks[0].dtype == bool


# Weights


@each_model
def test_its_own_weights_given_change_nothing(model, sentences):
    plain = model(sentences)
    given = {layer: plain.weights[:, layer] for layer in range(where(plain)[1])}
    assert_equal(model(sentences, weights=given), plain)
    assert_equal(model(sentences, weights={0: plain.weights[:, 0]}), plain)


@each_model
def test_weights_that_are_given_mix_the_values(model, sentences):
    """As an attention function would that returns them; rows need not sum to 1."""
    batch, n_layers, n_heads, n = where(model(sentences))
    for shape in ((n,), (n, n), (batch, n_heads, n, n), (batch, 1, 1, n), (1, 1, n, n), (1, n)):
        weights = np.random.default_rng(0).uniform(size=shape)
        given = model(sentences, weights={n_layers - 1: weights})
        assert_equal(given, model(sentences, attention=giving(n_layers - 1, weights)))
        assert changed(given, model(sentences)) and given.hidden.dtype == model(sentences).hidden.dtype


def test_one_layer_needs_no_number():
    classifier, tokens = MODELS["classifier"]
    uniform = np.full(7, 1 / 7)
    assert_equal(classifier(tokens, weights=uniform), classifier(tokens, weights={0: uniform}), atol=0)


@each_model
def test_another_attention_fills_in_where_no_weights_are_given(model, sentences):
    _, n_layers, _, n = where(model(sentences))
    calls = []

    def attention(Q, K, V, mask):
        calls.append(1)
        return scaled_dot_product_attention(Q, K, V, mask)

    given = {0: np.full(n, 1 / n)}
    assert_equal(model(sentences, weights=given, attention=attention), model(sentences, weights=given), atol=0)
    assert len(calls) == n_layers - 1


@each_model
def test_a_head_is_hidden_where_weights_are_given_too(model, sentences):
    n = where(model(sentences))[3]
    uniform = {0: np.full(n, 1 / n)}
    assert changed(model(sentences, weights=uniform, hide=[(0, 0)]), model(sentences, weights=uniform))


# Bad input


def last(model, sentences):
    """The highest layer, head and position, and the number of sentences."""
    batch, n_layers, n_heads, n = where(model(sentences))
    return {"layer": n_layers - 1, "head": n_heads - 1, "position": n - 1, "batch": batch}


NOWHERE = [
    (lambda most: [(most["layer"] + 1, 0)], "layer of hide is {layer_more} .* from 0 to {layer}"),
    (lambda most: [(0, most["head"] + 1)], "head of hide is {head_more} .* from 0 to {head}"),
    (lambda most: [(-1, 0)], "layer of hide is -1 .* from 0 to {layer}"),
    (lambda most: [(0, 0, most["position"] + 1, 0)], "query of hide is {position_more} .* from 0 to {position}"),
    (lambda most: [(0, 0, 0, most["position"] + 1)], "key of hide is {position_more} .* from 0 to {position}"),
    (lambda most: [(0, 0.0)], "head of hide is 0.0"),
    (lambda most: [(0, True)], "head of hide is True"),
    (lambda most: [(0, 1, 2)], r"a place of hide is \(0, 1, 2\) .* \(layer, head\) or \(layer, head, query, key\)"),
    (lambda most: [0, 1], r"a place of hide is 0 .* \(layer, head\)"),
    (lambda most: (0, 1), r"a place of hide is 0 .* \(layer, head\)"),
    (lambda most: ["ab"], r"a place of hide is 'ab' .* \(layer, head\)"),
    (lambda most: 3, r"hide is 3 .* a list"),
    (
        lambda most: [(0, 0, 1, None)],
        r"hide, in layer 0, is \[\(0, 0, 1, None\)\] .* in every row; row 0, 0, 1 has none",
    ),
    (
        lambda most: [(0, 0, [1], 0)],
        r"query of hide has shape \(1,\) .* an array \({batch},\) of them, one for each sentence",
    ),
    (
        lambda most: [(0, 0, 0, np.full(most["batch"], 0.0))],
        "key of hide has shape .* float64; .* one for each sentence",
    ),
    (lambda most: [(0, 0, 0, np.full(most["batch"], -1))], "key of hide has shape .* from 0 to {position}"),
    (
        lambda most: [(0, 0, np.full(most["batch"], most["position"] + 1), 0)],
        "query of hide has .* from 0 to {position}",
    ),
]


@pytest.mark.parametrize(("hide", "says"), NOWHERE, ids=[says[:24] for _, says in NOWHERE])
@each_model
def test_what_cannot_be_hidden_is_named(model, sentences, hide, says):
    most = last(model, sentences)
    more = {f"{name}_more": number + 1 for name, number in most.items()}
    with pytest.raises(ValueError, match="^" + says.format(**most, **more)):
        model(sentences, hide=hide(most))


@each_model
def test_a_row_with_nothing_left_is_named(model, sentences):
    n = where(model(sentences))[3]
    with pytest.raises(ValueError, match=r"^hide, in layer 0, is .* at least one key .* row 0, 0, 1 has none"):
        model(sentences, hide=[(0, 0, 1, key) for key in range(n)])


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        (lambda most: {most["layer"] + 1: np.ones(1)}, "layer of weights is {layer_more} .* from 0 to {layer}"),
        (
            lambda most: {0: np.ones(most["position"])},
            r"weights of layer 0 has shape \({position},\) .* any axis but the last may be 1",
        ),
        (
            lambda most: {0: np.ones((most["position"] + 1, 1))},
            "weights of layer 0 has shape .* any axis but the last may be 1",
        ),
        (lambda most: {0: np.ones((1, 1, most["position"] + 1))}, r"weights of layer 0 has shape \(1, 1, \d+\)"),
        (lambda most: {0: np.ones((most["batch"] + 1, 1, 1, most["position"] + 1))}, "weights of layer 0 has shape"),
        (lambda most: {0: np.full(most["position"] + 1, np.nan)}, "weights of layer 0 has .* nan"),
        (lambda most: {0: "all"}, "weights of layer 0 .* real numbers"),
    ],
)
@each_model
def test_weights_that_do_not_fit_are_named(model, sentences, weights, says):
    most = last(model, sentences)
    more = {f"{name}_more": number + 1 for name, number in most.items()}
    with pytest.raises(ValueError, match="^" + says.format(**most, **more)):
        model(sentences, weights=weights(most))


def test_an_array_for_two_layers_is_named():
    reader, tokens = MODELS["reviewer"]
    with pytest.raises(ValueError, match=r"^weights has shape .* a dict, layer -> array, with layers from 0 to 1"):
        reader(tokens, weights=np.ones(24))


@each_model
def test_an_edge_of_weights_that_are_given_cannot_be_hidden(model, sentences):
    n = where(model(sentences))[3]
    with pytest.raises(ValueError, match=r"^hide is .* no edge in layer 0, whose weights are given"):
        model(sentences, weights={0: np.ones(n)}, hide=[(0, 0, 1, 2)])


@pytest.mark.parametrize(
    ("attention", "says"),
    [
        (lambda Q, K, V, mask: None, r"what attention returned is None .* a pair \(output, weights\)"),
        (lambda Q, K, V, mask: V, "what attention returned has shape .* a pair"),
        (lambda Q, K, V, mask: (V[0], Q @ K.swapaxes(-2, -1)), r"output of attention has shape \(\d+, \d+, \d+\) "),
        (lambda Q, K, V, mask: (V, V), "weights of attention has shape "),
        (lambda Q, K, V, mask: (V * np.nan, Q @ K.swapaxes(-2, -1)), "output of attention has shape .* finite"),
    ],
)
@each_model
def test_an_attention_that_gives_something_else_is_named(model, sentences, attention, says):
    with pytest.raises(ValueError, match="^" + says):
        model(sentences, attention=attention)


@each_model
def test_each_layer_may_have_an_attention_of_its_own(model, sentences):
    n_layers = model(sentences).weights.shape[1]
    nothing = by_attention(lambda layer, output, weights: output.__imul__(0))
    assert_equal(model(sentences, attention={n_layers - 1: nothing}), model(sentences, hide=[(n_layers - 1, None)]))
    with pytest.raises(ValueError, match=r"^layer of attention .*wanted: "):
        model(sentences, attention={n_layers: nothing})
