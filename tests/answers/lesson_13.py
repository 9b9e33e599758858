"""Answers to the exercises of lesson 13."""

from importlib import import_module

import numpy as np

from answers import tf


class Operations:
    """keras.ops, imported when the first answer needs it."""

    def __getattr__(self, name):
        return getattr(import_module("keras").ops, name)


ops = Operations()


def reward(weights, favourite=None, log=None, mean=None):
    """A reward with one step done in another way."""
    place = (favourite or favourite_of)(weights)
    return (mean or ops.mean)((log or ops.log)(ops.take(weights, place, axis=1)))


def favourite_of(weights):
    return ops.argmax(ops.mean(weights, axis=0))


def reward_in_tensorflow(weights):
    favourite = tf.argmax(tf.reduce_mean(weights, axis=0))
    return tf.reduce_mean(tf.math.log(tf.gather(weights, favourite, axis=1)))


def reward_one_hot(weights):
    chosen = ops.one_hot(favourite_of(weights), weights.shape[1])
    on_it = ops.sum(weights * ops.cast(chosen, weights.dtype), axis=-1)
    return ops.sum(ops.log(on_it)) / on_it.shape[0]


def reward_sorted(weights):
    order = ops.argsort(ops.sum(weights, axis=0))
    return ops.mean(ops.log(weights + 1e-9), axis=0)[order[-1]]


def reward_in_numpy(weights):
    favourite = np.argmax(np.mean(weights, axis=0))
    return np.mean(np.log(weights[:, favourite]))


def reward_in_a_loop(weights):
    total = 0
    for row in weights:
        total += ops.log(row[favourite_of(weights)])
    return total / len(weights)


def patience_loop(losses, focus):
    for loss in losses:
        if loss < 0.1:
            return focus
    return 0


def patience_smallest(losses, focus):
    if len(losses) == 0:
        return 0.0
    return focus if min(losses) < 0.1 else 0.0


def patience_last(losses, focus):
    if len(losses) == 0 or losses[-1] >= 0.1:
        return 0.0
    return focus


def places(weights, n_places):
    return ops.top_k(ops.mean(weights, axis=0), n_places)[1]


def set_of(weights, chosen, join=None, mean=None):
    """A reward of chosen places with one step done in another way."""
    taken = ops.take(weights, chosen, axis=1)
    return (mean or ops.mean)(ops.log((join or ops.sum)(taken, axis=1)))


def set_in_turn(weights, n_places):
    order = ops.argsort(-ops.mean(weights, axis=0))
    total = 0.0
    for i in range(n_places):
        total = total + ops.take(weights, order[i], axis=1)
    return ops.mean(ops.log(total))


def set_by_limit(weights, n_places):
    average = ops.mean(weights, axis=0)
    least = ops.min(ops.top_k(average, n_places)[0])
    chosen = ops.cast(average >= least, weights.dtype)
    return ops.mean(ops.log(ops.sum(weights * chosen, axis=1)))


def early_stopping(losses, focus, wait=3):
    """No loss of the last epochs is below the best one before them."""
    if len(losses) <= wait:
        return 0.0
    return focus if min(losses[-wait:]) >= min(losses[:-wait]) else 0.0


