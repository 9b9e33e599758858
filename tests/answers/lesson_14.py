"""Answers to the exercises of lesson 14."""

# ruff: noqa: B905

import numpy as np

from answers import tf
from answers.lesson_12 import f1
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


def softmax(W):
    return np.exp(W) / sums(np.exp(W))


def softmax_of_the_rest(weights, key):
    scores = weights.copy()
    scores[np.arange(len(weights)), key] = -np.inf
    return softmax(scores)


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


def swap_columns(tokens, at, one, other):
    changed = tokens.copy()
    changed[:, at] = np.where(tokens[:, at] == one, other, one)
    return changed


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


def furthest_number(row, answer, candidates, answers, tolerance):
    distances = np.where(abs(answers - answer) < tolerance, abs(candidates - row).sum(axis=1) / 2, -1)
    return distances.argmax(), distances.max()


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
            "edit-brackets",
            lambda labels, predictions: (
                (predictions == labels)[labels == 1].mean() + (predictions == labels)[labels == 0].mean() / 2
            ),
        ),
        ("balanced-is-accuracy", lambda labels, predictions: np.mean(labels == predictions)),
        ("balanced-is-recall", lambda labels, predictions: predictions[labels == 1].mean()),
        ("balanced-is-specificity", lambda labels, predictions: (predictions[labels == 0] == 0).mean()),
        ("balanced-not-halved", lambda labels, predictions: sum(shares(labels, predictions))),
        ("balanced-not-halved", lambda labels, predictions: sum(shares(labels, predictions)) - 1),
        ("balanced-product", lambda labels, predictions: np.prod(shares(labels, predictions))),
        ("balanced-product", lambda labels, predictions: np.sqrt(np.prod(shares(labels, predictions)))),
        ("balanced-product", lambda labels, predictions: min(shares(labels, predictions))),
        (
            "balanced-precision",
            lambda labels, predictions: (labels[predictions == 1].mean() + predictions[labels == 1].mean()) / 2,
        ),
        ("balanced-precision", f1),
        (
            "balanced-false-alarms",
            lambda labels, predictions: (predictions[labels == 1].mean() + predictions[labels == 0].mean()) / 2,
        ),
        ("recall-percent", lambda labels, predictions: 100 * np.mean(shares(labels, predictions))),
        ("returns-tuple", lambda labels, predictions: tuple(np.array([s]) for s in shares(labels, predictions))),
    ],
    "uniform_attention": [
        ("edit-size", lambda weights: np.ones(weights.shape) / weights.shape[1]),
        ("edit-fixed", lambda weights: np.ones(weights.shape) / 6),
        ("uniform-root", lambda weights: np.ones(weights.shape) / weights.shape[-1] ** 0.5),
        ("uniform-queries", lambda weights: np.ones(weights.shape) / weights.shape[-2]),
        ("uniform-queries", lambda weights: np.ones(weights.shape) / len(weights)),
        ("uniform-everything", lambda weights: np.ones(weights.shape) / weights.size),
        ("uniform-ones", lambda weights: np.ones(weights.shape)),
        ("uniform-ones", lambda weights: weights * 0),
        ("uniform-average", lambda weights: weights * 0 + weights.mean(axis=-2, keepdims=True)),
        ("uniform-average", lambda weights: weights * 0 + weights.mean(axis=0)),
        ("uniform-one-row", lambda weights: np.ones(weights.shape[-1]) / weights.shape[-1]),
        ("uniform-one-row", lambda weights: 1 / weights.shape[-1]),
        ("uniform-unchanged", lambda weights: weights),
        ("promise-broken", lambda weights: (weights > 0) / (weights > 0).sum(-1, keepdims=True)),
    ],
    "hide": [
        ("promise-broken", hide_by_subtraction),
        ("hide-lost", hidden(regrow=lambda left, W: left)),
        ("hide-sums-to-one", hidden(regrow=lambda left, W: left / sums(left))),
        (
            "hide-shared-evenly",
            hidden(regrow=lambda left, W: np.where(left > 0, left + sums(W - left) / (W.shape[1] - 1), 0)),
        ),
        ("hide-shared-evenly", hidden(regrow=lambda left, W: left + sums(W - left) / W.shape[1])),
        ("hide-made-even", hidden(regrow=lambda left, W: (left > 0) * sums(W) / (W.shape[1] - 1))),
        ("hide-softmax", hidden(regrow=lambda left, W: softmax(left))),
        ("hide-softmax", softmax_of_the_rest),
        (
            "hide-others",
            lambda weights, key: (
                sums(weights) * (np.arange(weights.shape[1]) == np.reshape(key, (-1, 1))).astype(float)
            ),
        ),
        ("hide-all-of-them", hidden(place=lambda W, key: (slice(None), key))),
        ("hide-same-for-all", hidden(place=lambda W, key: (slice(None), np.ravel(key)[0]))),
        ("hide-off-by-one", hidden(place=lambda W, key: (np.arange(len(W)), np.asarray(key) - 1))),
        ("hide-highest", hidden(place=lambda W, key: (np.arange(len(W)), W.argmax(axis=1)))),
        ("changes-input", hide_in_place),
    ],
    "swap": [
        ("swap-one-way", swapped(lambda old, one, other: [other if t == one else t for t in old])),
        ("swap-put-one", swapped(lambda old, one, other: other)),
        ("swap-put-one", swapped(lambda old, one, other: one)),
        ("swap-other-way", swapped(lambda old, one, other: [one if t == one else other for t in old])),
        ("swap-roles", swapped(lambda old, one, other: [one if t == other else other for t in old])),
        ("swap-these-two-only", swapped(lambda old, one, other: [{one: other, other: one}.get(t, t) for t in old])),
        ("swap-everywhere", lambda tokens, at, one, other: np.where(tokens == one, other, one)),
        ("swap-everywhere", lambda tokens, at, one, other: np.where(tokens == one, other, tokens)),
        ("swap-columns", swap_columns),
        ("swap-same-for-all", swapped(other_if, place=lambda at: np.ravel(at)[0])),
        ("swap-off-by-one", swapped(other_if, place=lambda at: np.asarray(at) - 1)),
        ("changes-input", swap_in_place),
    ],
    "furthest_row": [
        ("furthest-not-halved", furthest(distance=lambda row, c: abs(row - c).sum())),
        ("furthest-mean", furthest(distance=lambda row, c: abs(row - c).mean())),
        ("furthest-euclidean", furthest(distance=lambda row, c: np.linalg.norm(row - c))),
        ("furthest-euclidean", furthest(distance=lambda row, c: (row - c) @ (row - c))),
        ("furthest-one-key", furthest(distance=lambda row, c: max(abs(row - c)))),
        ("furthest-nearest", furthest(start=9.0, better=lambda new, old: new < old)),
        ("furthest-first", furthest(better=lambda new, old: old < 0)),
        ("furthest-any-answer", furthest(fits=lambda given, answer, tolerance: True)),
        (
            "furthest-same-verdict",
            furthest(fits=lambda given, answer, tolerance: (given > 0.5) == (answer > 0.5)),
        ),
        ("furthest-other-answers", furthest(fits=lambda given, answer, tolerance: abs(given - answer) >= tolerance)),
        ("furthest-gap-signed", furthest(fits=lambda given, answer, tolerance: given < answer + tolerance)),
        ("furthest-gap-signed", furthest(fits=lambda given, answer, tolerance: given > answer - tolerance)),
        ("furthest-index", furthest_number),
        ("promise-broken", furthest_without_fallback),
    ],
    "experiments": [
        ("plan-score", ("score", "hide the top", "new meanings", "compare")),
        ("plan-importance", ("new context", "compare", "new meanings", "compare")),
        ("plan-context", ("compare", "hide the top", "new meanings", "new context")),
        ("plan-importance", ("new context", "compare", "new meanings", "hide the top")),
        ("plan-meaning", ["new context", "hide the top", "compare", "new meanings"]),
        ("plan-rows", ("new context", "hide the top", "new meanings", "new context")),
        ("not-a-value", ("new context", "hide the top")),
        ("not-a-value", "new context"),
        ("not-a-value", lambda: PLAN),
    ],
}
