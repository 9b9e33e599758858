"""Attention over long sequences: in tiles, without the large matrix of weights, and token by token, with a cache.

NumPy only.
Sources: Milakov and Gimelshein 2018, "Online normalizer calculation for softmax";
Rabe and Staats 2021, "Self-attention Does Not Need O(n^2) Memory"; Dao et al. 2022, "FlashAttention";
Pope et al. 2022, "Efficiently Scaling Transformer Inference".
"""

import numpy as np

from course_utils.arguments import as_array, as_count, wrong
from course_utils.attention import scaled_dot_product_attention
from course_utils.attention_arguments import (
    as_mask,
    as_queries_and_keys,
    as_values,
    in_words,
    masked,
    refuse_blind_rows,
    refuse_overflow,
)


def tiled_attention(Q, K, V, mask=None, tile=512):
    """Return the output of attention, and hold no more than tile x tile scores at a time.

    Q (..., n_queries, d_k), K (..., n_keys, d_k), V (..., n_keys, d_v).
    Returns the output (..., n_queries, d_v) of `scaled_dot_product_attention`, up to rounding.
    There are no weights to return: each one is forgotten after its use. mask: an array, as there.
    An array (n_queries, n_keys) is a large matrix itself, so a function will do too:
    mask(queries, keys) gets the positions (t, 1) and (1, t) of one tile and gives bool, True = may look.
    Tiles that it hides are not computed. tile: queries, and keys, of one tile; at least 1.
    Memory beside the arguments grows as n, time as n^2.
    Raises ValueError as `scaled_dot_product_attention` does, and for a function that gives anything but bool
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
    """Return what `_sums` gives, for all queries: totals (..., n_queries, 1) and mixtures (..., n_queries, d_v)."""
    dtype = np.result_type(Q, K, V, np.float32)  # float16 could not hold a sum beyond 65,504
    K, V = K.astype(dtype, copy=False), V.astype(dtype, copy=False)
    Q = Q * dtype.type(Q.shape[-1] ** -0.5)
    totals, mixtures = np.empty((*Q.shape[:-1], 1), dtype), np.empty((*Q.shape[:-1], V.shape[-1]), dtype)
    room = np.empty((min(tile, Q.shape[-2]), min(tile, K.shape[-2])), dtype)  # for the scores of each tile in turn
    for place in np.ndindex(Q.shape[:-2]):
        for rows in _tiles(Q.shape[-2], tile):
            seen = _seen(mask, place, rows, K.shape[-2], tile)
            totals[place][rows], mixtures[place][rows] = _sums(Q[place][rows], K[place], V[place], seen, room)
    return totals, mixtures


def _sums(Q, K, V, seen, room):
    """Sum exp(score) and exp(score) * value over all keys for one tile of queries: Q (t, d_k) -> (t, 1) and (t, d_v).

    Both are divided by exp(highest score so far), so that they cannot overflow.
    When a tile of keys has a higher score, what was summed before shrinks to the new measure.
    That is the online softmax.
    """
    highest = np.full((len(Q), 1), -np.inf, room.dtype)
    totals, mixtures = np.zeros((len(Q), 1), room.dtype), np.zeros((len(Q), V.shape[-1]), room.dtype)
    for keys, part in seen:
        scores = np.matmul(Q, K[keys].T, out=room[: len(Q), : keys.stop - keys.start])  # (t, t)
        scores = scores if part is None else masked(scores, part)
        before, highest = highest, np.maximum(highest, scores.max(axis=-1, keepdims=True))
        measure = np.where(np.isneginf(highest), 0, highest)  # a row that has seen nothing: -inf - -inf would be NaN
        with np.errstate(over="ignore", under="ignore"):
            shrink = np.exp(before - measure)
            scores -= measure
            exponentials = np.exp(scores, out=scores)
            totals = totals * shrink + exponentials.sum(axis=-1, keepdims=True)
            mixtures = mixtures * shrink + exponentials @ V[keys]
    return totals, mixtures


def _seen(mask, place, rows, n_keys, tile):
    """Yield each tile of keys in which these rows may look, and its part of the mask, None where all of it is open."""
    for keys in _tiles(n_keys, tile):
        part = None if mask is None else _part(mask, place, rows, keys)
        if part is None or part.dtype != bool:
            yield keys, part
        elif part.any():
            yield keys, None if part.all() else part


def _part(mask, place, rows, keys):
    if not callable(mask):
        return mask[place][rows, keys]
    queries, keys = np.arange(rows.start, rows.stop)[:, None], np.arange(keys.start, keys.stop)[None]  # (t, 1), (1, t)
    shape = queries.size, keys.size
    wanted = f"bool of shape {shape}, True = may look; any axis may be 1"
    part = as_array("mask(queries, keys)", mask(queries, keys), wanted)
    fits = part.ndim == 2 and all(p in (1, s) for p, s in zip(part.shape, shape, strict=True))
    if part.dtype != bool or not fits:
        raise wrong("mask(queries, keys)", part, wanted)
    return part


def _refuse_overflow(Q, K, tile):
    """Raise as `attention_scores` does. The products are looked at only where they could be too large."""
    most = np.finfo(np.result_type(Q, K)).max
    if float(np.abs(Q).max()) * float(np.abs(K).max()) * Q.shape[-1] < most / 2:
        return
    for rows in _tiles(Q.shape[-2], tile):
        with np.errstate(over="ignore", invalid="ignore"):
            refuse_overflow(Q, Q[..., rows, :] @ np.swapaxes(K, -2, -1))


def _tiles(n, tile):
    """Return slices that cut 0..n into tiles; the last one may be shorter."""
    return [slice(start, min(start + tile, n)) for start in range(0, n, tile)]


class KeyValueCache:
    """The keys and values of all tokens so far: a new token then costs one row of attention and not all of them again.

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

    def __init__(self):
        self.keys = self.values = None  # (..., n, d_k) and (..., n, d_v) after the first step
        self._rooms = (None, None)  # arrays with more rows than are in use, so that a step seldom copies

    def __len__(self):
        return 0 if self.keys is None else self.keys.shape[-2]

    def step(self, Q, K, V):
        """Take in new tokens, usually one: Q, K (..., n_new, d_k), V (..., n_new, d_v).

        Each new query looks at all keys up to its own.
        Returns Attention(output (..., n_new, d_v), weights (..., n_new, n)).
        Raises ValueError as `scaled_dot_product_attention` does,
        and for shapes or a dtype other than those of the first step. The cache then holds what it held before.
        """
        Q, K = as_queries_and_keys(Q, K)
        V = as_values(V, K.shape)
        if Q.shape != K.shape:
            raise wrong("Q", Q, f"{K.shape}, one query for each new key")
        past, n = len(self), len(self) + K.shape[-2]
        rooms = _appended("K", K, self._rooms[0], past), _appended("V", V, self._rooms[1], past)
        keys, values = (room[..., :n, :] for room in rooms)  # (..., n, d_k), (..., n, d_v)
        mask = np.arange(n) <= np.arange(past, n)[:, None]  # (n_new, n)
        attention = scaled_dot_product_attention(Q, keys, values, mask)
        self._rooms, self.keys, self.values = rooms, keys, values
        return attention


def _appended(name, new, room, past):
    """Write new (..., n_new, d) after the rows in use; where they do not fit, into an array of twice the length."""
    leading, d, n = new.shape[:-2], new.shape[-1], past + new.shape[-2]
    if room is None:
        room = new[..., :0, :]
    if (room.shape[:-2], room.shape[-1], room.dtype) != (leading, d, new.dtype):
        raise wrong(name, new, f"{in_words(room.shape[:-2], 'n_new', room.shape[-1])} of dtype {room.dtype}, as before")
    if n > room.shape[-2]:
        room = np.concatenate([room[..., :past, :], np.empty((*leading, 2 * n - past, d), new.dtype)], axis=-2)
    room[..., past:n, :] = new
    return room
