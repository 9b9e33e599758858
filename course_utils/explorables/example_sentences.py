"""Sentences for AttentionExplorer, with vectors made by hand or, for a student's own words, from their letters."""

import math

import numpy as np

from course_utils.sentences import CONCEPTUAL_ROW, REVIEW, masked_review_vectors, review_vectors


def by_letters(token: str) -> list[float]:
    """Return two numbers for a token: a point on a circle that depends on its letters alone and means nothing.

    So every sentence has vectors, equal for equal tokens. attention_explorer.js computes the same.

    >>> by_letters("cat") == by_letters("cat") != by_letters("act")
    True
    """
    number = 0
    for letter in token:
        number = (number * 31 + ord(letter)) % 997
    angle = 2 * math.pi * number / 997
    return [round(2 * math.cos(angle), 1), round(2 * math.sin(angle), 1)]


def _sentence(name, tokens, Q, K, V, query, *, causal=False):
    vectors = {part: np.asarray(array, dtype=float).tolist() for part, array in (("Q", Q), ("K", K), ("V", V))}
    return {"name": name, "tokens": list(tokens), **vectors, "query": query, "causal": causal}


def _example(name, query, keys):
    """A sentence in which one token looks for tired things with (0, 2). keys: {position: how tired it is}."""
    tokens = name.split()
    Q, K, V = np.zeros((3, len(tokens), 2))
    Q[query] = 0, 2
    for i, (position, amount) in enumerate(keys.items()):
        K[position] = 0, amount
        V[position] = [(1, 0), (0, 1), (1, 1)][i]
    return _sentence(name, tokens, Q, K, V, query)


SENTENCES = [
    _sentence("Review of lesson 05", REVIEW, *review_vectors(), REVIEW.index("good")),
    _sentence("Review of lesson 06, causal", REVIEW, *masked_review_vectors(), REVIEW.index("good"), causal=True),
    _example("The cat sat on the mat", 2, {1: 3, 2: 1, 5: 0.5}),
    _example("The cat sat on the mat because it was tired .", 7, {1: 3, 5: 1, 9: 2}),
    _example("The animal didn’t cross the street because it was too tired .", 7, {1: 3, 5: 1, 10: 2}),
]
GAME = {"tokens": list(REVIEW), "query": REVIEW.index("good"), "row": list(CONCEPTUAL_ROW), "close": 0.005}
