"""Rows of scores, and facts about their weights."""

import numpy as np

ROWS = tuple((np.random.default_rng(seed).normal(size=n) * 2,) for seed, n in ((1, 5), (2, 5), (3, 4), (4, 7)))
ROW_FACTS = (
    (lambda w: (w >= 0).all(), "No weight should be negative."),
    (lambda w: np.allclose(w.sum(-1), 1, atol=1e-3), "The weights in a row should sum to 1, but yours do not."),
)
