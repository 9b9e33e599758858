"""What the grammar of the reviews knows and no model can beat: is it a review, and how likely is it?

Standard library only. `review_task` draws the reviews; here its rules are read backwards.
Every way to a review counts, the draw of it and that of each review whose twin it can be; only the share of reviews
that are learned at all is counted over many draws, and it shifts all probabilities by the same factor.
"""

import math
import random
from collections import Counter
from functools import cache
from itertools import combinations, product

from course_utils.arguments import as_count, wrong
from course_utils.review_task import (
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

LEARNED = ("train", "held out")  # chance alone parts these two, so no model can know which is which
DRAWS = 20_000  # for the one share that is counted and not computed
PHRASES = (*NEGATIONS, *FILLERS, *INTENSIFIERS)


# Is it a review?


def parse(words) -> Review:
    """Return the review that these words are: The, a clause, a comma, a joint, the, a clause, a full stop.

    Raises ValueError that names the first word which the grammar does not allow there.

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
    if reader.left:
        reader.fail("the end")
    return Review(first, joint, second)


def said_twice(words) -> bool:
    """Tell whether one clause of these words says a phrase twice; the grammar never does.

    >>> said_twice("The movie was truly not truly good , and the plot was truly bad .".split())
    True
    """
    clauses = " ".join(words).split(" , ")
    spaced = (f" {clause} ".replace(" ", "  ") for clause in clauses)  # neighbours share no space then
    return any(clause.count(f" {phrase} ".replace(" ", "  ")[1:-1]) > 1 for clause in spaced for phrase in PHRASES)


class _Reader:
    """Reads words from left to right."""

    def __init__(self, words):
        self.words, self.left = words, words

    def take(self, *phrases):
        """Read one of these phrases."""
        for phrase in phrases:
            parts = phrase.split()
            if self.left[: len(parts)] == parts:
                self.left = self.left[len(parts) :]
                return phrase
        return self.fail(" or ".join(map(repr, phrases[:3])) + (" or the like" if len(phrases) > 3 else ""))

    def clause(self, nouns):
        noun, middle = self.take(*nouns), []
        self.take("was")
        while self.left and self.left[0] not in GOOD + BAD:
            before = self.left
            middle.append(self.take(*_follow(middle), *GOOD, *BAD))
            if length(middle) > MOST:
                self.left = before
                self.fail("an adjective")
        return Clause(noun, tuple(middle), self.take(*GOOD, *BAD))

    def fail(self, wanted):
        found, place = repr(self.left[0]) if self.left else "the end", len(self.words) - len(self.left)
        raise wrong("words", self.words, f"a review: {wanted} as word {place}, where {found} stands")


def _follow(middle):
    """The phrases that may follow these between "was" and the adjective."""
    if middle and middle[-1] in INTENSIFIERS:
        return ()
    n_negations = sum(phrase in NEGATIONS for phrase in middle)
    kinds = [INTENSIFIERS]
    kinds += [NEGATIONS] if n_negations < max(N_NEGATIONS) else []
    kinds += [FILLERS] if len(middle) - n_negations < max(N_FILLERS) else []
    return [phrase for kind in kinds for phrase in kind if phrase not in middle]


# How likely is it?


def log_probability(review) -> float:
    """Return the logarithm (nats) of the probability that this review is drawn, given the verdict about the movie.

    Drawn as `make_reviews` draws the splits train and held out together: a review and its twin, half of the rows each.
    -inf for a review that is never drawn. Source: the rules of `review_task.draw_review` and `draw_twin`.

    >>> round(log_probability(parse("The movie was bad , and the plot was amazing .".split())), 2)
    -13.33
    """
    twins = {other: share for other, share in twins_of(review).items() if split_of(review, other) in LEARNED}
    first = drawn_share(review) * sum(twins.values())
    # Whatever a twin is made by can be undone: the reviews that this one is a twin of are its own twins.
    second = sum(drawn_share(other) * twins_of(other)[review] for other in twins)
    both = (first + second) / _learned_share()  # a row is either, and half of the rows have this verdict
    return math.log(both) if both else -math.inf


def twins_of(review) -> dict:
    """Return {twin: probability}, as `draw_twin` draws them; {} where there is none."""
    one, two = review.first, review.second
    ways = []
    if (one.adjective in GOOD) != (two.adjective in GOOD):
        ways.append({(one._replace(adjective=two.adjective), two._replace(adjective=one.adjective)): 1.0})
    if one.verdict != two.verdict:
        ways.append({(one._replace(noun=two.noun), two._replace(noun=one.noun)): 1.0})
    for moved in (_moves(one, two), {pair[::-1]: share for pair, share in _moves(two, one).items()}):
        ways += [moved] if moved else []
    twins = Counter()
    for way in ways:
        for (first, second), share in way.items():
            twins[Review(first, review.joint, second)] += share / len(ways)
    return twins


def _moves(giver, taker):
    """Return {both clauses after a negation has moved: probability}."""
    n_there = sum(phrase in NEGATIONS for phrase in taker.middle)
    movable = [phrase for phrase in giver.middle if phrase in NEGATIONS and phrase not in taker.middle]
    if n_there == max(N_NEGATIONS) or length(taker.middle) == MOST:
        return {}
    places = len(taker.middle) - any(phrase in INTENSIFIERS for phrase in taker.middle) + 1
    moved = {}
    for negation, place in product(movable, range(places)):
        left = tuple(phrase for phrase in giver.middle if phrase != negation)
        there = (*taker.middle[:place], negation, *taker.middle[place:])
        moved[giver._replace(middle=left), taker._replace(middle=there)] = 1 / (len(movable) * places)
    return moved


def drawn_share(review) -> float:
    """Return the probability that `draw_review` draws this review."""
    clauses = review.first, review.second
    middles = math.prod(_middle_share(clause.middle) / _kept_share() for clause in clauses)
    words = len(MOVIES) * len(OTHERS) * len(GOOD + BAD) ** 2 * len(JOINTS)
    return middles / words / 2  # either clause comes first


def _middle_share(middle):
    """The probability of the words between "was" and the adjective, before the long ones are thrown away."""
    n_negations = sum(phrase in NEGATIONS for phrase in middle)
    n_intensifiers = sum(phrase in INTENSIFIERS for phrase in middle)
    n_fillers = len(middle) - n_negations - n_intensifiers
    if length(middle) > MOST or any(phrase in INTENSIFIERS for phrase in middle[:-1]):
        return 0.0
    fillers = _share(N_FILLERS, n_fillers) / math.perm(len(FILLERS), n_fillers)
    # Each negation is put at a place of its own, among what stands there already, in one of n! orders.
    places = math.perm(n_fillers + n_negations, n_negations) / math.factorial(n_negations)
    negations = _share(N_NEGATIONS, n_negations) / math.perm(len(NEGATIONS), n_negations) / places
    return fillers * negations * (INTENSIFIED / len(INTENSIFIERS) if n_intensifiers else 1 - INTENSIFIED)


def _share(choices, chosen):
    return choices.count(chosen) / len(choices)


@cache
def _kept_share():
    """The share of clauses that are short enough."""
    kept = 0.0
    for n_fillers, n_negations, intensifier in product(N_FILLERS, N_NEGATIONS, (0, 1)):
        left = MOST - n_negations - intensifier
        phrases = list(combinations(FILLERS, n_fillers))
        short = sum(length(some) <= left for some in phrases) / len(phrases)
        kept += short * (INTENSIFIED if intensifier else 1 - INTENSIFIED)
    return kept / len(N_FILLERS) / len(N_NEGATIONS)


@cache
def _learned_share():
    """The share of drawn reviews that have a twin and come, with it, into one of the splits of LEARNED."""
    rng, learned = random.Random(0), 0
    for _ in range(DRAWS):
        review = draw_review(rng)
        twin = draw_twin(review, rng)
        learned += twin is not None and split_of(review, twin) in LEARNED
    return learned / DRAWS


def limit(n_pairs=500, seed=0):
    """Return the nats per word that no model can beat on new reviews whose verdict it knows, and its standard error.

    An estimate: the mean of -log_probability over n_pairs pairs held out, divided by their mean number of words.
    Raises ValueError for a count below 2 and a seed below 0.
    """
    n_pairs = as_count("n_pairs", n_pairs, least=2)
    reviews = make_reviews(n_pairs, split="held out", seed=seed).reviews
    nats = [-log_probability(review) for review in reviews]
    words = [len(review.words) for review in reviews]
    rate = sum(nats) / sum(words)
    spread = [some - rate * many for some, many in zip(nats, words, strict=True)]  # of a ratio of two means
    return rate, math.dist(spread, [0] * len(spread)) / sum(words)
