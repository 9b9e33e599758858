"""What several lessons use: probes, facts, and attention with switches, for each exercise that scores or mixes.

Each switch is one step of attention, and each setting one way in which students write that step.
The right settings are the defaults.
"""

import numpy as np

from course_utils.checks.engine.exercise import fault

# A score below the numbers that stand for minus infinity in other programs, such as -1e9; a float32 holds it.
VERY_LOW = -(2.0**60)
# Q (2, 4), K (3, 4). Query 1 scores 3,000 lower than query 0: one maximum for both leaves nothing of its row.
# All scores are whole, so that a float32 holds them.
FAR_ROWS = 2 * np.eye(2, 4), np.array([[1.0, -3000.0, 0, 0], [2.0, -3001.0, 0, 0], [0.0, -2999.0, 0, 0]])
NO_NEGATIVE = (lambda w: (w > -1e-6).all(), "No weight is negative.")
ROWS_SUM = (lambda w: np.allclose(w.sum(-1), 1, atol=1e-3), "Each row of weights must sum to 1, and yours do not.")


def draw(*shapes, seed):
    """Return one array of normal numbers for each shape, the same on every machine.

    >>> [a.shape for a in draw((5, 3), 3, seed=1)]
    [(5, 3), (3,)]
    """
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=shape) for shape in shapes)


def spread(shape, seed):
    """Return random weights of this shape, each row with the sum 1, as the only argument of a probe."""
    e = np.exp(draw(shape, seed=seed)[0])
    return (e / e.sum(-1, keepdims=True),)


def rows_of_weights(n_rows, n, seed, towards):
    """Return weights (n_rows, n), each row with the sum 1, and the mean of one column above all others.

    They are multiples of 1 / 256, so that their sums are exact in every precision.
    """
    scores = np.random.default_rng(seed).normal(size=(n_rows, n))
    scores[:, towards] += 1.2
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    whole = np.maximum(np.round(256 * shares), 1)
    whole[np.arange(n_rows), whole.argmax(axis=1)] += 256 - whole.sum(axis=1)
    return whole / 256


def one_score_0(Q, K, *others):
    """Return these arguments with the product of each query and key 0 exactly 0, and no vector of zeros among them."""
    Q, K = Q.copy(), K.copy()
    Q[..., 0], K[..., 0, :], K[..., 0, 0] = 0, 0, 1
    return Q, K, *others


def digits(*rows):
    """Return one array of whole numbers for each row of digits: labels, predictions, how often a word is negated.

    >>> digits("102", "01")
    (array([1, 0, 2]), array([0, 1]))
    """
    return tuple(np.array([int(digit) for digit in row]) for row in rows)


def f1(y, p):
    """Return the F1 score of predictions p (n,) for labels y (n,), 0 or 1 each."""
    return 2 * (y * p).sum() / (y.sum() + p.sum())


def exp_share(scores, axis):
    """Weights from scores (..., n_queries, n_keys): exp, then a share of the sum that `axis` gives."""
    highest = scores.max(-1, keepdims=True) if axis is rows else 0  # later lessons pass scores of any size
    return share_of(np.exp(scores - highest), axis)


def share_of(e, axis):
    return e / axis(e)


def rows(e):
    return e.sum(-1, keepdims=True)


def columns(e):
    return e.sum(-2, keepdims=True)


def through_softmax(W, dW):
    """Gradient of the scores from weights and their gradient, (..., n) each."""
    return W * (dW - (W * dW).sum(-1, keepdims=True))


def turned(M):
    """The last two axes of M change places."""
    return np.swapaxes(M, -1, -2)


def attention_back(Q, K, V, gradient):
    """Gradients of Q, K and V (..., n, d) each, from that of the output, (..., n_queries, d_v)."""
    W = exp_share(Q @ turned(K) * root_d_k(Q, K), rows)
    dS = through_softmax(W, gradient @ turned(V)) * root_d_k(Q, K)
    return dS @ K, turned(dS) @ Q, turned(W) @ gradient


