"""Answers to the exercises of lesson 06."""

# ruff: noqa: B905

import math

import numpy as np

from answers import tf
from answers.lesson_04 import dots, soft


def mask_loops(n):
    mask = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(i + 1):
            mask[i, j] = True
    return mask


def padding_loops(lengths, n_keys):
    mask = np.zeros((len(lengths), 1, n_keys), dtype=bool)
    for row, length in zip(mask, lengths):
        row[0, :length] = True
    return mask


def words(lengths, n_keys):
    return np.arange(n_keys) < lengths[:, None]


def naive(S):
    e = np.exp(S)
    return e / e.sum(axis=-1, keepdims=True)


def masked_rows(Q, K, mask):
    W = np.zeros(mask.shape)
    for i in range(len(Q)):
        seen = np.flatnonzero(mask[i])
        scores = [Q[i] @ K[j] / math.sqrt(Q.shape[1]) for j in seen]
        e = [math.exp(score - max(scores)) for score in scores]
        W[i, seen] = np.array(e) / sum(e)
    return W


def shared_again(Q, K, mask):
    W = soft(dots(Q, K)) * mask
    return W / W.sum(axis=-1, keepdims=True)


def keras_like(Q, K, mask):
    scores = tf.matmul(Q, K, transpose_b=True) / np.sqrt(Q.shape[1])
    return tf.nn.softmax(scores - 1e9 * (1.0 - tf.cast(mask, tf.float64)))


def masked32(Q, K, mask):
    S = dots(Q.astype(np.float32), K.astype(np.float32))
    S[~mask] = -np.inf
    return soft(S)


def hide(S, mask, value=-np.inf):
    return np.where(mask, S, value)


CAUSAL = np.tri(6, dtype=bool)


def sat_three(Q, K):
    row = np.zeros(6)
    row[:3] = soft(K[:3] @ Q[2] / np.sqrt(Q.shape[1]))
    return row


def label_loops(weights):
    for i in range(len(weights)):
        for j in range(i + 1, len(weights)):
            if weights[i, j] > 0:
                return False
    return True


def one_maximum_for_all(Q, K, mask):
    """The row of a query whose scores lie far below the others' is empty."""
    S = np.where(mask, Q @ K.T / np.sqrt(K.shape[1]), np.nan)
    E = np.exp(S - np.nanmax(S))
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(E / np.nansum(E, axis=1, keepdims=True))


RIGHT = {
    "causal_mask": [
        mask_loops,
        lambda n: np.tril(np.ones((n, n))).astype(bool),
        lambda n: [[j <= i for j in range(n)] for i in range(n)],
        lambda n: np.arange(n)[:, None] >= np.arange(n),
        lambda n: tf.linalg.band_part(tf.ones((n, n)), -1, 0) > 0,
        lambda n: ~np.triu(np.ones((n, n), dtype=bool), 1),
    ],
    "padding_mask": [
        padding_loops,
        lambda lengths, n_keys: words(lengths, n_keys)[:, None, :],
        lambda lengths, n_keys: tf.sequence_mask(lengths, n_keys)[:, None],
        lambda lengths, n_keys: [[[j < length for j in range(n_keys)]] for length in lengths],
    ],
    "masked_weights": [
        masked_rows,
        masked32,
        lambda Q, K, mask: soft(hide(dots(Q, K), mask)),
        lambda Q, K, mask: soft(dots(Q, K) + hide(0.0, mask, -1e30)),
        lambda Q, K, mask: soft(hide(np.einsum("id,jd->ij", Q, K), mask) / Q.shape[1] ** 0.5),
    ],
    "mask_label": [
        label_loops,
        lambda weights: np.array_equal(weights, np.tril(weights)),
        lambda weights: bool(np.triu(weights, 1).sum() == 0),
        lambda weights: tf.reduce_all(tf.equal(weights, tf.linalg.band_part(weights, -1, 0))),
        lambda weights: all(weights[i, i + 1 :].sum() == 0 for i in range(len(weights))),
    ],
    "sat_row": [
        sat_three,
        lambda Q, K: soft(hide(dots(Q, K), CAUSAL))[2],
        lambda Q, K: soft(hide(dots(Q[2:3], K)[0], np.arange(6) <= 2)),
        lambda Q, K: tf.nn.softmax(tf.where(CAUSAL, dots(Q, K), -np.inf))[2],
        lambda Q, K: [*soft(dots(Q[2:3], K[:3]).astype(np.float32))[0], 0, 0, 0],
    ],
}
WRONG = {
    "causal_mask": [
        ("only-some-inputs", lambda n: np.tri(n, dtype=bool) & ~np.tri(n, k=-3, dtype=bool)),
        ("mask-not-bool", lambda n: np.tri(n)),
        ("mask-not-bool", lambda n: [[1 if j <= i else 0 for j in range(n)] for i in range(n)]),
        ("promise-broken", lambda n: np.tri(12, dtype=bool)[:n, :n]),
    ],
    "padding_mask": [
        ("mask-inverted mask-off-by-one", lambda lengths, n_keys: (np.arange(n_keys) > lengths[:, None])[:, None, :]),
        ("mask-not-bool", lambda lengths, n_keys: words(lengths, n_keys)[:, None].astype(float)),
    ],
    "masked_weights": [
        ("promise-broken", one_maximum_for_all),
        ("nan", lambda Q, K, mask: soft(dots(Q, K) + (1 - mask) * -np.inf)),
        ("shape", lambda Q, K, mask: soft(dots(Q, K)[mask])),
        ("promise-broken", shared_again),
        ("promise-broken", keras_like),  # a visible score may be lower than -1e9
        ("promise-broken", lambda Q, K, mask: soft(hide(dots(Q, K), mask, -1e9))),
        ("promise-broken", lambda Q, K, mask: naive(hide(dots(Q, K), mask))),  # 0 / 0 where all scores are low
        ("promise-broken", lambda Q, K, mask: soft(hide(dots(Q, K), mask, -100))),
        ("promise-broken", lambda Q, K, mask: soft(dots(Q, K) - 1e4 * (1 - mask))),
    ],
    "mask_label": [
        ("hard-coded", lambda weights: True),
        ("prints-only", lambda weights: print(not np.triu(weights, 1).any())),
        ("promise-broken", lambda weights: bool((np.triu(weights, 1).round(2) == 0).all())),
        ("promise-broken", lambda weights: bool(np.tril(weights).sum() == len(weights))),
    ],
}
