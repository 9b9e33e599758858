"""The search of heads: against loops, and honest about what it cannot find."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_utils.heads import best_head, best_of_any_pair, by_coins, edge, prefers, usual_patterns, weight_on
from course_utils.sentences import BANKS, TWINS

TOKENS = ["[CLS]", "the", "cat", "saw", "the", "dog", ".", "[SEP]"]

EDGE = edge(TOKENS, "dog", "cat")  # from place 5 to place 2


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


def test_an_edge_leads_from_the_query_to_the_key():
    assert np.argwhere(edge(TOKENS, "dog", "the")).tolist() == [[5, 1]]


@pytest.mark.parametrize(("query", "key", "kind"), [("dog", "cat", "others"), ("saw", "cat", "neighbours")])
def test_the_control_compares_neighbours_with_neighbours_and_other_pairs_with_others(query, key, kind):
    weights = random_weights(2, 2, 2, 8, 8)
    distances = {"neighbours": (1,), "others": (2, 3, 4)}[kind]
    pairs = [(i, j) for i in range(1, 6) for j in range(1, 6) if abs(i - j) in distances]
    found = best_of_any_pair(weights, TOKENS, like=edge(TOKENS, query, key))
    assert found.tolist() == sorted(weights[:, :, i, j].max() for i, j in pairs)


def test_a_head_for_the_token_before_does_not_make_one_pair_of_neighbours_rare():
    found = best_of_any_pair(np.eye(8, k=-1)[None, None], TOKENS, like=edge(TOKENS, "saw", "cat"))
    assert (found >= 1).mean() == 0.5  # each pair of neighbours in one of its two directions


def test_twins_differ_in_one_word_and_name_nouns_of_their_sentence():
    assert len({sentence for sentence, _, _ in TWINS}) == len(TWINS) == 14
    for sentence, words, nouns in TWINS:
        tokens = sentence.lower().rstrip(".").split()
        assert sentence.count("{}") == 1 and tokens.count("it") == 1 and len(set(words)) == 2
        assert all(tokens.count(noun) == 1 for noun in nouns) and tokens.index(nouns[0]) < tokens.index(nouns[1])


def test_the_banks_stand_at_one_place():
    sentences = [sentence for kind in BANKS.values() for sentence in kind]
    assert len(set(sentences)) == 14 and len(BANKS["river"]) == len(BANKS["money"])
    assert {sentence.lower().strip(".").split().index("bank") for sentence in sentences} == {5}  # [CLS] stands before


def test_a_head_prefers_the_word_that_gets_more_weight():
    weights = random_weights(3, 2, 3, 8, 8)
    assert prefers(weights, TOKENS, "saw", "cat", "dog").tolist() == (weights[..., 3, 2] > weights[..., 3, 5]).tolist()


def test_coins_give_the_shares_of_a_loop():
    right = np.random.default_rng(4).random((5, 2, 2, 3)) < 0.6
    coins = np.random.default_rng(0).integers(0, 2, (20, 5)) == 1
    for coin, shares in zip(coins, by_coins(right, rounds=20), strict=True):
        turned = np.array([~pair if turn else pair for pair, turn in zip(right, coin, strict=True)])
        np.testing.assert_allclose(shares, turned.mean(axis=(0, 1)), atol=1e-12)


def test_a_head_with_a_favourite_word_is_half_right_whatever_the_coins_say():
    right = np.array([[True, False], [False, True], [True, False]])  # always the first noun, or always the second
    assert (by_coins(right) == 0.5).all()


def test_luck_finds_the_better_head_the_more_heads_there_are():
    right = np.random.default_rng(5).random((13, 2, 72)) < 0.5
    assert by_coins(right).max(axis=1).mean() > by_coins(right[..., :2]).max(axis=1).mean() + 0.1


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: edge(TOKENS, "it", "cat"), r"query is 'it' .* one of the tokens \[CLS\] the cat"),
        (lambda: edge(TOKENS, "cat", "mat"), "key is 'mat' "),
        (lambda: weight_on(np.ones(3), np.ones((3, 3)) > 0), r"weights has shape \(3,\)"),
        (lambda: weight_on(np.ones((3, 3)), np.ones((2, 3)) > 0), r"wanted has shape \(2, 3\) .* \(3, 3\) and bool"),
        (lambda: weight_on(np.ones((3, 3)), np.ones((3, 3))), "wanted has shape .* bool"),
        (lambda: weight_on(np.ones((3, 3)), np.ones((3, 3)) > 1), "at least one wanted pair"),
        (lambda: weight_on(np.full((3, 3), np.nan), np.ones((3, 3)) > 0), "nan stands at"),
        (lambda: best_head(np.ones((3, 3)), np.ones((3, 3)) > 0), r"weights has shape \(3, 3\) .* \(n_layers"),
        (lambda: best_of_any_pair(np.ones((1, 1, 7, 7)), TOKENS, EDGE), r"weights has shape .* 8, 8\)"),
        (lambda: best_of_any_pair(np.ones((1, 1, 8, 8)), TOKENS, np.eye(8) > 0), "like .* one edge between two places"),
        (lambda: best_of_any_pair(np.ones((1, 1, 8, 8)), TOKENS, EDGE * 1.0), "like .* bool, one edge"),
        (lambda: best_of_any_pair(np.ones((1, 1, 8, 8)), TOKENS, EDGE[1:]), r"like has shape \(7, 8\)"),
        (lambda: best_of_any_pair(np.ones((1, 1, 8, 8)), list("a......."), EDGE), "two words that are not neighbours"),
        (
            lambda: best_of_any_pair(np.ones((1, 1, 8, 8)), list("a......."), edge(TOKENS, "saw", "cat")),
            "two words that are neighbours",
        ),
        (lambda: prefers(np.ones((8, 8)), TOKENS, "saw", "cat", "mat"), "key is 'mat' "),
        (lambda: by_coins(np.ones((3, 2))), r"right has shape \(3, 2\) and dtype float64; wanted: \(n_pairs, 2"),
        (lambda: by_coins(np.ones((2, 3)) > 0), r"right has shape \(2, 3\)"),
        (lambda: by_coins(np.ones((0, 2)) > 0), "at least one pair"),
        (lambda: by_coins(np.ones((1, 2)) > 0, rounds=0), "rounds is 0"),
    ],
)
def test_bad_input_is_met_by_a_sentence(call, says):
    with pytest.raises(ValueError, match=says):
        call()
