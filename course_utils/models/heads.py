"""Search many heads for a pattern, and measure how much a finding is worth. Arrays in, numbers out; NumPy only."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from course_utils.arrays.arguments import as_array, as_count, as_finite, wrong
from course_utils.arrays.shapes import Array

SHAPE = "(n_layers, n_heads, n, n)"


class Match(NamedTuple):
    """A head, counted from 0, and its mean weight on a pattern."""

    layer: int
    head: int
    weight: float

    def __str__(self) -> str:
        return f"{self.weight:.2f} in layer {self.layer}, head {self.head}"


def edge(tokens: Iterable[str], query: str, key: str) -> Array["n, n"]:
    """Return the pattern of one edge: bool, True from the word `query` to the word `key`, each at its first position.

    Raises ValueError for a word that is not a token of the sentence; long or rare words are cut into several tokens.

    >>> edge(["the", "cat", "sat"], "sat", "cat").astype(int)
    array([[0, 0, 0],
           [0, 0, 0],
           [0, 1, 0]])
    """
    tokens = list(tokens)
    for name, word in (("query", query), ("key", key)):
        if word not in tokens:
            raise wrong(name, word, f"one of the tokens {' '.join(map(str, tokens))}")
    pattern = np.zeros((len(tokens), len(tokens)), bool)
    pattern[tokens.index(query), tokens.index(key)] = True
    return pattern


def usual_patterns(tokens: Sequence[str]) -> dict[str, Array["n, n"]]:
    """Return the patterns that heads of encoders are known for, by name: bool, True = a wanted query and key.

    Source: Clark et al. 2019, "What Does BERT Look At?". A pattern without a pair in this sentence is left out.

    >>> usual_patterns(["the", "cat", "saw", "the", "dog"])["the same word elsewhere"].astype(int)[0]
    array([0, 0, 0, 1, 0])
    """
    words, positions = np.array(list(tokens)), np.arange(len(tokens))
    query, key = positions[:, None], positions
    patterns = {
        "the token before": key == query - 1,
        "the token after": key == query + 1,
        "itself": key == query,
        "[CLS]": (words == "[CLS]") & (query >= 0),
        "[SEP]": (words == "[SEP]") & (query >= 0),
        "the same word elsewhere": (words == words[:, None]) & (key != query),
    }
    return {name: pattern for name, pattern in patterns.items() if pattern.any()}


def weight_on(weights: Array["..., n, n"], wanted: Array["n, n"]) -> Array["..."]:
    """Return how much each head follows a pattern, from 0 to 1: the mean over all queries that have a wanted key.

    wanted: bool, True = a wanted pair of query and key.
    Raises ValueError for shapes that do not fit, NaN, inf, and a pattern without a pair.

    >>> weight_on([[[0.5, 0.5], [0.9, 0.1]]], [[False, False], [True, False]])
    array([0.9])
    """
    weights = as_finite("weights", weights, "(..., n, n)", rank=2)  # (..., n, n)
    wanted = as_array("wanted", wanted, "(n, n)")
    if wanted.dtype != bool or wanted.shape != weights.shape[-2:]:
        raise wrong("wanted", wanted, f"{weights.shape[-2:]} and bool, to go with weights of shape {weights.shape}")
    if not wanted.any():
        raise wrong("wanted", wanted, "at least one wanted pair")
    return (weights * wanted).sum(axis=-1)[..., wanted.any(axis=1)].mean(axis=-1)  # (...)


def best_head(weights: Array["n_layers, n_heads, n, n"], wanted: Array["n, n"]) -> Match:
    """Return the head that follows the pattern most. There always is one.

    Raises ValueError as `weight_on` does.

    >>> print(best_head([[np.eye(2), 1 - np.eye(2)]], np.eye(2) == 0))
    1.00 in layer 0, head 1
    """
    weights = as_finite("weights", weights, SHAPE, rank=4, exact=True)
    means = weight_on(weights, wanted)  # (n_layers, n_heads)
    layer, head = np.unravel_index(means.argmax(), means.shape)
    return Match(int(layer), int(head), float(means[layer, head]))


def best_of_any_pair(
    weights: Array["n_layers, n_heads, n, n"], tokens: Iterable[str], like: Array["n, n"]
) -> Array["n_pairs"]:
    """Return, for each pair of words of one kind, the weight of its best head, sorted: the control of a search.

    tokens: n words; [CLS], [SEP] and punctuation are left out.
    like: the pattern of one edge. If its words are neighbours, the pairs are neighbours, else they are not:
    some heads look at the token before, whatever it is, so neighbours cannot serve as a control for other pairs.
    Raises ValueError for weights of another shape, a pattern that is not one edge, and a sentence without such a pair.

    >>> tokens = ["the", "cat", "sat"]
    >>> best_of_any_pair(np.eye(3, k=-1)[None, None], tokens, like=edge(tokens, "sat", "the"))
    array([0., 0.])
    >>> best_of_any_pair(np.eye(3, k=-1)[None, None], tokens, like=edge(tokens, "sat", "cat"))
    array([0., 0., 1., 1.])
    """
    weights = as_finite("weights", weights, SHAPE, rank=4, exact=True)
    tokens = [str(token) for token in tokens]
    if weights.shape[-2:] != (len(tokens), len(tokens)):
        raise wrong("weights", weights, f"(n_layers, n_heads, {len(tokens)}, {len(tokens)}), one row for each token")
    like = as_array("like", like, f"{weights.shape[-2:]}")
    if like.dtype != bool or like.shape != weights.shape[-2:] or like.sum() != 1 or like.diagonal().any():
        raise wrong("like", like, f"{weights.shape[-2:]} and bool, one edge between two places")
    neighbours = np.ptp(np.argwhere(like)) == 1
    words = [i for i, token in enumerate(tokens) if token.isalpha()]
    pairs = [(i, j) for i in words for j in words if i != j and (abs(i - j) == 1) == neighbours]
    if not pairs:
        raise wrong("tokens", tokens, f"two words that are {'neighbours' if neighbours else 'not neighbours'}")
    queries, keys = np.array(pairs).T  # each (n_pairs,)
    return np.sort(weights.max(axis=(0, 1))[queries, keys])  # (n_pairs,)


def prefers(weights: Array["..., n, n"], tokens: Iterable[str], query: str, right: str, wrong: str) -> Array["..."]:
    """Return which heads give more weight from the word `query` to the word `right` than to the word `wrong`.

    tokens: n words. Returns bool. Raises ValueError as `edge` and `weight_on` do.

    >>> prefers([[[0.1, 0.9], [0.7, 0.3]]], ["cat", "it"], "it", right="cat", wrong="it")
    array([ True])
    """
    to_right, to_wrong = (weight_on(weights, edge(tokens, query, word)) for word in (right, wrong))
    return to_right > to_wrong


def by_coins(right: Array["n_pairs, 2, ..."], rounds: int = 1000, seed: int = 0) -> Array["rounds, ..."]:
    """Return the shares of right answers, 0 to 1, of each head if coins decided what is right: the control of a test.

    right: bool, was a head right in the first and in the second sentence of a pair?
    In a pair the right answers are opposite, so one coin for each pair flips both or neither.
    Raises ValueError for other shapes and dtypes, and counts below 1.
    Source: Fisher 1935, "The Design of Experiments", section 21.

    >>> sorted(set(by_coins([[[True, False], [True, True]]])[:, 0].tolist()))  # two heads; the first was right twice
    [0.0, 1.0]
    """
    right = as_array("right", right, "(n_pairs, 2, ...)")
    if right.dtype != bool or right.ndim < 2 or right.shape[1] != 2 or right.size == 0:
        raise wrong("right", right, "(n_pairs, 2, ...), bool, at least one pair")
    shape = (as_count("rounds", rounds), len(right))
    coins = np.random.default_rng(as_count("seed", seed, least=0)).integers(0, 2, shape) == 1  # (rounds, n_pairs)
    share, flipped_share = right.mean(axis=1), (~right).mean(axis=1)  # (n_pairs, ...), of right answers
    return (np.tensordot(~coins, share, 1) + np.tensordot(coins, flipped_share, 1)) / len(right)
