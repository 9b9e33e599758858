"""The exercises of lesson 00: the first check, a bag of words, and a review that fools it."""

import numbers
from functools import cache
from itertools import takewhile

import numpy as np

from course_utils.checks.engine.exercise import Exercise, Value, fault
from course_utils.checks.engine.grammar import listed
from course_utils.checks.engine.mistakes import MISTAKES
from course_utils.checks.engine.outcome import kind_in_words
from course_utils.checks.engine.verdict import DONE, Finding, not_yet
from course_utils.checks.engine.words import number
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_00 import PROMISED, texts
from course_utils.sentences import LITTLE_REVIEWS, REVIEW

WORDS = sum(word.isalpha() for word in REVIEW)
LETTERS = len("".join(REVIEW)), len(" ".join(REVIEW))
PRAISE = ("good", "amazing", "clever", "funny", "liked")
BLAME = ("bad", "awful", "dull", "boring", "hated")
MARKS = ",.!?;:"
CLOSE = 3  # places after "not" in which it turns a word round


def judge_count(answer):
    """Say what is found in a number of tokens."""
    if isinstance(answer, list | tuple) and all(isinstance(token, str) for token in answer):
        return not_yet("tokens-not-counted")
    if not isinstance(answer, numbers.Real) or isinstance(answer, bool):
        return not_yet("not-a-value", f"This is {kind_in_words(answer)}, and a number is wanted.")
    if answer != answer or abs(answer) == np.inf:
        said = f"This is {number(answer)}, which is not a number of tokens: a whole number is wanted."
        return not_yet("not-a-value", said)
    near = {len(REVIEW): None, WORDS: "tokens-words-only", len(REVIEW) - 1: "tokens-one-short"} | dict.fromkeys(
        LETTERS, "tokens-letters"
    )
    # Letters are many, with or without blanks and marks.
    id = near.get(answer, "tokens-letters" if answer > 3 * len(REVIEW) else "tokens-miscounted")
    return not_yet(id) if id else Finding(DONE)


def bag_of_words(tokens, vocabulary, *, count=list.count, order=list, last=lambda counts, tokens: counts):
    """Return how often each word of the vocabulary stands in the tokens: (n_words,)."""
    return last(np.array([count(tokens, word) for word in order(vocabulary)]), tokens)


@cache
def word_weights():
    """Return what the trained classifier of the lesson adds for each word of its vocabulary."""
    vocabulary = sorted({word for sentence, _ in LITTLE_REVIEWS for word in sentence.split()})
    X = np.array([bag_of_words(sentence.split(), vocabulary) for sentence, _ in LITTLE_REVIEWS])  # (n_reviews, n_words)
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
            return not_yet("fool-nothing-negated", f'{seen} Bring "not" closer to it.')
    words = [word for word, distance in behind if distance <= CLOSE]
    unknown = [f'"{word}"' for word in dict.fromkeys(words) if word not in word_weights()]
    if not unknown or set(words) & set(BLAME):
        return not_yet("fool-nothing-negated")
    come, them = ("come", "them") if len(unknown) > 1 else ("comes", "it")
    seen = f'After "not" {come} {listed(unknown)}, and the classifier does not know {them}.'
    return not_yet("fool-unknown-word", f"{seen} {MISTAKES['fool-unknown-word'].suspect}")


def judge_review(answer):
    """Say what is found in a review: does it negate praise, and does the classifier call it good all the same?"""
    if not isinstance(answer, str):
        return not_yet("not-a-value", f"This is {kind_in_words(answer)}, and a text is wanted.")
    tokens = answer.lower().split()
    if sorted(tokens) == sorted(" ".join(REVIEW).lower().split()):
        return not_yet("fool-copied")
    if any(token not in MARKS and token.strip(MARKS) != token for token in tokens):
        return not_yet("fool-glued")
    if "not" not in tokens:
        return not_yet("fool-without-not")
    behind = behind_not(tokens)
    if not any(word in PRAISE and distance <= CLOSE for word, distance in behind):
        return nothing_negated(behind)
    total = sum(word_weights().get(token, 0.0) for token in tokens)
    return Finding(DONE) if total > 0 else not_yet("fool-called-bad")


EXERCISES = (
    Value(
        name="first_check",
        judge=judge_count,
        wanted="the number of tokens",
        ids=("tokens-words-only", "tokens-one-short", "tokens-letters", "tokens-not-counted", "tokens-miscounted"),
    ),
    Exercise(
        name="bag_of_words",
        reference=bag_of_words,
        solution=solutions.bag_of_words,
        arguments=("tokens", "vocabulary"),
        gives={"the counts": "(n_words,)"},
        **PROMISED["bag_of_words"],
        probes=(
            texts("good good movie was not good nothing", "movie good bad not"),
            texts("a bad a bad movie cannot be good bad", "not bad good a"),
            texts("was it was it was", "was it good"),
            texts("not notable banana", "zebra not able good goods an"),
        ),
        hint="Each word of the vocabulary has its own count, in the vocabulary's order.",
        faults=(
            fault("bag-presence", count=lambda tokens, word: word in tokens),
            fault("bag-substrings", count=lambda tokens, word: " ".join(tokens).count(word)),
            fault("bag-substrings", count=lambda tokens, word: sum(word in token for token in tokens)),
            fault("bag-positions", count=lambda tokens, word: tokens.index(word) if word in tokens else -1),
            fault("bag-positions", count=lambda tokens, word: tokens.index(word) if word in tokens else 0),
            fault("bag-shares", last=lambda counts, tokens: counts / len(tokens)),
            fault("bag-total", last=lambda counts, tokens: counts.sum()),
            fault("bag-absent", last=lambda counts, tokens: counts[counts > 0]),
            fault("bag-sorted", order=sorted),
            fault("bag-over-tokens", last=lambda counts, tokens: np.array([tokens.count(word) for word in tokens])),
        ),
    ),
    Value(
        name="fool_the_counter",
        judge=judge_review,
        wanted="a review of your own, as a text",
        ids=(
            "fool-copied",
            "fool-glued",
            "fool-without-not",
            "fool-unknown-word",
            "fool-nothing-negated",
            "fool-called-bad",
        ),
    ),
)
