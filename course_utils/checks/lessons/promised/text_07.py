"""What the exercises of lesson 07 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Part, Promise
from course_utils.checks.lessons.shared import FAR_ROWS, VERY_LOW, draw

ALL = "`Q` is `(…, n_queries, d_k)`, `K` is `(…, n_keys, d_k)`, `V` is `(…, n_keys, d_v)`."
DOTS = "The dots are any leading axes, the same for all three: none, heads, or sentences and heads."
MAY = "`mask` is bool, True = may look, and `np.where` fits it to the scores `(…, n_queries, n_keys)`."
WHATEVER = "A hidden key weighs exactly 0, however large its score is."
VISIBLE = "A visible key counts, whatever its score is."
SPLIT = "Turn `X` of shape `(n, d)` into `(n_heads, n, d / n_heads)`"
MERGE = "`(n_heads, n, d_head)` becomes `(n, n_heads * d_head)`"
LAYER = "`X` is `(n, d_model)`; `W_Q`, `W_K`, `W_V` are `(d_model, d)`; `W_O` is `(d, d_out)`."
LARGE = "Scores may be larger than 1,000."
CROSS = "`X` `(n_queries, d_model)` looks at `context` `(n_keys, d_model)`."


def may_look(tokens):
    """Return a bool array from words of x = may look and . = may not, one word a row."""
    return np.array([[letter == "x" for letter in row] for row in tokens.split()])


def batch(shape, tokens, seed, hidden=0.0, visible=0.0):
    """Return Q, K, V of this shape (batch, n_heads, n, d_k) and a mask (batch, 1, 1, n), one word a sentence.

    hidden, visible: what is added to the scores of such keys.
    """
    mask = may_look(tokens)[:, None, None]
    Q, K, V = draw(shape, shape, shape, seed=seed)
    if hidden or visible:  # whole numbers, so that a float32 holds the scores
        Q, K = Q.round(), K.round()
        Q[..., 0] = 1
        K[..., 0] += np.where(mask[:, 0], visible, hidden) * shape[-1] ** 0.5
    return Q, K, V, mask


def heads_of(leading, tokens, d_k, d_v, seed):
    """Return Q, K, V with these leading axes and one mask (n_queries, n_keys) for all of them, one word a query."""
    mask = may_look(tokens)
    n_queries, n_keys = mask.shape
    return *draw((*leading, n_queries, d_k), (*leading, n_keys, d_k), (*leading, n_keys, d_v), seed=seed), mask


def layer(n, d_model, n_heads, d_head, d_out, seed):
    """Return X, W_Q, W_K, W_V, W_O and n_heads."""
    d = n_heads * d_head
    return *draw((n, d_model), (d_model, d), (d_model, d), (d_model, d), (d, d_out), seed=seed), n_heads


def far_apart(arguments):
    """Return whole numbers in place of these, and scores that are a thousand times as large."""
    X, W_Q, *others, n_heads = arguments
    return np.round(2 * X), 1000 * np.round(2 * W_Q), *(np.round(2 * W) for W in others), n_heads


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

# (batch, n_heads, n_queries, n_keys)
MASKS = [[may_look("xx. .xx"), may_look("xxx x.x")], [may_look("..x xx."), may_look("x.. xxx")]]
ONES = np.ones((1, 1, 3, 2))
PROMISED = {
    "batched_attention": {
        "parts": (
            Part(
                "with a single token",
                (batch((1, 1, 1, 2), "x", seed=15),),
                ("look", "share", "mix"),
                like=lambda Q, *_: Q.shape[-2] == 1,
            ),
            Part(
                "where all scores are equal",
                (
                    (
                        ONES,
                        ONES,
                        np.array([[[[1.0, 0.0], [0.0, 3.0], [2.0, 5.0]]]]),
                        np.array([[[[True, True, False]]]]),
                    ),
                ),
                ("look", "hide", "late", "share", "axis", "mix"),
                like=lambda Q, K, *_: np.ptp(Q @ K.swapaxes(-1, -2)) == 0,
            ),
        ),
        "shapes": {
            "Q": (..., "n_queries", "d_k"),
            "K": (..., "n_keys", "d_k"),
            "V": (..., "n_keys", "d_v"),
            "mask": (..., "n_keys"),
        },
        "tied": ("mask",),
        "promises": (
            Promise(
                ALL,
                "when there is a single sentence, or a single head",
                (batch((1, 2, 3, 2), "xx.", seed=7), batch((2, 1, 3, 2), "xx. .xx", seed=8)),
            ),
            Promise(
                ALL,
                "when d_k is 1, or large",
                (batch((2, 2, 3, 1), "xx. .xx", seed=9), batch((1, 2, 2, 64), "xx", seed=10)),
            ),
            Promise(
                ALL,
                "when there is a single token, or when there are many",
                (batch((2, 2, 1, 3), "x x", seed=11), batch((1, 2, 12, 2), "xxxxxxxxx...", seed=12)),
            ),
            Promise(
                DOTS,
                "when there are no leading axes, or heads only",
                (heads_of((), "xx. .xx", 2, 3, seed=20), heads_of((4,), "x.. xx. xxx", 5, 6, seed=21)),
            ),
            Promise(DOTS, "when there are three leading axes", (heads_of((2, 1, 5), "xx.. x.xx .xx.", 6, 7, seed=22),)),
            Promise(
                WHATEVER,
                "when hidden scores are huge",
                (
                    batch((2, 1, 3, 4), "xx. .xx", seed=13, hidden=200.0),
                    batch((2, 1, 3, 4), "xx. .xx", seed=17, hidden=2000.0),
                ),
            ),
            Promise(
                VISIBLE,
                "when all visible scores lie far below 0",
                (
                    batch((1, 1, 2, 2), "x.", seed=16, hidden=-90.0, visible=-90.0),
                    batch((1, 1, 2, 2), "x.", seed=18, visible=VERY_LOW),
                ),
            ),
            Promise(
                VISIBLE,
                "when the scores of one query lie far below those of another",
                ((*FAR_ROWS, FAR_ROWS[1], may_look("xx. x.x")),),
            ),
            Promise(MAY, "when one key only is not hidden", (batch((2, 2, 3, 2), "..x x..", seed=14),)),
            Promise(
                MAY,
                "when every sentence, head and query has its own mask",
                ((*heads_of((2, 2), "xx. .xx", 2, 2, seed=23)[:3], np.array(MASKS)),),
            ),
        ),
    },
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
                like=lambda *arguments: len(arguments[0]) == arguments[-1] == 1,
            ),
            Part(
                "with a single head",
                (layer(3, 4, 1, 2, 3, seed=12),),
                ("matrices", "scale", "share", "axis", "mix", "last"),
                like=lambda *arguments: arguments[-1] == 1,
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
            Promise(LARGE, "when scores are beyond 1,000", (far_apart(layer(3, 4, 2, 2, 3, seed=13)),)),
        ),
    },
    "cross_attention": {
        "parts": (
            Part(
                "with a single query and a single key",
                (two_sentences(1, 1, 2, 2, 3, seed=11),),
                ("sources", "share", "scale_when", "mix", "whole"),
                like=lambda X, context, *_: len(X) == len(context) == 1,
            ),
            Part(
                "where all scores are equal",
                (EQUAL,),
                ("sources", "share", "axis", "scale_when", "mix", "whole"),
                like=lambda X, context, W_Q, W_K, W_V: np.ptp(X @ W_Q @ (context @ W_K).T) == 0,
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
