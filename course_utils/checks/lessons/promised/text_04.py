"""What the exercises of lesson 04 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Part, Promise
from course_utils.checks.lessons.shared import draw

IDS = "`ids` is `(n,)`, whole numbers from 0; `E` is `(n_vocabulary, d_model)`."
TWICE = "A token may come twice, and `ids` may be a batch of sentences, `(batch, n)`."
SIZES = "`Q` is `(n_queries, d_k)`, `K` is `(n_keys, d_k)`"
X_SIZES = "`X` is `(n, d_model)`, `W_Q` and `W_K` are `(d_model, d_k)`, `W_V` is `(d_model, d_v)`."
VALUES = "`V` is `(n_keys, d_v)`."
OTHER_KEYS = "when there are more keys than queries, or fewer"
MANY = "when there are many words"


def triples(*sizes, seed, count=3):
    """Return the first arguments Q, K, V of sizes (n_queries, n_keys, d_k, d_v), one probe for each."""
    return tuple(
        draw((n_queries, d_k), (n_keys, d_k), (n_keys, d_v), seed=seed + i)[:count]
        for i, (n_queries, n_keys, d_k, d_v) in enumerate(sizes)
    )


def of_attention(count, any_length):
    """Return the promises that scores, weights and attention share: any sizes, and any d_k."""
    return (
        Promise(SIZES, OTHER_KEYS, triples((2, 5, 3, 4), (5, 2, 3, 4), seed=5, count=count)),
        Promise(SIZES, "when there is a single query", triples((1, 4, 3, 2), seed=7, count=count)),
        Promise(SIZES, "when there is a single key", triples((3, 1, 2, 2), seed=8, count=count)),
        Promise(any_length, "when d_k is 1, or large", triples((3, 4, 1, 2), (2, 3, 64, 2), seed=9, count=count)),
        Promise(SIZES, MANY, triples((12, 12, 4, 3), (130, 130, 2, 1), seed=11, count=count)),
    )


# Rows of ones: all products of two of them are equal, and so are the scores, whatever they are multiplied by.
ONES = np.ones((3, 2))
SCORING = ("roles", "product")
ONE_LONG = (np.array([[1.0], [2.0]]), np.array([[1.0], [-1.0], [0.0]]), np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]))
EQUAL_TOO = (np.ones((2, 2)), np.ones((4, 2)), np.array([[1.0], [3.0], [0.0], [2.0]]))
EQUAL = (ONES, ONES, np.array([[1.0, 0.0], [0.0, 3.0], [2.0, 0.0]]))
SINGLE = (np.array([[1.0, 2.0]]), np.array([[2.0, -1.0]]), np.array([[3.0, 1.0, 0.0]]))
NO_SCALE, ALL_EQUAL, ALONE = (
    "when d_k is 1, so that nothing is scaled",
    "where all scores are equal",
    "with a single query and a single key",
)
QK = {"Q": ("n_queries", "d_k"), "K": ("n_keys", "d_k")}
QKV = QK | {"V": ("n_keys", "d_v")}

PROMISED = {
    "embed": {
        "shapes": {"E": ("n_vocabulary", "d_model")},
        "allowed": lambda ids, E: np.max(ids) < len(E),
        "promises": (
            Promise(
                IDS,
                "when there is a single token, or when there are many",
                ((np.array([2]), *draw((3, 2), seed=5)), (np.arange(24) % 5, *draw((5, 2), seed=6))),
            ),
            Promise(IDS, "when d_model is 1", ((np.array([1, 0, 2]), *draw((3, 1), seed=7)),)),
            Promise(TWICE, "when one token comes again and again", ((np.array([1, 1, 1]), *draw((3, 2), seed=8)),)),
            Promise(
                TWICE,
                "when ids are a batch of sentences",
                (
                    (np.array([[2, 0, 1], [1, 1, 3]]), *draw((4, 2), seed=9)),
                    (np.array([[1], [0]]), *draw((2, 3), seed=10)),
                ),
            ),
        ),
    },
    "project": {
        "shapes": {
            "X": ("n", "d_model"),
            "W_Q": ("d_model", "d_k"),
            "W_K": ("d_model", "d_k"),
            "W_V": ("d_model", "d_v"),
        },
        "promises": (
            Promise(
                X_SIZES,
                "when X holds a single word, or many",
                (draw((1, 3), (3, 2), (3, 2), (3, 4), seed=5), draw((12, 3), (3, 2), (3, 2), (3, 4), seed=6)),
            ),
            Promise(
                X_SIZES,
                "when d_k or d_v is 1",
                (draw((3, 4), (4, 1), (4, 1), (4, 2), seed=7), draw((3, 4), (4, 2), (4, 2), (4, 1), seed=8)),
            ),
            Promise(
                "All of them may hold whole numbers, as above.",
                "when the arrays hold whole numbers",
                (
                    (
                        np.array([[2, 0], [1, 3]]),
                        np.array([[0, 1], [1, -1]]),
                        np.array([[1, 0], [2, 1]]),
                        np.array([[2], [5]]),
                    ),
                ),
            ),
        ),
    },
    "scores": {
        "by_hand": ("attention_scores",),
        "shapes": QK,
        "parts": (Part(NO_SCALE, (ONE_LONG[:2],), (*SCORING, "last"), like=lambda Q, K, *_: Q.shape[-1] == 1),),
        "promises": of_attention(2, "It must work for any $d_k$."),
    },
    "weights": {
        "by_hand": ("scaled_dot_product_attention",),
        "shapes": QK,
        "parts": (
            Part(
                ALL_EQUAL,
                (EQUAL[:2], EQUAL_TOO[:2]),
                ("share", "axis", "scale_when"),
                like=lambda Q, K, *_: np.ptp(Q @ K.T) == 0,
            ),
            Part(NO_SCALE, (ONE_LONG[:2],), (*SCORING, "share", "axis"), like=lambda Q, K, *_: Q.shape[-1] == 1),
        ),
        "promises": of_attention(2, SIZES),
    },
    "attention": {
        "by_hand": ("scaled_dot_product_attention",),
        "shapes": QKV,
        "parts": (
            Part(ALONE, (SINGLE,), ("share", "scale_when", "mix", "whole"), like=lambda Q, K, V: len(Q) == len(K) == 1),
            Part(
                ALL_EQUAL,
                (EQUAL, EQUAL_TOO),
                ("share", "axis", "scale_when", "mix", "whole"),
                like=lambda Q, K, *_: np.ptp(Q @ K.T) == 0,
            ),
            Part(
                NO_SCALE,
                (ONE_LONG,),
                (*SCORING, "share", "axis", "mix", "whole"),
                like=lambda Q, K, *_: Q.shape[-1] == 1,
            ),
        ),
        "promises": (
            *of_attention(3, SIZES),
            Promise(
                VALUES,
                "when a small weight meets a large value",
                ((np.array([[1.0]]), np.array([[0.0], [8.0]]), np.array([[1e4], [1.0]])),),
            ),
            Promise(
                VALUES, "when the values hold a single number, or many", triples((3, 4, 2, 1), (3, 4, 2, 7), seed=12)
            ),
        ),
    },
}
