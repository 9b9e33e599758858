"""Every pair of compatible mistakes in scores, weights and attention, put together from the steps that students write.

These steps are written without a look at the engine: a pair is one wrong step after another.
"""

from itertools import product
from typing import NamedTuple

import numpy as np

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
    "product-over-tokens": lambda Q, K: np.transpose(Q) @ K,
    "product-elementwise": lambda Q, K: np.multiply(Q, K),
    "product-same-row": lambda Q, K: np.array([q @ k for q, k in zip(Q, K, strict=True)]),
    "product-absolute": lambda Q, K: np.abs(Q @ K.T),
    "product-cosine": lambda Q, K: (
        (Q / np.linalg.norm(Q, axis=1)[:, None]) @ (K / np.linalg.norm(K, axis=1)[:, None]).T
    ),
    "product-distance": lambda Q, K: np.array([[np.linalg.norm(q - k) for k in K] for q in Q]),
    "product-distance*": lambda Q, K: np.array([[-np.linalg.norm(q - k) for k in K] for q in Q]),
}
SCALE = {
    "": lambda S, Q: S / np.sqrt(Q.shape[1]),
    "scale-missing": lambda S, Q: S,
    "scale-dk-not-sqrt": lambda S, Q: S / Q.shape[1],
    "scale-multiplied": lambda S, Q: S * np.sqrt(Q.shape[1]),
    "scale-n": lambda S, Q: S / np.sqrt(len(Q)),
    "scale-half-not-root": lambda S, Q: S / (Q.shape[1] ** 1 / 2),
    "scale-hardcoded": lambda S, Q: S / 8,
}


def over(axis, keepdims=True):
    return lambda e: e / np.sum(e, axis=axis, keepdims=keepdims)


AXIS = {
    "": over(-1),
    "softmax-axis": over(0),
    "softmax-over-all": over(None),
    "softmax-keepdims": over(-1, keepdims=False),
}
SHARE = {
    "": lambda S, share: share(np.exp(S)),
    "softmax-missing": lambda S, share: S,
    "softmax-unnormalised": lambda S, share: np.exp(S),
    "softmax-without-exp": lambda S, share: share(S),
    "softmax-by-n": lambda S, share: np.exp(S) / S.shape[-1],
    "softmax-sigmoid": lambda S, share: 1 / (1 + np.exp(-S)),
    "softmax-hard": lambda S, share: (S.max(axis=-1, keepdims=True) == S).astype(float),
    "softmax-log": lambda S, share: np.log(share(np.exp(S))),
    "softmax-twice": lambda S, share: share(np.exp(share(np.exp(S)))),
    "softmax-sign": lambda S, share: share(np.exp(-S)),
    "softmax-base": lambda S, share: share(2**S),
}
MIX = {
    "": lambda W, Q, K, V: np.dot(W, V),
    "value-missing": lambda W, Q, K, V: W,
    "value-elementwise": lambda W, Q, K, V: W * V,
    "value-is-key": lambda W, Q, K, V: W @ K,
    "value-is-query": lambda W, Q, K, V: W @ Q,
    "value-first": lambda W, Q, K, V: V @ W,
    "weights-transposed": lambda W, Q, K, V: W.T @ V,
    "output-transposed": lambda W, Q, K, V: V.T @ W.T,
    "output-divided": lambda W, Q, K, V: W @ V / len(V),
    "value-mean": lambda W, Q, K, V: V.mean(axis=0),
    "value-sum": lambda W, Q, K, V: V.sum(axis=0),
    "output-pooled*": lambda W, Q, K, V: np.sum(W @ V, axis=0),
    "output-pooled": lambda W, Q, K, V: np.mean(W @ V, axis=0),
}
STEPS = {
    "scores": (SWAP, PRODUCT, SCALE),
    "weights": (SWAP, PRODUCT, SCALE, SHARE, AXIS),
    "attention": (SWAP, PRODUCT, SCALE, SHARE, AXIS, MIX),
}


def written(steps):
    """Return the answer that takes these steps, as many as there are."""
    swap, multiply, scale, *rest = steps

    def scores(Q, K):
        return scale(multiply(*swap(Q, K)), Q)

    def weights(Q, K):
        return rest[0](scores(Q, K), rest[1])

    def attention(Q, K, V):
        return rest[2](weights(Q, K), Q, K, V)

    return (scores, weights, attention)[max(0, len(rest) - 1)]


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
    for ids in product(*STEPS[exercise]):
        wrong = tuple(id.rstrip("*") for id in ids if id)
        if len(wrong) < 3 and set(wrong) != ABSORBED:
            answer = written([ways[id] for ways, id in zip(STEPS[exercise], ids, strict=True)])
            groups.setdefault(numbers(exercise, answer), []).append((wrong, answer))
    return [
        Pair(exercise, ids, answer, {frozenset(other) for other, _ in group})
        for group in groups.values()
        if min(len(ids) for ids, _ in group) == 2
        for ids, answer in group
    ]


class Pair(NamedTuple):
    """An answer with two mistakes, and all pairs of mistakes that give the same numbers."""

    exercise: str
    ids: tuple[str, ...]
    answer: object
    alike: set[frozenset[str]]

    def __str__(self):
        return f"{self.exercise}-{'+'.join(self.ids)}"


CASES = [case for exercise in STEPS for case in cases(exercise)]
