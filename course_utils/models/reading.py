"""Read with a trained model, and change it: hide heads and edges, replace its weights, its attention or its blocks.

The classifier, the reviewer, the writer and the encoder are stacks of the same block, so one function with the same
arguments reads and changes all of them. Layers, heads and positions are counted from 0. NumPy only.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from course_utils.arrays.arguments import as_array, as_count, as_finite, wrong
from course_utils.arrays.attention_arguments import fits_scores, refuse_blind_rows
from course_utils.arrays.shapes import Array
from course_utils.attention import causal_mask, scaled_dot_product_attention
from course_utils.layers import Block

TARGET = "(layer, head) or (layer, head, query, key)"


class Reading(NamedTuple):
    """What a model made of a batch of sentences. (The encoder leaves out the first axis when it reads one sentence.)

    tokens: the sentences, cut into tokens. hidden: one vector for each token.
    weights: rows are queries, columns are keys.
    mask: True = token, False = padding. In rows of padding, hidden and weights are 0.
    probability: of the answer yes; None for a model that gives no answer.
    """

    tokens: list | Array["batch, n"]
    hidden: Array["batch, n, d_model"]
    weights: Array["batch, n_layers, n_heads, n, n"]
    mask: Array["batch, n"]
    probability: Array["batch"] | None = None


def run_blocks(
    blocks: Sequence[Block],
    X: Array["batch, n, d_model"],
    mask: Array["batch, n"],
    *,
    causal: bool = False,
    hide: Iterable = (),
    weights: dict[int, Array["..., n"]] | Array["..., n"] | None = None,
    attention: Callable | dict[int, Callable] | None = None,
    block: Callable | None = None,
) -> tuple[Array["batch, n, d_model"], Array["batch, n_layers, n_heads, n, n"]]:
    """Send X through the blocks in turn and return hidden and weights; mask: bool, True = token, False = padding.

    causal: whether a query may look only at itself and at the keys before it.
    hide: a list of heads and edges. (layer, head): the output of this head is dropped.
    (layer, head, query, key): this query may not look at this key; its other weights grow, so that they sum to 1 again.
    None selects all layers, heads, queries or keys; query and key may be arrays (batch,) too,
    with one position for each sentence.
    weights: used in place of the model's own, a dict, layer -> array; or one array, if there is one layer.
    The array is (n,), (n, n) or (batch, n_heads, n, n), and any axis but the last may be 1. Its rows need not sum to 1.
    attention: a function (Q, K, V, mask) -> (output, weights) in place of the course's own, in all layers
    without `weights`, or a dict, layer -> function; Q, K, V (batch, n_heads, n, d_k),
    mask bool (batch, 1 or n_heads, 1 or n, n).
    block: a function (part, X, mask, attention) -> (output, weights) in place of the course's own, in all layers.
    part is the layers.Block that holds the numbers; mask as above; attention is None, or the function to call.
    In rows of padding, hidden and weights are 0.
    Raises ValueError for a head or an edge that does not exist, a row with nothing left to look at,
    weights that do not fit, and a function that does not return what it should.
    """
    shape = (len(X), blocks[0].attention.n_heads, X.shape[1], X.shape[1])  # (batch, n_heads, n, n)
    fixed, functions = _fixed_weights(weights, len(blocks), shape), _functions(attention, len(blocks))
    heads, edges = _hidden_parts(hide, (len(blocks), *shape))
    all_weights = []
    for layer, part in enumerate(blocks):
        may_look = _may_look(layer, mask, causal, edges[layer], hide, fixed)  # (batch, 1 or n_heads, 1 or n, n)
        part = part.without(np.flatnonzero(heads[layer])) if heads[layer].any() else part
        function = _constant(fixed[layer].astype(X.dtype)) if layer in fixed else functions.get(layer)
        if block is None:
            X, layer_weights = part(X, None if function is None and may_look.all() else may_look, function)
        else:
            X, layer_weights = _call_block(block, part, X, may_look, function)
        all_weights.append(layer_weights * mask[:, None, :, None])
    return X * mask[..., None], np.stack(all_weights, axis=1)


def probability_of_yes(
    hidden: Array["batch, n, d_model"], answer: Array["d_model"], bias: Array["1"]
) -> Array["batch"]:
    """Return the probability, from 0 to 1, that a model with these last weights reads from the row of [CLS]."""
    logits = hidden[:, 0] @ answer + bias  # (batch,)
    return np.exp(-np.logaddexp(0, -logits))  # the sigmoid, without overflow


def with_weights(given: Iterable[tuple]) -> dict[int, Callable]:
    """Return the `attention` argument of a model in which these weights are forced: a dict, layer -> function.

    given: (layer, head, query, key, weight). The other keys of the row share the rest in proportion, or evenly if all
    of them have 0.

    >>> Q, K, V = np.zeros((3, 1, 1, 3, 2))
    >>> with_weights([(0, 0, 2, 1, 0.5)])[0](Q, K, V, None)[1][0, 0, 2]
    array([0.25, 0.5 , 0.25])
    """
    return {layer: _with_weights([rest for its_layer, *rest in given if its_layer == layer]) for layer, *_ in given}


def _with_weights(changes):
    def attention(Q, K, V, mask):
        _, weights = scaled_dot_product_attention(Q, K, V, mask)  # (batch, n_heads, n, n)
        sees = np.broadcast_to(True if mask is None else mask, weights.shape)
        for head, query, key, weight in changes:
            row = weights[:, head, query]  # (batch, n), a view
            others = sees[:, head, query].copy()  # (batch, n)
            others[:, key] = False
            left = (row * others).sum(axis=-1, keepdims=True)  # (batch, 1)
            even = others / np.maximum(others.sum(axis=-1, keepdims=True), 1)
            shares = np.where(left > 0, row * others / np.where(left > 0, left, 1), even)
            changed = (1 - weight) * shares
            changed[:, key] = weight
            row[:] = np.where(others.any(axis=-1, keepdims=True), changed, row)
        return weights @ V, weights

    return attention


def _constant(weights):
    return lambda Q, K, V, mask: (weights @ V, weights)


def _functions(attention, n_layers):
    """Return a dict, layer -> attention function."""
    if not isinstance(attention, dict):
        return dict.fromkeys(range(n_layers), attention)
    layers = (as_count("layer of attention", layer, least=0, most=n_layers - 1) for layer in attention)
    return dict(zip(layers, attention.values(), strict=True))


def _call_block(block, part, X, may_look, attention):
    """Call a function in place of the course's block; return its output, like X, and weights (batch, n_heads, n, n)."""
    if not callable(block):
        raise wrong("block", block, "a function (part, X, mask, attention) -> (output, weights)")
    pair = block(part, X, may_look, attention)
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise wrong("what block returned", pair, "a pair (output, weights)")
    shapes = X.shape, (len(X), part.attention.n_heads, X.shape[1], X.shape[1])
    arrays = []
    for name, array, shape in zip(("output", "weights"), pair, shapes, strict=True):
        array = as_finite(f"{name} of block", array, str(shape))
        if array.shape != shape:
            raise wrong(f"{name} of block", array, str(shape))
        arrays.append(array)
    return arrays


