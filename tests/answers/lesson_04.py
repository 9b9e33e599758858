"""Answers to the exercises of lesson 04."""

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


def total_kept(Q, K, V):
    e = np.exp(Q @ K.T / np.sqrt(Q.shape[-1]))
    total, rows = 0, []
    for w in e / e.sum(axis=1, keepdims=True):
        for share, value in zip(w, V, strict=True):
            total = total + share * value
        rows.append(total)
    return np.array(rows)


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
        ("transposed", lambda ids, E: E[ids].T),
        ("promise-broken", lambda ids, E: np.array([E[i] for i in ids.ravel()])),
        ("reversed", lambda ids, E: E[ids[::-1]]),
    ],
    "project": [
        ("raises", lambda X, W_Q, W_K, W_V: (X @ W_Q, X @ W_K, X.T @ W_V)),
        ("returns-too-few", lambda X, W_Q, W_K, W_V: X @ W_Q),
        ("returns-too-few", lambda X, W_Q, W_K, W_V: (X @ W_Q, X @ W_K)),
        ("returns-too-many", lambda X, W_Q, W_K, W_V: (X, X @ W_Q, X @ W_K, X @ W_V)),
        ("returns-nothing", lambda X, W_Q, W_K, W_V: (X @ W_Q, X @ W_K, X @ W_V) and None),
        ("returns-generator", lambda X, *matrices: (X @ W for W in matrices)),
    ],
    "scores": [
        ("promise-broken", square_loops),  # as many keys as queries: the text names two sizes
        ("scale-hardcoded", lambda Q, K: Q @ K.T / np.sqrt(2)),
        ("scale-hardcoded", lambda Q, K: Q @ K.T / 8),
        ("scale-hardcoded query-key-swapped", lambda Q, K: K @ Q.T / 8),
        ("scale-dmodel", by_d_model),
        ("scale-wrong", lambda Q, K: Q @ K.T / np.sqrt(Q.shape[1] + 1)),
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
        ("scale-hardcoded", lambda Q, K: soft(Q @ K.T / np.sqrt(2))),
        ("softmax-axis scale-hardcoded", lambda Q, K: soft(Q @ K.T / np.sqrt(64), axis=0)),
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
        ("scale-hardcoded", lambda Q, K, V: soft(Q @ K.T / np.sqrt(64)) @ V),
        ("scale-wrong", lambda Q, K, V: soft(Q @ K.T / np.log(Q.shape[1] + 1)) @ V),
        ("returns-tuple", lambda Q, K, V: (soft(dots(Q, K)) @ V, soft(dots(Q, K)))),
        ("raises", lambda Q, K, V: soft(dots(Q, K)) + V),
        ("returns-nothing", lambda Q, K, V: [].append(soft(dots(Q, K)) @ V)),
    ],
}
