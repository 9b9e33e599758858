"""Scaled dot-product attention and its parts, in NumPy.

One vocabulary: Q, K, V, scores, weights, output. Rows are queries, columns are keys. Leading axes (batch, heads) are
free: (..., n, d). A mask is boolean, True = may look; a mask of floats is added to the scores, and its -inf means
"may not look". float32 in, float32 out.

Source: Vaswani et al. 2017, "Attention Is All You Need", sections 3.2 and 3.5.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from course_utils.arrays.arguments import as_array, as_count, as_finite, as_numbers, as_real, wrong
from course_utils.arrays.attention_arguments import (
    apply_mask,
    as_mask,
    as_queries_and_keys,
    as_values,
    call_attention,
    refuse_blind_rows,
    refuse_overflow,
    shape_in_words,
)
from course_utils.arrays.shapes import Array


class Attention(NamedTuple):
    """What attention returns: the mixed values, and how much each query looks at each key."""

    output: Array["..., n_queries, d_v"]
    weights: Array["..., n_queries, n_keys"]


def softmax(scores: Array["..., n_keys"], axis: int = -1) -> Array["..., n_keys"]:
    """Turn scores, which have no unit, into weights that are at least 0 and sum to 1 along `axis`.

    A score of -inf means "may not look" and weighs exactly 0.
    The maximum is subtracted first, so that scores up to 1e300 do not overflow (Goodfellow et al. 2016, section 4.1).
    Raises ValueError for NaN, +inf, an axis that does not exist, and a row in which everything is -inf.

    >>> softmax([1.0, 1.0, -np.inf])
    array([0.5, 0.5, 0. ])
    """
    scores = as_numbers("scores", scores, "(..., n_keys)", rank=1)  # (..., n_keys)
    if isinstance(axis, bool) or not isinstance(axis, int | np.integer) or not -scores.ndim <= axis < scores.ndim:
        raise wrong("axis", axis, f"a whole number from {-scores.ndim} to {scores.ndim - 1} for shape {scores.shape}")
    if np.isnan(scores).any() or np.isposinf(scores).any():
        raise wrong("scores", scores, "no NaN and no +inf (only -inf is allowed: may not look)")
    highest = scores.max(axis=axis, keepdims=True)
    refuse_blind_rows("scores", scores, np.isneginf(highest).squeeze(axis))
    with np.errstate(over="ignore", under="ignore"):  # a distance beyond the largest float is -inf, and weighs 0
        exponentials = np.exp(scores - highest)
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def attention_scores(
    Q: Array["..., n_queries, d_k"], K: Array["..., n_keys, d_k"], scale: float | None = None
) -> Array["..., n_queries, n_keys"]:
    """Score every query against every key: Q @ K^T * scale.

    scale None means 1/sqrt(d_k): then independent components of variance 1 give scores of a variance near 1.
    Raises ValueError for unequal d_k or leading axes, NaN, inf, and products too large for the dtype.

    >>> attention_scores([[0.0, 1.0]], [[0.0, 1.0], [0.5, 0.5]], scale=1.0)
    array([[1. , 0.5]])
    """
    Q, K = as_queries_and_keys(Q, K)  # (..., n_queries, d_k), (..., n_keys, d_k)
    scale = Q.shape[-1] ** -0.5 if scale is None else as_real("scale", scale, wanted="a finite number, or None")
    with np.errstate(over="ignore", invalid="ignore"):
        scores = Q @ np.swapaxes(K, -2, -1) * scale  # (..., n_queries, n_keys)
    refuse_overflow(Q, scores)
    return scores


def causal_mask(n_queries: int, n_keys: int | None = None) -> Array["n_queries, n_keys"]:
    """Return the mask in which query i may look at keys 0..i, and never into the future: bool, True = may look.

    n_keys None means n_queries. Both counts start at the first token, as in Keras.
    Raises ValueError for anything but whole numbers of at least 1.

    >>> causal_mask(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    """
    n_queries = as_count("n_queries", n_queries)
    n_keys = n_queries if n_keys is None else as_count("n_keys", n_keys)
    return np.tri(n_queries, n_keys, dtype=bool)  # (n_queries, n_keys)


def padding_mask(lengths: Array["batch"], n_keys: int) -> Array["batch, 1, n_keys"]:
    """Return the mask that hides the padding after each sentence: bool, True = may look.

    lengths: whole numbers from 1 to n_keys, in tokens. The axis of length 1 serves every query.
    Raises ValueError for a length of 0, since its rows could look at nothing.

    >>> padding_mask([2, 3], 3)[:, 0].astype(int)
    array([[1, 1, 0],
           [1, 1, 1]])
    """
    n_keys = as_count("n_keys", n_keys)
    lengths = as_array("lengths", lengths, "(batch,)")
    if lengths.ndim != 1 or lengths.size == 0 or lengths.dtype.kind not in "iu":
        raise wrong("lengths", lengths, "(batch,), whole numbers")
    if lengths.min() < 1 or lengths.max() > n_keys:
        raise wrong("lengths", lengths, f"(batch,), every length from 1 to n_keys = {n_keys}")
    return (np.arange(n_keys) < lengths[:, None])[:, None, :]  # (batch, 1, n_keys)


def scaled_dot_product_attention(
    Q: Array["..., n_queries, d_k"],
    K: Array["..., n_keys, d_k"],
    V: Array["..., n_keys, d_v"],
    mask: Array["..., n_queries, n_keys"] | None = None,
    scale: float | None = None,
) -> Attention:
    """Mix the values: softmax(Q @ K^T / sqrt(d_k)) @ V.

    mask: bool, True = may look, or floats that are added to the scores. It has two axes or as many as the scores;
    an axis of length 1 serves all, except the last.
    Raises ValueError for shapes that do not fit, NaN, inf, and a row in which nothing may be looked at.

    >>> output, weights = scaled_dot_product_attention(np.eye(2), np.eye(2), np.eye(2), mask=causal_mask(2))
    >>> weights.round(2)
    array([[1.  , 0.  ],
           [0.33, 0.67]])
    """
    scores = attention_scores(Q, K, scale)  # (..., n_queries, n_keys)
    V = as_values(V, np.shape(K))  # (..., n_keys, d_v)
    if mask is not None:
        mask = as_mask(mask, scores.shape)
        scores = apply_mask(scores, mask)  # (..., n_queries, n_keys)
        if mask.dtype != bool:  # a sum can fall below the smallest float, which is -inf
            refuse_blind_rows("mask", mask, np.isneginf(scores).all(axis=-1))
    weights = softmax(scores)  # (..., n_queries, n_keys)
    return Attention(weights @ V, weights)  # (..., n_queries, d_v)


def split_heads(X: Array["..., n, d"], n_heads: int) -> Array["..., n_heads, n, d / n_heads"]:
    """Cut the last axis into heads. No number changes.

    Raises ValueError if n_heads does not divide d. A bare reshape to this shape would mix tokens: the axes must swap.

    >>> split_heads(np.zeros((6, 512)), 8).shape
    (8, 6, 64)
    """
    X = as_finite("X", X, "(..., n, d)", rank=2)  # (..., n, d)
    n_heads = as_count("n_heads", n_heads)
    if X.shape[-1] % n_heads:
        raise wrong("X", X, f"(..., n, d) with d divisible by n_heads = {n_heads}")
    X = X.reshape(*X.shape[:-1], n_heads, -1)  # (..., n, n_heads, d / n_heads)
    return np.swapaxes(X, -3, -2)  # (..., n_heads, n, d / n_heads)


def merge_heads(X: Array["..., n_heads, n, d"]) -> Array["..., n, n_heads * d"]:
    """Put the heads side by side again. Undoes `split_heads`.

    >>> X = np.arange(12.0).reshape(3, 4)
    >>> bool((merge_heads(split_heads(X, 2)) == X).all())
    True
    """
    X = as_finite("X", X, "(..., n_heads, n, d)", rank=3)  # (..., n_heads, n, d)
    X = np.swapaxes(X, -3, -2)  # (..., n, n_heads, d)
    return X.reshape(*X.shape[:-2], -1)  # (..., n, n_heads * d)


@dataclass(frozen=True, eq=False)
class MultiHeadAttention:
    """Several attentions side by side, each with its own part of Q, K and V; W_O mixes their outputs.

    The columns of one head are adjacent, as in Keras's MultiHeadAttention once its kernels (d_model, n_heads, d_k)
    are flattened. Raises ValueError for shapes that do not fit.

    >>> layer = MultiHeadAttention(np.eye(4), np.eye(4), np.eye(4), np.eye(4), n_heads=2)
    >>> output, weights = layer(np.ones((3, 4)))
    >>> output.shape, weights.shape
    ((3, 4), (2, 3, 3))
    """

    W_Q: Array["d_model, n_heads * d_k"]
    W_K: Array["d_model, n_heads * d_k"]
    W_V: Array["d_model, n_heads * d_v"]
    W_O: Array["n_heads * d_v, d_out"]
    n_heads: int
    b_Q: Array["n_heads * d_k"] | None = None
    b_K: Array["n_heads * d_k"] | None = None
    b_V: Array["n_heads * d_v"] | None = None
    b_O: Array["d_out"] | None = None

    def __post_init__(self) -> None:
        as_count("n_heads", self.n_heads)
        shapes = dict.fromkeys("QK", "(d_model, n_heads * d_k)")
        shapes |= {"V": "(d_model, n_heads * d_v)", "O": "(n_heads * d_v, d_out)"}
        for name, shape in shapes.items():
            matrix = as_finite(f"W_{name}", getattr(self, f"W_{name}"), shape, rank=2, exact=True)
            object.__setattr__(self, f"W_{name}", matrix)
            if name != "O" and matrix.shape[1] % self.n_heads:
                raise wrong(f"W_{name}", matrix, f"columns divisible by n_heads = {self.n_heads}")
            self._set_bias(f"b_{name}", matrix)
        if self.W_K.shape[1] != self.W_Q.shape[1]:
            raise wrong("W_K", self.W_K, f"(d_model, {self.W_Q.shape[1]}), as many columns as W_Q")
        if self.W_V.shape[0] != self.W_K.shape[0]:
            raise wrong("W_V", self.W_V, f"({self.W_K.shape[0]}, n_heads * d_v), as many rows as W_K")
        if self.W_O.shape[0] != self.W_V.shape[1]:
            raise wrong("W_O", self.W_O, f"({self.W_V.shape[1]}, d_out), one row for each column of W_V")

    def _set_bias(self, name, matrix):
        bias = getattr(self, name)
        if bias is None:
            return
        bias = as_finite(name, bias, f"({matrix.shape[1]},)")
        if bias.shape != matrix.shape[1:]:
            raise wrong(name, bias, f"({matrix.shape[1]},)")
        object.__setattr__(self, name, bias)

    def __call__(
        self,
        X: Array["..., n_queries, d_model"],
        context: Array["..., n_keys, d_model"] | None = None,
        mask: Array["..., n_queries, n_keys"] | None = None,
        attention: Callable | None = None,
    ) -> Attention:
        """Let the tokens of X look at `context` (at each other when it is None: self-attention).

        mask: for all heads, or with an axis for the heads before the last two.
        attention: a function (Q, K, V, mask) -> (output, weights) in place of `scaled_dot_product_attention`;
        Q (..., n_heads, n_queries, d_k), K and V likewise.
        Returns Attention(output (..., n_queries, d_out), weights (..., n_heads, n_queries, n_keys)).
        """
        X = as_finite("X", X, "(..., n_queries, d_model)", rank=2)  # (..., n_queries, d_model)
        context = X if context is None else as_finite("context", context, "(..., n_keys, d_model)", rank=2)
        if context.shape[:-2] != X.shape[:-2]:
            wanted = f"{shape_in_words(X.shape[:-2], 'n_keys', 'd_model')}, to go with X of shape {X.shape}"
            raise wrong("context", context, wanted)
        Q = split_heads(_project("X", X, self.W_Q, self.b_Q), self.n_heads)  # (..., n_heads, n_queries, d_k)
        K = split_heads(_project("context", context, self.W_K, self.b_K), self.n_heads)  # (..., n_heads, n_keys, d_k)
        V = split_heads(_project("context", context, self.W_V, self.b_V), self.n_heads)  # (..., n_heads, n_keys, d_v)
        if mask is not None and as_array("mask", mask, "(..., n_queries, n_keys)").ndim == X.ndim > 2:
            mask = as_mask(mask, (*X.shape[:-1], context.shape[-2]))  # (..., n_queries, n_keys)
            mask = np.expand_dims(mask, -3)  # (..., 1, n_queries, n_keys): one mask for all heads
        if attention is None:
            heads, weights = scaled_dot_product_attention(Q, K, V, mask)  # heads (..., n_heads, n_queries, d_v)
        else:
            heads, weights = call_attention(attention, Q, K, V, mask)
        return Attention(_project("heads", merge_heads(heads), self.W_O, self.b_O), weights)


def sinusoidal_positions(n: int, d_model: int) -> Array["n, d_model"]:
    """Return one vector for each position: sines at even, cosines at odd dimensions, slower and slower.

    float64, between -1 and 1; d_model may be odd. Source: Vaswani et al. 2017, 3.5.
    Dimensions 2i and 2i+1 turn by 1 / 10000**(2i / d_model) radians for each position.

    >>> sinusoidal_positions(2, 3).round(2)
    array([[0.  , 1.  , 0.  ],
           [0.84, 0.54, 0.  ]])
    """
    positions = np.arange(as_count("n", n))[:, None]  # (n, 1)
    dimensions = np.arange(as_count("d_model", d_model))  # (d_model,)
    angles = positions / 10000.0 ** (dimensions // 2 * 2 / d_model)  # (n, d_model)
    return np.where(dimensions % 2, np.cos(angles), np.sin(angles))  # (n, d_model)


def _project(name, X, W, b):
    if X.shape[-1] != W.shape[0]:
        raise wrong(name, X, f"(..., n, d_model) with d_model = {W.shape[0]}, the rows of its weight matrix")
    with np.errstate(over="ignore", invalid="ignore"):
        projected = X @ W if b is None else X @ W + b  # (..., n, columns of W)
    if not np.isfinite(projected).all():
        wanted = f"numbers small enough that their product with the weight matrix fits into {projected.dtype}"
        raise wrong(name, X, wanted)
    return projected
