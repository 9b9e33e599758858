"""Answers to the exercises of lesson 04. Pairs of mistakes are put together in pairs.py."""

# ruff: noqa: RET503, SIM223

import math

import numpy as np

from answers import tf


def soft(S, axis=-1):
    e = np.exp(S - S.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def dots(Q, K):
    return Q @ K.T / np.sqrt(Q.shape[-1])


def score_loops(Q, K):
    S = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for d in range(Q.shape[1]):
                S[i, j] += Q[i, d] * K[j, d]
    return S / math.sqrt(Q.shape[1])


def score_lists(Q, K):
    return [[float(q @ k) / len(q) ** 0.5 for k in K] for q in Q]


def square_loops(Q, K):
    n = len(Q)
    S = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            S[i, j] = Q[i] @ K[j] / np.sqrt(Q.shape[1])
    return S


def weight_rows(Q, K):
    rows = []
    for q in Q:
        e = [math.exp(q @ k / math.sqrt(len(q))) for k in K]
        rows.append([x / sum(e) for x in e])
    return rows


def weights32(Q, K):
    Q, K = Q.astype(np.float32), K.astype(np.float32)
    return soft(Q @ K.T / np.sqrt(Q.shape[-1]))


def weights16(Q, K):
    Q, K = Q.astype(np.float16), K.astype(np.float16)
    return soft(Q @ K.T / np.float16(np.sqrt(Q.shape[-1])))


def keras_weights(Q, K):
    import keras

    Q, K = keras.ops.cast(Q, "float32"), keras.ops.cast(K, "float32")
    return keras.ops.softmax(Q @ keras.ops.transpose(K) / Q.shape[1] ** 0.5)


def tf_attention(Q, K, V):
    scores = tf.matmul(Q, K, transpose_b=True) / tf.sqrt(tf.cast(tf.shape(K)[-1], tf.float64))
    return tf.matmul(tf.nn.softmax(scores), V)


def attention_loops(Q, K, V):
    output = np.zeros((len(Q), V.shape[1]))
    for i, q in enumerate(Q):
        scores = np.array([q @ k for k in K]) / np.sqrt(len(q))
        e = np.exp(scores)
        for weight, v in zip(e / e.sum(), V, strict=True):
            output[i] += weight * v
    return output


def attention_einsum(Q, K, V):
    return np.einsum("ij,jv->iv", soft(np.einsum("id,jd->ij", Q, K) / Q.shape[1] ** 0.5), V)


def scaled_in_place(Q, K):
    Q /= np.sqrt(Q.shape[1])
    return soft(Q @ K.T)


def returned_in_loop(Q, K):
    for q in Q:
        return K @ q / np.sqrt(len(q))


def kept_last(Q, K):
    for q in Q:
        row = K @ q / np.sqrt(len(q))
    return row


def integers(Q, K):
    S = np.zeros((len(Q), len(K)), dtype=int)
    for i, q in enumerate(Q):
        S[i] = K @ q / np.sqrt(len(q))
    return S


def one_row_short(Q, K):
    S = np.zeros((len(Q), len(K)))
    for i in range(len(Q) - 1):
        S[i] = K @ Q[i] / np.sqrt(Q.shape[1])
    return S


def lower_half(Q, K):
    S = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(i):
            S[i, j] = Q[i] @ K[j] / np.sqrt(Q.shape[1])
    return S


def five_by_five(Q, K):
    S = np.zeros((5, 5))
    for i in range(5):
        for j in range(5):
            S[i, j] = Q[i] @ K[j] / np.sqrt(Q.shape[1])
    return S


def no_attribute(Q, K):
    return Q.matmul(K.T)


d_model, a_matrix = 4, np.ones((5, 3))


def by_d_model(Q, K):
    return Q @ K.T / np.sqrt(d_model)


def reads_outside(queries, keys):
    return a_matrix @ keys.T / np.sqrt(3)


def printed(Q, K):
    print(soft(dots(Q, K)))


def halves(Q, K):
    return soft(Q @ K.T / Q.shape[-1] ** 1 / 2)


def masked_attention(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    for i in range(len(Q)):
        scores[i, i + 1 :] = -np.inf
    e = np.exp(scores)
    return e / e.sum(axis=1, keepdims=True) @ V


def total_kept(Q, K, V):
    e = np.exp(Q @ K.T / np.sqrt(Q.shape[-1]))
    total, rows = 0, []
    for w in e / e.sum(axis=1, keepdims=True):
        for share, value in zip(w, V, strict=True):
            total = total + share * value
        rows.append(total)
    return np.array(rows)


def causal_weights(Q, K):
    rows = np.zeros((len(Q), len(K)))
    for i, q in enumerate(Q):
        e = np.exp(K[: i + 1] @ q / np.sqrt(len(q)))
        rows[i, : i + 1] = e / e.sum()
    return rows


def embed_loop(ids, E):
    """One row after the other, for any number of leading axes."""
    rows = np.zeros((*np.shape(ids), E.shape[1]))
    for place in np.ndindex(np.shape(ids)):
        rows[place] = E[ids[place]]
    return rows


def softmax(S):
    return np.exp(S) / np.exp(S).sum(axis=0)


def with_a_softmax_of_their_own(Q, K):
    return softmax(dots(Q, K))


RIGHT = {
    "embed": [
        embed_loop,
        lambda ids, E: np.eye(len(E))[ids] @ E,
        lambda ids, E: np.take(E, ids, axis=0),
        lambda ids, E: tf.gather(E, ids),
        lambda ids, E: (np.arange(len(E)) == np.asarray(ids)[..., None]).astype(np.float32) @ E.astype(np.float32),
    ],
    "project": [
        lambda X, W_Q, W_K, W_V: (X @ W_Q, X @ W_K, X @ W_V),
        lambda X, *matrices: [np.array([[x @ column for column in W.T] for x in X]) for W in matrices],
        lambda X, *matrices: tuple(np.einsum("nd,dk->nk", X, W) for W in matrices),
        lambda X, *matrices: tuple(tf.matmul(X, W) for W in matrices),
        lambda X, *matrices: [X.astype(np.float32) @ W.astype(np.float32) for W in matrices],
    ],
    "scores": [
        score_loops,
        score_lists,
        dots,
        lambda Q, K: np.einsum("id,jd->ij", Q, K) * Q.shape[1] ** -0.5,
        lambda Q, K: (K @ Q.T).T / math.sqrt(K.shape[1]),
        lambda Q, K: (Q / Q.shape[1] ** 0.25) @ (K / Q.shape[1] ** 0.25).T,
        lambda Q, K: tf.matmul(Q, K, transpose_b=True) / math.sqrt(Q.shape[1]),
        lambda Q, K: Q.astype(np.float32) @ K.T.astype(np.float32) / np.sqrt(np.float32(Q.shape[1])),
    ],
    "weights": [
        weight_rows,
        weights32,
        weights16,
        keras_weights,
        lambda Q, K: soft(dots(Q, K)),
        lambda Q, K: soft(dots(K, Q), axis=0).T,
        lambda Q, K: np.array([soft(K @ q / np.sqrt(len(q))) for q in Q]),
        lambda Q, K: (np.exp(dots(Q, K)).T / np.exp(dots(Q, K)).sum(axis=1)).T,
        lambda Q, K: np.exp(dots(Q, K) - np.log(np.exp(dots(Q, K)).sum(-1))[:, None]),
    ],
    "attention": [
        tf_attention,
        attention_loops,
        attention_einsum,
        lambda Q, K, V: soft(dots(Q, K)) @ V,
        lambda Q, K, V: (V.T @ soft(dots(Q, K)).T).T,
        lambda Q, K, V: soft(dots(*(M.astype(np.float32) for M in (Q, K)))) @ V.astype(np.float32),
        lambda Q, K, V: [sum(w * v for w, v in zip(row, V, strict=True)) for row in soft(dots(Q, K))],
    ],
}
WRONG = {
    "embed": [
        ("embed-one-hot", lambda ids, E: (np.arange(len(E)) == ids[..., None]).astype(float)),
        ("embed-one-hot-narrow", lambda ids, E: (np.arange(ids.max() + 1) == ids[..., None]) @ E),
        ("embed-columns", lambda ids, E: np.take(E, ids, axis=1)),
        ("embed-columns", lambda ids, E: E.T[ids]),
        ("embed-first-rows", lambda ids, E: E[np.arange(len(ids))]),
        ("embed-shifted", lambda ids, E: np.array([E[i - 1] for i in ids])),
        ("embed-sorted", lambda ids, E: np.array([E[i] for i in sorted(ids)])),
        ("embed-sorted", lambda ids, E: np.array([E[i] for i in sorted(set(ids.tolist()))])),
        ("embed-whole-table", lambda ids, E: E.copy()),
        ("embed-times-id", lambda ids, E: (E[ids].T * ids).T),
        ("embed-one-vector", lambda ids, E: sum(E[i] for i in ids)),
        ("embed-one-vector", lambda ids, E: np.mean(E[ids], axis=0)),
        ("transposed", lambda ids, E: E[ids].T),
        ("promise-broken", lambda ids, E: np.array([E[i] for i in ids.ravel()])),
        ("reversed", lambda ids, E: E[ids[::-1]]),
    ],
    "project": [
        ("edit-transposed", lambda X, W_Q, W_K, W_V: (X @ W_Q, X @ W_K, X.T @ W_V)),
        ("query-key-swapped", lambda X, W_Q, W_K, W_V: (X @ W_K, X @ W_Q, X @ W_V)),
        ("key-value-swapped", lambda X, W_Q, W_K, W_V: (X @ W_Q, X @ W_V, X @ W_K)),
        ("query-value-swapped", lambda X, W_Q, W_K, W_V: (X @ W_V, X @ W_K, X @ W_Q)),
        ("project-order", lambda X, W_Q, W_K, W_V: (X @ W_K, X @ W_V, X @ W_Q)),
        ("project-order", lambda X, W_Q, W_K, W_V: (X @ W_V, X @ W_Q, X @ W_K)),
        ("project-one-matrix", lambda X, W_Q, W_K, W_V: (X @ W_Q,) * 3),
        ("project-one-matrix", lambda X, W_Q, W_K, W_V: (X @ W_K, X @ W_K, X @ W_K)),
        ("project-one-matrix", lambda X, W_Q, W_K, W_V: (X @ W_V, X @ W_V, X @ W_V)),
        ("project-reuses", lambda X, W_Q, W_K, W_V: (X @ W_Q, X @ W_K, X @ W_K)),
        ("project-reuses", lambda X, W_Q, W_K, W_V: (X @ W_Q, X @ W_K, X @ W_Q)),
        ("project-reuses", lambda X, W_Q, W_K, W_V: (X @ W_Q, X @ W_Q, X @ W_V)),
        ("project-reuses", lambda X, W_Q, W_K, W_V: (X @ W_K, X @ W_K, X @ W_V)),
        ("project-chained", lambda X, W_Q, W_K, W_V: (X @ W_Q, X @ W_Q @ W_K, X @ W_Q @ W_K @ W_V)),
        ("project-missing", lambda X, W_Q, W_K, W_V: (X, X, X)),
        ("project-missing", lambda X, W_Q, W_K, W_V: (W_Q, W_K, W_V)),
        ("project-adds", lambda X, W_Q, W_K, W_V: (X + W_Q, X + W_K, X + W_V)),
        ("product-elementwise", lambda X, W_Q, W_K, W_V: (X * W_Q, X * W_K, X * W_V)),
        ("project-matrix-first", lambda X, W_Q, W_K, W_V: (W_Q @ X, W_K @ X, W_V @ X)),
        ("project-matrix-transposed", lambda X, W_Q, W_K, W_V: (X @ W_Q.T, X @ W_K.T, X @ W_V.T)),
        ("output-transposed", lambda X, W_Q, W_K, W_V: (W_Q.T @ X.T, W_K.T @ X.T, W_V.T @ X.T)),
        ("returns-too-few", lambda X, W_Q, W_K, W_V: X @ W_Q),
        ("returns-too-few", lambda X, W_Q, W_K, W_V: (X @ W_Q, X @ W_K)),
        ("returns-too-many", lambda X, W_Q, W_K, W_V: (X, X @ W_Q, X @ W_K, X @ W_V)),
        ("returns-nothing", lambda X, W_Q, W_K, W_V: (X @ W_Q, X @ W_K, X @ W_V) and None),
        ("returns-generator", lambda X, *matrices: (X @ W for W in matrices)),
    ],
    "scores": [
        ("promise-broken", square_loops),  # as many keys as queries: the text names two sizes
        ("query-key-swapped", lambda Q, K: K @ Q.T / np.sqrt(Q.shape[1])),
        ("key-unused", lambda Q, K: Q @ Q.T / np.sqrt(Q.shape[1])),
        ("query-unused", lambda Q, K: K @ K.T / np.sqrt(Q.shape[1])),
        ("key-not-transposed", lambda Q, K: Q @ K / np.sqrt(Q.shape[1])),
        ("key-not-transposed", lambda Q, K: Q @ K.reshape(Q.shape[1], -1) / np.sqrt(Q.shape[1])),
        ("product-over-tokens", lambda Q, K: Q.T @ K / np.sqrt(Q.shape[1])),
        ("product-elementwise", lambda Q, K: Q * K / np.sqrt(Q.shape[1])),
        ("product-same-row", lambda Q, K: (Q * K).sum(axis=1) / np.sqrt(Q.shape[1])),
        ("product-absolute", lambda Q, K: np.abs(Q @ K.T) / np.sqrt(Q.shape[1])),
        (
            "product-cosine",
            lambda Q, K: np.array([[q @ k / np.sqrt(q @ q * (k @ k)) for k in K] for q in Q]) / np.sqrt(Q.shape[1]),
        ),
        ("product-distance", lambda Q, K: -np.linalg.norm(Q[:, None] - K[None], axis=2) / np.sqrt(Q.shape[1])),
        ("product-distance", lambda Q, K: np.linalg.norm(Q[:, None] - K[None], axis=2) / np.sqrt(Q.shape[1])),
        ("scale-missing", lambda Q, K: Q @ K.T),
        ("scale-dk-not-sqrt", lambda Q, K: Q @ K.T / Q.shape[1]),
        ("scale-dk-not-sqrt", lambda Q, K: Q @ K.T / Q.shape[1] ** 2),
        ("scale-multiplied", lambda Q, K: Q @ K.T * np.sqrt(Q.shape[1])),
        ("scale-multiplied", lambda Q, K: Q @ K.T * Q.shape[1]),
        ("scale-n", lambda Q, K: Q @ K.T / np.sqrt(K.shape[0])),
        ("scale-n", lambda Q, K: Q @ K.T / len(K)),
        ("scale-half-not-root", lambda Q, K: Q @ K.T / (Q.shape[1] ** 1 / 2)),
        ("scale-half-not-root", lambda Q, K: Q @ K.T / Q.shape[1] ** 1 / 2),
        ("scale-hardcoded", lambda Q, K: Q @ K.T / np.sqrt(2)),
        ("scale-hardcoded", lambda Q, K: Q @ K.T / 8),
        ("scale-hardcoded query-key-swapped", lambda Q, K: K @ Q.T / 8),
        ("scale-dmodel", by_d_model),
        ("scale-wrong", lambda Q, K: Q @ K.T / np.sqrt(Q.shape[1] + 1)),
        ("softmax-too-early", lambda Q, K: soft(dots(Q, K))),
        ("returns-first-only", returned_in_loop),
        ("returns-last-only", kept_last),
        ("truncated", integers),
        ("last-missing", one_row_short),
        ("differs", lower_half),
        ("shape-flat", lambda Q, K: [q @ k / np.sqrt(len(q)) for q in Q for k in K]),
        ("shape-extra-axis", lambda Q, K: dots(Q, K)[None]),
        ("raises", no_attribute),
        ("raises-on-some", five_by_five),
        ("shifted", lambda Q, K: np.roll(dots(Q, K), 1, axis=0)),
        ("raises", lambda Q, K: undefined_name @ K.T),  # noqa: F821
        ("uses-global", reads_outside),
        ("uses-global", lambda queries, keys: a_matrix @ a_matrix.T),
        ("returns-tuple", lambda Q, K: (dots(Q, K), soft(dots(Q, K)))),
        ("returns-function", lambda Q, K: dots(Q, K).sum),
        ("argument-unused", lambda Q, K: np.sin(Q) @ Q.T),
    ],
    "weights": [
        ("argument-without-effect", lambda Q, K: np.full((len(Q), len(K)), 1 / len(K)) + 0 * (Q @ K.T)),
        ("mask-not-asked", causal_weights),
        ("softmax-axis", lambda Q, K: soft(dots(Q, K), axis=0)),
        ("softmax-axis", lambda Q, K: np.exp(dots(Q, K)) / np.exp(dots(Q, K)).sum(axis=0)),
        ("softmax-over-all", lambda Q, K: np.exp(dots(Q, K)) / np.exp(dots(Q, K)).sum()),
        ("softmax-keepdims", lambda Q, K: np.exp(dots(Q, K)) / np.exp(dots(Q, K)).sum(axis=-1)),
        ("softmax-missing", dots),
        ("softmax-unnormalised", lambda Q, K: np.exp(dots(Q, K))),
        ("softmax-unnormalised", lambda Q, K: np.exp(dots(Q, K) - dots(Q, K).max(axis=-1, keepdims=True))),
        ("softmax-without-exp", lambda Q, K: dots(Q, K) / dots(Q, K).sum(axis=-1, keepdims=True)),
        ("softmax-wrong-sum", lambda Q, K: np.exp(dots(Q, K)) / dots(Q, K).sum(axis=-1, keepdims=True)),
        ("softmax-wrong-sum", lambda Q, K: np.exp(dots(Q, K)) / np.exp(dots(Q, K).sum(axis=-1, keepdims=True))),
        ("softmax-by-n", lambda Q, K: np.exp(dots(Q, K)) / len(K)),
        ("softmax-sigmoid", lambda Q, K: 1 / (1 + np.exp(-dots(Q, K)))),
        ("softmax-hard", lambda Q, K: np.eye(len(K))[dots(Q, K).argmax(axis=-1)]),
        ("softmax-log", lambda Q, K: np.log(soft(dots(Q, K)))),
        ("softmax-twice", lambda Q, K: soft(soft(dots(Q, K)))),
        ("softmax-sign", lambda Q, K: soft(-dots(Q, K))),
        ("softmax-base", lambda Q, K: 2 ** dots(Q, K) / (2 ** dots(Q, K)).sum(axis=-1, keepdims=True)),
        ("scale-after-softmax", lambda Q, K: soft(Q @ K.T) / np.sqrt(Q.shape[1])),
        ("scale-missing", lambda Q, K: soft(Q @ K.T)),
        ("scale-half-not-root", halves),
        ("scale-hardcoded", lambda Q, K: soft(Q @ K.T / np.sqrt(2))),
        ("softmax-axis scale-hardcoded", lambda Q, K: soft(Q @ K.T / np.sqrt(64), axis=0)),
        ("scale-missing softmax-axis", lambda Q, K: soft(Q @ K.T, axis=0)),
        ("key-not-transposed softmax-axis", lambda Q, K: soft(Q @ K / np.sqrt(Q.shape[1]), axis=0)),
        ("query-key-swapped", lambda Q, K: soft(dots(K, Q))),
        ("changes-input", scaled_in_place),
        ("prints-only", printed),
        ("offset", lambda Q, K: soft(dots(Q, K)) + 1),
        ("rounded", lambda Q, K: soft(dots(Q, K)).round(2)),
        ("transposed", lambda Q, K: soft(dots(Q, K)).T),
        ("wrong-arguments", lambda Q: soft(dots(Q, Q))),
        ("helper-wrong", with_a_softmax_of_their_own),
        ("arguments-order", lambda K, Q: soft(dots(Q, K))),
        ("not-a-function", np.ones((12, 12))),
        ("hard-coded", lambda Q, K: np.array([[0.46, 0.32, 0.22]])),
        ("nan", lambda Q, K: soft(np.sqrt(dots(Q, K)))),
        ("promise-broken", lambda Q, K: soft(dots(Q, K)).squeeze()),
    ],
    "attention": [
        ("rows-accumulate", total_kept),
        ("mask-not-asked", masked_attention),
        ("value-missing", lambda Q, K, V: soft(dots(Q, K))),
        ("value-elementwise", lambda Q, K, V: soft(dots(Q, K)) * V),
        ("value-is-key", lambda Q, K, V: soft(dots(Q, K)) @ K),
        ("value-is-query", lambda Q, K, V: soft(dots(Q, K)) @ Q),
        ("value-first", lambda Q, K, V: V @ soft(dots(Q, K))),
        ("value-transposed", lambda Q, K, V: soft(dots(Q, K)) @ V.T),
        ("softmax-too-late", lambda Q, K, V: soft(dots(Q, K) @ V)),
        ("value-mean", lambda Q, K, V: np.array([V.mean(axis=0) for _ in Q])),
        ("value-mean", lambda Q, K, V: V.mean(axis=0)),
        ("value-sum", lambda Q, K, V: V.sum(axis=0)),
        ("weights-transposed", lambda Q, K, V: soft(dots(Q, K)).T @ V),
        ("output-transposed", lambda Q, K, V: V.T @ soft(dots(Q, K)).T),
        ("output-divided", lambda Q, K, V: soft(dots(Q, K)) @ V / len(V)),
        ("output-pooled", lambda Q, K, V: (soft(dots(Q, K)) @ V).sum(axis=0)),
        ("output-pooled", lambda Q, K, V: (soft(dots(Q, K)) @ V).mean(axis=0)),
        ("softmax-missing", lambda Q, K, V: dots(Q, K) @ V),
        ("scale-missing", lambda Q, K, V: soft(Q @ K.T) @ V),
        ("scale-after-softmax", lambda Q, K, V: soft(Q @ K.T) / np.sqrt(Q.shape[1]) @ V),
        ("scale-hardcoded", lambda Q, K, V: soft(Q @ K.T / np.sqrt(64)) @ V),
        ("scale-wrong", lambda Q, K, V: soft(Q @ K.T / np.log(Q.shape[1] + 1)) @ V),
        ("returns-tuple", lambda Q, K, V: (soft(dots(Q, K)) @ V, soft(dots(Q, K)))),
        ("raises", lambda Q, K, V: soft(dots(Q, K)) + V),
        ("returns-nothing", lambda Q, K, V: [].append(soft(dots(Q, K)) @ V)),
    ],
}
