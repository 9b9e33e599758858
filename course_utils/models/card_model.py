"""A Keras writer built from a card, for the study of lesson 20: one line of the card changes, all else stays."""

import keras
import numpy as np

from course_utils.arrays.arguments import as_count
from course_utils.models.card_reader import EPSILON, SPREAD, CardWriter, axes_of, masks_of
from course_utils.models.writer_model import attend, positions
from course_utils.tasks.review_task import SEQ_LEN


def build_card_writer(card: dict, *, seed: int = 0) -> keras.Model:
    """Build the writer of a card: tokens (n, SEQ_LEN - 1) become scores of the next token, (n, SEQ_LEN - 1, n_words).

    It is trained by `writer_model.train`. One seed gives the same first weights.
    Raises ValueError for a seed below 0, and for key heads that do not divide the heads.
    Source: the writer of lesson 17; Ainslie et al. 2023 for shared key heads; Shazeer 2020 for the gated layer.

    >>> from course_utils.models.card_reader import PLAIN
    >>> build_card_writer(PLAIN).count_params()
    20672
    """
    keras.utils.set_random_seed(as_count("seed", seed, least=0))
    n, d, start = SEQ_LEN - 1, card["hidden_size"], keras.initializers.RandomUniform(-SPREAD, SPREAD)
    tokens = keras.Input((n,), dtype="int32", name="tokens_in")
    X = keras.layers.Embedding(card["vocab_size"], d, start, name="tokens")(tokens) + positions(n, d)
    sizes = {"n_heads": card["num_attention_heads"], "n_kv_heads": card["num_key_value_heads"], "d_k": card["head_dim"]}
    for layer, mask in enumerate(masks_of(card, n)):
        X = X + attend(_norm(X, card, f"norm_{layer}_0"), mask, layer, **sizes)
        X = X + _think(_norm(X, card, f"norm_{layer}_1"), card, layer)
    return keras.Model(tokens, _dense(card["vocab_size"], "next")(_norm(X, card, "norm")), name="card_writer")


def _dense(size, name, activation=None, bias=False):
    return keras.layers.Dense(size, activation, use_bias=bias, name=name)


def _norm(X, card, name):
    kind = keras.layers.RMSNormalization if card["gated"] else keras.layers.LayerNormalization
    return kind(epsilon=EPSILON, name=name)(X)


def _think(X, card, layer):
    wide, d = card["intermediate_size"], X.shape[-1]
    if card["gated"]:
        return _dense(d, f"out_{layer}")(_dense(wide, f"gate_{layer}", "silu")(X) * _dense(wide, f"in_{layer}")(X))
    return _dense(d, f"out_{layer}", bias=True)(_dense(wide, f"in_{layer}", "gelu", bias=True)(X))


def to_card_writer(model: keras.Model, card: dict) -> CardWriter:
    """Return the weights of a trained model as plain arrays, for `card_reader`."""
    weights = {variable.path: np.asarray(variable) for variable in model.weights}
    gain, bias = ("scale", "beta") if card["gated"] else ("gamma", "beta")

    def array(name):
        layer, _, part = name.rpartition(".")
        kind, _, letter = part.partition("_")
        if part in ("gains", "biases"):
            return np.stack([weights[f"norm_{layer}_{i}/{gain if part == 'gains' else bias}"] for i in range(2)])
        if part in ("gain", "bias"):
            return weights[f"norm/{gain if part == 'gain' else bias}"]
        if part == "tokens":
            return weights["tokens/embeddings"]
        return weights[f"{letter}_{layer}".rstrip("_") + ("/kernel" if kind == "W" else "/bias")]

    return CardWriter(card, {name: array(name) for name in axes_of(card)})
