"""The search of heads: against loops, and honest about what it cannot find."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_utils.models.heads import best_head, best_of_any_pair, by_coins, edge, prefers, usual_patterns, weight_on

TOKENS = ["[CLS]", "the", "cat", "saw", "the", "dog", ".", "[SEP]"]


def random_weights(seed, *shape):
    W = np.random.default_rng(seed).random(shape)
    return W / W.sum(axis=-1, keepdims=True)


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_weight_on_a_pattern_equals_a_loop(seed, n):
    weights = random_weights(seed, 2, 3, n, n)
    wanted = np.random.default_rng(seed).random((n, n)) < 0.4
    wanted[0, -1] = True
    for layer, head in np.ndindex(2, 3):
        rows = [sum(weights[layer, head, i, j] for j in range(n) if wanted[i, j]) for i in range(n) if any(wanted[i])]
        assert weight_on(weights, wanted)[layer, head] == pytest.approx(sum(rows) / len(rows))


def test_the_best_head_is_the_one_that_was_made_so():
    weights = random_weights(1, 3, 4, 8, 8)
    weights[2, 1] = np.eye(8, k=-1)
    found = best_head(weights, usual_patterns(TOKENS)["the token before"])
    assert found == (2, 1, 1.0) and str(found) == "1.00 in layer 2, head 1"


def test_the_usual_patterns_want_what_their_names_say():
    wanted = {name: [tuple(map(int, p)) for p in np.argwhere(w)] for name, w in usual_patterns(TOKENS).items()}
    assert wanted["the token before"] == [(i, i - 1) for i in range(1, 8)]
    assert wanted["the token after"] == [(i, i + 1) for i in range(7)]
    assert wanted["itself"] == [(i, i) for i in range(8)]
    assert wanted["[CLS]"] == [(i, 0) for i in range(8)] and wanted["[SEP]"] == [(i, 7) for i in range(8)]
    assert wanted["the same word elsewhere"] == [(1, 4), (4, 1)]
    assert set(usual_patterns(["a", "b"])) == {"the token before", "the token after", "itself"}
    assert np.argwhere(edge(TOKENS, "dog", "the")).tolist() == [[5, 1]], "from the query to the key"


@pytest.mark.parametrize(("query", "key", "kind"), [("dog", "cat", "others"), ("saw", "cat", "neighbours")])
def test_the_control_compares_neighbours_with_neighbours_and_other_pairs_with_others(query, key, kind):
    weights = random_weights(2, 2, 2, 8, 8)
    distances = {"neighbours": (1,), "others": (2, 3, 4)}[kind]
    pairs = [(i, j) for i in range(1, 6) for j in range(1, 6) if abs(i - j) in distances]
    found = best_of_any_pair(weights, TOKENS, like=edge(TOKENS, query, key))
    assert found.tolist() == sorted(weights[:, :, i, j].max() for i, j in pairs)


def test_a_head_prefers_the_word_that_gets_more_weight():
    weights = random_weights(3, 2, 3, 8, 8)
    assert prefers(weights, TOKENS, "saw", "cat", "dog").tolist() == (weights[..., 3, 2] > weights[..., 3, 5]).tolist()


def test_coins_give_the_shares_of_a_loop():
    right = np.random.default_rng(4).random((5, 2, 2, 3)) < 0.6
    coins = np.random.default_rng(0).integers(0, 2, (20, 5)) == 1
    for coin, shares in zip(coins, by_coins(right, rounds=20), strict=True):
        turned = np.array([~pair if turn else pair for pair, turn in zip(right, coin, strict=True)])
        np.testing.assert_allclose(shares, turned.mean(axis=(0, 1)), atol=1e-12)
    favourite = np.array([[True, False], [False, True], [True, False]])  # always the first noun, or always the second
    assert (by_coins(favourite) == 0.5).all()
