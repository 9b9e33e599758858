"""What the loss of a classifier gains when [CLS] looks at one place, or at a few; and when that begins to count.

These are the course's own. `cls_model.train` takes others in their place.
"""

import keras
import tensorflow as tf

from course_utils.arguments import wrong

LEARNED = 0.1  # an epoch's loss below this: the position has been found. A reward before that may settle on another one


def look_reward(weights):
    """Return how well [CLS] looks at one place in a batch: weights (batch, n) become one number, at most 0.

    The place with the most weight on average is the favourite: mean(log(weight on the favourite)).
    No position is named, and no token.
    """
    favourite = keras.ops.argmax(keras.ops.mean(weights, axis=0))
    return keras.ops.mean(keras.ops.log(keras.ops.take(weights, favourite, axis=1)))


def set_reward(weights, n_places):
    """Return how well [CLS] looks at n_places places in a batch, taken together: weights (batch, n) become one number.

    The places with the most weight on average are the favourites: mean(log(sum of the weights on them)).
    """
    _, favourites = keras.ops.top_k(keras.ops.mean(weights, axis=0), n_places)
    return keras.ops.mean(keras.ops.log(keras.ops.sum(keras.ops.take(weights, favourites, axis=1), axis=1)))


def patience(losses, focus):
    """Return how much the reward counts in the next epoch: focus once an epoch's loss was below LEARNED, 0 before.

    >>> patience([], 0.3), patience([0.7, 0.08, 0.12], 0.3)
    (0.0, 0.3)
    """
    return focus if any(loss < LEARNED for loss in losses) else 0.0


def number_of(reward, row):
    """Return what a reward gives for the weights (batch, n), one number of Keras."""
    wanted = "a function of the weights (batch, n) that computes one number with keras.ops, which NumPy cannot"
    try:
        number = reward(row)
    except (NotImplementedError, tf.errors.OperatorNotAllowedInGraphError) as problem:
        raise wrong("reward", reward, wanted) from problem
    if not keras.ops.is_tensor(number) or number.shape.rank != 0:
        raise wrong("reward", reward, wanted)
    return number
