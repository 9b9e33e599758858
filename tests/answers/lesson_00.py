"""Answers to the exercises of lesson 00."""

from collections import Counter

import numpy as np

from course_utils.sentences import REVIEW


def counted_in_loops(tokens, vocabulary):
    counts = [0] * len(vocabulary)
    for token in tokens:
        for i, word in enumerate(vocabulary):
            if token == word:
                counts[i] += 1
    return counts


def counter(tokens, vocabulary):
    counts = Counter(tokens)
    return np.array([counts[word] for word in vocabulary], dtype=np.float32)


def as_words(tokens, vocabulary):
    return [word for word in vocabulary if word in tokens]


def as_dict(tokens, vocabulary):
    return {word: tokens.count(word) for word in vocabulary}


RIGHT = {
    "first_check": [12, len(REVIEW), np.int64(12), 12.0],
    "bag_of_words": [
        counted_in_loops,
        counter,
        lambda tokens, vocabulary: (np.array(tokens)[:, None] == np.array(vocabulary)).sum(axis=0),
        lambda tokens, vocabulary: [sum(1 for t in tokens if t == w) for w in vocabulary],
    ],
    "fool_the_counter": [
        "it was not a clever movie , but the acting was amazing",
        "The movie was NOT good ! The plot was amazing , and the soundtrack was amazing .",
        "not funny , not clever , but i liked the amazing soundtrack",
        "amazing acting and an amazing plot and it was not good",
    ],
}
WRONG = {
    "first_check": [
        ("not-a-value", "12"),
        ("not-a-value", (12,)),
        ("not-a-value", len),
        ("not-a-value", np.nan),
    ],
    "bag_of_words": [
        ("returns-no-numbers", as_words),
        ("returns-no-numbers", as_dict),
        ("returns-generator", lambda tokens, vocabulary: map(tokens.count, vocabulary)),
        (
            "promise-broken",
            lambda tokens, vocabulary: [[t.lower() for t in tokens].count(word.lower()) for word in vocabulary],
        ),
        ("promise-broken", lambda tokens, vocabulary: [tokens.count(word.lower()) for word in vocabulary]),
        (
            "promise-broken",
            lambda tokens, vocabulary: [max(tokens.count(w), tokens.count(w.lower())) for w in vocabulary],
        ),
    ],
    "fool_the_counter": [
        ("not-a-value", ["it", "was", "not", "good"]),
        ("not-a-value", 1),
    ],
}
