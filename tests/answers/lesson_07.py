"""Answers to the exercises of lesson 07."""

# ruff: noqa: B905

import numpy as np

from answers import tf
from answers.lesson_04 import dots, soft
from course_utils import attention


def turned(K):
    return K.swapaxes(-1, -2)


def masked(scores, mask):
    return np.where(mask, scores, -1e9)


def hidden(scores, mask):
    return np.where(mask, scores, -np.inf)


def batched(
    product=lambda Q, K: Q @ turned(K),
    scale=lambda Q: np.sqrt(Q.shape[-1]),
    hide=hidden,
    share=soft,
    mix=lambda W, K, V: W @ V,
):
    """Attention with one step written in another way; scale(Q) is what the scores are divided by."""

    def batched_attention(Q, K, V, mask):
        with np.errstate(invalid="ignore"):
            return mix(share(hide(product(Q, K) / scale(Q), mask)), K, V)

    return batched_attention


def batched_loops(Q, K, V, mask, of=lambda score, may: np.exp(score) if may else 0.0):
    """One query after the other, of all sentences and heads."""
    mask = np.broadcast_to(mask, (*Q.shape[:-1], K.shape[-2]))
    output = np.zeros((*Q.shape[:-1], V.shape[-1]))
    for place in np.ndindex(Q.shape[:-1]):
        k, v = K[place[:-1]], V[place[:-1]]
        scores = np.array([Q[place] @ row / np.sqrt(len(row)) for row in k])
        top = scores[mask[place]].max()
        e = np.array([of(score - top, may) for score, may in zip(scores, mask[place])])
        output[place] = e / e.sum() @ v
    return output


def hidden_times_zero(Q, K, V, mask):
    return batched_loops(Q, K, V, mask, of=lambda score, may: np.exp(score) * may)


def batched_tf(Q, K, V, mask):
    scores = tf.matmul(Q, K, transpose_b=True) / np.sqrt(Q.shape[-1])
    return tf.nn.softmax(tf.where(mask, scores, -np.inf)) @ V


def batched_recursive(Q, K, V, mask):
    """Down to two axes, one leading axis after the other."""
    if Q.ndim == 2:
        return soft(np.where(mask, dots(Q, K), -np.inf)) @ V
    mask = np.broadcast_to(mask, (*Q.shape[:-1], K.shape[-2]))
    return np.stack([batched_recursive(*parts) for parts in zip(Q, K, V, mask)])


def four_axes_only(Q, K, V, mask):
    scores = np.einsum("bhid,bhjd->bhij", Q, K) / np.sqrt(Q.shape[-1])
    return soft(np.where(mask, scores, -np.inf)) @ V


def both_parts(Q, K, V, mask):
    return tuple(attention.scaled_dot_product_attention(Q, K, V, mask))


def split(X, n_heads):
    return np.array(np.split(X, n_heads, axis=1))


def split_loops(X, n_heads):
    width = X.shape[1] // n_heads
    return [X[:, h * width : (h + 1) * width] for h in range(n_heads)]


def merge(heads):
    return np.concatenate(list(heads), axis=-1)


def scores(Q, K):
    return np.einsum("hid,hjd->hij", Q, K)


def layer(cut=split, scale=None, share=soft, mix=np.matmul, join=merge, order=(0, 1, 2), last=np.matmul):
    """Several heads with one step written in another way; scale(X, Q) is what the scores are divided by."""
    scale = scale or (lambda X, Q: np.sqrt(Q.shape[-1]))

    def multi_head(X, W_Q, W_K, W_V, W_O, n_heads):
        matrices = (W_Q, W_K, W_V)
        Q, K, V = (cut(X @ matrices[i], n_heads) for i in order)
        return last(join(mix(share(scores(Q, K) / scale(X, Q)), V)), W_O)

    return multi_head


def head_loop(X, W_Q, W_K, W_V, W_O, n_heads):
    width, found = W_Q.shape[1] // n_heads, []
    for h in range(n_heads):
        part = slice(h * width, (h + 1) * width)
        Q, K, V = X @ W_Q[:, part], X @ W_K[:, part], X @ W_V[:, part]
        found.append(soft(dots(Q, K)) @ V)
    return np.concatenate(found, axis=1) @ W_O


