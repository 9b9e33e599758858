"""The exercises of lesson 04: queries, keys, values."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, fault
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_04 import PROMISED
from course_utils.checks.lessons.shared import (
    MIX_FAULTS,
    NO_NEGATIVE,
    ROWS_SUM,
    SCORE_FAULTS,
    WEIGHT_FAULTS,
    attention,
    draw,
    exp_share,
    scores,
    weights,
)

# Q, K, V: as many keys as queries, since that is all that a sentence needs that looks at itself.
# No two of n, d_k and d_v are equal, except in the last:
# there a product on the wrong side runs, and shows what it gives.
SENTENCES = (
    draw((5, 3), (5, 3), (5, 2), seed=1),
    draw((5, 3), (5, 3), (5, 2), seed=2),
    draw((4, 6), (4, 6), (4, 3), seed=3),
    draw((3, 3), (3, 3), (3, 3), seed=4),
)


def embed(ids, E, *, row=lambda ids, E: E[ids], last=lambda X: X):
    """Return the rows of E (n_vocabulary, d_model) for ids of any shape (..., n)."""
    return last(row(ids, E))


def one_hot(ids, E):
    return np.eye(len(E))[ids]


def sentences(n_vocabulary, d_model, *ids, seed):
    """Return ids and a table E."""
    return np.array(ids), *draw((n_vocabulary, d_model), seed=seed)


def project(X, W_Q, W_K, W_V, *, order=lambda *parts: parts, product=np.matmul, matrices=lambda *W: W):
    """Return Q, K and V of X (n, d_model)."""
    return order(*(product(X, W) for W in matrices(W_Q, W_K, W_V)))


CAUSAL_FAULTS = (  # a mask that nobody asked for, as in the code of a model that writes
    fault("mask-not-asked", share=lambda s, axis: exp_share(np.where(np.tri(*s.shape, dtype=bool), s, -np.inf), axis)),
)

EXERCISES = (
    Exercise(
        name="embed",
        reference=embed,
        solution=solutions.embed,
        arguments=("ids", "E"),
        gives={"the embeddings": "(n, d_model)"},
        **PROMISED["embed"],
        probes=(
            sentences(6, 3, 4, 2, 0, 2, 5, seed=1),
            sentences(6, 3, 1, 5, 3, 3, 2, seed=2),
            sentences(4, 4, 3, 1, 1, 2, seed=3),  # square: here ids may pick columns
            sentences(5, 2, 2, 0, 4, seed=4),
            sentences(7, 3, 2, 0, 4, 1, 3, seed=5),  # the last rows of the table are not looked up
        ),
        hint="Row i of the answer is the row of E that the id at place i names.",
        faults=(
            fault("embed-one-hot", row=one_hot),
            fault("embed-one-hot-narrow", row=lambda ids, E: np.eye(ids.max() + 1)[ids] @ E),
            fault("embed-columns", row=lambda ids, E: E[:, ids]),
            fault("embed-columns", row=lambda ids, E: E[:, ids].T),
            fault("embed-first-rows", row=lambda ids, E: E[: len(ids)]),
            fault("embed-shifted", row=lambda ids, E: E[ids - 1]),
            fault("embed-sorted", row=lambda ids, E: E[np.sort(ids)]),
            fault("embed-sorted", row=lambda ids, E: E[np.unique(ids)]),
            fault("embed-whole-table", row=lambda ids, E: E),
            fault("embed-times-id", row=lambda ids, E: ids[..., None] * E[ids]),
            fault("embed-one-vector", last=lambda X: X.sum(-2)),
            fault("embed-one-vector", last=lambda X: X.mean(-2)),
        ),
    ),
    Exercise(
        name="project",
        reference=project,
        solution=solutions.project,
        arguments=("X", "W_Q", "W_K", "W_V"),
        gives={"Q": "(n, d_k)", "K": "(n, d_k)", "V": "(n, d_v)"},
        **PROMISED["project"],
        probes=(
            draw((5, 4), (4, 3), (4, 3), (4, 2), seed=1),
            draw((5, 4), (4, 3), (4, 3), (4, 2), seed=2),
            draw((3, 6), (6, 2), (6, 2), (6, 5), seed=3),
            draw((3, 3), (3, 3), (3, 3), (3, 3), seed=4),
        ),
        hint="Each row of X, times a matrix, gives one row of Q, K or V.",
        faults=(
            fault("query-key-swapped", "project", order=lambda Q, K, V: (K, Q, V)),
            fault("key-value-swapped", order=lambda Q, K, V: (Q, V, K)),
            fault("query-value-swapped", order=lambda Q, K, V: (V, K, Q)),
            fault("project-order", order=lambda Q, K, V: (K, V, Q)),
            fault("project-order", order=lambda Q, K, V: (V, Q, K)),
            fault("project-one-matrix", matrices=lambda Q, K, V: (Q, Q, Q)),
            fault("project-one-matrix", matrices=lambda Q, K, V: (K, K, K)),
            fault("project-one-matrix", matrices=lambda Q, K, V: (V, V, V)),
            fault("project-reuses", matrices=lambda Q, K, V: (Q, K, K)),
            fault("project-reuses", matrices=lambda Q, K, V: (Q, K, Q)),
            fault("project-reuses", matrices=lambda Q, K, V: (Q, Q, V)),
            fault("project-reuses", matrices=lambda Q, K, V: (K, K, V)),
            fault("project-chained", matrices=lambda Q, K, V: (Q, Q @ K, Q @ K @ V)),
            fault("project-missing", product=lambda X, W: X),
            fault("project-missing", product=lambda X, W: W),
            fault("project-adds", product=lambda X, W: X + W),
            fault("product-elementwise", product=lambda X, W: X * W),
            fault("project-matrix-first", product=lambda X, W: W @ X),
            fault("project-matrix-transposed", product=lambda X, W: X @ W.T),
            fault("output-transposed", product=lambda X, W: (X @ W).T),
        ),
    ),
    Exercise(
        name="scores",
        reference=scores,
        solution=solutions.scores,
        arguments=("Q", "K"),
        gives={"the scores": "(n_queries, n_keys)"},
        **PROMISED["scores"],
        probes=tuple(probe[:2] for probe in SENTENCES),
        axes=("query", "key"),
        hint="Each place holds one query's dot product with one key, scaled.",
        faults=(*SCORE_FAULTS, fault("softmax-too-early", last=lambda s: np.exp(s) / np.exp(s).sum(-1, keepdims=True))),
    ),
    Exercise(
        name="weights",
        reference=weights,
        solution=solutions.weights,
        arguments=("Q", "K"),
        gives={"the weights": "(n_queries, n_keys)"},
        **PROMISED["weights"],
        probes=tuple(probe[:2] for probe in SENTENCES),
        axes=("query", "key"),
        facts=(NO_NEGATIVE, ROWS_SUM),
        hint="The rows sum to 1 as they should, so look at the scores.",
        faults=(*WEIGHT_FAULTS, *CAUSAL_FAULTS),
    ),
    Exercise(
        name="attention",
        reference=attention,
        solution=solutions.attention,
        arguments=("Q", "K", "V"),
        gives={"the output": "(n_queries, d_v)"},
        **PROMISED["attention"],
        probes=SENTENCES,
        hint="Each row mixes all values, with weights that sum to 1.",
        faults=(*WEIGHT_FAULTS, *MIX_FAULTS, *CAUSAL_FAULTS),
    ),
)
