"""Answers put together from the steps that students write: every single wrong step, and every pair of compatible ones.

The steps are written without a look at the engine.
SINGLES are for all exercises that take these steps, PAIRS for scores, weights and attention.
"""

from itertools import product
from typing import NamedTuple

import numpy as np

from answers import Case

# A star marks a second spelling of the same mistake.
SWAP = {
    "": lambda Q, K: (Q, K),
    "query-key-swapped": lambda Q, K: (K, Q),
    "key-unused": lambda Q, K: (Q, Q),
    "query-unused": lambda Q, K: (K, K),
}
PRODUCT = {
    "": lambda Q, K: np.einsum("id,jd->ij", Q, K),
    "key-not-transposed": lambda Q, K: Q @ K,
    "key-not-transposed*": lambda Q, K: Q @ K.reshape(-1, len(K)),
    "product-over-tokens": lambda Q, K: np.transpose(Q) @ K,
    "product-elementwise": lambda Q, K: np.multiply(Q, K),
    "product-same-row": lambda Q, K: np.array([q @ k for q, k in zip(Q, K, strict=True)]),
    "product-absolute": lambda Q, K: np.abs(Q @ K.T),
    "product-cosine": lambda Q, K: (Q / np.linalg.norm(Q, axis=1)[:, None]) @ (K.T / np.linalg.norm(K, axis=1)),
    "product-distance": lambda Q, K: np.array([[np.linalg.norm(q - k) for k in K] for q in Q]),
    "product-distance*": lambda Q, K: np.array([[-np.linalg.norm(q - k) for k in K] for q in Q]),
}
SCALE = {
    "": lambda S, Q, K: S / np.sqrt(Q.shape[1]),
    "scale-missing": lambda S, Q, K: S,
    "scale-dk-not-sqrt": lambda S, Q, K: S / Q.shape[1],
    "scale-dk-not-sqrt*": lambda S, Q, K: S / Q.shape[1] ** 2,
    "scale-multiplied": lambda S, Q, K: S * np.sqrt(Q.shape[1]),
    "scale-multiplied*": lambda S, Q, K: S * Q.shape[1],
    "scale-n": lambda S, Q, K: S / np.sqrt(len(K)),
    "scale-n*": lambda S, Q, K: S / len(K),
    "scale-half-not-root": lambda S, Q, K: S / (Q.shape[1] ** 1 / 2),
    "scale-half-not-root*": lambda S, Q, K: S / Q.shape[1] ** 1 / 2,
    "scale-hardcoded": lambda S, Q, K: S / 8,
}


def over(axis, keepdims=True):
    return lambda e: np.sum(e, axis=axis, keepdims=keepdims)


AXIS = {
    "": over(-1),
    "softmax-axis": over(0),
    "softmax-over-all": over(None),
    "softmax-keepdims": over(-1, keepdims=False),
}
SHARE = {
    "": lambda S, total: np.exp(S) / total(np.exp(S)),
    "softmax-missing": lambda S, total: S,
    "softmax-unnormalised": lambda S, total: np.exp(S),
    "softmax-unnormalised*": lambda S, total: np.exp(S - S.max(axis=-1, keepdims=True)),
    "softmax-without-exp": lambda S, total: S / total(S),
    "softmax-wrong-sum": lambda S, total: np.exp(S) / total(S),
    "softmax-wrong-sum*": lambda S, total: np.exp(S) / np.exp(total(S)),
    "softmax-by-n": lambda S, total: np.exp(S) / S.shape[-1],
    "softmax-sigmoid": lambda S, total: 1 / (1 + np.exp(-S)),
    "softmax-max-axis": lambda S, total: np.exp(S - S.max(axis=0)) / total(np.exp(S - S.max(axis=0))),
    "softmax-keepdims*": lambda S, total: np.exp(S - S.max(axis=-1)) / total(np.exp(S - S.max(axis=-1))),
    "softmax-hard": lambda S, total: np.eye(S.shape[-1])[np.argmax(S, axis=-1)],
    "softmax-log": lambda S, total: np.log(np.exp(S) / total(np.exp(S))),
    "softmax-twice": lambda S, total: (
        np.exp(np.exp(S) / total(np.exp(S))) / total(np.exp(np.exp(S) / total(np.exp(S))))
    ),
    "softmax-sign": lambda S, total: np.exp(-S) / total(np.exp(-S)),
    "softmax-base": lambda S, total: 2**S / total(2**S),
}
MIX = {
    "": lambda W, Q, K, V: np.dot(W, V),
    "value-missing": lambda W, Q, K, V: W,
    "value-elementwise": lambda W, Q, K, V: W * V,
    "value-is-key": lambda W, Q, K, V: W @ K,
    "value-is-query": lambda W, Q, K, V: W @ Q,
    "value-transposed": lambda W, Q, K, V: W @ V.T,
    "value-first": lambda W, Q, K, V: V @ W,
    "value-mean": lambda W, Q, K, V: V.mean(axis=0),
    "value-mean*": lambda W, Q, K, V: np.array([V.mean(axis=0)] * len(Q)),
    "value-sum": lambda W, Q, K, V: V.sum(axis=0),
    "weights-transposed": lambda W, Q, K, V: W.T @ V,
    "output-transposed": lambda W, Q, K, V: V.T @ W.T,
    "output-divided": lambda W, Q, K, V: W @ V / len(V),
    "output-pooled": lambda W, Q, K, V: np.mean(W @ V, axis=0),
    "output-pooled*": lambda W, Q, K, V: np.sum(W @ V, axis=0),
}
WEIGHT_STEPS = (SWAP, PRODUCT, SCALE, SHARE, AXIS)
STEPS = {"scores": WEIGHT_STEPS[:3], "weights": WEIGHT_STEPS, "attention": (*WEIGHT_STEPS, MIX)}


