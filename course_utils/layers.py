"""The block: attention, residual, layer normalisation, feed-forward. And one vector for a whole sentence. NumPy only.

Every model that the course reads in NumPy is a stack of this one block: the classifier, the reviewer, the
writer and the encoder.

Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.1, with the norm after the sum; Radford et al. 2019,
section 2.3, with the norm before each part.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from course_utils.arrays.arguments import as_array, as_count, as_finite, as_real, wrong
from course_utils.arrays.named_arrays import check_axes
from course_utils.arrays.shapes import Array
from course_utils.attention import Attention, MultiHeadAttention, merge_heads, split_heads


def layer_norm(X: Array["..., d"], gain: Array["d"], bias: Array["d"], epsilon: float = 1e-12) -> Array["..., d"]:
    """Shift and scale each vector to mean 0 and variance 1, then multiply by `gain` and add `bias`.

    epsilon is added to the variance, so that a constant vector gives `bias`.
    Raises ValueError for lengths that differ, NaN, inf, numbers whose square does not fit into the dtype,
    and an epsilon of 0 or less. Source: Ba et al. 2016, "Layer Normalization", section 3.

    >>> layer_norm([1.0, 2.0, 3.0], gain=np.ones(3), bias=[0.0, 0.0, 5.0]).round(2)
    array([-1.22,  0.  ,  6.22])
    """
    X = as_finite("X", X, "(..., d)", rank=1)  # (..., d)
    wanted = f"({X.shape[-1]},), one number for each component of X"
    gain, bias = as_finite("gain", gain, wanted), as_finite("bias", bias, wanted)  # (d,)
    for name, array in (("gain", gain), ("bias", bias)):
        if array.shape != X.shape[-1:]:
            raise wrong(name, array, wanted)
    if as_real("epsilon", epsilon) <= 0:
        raise wrong("epsilon", epsilon, "a number above 0")
    with np.errstate(over="ignore", invalid="ignore"):
        centred = X - X.mean(axis=-1, keepdims=True)  # (..., d)
        variance = np.square(centred).mean(axis=-1, keepdims=True)  # (..., 1)
    if not np.isfinite(variance).all():
        raise wrong("X", X, f"numbers small enough that their squares fit into {X.dtype}")
    return centred / np.sqrt(variance + float(epsilon)) * gain + bias


# The fit of Press et al. to log(erfc(z) / t) + z^2, with t = 1 / (1 + z / 2): a polynomial in t, the constant first.
TAIL = (-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806)  # t to the power of 0 to 4
TAIL += (0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277)  # 5 to 9


def gelu(X: Array["..."]) -> Array["..."]:
    """Pass positive numbers and suppress negative ones, smoothly: x times the normal distribution's share below x.

    X has no unit. Accurate to 2e-7 in float64. Raises ValueError for NaN and inf.
    Source: Hendrycks and Gimpel 2016, "GELU"; the tail of the normal distribution by the fit in Press et al. 1992,
    "Numerical Recipes in C", section 6.2 (each tail to 1.2e-7 of itself), since NumPy has no error function.

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


def silu(X: Array["..."]) -> Array["..."]:
    """Pass positive numbers and suppress negative ones: x times its sigmoid. Raises ValueError for NaN and inf.

    Source: Hendrycks and Gimpel 2016, "GELU", section 2, which names it; Elfwing et al. 2017.

    >>> silu([-1.0, 0.0, 1.0]).round(4)
    array([-0.2689,  0.    ,  0.7311])
    """
    X = as_finite("X", X, "(...)")
    return X * (0.5 + 0.5 * np.tanh(X / 2))  # the sigmoid, without overflow


@dataclass(frozen=True, eq=False)
class FeedForward:
    """Two dense matrices with a GELU between them. Each token goes through by itself.

    Raises ValueError for shapes that do not fit.

    >>> FeedForward(np.eye(2), np.zeros(2), np.eye(2), np.ones(2))([[0.0, 20.0]])
    array([[ 1., 21.]])
    """

    W_in: Array["d_model, d_wide"]
    b_in: Array["d_wide"]
    W_out: Array["d_wide, d_model"]
    b_out: Array["d_model"]

    def __post_init__(self) -> None:
        axes = {
            "W_in": ("d_model", "d_wide"),
            "b_in": ("d_wide",),
            "W_out": ("d_wide", "d_model"),
            "b_out": ("d_model",),
        }
        check_axes(vars(self), axes)

    def __call__(self, X: Array["..., d_model"]) -> Array["..., d_model"]:
        """Send each token through. Raises ValueError for vectors of another length."""
        X = as_finite("X", X, "(..., d_model)", rank=1)  # (..., d_model)
        if X.shape[-1] != len(self.W_in):
            raise wrong("X", X, f"(..., {len(self.W_in)}), as many numbers as W_in has rows")
        wide = gelu(X @ self.W_in + self.b_in)  # (..., d_wide)
        return wide @ self.W_out + self.b_out  # (..., d_model)


