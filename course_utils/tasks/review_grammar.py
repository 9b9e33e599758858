"""What the grammar of the reviews knows and no model can beat: is it a review, and how likely is it?

`review_task` draws the reviews; this module applies its rules backwards.
All ways to draw a review are added up exactly: drawing it, or drawing a review whose twin it is. Only the share of
reviews in the splits of LEARNED is estimated from many draws; it scales all probabilities by the same factor.
"""

import math
import random
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import combinations, product

from course_utils.arrays.arguments import as_count, wrong
from course_utils.tasks.review_task import (
    BAD,
    FILLERS,
    GOOD,
    INTENSIFIED,
    INTENSIFIERS,
    JOINTS,
    MOST,
    MOVIES,
    N_FILLERS,
    N_NEGATIONS,
    NEGATIONS,
    OTHERS,
    Clause,
    Review,
    draw_review,
    draw_twin,
    length,
    make_reviews,
    split_of,
)

LEARNED = ("train", "held out")  # their split is random, so no model can know which is which
DRAWS = 20_000  # for the one share that is estimated
PHRASES = (*NEGATIONS, *FILLERS, *INTENSIFIERS)


# Is it a review?


def parse(words: Iterable[str]) -> Review:
    """Parse words as a review: The, a clause, a comma, a joint, the, a clause, a full stop.

    Raises ValueError that names the first word that the grammar does not allow.

    >>> parse("The movie was not good , but the soundtrack was amazing .".split()).label
    0
    """
    reader = _Reader(list(words))
    reader.take("The")
    first = reader.clause(MOVIES + OTHERS)
    reader.take(",")
    joint = reader.take(*JOINTS)
    reader.take("the")
    second = reader.clause(OTHERS if first.noun in MOVIES else MOVIES)
    reader.take(".")
    if reader.rest:
        reader.fail("the end")
    return Review(first, joint, second)


def repeats_phrase(words: Iterable[str]) -> bool:
    """Tell whether one clause of these words has a phrase twice; the grammar never does that.

    >>> repeats_phrase("The movie was truly not truly good , and the plot was truly bad .".split())
    True
    """
    clauses = " ".join(words).split(" , ")
    spaced = (f" {clause} ".replace(" ", "  ") for clause in clauses)  # so that neighbours share no space
    return any(clause.count(f" {phrase} ".replace(" ", "  ")[1:-1]) > 1 for clause in spaced for phrase in PHRASES)


class _Reader:
    """Reads words from left to right."""

    def __init__(self, words):
        self.words, self.rest = words, words

    def take(self, *phrases):
        """Read one of these phrases."""
        for phrase in phrases:
            parts = phrase.split()
            if self.rest[: len(parts)] == parts:
                self.rest = self.rest[len(parts) :]
                return phrase
        return self.fail(" or ".join(map(repr, phrases[:3])) + (" or the like" if len(phrases) > 3 else ""))

    def clause(self, nouns):
        noun, middle = self.take(*nouns), []
        self.take("was")
        while self.rest and self.rest[0] not in GOOD + BAD:
            before = self.rest
            middle.append(self.take(*_next_phrases(middle), *GOOD, *BAD))
            if length(middle) > MOST:
                self.rest = before
                self.fail("an adjective")
        return Clause(noun, tuple(middle), self.take(*GOOD, *BAD))

    def fail(self, wanted):
        actual, position = repr(self.rest[0]) if self.rest else "the end", len(self.words) - len(self.rest)
        raise wrong("words", self.words, f"a review: {wanted} as word {position}, where {actual} stands")


def _next_phrases(middle):
    """Return the phrases that may follow these between "was" and the adjective."""
    if middle and middle[-1] in INTENSIFIERS:
        return ()
    n_negations = sum(phrase in NEGATIONS for phrase in middle)
    kinds = [INTENSIFIERS]
    kinds += [NEGATIONS] if n_negations < max(N_NEGATIONS) else []
    kinds += [FILLERS] if len(middle) - n_negations < max(N_FILLERS) else []
    return [phrase for kind in kinds for phrase in kind if phrase not in middle]


# How likely is it?


def log_probability(review: Review) -> float:
    """Return the logarithm (nats) of the probability that this review is drawn, given the verdict about the movie.

    As in the splits train and held out of `make_reviews` together: a review and its twin, half of the rows each.
    -inf for a review that is never drawn. Source: the rules of `review_task.draw_review` and `draw_twin`.

    >>> round(log_probability(parse("The movie was bad , and the plot was amazing .".split())), 2)
    -13.33
    """
    twins = {other: share for other, share in twins_of(review).items() if split_of(review, other) in LEARNED}
    first = draw_probability(review) * sum(twins.values())
    # Every change that makes a twin can be undone: the reviews that this one is a twin of are its own twins.
    second = sum(draw_probability(other) * twins_of(other)[review] for other in twins)
    probability = (first + second) / _learned_share()  # a row is either, and half of the rows have this verdict
    return math.log(probability) if probability else -math.inf


