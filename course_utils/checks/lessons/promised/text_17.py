"""What the exercises of lesson 17 promise."""

import numpy as np

from course_utils.checks.engine.exercise import Part, Promise
from course_utils.checks.lessons.shared import VERY_LOW, draw
from course_utils.review_task import PAD

ROWS = "`rows` is `(n, n_tokens)`: numbers of tokens, the verdict first, the padding last."
PLACES = "`scores` is `(n, T, n_words)` and `targets` is `(n, T)`"
TARGETS = "the right word of each place, or `PAD`, which is 1, where the review is over."
LARGE = "It must be right for a score of 1,000, too."
SCORES = "`scores` is `(n_words,)`"
ABOVE_0 = "`temperature` is above 0"
POINT = "`u` is a number from 0 up to, but not including, 1."
LEFT_END = "A part begins with its left end: with two words of probability 0.5 each, `u = 0.5` is word 1."
A_WORD = "Always return a word, also if rounding makes all probabilities together a little less"
WORDS_LOOK = "`Q` and `K` are `(…, n, d_k)`, `V` is `(…, n, d_v)`: one row for each of `n` words."
LEADING = "The dots are any leading axes, the same for all three: none, heads, or reviews and heads."
NO_WEIGHT = "A later word weighs exactly 0, however large its score is;"
EARLIER = "an earlier one is never masked, whatever its score."
TOKEN = "`x` is `(d_model,)`."
CACHE = (
    "`K` and `V`, the cache, are `(n, d_model)`: keys and values of the old tokens, with all heads side by side; "
    "at first `n` is 0."
)
AS_BEFORE = (
    "`W` `(4, d_model, d_model)`, `W_in`, `b_in`, `W_out`, `b_out`, `gains`, `biases` and `n_heads` are as for `block`."
)

# The largest numbers below 1, in float64 and in float32: whoever computes in float32 cannot tell the first one from 1.
LAST_POINT, LAST_POINT_32 = float(np.nextafter(1, 0)), 1 - 2.0**-24
# With so many equal words every step of the sum is known: exp(0) is 1 everywhere, and the parts end a little below the
# last points, in float64 (by 4e-16) and in float32 (by 2e-7). The last word's own part begins far below.
GAP = 19


def reviews(lengths, n_tokens, seed):
    """Return rows of tokens with so many real ones each, no two neighbours equal, as the only argument of a probe."""
    steps = np.random.default_rng(seed).integers(1, 9, size=(len(lengths), n_tokens))
    rows = 2 + steps.cumsum(axis=1) % 40
    return (np.where(np.arange(n_tokens) < np.array(lengths)[:, None], rows, PAD),)


def questions(lengths, n_places, n_words, seed, size=1.0, base=0.0):
    """Return scores and targets of reviews with so many real words each; no target is word 0.

    The scores are multiples of 1 / 8, so that large ones are exact in float32 too.
    """
    rng = np.random.default_rng(seed)
    scores = np.round(8 * size * rng.normal(size=(len(lengths), n_places, n_words))) / 8 + base
    targets = rng.integers(2, n_words, size=(len(lengths), n_places))
    return scores, np.where(np.arange(n_places) < np.array(lengths)[:, None], targets, PAD)


def with_word_0(scores, targets):
    """Return these arguments with word 0 the right one at the first place of each review."""
    targets = targets.copy()
    targets[:, 0] = 0
    return scores, targets


def review_heads(leading, n, d_k, d_v, seed):
    """Return Q, K and V of n words with these leading axes."""
    return draw((*leading, n, d_k), (*leading, n, d_k), (*leading, n, d_v), seed=seed)


def last_word(score):
    """Return Q, K and V of three words, d_k = 1: the last one has this score for all queries, and a value of its own.

    The second one has the score 1, the first one 0.
    """
    return np.ones((1, 3, 1)), np.array([[[0.0], [1.0], [score]]]), np.array([[[1.0, 0.0], [0.0, 2.0], [8.0, 8.0]]])


def first_words(score):
    """Return Q, K and V of three words, d_k = 1: all scores are this one, or half of it."""
    K = np.array([[score], [score / 2], [score]])
    return np.ones((3, 1)), K, np.array([[1.0, 0.0], [0.0, 2.0], [8.0, 4.0]])


def token(n, d, d_wide, n_heads, seed):
    """Return the eleven arguments of one token's step, with n tokens in the cache."""
    *parts, K, V = draw(d, (4, d, d), (d, d_wide), d_wide, (d_wide, d), d, (2, d), (2, d), (n, d), (n, d), seed=seed)
    return *parts, n_heads, K, V