def root_d_k(Q, K):
    return Q.shape[-1] ** -0.5


def scores(Q, K, *, roles=lambda Q, K: (Q, K), product=lambda Q, K: Q @ K.T, scale=root_d_k, last=lambda s: s):
    """Scores of Q (n_queries, d_k) and K (n_keys, d_k): (n_queries, n_keys)."""
    Q, K = roles(Q, K)
    return last(product(Q, K) * scale(Q, K))


def weights(Q, K, *, share=exp_share, axis=rows, scale=root_d_k, scale_when="before", **switches):
    """Weights of Q (n_queries, d_k) over K (n_keys, d_k): (n_queries, n_keys)."""
    if scale_when == "after":
        return share(scores(Q, K, scale=lambda Q, K: 1, **switches), axis) * scale(Q, K)
    return share(scores(Q, K, scale=scale, **switches), axis)


def attention(Q, K, V, *, mix=lambda W, V, Q, K: W @ V, whole=None, **switches):
    """Output of Q (n_queries, d_k), K (n_keys, d_k), V (n_keys, d_v): (n_queries, d_v)."""
    return whole(Q, K, V) if whole else mix(weights(Q, K, **switches), V, Q, K)


def masked_attention(
    Q,
    K,
    V,
    mask,
    *,
    roles=lambda Q, K: (Q, K),
    product=lambda Q, K: Q @ turned(K),
    scale=root_d_k,
    look=lambda mask: mask,
    hide=lambda s, mask: np.where(mask, s, -np.inf),
    late=None,
    share=exp_share,
    axis=rows,
    mix=lambda W, K, V: W @ V,
    last=lambda output: output,
):
    """Output (..., n_queries, d_v) of Q (..., n_queries, d_k), K and V (..., n_keys, d_v) under a mask."""
    scores = product(*roles(Q, K)) * scale(Q, K)
    W = late(share(scores, axis), look(mask)) if late else share(hide(scores, look(mask)), axis)
    return last(mix(W, K, V))


def lengths(vectors):
    return np.sqrt((vectors**2).sum(-1))


ROLE_FAULTS = (
    fault("query-key-swapped", roles=lambda Q, K: (K, Q)),
    fault("key-unused", roles=lambda Q, K: (Q, Q)),
    fault("query-unused", roles=lambda Q, K: (K, K)),
)

PRODUCT_FAULTS = (
    fault("key-not-transposed", product=lambda Q, K: Q @ K),
    fault("key-not-transposed", product=lambda Q, K: Q @ K.reshape(K.shape[::-1])),
    fault("product-over-tokens", product=lambda Q, K: Q.T @ K),
    fault("product-elementwise", product=lambda Q, K: Q * K),
    fault("product-same-row", product=lambda Q, K: (Q * K).sum(-1)),
    fault("product-absolute", product=lambda Q, K: abs(Q @ K.T)),
    fault("product-cosine", product=lambda Q, K: Q @ K.T / np.outer(lengths(Q), lengths(K))),
    fault("product-distance", product=lambda Q, K: -lengths(Q[:, None] - K)),
    fault("product-distance", product=lambda Q, K: lengths(Q[:, None] - K)),
)

SCALE_FAULTS = (
    fault("scale-missing", scale=lambda Q, K: 1),
    fault("scale-dk-not-sqrt", scale=lambda Q, K: 1 / Q.shape[-1]),
    fault("scale-dk-not-sqrt", scale=lambda Q, K: Q.shape[-1] ** -2.0),
    fault("scale-multiplied", scale=lambda Q, K: Q.shape[-1] ** 0.5),
    fault("scale-multiplied", scale=lambda Q, K: Q.shape[-1]),
    fault("scale-n", scale=lambda Q, K: K.shape[0] ** -0.5),
    fault("scale-n", scale=lambda Q, K: 1 / K.shape[0]),
    fault("scale-half-not-root", scale=lambda Q, K: 2 / Q.shape[-1]),  # / (d_k ** 1/2)
    fault("scale-half-not-root", scale=lambda Q, K: 0.5 / Q.shape[-1]),  # / d_k ** 1/2
)
SCORE_FAULTS = (*ROLE_FAULTS, *PRODUCT_FAULTS, *SCALE_FAULTS)

