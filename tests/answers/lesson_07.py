"""Answers to the exercises of lesson 07."""

# ruff: noqa: B905

import numpy as np

from answers import tf
from answers.lesson_04 import dots, soft


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
