"""What the exercises of lesson 15 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Promise
from course_utils.checks.lessons.shared import digits, draw, exp_share, rows

BOTH = "`labels` and `predictions` are both `(n,)`, of 0 and 1."
MASK = "in which every query may look at every key, except `query` at `key`"

READ = "`read(tokens, masks)` gives the probability of praise for each review, `(n_reviews,)`"
EDGES = "`queries` and `keys` are both `(n_reviews, n_cuts)`"


def small_reader(seed):
    """Return a function read(tokens, masks): every word looks once, and all outputs vote."""
    E, P, w = draw((10, 4), (24, 4), 4, seed=seed)

    def read(tokens, masks):
        X = E[tokens] + P[: tokens.shape[-1]]  # (n_reviews, n, d)
        scores = X @ np.swapaxes(X, -1, -2)
        output = exp_share(np.where(masks, scores, -1e9), rows) @ X
        return 1 / (1 + np.exp(-np.sin(6 * output @ w).sum(-1)))  # a sine: small changes may turn the verdict

    return read


def barely(seed):
    """Return a reader that never says more than 0.5, which is praise, or else 0.25."""
    read = small_reader(seed)
    return lambda tokens, masks: np.where(read(tokens, masks) >= 0.5, 0.5, 0.25)


def coarse(seed):
    """Return a reader whose probabilities are eighths: a cut may leave one as it was, to the last digit."""
    read = small_reader(seed)
    return lambda tokens, masks: np.round(8 * read(tokens, masks)) / 8


def reviews(n_reviews, n, n_cuts, seed, reader=small_reader):
    """Return a reader, tokens (n_reviews, n), and the edges to cut, (n_reviews, n_cuts) each; no edge comes twice."""
    rng = np.random.default_rng(seed)
    edges = np.array([rng.choice(n * (n - 1), n_cuts, replace=False) for _ in range(n_reviews)])
    queries, steps = edges // (n - 1), 1 + edges % (n - 1)
    return reader(seed), rng.integers(0, 10, size=(n_reviews, n)), queries, (queries + steps) % n


PROMISED = {
    "verdict_label": {
        "shapes": {"good": ("n",), "negations": ("n",)},
        "tied": ("good", "negations"),
        "promises": (
            Promise(
                "`negations` is `(n,)`: how many negations the clause holds.",
                "when a clause holds many negations",
                (digits("1010110", "5544678"), (np.array([1, 0, 1]), np.array([12, 13, 21]))),
            ),
            Promise(
                "`good` is `(n,)`",
                "when there is a single clause, or when there are many",
                (digits("1", "1"), digits("10" * 12, "0123" * 6)),
            ),
        ),
    },
    "twins_told_apart": {
        "shapes": {"labels": ("n",), "predictions": ("n",)},
        "tied": ("labels", "predictions"),
        "promises": (
            Promise(BOTH, "when there is a single pair", (digits("10", "10"), digits("10", "11"))),
            Promise(BOTH, "when there are many pairs", (digits("10" * 12, "1001" * 6),)),
            Promise(BOTH, "when no pair is told apart", (digits("1001", "1111"),)),
        ),
    },
    "cut_edge": {
        "shapes": {"n": (), "query": (), "key": ()},
        "promises": (
            Promise(MASK, "when the query may not look at itself", ((4, 2, 2), (3, 0, 0))),
            Promise(MASK, "when the query or the key is the first or the last", ((4, 0, 3), (4, 3, 0), (2, 1, 0))),
            Promise(MASK, "when there are many words", ((13, 2, 12), (24, 23, 7))),
        ),
    },
    "turned_by_cut": {
        "shapes": {"tokens": ("n_reviews", ""), "queries": ("n_reviews", ""), "keys": ("n_reviews", "")},
        "tied": ("tokens", "queries", "keys"),
        "promises": (
            Promise(READ, "when there is a single review", (reviews(1, 5, 1, seed=6), reviews(1, 5, 1, seed=7))),
            Promise("`tokens` is `(n_reviews, n)`", "when reviews are long", (reviews(7, 20, 2, seed=10),)),
            Promise(
                EDGES,
                "when many edges of a review are cut, or one",
                (reviews(15, 6, 9, seed=8), reviews(15, 8, 1, seed=9)),
            ),
        ),
    },
}
