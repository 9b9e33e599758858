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


def verdict_once(good, negations):
    labels = []
    for g, n in zip(good, negations):
        if n:
            g = 1 - g
        labels.append(g)
    return labels


def told_loop(labels, predictions):
    told = 0
    for i in range(0, len(labels), 2):
        if labels[i] == predictions[i] and labels[i + 1] == predictions[i + 1]:
            told += 1
    return told / (len(labels) // 2)


def right(labels, predictions):
    return labels == predictions


def every_neighbour(labels, predictions):
    hits = [labels[i] == predictions[i] for i in range(len(labels))]
    return sum(hits[i] and hits[(i + 1) % len(hits)] for i in range(len(hits))) / len(hits)


def cut(*places):
    """A function that cuts these places of a full mask: each place maps n, query, key to an index."""

    def mask_of(n, query, key):
        mask = np.ones((n, n), dtype=bool)
        for place in places:
            mask[place(n, query, key)] = False
        return mask

    return mask_of


edge = cut(lambda n, q, k: (q, k))


def two_rows(n, query, key):
    mask = np.full((n, n), True)
    for row in (query, key):
        mask[row] = False
    return mask


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


def turned_where_true_cuts(read, tokens, queries, keys, verdict=lambda p: p >= 0.5):
    """The masks of a library in which True = may not look."""
    masks = ~everything(tokens)
    before = verdict(read(tokens, masks))
    masks[np.arange(len(tokens))[:, None], queries, keys] = True
    return np.mean(before != verdict(read(tokens, masks)))


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


def last_cut_only(tokens, queries, keys):
    masks = everything(tokens)
    for i in range(len(tokens)):
        for query, key in zip(queries[i], keys[i]):
            masks[i] = edge(tokens.shape[1], query, key)
    return masks


def cuts_of_all(tokens, queries, keys):
    mask = np.ones((tokens.shape[1],) * 2, dtype=bool)
    mask[queries.ravel(), keys.ravel()] = False
    return np.array([mask] * len(tokens))


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
        ("verdict-negation-unused", lambda good, negations: good + 0),
        ("verdict-any-negation", verdict_once),
        ("verdict-any-negation", lambda good, negations: np.where(negations > 0, 1 - good, good)),
        ("verdict-two-is-none", lambda good, negations: good != (negations == 1)),
        ("verdict-two-is-none", lambda good, negations: good ^ (negations == 2)),
        ("verdict-adjective-unused", lambda good, negations: negations % 2),
        ("verdict-adjective-unused", lambda good, negations: negations % 2 == 0),
        ("verdict-bad-stays-bad", lambda good, negations: (good == 1) & (negations % 2 == 0)),
        ("verdict-any-negation verdict-bad-stays-bad", lambda good, negations: (good == 1) & (negations == 0)),
        ("verdict-negated-is-good", lambda good, negations: (good == 1) | (negations % 2 == 1)),
        ("verdict-inverted", lambda good, negations: good == negations % 2),
        ("verdict-inverted", lambda good, negations: (good + negations + 1) % 2),
        ("verdict-added", lambda good, negations: good + negations % 2),
        ("verdict-added", lambda good, negations: good - negations % 2),
        ("label-signs", lambda good, negations: (2 * good - 1) * (-1) ** negations),
        ("promise-broken", lambda good, negations: np.where(np.isin(negations, (1, 3)), 1 - good, good)),
    ],
    "twins_told_apart": [
        (
            "twins-neighbours",
            lambda labels, predictions: np.mean(
                [all(pair) for pair in zip(labels == predictions, (labels == predictions)[1:])]
            ),
        ),
        ("twins-one-by-one", lambda labels, predictions: np.mean(labels == predictions)),
        ("twins-one-is-enough", lambda labels, predictions: right(labels, predictions).reshape(-1, 2).any(1).mean()),
        ("twins-first-only", lambda labels, predictions: right(labels, predictions)[::2].mean()),
        ("twins-first-only", lambda labels, predictions: right(labels, predictions)[1::2].mean()),
        (
            "twins-only-different",
            lambda labels, predictions: np.mean(right(labels, predictions)[::2] == right(labels, predictions)[1::2]),
        ),
        ("twins-only-different", lambda labels, predictions: np.mean(predictions[::2] != predictions[1::2])),
        ("twins-far-apart", lambda labels, predictions: right(labels, predictions).reshape(2, -1).all(0).mean()),
        ("twins-neighbours", every_neighbour),
        ("twins-not-divided", lambda labels, predictions: right(labels, predictions).reshape(-1, 2).all(1).sum()),
        (
            "twins-per-review",
            lambda labels, predictions: right(labels, predictions).reshape(-1, 2).all(1).sum() / len(labels),
        ),
        ("twins-missed", lambda labels, predictions: 1 - told_loop(labels, predictions)),
        ("recall-percent", lambda labels, predictions: 100 * told_loop(labels, predictions)),
        ("edit-left-out", lambda labels, predictions: right(labels, predictions).reshape(-1, 2).all(1)),
    ],
    "cut_edge": [
        ("cut-two-rows", two_rows),
        ("cut-nothing", cut()),
        ("cut-other-way", cut(lambda n, q, k: (k, q))),
        ("cut-both-ways", cut(lambda n, q, k: (k, q), lambda n, q, k: (q, k))),
        ("cut-whole-query", cut(lambda n, q, k: q)),
        ("cut-whole-key", cut(lambda n, q, k: (slice(None), k))),
        ("cut-whole-key", cut(lambda n, q, k: (np.delete(np.arange(n), k), k))),
        ("cut-cross", cut(lambda n, q, k: q, lambda n, q, k: (slice(None), k))),
        ("cut-neighbour", cut(lambda n, q, k: (q - 1, k - 1))),
        ("cut-neighbour", cut(lambda n, q, k: ((q + 1) % n, (k + 1) % n))),
        ("cut-itself", cut(lambda n, q, k: (q, q))),
        ("cut-itself", cut(lambda n, q, k: (k, k))),
        ("cut-up-to", cut(lambda n, q, k: (q, slice(0, k)))),
        ("cut-up-to", cut(lambda n, q, k: (q, slice(0, k + 1)))),
        ("mask-inverted", lambda n, query, key: ~edge(n, query, key)),
        ("mask-additive", lambda n, query, key: np.where(edge(n, query, key), 0.0, -np.inf)),
        ("mask-additive", lambda n, query, key: np.where(edge(n, query, key), 0.0, -1e9)),
        ("mask-not-bool", lambda n, query, key: edge(n, query, key).astype(float)),
    ],
    "turned_by_cut": [
        ("turned-one-cut", turned(cut=last_cut_only)),
        ("turned-one-cut", turned(edges=lambda queries, keys: (queries[:, :1], keys[:, :1]))),
        (
            "turned-first-review",
            turned(cut=lambda T, q, k: masks_of(T, [q[0]] * len(T), [k[0]] * len(T))),
        ),
        ("turned-cuts-of-all", turned(cut=cuts_of_all)),
        ("cut-other-way", turned(edges=lambda queries, keys: (keys, queries))),
        ("cut-both-ways", turned(edges=lambda queries, keys: (np.c_[queries, keys], np.c_[keys, queries]))),
        ("turned-stayed", turned(share=lambda before, after: np.mean(before == after))),
        ("turned-number", turned(share=lambda before, after: np.sum(before != after))),
        ("turned-probability", turned(verdict=lambda p: p)),
        ("turned-probability", turned(verdict=lambda p: p, share=lambda p, q: abs(p - q).mean())),
        ("turned-praise", turned(share=lambda before, after: after.mean())),
        ("turned-balance", turned(share=lambda before, after: after.mean() - before.mean())),
        ("turned-one-way", turned(share=lambda before, after: np.mean(before & ~after))),
        ("turned-one-way", turned(share=lambda before, after: np.mean(after & ~before))),
        ("turned-half-is-blame", turned(verdict=lambda p: p > 0.5)),
        ("turned-half-is-blame", turned(verdict=np.round)),  # NumPy rounds 0.5 to 0
        ("mask-inverted", turned_where_true_cuts),
        (
            "mask-inverted turned-half-is-blame",
            lambda *given: turned_where_true_cuts(*given, verdict=lambda p: p > 0.5),
        ),
        ("recall-percent", turned(share=lambda before, after: 100 * np.mean(before != after))),
    ],
    "doubts": [
        ("control-both-ends", ("not -> good", "good -> movie", "all -> not")),
        ("control-later", ("amazing -> not", "[CLS] -> good", "all -> not")),
        ("control-same-key", ["good -> movie", "amazing -> not", "all -> not"]),
        ("control-same-query", ("amazing -> not", "all -> not", "good -> movie")),
        ("control-all-ways", ("amazing -> not", "good -> movie", "amazing -> not")),
        ("not-a-value", ("amazing -> not", "good -> movie")),
        ("not-a-value", ("amazing -> not", "good -> movie", "good -> soundtrack")),
        ("not-a-value", "all -> not"),
    ],
}
