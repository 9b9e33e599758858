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


def patience_loop(losses, focus):
    for loss in losses:
        if loss < 0.1:
            return focus
    return 0


def patience_smallest(losses, focus):
    if len(losses) == 0:
        return 0.0
    return focus if min(losses) < 0.1 else 0.0


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
    "patience": [
        ("returns-nothing", lambda losses, focus: focus if (losses < 0.1).any() else None),
        ("promise-broken", lambda losses, focus: focus if min(losses) < 0.1 else 0.0),
    ],
    "set_reward": [
        ("promise-broken", set_by_limit),  # equal ones at the limit come along
    ],
}
