"""Names that the Python of every page may use without an import: NumPy, random inputs, facts, parts of attention."""

import numpy as np

from course_utils import attention as _course
from course_utils.arrays.shapes import Array
from course_utils.attention import merge_heads, softmax, split_heads
from course_utils.layers import gelu

__all__ = [
    "FAR_ROWS",
    "HELPERS",
    "NO_NEGATIVE",
    "ROWS_SUM",
    "VERY_LOW",
    "attention_back",
    "digits",
    "draw",
    "f1",
    "gelu",
    "merge_heads",
    "norm",
    "np",
    "one_score_0",
    "root",
    "softmax",
    "split_heads",
    "spread",
    "through_softmax",
    "turned",
]

# The course's versions of students' helpers: does an answer become right with them?
HELPERS = {
    name: getattr(_course, name)
    for name in ("softmax", "split_heads", "merge_heads", "attention_scores", "scaled_dot_product_attention")
}
# Below what other programs use for minus infinity, such as -1e9, and exact in float32.
VERY_LOW = -(2.0**60)
# Q (2, 4), K (3, 4). Query 1 scores 3,000 lower than query 0: subtracting one maximum for both makes its row underflow.
# All scores are whole, and so exact in float32.
FAR_ROWS = 2 * np.eye(2, 4), np.array([[1.0, -3000.0, 0, 0], [2.0, -3001.0, 0, 0], [0.0, -2999.0, 0, 0]])
NO_NEGATIVE = (lambda w: (w > -1e-6).all(), "No weight should be negative.")
ROWS_SUM = (lambda w: np.allclose(w.sum(-1), 1, atol=1e-3), "The weights in a row should sum to 1, but yours do not.")


def draw(*shapes: int | tuple[int, ...], seed: int) -> tuple[np.ndarray, ...]:
    """Return an array of normal numbers for each shape, the same on every machine.

    >>> [a.shape for a in draw((5, 3), 3, seed=1)]
    [(5, 3), (3,)]
    """
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=shape) for shape in shapes)


def spread(shape: tuple[int, ...], seed: int) -> tuple[np.ndarray]:
    """Return random weights of this shape whose rows sum to 1, as the only argument of a probe."""
    e = np.exp(draw(shape, seed=seed)[0])
    return (e / e.sum(-1, keepdims=True),)


def one_score_0(Q: Array["..., n_queries, d_k"], K: Array["..., n_keys, d_k"], *others: object) -> tuple:
    """Return these arguments, changed so that key 0 has score 0 with every query, without any zero vector."""
    Q, K = Q.copy(), K.copy()
    Q[..., 0], K[..., 0, :], K[..., 0, 0] = 0, 0, 1
    return Q, K, *others


def digits(*rows: str) -> tuple[Array["n"], ...]:
    """Return an array of whole numbers for each row of digits: labels, predictions, how often a word is negated.

    >>> digits("102", "01")
    (array([1, 0, 2]), array([0, 1]))
    """
    return tuple(np.array([int(digit) for digit in row]) for row in rows)


def f1(y: Array["n"], p: Array["n"]) -> float:
    """Return the F1 score of predictions p for labels y, 0 or 1 each."""
    return 2 * (y * p).sum() / (y.sum() + p.sum())


def norm(vectors: Array["..., d"]) -> Array["..."]:
    """Return the length of each vector."""
    return np.sqrt((vectors**2).sum(-1))


def turned(M: Array["..., m, n"]) -> Array["..., n, m"]:
    """Return M with its last two axes swapped."""
    return np.swapaxes(M, -1, -2)


def root(d: int) -> float:
    """Return 1 / √d, the factor on scores."""
    return d**-0.5


def through_softmax(W: Array["..., n"], dW: Array["..., n"]) -> Array["..., n"]:
    """Return the gradient of the scores from the weights and their gradient."""
    return W * (dW - (W * dW).sum(-1, keepdims=True))


def attention_back(
    Q: Array["..., n_queries, d_k"],
    K: Array["..., n_keys, d_k"],
    V: Array["..., n_keys, d_v"],
    gradient: Array["..., n_queries, d_v"],
) -> tuple[Array["..., n_queries, d_k"], Array["..., n_keys, d_k"], Array["..., n_keys, d_v"]]:
    """Return the gradients of Q, K and V from that of the output."""
    W = softmax(Q @ turned(K) * root(Q.shape[-1]))
    dS = through_softmax(W, gradient @ turned(V)) * root(Q.shape[-1])
    return dS @ K, turned(dS) @ Q, turned(W) @ gradient
