"""The grammar read backwards: every drawn review is one, broken ones are refused, and the probabilities are right."""

import math
import random
from itertools import product

import numpy as np
import pytest

from course_utils.tasks.review_grammar import LEARNED, limit, log_probability, parse, twins_of
from course_utils.tasks.review_task import (
    BAD,
    GOOD,
    JOINTS,
    MOVIES,
    OTHERS,
    SPLITS,
    Clause,
    Review,
    draw_twin,
    make_reviews,
)

PLAIN = "The movie was not good , but the soundtrack was amazing ."


@pytest.mark.parametrize("split", SPLITS)
def test_every_drawn_review_is_one(split):
    for review in make_reviews(300, split=split, seed=3).reviews:
        assert parse(review.words) == review


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("", "'The' as word 0, where the end stands"),
        (PLAIN[:-2], "'.' as word 11, where the end stands"),
        (PLAIN + " .", "the end as word 12, where '.' stands"),
        (PLAIN.replace("soundtrack", "film"), "as word 8, where 'film' stands"),
        (PLAIN.replace("not good", "good not"), "',' as word 4, where 'not' stands"),
        (PLAIN.replace("not good", "not never hardly good"), "as word 5, where 'hardly' stands"),
        (PLAIN.replace("not good", "very not good"), "as word 4, where 'not' stands"),
        (PLAIN.replace("not good", "in my opinion on the whole not good"), "adjective as word 9, where 'not' stands"),
    ],
)
def test_a_review_that_breaks_a_rule_is_refused_with_the_word(words, wanted):
    with pytest.raises(ValueError, match="wanted: a review") as refused:
        parse(words.split())
    assert wanted in str(refused.value)


def plain_reviews():
    """All reviews with nothing between "was" and the adjective."""
    for movie, other, one, two, joint in product(MOVIES, OTHERS, GOOD + BAD, GOOD + BAD, JOINTS):
        yield Review(Clause(movie, (), one), joint, Clause(other, (), two))
        yield Review(Clause(other, (), one), joint, Clause(movie, (), two))


def test_probabilities_are_the_shares_of_drawn_reviews():
    learned = [review for split in LEARNED for review in make_reviews(1, split=split).reviews]
    assert all(math.isfinite(log_probability(review)) for review in learned)
    expected = sum(math.exp(log_probability(review)) for review in plain_reviews()) / 2  # of two verdicts
    # The grammar draws both splits at once; a review is held out for one in five of the bags of words.
    drawn = make_reviews(8000, split="train", seed=1).reviews + make_reviews(2000, split="held out", seed=1).reviews
    plain = np.array([not (review.first.middle or review.second.middle) for review in drawn])
    assert plain.mean() == pytest.approx(expected, abs=4 * plain.std() / len(plain) ** 0.5)


def test_what_is_never_drawn_has_no_probability():
    assert log_probability(make_reviews(50, split="new pairs").reviews[0]) == -math.inf
    alone = parse(
        ["The", "movie", "was", "bad", ",", "and", "the", "plot", "was", "bad", "."]
    )  # all its words say the same
    assert twins_of(alone) == {} and log_probability(alone) == -math.inf


def test_twins_come_as_often_as_they_are_drawn():
    review, rng = parse(PLAIN.split()), random.Random(0)
    drawn = [draw_twin(review, rng) for _ in range(4000)]
    for twin, share in twins_of(review).items():
        assert drawn.count(twin) / len(drawn) == pytest.approx(share, abs=4 * (share / len(drawn)) ** 0.5)
    assert sum(twins_of(review).values()) == pytest.approx(1)
    assert all(review in twins_of(twin) and twin.label != review.label for twin in twins_of(review))


def test_the_limit_is_the_mean_of_what_no_writer_can_know():
    rate, error = limit(200, seed=1)
    reviews = make_reviews(200, split="held out", seed=1).reviews
    assert rate == pytest.approx(-sum(map(log_probability, reviews)) / sum(len(review.words) for review in reviews))
    assert rate == pytest.approx(1.271, abs=4 * error) and 0 < error < 0.02
