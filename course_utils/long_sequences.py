"""Attention over long sequences: in tiles, without the large matrix of weights, and token by token, with a cache.

NumPy only.
Sources: Milakov and Gimelshein 2018, "Online normalizer calculation for softmax";
Rabe and Staats 2021, "Self-attention Does Not Need O(n^2) Memory"; Dao et al. 2022, "FlashAttention";
Pope et al. 2022, "Efficiently Scaling Transformer Inference".
"""

from collections.abc import Callable

import numpy as np

from course_utils.arrays.arguments import as_array, as_count, wrong
from course_utils.arrays.attention_arguments import (
    apply_mask,
    as_mask,
    as_queries_and_keys,
    as_values,
    refuse_blind_rows,
    refuse_overflow,
    shape_in_words,
)
from course_utils.arrays.shapes import Array
from course_utils.attention import Attention, scaled_dot_product_attention


def tiled_attention(
    Q: Array["..., n_queries, d_k"],
    K: Array["..., n_keys, d_k"],
    V: Array["..., n_keys, d_v"],
    mask: Array["..., n_queries, n_keys"] | Callable | None = None,
    tile: int = 512,
) -> Array["..., n_queries, d_v"]:
    """Return the output of `scaled_dot_product_attention`, up to rounding, with at most tile x tile scores in memory.

    It cannot return the weights: each one is dropped after its use.
    mask: an array, as there, or, since that is a large matrix itself, a function:
    mask(queries, keys) gets the positions (t, 1) and (1, t) of one tile and returns bool, True = may look.
    Tiles that it hides are not computed. tile: queries, and keys, of one tile; at least 1.
    Memory beside the arguments grows as n, time as n^2.
    Raises ValueError as `scaled_dot_product_attention` does, and for a function that returns anything but bool
    of a tile's shape.

    >>> X = np.eye(3)
    >>> tiled_attention(X, X, X, mask=lambda query, key: key <= query, tile=2).round(2)
    array([[1.  , 0.  , 0.  ],
           [0.36, 0.64, 0.  ],
           [0.26, 0.26, 0.47]])
    """
    Q, K = as_queries_and_keys(Q, K)  # (..., n_queries, d_k), (..., n_keys, d_k)
    V = as_values(V, K.shape)  # (..., n_keys, d_v)
    tile = as_count("tile", tile)
    if not (mask is None or callable(mask)):
        shape = (*Q.shape[:-1], K.shape[-2])
        mask = np.broadcast_to(as_mask(mask, shape), shape)  # (..., n_queries, n_keys), a view: nothing is copied
    _refuse_overflow(Q, K, tile)
    totals, mixtures = _all_sums(Q, K, V, mask, tile)  # (..., n_queries, 1), (..., n_queries, d_v)
    refuse_blind_rows("mask", mask, totals[..., 0] == 0)
    if not np.isfinite(mixtures).all():
        raise wrong("V", V, f"numbers small enough that the sum of {K.shape[-2]} of them fits into {mixtures.dtype}")
    mixtures /= totals
    return mixtures.astype(np.result_type(Q, K, V), copy=False)


def _all_sums(Q, K, V, mask, tile):
    """Return the sums of `_sums` for all queries: totals (..., n_queries, 1) and mixtures (..., n_queries, d_v)."""
    dtype = np.result_type(Q, K, V, np.float32)  # float16 could not hold a sum beyond 65,504
    K, V = K.astype(dtype, copy=False), V.astype(dtype, copy=False)
    Q = Q * dtype.type(Q.shape[-1] ** -0.5)
    totals, mixtures = np.empty((*Q.shape[:-1], 1), dtype), np.empty((*Q.shape[:-1], V.shape[-1]), dtype)
    buffer = np.empty((min(tile, Q.shape[-2]), min(tile, K.shape[-2])), dtype)  # for the scores of each tile in turn
    for index in np.ndindex(Q.shape[:-2]):
        for rows in _tiles(Q.shape[-2], tile):
            tiles = _visible_tiles(mask, index, rows, K.shape[-2], tile)
            totals[index][rows], mixtures[index][rows] = _sums(Q[index][rows], K[index], V[index], tiles, buffer)
    return totals, mixtures


def _sums(Q, K, V, tiles, buffer):
    """Sum exp(score) and exp(score) * value over all keys for one tile of queries: Q (t, d_k) -> (t, 1) and (t, d_v).

    Both are divided by exp(highest score so far), so that they cannot overflow.
    When a tile of keys has a higher score, the sums so far are scaled down to it: the online softmax.
    """
    highest = np.full((len(Q), 1), -np.inf, buffer.dtype)
    totals, mixtures = np.zeros((len(Q), 1), buffer.dtype), np.zeros((len(Q), V.shape[-1]), buffer.dtype)
    for keys, tile_mask in tiles:
        scores = np.matmul(Q, K[keys].T, out=buffer[: len(Q), : keys.stop - keys.start])  # (t, t)
        scores = scores if tile_mask is None else apply_mask(scores, tile_mask)
        previous, highest = highest, np.maximum(highest, scores.max(axis=-1, keepdims=True))
        shift = np.where(np.isneginf(highest), 0, highest)  # while a row has no key yet, -inf - -inf would be NaN
        with np.errstate(over="ignore", under="ignore"):
            shrink = np.exp(previous - shift)
            scores -= shift
            exponentials = np.exp(scores, out=scores)
            totals = totals * shrink + exponentials.sum(axis=-1, keepdims=True)
            mixtures = mixtures * shrink + exponentials @ V[keys]
    return totals, mixtures


