"""The exercise of lesson 07 that all later lessons build on: attention with a mask, over any leading axes."""

import numpy as np

from course_utils.attention import merge_heads, softmax
from course_utils.checks.engine.exercise import Exercise, fault
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_07 import PROMISED, batch
from course_utils.checks.lessons.shared import masked_attention, one_score_0


def batched_attention(Q, K, V, mask, **switches):
    """Return the output (..., n_queries, d_v) of Q (..., n_queries, d_k), K and V (..., n_keys, d_v) under a mask."""
    return masked_attention(Q, K, V, mask, **switches)


def over(axis):
    """Return a softmax along a wrong axis that can bear a column hidden whole: its -1e9 all count the same."""
    return lambda s, _: softmax(np.maximum(s, -1e9), axis)


# A hidden key hides a whole column, and a softmax down the columns meets that in three ways:
# with NaN, with equal shares, or, as the course's own, with an error.
BATCHED_AXIS_FAULTS = tuple(
    fault("softmax-axis", **switch)
    for axis in (-2, 1)
    for switch in (
        {"axis": lambda e, axis=axis: e.sum(axis, keepdims=True)},
        {"share": over(axis)},
        {"share": lambda s, _, axis=axis: softmax(s, axis)},
    )
)

BATCHED_ATTENTION = Exercise(
    name="batched_attention",
    reference=batched_attention,
    solution=solutions.batched_attention,
    arguments=("Q", "K", "V", "mask"),
    gives={"the output": "(…, n_queries, d_v)"},
    **PROMISED["batched_attention"],
    probes=(
        batch((2, 3, 4, 5), "xx.. x.xx", seed=1),
        batch((2, 3, 4, 5), "x.x. .xx.", seed=2),
        batch((2, 2, 3, 3), "xx. x.x", seed=3),  # as many tokens as numbers: here K need not be turned
        batch((3, 3, 3, 3), "x.. .xx xx.", seed=4),  # four equal axes: here all of them may be turned round
        batch((3, 2, 5, 4), "xxx.. ..xx. x..xx", seed=5),
        batch((2, 3, 4, 5), "xxxx xxxx", seed=6),  # nothing hidden: here a softmax may run down the columns
        one_score_0(*batch((2, 3, 4, 5), "xx.x xxx.", seed=19)),
    ),
    hint="Each head of each sentence does what one head did.",
    faults=(
        fault("query-key-swapped", roles=lambda Q, K: (K, Q)),
        fault("key-not-transposed", product=lambda Q, K: Q @ K),
        fault("key-not-transposed", product=lambda Q, K: Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])),
        fault("key-all-axes", product=lambda Q, K: Q @ K.T),
        fault("scale-missing", scale=lambda Q, K: 1),
        fault("scale-dk-not-sqrt", scale=lambda Q, K: 1 / Q.shape[-1]),
        fault("scale-multiplied", scale=lambda Q, K: Q.shape[-1] ** 0.5),
        fault("scale-n", scale=lambda Q, K: Q.shape[-2] ** -0.5),
        fault("scale-wrong-axis", scale=lambda Q, K: Q.shape[1] ** -0.5),
        fault("scale-wrong-axis", scale=lambda Q, K: Q.shape[0] ** -0.5),
        fault("mask-inverted", look=np.logical_not),
        fault("mask-first-sentence", look=lambda mask: mask[:1]),
        fault("mask-missing", hide=lambda s, mask: s),
        fault("mask-times-scores", hide=lambda s, mask: s * mask),
        fault("mask-zero-hidden", hide=lambda s, mask: np.where(s * mask == 0, -np.inf, s)),
        fault("mask-added", hide=lambda s, mask: s + mask),
        fault("mask-after-softmax", late=lambda W, mask: W * mask),
        *BATCHED_AXIS_FAULTS,
        fault("softmax-over-all", axis=lambda e: e.sum()),
        fault("softmax-unnormalised", share=lambda s, axis: np.exp(s)),
        fault("value-missing", mix=lambda W, K, V: W),
        fault("value-is-key", mix=lambda W, K, V: W @ K),
        fault("weights-transposed", mix=lambda W, K, V: W.swapaxes(-1, -2) @ V),
        fault("heads-merged-early", last=merge_heads),
    ),
)
