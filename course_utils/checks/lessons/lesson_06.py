"""The exercises of lesson 06: masks."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, fault
from course_utils.checks.lessons import shared, solutions
from course_utils.checks.lessons.promised.text_06 import PROMISED
from course_utils.checks.lessons.shared import (
    NO_NEGATIVE,
    ROWS_SUM,
    SENSE_FAULTS,
    WEIGHT_FAULTS,
    draw,
    exp_share,
    one_score_0,
    rows,
)


def causal_mask(n, *, look=lambda n: np.tri(n, dtype=bool), sense=lambda mask: mask):
    """Return the causal mask (n, n), True = may look."""
    return sense(look(n))


def padding_mask(
    lengths, n_keys, *, look=lambda n, key: key < n, sense=lambda mask: mask, axes=lambda mask: mask[:, None]
):
    """Return the mask (batch, 1, n_keys) that hides the padding."""
    return axes(sense(look(lengths[:, None], np.arange(n_keys))))


def masked_weights(
    Q,
    K,
    mask,
    *,
    look=lambda mask: mask,
    hide=lambda s, mask: np.where(mask, s, -np.inf),
    late=None,
    share=exp_share,
    axis=rows,
    **switches,
):
    """Return the weights (n_queries, n_keys) of Q (n_queries, d_k) over K (n_keys, d_k) where the mask allows."""
    scores = shared.scores(Q, K, **switches)
    return late(share(scores, axis), look(mask)) if late else share(hide(scores, look(mask)), axis)


def sat_row(Q, K, *, pick=lambda W: W[2], **switches):
    """Return the causally masked weights of word 2."""
    return pick(masked_weights(Q, K, np.tri(len(Q), len(K), dtype=bool), **switches))


def mask_label(weights, *, future=lambda W: np.triu(W, 1), answer=lambda leak: not leak.any()):
    """Tell whether no query gives weight to a later key: 1 or 0."""
    return np.multiply(answer(future(weights)), 1)


def masked(rows, *, d_k=3, lift=0.0, low=0.0, seed):
    """Return Q, K and a mask that leaves each query some keys even when it is turned round, transposed or cut.

    lift: how far hidden scores stand above the others, low: how far all scores lie below 0.
    Both so that a mask of small numbers cannot hide anything.
    """
    mask = np.array([[letter == "x" for letter in row] for row in rows.split()])
    n = len(mask)
    Q, K = draw((n, d_k), (n, d_k), seed=seed)
    if lift:
        Q, K = np.hstack([Q, lift**0.5 * np.eye(n)]), np.hstack([K, lift**0.5 * ~mask.T])  # (n, d_k + n)
    if low:
        Q, K = (np.hstack([M, np.full((n, 1), end * low**0.5)]) for M, end in ((Q, 1), (K, -1)))  # (n, d_k + 1)
    return Q, K, mask


def small(n, d_k, seed):
    """Return Q and K (n, d_k) whose scores are small, so that no softmax is all or nothing."""
    return tuple(0.4 * matrix for matrix in draw((n, d_k), (n, d_k), seed=seed))


QUERIES = np.tile([2.0, 3.0], (6, 1))
LOUD = (QUERIES, np.array([[1, 0], [0, 1], [1, 1], [8, 0], [0, 6], [5, 3.0]]))  # the future shouts
QUIET = (QUERIES, LOUD[1] - 6)  # and here all whisper: a hidden -10 would be heard
CALM = (QUERIES, LOUD[1] - 2)  # here a hidden 0 would be heard, and a hidden -10 would not


def looks(*rows):
    """Return weights (n, n) that are spread evenly over the places marked x."""
    W = np.array([[letter == "x" for letter in row] for row in rows], dtype=float)
    return (W / W.sum(-1, keepdims=True),)


# Left out: with hidden scores of -inf these two cannot be told apart, since both give NaN there and 0 elsewhere.
ALIKE = ("softmax-without-exp", "softmax-sign")
MASKED_FAULTS = tuple(f for f in WEIGHT_FAULTS if f.id not in (*ALIKE, "scale-after-softmax"))
CAUSAL_FAULTS = (
    fault("mask-diagonal", look=lambda n: np.tri(n, k=-1, dtype=bool)),
    fault("mask-diagonal", look=lambda n: np.tri(n, k=1, dtype=bool)),
    fault("mask-transposed", look=lambda n: np.tri(n, dtype=bool).T),
    fault("mask-missing", "causal_mask", look=lambda n: np.ones((n, n), bool)),
    fault("mask-self-only", look=lambda n: np.eye(n, dtype=bool)),
)
MASK_FAULTS = (
    fault("mask-inverted", look=np.logical_not),
    fault("mask-transposed", look=np.transpose),
    fault("mask-diagonal", look=lambda mask: mask & ~np.eye(len(mask), dtype=bool)),
    fault("mask-fixed", look=lambda mask: np.tri(len(mask), dtype=bool)),
    fault("mask-missing", hide=lambda s, mask: s),
    fault("mask-times-scores", hide=lambda s, mask: s * mask),
    fault("mask-zero-hidden", hide=lambda s, mask: np.where(s * mask == 0, -np.inf, s)),
    fault("mask-added", hide=lambda s, mask: s + mask),
    fault("mask-additive-small", hide=lambda s, mask: np.where(mask, s, s - 10)),
    fault("mask-additive-small", hide=lambda s, mask: np.where(mask, s, -1)),
    fault("mask-additive-small", hide=lambda s, mask: np.where(mask, s, -10)),
    fault("mask-after-softmax", late=lambda W, mask: W * mask),
    fault("mask-after-softmax", late=lambda W, mask: np.where(mask, W, -np.inf)),
)

EXERCISES = (
    Exercise(
        name="causal_mask",
        reference=causal_mask,
        solution=solutions.causal_mask,
        arguments=("n",),
        gives={"the mask": "(n, n)"},
        **PROMISED["causal_mask"],
        probes=((5,), (5,), (3,), (4,)),
        axes=("query", "key"),
        hint="Read it aloud: may this query look at this key?",
        faults=(*CAUSAL_FAULTS, *SENSE_FAULTS),
    ),
    Exercise(
        name="padding_mask",
        reference=padding_mask,
        solution=solutions.padding_mask,
        arguments=("lengths", "n_keys"),
        gives={"the mask": "(batch, 1, n_keys)"},
        **PROMISED["padding_mask"],
        probes=((np.array([2, 4, 1]), 5), (np.array([3, 1, 4]), 5), (np.array([1, 3]), 4), (np.array([2, 3, 1, 2]), 4)),
        hint="Read it aloud: is this key a word of its sentence?",
        faults=(
            *SENSE_FAULTS,
            fault("mask-off-by-one", look=lambda n, key: key <= n),
            fault("mask-off-by-one", look=lambda n, key: key < n - 1),
            fault("mask-left", look=lambda n, key: key[::-1] < n),
            fault("mask-last-only", look=lambda n, key: key == n),
            fault("mask-last-only", look=lambda n, key: key == n - 1),
            fault("mask-axis", axes=lambda mask: mask),
            fault("mask-axis", axes=lambda mask: mask[None]),
            fault("mask-axis", axes=lambda mask: mask[:, :, None]),
            fault("mask-axis", axes=lambda mask: mask[:, None, None]),
            fault("mask-longest", axes=lambda mask: mask[:, None, : mask.any(0).sum()]),
            fault("mask-every-query", axes=lambda mask: np.repeat(mask[:, None], mask.shape[1], axis=1)),
        ),
    ),
    Exercise(
        name="masked_weights",
        reference=masked_weights,
        solution=solutions.masked_weights,
        arguments=("Q", "K", "mask"),
        gives={"the weights": "(n_queries, n_keys)"},
        **PROMISED["masked_weights"],
        probes=(
            masked("xx.x. .xx.x x.xx. xx.xx .xx.x", seed=1),
            masked(".xxx. xx..x x.x.x .x.xx x.xx.", seed=2),
            masked(".xx. x.x. xx.x .x.x", seed=3),
            masked(".xx. x.x. xx.x .x.x", lift=60.0, seed=5),
            masked("xx.x. .xx.x x.xx. .x.xx xx..x", low=60.0, seed=7),
            masked("xx.x. .xx.x x.xx. .x.xx xx..x", low=9.0, seed=14),
            masked("xx.x. .xx.x x.xx. .x.xx xx..x", d_k=5, seed=6),
            one_score_0(*masked("xx.x. .xx.x x.xx. .x.xx xx..x", seed=8)),
        ),
        axes=("query", "key"),
        facts=(NO_NEGATIVE, ROWS_SUM),
        hint="A hidden key weighs exactly 0.",
        faults=(*MASKED_FAULTS, *MASK_FAULTS),
    ),
    Exercise(
        name="mask_label",
        reference=mask_label,
        solution=solutions.mask_label,
        arguments=("weights",),
        gives={"the answer": "True or False"},
        **PROMISED["mask_label"],
        probes=(
            looks("x....", "xx...", "xxx..", "xxxx.", "xxxxx"),
            looks("x....", "xx..x", "xxx..", "xxxx.", "xxxxx"),
            looks("x...x", "xx...", "xxx..", "xxxx.", "xxxxx"),
            looks("x.....", "xxx...", "xxx...", "xxxx..", "xxxxx.", "xxxxxx"),
            looks("x.....", "xx....", "xxx...", "xxxx..", "xxxxxx", "xxxxxx"),
            looks("xxx", "xxx", "xxx"),
            looks("xxx", ".xx", "..x"),
            looks("x..", ".x.", "..x"),
            looks("x...", "x...", ".xxx", "xxxx"),
        ),
        hint="One weight on a later key is enough to break the promise, whatever the row.",
        faults=(
            fault("mask-transposed", future=lambda W: np.tril(W, -1)),
            fault("mask-diagonal", future=lambda W: np.triu(W, 0)),
            fault("mask-label-one-row", future=lambda W: np.triu(W, 1)[0]),
            fault("mask-label-one-row", future=lambda W: np.triu(W, 1)[min(4, len(W) - 1)]),
            fault("mask-label-neighbour", future=lambda W: np.diag(W, 1)),
            fault("mask-label-neighbour", future=lambda W: np.triu(W, 2)),
            fault("mask-inverted", "mask_label", answer=lambda leak: leak.any()),
            fault("mask-label-amount", answer=lambda leak: leak.sum()),
        ),
    ),
    Exercise(
        name="sat_row",
        reference=sat_row,
        solution=solutions.sat_row,
        arguments=("Q", "K"),
        gives={"the weights of sat": "(6,)"},
        **PROMISED["sat_row"],
        probes=(
            *(draw((6, d_k), (6, d_k), seed=seed) for seed, d_k in ((1, 3), (2, 3), (3, 2))),
            small(6, 6, seed=4),
            LOUD,
            QUIET,
            CALM,
            one_score_0(*draw((6, 3), (6, 3), seed=5)),
        ),
        axes=("key",),
        facts=(NO_NEGATIVE, ROWS_SUM),
        hint="Three keys share the whole, and three weigh 0.",
        faults=(
            *MASKED_FAULTS,
            *(f for f in MASK_FAULTS if f.id != "mask-fixed"),
            fault("mask-diagonal", look=lambda mask: np.tri(6, k=1, dtype=bool)),
            fault("row-off-by-one", pick=lambda W: W[1]),
            fault("row-off-by-one", pick=lambda W: W[3]),
            fault("row-is-column", pick=lambda W: W[:, 2]),
            fault("row-all", pick=lambda W: W),
            fault("row-cut", pick=lambda W: W[2, :3]),
        ),
    ),
)
