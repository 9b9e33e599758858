"""The reviews: labels follow the grammar, no count of words can tell twins apart, splits share nothing."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.tasks.review_task import (
    BAD,
    CLS,
    GOOD,
    IDS,
    INTENSIFIERS,
    MOVIES,
    NEGATIONS,
    OTHERS,
    PAD,
    SEQ_LEN,
    SPLITS,
    VOCABULARY,
    make_reviews,
    places,
)


@pytest.fixture(scope="module")
def tasks():
    return {split: make_reviews(1000, split=split, seed=5) for split in SPLITS}


def verdict_by_reading(words):
    """Read the words of a review from the left, not in the grammar's way: the noun decides which verdict counts."""
    about_movie, label, value = False, None, None
    for word in words:
        if word in MOVIES + OTHERS:
            about_movie, value = word in MOVIES, 0
        elif word in NEGATIONS:
            value += 1
        elif word in GOOD + BAD and about_movie:
            label = (value + (word in GOOD)) % 2
    return label


@given(st.sampled_from(SPLITS), st.integers(0, 2**31))
@settings(max_examples=30)
def test_twins_share_their_words_and_not_their_label(split, seed):
    tokens, labels, reviews = make_reviews(10, split=split, seed=seed)
    assert tokens.shape == (20, SEQ_LEN) and tokens.dtype == np.int32 and labels.dtype == np.float32
    np.testing.assert_array_equal(np.sort(tokens[::2]), np.sort(tokens[1::2]))
    np.testing.assert_array_equal(labels[::2] + labels[1::2], 1)
    assert [verdict_by_reading(review.words) for review in reviews] == labels.tolist()
    for row, review in zip(tokens, reviews, strict=True):
        assert [VOCABULARY[i] for i in row if i not in (CLS, PAD)] == list(review.words) and row[0] == CLS


@pytest.mark.parametrize("split", SPLITS)
def test_places_are_where_the_words_stand_and_a_negation_is_one_to_six_tokens_away(tasks, split):
    tokens, _, reviews = tasks[split]
    distances, counts = set(), set()
    for row, review in zip(tokens, reviews, strict=True):
        for place, clause in zip(places(review), sorted(review[::2], key=lambda c: c.noun in OTHERS), strict=True):
            assert VOCABULARY[row[place.noun]] == clause.noun and VOCABULARY[row[place.adjective]] == clause.adjective
            assert [VOCABULARY[row[n]] for n in place.negations] == [w for w in clause.middle if w in NEGATIONS]
            assert {*INTENSIFIERS}.isdisjoint(clause.middle[:-1]), "an intensifier stands right before its adjective"
            counts.add(len(place.negations))
            distances.update(place.adjective - n for n in place.negations)
    assert distances == {1, 2, 3, 4, 5, 6} and counts == {0, 1, 2}


def test_the_splits_share_no_words_in_any_order_and_new_pairs_are_never_trained(tasks):
    bags = {split: {tuple(sorted(r.words)) for r in task.reviews} for split, task in tasks.items()}
    trained = bags["train"] | {tuple(sorted(r.words)) for r in make_reviews(1000, split="train", seed=6).reviews}
    assert not bags["held out"] & trained and not bags["new pairs"] & trained
    pairs = {s: {(c.noun, c.adjective) for r in task.reviews for c in r[::2]} for s, task in tasks.items()}
    new = {pair for pair in pairs["new pairs"] if pair[0] in MOVIES}
    assert not new & pairs["train"] and len(new) >= 10
    assert ("movie", "good") in new, "the review itself is made of new pairs"
    assert ("soundtrack", "amazing") not in pairs["train"] | pairs["held out"]


def test_each_word_is_trained_and_says_nothing_alone():
    tokens, labels, _ = make_reviews(4000, seed=2)
    assert set(np.unique(tokens)) == set(range(len(VOCABULARY)))
    lengths = np.bincount((tokens != PAD).sum(axis=1))
    assert lengths[:14].any() and lengths[22:].any() and lengths.max() < len(tokens) / 4, "lengths vary"
    for word in (*MOVIES, *GOOD, *BAD, *NEGATIONS):
        assert labels[(tokens == IDS[word]).any(axis=1)].mean() == 0.5


def test_the_same_seed_gives_the_same_data_on_every_platform():
    def checksum(task):
        return hashlib.sha256(task.tokens.astype("<i4").tobytes()).hexdigest()[:16]

    assert checksum(make_reviews(500, seed=3)) == "81007d7deeb5d838"
    assert checksum(make_reviews(500, split="new pairs", seed=3)) == "dd4c65b6e2106152"
