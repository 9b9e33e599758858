"""Answers to the exercises of lesson 18."""

# ruff: noqa: B905

import numpy as np

from answers import tf
from course_utils import layers


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


def without_first(hidden, mask):
    words = [rows[1:][keep[1:]] for rows, keep in zip(hidden, mask)]
    return [rows.sum(axis=0) / max(len(rows), 1) for rows in words]


RIGHT = {
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