def twins_of(review: Review) -> dict[Review, float]:
    """Return {twin: probability}, as `draw_twin` draws them; {} if there is none."""
    one, two = review.first, review.second
    changes = []
    if (one.adjective in GOOD) != (two.adjective in GOOD):
        changes.append({(one._replace(adjective=two.adjective), two._replace(adjective=one.adjective)): 1.0})
    if one.verdict != two.verdict:
        changes.append({(one._replace(noun=two.noun), two._replace(noun=one.noun)): 1.0})
    for moved in (_moves(one, two), {pair[::-1]: share for pair, share in _moves(two, one).items()}):
        changes += [moved] if moved else []
    twins = Counter()
    for change in changes:
        for (first, second), share in change.items():
            twins[Review(first, review.joint, second)] += share / len(changes)
    return twins


def _moves(giver, taker):
    """Return {both clauses after a negation has moved: probability}."""
    n_negations = sum(phrase in NEGATIONS for phrase in taker.middle)
    movable = [phrase for phrase in giver.middle if phrase in NEGATIONS and phrase not in taker.middle]
    if n_negations == max(N_NEGATIONS) or length(taker.middle) == MOST:
        return {}
    n_positions = len(taker.middle) - any(phrase in INTENSIFIERS for phrase in taker.middle) + 1
    moves = {}
    for negation, position in product(movable, range(n_positions)):
        remaining = tuple(phrase for phrase in giver.middle if phrase != negation)
        middle = (*taker.middle[:position], negation, *taker.middle[position:])
        moves[giver._replace(middle=remaining), taker._replace(middle=middle)] = 1 / (len(movable) * n_positions)
    return moves


def draw_probability(review: Review) -> float:
    """Return the probability that `draw_review` draws this review."""
    clauses = review.first, review.second
    middles = math.prod(_middle_probability(clause.middle) / _short_share() for clause in clauses)
    words = len(MOVIES) * len(OTHERS) * len(GOOD + BAD) ** 2 * len(JOINTS)
    return middles / words / 2  # either clause may come first


def _middle_probability(middle):
    """Return the probability of the words between "was" and the adjective, before long ones are rejected."""
    n_negations = sum(phrase in NEGATIONS for phrase in middle)
    n_intensifiers = sum(phrase in INTENSIFIERS for phrase in middle)
    n_fillers = len(middle) - n_negations - n_intensifiers
    if length(middle) > MOST or any(phrase in INTENSIFIERS for phrase in middle[:-1]):
        return 0.0
    fillers = _share(N_FILLERS, n_fillers) / math.perm(len(FILLERS), n_fillers)
    # Each negation is inserted at a random position among the phrases so far, in one of n! orders.
    positions = math.perm(n_fillers + n_negations, n_negations) / math.factorial(n_negations)
    negations = _share(N_NEGATIONS, n_negations) / math.perm(len(NEGATIONS), n_negations) / positions
    return fillers * negations * (INTENSIFIED / len(INTENSIFIERS) if n_intensifiers else 1 - INTENSIFIED)


def _share(choices, choice):
    return choices.count(choice) / len(choices)


@cache
def _short_share():
    """Return the share of clauses that are short enough."""
    total = 0.0
    for n_fillers, n_negations, intensifier in product(N_FILLERS, N_NEGATIONS, (0, 1)):
        room = MOST - n_negations - intensifier
        phrases = list(combinations(FILLERS, n_fillers))
        short = sum(length(fillers) <= room for fillers in phrases) / len(phrases)
        total += short * (INTENSIFIED if intensifier else 1 - INTENSIFIED)
    return total / len(N_FILLERS) / len(N_NEGATIONS)


@cache
def _learned_share():
    """Return the share of drawn reviews that have a twin and are, with it, in one of the splits of LEARNED."""
    rng, n_learned = random.Random(0), 0
    for _ in range(DRAWS):
        review = draw_review(rng)
        twin = draw_twin(review, rng)
        n_learned += twin is not None and split_of(review, twin) in LEARNED
    return n_learned / DRAWS


def limit(n_pairs: int = 500, seed: int = 0) -> tuple[float, float]:
    """Return the nats per word that no model can beat on new reviews whose verdict it knows, and its standard error.

    An estimate: the mean of -log_probability over n_pairs pairs held out, divided by their mean number of words.
    Raises ValueError for a count below 2 and a seed below 0.
    """
    n_pairs = as_count("n_pairs", n_pairs, least=2)
    reviews = make_reviews(n_pairs, split="held out", seed=seed).reviews
    nats = [-log_probability(review) for review in reviews]
    words = [len(review.words) for review in reviews]
    rate = sum(nats) / sum(words)
    residuals = [n - rate * w for n, w in zip(nats, words, strict=True)]  # for the error of a ratio of two means
    return rate, math.dist(residuals, [0] * len(residuals)) / sum(words)
