"""What lesson 00 finds in a review that is to fool its counter of words."""

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
CLOSE = 3  # places after "not" in which it turns a word round


@cache
def word_weights():
    """Return what the trained classifier of the lesson adds for each word of its vocabulary."""
    vocabulary = sorted({word for sentence, _ in LITTLE_REVIEWS for word in sentence.split()})
    X = np.array([[sentence.split().count(word) for word in vocabulary] for sentence, _ in LITTLE_REVIEWS])
    labels = np.array([label for _, label in LITTLE_REVIEWS])  # (n_reviews,)
    weights = np.zeros(len(vocabulary))
    for _ in range(500):
        weights += 0.5 * X.T @ (labels - 1 / (1 + np.exp(-X @ weights))) / len(labels)
    return dict(zip(vocabulary, weights, strict=True))


def behind_not(tokens):
    """Return the words that come after a "not" in the same part of the sentence, each with its distance."""
    found = []
    for place, token in enumerate(tokens):
        if token == "not":
            after = takewhile(lambda word: word not in MARKS, tokens[place + 1 :])
            found += [(word, distance) for distance, word in enumerate(after, 1)]
    return found


def nothing_negated(behind):
    """Return the finding where no praise stands close after "not": praise further off first, then unknown words,
    unless one of them is blame.
    """
    for word, distance in behind:
        if word in PRAISE:
            seen = f'"{word}" stands {distance} places after "not", and the check reads three at most.'
            return COURSE.not_yet("fool-nothing-negated", f'{seen} Bring "not" closer to it.')
    words = [word for word, distance in behind if distance <= CLOSE]
    unknown = [f'"{word}"' for word in dict.fromkeys(words) if word not in word_weights()]
    if not unknown or set(words) & set(BLAME):
        return COURSE.not_yet("fool-nothing-negated")
    come, them = ("come", "them") if len(unknown) > 1 else ("comes", "it")
    seen = f'After "not" {come} {listed(unknown)}, and the classifier does not know {them}.'
    return COURSE.not_yet("fool-unknown-word", f"{seen} {COURSE.mistake('fool-unknown-word').suspect}")


def judge(answer):
    """Say what is found in a review: does it negate praise, and does the classifier call it good all the same?"""
    if not isinstance(answer, str):
        return COURSE.not_yet("not-a-value", f"This is {kind_in_words(answer)}, and a text is wanted.")
    tokens = answer.lower().split()
    if sorted(tokens) == sorted(" ".join(REVIEW).lower().split()):
        return COURSE.not_yet("fool-copied")
    if any(token not in MARKS and token.strip(MARKS) != token for token in tokens):
        return COURSE.not_yet("fool-glued")
    if "not" not in tokens:
        return COURSE.not_yet("fool-without-not")
    behind = behind_not(tokens)
    if not any(word in PRAISE and distance <= CLOSE for word, distance in behind):
        return nothing_negated(behind)
    total = sum(word_weights().get(token, 0.0) for token in tokens)
    return Finding(DONE) if total > 0 else COURSE.not_yet("fool-called-bad")