def _visible_tiles(mask, index, rows, n_keys, tile):
    """Yield each tile of keys at which these rows may look, with its mask, or None if nothing in it is hidden."""
    for keys in _tiles(n_keys, tile):
        tile_mask = None if mask is None else _tile_mask(mask, index, rows, keys)
        if tile_mask is None or tile_mask.dtype != bool:
            yield keys, tile_mask
        elif tile_mask.any():
            yield keys, None if tile_mask.all() else tile_mask


def _tile_mask(mask, index, rows, keys):
    if not callable(mask):
        return mask[index][rows, keys]
    queries, keys = np.arange(rows.start, rows.stop)[:, None], np.arange(keys.start, keys.stop)[None]  # (t, 1), (1, t)
    shape = queries.size, keys.size
    wanted = f"bool of shape {shape}, True = may look; any axis may be 1"
    tile_mask = as_array("mask(queries, keys)", mask(queries, keys), wanted)
    fits = tile_mask.ndim == 2 and all(m in (1, s) for m, s in zip(tile_mask.shape, shape, strict=True))
    if tile_mask.dtype != bool or not fits:
        raise wrong("mask(queries, keys)", tile_mask, wanted)
    return tile_mask


def _refuse_overflow(Q, K, tile):
    """Raise as `attention_scores` does. The products are computed only if they could be too large."""
    largest = np.finfo(np.result_type(Q, K)).max
    if float(np.abs(Q).max()) * float(np.abs(K).max()) * Q.shape[-1] < largest / 2:
        return
    for rows in _tiles(Q.shape[-2], tile):
        with np.errstate(over="ignore", invalid="ignore"):
            refuse_overflow(Q, Q[..., rows, :] @ np.swapaxes(K, -2, -1))


def _tiles(n, tile):
    """Return slices that cut 0..n into tiles; the last one may be shorter."""
    return [slice(start, min(start + tile, n)) for start in range(0, n, tile)]


class KeyValueCache:
    """The keys and values of all tokens so far: a new token costs one row of attention instead of all of them again.

    Token by token, or in pieces of any length, the steps give the rows of causal attention over all tokens at once.

    >>> cache = KeyValueCache()
    >>> X = np.eye(3)
    >>> np.vstack([cache.step(x, x, x).output for x in X[:, None]]).round(2)
    array([[1.  , 0.  , 0.  ],
           [0.36, 0.64, 0.  ],
           [0.26, 0.26, 0.47]])
    >>> len(cache), cache.keys.shape, cache.values.shape
    (3, (3, 3), (3, 3))
    """

    def __init__(self) -> None:
        self.keys = self.values = None  # (..., n, d_k) and (..., n, d_v) after the first step
        self._buffers = (None, None)  # with spare rows, so that a step seldom copies

    def __len__(self) -> int:
        return 0 if self.keys is None else self.keys.shape[-2]

    def step(self, Q: Array["..., n_new, d_k"], K: Array["..., n_new, d_k"], V: Array["..., n_new, d_v"]) -> Attention:
        """Add new tokens, usually one. Each new query looks at all keys up to its own.

        Returns Attention(output (..., n_new, d_v), weights (..., n_new, n)).
        Raises ValueError as `scaled_dot_product_attention` does,
        and for shapes or a dtype other than those of the first step. An error leaves the cache unchanged.
        """
        Q, K = as_queries_and_keys(Q, K)
        V = as_values(V, K.shape)
        if Q.shape != K.shape:
            raise wrong("Q", Q, f"{K.shape}, one query for each new key")
        past, n = len(self), len(self) + K.shape[-2]
        buffers = _append("K", K, self._buffers[0], past), _append("V", V, self._buffers[1], past)
        keys, values = (buffer[..., :n, :] for buffer in buffers)  # (..., n, d_k), (..., n, d_v)
        mask = np.arange(n) <= np.arange(past, n)[:, None]  # (n_new, n)
        attention = scaled_dot_product_attention(Q, keys, values, mask)
        self._buffers, self.keys, self.values = buffers, keys, values
        return attention


def _append(name, new, buffer, past):
    """Write new (..., n_new, d) after the `past` rows of the buffer, or of a copy of twice the length if it is full."""
    leading, d, n = new.shape[:-2], new.shape[-1], past + new.shape[-2]
    if buffer is None:
        buffer = new[..., :0, :]
    if (buffer.shape[:-2], buffer.shape[-1], buffer.dtype) != (leading, d, new.dtype):
        wanted = f"{shape_in_words(buffer.shape[:-2], 'n_new', buffer.shape[-1])} of dtype {buffer.dtype}, as before"
        raise wrong(name, new, wanted)
    if n > buffer.shape[-2]:
        buffer = np.concatenate([buffer[..., :past, :], np.empty((*leading, 2 * n - past, d), new.dtype)], axis=-2)
    buffer[..., past:n, :] = new
    return buffer
