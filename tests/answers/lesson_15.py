"""Answers to the exercises of lesson 15."""

# ruff: noqa: B905

import numpy as np

from answers import tf


def verdict_loop(good, negations):
    labels = []
    for label, n in zip(good, negations):
        for _ in range(n):
            label = 1 - label
        labels.append(label)
    return labels


def told_loop(labels, predictions):
    told = 0
    for i in range(0, len(labels), 2):
        if labels[i] == predictions[i] and labels[i + 1] == predictions[i + 1]:
            told += 1
    return told / (len(labels) // 2)


def right(labels, predictions):
    return labels == predictions


def cut(*places):
    """A function that cuts these places of a full mask: each place maps n, query, key to an index."""

    def mask_of(n, query, key):
        mask = np.ones((n, n), dtype=bool)
        for place in places:
            mask[place(n, query, key)] = False
        return mask

    return mask_of


edge = cut(lambda n, q, k: (q, k))


def masks_of(tokens, queries, keys):
    """Loops over reviews and cuts: masks (n_reviews, n, n)."""
    masks = np.ones((len(tokens), tokens.shape[1], tokens.shape[1]), dtype=bool)
    for mask, some_queries, some_keys in zip(masks, queries, keys):
        for query, key in zip(some_queries, some_keys):
            mask[query, key] = False
    return masks


def everything(tokens):
    return masks_of(tokens, [], [])


def turned(
    cut=masks_of,
    share=lambda before, after: np.mean(before != after),
    verdict=lambda p: p >= 0.5,
    edges=lambda queries, keys: (queries, keys),
):
    """Reads twice, with masks that `cut` makes, and compares as `share` does."""

    def turned_by_cut(read, tokens, queries, keys):
        after = verdict(read(tokens, cut(tokens, *edges(queries, keys))))
        return share(verdict(read(tokens, everything(tokens))), after)

    return turned_by_cut


def one_by_one(read, tokens, queries, keys):
    """Each review is read by itself."""
    count = 0
    for i in range(len(tokens)):
        review = tokens[i : i + 1]
        mask = np.ones((1, tokens.shape[1], tokens.shape[1]), bool)
        before = read(review, mask)[0] >= 0.5
        mask[0, queries[i], keys[i]] = False
        count += before != (read(review, mask)[0] >= 0.5)
    return count / len(tokens)


def by_indices(read, tokens, queries, keys):
    n_reviews, n = tokens.shape
    mask = np.full((n_reviews, n, n), True)
    before = read(tokens, mask)
    mask[np.arange(n_reviews)[:, None], queries, keys] = False
    return np.mean((before >= 0.5) ^ (read(tokens, mask) >= 0.5))


CONTROLS = ("amazing -> not", "good -> movie", "all -> not")
RIGHT = {
    "verdict_label": [
        verdict_loop,
        lambda good, negations: (good + negations) % 2,
        lambda good, negations: good ^ negations % 2,
        lambda good, negations: np.where(negations % 2 == 0, good, 1 - good),
        lambda good, negations: (good == 1) != (negations % 2 == 1),
        lambda good, negations: ((2 * good - 1) * (-1) ** negations + 1) / 2,
        lambda good, negations: tf.math.floormod(tf.constant(good + negations), 2),
    ],
    "twins_told_apart": [
        told_loop,
        lambda labels, predictions: np.mean(right(labels, predictions).reshape(-1, 2).all(axis=1)),
        lambda labels, predictions: (right(labels, predictions)[::2] & right(labels, predictions)[1::2]).mean(),
        lambda labels, predictions: right(labels, predictions).reshape(-1, 2).min(axis=1).mean(),
        lambda labels, predictions: np.float32((abs(labels - predictions).reshape(-1, 2).sum(axis=1) == 0).mean()),
        lambda labels, predictions: tf.reduce_mean(
            tf.cast(tf.reduce_all(tf.reshape(labels == predictions, (-1, 2)), 1), tf.float32)
        ),
    ],
    "cut_edge": [
        edge,
        lambda n, query, key: [[(i, j) != (query, key) for j in range(n)] for i in range(n)],
        lambda n, query, key: ~((np.arange(n)[:, None] == query) & (np.arange(n) == key)),
        lambda n, query, key: np.outer(np.eye(n)[query], np.eye(n)[key]) == 0,
        lambda n, query, key: tf.reshape(tf.range(n * n), (n, n)) != n * query + key,
    ],
    "turned_by_cut": [turned(), one_by_one, by_indices],
    "doubts": [CONTROLS, list(CONTROLS), tuple(" ".join(name.split()) for name in CONTROLS)],
}
WRONG = {
    "verdict_label": [
        ("promise-broken", lambda good, negations: np.where(np.isin(negations, (1, 3)), 1 - good, good)),
    ],
    "twins_told_apart": [
        ("shape", lambda labels, predictions: right(labels, predictions).reshape(-1, 2).all(1)),
    ],
    "cut_edge": [
        ("mask-not-bool", lambda n, query, key: edge(n, query, key).astype(float)),
    ],
    "doubts": [
        ("not-a-value", ("amazing -> not", "good -> movie")),
        ("not-a-value", ("amazing -> not", "good -> movie", "good -> soundtrack")),
        ("not-a-value", "all -> not"),
    ],
}