@dataclass(frozen=True, eq=False)
class Block:
    """One layer of a Transformer: the tokens look at each other, then each goes through the feed-forward part alone.

    The input of a part is added to its output (the residual). norm says what is normalised:
    "after", this sum; "before", the input of the part, and the sum stays as it is.
    attention: with d_out = d_model. norms: a pair (gain, bias) for each part. feed_forward: None leaves that part out.
    epsilon: of the layer norms. Raises ValueError for parts that do not fit each other, and for another norm.

    >>> looks = MultiHeadAttention(np.eye(2), np.eye(2), np.eye(2), np.eye(2), n_heads=1)
    >>> output, weights = Block(looks, norms=[(np.ones(2), np.zeros(2))])([[3.0, 1.0], [0.0, 1.0]])
    >>> output.round(2), weights.shape
    (array([[ 1., -1.], [-1.,  1.]]), (1, 2, 2))
    """

    attention: MultiHeadAttention
    norms: Sequence[tuple[Array["d_model"], Array["d_model"]]]
    feed_forward: FeedForward | None = None
    epsilon: float = 1e-12
    norm: str = "after"

    def __post_init__(self) -> None:
        if self.norm not in ("after", "before"):
            raise wrong("norm", self.norm, '"after" or "before"')
        parts = 1 if self.feed_forward is None else 2
        if len(self.norms) != parts or any(len(norm) != 2 for norm in self.norms):
            raise wrong("norms", self.norms, f"{parts} pairs (gain, bias), one for each part of the block")
        arrays = {"W_Q": self.attention.W_Q, "W_O": self.attention.W_O}
        axes = {"W_Q": ("d_model", "heads"), "W_O": ("values", "d_model")}
        for part, (gain, bias) in zip(("attention", "feed-forward"), self.norms, strict=False):
            arrays |= {f"gain after {part}": gain, f"bias after {part}": bias}
            axes |= {f"gain after {part}": ("d_model",), f"bias after {part}": ("d_model",)}
        if self.feed_forward:
            arrays["b_out"], axes["b_out"] = self.feed_forward.b_out, ("d_model",)
        check_axes(arrays, axes)

    def __call__(
        self,
        X: Array["..., n, d_model"],
        mask: Array["..., n, n"] | None = None,
        attention: Callable | None = None,
    ) -> Attention:
        """Send X through. Returns Attention(output (..., n, d_model), weights (..., n_heads, n, n)).

        mask, attention, errors: as for a call of `MultiHeadAttention`.
        """
        output, weights = self.attention(self._normalise(X, 0, "before"), mask=mask, attention=attention)
        X = self._normalise(X + output, 0, "after")  # (..., n, d_model)
        if self.feed_forward:
            X = self._normalise(X + self.feed_forward(self._normalise(X, 1, "before")), 1, "after")
        return Attention(X, weights)

    def _normalise(self, X, part, position):
        """Return X, normalised if the block has its norm at this position."""
        return layer_norm(X, *self.norms[part], self.epsilon) if self.norm == position else X

    def without(self, heads: Iterable[int]) -> "Block":
        """Return this block without the output of these heads, counted from 0: their rows of W_O are 0."""
        W_O = split_heads(self.attention.W_O.T, self.attention.n_heads).copy()  # (n_heads, d_model, d_v)
        W_O[list(heads)] = 0
        return replace(self, attention=replace(self.attention, W_O=np.ascontiguousarray(merge_heads(W_O).T)))


class BlockWeights(NamedTuple):
    """All numbers that one block learns. The matrices of all heads stand side by side, as in `MultiHeadAttention`.

    W: W_Q, W_K, W_V, W_O. gains, biases: of the norm of each part.
    """

    W: Array["4, d_model, d_model"]
    W_in: Array["d_model, d_wide"]
    b_in: Array["d_wide"]
    W_out: Array["d_wide, d_model"]
    b_out: Array["d_model"]
    gains: Array["2, d_model"]
    biases: Array["2, d_model"]


def random_block(d_model: int, d_wide: int, seed: int) -> BlockWeights:
    """Return the weights of an untrained block, the same for the same seed.

    A matrix of k rows holds normal numbers of standard deviation 1 / sqrt(k), biases are 0 and gains 1.
    Raises ValueError for sizes below 1 and a seed below 0.
    Source: LeCun et al. 1998, "Efficient BackProp", section 4.6.

    >>> random_block(2, 8, seed=0).W_in.shape
    (2, 8)
    """
    d, wide = as_count("d_model", d_model), as_count("d_wide", d_wide)
    rng = np.random.default_rng(as_count("seed", seed, least=0))
    W, W_in, W_out = (rng.normal(size=s) / s[-2] ** 0.5 for s in ((4, d, d), (d, wide), (wide, d)))
    return BlockWeights(W, W_in, np.zeros(wide), W_out, np.zeros(d), np.ones((2, d)), np.zeros((2, d)))


def mean_pooling(hidden: Array["..., n, d"], mask: Array["..., n"]) -> Array["..., d"]:
    """Return one vector for each sentence: the mean of its tokens' vectors, without the padding.

    mask: bool, True = token, False = padding.
    Raises ValueError for shapes that do not fit, a mask that is not bool, NaN, inf, and a sentence without a token.
    Source: Reimers and Gurevych 2019, section 3.

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


def sentence_vectors(hidden: Array["..., n, d"], mask: Array["..., n"]) -> Array["..., d"]:
    """Return the mean of the tokens' vectors, scaled to length 1: the dot product of two of them is their cosine.

    Raises ValueError as `mean_pooling` does, and for a mean of 0, which has no direction.
    Source: Reimers and Gurevych 2019.

    >>> sentence_vectors([[3.0, 0.0], [3.0, 8.0]], mask=[True, True])
    array([0.6, 0.8])
    """
    means = mean_pooling(hidden, mask)  # (..., d)
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(means, axis=-1, keepdims=True)  # (..., 1)
    if not ((lengths > 0) & np.isfinite(lengths)).all():
        wanted = f"tokens whose mean is not 0, with squares that fit into {means.dtype}"
        raise wrong("hidden", np.asarray(hidden), wanted)
    return means / lengths
