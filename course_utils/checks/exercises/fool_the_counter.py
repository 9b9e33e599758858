"""Lesson 00: judge a review that is meant to fool the word counter."""

from functools import cache
from itertools import takewhile

import numpy as np

from course_utils.checks.exercises import COURSE
from course_utils.sentences import LITTLE_REVIEWS, REVIEW
from pagecheck.compare import kind_in_words
from pagecheck.words import DONE, Finding, listed

PRAISE = ("good", "amazing", "clever", "funny", "liked")
BLAME = ("bad", "awful", "dull", "boring", "hated")
MARKS = ",.!?;:"
MAX_DISTANCE = 3  # how far after "not" a word can be and still be negated


@cache
def word_weights() -> dict[str, float]:
    """Return the weight of each word in the trained classifier of the lesson."""
    vocabulary = sorted({word for sentence, _ in LITTLE_REVIEWS for word in sentence.split()})
    X = np.array([[sentence.split().count(word) for word in vocabulary] for sentence, _ in LITTLE_REVIEWS])
    labels = np.array([label for _, label in LITTLE_REVIEWS])  # (n_reviews,)
    weights = np.zeros(len(vocabulary))
    for _ in range(500):
        weights += 0.5 * X.T @ (labels - 1 / (1 + np.exp(-X @ weights))) / len(labels)
    return dict(zip(vocabulary, weights, strict=True))


def words_after_not(tokens: list[str]) -> list[tuple[str, int]]:
    """Return the words after a "not" in the same part of the sentence, each with its distance."""
    pairs = []
    for position, token in enumerate(tokens):
        if token == "not":
            following = takewhile(lambda word: word not in MARKS, tokens[position + 1 :])
            pairs += [(word, distance) for distance, word in enumerate(following, 1)]
    return pairs


def explain_no_negation(after_not: list[tuple[str, int]]) -> Finding:
    """Return the finding if no praise closely follows "not": praise further away first, then unknown words,
    unless one of the words close to it is blame.
    """
    for word, distance in after_not:
        if word in PRAISE:
            reason = f'"{word}" comes {distance} words after "not", but the check looks only three words ahead.'
            return COURSE.not_yet("fool-nothing-negated", f'{reason} Move "not" closer to it.')
    words = [word for word, distance in after_not if distance <= MAX_DISTANCE]
    unknown = [f'"{word}"' for word in dict.fromkeys(words) if word not in word_weights()]
    if not unknown or set(words) & set(BLAME):
        return COURSE.not_yet("fool-nothing-negated")
    verb, pronoun = ("come", "them") if len(unknown) > 1 else ("comes", "it")
    reason = f'After "not" {verb} {listed(unknown)}, but the classifier does not know {pronoun}.'
    return COURSE.not_yet("fool-unknown-word", f"{reason} {COURSE.mistake('fool-unknown-word').suspect}")


def judge(answer: object) -> Finding:
    """Return the finding on a review: does it negate praise, and does the classifier still call it good?"""
    if not isinstance(answer, str):
        return COURSE.not_yet(
            "not-a-value", f"This is {kind_in_words(answer)}, but your review should be one string in quotes."
        )
    tokens = answer.lower().split()
    if sorted(tokens) == sorted(" ".join(REVIEW).lower().split()):
        return COURSE.not_yet("fool-copied")
    if any(token not in MARKS and token.strip(MARKS) != token for token in tokens):
        return COURSE.not_yet("fool-glued")
    if "not" not in tokens:
        return COURSE.not_yet("fool-without-not")
    after_not = words_after_not(tokens)
    if not any(word in PRAISE and distance <= MAX_DISTANCE for word, distance in after_not):
        return explain_no_negation(after_not)
    total = sum(word_weights().get(token, 0.0) for token in tokens)
    return Finding(DONE) if total > 0 else COURSE.not_yet("fool-called-bad")