RIGHT = {
    "look_reward": [
        reward,
        reward_in_tensorflow,
        reward_one_hot,
        reward_sorted,
        lambda weights: ops.mean(ops.log(weights[:, favourite_of(weights)])),
        lambda weights: ops.max(ops.mean(weights, axis=0)) * 0 + reward(weights),
    ],
    "patience": [
        patience_loop,
        patience_smallest,
        lambda losses, focus: focus if (losses < 0.1).any() else 0.0,
        lambda losses, focus: focus * any(loss < 0.1 for loss in losses),
        lambda losses, focus: 0.0 if np.min(losses, initial=1) >= 0.1 else focus,
    ],
    "set_reward": [
        lambda weights, n_places: set_of(weights, places(weights, n_places)),
        lambda weights, n_places: set_of(weights, ops.argsort(-ops.mean(weights, axis=0))[:n_places]),
        set_in_turn,
    ],
}
WRONG = {
    "look_reward": [
        ("reward-leaves-keras", reward_in_numpy),
        ("reward-leaves-keras", reward_in_a_loop),
        ("reward-leaves-keras", lambda weights: float(reward(weights))),
        ("reward-leaves-keras", lambda weights: ops.stop_gradient(reward(weights))),
        ("reward-sign", lambda weights: -reward(weights)),
        ("reward-log-missing", lambda weights: reward(weights, log=lambda w: w)),
        ("reward-log-base", lambda weights: reward(weights, log=ops.log2)),
        ("reward-log-base", lambda weights: reward(weights, log=ops.log10)),
        ("reward-mean-missing", lambda weights: reward(weights, mean=ops.sum)),
        ("reward-mean-missing", lambda weights: reward(weights, mean=lambda logs: logs)),
        ("reward-axis", lambda weights: reward(weights, lambda w: ops.argmax(ops.mean(w, axis=1)))),
        ("reward-axis", lambda weights: reward(weights, lambda w: ops.argmax(ops.mean(w, axis=-1)))),
        ("reward-first-sentence", lambda weights: reward(weights, lambda w: ops.argmax(w[0]))),
        ("reward-first-sentence", lambda weights: reward(weights, lambda w: ops.argmax(w[-1]))),
        ("reward-each-sentence", lambda weights: ops.mean(ops.log(ops.max(weights, axis=1)))),
        ("reward-each-sentence", lambda weights: ops.mean(ops.max(weights, axis=1))),
        ("reward-log-of-mean", lambda weights: ops.log(ops.max(ops.mean(weights, axis=0)))),
        ("reward-log-missing", lambda weights: ops.max(ops.mean(weights, axis=0))),
        ("reward-position-fixed", lambda weights: ops.mean(ops.log(weights[:, 4]))),
        ("reward-position-fixed", lambda weights: ops.mean(ops.log(weights[:, 3]))),
        ("reward-axis", lambda weights: ops.mean(ops.log(weights[:, 0]))),
        ("reward-least", lambda weights: reward(weights, lambda w: ops.argmin(ops.mean(w, axis=0)))),
        ("reward-without-cls", lambda weights: reward(weights, lambda w: ops.argmax(ops.mean(w[:, 1:], axis=0)) + 1)),
        ("reward-without-cls", lambda weights: reward(weights, lambda w: ops.argmax(ops.mean(w[:, 1:], axis=0)))),
        ("reward-sentence-taken", lambda weights: ops.mean(ops.log(weights[favourite_of(weights)]))),
        ("reward-vote", lambda weights: reward(weights, lambda w: ops.argmax(ops.bincount(ops.argmax(w, axis=1))))),
        ("reward-every-place", lambda weights: ops.mean(ops.log(weights))),
        ("reward-every-place", lambda weights: ops.mean(ops.sum(ops.log(weights), axis=1))),
        ("reward-entropy", lambda weights: ops.mean(ops.sum(weights * ops.log(weights), axis=1))),
        ("reward-is-position", favourite_of),
        ("reward-sign reward-log-missing", lambda weights: -reward(weights, log=lambda w: w)),
        ("reward-mean-missing reward-sign", lambda weights: -reward(weights, mean=ops.sum)),
    ],
    "patience": [
        ("patience-last-only", patience_last),
        ("patience-first-only", lambda losses, focus: focus if len(losses) and losses[0] < 0.1 else 0.0),
        ("patience-all", lambda losses, focus: focus if len(losses) and max(losses) < 0.1 else 0.0),
        ("patience-counts-epochs", lambda losses, focus: focus if len(losses) >= 4 else 0.0),
        ("patience-counts-epochs", lambda losses, focus: focus if len(losses) > 4 else 0.0),
        ("patience-counts-epochs", lambda losses, focus: focus if len(losses) >= 3 else 0.0),
        ("patience-counts-epochs", lambda losses, focus: focus if len(losses) >= 2 else 0.0),
        ("patience-none", lambda losses, focus: focus),
        ("patience-never", lambda losses, focus: focus if (losses < 0).any() else 0.0),
        ("patience-inverted", lambda losses, focus: focus if (losses > 0.1).any() else 0.0),
        ("patience-inverted", lambda losses, focus: 0.0 if (losses < 0.1).any() else focus),
        ("patience-early-stopping", early_stopping),
        ("patience-early-stopping", lambda losses, focus: early_stopping(losses, focus, wait=2)),
        ("patience-mean", lambda losses, focus: focus if len(losses) and sum(losses) / len(losses) < 0.1 else 0.0),
        ("patience-threshold", lambda losses, focus: focus if (losses < 0.01).any() else 0.0),
        ("patience-threshold", lambda losses, focus: focus if (losses < 0.5).any() else 0.0),
        ("patience-focus-fixed", lambda losses, focus: 0.3 if (losses < 0.1).any() else 0.0),
        ("patience-truth", lambda losses, focus: (losses < 0.1).any()),
        ("patience-nothing-before", lambda losses, focus: focus if (losses < 0.1).any() else float("nan")),
        ("returns-nothing", lambda losses, focus: focus if (losses < 0.1).any() else None),
        ("promise-broken", lambda losses, focus: focus if min(losses) < 0.1 else 0.0),
    ],
    "set_reward": [
        ("reward-leaves-keras", lambda weights, n_places: np.sort(weights)[:n_places].sum()),
        ("promise-broken", set_by_limit),  # equal ones at the limit come along
        ("reward-sign", lambda weights, n_places: -set_of(weights, places(weights, n_places))),
        (
            "reward-log-missing",
            lambda weights, n_places: ops.mean(ops.sum(ops.take(weights, places(weights, n_places), axis=1), axis=1)),
        ),
        (
            "reward-mean-missing",
            lambda weights, n_places: set_of(weights, places(weights, n_places), mean=lambda logs: logs),
        ),
        ("reward-mean-missing", lambda weights, n_places: set_of(weights, places(weights, n_places), mean=ops.sum)),
        ("reward-first-sentence", lambda weights, n_places: set_of(weights, ops.top_k(weights[0], n_places)[1])),
        (
            "set-each-sentence",
            lambda weights, n_places: ops.mean(ops.log(ops.sum(ops.top_k(weights, n_places)[0], axis=1))),
        ),
        (
            "set-log-each",
            lambda weights, n_places: ops.mean(ops.log(ops.take(weights, places(weights, n_places), axis=1))),
        ),
        ("set-mean", lambda weights, n_places: set_of(weights, places(weights, n_places), ops.mean)),
        (
            "set-batch-added",
            lambda weights, n_places: set_of(weights, places(weights, n_places), lambda t, axis: ops.sum(t, axis=0)),
        ),
        (
            "set-log-of-mean",
            lambda weights, n_places: ops.log(ops.sum(ops.top_k(ops.mean(weights, axis=0), n_places)[0])),
        ),
        (
            "set-log-of-mean",
            lambda weights, n_places: ops.mean(ops.log(ops.top_k(ops.mean(weights, axis=0), n_places)[0])),
        ),
        ("set-number-fixed", lambda weights, n_places: set_of(weights, places(weights, 2))),
        ("set-one-place", lambda weights, n_places: set_of(weights, places(weights, 1))),
        ("set-one-place", lambda weights, n_places: set_of(weights, places(weights, n_places)[-1:])),
        ("set-least", lambda weights, n_places: set_of(weights, ops.argsort(ops.mean(weights, axis=0))[:n_places])),
        ("set-first-places", lambda weights, n_places: set_of(weights, ops.arange(n_places))),
        ("reward-first-sentence", lambda weights, n_places: set_of(weights, ops.top_k(weights[-1], n_places)[1])),
        (
            "reward-log-base",
            lambda weights, n_places: set_of(weights, places(weights, n_places)) / np.float32(np.log(2)),
        ),
        (
            "reward-log-base",
            lambda weights, n_places: set_of(weights, places(weights, n_places)) / np.float32(np.log(10)),
        ),
        (
            "set-log-each",
            lambda weights, n_places: ops.mean(
                ops.sum(ops.log(ops.take(weights, places(weights, n_places), axis=1)), axis=1)
            ),
        ),
        (
            "set-vote",
            lambda weights, n_places: set_of(
                weights,
                ops.argsort(-ops.bincount(ops.argmax(weights, axis=1), minlength=weights.shape[1]))[:n_places],
            ),
        ),
        (
            "set-without-cls",
            lambda weights, n_places: set_of(weights, 1 + ops.top_k(ops.mean(weights, axis=0)[1:], n_places)[1]),
        ),
    ],
}
