"""Answers to the exercises of lesson 18."""

# ruff: noqa: B905

import numpy as np

from answers import tf
from answers.lesson_04 import soft
from course_utils import layers
from course_utils.attention import scaled_dot_product_attention, softmax


def turned(K):
    return K.transpose(0, 1, 3, 2)


def masked(scores, mask):
    return np.where(mask, scores, -1e9)


def hidden(scores, mask):
    return np.where(mask, scores, -np.inf)


def attend(
    product=lambda Q, K: Q @ turned(K), scale=lambda Q: np.sqrt(Q.shape[-1]), hide=masked, share=soft, mix=np.matmul
):
    """Attention with one step written in another way; scale(Q) is what the scores are divided by."""

    def batched_attention(Q, K, V, mask):
        with np.errstate(invalid="ignore"):
            weights = share(hide(product(Q, K) / scale(Q), mask))
            return mix(weights, V), weights

    return batched_attention


def by_loops(Q, K, V, mask, of=lambda score, may: np.exp(score) if may else 0.0):
    output, weights = np.zeros(V.shape), np.zeros((*Q.shape[:-1], Q.shape[-2]))
    for b in range(len(Q)):
        for h in range(Q.shape[1]):
            for i, q in enumerate(Q[b, h]):
                e = [of(q @ k / np.sqrt(len(q)), may) for k, may in zip(K[b, h], mask[b, 0, 0])]
                weights[b, h, i] = np.array(e) / sum(e)
                output[b, h, i] = weights[b, h, i] @ V[b, h]
    return output, weights


def hidden_times_zero(Q, K, V, mask):
    return by_loops(Q, K, V, mask, of=lambda score, may: np.exp(score) * may)


def with_tensorflow(Q, K, V, mask):
    scores = tf.matmul(Q, K, transpose_b=True) / np.sqrt(Q.shape[-1])
    weights = tf.nn.softmax(tf.where(mask, scores, -np.inf))
    return weights @ V, weights


def late(Q, K, V, mask):
    weights = soft(Q @ turned(K) / np.sqrt(Q.shape[-1])) * mask
    return weights @ V, weights


def late_after(Q, K, V, mask):
    weights = soft(Q @ turned(K) / np.sqrt(Q.shape[-1]))
    weights = np.where(mask, weights, 0)
    return weights @ V, weights


def with_values(value):
    def batched_attention(Q, K, V, mask):
        output, weights = attend()(Q, K, V, mask)
        return value(Q, K, V, output, weights)

    return batched_attention


def previous_loop(weights):
    return [sum(head[i, i - 1] for i in range(1, len(head))) / (len(head) - 1) for head in weights]


def diagonals(weights, k=-1):
    return np.array([np.diag(head, k) for head in weights])


def pool_loop(hidden, mask):
    return [X[m].mean(axis=0) for X, m in zip(hidden, mask)]


def total(hidden, mask):
    return np.einsum("bnd,bn->bd", hidden, mask)


def lengths(mask):
    return mask.sum(axis=1)[:, None]


def first_mask(Q, K, V, mask):
    scores = Q @ K.swapaxes(2, 3) / np.sqrt(Q.shape[3])
    scores[..., ~mask[0].ravel()] = -np.inf
    e = np.exp(scores)
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def merged_early(Q, K, V, mask):
    e = np.exp(np.where(mask, Q @ K.swapaxes(2, 3) / np.sqrt(Q.shape[3]), -np.inf))
    weights = e / e.sum(axis=-1, keepdims=True)
    return np.concatenate([(weights @ V)[:, h] for h in range(Q.shape[1])], axis=-1), weights


def without_first(hidden, mask):
    words = [rows[1:][keep[1:]] for rows, keep in zip(hidden, mask)]
    return [rows.sum(axis=0) / max(len(rows), 1) for rows in words]


