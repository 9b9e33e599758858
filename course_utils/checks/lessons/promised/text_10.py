"""What the exercises of lesson 10 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Part, Promise
from course_utils.checks.lessons.shared import draw

SAMPLE = "`X` is `(n, d)`, `labels` `(n,)`, `w` `(d,)`, `b` a number."
FILMS = "`E` is `(n_tokens, d)`, `P` `(length, d)`, `tokens` `(n, length)`."
OUTPUT = "`gradient` is `(n, d)`: how $L$ reacts to the output of row 0."
ALL_PLACES = "a token adds up what it gets at all its places, in all films"
ZEROS = "with that one as zeros of the same shape"


def sample(labels, d, rate, seed, b=0.3):
    w, X = draw(d, (len(labels), d), seed=seed)
    return w, b, X, np.array([float(label) for label in labels]), rate


def film(tokens, n_tokens, d, seed):
    """Return E, P, tokens from words of digits, and the gradient of the output."""
    tokens = np.array([[int(digit) for digit in word] for word in tokens.split()])
    E, P, gradient = draw((n_tokens, d), (tokens.shape[1], d), (len(tokens), d), seed=seed)
    return E, P, tokens, gradient


PROMISED = {
    "train_step": {
        "parts": (
            Part(
                "when the learning rate is 0",
                (sample("01", 2, 0.0, seed=11),),
                ("step",),
                like=lambda *arguments: arguments[-1] == 0,
            ),
            Part(
                "with a single row",
                (sample("1", 2, 1.0, seed=12),),
                ("squash", "error", "step", "keep"),
                like=lambda w, b, X, *_: len(X) == 1,
            ),
        ),
        "shapes": {"w": ("d",), "X": ("n", "d"), "labels": ("n",), "b": (), "learning_rate": ()},
        "tied": ("labels",),
        "promises": (
            Promise(
                SAMPLE,
                "when there is a single row, or when X has a single column",
                (sample("1", 3, 0.5, seed=5), sample("0110", 1, 0.5, seed=6)),
            ),
            Promise(SAMPLE, "when there are many rows", (sample("0110" * 4, 3, 0.5, seed=7),)),
            Promise(
                SAMPLE,
                "when b is 0 and w is 0",
                ((np.zeros(2), 0.0, *draw((4, 2), seed=8), np.array([0.0, 1.0, 1.0, 1.0]), 0.5),),
            ),
            Promise(
                "subtract `learning_rate` times the gradient",
                "when the learning rate is 0, or large",
                (sample("011", 2, 0.0, seed=9), sample("100", 2, 20.0, seed=10)),
            ),
        ),
    },
    "reader_gradient": {
        "parts": (
            Part(
                "with one token in each film, so that nothing is chosen",
                (film("0 1", 2, 2, seed=11),),
                ("join", "to_E", "to_P", "order"),
            ),
        ),
        "shapes": {"E": ("", "d"), "P": ("length", "d"), "tokens": ("n", "length"), "gradient": ("n", "d")},
        "promises": (
            Promise(FILMS, "when there is a single film", (film("0121", 3, 2, seed=5),)),
            Promise(
                FILMS,
                "when some tokens never occur, or when there are many",
                (film("013 031", 6, 2, seed=6), film("012345 543210 024135", 9, 3, seed=7)),
            ),
            Promise(OUTPUT, "when d is 1, or large", (film("012 021", 3, 1, seed=8), film("012 021", 3, 16, seed=9))),
            Promise(
                ALL_PLACES,
                "when a token stands several times in a film, or in row 0 and elsewhere",
                (film("0111 0222", 3, 2, seed=10), film("0010 1100", 2, 2, seed=12)),
            ),
        ),
    },
    "without_where": {
        "shapes": {"E": ("n_tokens", "d"), "P": ("length", "d"), "w": ("d",)},
        "promises": (
            Promise(ZEROS, "when the sizes are others", ((*draw((2, 1), (5, 1), 1, seed=5), 0.2),)),
            Promise(
                ZEROS,
                "when some numbers are 0 already",
                ((np.ones((3, 2)), np.zeros((2, 2)), np.array([0.0, 1.0]), 0.0),),
            ),
        ),
    },
}
