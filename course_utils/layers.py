"""The parts of an encoder beside attention: layer norm, GELU, and one vector for a whole sentence. NumPy only."""

import numpy as np

from course_utils.arguments import as_array, as_finite, wrong


def layer_norm(X, gain, bias):
    """Shift and scale each vector to mean 0 and variance 1, then multiply by `gain` and add `bias`.

    X (..., d), gain (d,), bias (d,). Returns (..., d). 1e-12 is added to the variance, so that a constant vector gives `bias`.
    Raises ValueError for lengths that differ, NaN, inf, and numbers whose square does not fit into the dtype.
    Source: Ba et al. 2016, "Layer Normalization", section 3.

    >>> layer_norm([1.0, 2.0, 3.0], gain=np.ones(3), bias=[0.0, 0.0, 5.0]).round(2)
    array([-1.22,  0.  ,  6.22])
    """
    X = as_finite("X", X, "(..., d)", rank=1)  # (..., d)
    wanted = f"({X.shape[-1]},), one number for each component of X"
    gain, bias = as_finite("gain", gain, wanted), as_finite("bias", bias, wanted)  # (d,)
    for name, array in (("gain", gain), ("bias", bias)):
        if array.shape != X.shape[-1:]:
            raise wrong(name, array, wanted)
    with np.errstate(over="ignore", invalid="ignore"):
        centred = X - X.mean(axis=-1, keepdims=True)  # (..., d)
        variance = np.square(centred).mean(axis=-1, keepdims=True)  # (..., 1)
    if not np.isfinite(variance).all():
        raise wrong("X", X, f"numbers small enough that their squares fit into {X.dtype}")
    return centred / np.sqrt(variance + 1e-12) * gain + bias


# The fit of Press et al. to log(erfc(z) / t) + z^2, with t = 1 / (1 + z / 2): a polynomial in t, the constant first.
TAIL = (
    -1.26551223,
    1.00002368,
    0.37409196,
    0.09678418,
    -0.18628806,
    0.27886807,
    -1.13520398,
    1.48851587,
    -0.82215223,
    0.17087277,
)


def gelu(X):
    """Let positive numbers pass and hold negative ones back, smoothly: x times the share of the normal law below x.

    X (...), no unit. Returns (...), right to 2e-7 in float64. Raises ValueError for NaN and inf. Source: Hendrycks and Gimpel 2016,
    "GELU"; the tail of the normal law by the fit in Press et al. 1992, "Numerical Recipes in C", section 6.2 (each tail to 1.2e-7
    of itself), since NumPy has no error function.

    >>> gelu([-1.0, 0.0, 1.0]).round(4)
    array([-0.1587,  0.    ,  0.8413])
    """
    X = as_finite("X", X, "(...)")
    z = 0.5**0.5 * np.minimum(np.abs(X), 50)  # beyond 50 the tail is 0 in float64 too
    t = 1 / (1 + 0.5 * z)
    series = np.full_like(t, TAIL[-1])
    for coefficient in TAIL[-2::-1]:
        series = series * t + coefficient
    return np.maximum(X, 0) - 0.5 * np.abs(X) * t * np.exp(series - z * z)


def mean_pooling(hidden, mask):
    """Return one vector for each sentence: the mean of its tokens' vectors, without the padding.

    hidden (..., n, d); mask (..., n), bool, True = token, False = padding. Returns (..., d). Raises ValueError for shapes that
    do not fit, a mask that is not bool, NaN, inf, and a sentence without a token. Source: Reimers and Gurevych 2019, section 3.

    >>> mean_pooling([[1.0, 2.0], [3.0, 4.0], [9.0, 9.0]], mask=[True, True, False])
    array([2., 3.])
    """
    hidden = as_finite("hidden", hidden, "(..., n, d)", rank=2)  # (..., n, d)
    mask = as_array("mask", mask, f"{hidden.shape[:-1]}")  # (..., n)
    if mask.dtype != bool or mask.shape != hidden.shape[:-1]:
        raise wrong("mask", mask, f"{hidden.shape[:-1]} and bool, to go with hidden of shape {hidden.shape}")
    if not mask.any(axis=-1).all():
        raise wrong("mask", mask, "at least one token in every sentence")
    shares = mask / mask.sum(axis=-1, keepdims=True)  # (..., n): 1 / number of tokens, or 0
    return (shares[..., None, :].astype(hidden.dtype) @ hidden)[..., 0, :]  # (..., d)


def sentence_vectors(hidden, mask):
    """Return the mean of the tokens' vectors, scaled to length 1: the dot product of two of them is their cosine.

    hidden (..., n, d), mask (..., n), as for `mean_pooling`, which see for the errors; a mean of 0 has no direction and is an
    error too. Returns (..., d). Source: Reimers and Gurevych 2019.

    >>> sentence_vectors([[3.0, 0.0], [3.0, 8.0]], mask=[True, True])
    array([0.6, 0.8])
    """
    means = mean_pooling(hidden, mask)  # (..., d)
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(means, axis=-1, keepdims=True)  # (..., 1)
    if not ((lengths > 0) & np.isfinite(lengths)).all():
        raise wrong(
            "hidden", np.asarray(hidden), f"tokens whose mean is not 0, with squares that fit into {means.dtype}"
        )
    return means / lengths
