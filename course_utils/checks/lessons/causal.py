"""The exercise of lesson 17 that keeps a writer honest: attention that looks back, over any leading axes."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, fault
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_17 import PROMISED, review_heads
from course_utils.checks.lessons.shared import masked_attention, one_score_0, turned


def causal_attention(Q, K, V, *, may=lambda Q: np.tri(Q.shape[-2], dtype=bool), **switches):
    """Return the output (..., n, d_v) of Q, K (..., n, d_k) and V (..., n, d_v): no word looks ahead."""
    return masked_attention(Q, K, V, may(Q), **switches)


def triangle(k):
    """Return what makes a causal mask whose diagonal lies k places to the right."""
    return lambda Q: np.tri(Q.shape[-2], k=k, dtype=bool)


CAUSAL_ATTENTION = Exercise(
    name="causal_attention",
    reference=causal_attention,
    solution=solutions.causal_attention,
    arguments=("Q", "K", "V"),
    gives={"the output": "(…, n, d_v)"},
    **PROMISED["causal_attention"],
    probes=(
        review_heads((2, 3), 4, 5, 5, seed=1),
        review_heads((2, 3), 4, 5, 5, seed=2),
        review_heads((4, 2), 4, 3, 3, seed=3),  # as many reviews as words: here a mask may have a wrong length
        review_heads((2, 3), 3, 3, 3, seed=4),  # as many words as numbers, and as heads: here K need not be turned
        review_heads((3, 3), 3, 3, 3, seed=5),  # four equal axes: here all of them may be turned round
        one_score_0(*review_heads((2, 3), 4, 5, 5, seed=6)),
    ),
    hint="The last word of a review sees all of it, and the first one itself alone.",
    faults=(
        fault("mask-missing", hide=lambda s, mask: s),
        fault("mask-inverted", look=np.logical_not),
        fault("mask-transposed", look=turned),
        fault("mask-diagonal", may=triangle(1)),
        fault("mask-diagonal", may=triangle(-1)),
        fault("mask-self-only", may=lambda Q: np.eye(Q.shape[-2], dtype=bool)),
        fault("mask-times-scores", hide=lambda s, mask: s * mask),
        fault("mask-zero-hidden", hide=lambda s, mask: np.where(s * mask == 0, -np.inf, s)),
        fault("mask-added", hide=lambda s, mask: s + mask),
        fault("mask-after-softmax", late=lambda W, mask: W * mask),
        fault("query-key-swapped", roles=lambda Q, K: (K, Q)),
        fault("key-not-transposed", product=lambda Q, K: Q @ K),
        fault("key-all-axes", product=lambda Q, K: Q @ K.T),
        fault("scale-missing", scale=lambda Q, K: 1),
        fault("scale-dk-not-sqrt", scale=lambda Q, K: 1 / Q.shape[-1]),
        fault("scale-multiplied", scale=lambda Q, K: Q.shape[-1] ** 0.5),
        fault("scale-n", scale=lambda Q, K: Q.shape[-2] ** -0.5),
        fault("softmax-axis", axis=lambda e: e.sum(-2, keepdims=True)),
        fault("softmax-unnormalised", share=lambda s, axis: np.exp(s)),
        fault("value-missing", mix=lambda W, K, V: W),
        fault("value-is-key", mix=lambda W, K, V: W @ K),
        fault("weights-transposed", mix=lambda W, K, V: turned(W) @ V),
    ),
)
