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


def search_by_length_too(query, vectors, k):
    return np.argsort(-(vectors @ query), kind="stable")


def search_with_nan(query, vectors, k):
    norms = np.linalg.norm(vectors, axis=1) * np.linalg.norm(query)
    with np.errstate(all="ignore"):
        return np.argsort(-(vectors @ query / norms), kind="stable")[:k]


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
        ("pool-largest", lambda hidden, mask: (hidden * mask[..., None]).max(axis=1)),
        ("pool-largest", lambda hidden, mask: (hidden * mask[..., None]).max(axis=1) / lengths(mask)),
        ("pool-axis", lambda hidden, mask: (hidden * mask[..., None]).sum(axis=-1) / lengths(mask)),
        ("pool-axis", lambda hidden, mask: (hidden * mask[..., None]).sum(axis=0) / lengths(mask)),
        ("pool-normalised", layers.sentence_vectors),
        ("pool-batch", lambda hidden, mask: hidden[mask].mean(axis=0)),
        ("shape-extra-axis", lambda hidden, mask: (total(hidden, mask) / lengths(mask))[:, None]),
    ],
    "which_control": [
        ("finding-searched", ("coins", "other pairs", "other word", "other token")),
        ("finding-answers", ("other pairs", "other pairs", "other word", "other token")),
        ("finding-named", ("other pairs", "coins", "other pairs", "other token")),
        ("finding-cut", ("other pairs", "coins", "other word", "other word")),
        ("finding-again", ("other pairs", "again", "other word", "other token")),
        ("finding-unknown", ("pairs", "coins", "word", "token")),
        ("not-a-value", ("other pairs", "coins")),
        ("not-a-value", 4),
    ],
    "search": [
        ("search-without-lengths", search_with(lambda q, V: V @ q)),
        ("search-without-lengths", search_with(lambda q, V: np.einsum("nd,d->n", V, q))),
        ("search-distance", search_with(lambda q, V: -((V - q) ** 2).sum(axis=1))),
        ("product-absolute", search_with(lambda q, V: np.abs(cosines(q, V)))),
        ("search-zero-last", search_with_nan),
        ("search-zero-first", search_with(lambda q, V: np.where(V.any(axis=1), cosines(q, V), 2 * q.any()))),
        ("promise-broken", search_with(sort=lambda a: np.argsort(-a))),  # stable for few only
        (
            "promise-broken",
            search_with(lambda q, V: V @ q / np.maximum(np.linalg.norm(V, axis=1) * np.sqrt(q @ q), 1e-8)),
        ),
        ("search-worst-first", search_with(sort=lambda a: np.argsort(a, kind="stable"))),
        ("search-later-first", search_with(sort=lambda a: np.argsort(a, kind="stable")[::-1])),
        ("search-not-sorted", lambda query, vectors, k: list(range(len(vectors)))[:k]),
        ("search-all", search_with(last=lambda order, k, a, V: order)),
        ("search-one-less", search_with(last=lambda order, k, a, V: order[: k - 1])),
        ("search-one-less", search_with(last=lambda order, k, a, V: order[: k + 1])),
        ("search-best-left-out", search_with(last=lambda order, k, a, V: order[1 : k + 1])),
        ("search-best-only", search_with(last=lambda order, k, a, V: order[0])),
        ("search-best-last", search_with(last=lambda order, k, a, V: list(reversed(order[:k])))),
        ("search-by-place", search_with(last=lambda order, k, a, V: np.sort(order[:k]))),
        ("search-gives-cosines", search_with(last=lambda order, k, a, V: a[order][:k])),
        ("search-gives-vectors", search_with(last=lambda order, k, a, V: V[order][:k])),
        ("search-from-one", search_with(last=lambda order, k, a, V: order[:k] + 1)),
        ("search-without-lengths search-all", search_by_length_too),
    ],
}