PROMISED = {
    "next_words": {
        "shapes": {"rows": ("n", "n_tokens")},
        "allowed": lambda rows: rows.shape[1] > 1,
        "promises": (
            Promise(
                ROWS,
                "when there is a single review, or as many as tokens",
                (reviews([4], 6, seed=5), reviews([2, 4, 3, 4], 4, seed=6)),
            ),
            Promise(ROWS, "when a row holds two tokens", (reviews([2, 1, 2], 2, seed=7),)),
            Promise(ROWS, "when there is no padding", (reviews([5, 5], 5, seed=8),)),
        ),
    },
    "writing_loss": {
        "shapes": {"scores": ("n", "T", "n_words"), "targets": ("n", "T")},
        "tied": ("targets",),
        "allowed": lambda scores, targets: targets.max() < scores.shape[-1] and (targets != PAD).any(),
        "promises": (
            Promise(
                PLACES,
                "when there is a single review, or a single place",
                (questions([3], 5, 4, seed=11), questions([1, 1, 0], 1, 4, seed=12)),
            ),
            Promise(TARGETS, "when nothing is padding", (questions([3, 3], 3, 5, seed=13),)),
            Promise(TARGETS, "when a whole review is padding", (questions([3, 0, 2], 3, 5, seed=14),)),
            Promise(TARGETS, "when word 0 is the right one", (with_word_0(*questions([3, 2], 4, 5, seed=15)),)),
            Promise(
                LARGE,
                "when scores are large",
                (questions([3, 2], 4, 5, seed=16, base=1000), questions([2, 4], 4, 5, seed=17, size=1000)),
            ),
        ),
    },
    "causal_attention": {
        "shapes": {"Q": (..., "n", "d_k"), "K": (..., "n", "d_k"), "V": (..., "n", "d_v")},
        "parts": (
            Part(
                "with a single word",
                (review_heads((1, 1), 1, 2, 2, seed=31),),
                ("may", "look", "share", "mix"),
                like=lambda Q, K, V: Q.shape[-2] == 1,
            ),
            Part(
                "where all scores are equal",
                ((np.ones((1, 1, 3, 2)), np.ones((1, 1, 3, 2)), np.array([[[[1.0, 0.0], [0.0, 3.0], [2.0, 5.0]]]])),),
                ("may", "look", "hide", "late", "share", "axis", "mix"),
                like=lambda Q, K, V: np.ptp(Q @ K.swapaxes(-1, -2)) == 0,
            ),
        ),
        "promises": (
            Promise(
                WORDS_LOOK,
                "when there is a single word, or when there are many",
                (
                    review_heads((2, 2), 1, 3, 3, seed=32),
                    review_heads((1, 2), 23, 2, 2, seed=33),
                    review_heads((1, 2), 130, 2, 2, 38),
                ),
            ),
            Promise(
                WORDS_LOOK,
                "when values are longer than keys, or d_k is 1",
                (review_heads((2, 2), 3, 2, 5, seed=34), review_heads((2, 2), 3, 1, 4, seed=35)),
            ),
            Promise(
                LEADING,
                "when there are no leading axes, or heads only",
                (review_heads((), 3, 2, 3, seed=36), review_heads((4,), 3, 5, 6, seed=37)),
            ),
            Promise(NO_WEIGHT, "when the score of a later word is huge", (last_word(500.0), last_word(1e5))),
            Promise(
                EARLIER,
                "when all scores lie far below 0",
                (first_words(-90.0), first_words(VERY_LOW)),
            ),
            Promise(
                EARLIER,
                "when the scores of one word lie far below those of another",
                (
                    (
                        np.array([[1.0], [-1000.0], [2.0]]),
                        np.array([[4.0], [5.0], [3.0]]),
                        np.array([[1.0], [3.0], [9.0]]),
                    ),
                ),
            ),
        ),
    },
    "sample_next": {
        "shapes": {"scores": ("n_words",), "temperature": (), "u": ()},
        "allowed": lambda scores, temperature, u: temperature > 0 and 0 <= u < 1,
        "promises": (
            Promise(
                SCORES,
                "when there is a single word, or when there are many",
                ((np.array([0.5]), 1.0, 0.25), (draw(60, seed=21)[0], 1.0, 0.503)),
            ),
            Promise(
                SCORES,
                "when scores are negative",
                ((np.array([-1.0, -2.0, -0.5, -3.0]), 0.8, 0.7), (np.array([2.0, -1.0, 0.5, -0.25]), 1.5, 0.76)),
            ),
            Promise(
                ABOVE_0,
                "when the temperature is very low or very high",
                ((np.array([2.0, 4.0, 5.0, 3.0]), 0.004, 0.9), (np.array([9.0, 2.0, 4.0]), 500.0, 0.5)),
            ),
            Promise(POINT, "when u is 0", ((np.array([0.5, 1.5, 1.0]), 1.0, 0.0),)),
            Promise(
                LEFT_END,
                "when u lies where one part ends and the next begins",
                ((np.zeros(2), 1.0, 0.5), (np.full(4, 1.5), 0.5, 0.75), (np.full(8, 2.0), 2.0, 0.125)),
            ),
            Promise(
                A_WORD,
                "when rounding makes all probabilities together less than u",
                ((np.zeros(GAP, np.float32), 1.0, LAST_POINT_32), (np.zeros(GAP), 2.0, LAST_POINT)),
            ),
        ),
    },
    "block_step": {
        "promises": (
            Promise(CACHE, "when the cache is empty", (token(0, 4, 5, 2, seed=11),)),
            Promise(
                CACHE,
                "when the cache holds a single token, or many",
                (token(1, 4, 5, 2, seed=12), token(12, 4, 5, 2, seed=13)),
            ),
            Promise(TOKEN, "when there is a single head", (token(3, 4, 5, 1, seed=14),)),
            Promise(
                AS_BEFORE,
                "when each head has a single number",
                (token(3, 4, 5, 4, seed=15),),
            ),
            Promise(
                AS_BEFORE,
                "when the feed-forward layer is not wider than the token",
                (token(3, 6, 2, 2, seed=16),),
            ),
        ),
    },
}
