"""The exercises of lesson 07: many heads."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, fault
from course_utils.checks.lessons import shared, solutions
from course_utils.checks.lessons.batched import BATCHED_ATTENTION
from course_utils.checks.lessons.promised.text_07 import PROMISED, layer, two_sentences
from course_utils.checks.lessons.shared import (
    AXIS_FAULTS,
    MIX_FAULTS,
    SHARE_FAULTS,
    WEIGHT_FAULTS,
    draw,
    exp_share,
    rows,
)


def split_heads(X, n_heads, *, split=lambda X, h: X.reshape(len(X), h, -1).swapaxes(0, 1)):
    """Cut X (n, d) into heads (n_heads, n, d / n_heads)."""
    return split(X, n_heads)


def merge_heads(X, *, merge=lambda X: X.swapaxes(0, 1).reshape(X.shape[1], -1)):
    """Put heads (n_heads, n, d) side by side: (n, n_heads * d)."""
    return merge(X)


def multi_head(
    X,
    W_Q,
    W_K,
    W_V,
    W_O,
    n_heads,
    *,
    matrices=lambda *W: W,
    split=split_heads,
    product=lambda Q, K: Q @ K.swapaxes(-1, -2),
    scale=lambda d_head, d, d_model, n: d_head**-0.5,
    share=exp_share,
    axis=rows,
    mix=np.matmul,
    merge=merge_heads,
    last=np.matmul,
):
    """Return the output (n, d_out) of attention with n_heads heads."""
    Q, K, V = (split(X @ W, n_heads) for W in matrices(W_Q, W_K, W_V))
    factor = scale(Q.shape[-1], W_Q.shape[1], X.shape[1], len(X))
    return last(merge(mix(share(product(Q, K) * factor, axis), V)), W_O)


def cross_attention(X, context, W_Q, W_K, W_V, *, sources=lambda X, C: (X, C, C), **switches):
    """Return the output (n_queries, d_v): X (n_queries, d_model) looks at context (n_keys, d_model)."""
    Q, K, V = (source @ W for source, W in zip(sources(X, context), (W_Q, W_K, W_V), strict=True))
    if "scale_of" in switches:
        switches["scale"] = switches.pop("scale_of")(X)
    return shared.attention(Q, K, V, **switches)


SPLIT_FAULTS = (
    fault("heads-reshape-without-transpose", split=lambda X, h: X.reshape(h, len(X), -1)),
    fault("heads-not-moved", split=lambda X, h: X.reshape(len(X), h, -1)),
    fault("heads-interleaved", split=lambda X, h: X.reshape(len(X), -1, h).transpose(2, 0, 1)),
    fault("heads-not-cut", split=lambda X, h: np.stack([X] * h)),
)
MERGE_FAULTS = (
    fault("heads-merged-wrong", merge=lambda X: X.reshape(X.shape[1], -1)),
    fault("heads-interleaved", "merged", merge=lambda X: X.transpose(1, 2, 0).reshape(X.shape[1], -1)),
    fault("heads-added", merge=lambda X: X.sum(0)),
    fault("heads-added", merge=lambda X: X.mean(0)),
    fault("heads-stacked", merge=lambda X: X.reshape(-1, X.shape[-1])),
    fault("heads-first-only", merge=lambda X: X[0]),
)


EXERCISES = (
    BATCHED_ATTENTION,
    Exercise(
        name="split_heads",
        reference=split_heads,
        solution=solutions.split_heads,
        arguments=("X", "n_heads"),
        gives={"the heads": "(n_heads, n, d / n_heads)"},
        **PROMISED["split_heads"],
        probes=tuple(
            (*draw(shape, seed=seed), h)
            for seed, (shape, h) in enumerate((((4, 6), 2), ((4, 6), 2), ((6, 12), 3), ((3, 8), 4)))
        ),
        hint="Each head keeps all tokens, and sees a part of each vector.",
        faults=(
            *SPLIT_FAULTS,
            fault("heads-overlap", split=lambda X, h: np.stack([X[:, i : i + X.shape[1] // h] for i in range(h)])),
            fault("heads-split-tokens", split=lambda X, h: np.stack(np.split(X, h, axis=0))),
            fault("heads-transposed", split=lambda X, h: X.T.reshape(h, -1, len(X))),
        ),
    ),
    Exercise(
        name="merge_heads",
        reference=merge_heads,
        solution=solutions.merge_heads,
        arguments=("heads",),
        gives={"the merged vectors": "(n, n_heads * d_head)"},
        **PROMISED["merge_heads"],
        probes=tuple(draw(shape, seed=seed) for seed, shape in enumerate(((2, 4, 3), (2, 4, 3), (3, 5, 2), (4, 3, 2)))),
        hint="Each token has one row again.",
        faults=(
            *MERGE_FAULTS,
            fault("heads-last-first", merge=lambda X: X[::-1].swapaxes(0, 1).reshape(X.shape[1], -1)),
            fault("heads-transposed", merge=lambda X: X.swapaxes(1, 2).reshape(-1, X.shape[1])),
        ),
    ),
    Exercise(
        name="multi_head",
        reference=multi_head,
        solution=solutions.multi_head,
        arguments=("X", "W_Q", "W_K", "W_V", "W_O", "n_heads"),
        gives={"the output": "(n, d_out)"},
        **PROMISED["multi_head"],
        probes=(
            layer(4, 5, 2, 3, 7, 1),
            layer(4, 5, 2, 3, 7, 2),
            layer(3, 5, 3, 2, 4, 3),  # as many tokens as heads: here heads that stayed behind run too
            layer(3, 4, 2, 3, 5, 4),  # as many tokens as a head has numbers: here weights pass for values
            layer(5, 4, 2, 3, 6, 5),  # a square last matrix
        ),
        hint="Project, cut, attend, put together, mix.",
        faults=(
            *SPLIT_FAULTS[:3],
            fault("heads-ignored", split=lambda X, h: X[None]),
            *(f for f in MERGE_FAULTS if f.id in ("heads-merged-wrong", "heads-interleaved")),
            *(f for f in AXIS_FAULTS if f.id != "softmax-keepdims"),
            *(
                f
                for f in SHARE_FAULTS
                if f.id in ("softmax-missing", "softmax-unnormalised", "softmax-without-exp", "softmax-twice")
            ),
            fault("query-key-swapped", matrices=lambda Q, K, V: (K, Q, V)),
            fault("key-value-swapped", "multi_head", matrices=lambda Q, K, V: (Q, V, K)),
            fault("project-reuses", matrices=lambda Q, K, V: (Q, K, K)),
            fault("project-reuses", matrices=lambda Q, K, V: (Q, Q, V)),
            fault("project-one-matrix", matrices=lambda Q, K, V: (Q, Q, Q)),
            fault("scale-missing", scale=lambda d_head, d, d_model, n: 1),
            fault("scale-dk-not-sqrt", scale=lambda d_head, d, d_model, n: 1 / d_head),
            fault("scale-dmodel", scale=lambda d_head, d, d_model, n: d_model**-0.5),
            fault("scale-all-heads", scale=lambda d_head, d, d_model, n: d**-0.5),
            fault("scale-n", scale=lambda d_head, d, d_model, n: n**-0.5),
            fault("scale-multiplied", scale=lambda d_head, d, d_model, n: d_head**0.5),
            fault("weights-transposed", mix=lambda W, V: W.swapaxes(-1, -2) @ V),
            fault("value-missing", mix=lambda W, V: W),
            fault("output-matrix-missing", last=lambda merged, W_O: merged),
            fault("output-matrix-transposed", last=lambda merged, W_O: merged @ W_O.T),
        ),
    ),
    Exercise(
        name="cross_attention",
        reference=cross_attention,
        solution=solutions.cross_attention,
        arguments=("X", "context", "W_Q", "W_K", "W_V"),
        gives={"the output": "(n_queries, d_v)"},
        **PROMISED["cross_attention"],
        probes=(
            two_sentences(4, 5, 6, 3, 2, 1),
            two_sentences(4, 5, 6, 3, 2, 2),
            two_sentences(5, 3, 4, 2, 3, 3),
            two_sentences(4, 4, 5, 3, 2, 4),  # as many keys as queries: here wrong sources run too
            two_sentences(3, 3, 3, 3, 3, 5),
        ),
        hint="Each row of the output mixes values of the context.",
        faults=(
            fault("cross-swapped", sources=lambda X, C: (C, X, X)),
            fault("cross-context-unused", sources=lambda X, C: (X, X, X)),
            fault("cross-input-unused", sources=lambda X, C: (C, C, C)),
            fault("cross-values-from-input", sources=lambda X, C: (X, C, X)),
            fault("cross-keys-from-input", sources=lambda X, C: (X, X, C)),
            fault("cross-both", sources=lambda X, C: (X, np.vstack([C, X]), np.vstack([C, X]))),
            fault("scale-dmodel", scale_of=lambda X: lambda Q, K: X.shape[-1] ** -0.5),
            *WEIGHT_FAULTS,
            *MIX_FAULTS,
        ),
    ),
)
