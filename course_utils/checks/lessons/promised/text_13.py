"""What the exercises of lesson 13 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Promise
from course_utils.checks.lessons.shared import rows_of_weights

ANY = "for any batch and any number of places"
# Places 2 and 3 are alike in every sentence: with one of them or the other, a reward is the same number.
TIED = np.array([[8, 1, 3, 3, 1], [6, 2, 3, 3, 2], [7, 1, 3, 3, 2], [2, 3, 5, 5, 1]]) / 16
PROMISED = {
    "look_reward": {
        "shapes": {"weights": ("batch", "n")},
        "tied": ("weights",),
        "promises": (
            Promise(ANY, "when the batch holds a single sentence", ((rows_of_weights(1, 6, seed=11, towards=2),),)),
            Promise(
                ANY,
                "when sentences are long, or have two words only",
                ((rows_of_weights(5, 40, seed=12, towards=30),), (rows_of_weights(2, 2, seed=13, towards=1),)),
            ),
        ),
    },
    "patience": {
        "shapes": {"losses": ("n_epochs",), "focus": ()},
        "promises": (
            Promise("before the first epoch it is empty", "when no epoch is done yet", ((np.array([]), 0.3),)),
            Promise(
                "with `epochs=30` and small steps too",
                "when the training is long",
                ((np.r_[np.full(20, 0.6), 0.09, np.full(9, 0.2)], 0.4), (np.linspace(0.7, 0.11, 30), 0.4)),
            ),
        ),
    },
    "set_reward": {
        "shapes": {"weights": ("batch", "n"), "n_places": ()},
        "tied": ("weights",),
        "allowed": lambda weights, n_places: 1 <= n_places <= weights.shape[-1],
        "promises": (
            Promise(ANY, "when the batch holds a single sentence", ((rows_of_weights(1, 6, seed=11, towards=2), 2),)),
            Promise(ANY, "when sentences are long", ((rows_of_weights(5, 40, seed=12, towards=30), 6),)),
            Promise("from 1 to `n`", "when all places count", ((rows_of_weights(5, 4, seed=14, towards=1), 4),)),
            Promise("$k$, from 1 to `n`", "when two places have the same mean weight", ((TIED, 2), (TIED[:, ::-1], 2))),
        ),
    },
}
