"""What the exercises of lesson 07 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Part, Promise
from course_utils.checks.lessons.shared import draw

SPLIT = "Turn `X` of shape `(n, d)` into `(n_heads, n, d / n_heads)`"
MERGE = "`(n_heads, n, d_head)` becomes `(n, n_heads * d_head)`"
LAYER = "`X` is `(n, d_model)`; `W_Q`, `W_K`, `W_V` are `(d_model, d)`; `W_O` is `(d, d_out)`."
CROSS = "`X` `(n_queries, d_model)` looks at `context` `(n_keys, d_model)`."


def layer(n, d_model, n_heads, d_head, d_out, seed):
    """Return X, W_Q, W_K, W_V, W_O and n_heads."""
    d = n_heads * d_head
    return *draw((n, d_model), (d_model, d), (d_model, d), (d_model, d), (d, d_out), seed=seed), n_heads


def two_sentences(n_queries, n_keys, d_model, d_k, d_v, seed):
    return draw((n_queries, d_model), (n_keys, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v), seed=seed)


# The first number of each word makes its query and its key, and the second one its value: all scores are equal.
FIRST, SECOND = np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [1.0, 2.0]])
EQUAL = (
    np.array([[1.0, 5.0], [1.0, 4.0], [1.0, 0.0]]),
    np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]]),
    FIRST,
    FIRST,
    SECOND,
)

PROMISED = {
    "split_heads": {
        "shapes": {"X": ("n", "d")},
        "promises": (
            Promise(SPLIT, "when there is a single head", ((*draw((3, 4), seed=5), 1),)),
            Promise(SPLIT, "when each head has a single number", ((*draw((2, 4), seed=6), 4),)),
            Promise(
                SPLIT,
                "when there is a single word, or when there are many",
                ((*draw((1, 6), seed=7), 2), (*draw((12, 16), seed=8), 4)),
            ),
        ),
    },
    "merge_heads": {
        "shapes": {"heads": ("n_heads", "n", "d_head")},
        "promises": (
            Promise(MERGE, "when there is a single head", (draw((1, 3, 4), seed=5),)),
            Promise(MERGE, "when each head has a single number", (draw((4, 2, 1), seed=6),)),
            Promise(
                MERGE,
                "when there is a single word, or when there are many",
                (draw((2, 1, 3), seed=7), draw((4, 12, 4), seed=8)),
            ),
        ),
    },
    "multi_head": {
        "parts": (
            Part(
                "with a single word and a single head",
                (layer(1, 3, 1, 2, 3, seed=11),),
                ("matrices", "share", "mix", "last"),
            ),
            Part(
                "with a single head",
                (layer(3, 4, 1, 2, 3, seed=12),),
                ("matrices", "scale", "share", "axis", "mix", "last"),
            ),
        ),
        "shapes": {
            "X": ("n", "d_model"),
            "W_Q": ("d_model", "d"),
            "W_K": ("d_model", "d"),
            "W_V": ("d_model", "d"),
            "W_O": ("d", "d_out"),
        },
        "promises": (
            Promise(LAYER, "when there is a single head", (layer(3, 4, 1, 3, 2, seed=6),)),
            Promise(LAYER, "when each head has a single number", (layer(3, 4, 3, 1, 2, seed=7),)),
            Promise(
                LAYER,
                "when there is a single word, or when there are many",
                (layer(1, 3, 2, 2, 4, seed=8), layer(12, 3, 2, 2, 4, seed=9)),
            ),
            Promise(LAYER, "when d_out is 1", (layer(3, 4, 2, 2, 1, seed=10),)),
        ),
    },
    "cross_attention": {
        "parts": (
            Part(
                "with a single query and a single key",
                (two_sentences(1, 1, 2, 2, 3, seed=11),),
                ("sources", "share", "scale_when", "mix", "whole"),
            ),
            Part(
                "where all scores are equal",
                (EQUAL,),
                ("sources", "share", "axis", "scale_when", "mix", "whole"),
            ),
        ),
        "shapes": {
            "X": ("n_queries", "d_model"),
            "context": ("n_keys", "d_model"),
            "W_Q": ("d_model", "d_k"),
            "W_K": ("d_model", "d_k"),
            "W_V": ("d_model", "d_v"),
        },
        "promises": (
            Promise(
                CROSS,
                "when there is a single query, or a single key",
                (two_sentences(1, 4, 3, 2, 2, seed=6), two_sentences(4, 1, 3, 2, 2, seed=7)),
            ),
            Promise(CROSS, "when the context is long", (two_sentences(3, 12, 4, 3, 2, seed=8),)),
            Promise(
                "`W_Q` and `W_K` are `(d_model, d_k)`, `W_V` is `(d_model, d_v)`.",
                "when d_k or d_v is 1",
                (two_sentences(3, 4, 3, 1, 2, seed=9), two_sentences(3, 4, 3, 2, 1, seed=10)),
            ),
        ),
    },
}
