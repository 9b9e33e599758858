"""What every form of attention accepts: Q, K and V that fit each other, and masks that leave each query a key.

And a call of a function that takes the place of the course's own. NumPy only.
"""

import numpy as np

from course_utils.arguments import as_array, as_finite, wrong


def as_queries_and_keys(Q, K):
    """Return Q (..., n_queries, d_k) and K (..., n_keys, d_k) as arrays that fit. Raises ValueError if they do not."""
    Q = as_finite("Q", Q, "(..., n_queries, d_k)", rank=2)  # (..., n_queries, d_k)
    K = as_finite("K", K, "(..., n_keys, d_k)", rank=2)  # (..., n_keys, d_k)
    if K.shape[-1] != Q.shape[-1] or K.shape[:-2] != Q.shape[:-2]:
        raise wrong("K", K, f"{in_words(Q.shape[:-2], 'n_keys', Q.shape[-1])}, to go with Q of shape {Q.shape}")
    return Q, K


def as_values(V, K_shape):
    """Return V (..., n_keys, d_v) as an array with one value for each key. Raises ValueError if it does not fit."""
    V = as_finite("V", V, "(..., n_keys, d_v)", rank=2)  # (..., n_keys, d_v)
    if V.shape[:-1] != K_shape[:-1]:
        raise wrong("V", V, f"{in_words(K_shape[:-1], 'd_v')}, one value for each key")
    return V


def as_mask(mask, shape):
    """Return the mask as an array if it fits scores of this shape (..., n_queries, n_keys) and hides no row whole."""
    wanted = f"{shape[-2:]} or {shape}; any axis but the last may be 1"
    mask = as_array("mask", mask, wanted)
    if not fits_scores(mask, shape, ranks=(2, len(shape))):
        raise wrong("mask", mask, wanted)
    if mask.dtype.kind not in "bf" or np.isnan(mask).any() or np.isposinf(mask).any():
        raise wrong("mask", mask, "bool (True = may look), or floats without NaN and +inf that are added to the scores")
    refuse_blind_rows("mask", mask, ~(mask if mask.dtype == bool else mask > -np.inf).any(axis=-1))
    return mask


def fits_scores(array, shape, ranks):
    """Has the array one of these ranks, and each axis the length of the scores there, or, but for the last, 1?"""
    pairs = list(zip(array.shape[::-1], shape[::-1], strict=False))  # from the last axis on
    return array.ndim in ranks and array.shape[-1] == shape[-1] and all(m in (1, s) for m, s in pairs)


def masked(scores, mask):
    """Return scores (..., n_queries, n_keys) with -inf where a mask that was checked hides, or with the mask added."""
    if mask.dtype == bool:
        return np.where(mask, scores, scores.dtype.type(-np.inf))
    with np.errstate(over="ignore"):  # beyond the largest float is -inf: may not look
        scores = scores + mask.astype(scores.dtype)
    if np.isposinf(scores).any():
        raise wrong("mask", mask, f"floats small enough that scores + mask fits into {scores.dtype}")
    return scores


def call_attention(attention, Q, K, V, mask):
    """Return what a function (Q, K, V, mask) gives: output (..., n_queries, d_v), weights (..., n_queries, n_keys).

    Raises ValueError for anything but a function, and where it gives anything else, other shapes, NaN or inf.
    """
    if not callable(attention):
        raise wrong("attention", attention, "a function (Q, K, V, mask) -> (output, weights)")
    pair = attention(Q, K, V, mask)
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise wrong("what attention returned", pair, "a pair (output, weights)")
    arrays = []
    for name, part, last in zip(("output", "weights"), pair, (V.shape[-1], V.shape[-2]), strict=True):
        shape = (*Q.shape[:-1], last)
        array = as_finite(f"{name} of attention", part, str(shape))
        if array.shape != shape:
            raise wrong(f"{name} of attention", array, str(shape))
        arrays.append(array)
    return arrays


def refuse_overflow(Q, scores):
    """Raise ValueError if the scores of Q do not fit into their dtype."""
    if not np.isfinite(scores).all():
        raise wrong("Q", Q, f"numbers small enough that Q @ K^T fits into {scores.dtype}")


def refuse_blind_rows(name, argument, blind):
    """Raise ValueError if any row is blind; blind (...): one bool for each row."""
    if blind.any():
        row = ", ".join(str(i) for i in np.argwhere(blind)[0])
        raise wrong(name, argument, f"at least one key to look at in every row; row {row or 0} has none")


def in_words(leading, *last):
    """Return a shape as text.

    >>> in_words((2, 8), "n_keys", 64)
    '(2, 8, n_keys, 64)'
    """
    return "(" + ", ".join(str(axis) for axis in (*leading, *last)) + ")"
