"""What the exercises of lesson 16 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Part, Promise
from course_utils.checks.lessons.shared import draw

ALL = "Return the bytes of **all** attention weights of a model for one text of `n` tokens"
SIZES = "The answer may lie far beyond $2^{31}$, also when the sizes are of the type `np.int64`."
FIRST = "Before the first tile it is `-np.inf`"
TILE = "Now comes one tile: `scores` `(t,)` and `values` `(t, d_v)`."
CACHE = "The cache holds `K` `(n, d_k)` and `V` `(n, d_v)`."


def later(highest, scores, d_v, seed):
    """Return a state whose highest score is this, and a tile with these scores."""
    total, mixture, values = draw(1, d_v, (len(scores), d_v), seed=seed)
    return highest, 1.0 + abs(float(total[0])), mixture, np.array(scores), values


def first(scores, d_v, seed):
    return -np.inf, 0.0, np.zeros(d_v), np.array(scores), *draw((len(scores), d_v), seed=seed)


def cache(n, d_k, d_v, seed):
    return draw(d_k, d_k, d_v, (n, d_k), (n, d_v), seed=seed)


PROMISED = {
    "attention_bytes": {
        "shapes": {"n": (), "n_layers": (), "n_heads": (), "bytes_per_weight": ()},
        "promises": (
            Promise(SIZES, "when there are more than 2³¹ bytes", ((2048, 48, 32, 4), (1800, 32, 32, 8))),
            Promise(SIZES, "when the sizes are numbers of NumPy", (tuple(map(np.int64, (2048, 48, 32, 4))),)),
            Promise(ALL, "when a size is 1", ((1, 2, 3, 4), (5, 1, 3, 4), (5, 3, 1, 4), (5, 2, 3, 1))),
        ),
    },
    "online_step": {
        "parts": (
            Part(
                "where the highest score is 0 before and after the tile",
                ((0.0, 2.0, np.array([1.0, 3.0]), np.array([0.0, -1.0]), np.array([[1.0, 0.0], [0.0, 2.0]])),),
                ("shrink", "old_total", "old_mixture", "part", "last"),
                like=lambda highest, total, mixture, scores, values: highest == max(scores) == 0,
            ),
            Part(
                "in the first tile, where nothing was seen before",
                ((-np.inf, 0.0, np.zeros(2), np.array([1.0, 2.0]), np.array([[1.0, 0.0], [0.0, 2.0]])),),
                ("top", "base", "shrink", "measure", "part", "last"),
                like=lambda highest, *_: highest == -np.inf,
            ),
        ),
        "shapes": {"highest": (), "total": (), "mixture": ("d_v",), "scores": ("t",), "values": ("t", "d_v")},
        "promises": (
            Promise(
                FIRST,
                "when all scores of the first tile are negative",
                (first([-3.0, -2.0, -5.0], 2, seed=6), first([-40.0, -41.0], 2, seed=7)),
            ),
            Promise(
                TILE,
                "when the tile holds a single key, or many",
                (later(1.0, [2.0], 2, seed=8), later(1.0, [0.5] * 12, 2, seed=9)),
            ),
            Promise(
                "`mixture` `(d_v,)`",
                "when the values hold a single number",
                (later(0.5, [1.0, -1.0, 0.0], 1, seed=10),),
            ),
            Promise(
                TILE,
                "when all scores are large",
                (later(200.0, [201.0, 199.0], 2, seed=11), later(1000.0, [998.0, 1001.0], 2, seed=12)),
            ),
            Promise(
                TILE,
                "when the tile lies far above or far below what was seen",
                (later(0.0, [60.0, 61.0], 2, seed=13), later(60.0, [0.0, -1.0], 2, seed=14)),
            ),
        ),
    },
    "cached_step": {
        "parts": (
            Part(
                "when the cache is empty",
                (cache(0, 2, 3, seed=10),),
                ("pair", "seen", "share", "mix", "kept", "last"),
                like=lambda q, k, v, K, V: not len(K),
            ),
            Part(
                "when d_k is 1, so that nothing is scaled",
                (cache(2, 1, 2, seed=11),),
                ("append", "pair", "asks", "seen", "share", "mix", "kept", "last"),
                like=lambda q, *_: len(q) == 1,
            ),
        ),
        "shapes": {"q": ("d_k",), "k": ("d_k",), "v": ("d_v",), "K": ("n", "d_k"), "V": ("n", "d_v")},
        "promises": (
            Promise(
                "Before the first token it is empty: `n` is 0.", "when the cache is empty", (cache(0, 3, 2, seed=5),)
            ),
            Promise(
                CACHE, "when the cache holds a single token, or many", (cache(1, 3, 2, seed=6), cache(12, 3, 2, seed=7))
            ),
            Promise(
                "A new token has `q`, `k` `(d_k,)` and `v` `(d_v,)`.",
                "when d_k or d_v is 1",
                (cache(3, 1, 2, seed=8), cache(3, 2, 1, seed=9)),
            ),
        ),
    },
}
