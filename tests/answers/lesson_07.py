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


def late(Q, K, V, mask):
    return (soft(Q @ turned(K) / np.sqrt(Q.shape[-1])) * mask) @ V


def late_after(Q, K, V, mask):
    return np.where(mask, soft(Q @ turned(K) / np.sqrt(Q.shape[-1])), 0) @ V


def first_mask(Q, K, V, mask):
    return batched(hide=hidden)(Q, K, V, mask[0])


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


def both_attention(X, context, W_Q, W_K, W_V):
    seen = np.concatenate([X, context])
    scores = (X @ W_Q) @ (seen @ W_K).T / np.sqrt(W_Q.shape[1])
    e = np.exp(scores)
    return e / e.sum(axis=1, keepdims=True) @ (seen @ W_V)


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
        ("heads-merged-early", lambda Q, K, V, mask: attention.merge_heads(batched()(Q, K, V, mask))),
        ("promise-broken", hidden_times_zero),
        ("promise-broken", batched(hide=masked)),  # -1e9, and a visible score may be lower
        ("promise-broken", four_axes_only),
        ("mask-first-sentence", first_mask),
        ("query-key-swapped", batched(product=lambda Q, K: K @ turned(Q))),
        ("key-not-transposed", batched(product=lambda Q, K: Q @ K)),
        ("key-not-transposed", batched(product=lambda Q, K: Q @ K.reshape(K.shape[:-2] + (-1, K.shape[-2])))),
        ("key-all-axes", batched(product=lambda Q, K: Q @ K.T)),
        ("scale-missing", batched(scale=lambda Q: 1)),
        ("scale-dk-not-sqrt", batched(scale=lambda Q: Q.shape[-1])),
        ("scale-multiplied", batched(scale=lambda Q: 1 / np.sqrt(Q.shape[-1]))),
        ("scale-n", batched(scale=lambda Q: np.sqrt(Q.shape[-2]))),
        ("scale-wrong-axis", batched(scale=lambda Q: np.sqrt(Q.shape[1]))),
        ("scale-wrong-axis", batched(scale=lambda Q: np.sqrt(len(Q)))),
        ("mask-inverted", batched(hide=lambda s, mask: np.where(mask, -np.inf, s))),
        ("mask-missing", batched(hide=lambda s, mask: s)),
        ("mask-times-scores", batched(hide=lambda s, mask: s * mask)),
        ("mask-zero-hidden", batched(hide=lambda s, mask: np.where(s * mask == 0, -np.inf, s))),
        ("mask-added", batched(hide=lambda s, mask: s + mask)),
        ("mask-after-softmax", late),
        ("mask-after-softmax", late_after),
        ("softmax-axis", batched(hide=masked, share=lambda s: soft(s, axis=-2))),
        ("softmax-axis", batched(hide=masked, share=lambda s: soft(s, axis=1))),
        ("softmax-axis", batched(hide=masked, share=lambda s: np.exp(s) / np.exp(s).sum(axis=-2, keepdims=True))),
        ("softmax-axis", batched(hide=masked, share=lambda s: np.exp(s) / np.exp(s).sum(axis=1, keepdims=True))),
        ("softmax-axis", batched(hide=hidden, share=lambda s: attention.softmax(s, axis=-2))),
        ("softmax-axis", batched(hide=hidden, share=lambda s: attention.softmax(s, axis=1))),
        ("softmax-over-all", batched(share=lambda s: np.exp(s) / np.exp(s).sum())),
        ("softmax-unnormalised", batched(share=np.exp)),
        ("value-missing", batched(mix=lambda W, K, V: W)),
        ("value-is-key", batched(mix=lambda W, K, V: W @ K)),
        ("weights-transposed", batched(mix=lambda W, K, V: turned(W) @ V)),
        ("scale-missing mask-inverted", batched(scale=lambda Q: 1, hide=lambda s, mask: np.where(mask, -np.inf, s))),
        ("softmax-axis mask-missing", batched(hide=lambda s, mask: s, share=lambda s: soft(s, axis=-2))),
        ("returns-tuple", both_parts),
    ],
    "split_heads": [
        ("heads-overlap", lambda X, n_heads: [X.T[h : h + X.shape[1] // n_heads].T for h in range(n_heads)]),
        ("heads-reshape-without-transpose", lambda X, n_heads: X.reshape(n_heads, len(X), -1)),
        ("heads-not-moved", lambda X, n_heads: X.reshape(len(X), n_heads, -1)),
        ("heads-interleaved", lambda X, n_heads: np.array([X[:, h::n_heads] for h in range(n_heads)])),
        ("heads-not-cut", lambda X, n_heads: np.array([X for _ in range(n_heads)])),
        ("heads-split-tokens", lambda X, n_heads: np.array(np.split(X, n_heads))),
        ("heads-transposed", lambda X, n_heads: np.array([part.T for part in split(X, n_heads)])),
        ("returns-first-only", lambda X, n_heads: X[:, : X.shape[1] // n_heads]),
        ("reversed", lambda X, n_heads: split(X, n_heads)[::-1]),
    ],
    "merge_heads": [
        ("heads-merged-wrong", lambda heads: heads.reshape(heads.shape[1], -1)),
        ("heads-interleaved", lambda heads: np.stack(list(heads), axis=-1).reshape(heads.shape[1], -1)),
        ("heads-added", lambda heads: sum(heads)),
        ("heads-added", lambda heads: heads.mean(axis=0)),
        ("heads-stacked", lambda heads: np.concatenate(list(heads), axis=0)),
        ("heads-first-only", lambda heads: heads[0]),
        ("heads-last-first", lambda heads: np.hstack(heads[::-1])),
        ("heads-transposed", lambda heads: np.hstack(heads).T),
        ("returns-argument", lambda heads: heads),
        ("promise-broken", lambda heads: np.concatenate(heads.squeeze(), axis=-1)),
    ],
    "multi_head": [
        ("heads-reshape-without-transpose", layer(cut=lambda X, h: X.reshape(h, len(X), -1))),
        (
            "heads-not-moved",
            layer(cut=lambda X, h: X.reshape(len(X), h, -1), join=lambda Y: Y.swapaxes(0, 1).reshape(Y.shape[1], -1)),
        ),
        ("heads-interleaved", layer(cut=lambda X, h: np.array([X[:, i::h] for i in range(h)]))),
        ("heads-ignored", lambda X, W_Q, W_K, W_V, W_O, n_heads: attend(X @ W_Q, X @ W_K, X @ W_V) @ W_O),
        ("heads-merged-wrong", layer(join=lambda Y: Y.reshape(Y.shape[1], -1))),
        ("heads-interleaved", layer(join=lambda Y: np.stack(list(Y), axis=-1).reshape(Y.shape[1], -1))),
        ("softmax-axis", layer(share=lambda S: soft(S, axis=-2))),
        ("softmax-over-all", layer(share=lambda S: np.exp(S) / np.exp(S).sum())),
        ("promise-broken", layer(share=lambda S: np.exp(S) / np.exp(S).sum(-1, keepdims=True))),
        ("softmax-missing", layer(share=lambda S: S)),
        ("softmax-unnormalised", layer(share=np.exp)),
        ("softmax-unnormalised", layer(share=lambda S: np.exp(S - S.max(axis=-1, keepdims=True)))),
        ("softmax-without-exp", layer(share=lambda S: S / S.sum(axis=-1, keepdims=True))),
        ("softmax-twice", layer(share=lambda S: soft(soft(S)))),
        ("query-key-swapped", layer(order=(1, 0, 2))),
        ("key-value-swapped", layer(order=(0, 2, 1))),
        ("project-reuses", layer(order=(0, 1, 1))),
        ("project-reuses", layer(order=(0, 0, 2))),
        ("project-one-matrix", layer(order=(0, 0, 0))),
        ("scale-missing", layer(scale=lambda X, Q: 1)),
        ("scale-dk-not-sqrt", layer(scale=lambda X, Q: Q.shape[-1])),
        ("scale-dmodel", layer(scale=lambda X, Q: np.sqrt(X.shape[1]))),
        ("scale-all-heads", layer(scale=lambda X, Q: np.sqrt(len(Q) * Q.shape[-1]))),
        ("scale-n", layer(scale=lambda X, Q: np.sqrt(len(X)))),
        ("scale-multiplied", layer(scale=lambda X, Q: Q.shape[-1] ** -0.5)),
        ("weights-transposed", layer(mix=lambda W, V: np.einsum("hij,hid->hjd", W, V))),
        ("value-missing", layer(mix=lambda W, V: W)),
        ("output-matrix-missing", layer(last=lambda merged, W_O: merged)),
        ("output-matrix-transposed", layer(last=lambda merged, W_O: merged @ W_O.T)),
        ("scale-missing heads-merged-wrong", layer(scale=lambda X, Q: 1, join=lambda Y: Y.reshape(Y.shape[1], -1))),
        (
            "scale-dmodel heads-reshape-without-transpose",
            layer(scale=lambda X, Q: np.sqrt(X.shape[1]), cut=lambda X, h: X.reshape(h, len(X), -1)),
        ),
    ],
    "cross_attention": [
        ("cross-both", both_attention),
        ("cross-swapped", lambda X, C, W_Q, W_K, W_V: attend(C @ W_Q, X @ W_K, X @ W_V)),
        ("cross-context-unused", lambda X, C, W_Q, W_K, W_V: attend(X @ W_Q, X @ W_K, X @ W_V)),
        ("cross-input-unused", lambda X, C, W_Q, W_K, W_V: attend(C @ W_Q, C @ W_K, C @ W_V)),
        ("cross-values-from-input", lambda X, C, W_Q, W_K, W_V: attend(X @ W_Q, C @ W_K, X @ W_V)),
        ("cross-keys-from-input", lambda X, C, W_Q, W_K, W_V: attend(X @ W_Q, X @ W_K, C @ W_V)),
        ("scale-dmodel", lambda X, C, W_Q, W_K, W_V: soft((X @ W_Q) @ (C @ W_K).T / np.sqrt(X.shape[1])) @ (C @ W_V)),
        ("scale-missing", lambda X, C, W_Q, W_K, W_V: soft((X @ W_Q) @ (C @ W_K).T) @ (C @ W_V)),
        (
            "scale-after-softmax",
            lambda X, C, W_Q, W_K, W_V: soft(X @ W_Q @ (C @ W_K).T) / np.sqrt(W_K.shape[1]) @ (C @ W_V),
        ),
        ("scale-n", lambda X, C, W_Q, W_K, W_V: soft((X @ W_Q) @ (C @ W_K).T / np.sqrt(len(C))) @ (C @ W_V)),
        ("softmax-axis", lambda X, C, W_Q, W_K, W_V: soft(dots(X @ W_Q, C @ W_K), axis=0) @ (C @ W_V)),
        ("value-transposed", lambda X, C, W_Q, W_K, W_V: soft(dots(X @ W_Q, C @ W_K)) @ (C @ W_V).T),
        ("softmax-too-late", lambda X, C, W_Q, W_K, W_V: soft(dots(X @ W_Q, C @ W_K) @ (C @ W_V))),
        ("value-missing", lambda X, C, W_Q, W_K, W_V: soft(dots(X @ W_Q, C @ W_K))),
        ("value-is-key", lambda X, C, W_Q, W_K, W_V: soft(dots(X @ W_Q, C @ W_K)) @ (C @ W_K)),
        ("output-divided", lambda X, C, W_Q, W_K, W_V: attend(X @ W_Q, C @ W_K, C @ W_V) / len(C)),
        ("cross-swapped scale-missing", lambda X, C, W_Q, W_K, W_V: soft((C @ W_Q) @ (X @ W_K).T) @ (X @ W_V)),
        (
            "returns-tuple",
            lambda X, C, W_Q, W_K, W_V: (attend(X @ W_Q, C @ W_K, C @ W_V), soft(dots(X @ W_Q, C @ W_K))),
        ),
    ],
}
