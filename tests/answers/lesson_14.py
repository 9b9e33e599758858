"""Answers to the exercises of lesson 14."""

# ruff: noqa: B905

import numpy as np

from answers import tf
from course_utils.cls_task import metrics


def shares(labels, predictions):
    return np.mean(predictions[labels == 1] == 1), np.mean(predictions[labels == 0] == 0)


def balanced_loop(labels, predictions):
    right, seen = {0: 0, 1: 0}, {0: 0, 1: 0}
    for label, prediction in zip(labels, predictions):
        seen[label] += 1
        right[label] += label == prediction
    return sum(right[c] / seen[c] for c in (0, 1)) / 2


def even_loop(weights):
    result = np.zeros(weights.shape)
    result[...] = 1 / weights.shape[-1]
    return result


def sums(W):
    return W.sum(axis=-1, keepdims=True)


def hide_loop(weights, key):
    result = []
    for i, row in enumerate(weights):
        at = key if np.ndim(key) == 0 else key[i]
        rest = sum(w for j, w in enumerate(row) if j != at)
        result.append([0 if j == at else w * sum(row) / rest for j, w in enumerate(row)])
    return result


def hidden(place=None, regrow=None):
    """A function that hides where `place` says, and lets the others grow as `regrow` does."""

    def hide(weights, key):
        left = weights.copy()
        where = place(weights, key) if place else (np.arange(len(weights)), key)
        left[where] = 0
        return regrow(left, weights) if regrow else left / sums(left) * sums(weights)

    return hide


def hide_in_place(weights, key):
    totals = sums(weights)
    weights[np.arange(len(weights)), key] = 0
    weights *= totals / sums(weights)
    return weights


def swap_loop(tokens, at, one, other):
    result = [list(sentence) for sentence in tokens]
    for i, sentence in enumerate(result):
        place = at if np.ndim(at) == 0 else at[i]
        sentence[place] = other if sentence[place] == one else one
    return result


def swap_mask(tokens, at, one, other):
    here = np.arange(tokens.shape[1]) == np.reshape(at, (-1, 1))
    return np.where(here & (tokens == one), other, np.where(here, one, tokens))


def swapped(new, place=lambda at: at):
    def swap(tokens, at, one, other):
        changed, n = tokens.copy(), np.arange(len(tokens))
        changed[n, place(at)] = new(tokens[n, place(at)], one, other)
        return changed

    return swap


def other_if(old, one, other):
    return [other if token == one else one for token in old]


def swap_in_place(tokens, at, one, other):
    n = np.arange(len(tokens))
    tokens[n, at] = np.where(tokens[n, at] == one, other, one)
    return tokens


def variation(row, candidate):
    return abs(row - candidate).sum() / 2


def furthest(
    fits=lambda given, answer, tolerance: abs(given - answer) < tolerance,
    distance=variation,
    better=lambda new, old: new > old,
    start=-1.0,
):
    """A loop over the candidates that keeps the best one so far."""

    def furthest_row(row, answer, candidates, answers, tolerance):
        best, found = start, row
        for candidate, given in zip(candidates, answers):
            if fits(given, answer, tolerance) and better(distance(row, candidate), best):
                best, found = distance(row, candidate), candidate
        return found, max(best, 0) if found is not row else 0

    return furthest_row


def furthest_filtered(row, answer, candidates, answers, tolerance):
    kept = candidates[abs(answers - answer) < tolerance]
    if len(kept) == 0:
        return row, 0.0
    distances = abs(kept - row).sum(axis=1) / 2
    return kept[distances.argmax()], distances.max()


def furthest_gain(row, answer, candidates, answers, tolerance):
    """What some keys gain is what the others lose."""
    gains = np.maximum(candidates - row, 0).sum(axis=1) * (abs(answers - answer) < tolerance)
    return (candidates[gains.argmax()], gains.max()) if gains.any() else (row, 0.0)


def furthest_sorted(row, answer, candidates, answers, tolerance):
    pairs = [(variation(row, c), i) for i, c in enumerate(candidates) if abs(answers[i] - answer) < tolerance]
    if not pairs:
        return list(row), 0
    distance, i = max(pairs)
    return list(candidates[i]), distance


def furthest_without_fallback(row, answer, candidates, answers, tolerance):
    distances = np.where(abs(answers - answer) < tolerance, abs(candidates - row).sum(axis=1) / 2, -1)
    return candidates[distances.argmax()], distances.max()


def hide_by_subtraction(weights, key):
    """1 minus a weight near 1 is 0, or has lost its digits."""
    left = 1 - weights[np.arange(len(weights)), key] / weights.sum(1)
    return np.where(np.arange(weights.shape[1]) == np.reshape(key, (-1, 1)), 0, weights / left[:, None])


PLAN = ("new context", "hide the top", "new meanings", "compare")
RIGHT = {
    "balanced_accuracy": [
        balanced_loop,
        lambda labels, predictions: np.mean(shares(labels, predictions)),
        lambda labels, predictions: metrics(labels, predictions).balanced_accuracy,
        lambda labels, predictions: np.float32(sum(shares(labels, predictions)) / 2),
        lambda labels, predictions: tf.reduce_mean(tf.constant(shares(labels, predictions))),
    ],
    "uniform_attention": [
        even_loop,
        lambda weights: np.ones_like(weights) / weights.shape[-1],
        lambda weights: np.full(weights.shape, 1 / weights.shape[-1], dtype=np.float32),
        lambda weights: tf.nn.softmax(tf.zeros_like(weights)),
        lambda weights: weights * 0 + weights.mean(axis=-1, keepdims=True),
    ],
    "hide": [
        hide_loop,
        hidden(),
        lambda weights, key: hidden()(weights.astype(np.float32), key),
    ],
    "swap": [
        swap_loop,
        swap_mask,
        swapped(other_if),
        lambda tokens, at, one, other: swap_mask(tokens.astype(np.int64), np.asarray(at), one, other).tolist(),
    ],
    "furthest_row": [furthest(), furthest_filtered, furthest_gain, furthest_sorted],
    "experiments": [PLAN, list(PLAN), tuple(name.lower() for name in PLAN)],
}
WRONG = {
    "balanced_accuracy": [
        (
            "only-some-inputs",
            lambda labels, predictions: (
                (predictions == labels)[labels == 1].mean() + (predictions == labels)[labels == 0].mean() / 2
            ),
        ),
        ("returns-tuple", lambda labels, predictions: tuple(np.array([s]) for s in shares(labels, predictions))),
    ],
    "uniform_attention": [
        ("only-some-inputs", lambda weights: np.ones(weights.shape) / weights.shape[1]),
        ("only-some-inputs", lambda weights: np.ones(weights.shape) / 6),
        ("promise-broken", lambda weights: (weights > 0) / (weights > 0).sum(-1, keepdims=True)),
    ],
    "hide": [
        ("promise-broken", hide_by_subtraction),
        ("changes-input", hide_in_place),
    ],
    "swap": [
        ("changes-input", swap_in_place),
    ],
    "furthest_row": [
        ("promise-broken", furthest_without_fallback),
    ],
    "experiments": [
        ("not-a-value", ("new context", "hide the top")),
        ("not-a-value", "new context"),
        ("not-a-value", lambda: PLAN),
    ],
}