AXIS_FAULTS = (
    fault("softmax-axis", axis=columns),
    fault("softmax-over-all", axis=lambda e: e.sum()),
    fault("softmax-keepdims", axis=lambda e: e.sum(-1)),
)

SHARE_FAULTS = (
    fault("softmax-missing", share=lambda s, axis: s),
    fault("softmax-unnormalised", share=lambda s, axis: np.exp(s)),
    fault("softmax-unnormalised", share=lambda s, axis: np.exp(s - s.max(-1, keepdims=True))),
    fault("softmax-without-exp", share=lambda s, axis: s / axis(s)),
    fault("softmax-wrong-sum", share=lambda s, axis: np.exp(s) / axis(s)),
    fault("softmax-wrong-sum", share=lambda s, axis: np.exp(s) / np.exp(axis(s))),
    fault("softmax-by-n", share=lambda s, axis: np.exp(s) / s.shape[-1]),
    fault("softmax-sigmoid", share=lambda s, axis: 1 / (1 + np.exp(-s))),
    fault("softmax-hard", share=lambda s, axis: np.eye(s.shape[-1])[s.argmax(-1)]),
    fault("softmax-log", share=lambda s, axis: np.log(exp_share(s, axis))),
    fault("softmax-twice", share=lambda s, axis: exp_share(exp_share(s, axis), axis)),
    fault("softmax-sign", share=lambda s, axis: exp_share(-s, axis)),
    fault("softmax-base", share=lambda s, axis: exp_share(s * np.log(2), axis)),
)
MAXIMUM_FAULTS = (  # of a matrix of scores; one row has only one maximum
    fault("softmax-max-axis", share=lambda s, axis: share_of(np.exp(s - s.max(-2, keepdims=True)), axis)),
    fault("softmax-keepdims", share=lambda s, axis: share_of(np.exp(s - s.max(-1)), axis)),
)
WEIGHT_FAULTS = (
    *SCORE_FAULTS,
    *AXIS_FAULTS,
    *SHARE_FAULTS,
    *MAXIMUM_FAULTS,
    fault("scale-after-softmax", scale_when="after"),
)

MIX_FAULTS = (
    fault("value-missing", mix=lambda W, V, Q, K: W),
    fault("value-elementwise", mix=lambda W, V, Q, K: W * V),
    fault("value-is-key", mix=lambda W, V, Q, K: W @ K),
    fault("value-is-query", mix=lambda W, V, Q, K: W @ Q),
    fault("value-transposed", mix=lambda W, V, Q, K: W @ V.T),
    fault("softmax-too-late", whole=lambda Q, K, V: exp_share(scores(Q, K) @ V, rows)),
    fault("value-first", mix=lambda W, V, Q, K: V @ W),
    fault("value-mean", mix=lambda W, V, Q, K: np.tile(V.mean(0), (len(Q), 1))),
    fault("value-mean", mix=lambda W, V, Q, K: V.mean(0)),
    fault("value-sum", mix=lambda W, V, Q, K: V.sum(0)),
    fault("weights-transposed", mix=lambda W, V, Q, K: W.T @ V),
    fault("output-transposed", mix=lambda W, V, Q, K: (W @ V).T),
    fault("output-divided", mix=lambda W, V, Q, K: W @ V / V.shape[0]),
    fault("output-pooled", mix=lambda W, V, Q, K: (W @ V).sum(0)),
    fault("output-pooled", mix=lambda W, V, Q, K: (W @ V).mean(0)),
)

SENSE_FAULTS = (  # of an exercise that gives a mask
    fault("mask-inverted", sense=np.logical_not),
    fault("mask-additive", sense=lambda mask: np.where(mask, 0.0, -np.inf)),
    fault("mask-additive", sense=lambda mask: np.where(mask, 0.0, -1e9)),
)
