"""Read with a trained model, and change it: hide heads and edges, give other weights, another attention or block.

The classifier, the reviewer, the writer and the encoder are stacks of the same block, so they are read by one
function, and changed by the same words. Layers, heads and positions are counted from 0. NumPy only.
"""

from typing import NamedTuple

import numpy as np

from course_utils.arguments import as_array, as_count, as_finite, wrong
from course_utils.attention import causal_mask
from course_utils.attention_arguments import fits_scores, refuse_blind_rows

PLACE = "(layer, head) or (layer, head, query, key)"


class Reading(NamedTuple):
    """What a model made of a batch of sentences. (The encoder leaves out the first axis when it reads one sentence.)

    tokens: the sentences as the model takes them. hidden (batch, n, d_model): one vector for each token.
    weights (batch, n_layers, n_heads, n, n): rows are queries, columns are keys.
    mask (batch, n): True = token, False = padding. In rows of padding, hidden and weights are 0.
    probability (batch,): the answer yes; None for a model that answers nothing.
    """

    tokens: list | np.ndarray
    hidden: np.ndarray
    weights: np.ndarray
    mask: np.ndarray
    probability: np.ndarray | None = None


def run_blocks(blocks, X, mask, *, causal=False, hide=(), weights=None, attention=None, block=None):
    """Send X (batch, n, d_model) through the blocks in turn; mask (batch, n), bool, True = token, False = padding.

    causal: whether a query may look only at itself and at the keys before it.
    hide: what may not be used, a list of places. (layer, head): this head passes nothing on.
    (layer, head, query, key): this edge may not be used, and the row of its query shares out its weight anew.
    None names all layers, heads, queries or keys; query and key may be arrays (batch,) too,
    with one position for each sentence.
    weights: what to use in place of the model's own, a dict, layer -> array; or one array, if there is one layer.
    The array is (n,), (n, n) or (batch, n_heads, n, n), and any axis but the last may be 1. Its rows need not sum to 1.
    attention: a function (Q, K, V, mask) -> (output, weights) in place of the course's own,
    in all layers whose weights are not given, or a dict, layer -> function; Q, K, V (batch, n_heads, n, d_k),
    mask bool (batch, 1 or n_heads, 1 or n, n).
    block: a function (part, X, mask, attention) -> (output, weights) in place of the course's own, in all layers.
    part is the layers.Block that holds the numbers; mask as above; attention is None, or the function to call.
    Returns hidden (batch, n, d_model) and weights (batch, n_layers, n_heads, n, n); in rows of padding both are 0.
    Raises ValueError for a place that is not there, a row with nothing left to look at, weights that do not fit,
    and a function that returns anything else than it should.
    """
    shape = (len(X), blocks[0].attention.n_heads, X.shape[1], X.shape[1])  # (batch, n_heads, n, n)
    given, functions = _given_weights(weights, len(blocks), shape), _functions(attention, len(blocks))
    heads, edges = _hidden_parts(hide, (len(blocks), *shape))
    all_weights = []
    for layer, part in enumerate(blocks):
        may_look = _may_look(layer, mask, causal, edges[layer], hide, given)  # (batch, 1 or n_heads, 1 or n, n)
        part = part.without(np.flatnonzero(heads[layer])) if heads[layer].any() else part
        own = _constant(given[layer].astype(X.dtype)) if layer in given else functions.get(layer)
        if block is None:
            X, seen = part(X, None if own is None and may_look.all() else may_look, own)
        else:
            X, seen = _call_block(block, part, X, may_look, own)
        all_weights.append(seen * mask[:, None, :, None])
    return X * mask[..., None], np.stack(all_weights, axis=1)


def probability_of_yes(hidden, answer, bias):
    """Return the answer that a model reads from the row of [CLS]: hidden (batch, n, d_model) -> (batch,), from 0 to 1.

    answer (d_model,) and bias (1,): the last weights of the model.
    """
    logits = hidden[:, 0] @ answer + bias  # (batch,)
    return np.exp(-np.logaddexp(0, -logits))  # the sigmoid, without overflow


def _constant(weights):
    return lambda Q, K, V, mask: (weights @ V, weights)


def _functions(attention, n_layers):
    """Return a dict, layer -> attention function."""
    if not isinstance(attention, dict):
        return dict.fromkeys(range(n_layers), attention)
    return {as_count("layer of attention", layer, least=0, most=n_layers - 1): own for layer, own in attention.items()}


def _call_block(block, part, X, may_look, attention):
    """Return what a function gives in place of the course's block: output like X, weights (batch, n_heads, n, n)."""
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


def _may_look(layer, mask, causal, edges, hide, given):
    """What padding, mask (batch, n), and hidden edges (batch, n_heads, n, n) allow: bool, axes that serve all are 1."""
    visible = mask[:, None, None]  # (batch, 1, 1, n)
    if causal:
        visible = visible & causal_mask(mask.shape[1])  # (batch, 1, n, n)
    if not edges.any():
        return visible
    if layer in given:
        raise wrong("hide", hide, f"no edge in layer {layer}, whose weights are given")
    may_look = visible & ~edges  # (batch, n_heads, n, n)
    refuse_blind_rows(f"hide, in layer {layer},", hide, ~may_look.any(axis=-1))
    return may_look


def _hidden_parts(hide, shape):
    """The heads to hide, bool (n_layers, n_heads), and the edges, bool, in `shape` (n_layers, batch, n_heads, n, n)."""
    n_layers, batch, n_heads, n, _ = shape
    heads, edges = np.zeros((n_layers, n_heads), bool), np.zeros(shape, bool)
    if not isinstance(hide, list | tuple | np.ndarray):
        raise wrong("hide", hide, f"a list of {PLACE}")
    for place in hide:
        if not isinstance(place, list | tuple | np.ndarray) or len(place) not in (2, 4):
            raise wrong("a place of hide", place, PLACE)
        layer, head = _one("layer", place[0], n_layers), _one("head", place[1], n_heads)
        if len(place) == 2:
            heads[layer, head] = True
            continue
        query, key = _position("query", place[2], batch, n), _position("key", place[3], batch, n)
        edges[layer, np.arange(batch), head, query, key] = True
    return heads, edges


def _one(name, value, n):
    """Return what picks one of n, or all of them when the value is None."""
    return slice(None) if value is None else as_count(f"{name} of hide", value, least=0, most=n - 1)


def _position(name, value, batch, n):
    """Return positions as an index."""
    wanted = f"a whole number from 0 to {n - 1}, or an array ({batch},) of them, one for each sentence"
    array = as_array(f"{name} of hide", value, wanted)
    if array.ndim == 0:
        return _one(name, value, n)
    if array.shape != (batch,) or array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= n:
        raise wrong(f"{name} of hide", array, wanted)
    return array


def _given_weights(weights, n_layers, shape):
    """Return a dict, layer -> weights (batch, n_heads, n, n), which is `shape`."""
    if weights is None:
        return {}
    if not isinstance(weights, dict):
        if n_layers > 1:
            raise wrong("weights", weights, f"a dict, layer -> array, with layers from 0 to {n_layers - 1}")
        weights = {0: weights}
    given = {}
    for layer, array in weights.items():
        layer = as_count("layer of weights", layer, least=0, most=n_layers - 1)
        wanted = f"{shape[-1:]}, {shape[-2:]} or {shape}; any axis but the last may be 1"
        array = as_finite(f"weights of layer {layer}", array, wanted, rank=1)
        if not fits_scores(array, shape, ranks=(1, 2, 4)):
            raise wrong(f"weights of layer {layer}", array, wanted)
        given[layer] = np.broadcast_to(array, shape)
    return given