def tf_layer(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = (tf.stack(tf.split(tf.matmul(X, W), n_heads, axis=1)) for W in (W_Q, W_K, W_V))
    heads = tf.nn.softmax(tf.matmul(Q, K, transpose_b=True) / np.sqrt(Q.shape[-1])) @ V
    return tf.concat(tf.unstack(heads), axis=1) @ W_O


def layer32(*arguments):
    *arrays, n_heads = arguments
    return layer()(*(a.astype(np.float32) for a in arrays), n_heads)


def attend(Q, K, V):
    return soft(dots(Q, K)) @ V


def cross_loop(X, context, W_Q, W_K, W_V):
    rows = []
    for x in X:
        e = np.exp([(x @ W_Q) @ (c @ W_K) / np.sqrt(W_K.shape[1]) for c in context])
        rows.append(sum(w * (c @ W_V) for w, c in zip(e / e.sum(), context)))
    return rows


RIGHT = {
    "batched_attention": [
        batched(),
        batched_loops,
        batched_tf,
        batched_recursive,
        lambda Q, K, V, mask: attention.scaled_dot_product_attention(Q, K, V, mask).output,
        batched(product=lambda Q, K: np.einsum("...id,...jd->...ij", Q.astype(np.float32), K.astype(np.float32))),
    ],
    "split_heads": [
        split,
        split_loops,
        lambda X, n_heads: X.reshape(len(X), n_heads, -1).transpose(1, 0, 2),
        lambda X, n_heads: np.einsum("nhd->hnd", X.astype(np.float32).reshape(len(X), n_heads, -1)),
        lambda X, n_heads: tf.stack(tf.split(X, n_heads, axis=1)),
    ],
    "merge_heads": [
        merge,
        lambda heads: np.hstack(heads),
        lambda heads: heads.transpose(1, 0, 2).reshape(heads.shape[1], -1),
        lambda heads: [[number for head in heads for number in head[i]] for i in range(heads.shape[1])],
        lambda heads: tf.concat(tf.unstack(tf.cast(heads, tf.float32)), axis=-1),
    ],
    "multi_head": [layer(), head_loop, tf_layer, layer32],
    "cross_attention": [
        cross_loop,
        lambda X, context, W_Q, W_K, W_V: attend(X @ W_Q, context @ W_K, context @ W_V),
        lambda X, context, W_Q, W_K, W_V: (
            soft(dots(X @ W_Q @ W_K.T, context) * np.sqrt(X.shape[1] / W_K.shape[1])) @ context @ W_V
        ),
        lambda X, context, W_Q, W_K, W_V: tf.nn.softmax(dots(X @ W_Q, context @ W_K)) @ (context @ W_V),
        lambda *given: attend(*(a.astype(np.float32) @ W for a, W in zip((given[0], given[1], given[1]), given[2:]))),
    ],
}
WRONG = {
    "batched_attention": [
        ("promise-broken", hidden_times_zero),
        ("promise-broken", batched(hide=masked)),  # -1e9, and a visible score may be lower
        ("promise-broken", four_axes_only),
        ("returns-tuple", both_parts),
    ],
    "split_heads": [
        ("returns-first-only", lambda X, n_heads: X[:, : X.shape[1] // n_heads]),
        ("reversed", lambda X, n_heads: split(X, n_heads)[::-1]),
    ],
    "merge_heads": [
        ("returns-argument", lambda heads: heads),
        ("promise-broken", lambda heads: np.concatenate(heads.squeeze(), axis=-1)),
    ],
    "multi_head": [
        ("promise-broken", layer(share=lambda S: np.exp(S) / np.exp(S).sum(-1, keepdims=True))),
    ],
    "cross_attention": [
        (
            "returns-tuple",
            lambda X, C, W_Q, W_K, W_V: (attend(X @ W_Q, C @ W_K, C @ W_V), soft(dots(X @ W_Q, C @ W_K))),
        ),
    ],
}