RIGHT = {
    "batched_attention": [
        attend(),
        by_loops,
        with_tensorflow,
        lambda Q, K, V, mask: tuple(scaled_dot_product_attention(Q, K, V, mask)),
        attend(product=lambda Q, K: np.einsum("bhid,bhjd->bhij", Q.astype(np.float32), K.astype(np.float32))),
    ],
    "previous_token": [
        previous_loop,
        lambda weights: diagonals(weights).mean(axis=1),
        lambda weights: np.trace(weights, offset=-1, axis1=1, axis2=2) / (weights.shape[1] - 1),
        lambda weights: tf.reduce_mean(tf.linalg.diag_part(weights[:, 1:, :-1]), axis=-1),
        lambda weights: diagonals(weights).astype(np.float32).mean(axis=1),
    ],
    "mean_pooling": [
        pool_loop,
        layers.mean_pooling,
        lambda hidden, mask: total(hidden, mask) / lengths(mask),
        lambda hidden, mask: (
            np.ma.array(hidden, mask=~np.repeat(mask[..., None], hidden.shape[-1], -1)).mean(axis=1).data
        ),
        lambda hidden, mask: total(hidden.astype(np.float32), mask) / lengths(mask),
        lambda hidden, mask: tf.reduce_sum(tf.where(mask[..., None], hidden, 0), axis=1) / lengths(mask),
    ],
}
WRONG = {
    "batched_attention": [
        ("heads-merged-early", merged_early),
        ("promise-broken", hidden_times_zero),
        ("mask-first-sentence", first_mask),
        ("query-key-swapped", attend(product=lambda Q, K: K @ turned(Q))),
        ("key-not-transposed", attend(product=lambda Q, K: Q @ K)),
        ("key-not-transposed", attend(product=lambda Q, K: Q @ K.reshape(K.shape[:2] + (-1, K.shape[2])))),
        ("key-all-axes", attend(product=lambda Q, K: Q @ K.T)),
        ("scale-missing", attend(scale=lambda Q: 1)),
        ("scale-dk-not-sqrt", attend(scale=lambda Q: Q.shape[3])),
        ("scale-multiplied", attend(scale=lambda Q: 1 / np.sqrt(Q.shape[3]))),
        ("scale-n", attend(scale=lambda Q: np.sqrt(Q.shape[2]))),
        ("scale-wrong-axis", attend(scale=lambda Q: np.sqrt(Q.shape[1]))),
        ("scale-wrong-axis", attend(scale=lambda Q: np.sqrt(len(Q)))),
        ("mask-inverted", attend(hide=lambda s, mask: np.where(mask, -np.inf, s))),
        ("mask-missing", attend(hide=lambda s, mask: s)),
        ("mask-times-scores", attend(hide=lambda s, mask: s * mask)),
        ("mask-added", attend(hide=lambda s, mask: s + mask)),
        ("mask-after-softmax", late),
        ("mask-after-softmax", late_after),
        ("softmax-axis", attend(share=lambda s: soft(s, axis=-2))),
        ("softmax-axis", attend(share=lambda s: soft(s, axis=1))),
        ("softmax-axis", attend(share=lambda s: np.exp(s) / np.exp(s).sum(axis=-2, keepdims=True))),
        ("softmax-axis", attend(share=lambda s: np.exp(s) / np.exp(s).sum(axis=1, keepdims=True))),
        ("softmax-axis", attend(hide=hidden, share=lambda s: softmax(s, axis=-2))),
        ("softmax-axis", attend(hide=hidden, share=lambda s: softmax(s, axis=1))),
        ("softmax-over-all", attend(share=lambda s: np.exp(s) / np.exp(s).sum())),
        ("softmax-unnormalised", attend(share=np.exp)),
        ("value-is-key", with_values(lambda Q, K, V, output, weights: (weights @ K, weights))),
        ("weights-transposed", attend(mix=lambda W, V: turned(W) @ V)),
        ("pair-swapped", with_values(lambda Q, K, V, output, weights: (weights, output))),
        ("scale-missing mask-inverted", attend(scale=lambda Q: 1, hide=lambda s, mask: np.where(mask, -np.inf, s))),
        ("softmax-axis mask-missing", attend(hide=lambda s, mask: s, share=lambda s: soft(s, axis=-2))),
        ("returns-too-few", with_values(lambda Q, K, V, output, weights: output)),
    ],
    "previous_token": [
        ("head-wrong-axes", lambda weights: np.mean(np.diagonal(weights, offset=-1), axis=1)),
        ("head-next-token", lambda weights: diagonals(weights, 1).mean(axis=1)),
        ("head-itself", lambda weights: diagonals(weights, 0).mean(axis=1)),
        ("head-two-before", lambda weights: diagonals(weights, -2).mean(axis=1)),
        ("head-wraps-round", lambda weights: [np.mean([W[i, i - 1] for i in range(len(W))]) for W in weights]),
        ("head-first-column", lambda weights: weights[:, 1:, 0].mean(axis=1)),
        ("head-sum", lambda weights: diagonals(weights).sum(axis=1)),
        ("head-divided-by-n", lambda weights: diagonals(weights).sum(axis=1) / weights.shape[1]),
        ("head-largest", lambda weights: diagonals(weights).max(axis=1)),
        ("head-one-number", lambda weights: diagonals(weights).mean()),
        ("head-over-heads", lambda weights: diagonals(weights).mean(axis=0)),
        ("head-not-averaged", diagonals),
        ("head-next-token head-sum", lambda weights: diagonals(weights, 1).sum(axis=1)),
    ],
    "mean_pooling": [
        ("pool-without-first", without_first),
        ("pool-padding-only", lambda hidden, mask: pool_loop(hidden, ~mask)),
        ("pool-padding-added", lambda hidden, mask: hidden.sum(axis=1) / lengths(mask)),
        ("pool-divided-by-n", lambda hidden, mask: (hidden * mask[:, :, None]).mean(axis=1)),
        ("pool-sum", total),
        ("pool-all-tokens", lambda hidden, mask: total(hidden, mask) / mask.sum()),
        ("pool-mask-unused", lambda hidden, mask: hidden.mean(axis=1)),
        ("pool-first", lambda hidden, mask: hidden[:, 0]),
        ("pool-largest", lambda hidden, mask: hidden.max(axis=1)),
        ("pool-largest", lambda hidden, mask: (hidden * mask[..., None]).max(axis=1) / lengths(mask)),
        ("pool-axis", lambda hidden, mask: (hidden * mask[..., None]).sum(axis=-1) / lengths(mask)),
        ("pool-axis", lambda hidden, mask: (hidden * mask[..., None]).sum(axis=0) / lengths(mask)),
        ("pool-normalised", layers.sentence_vectors),
        ("pool-batch", lambda hidden, mask: hidden[mask].mean(axis=0)),
        ("shape-extra-axis", lambda hidden, mask: (total(hidden, mask) / lengths(mask))[:, None]),
    ],
}
