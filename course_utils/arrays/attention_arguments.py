"""What every form of attention accepts: Q, K and V that fit each other, and masks that leave each query a key.

Also calls a function that replaces the course's own attention. NumPy only.
"""

from collections.abc import Callable

import numpy as np

from course_utils.arrays.arguments import as_array, as_finite, wrong
from course_utils.arrays.shapes import Array


def as_queries_and_keys(
    Q: Array["..., n_queries, d_k"], K: Array["..., n_keys, d_k"]
) -> tuple[Array["..., n_queries, d_k"], Array["..., n_keys, d_k"]]:
    """Return Q and K as arrays. Raises ValueError if they do not fit each other."""
    Q = as_finite("Q", Q, "(..., n_queries, d_k)", rank=2)  # (..., n_queries, d_k)
    K = as_finite("K", K, "(..., n_keys, d_k)", rank=2)  # (..., n_keys, d_k)
    if K.shape[-1] != Q.shape[-1] or K.shape[:-2] != Q.shape[:-2]:
        raise wrong("K", K, f"{shape_in_words(Q.shape[:-2], 'n_keys', Q.shape[-1])}, to go with Q of shape {Q.shape}")
    return Q, K


def as_values(V: Array["..., n_keys, d_v"], K_shape: tuple[int, ...]) -> Array["..., n_keys, d_v"]:
    """Return V as an array. Raises ValueError unless there is one value for each key."""
    V = as_finite("V", V, "(..., n_keys, d_v)", rank=2)  # (..., n_keys, d_v)
    if V.shape[:-1] != K_shape[:-1]:
        raise wrong("V", V, f"{shape_in_words(K_shape[:-1], 'd_v')}, one value for each key")
    return V


def as_mask(mask: Array["..., n_queries, n_keys"], shape: tuple[int, ...]) -> Array["..., n_queries, n_keys"]:
    """Return the mask as an array. Raises ValueError unless it fits such scores and leaves each query a key."""
    wanted = f"{shape[-2:]} or {shape}; any axis but the last may be 1"
    mask = as_array("mask", mask, wanted)
    if not fits_scores(mask, shape, ranks=(2, len(shape))):
        raise wrong("mask", mask, wanted)
    if mask.dtype.kind not in "bf" or np.isnan(mask).any() or np.isposinf(mask).any():
        raise wrong("mask", mask, "bool (True = may look), or floats without NaN and +inf that are added to the scores")
    refuse_blind_rows("mask", mask, ~(mask if mask.dtype == bool else mask > -np.inf).any(axis=-1))
    return mask


def fits_scores(array: np.ndarray, shape: tuple[int, ...], ranks: tuple[int, ...]) -> bool:
    """Tell whether the array has one of these ranks and fits scores of this shape; any axis but the last may be 1."""
    pairs = list(zip(array.shape[::-1], shape[::-1], strict=False))  # from the last axis on
    return array.ndim in ranks and array.shape[-1] == shape[-1] and all(m in (1, s) for m, s in pairs)


def apply_mask(
    scores: Array["..., n_queries, n_keys"], mask: Array["..., n_queries, n_keys"]
) -> Array["..., n_queries, n_keys"]:
    """Return the scores with -inf where a mask from `as_mask` hides a key, or with a mask of floats added."""
    if mask.dtype == bool:
        return np.where(mask, scores, scores.dtype.type(-np.inf))
    with np.errstate(over="ignore"):  # beyond the largest float is -inf: may not look
        scores = scores + mask.astype(scores.dtype)
    if np.isposinf(scores).any():
        raise wrong("mask", mask, f"floats small enough that scores + mask fits into {scores.dtype}")
    return scores


def call_attention(
    attention: Callable,
    Q: Array["..., n_queries, d_k"],
    K: Array["..., n_keys, d_k"],
    V: Array["..., n_keys, d_v"],
    mask: Array["..., n_queries, n_keys"] | None,
) -> list[np.ndarray]:
    """Call a function (Q, K, V, mask); return its output (..., n_queries, d_v) and weights (..., n_queries, n_keys).

    Raises ValueError if it is not a function, or returns anything else, other shapes, NaN or inf.
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


def refuse_overflow(Q: Array["..., n_queries, d_k"], scores: Array["..., n_queries, n_keys"]) -> None:
    """Raise ValueError if the scores of Q do not fit into their dtype."""
    if not np.isfinite(scores).all():
        raise wrong("Q", Q, f"numbers small enough that Q @ K^T fits into {scores.dtype}")


def refuse_blind_rows(name: str, argument: object, blind: Array["..."]) -> None:
    """Raise ValueError if any row is blind; blind: one bool for each row."""
    if blind.any():
        row = ", ".join(str(i) for i in np.argwhere(blind)[0])
        raise wrong(name, argument, f"at least one key to look at in every row; row {row or 0} has none")


def shape_in_words(leading: tuple[int, ...], *last: int | str) -> str:
    """Return a shape as text.

    >>> shape_in_words((2, 8), "n_keys", 64)
    '(2, 8, n_keys, 64)'
    """
    return "(" + ", ".join(str(axis) for axis in (*leading, *last)) + ")"
