"""The rewards for a classifier whose [CLS] looks at one position, or at a few; and when they start to count.

These are the course's own; `cls_model.train` also takes others.
"""

from collections.abc import Callable, Sequence

import keras
import tensorflow as tf

from course_utils.arrays.arguments import wrong

LEARNED = 0.1  # an epoch's loss below this: the position is learned. Before that, a reward may settle on another one


def look_reward(weights: keras.KerasTensor) -> keras.KerasTensor:
    """Return how well [CLS] looks at one position in a batch: weights (batch, n) become one number, at most 0.

    The position with the most weight on average is the favourite: mean(log(weight on the favourite)).
    It is not told which position or token to look at.
    """
    favourite = keras.ops.argmax(keras.ops.mean(weights, axis=0))
    return keras.ops.mean(keras.ops.log(keras.ops.take(weights, favourite, axis=1)))


def set_reward(weights: keras.KerasTensor, n_places: int) -> keras.KerasTensor:
    """Return how well [CLS] looks at n_places positions in a batch together: weights (batch, n) become one number.

    The positions with the most weight on average are the favourites: mean(log(sum of the weights on them)).
    """
    _, favourites = keras.ops.top_k(keras.ops.mean(weights, axis=0), n_places)
    return keras.ops.mean(keras.ops.log(keras.ops.sum(keras.ops.take(weights, favourites, axis=1), axis=1)))


def patience(losses: Sequence[float], focus: float) -> float:
    """Return how much the reward counts in the next epoch: focus once an epoch's loss was below LEARNED, 0 before.

    >>> patience([], 0.3), patience([0.7, 0.08, 0.12], 0.3)
    (0.0, 0.3)
    """
    return focus if any(loss < LEARNED for loss in losses) else 0.0


def call_reward(reward: Callable, weights: keras.KerasTensor) -> keras.KerasTensor:
    """Return the reward of weights (batch, n). Raises ValueError for a function that gives anything but one number."""
    wanted = "a function of the weights (batch, n) that computes one number with keras.ops, which NumPy cannot"
    try:
        number = reward(weights)
    except (NotImplementedError, tf.errors.OperatorNotAllowedInGraphError) as problem:
        raise wrong("reward", reward, wanted) from problem
    if not keras.ops.is_tensor(number) or number.shape.rank != 0:
        raise wrong("reward", reward, wanted)
    return number
