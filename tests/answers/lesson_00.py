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
        ("tokens-words-only", 10),
        ("tokens-one-short", 11),
        ("tokens-letters", len(" ".join(REVIEW))),
        ("tokens-letters", len("".join(REVIEW))),
        ("tokens-not-counted", REVIEW),
        ("tokens-not-counted", list(REVIEW)),
        ("tokens-miscounted", 13),
        ("not-a-value", "12"),
        ("not-a-value", (12,)),
        ("not-a-value", len),
        ("not-a-value", np.nan),
    ],
    "bag_of_words": [
        ("bag-absent", lambda tokens, vocabulary: [tokens.count(w) for w in vocabulary if w in tokens]),
        ("bag-presence", lambda tokens, vocabulary: [1 if w in tokens else 0 for w in vocabulary]),
        ("bag-substrings", lambda tokens, vocabulary: [" ".join(tokens).count(w) for w in vocabulary]),
        ("bag-substrings", lambda tokens, vocabulary: np.array([sum(w in t for t in tokens) for w in vocabulary])),
        ("bag-positions", lambda tokens, vocabulary: [tokens.index(w) if w in tokens else 0 for w in vocabulary]),
        (
            "bag-positions",
            lambda tokens, vocabulary: [" ".join(tokens).split().index(w) if w in tokens else -1 for w in vocabulary],
        ),
        ("bag-shares", lambda tokens, vocabulary: [tokens.count(w) / len(tokens) for w in vocabulary]),
        ("bag-total", lambda tokens, vocabulary: sum(t in vocabulary for t in tokens)),
        ("bag-sorted", lambda tokens, vocabulary: [tokens.count(w) for w in sorted(vocabulary)]),
        ("bag-over-tokens", lambda tokens, vocabulary: [tokens.count(t) for t in tokens]),
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
        ("fool-copied", " ".join(REVIEW)),
        ("fool-copied", "The movie was good , but the soundtrack was not amazing ."),
        ("fool-glued", "It was not funny, but the acting was amazing."),
        ("fool-without-not", "a bad movie with an amazing soundtrack"),
        ("fool-without-not", "it was never good , but the acting was amazing"),
        ("fool-without-not", ""),
        ("fool-unknown-word", "the film was not great , but the soundtrack was amazing ."),
        ("fool-unknown-word", "it was not too splendid , and the acting was amazing"),
        ("fool-nothing-negated", "the movie was not too boring , it was amazing"),
        ("fool-nothing-negated", "the movie was not boring , it was amazing"),
        ("fool-nothing-negated", "it was not , and the acting was amazing"),
        ("fool-nothing-negated", "the movie was not what i would call good , but the acting was amazing ."),
        ("fool-called-bad", "the movie was not good , it was boring"),
        ("fool-called-bad", "it was not good and the plot was dull and the ending was awful"),
        ("not-a-value", ["it", "was", "not", "good"]),
        ("not-a-value", 1),
    ],
}