def _may_look(layer, mask, causal, edges, hide, fixed):
    """Return what the padding mask (batch, n) and hidden edges (batch, n_heads, n, n) allow: bool; axes may be 1."""
    visible = mask[:, None, None]  # (batch, 1, 1, n)
    if causal:
        visible = visible & causal_mask(mask.shape[1])  # (batch, 1, n, n)
    if not edges.any():
        return visible
    if layer in fixed:
        raise wrong("hide", hide, f"no edge in layer {layer}, whose weights are given")
    may_look = visible & ~edges  # (batch, n_heads, n, n)
    refuse_blind_rows(f"hide, in layer {layer},", hide, ~may_look.any(axis=-1))
    return may_look


def _hidden_parts(hide, shape):
    """Return which heads to hide, bool (n_layers, n_heads), and which edges, bool of `shape`."""
    n_layers, batch, n_heads, n, _ = shape
    heads, edges = np.zeros((n_layers, n_heads), bool), np.zeros(shape, bool)
    if not isinstance(hide, list | tuple | np.ndarray):
        raise wrong("hide", hide, f"a list of {TARGET}")
    for target in hide:
        if not isinstance(target, list | tuple | np.ndarray) or len(target) not in (2, 4):
            raise wrong("a place of hide", target, TARGET)
        layer, head = _selector("layer", target[0], n_layers), _selector("head", target[1], n_heads)
        if len(target) == 2:
            heads[layer, head] = True
            continue
        query, key = _positions("query", target[2], batch, n), _positions("key", target[3], batch, n)
        edges[layer, np.arange(batch), head, query, key] = True
    return heads, edges


def _selector(name, value, n):
    """Return an index of one of n, or a slice of all of them if the value is None."""
    return slice(None) if value is None else as_count(f"{name} of hide", value, least=0, most=n - 1)


def _positions(name, value, batch, n):
    """Return positions as an index."""
    wanted = f"a whole number from 0 to {n - 1}, or an array ({batch},) of them, one for each sentence"
    array = as_array(f"{name} of hide", value, wanted)
    if array.ndim == 0:
        return _selector(name, value, n)
    if array.shape != (batch,) or array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= n:
        raise wrong(f"{name} of hide", array, wanted)
    return array


def _fixed_weights(weights, n_layers, shape):
    """Return the weights that replace those of a layer: a dict, layer -> array of `shape`."""
    if weights is None:
        return {}
    if not isinstance(weights, dict):
        if n_layers > 1:
            raise wrong("weights", weights, f"a dict, layer -> array, with layers from 0 to {n_layers - 1}")
        weights = {0: weights}
    fixed = {}
    for layer, array in weights.items():
        layer = as_count("layer of weights", layer, least=0, most=n_layers - 1)
        wanted = f"{shape[-1:]}, {shape[-2:]} or {shape}; any axis but the last may be 1"
        array = as_finite(f"weights of layer {layer}", array, wanted, rank=1)
        if not fits_scores(array, shape, ranks=(1, 2, 4)):
            raise wrong(f"weights of layer {layer}", array, wanted)
        fixed[layer] = np.broadcast_to(array, shape)
    return fixed
