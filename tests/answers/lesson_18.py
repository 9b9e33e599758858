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


def cosines(query, vectors):
    norms = np.linalg.norm(vectors, axis=1) * np.linalg.norm(query)
    return np.where(norms > 0, vectors @ query / np.where(norms > 0, norms, 1), 0)


def search_sorted(query, vectors, k):
    alike = cosines(query, vectors)
    return sorted(range(len(vectors)), key=lambda i: -alike[i])[:k]


def search_one_by_one(query, vectors, k):
    left = dict(enumerate(cosines(query, vectors)))
    found = []
    while left and len(found) < k:
        best = max(left, key=left.get)  # the first of equal ones
        found.append(best)
        del left[best]
    return found


def search_by_units(query, vectors, k):
    length = np.linalg.norm(query)
    unit = query / length if length else np.zeros(len(query))
    alike = [vector @ unit / (np.linalg.norm(vector) or 1) for vector in vectors]
    return np.lexsort((np.arange(len(vectors)), -np.array(alike)))[:k]


def search_with(alike=cosines, sort=lambda a: np.argsort(-a, kind="stable"), last=lambda order, k, a, V: order[:k]):
    def answer(query, vectors, k):
        found = alike(query, vectors)
        return last(sort(found), k, found, vectors)

    return answer


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
    "which_control": [
        ("other pairs", "coins", "other word", "other token"),
        ["other pairs", "coins", "other word", "other token"],
        np.array(["Other pairs", "coins", "other word ", "other token"]),
    ],
    "search": [
        search_sorted,
        search_one_by_one,
        search_by_units,
        search_with(),
        lambda query, vectors, k: tf.argsort(cosines(query, vectors), direction="DESCENDING", stable=True)[:k],
    ],
}
WRONG = {
    "mean_pooling": [
        ("shape-extra-axis", lambda hidden, mask: (total(hidden, mask) / lengths(mask))[:, None]),
    ],
    "which_control": [
        ("not-a-value", ("other pairs", "coins")),
        ("not-a-value", 4),
    ],
    "search": [
        ("promise-broken", search_with(sort=lambda a: np.argsort(-a))),  # stable for few only
        (
            "promise-broken",
            search_with(lambda q, V: V @ q / np.maximum(np.linalg.norm(V, axis=1) * np.sqrt(q @ q), 1e-8)),
        ),
    ],
}