def scores_by(swap, multiply, scale):
    return lambda Q, K: scale(multiply(*swap(Q, K)), Q, K)


def weights_by(swap, multiply, scale, share, axis, hide=lambda S: S):
    scores = scores_by(swap, multiply, scale)
    return lambda Q, K: share(hide(scores(Q, K)), axis)


def attention_by(*steps):
    *first, mix = steps
    return lambda Q, K, V: mix(weights_by(*first)(Q, K), Q, K, V)


def hidden(mask):
    return lambda S: np.where(mask, S, -np.inf)


BY = {
    "scores": scores_by,
    "weights": weights_by,
    "attention": attention_by,
    "good_row": lambda *steps: lambda Q, K, i: weights_by(*steps)(Q, K)[i],
    "masked_weights": lambda *steps: lambda Q, K, mask: weights_by(*steps, hide=hidden(mask))(Q, K),
    "sat_row": lambda *steps: lambda Q, K: weights_by(*steps, hide=hidden(np.tri(6) == 1))(Q, K)[2],
    "cross_attention": lambda *steps: lambda X, C, W_Q, W_K, W_V: attention_by(*steps)(X @ W_Q, C @ W_K, C @ W_V),
}


def chains(exercise):
    """Yield the ids and the answer for every choice of one way for each step, up to two of them wrong."""
    ways = STEPS.get(exercise) or STEPS["attention" if exercise == "cross_attention" else "weights"]
    for ids in product(*ways):
        wrong = tuple(id for id in ids if id)
        if len(wrong) < 3:
            yield wrong, BY[exercise](*(way[id] for way, id in zip(ways, ids, strict=True)))


# With hidden scores of -inf both of these give NaN there and 0 elsewhere: nobody can tell them apart.
NAN_ONLY = {
    (exercise, id) for exercise in ("masked_weights", "sat_row") for id in ("softmax-without-exp", "softmax-sign")
}
SINGLES = [
    Case(exercise, (ids[0].rstrip("*"),), answer, number)
    for exercise in BY
    for number, (ids, answer) in enumerate(chains(exercise))
    if len(ids) == 1 and (exercise, *ids) not in NAN_ONLY
]
# Fresh inputs, none of them the engine's: the answers that agree on all of these are one answer in two spellings.
DRAW = np.random.default_rng(20).normal
INPUTS = [
    tuple(DRAW(size=shape) for shape in shapes) for shapes in ([(6, 4)] * 2 + [(6, 3)], [(4, 4)] * 3, [(3, 3)] * 3)
]


def numbers(exercise, answer):
    """Return what an answer gives for the fresh inputs, rounded, as something that can be compared."""
    found = []
    for given in INPUTS:
        try:
            with np.errstate(all="ignore"):
                result = answer(*given[: 3 if exercise == "attention" else 2])
            found.append((result.shape, tuple(np.nan_to_num(result, nan=1e9).ravel().round(6) + 0.0)))
        except ValueError:
            found.append("raises")
    return tuple(found)


ABSORBED = {"scale-hardcoded", "softmax-base"}  # powers of 2 are exponentials with another fixed factor


def cases(exercise):
    """Return the pairs that are compatible: both mistakes show, and no single one explains what is seen.

    Pairs that give the same numbers share their `alike`: {ids, ...}; to name either is right.
    """
    groups = {}
    for starred, answer in chains(exercise):
        ids = tuple(id.rstrip("*") for id in starred)
        if set(ids) != ABSORBED:
            groups.setdefault(numbers(exercise, answer), []).append((ids, answer, ids == starred))
    return [
        Pair(exercise, ids, answer, {frozenset(other) for other, _, _ in group})
        for group in groups.values()
        if min(len(ids) for ids, _, _ in group) == 2
        for ids, answer, plain in group
        if plain
    ]


class Pair(NamedTuple):
    """An answer with two mistakes, and all pairs of mistakes that give the same numbers."""

    exercise: str
    ids: tuple[str, ...]
    answer: object
    alike: set[frozenset[str]]

    def __str__(self):
        return f"{self.exercise}-{'+'.join(self.ids)}"


PAIRS = [case for exercise in STEPS for case in cases(exercise)]
