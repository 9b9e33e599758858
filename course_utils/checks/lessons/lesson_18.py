"""The exercises of lesson 18: a real encoder."""

import numpy as np

from course_utils.attention import softmax
from course_utils.checks.engine.exercise import Exercise, fault
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_18 import PROMISED
from course_utils.checks.lessons.shared import draw, exp_share, rows, spread


def batched_attention(
    Q,
    K,
    V,
    mask,
    *,
    roles=lambda Q, K: (Q, K),
    product=lambda Q, K: Q @ K.swapaxes(-1, -2),
    scale=lambda Q: Q.shape[-1] ** -0.5,
    look=lambda mask: mask,
    hide=lambda s, mask: np.where(mask, s, -np.inf),
    late=None,
    share=exp_share,
    axis=rows,
    mix=lambda W, K, V: W @ V,
    pair=lambda output, W: (output, W),
):
    """Return output and weights of all heads of a batch: Q, K, V (batch, n_heads, n, d_k), mask (batch, 1, 1, n)."""
    scores = product(*roles(Q, K)) * scale(Q)
    W = late(share(scores, axis), look(mask)) if late else share(hide(scores, look(mask)), axis)
    return pair(mix(W, K, V), W)


def previous_token(weights, *, places=lambda W: np.diagonal(W, -1, -2, -1), mean=lambda found: found.mean(-1)):
    """Return the mean weight of each head (n_heads, n, n) on the token before."""
    return mean(places(weights))


def mean_pooling(
    hidden,
    mask,
    *,
    look=lambda mask: mask,
    keep=lambda X, mask: X * mask[..., None],
    over=lambda X: X.sum(1),
    count=lambda mask: mask.sum(1, keepdims=True),
    whole=None,
):
    """Return the mean (batch, d) of the tokens of each sentence of hidden (batch, n, d)."""
    mask = look(mask)
    return whole(hidden, mask) if whole else over(keep(hidden, mask)) / count(mask)


def batch(shape, tokens, seed):
    """Return Q, K, V of this shape and a mask, x = may look, that leaves keys to each sentence either way round."""
    mask = np.array([[letter == "x" for letter in row] for row in tokens.split()])
    return *draw(shape, shape, shape, seed=seed), mask[:, None, None]


def merged(heads):
    """Return heads (batch, n_heads, n, d) side by side: (batch, n, n_heads * d)."""
    side_by_side = heads.swapaxes(1, 2)
    return side_by_side.reshape(*side_by_side.shape[:2], -1)


def without_first(hidden, mask):
    """Return the mean of the tokens behind the first one; zeros where there are none."""
    return (hidden[:, 1:] * mask[:, 1:, None]).sum(1) / np.maximum(mask[:, 1:].sum(1, keepdims=True), 1)


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def padded(n, d, lengths, seed):
    """Return hidden (batch, n, d), with numbers in the padding too, and its mask."""
    return *draw((len(lengths), n, d), seed=seed), np.arange(n) < np.array(lengths)[:, None]


def over(axis):
    """Return a softmax along a wrong axis that can bear a column hidden whole: its -1e9 all count the same."""
    return lambda s, _: softmax(np.maximum(s, -1e9), axis)


# A hidden key hides a whole column, and a softmax down the columns meets that in three ways:
# with NaN, with equal shares, or, as the course's own, with an error.
AXIS_FAULTS = tuple(
    fault("softmax-axis", **switch)
    for axis in (-2, 1)
    for switch in (
        {"axis": lambda e, axis=axis: e.sum(axis, keepdims=True)},
        {"share": over(axis)},
        {"share": lambda s, _, axis=axis: softmax(s, axis)},
    )
)

EXERCISES = (
    Exercise(
        name="batched_attention",
        reference=batched_attention,
        solution=solutions.batched_attention,
        arguments=("Q", "K", "V", "mask"),
        gives={"the output": "(batch, n_heads, n, d_k)", "the weights": "(batch, n_heads, n, n)"},
        **PROMISED["batched_attention"],
        probes=(
            batch((2, 3, 4, 5), "xx.. x.xx", seed=1),
            batch((2, 3, 4, 5), "x.x. .xx.", seed=2),
            batch((2, 2, 3, 3), "xx. x.x", seed=3),  # as many tokens as numbers: here K need not be turned
            batch((3, 3, 3, 3), "x.. .xx xx.", seed=4),  # four equal axes: here all of them may be turned round
            batch((3, 2, 5, 4), "xxx.. ..xx. x..xx", seed=5),
            batch((2, 3, 4, 5), "xxxx xxxx", seed=6),  # nothing hidden: here a softmax may run down the columns
        ),
        hint="Each head of each sentence does what one head did.",
        faults=(
            fault("query-key-swapped", roles=lambda Q, K: (K, Q)),
            fault("key-not-transposed", product=lambda Q, K: Q @ K),
            fault("key-not-transposed", product=lambda Q, K: Q @ K.reshape(*K.shape[:2], K.shape[3], K.shape[2])),
            fault("key-all-axes", product=lambda Q, K: Q @ K.T),
            fault("scale-missing", scale=lambda Q: 1),
            fault("scale-dk-not-sqrt", scale=lambda Q: 1 / Q.shape[-1]),
            fault("scale-multiplied", scale=lambda Q: Q.shape[-1] ** 0.5),
            fault("scale-n", scale=lambda Q: Q.shape[-2] ** -0.5),
            fault("scale-wrong-axis", scale=lambda Q: Q.shape[1] ** -0.5),
            fault("scale-wrong-axis", scale=lambda Q: Q.shape[0] ** -0.5),
            fault("mask-inverted", look=np.logical_not),
            fault("mask-first-sentence", look=lambda mask: mask[:1]),
            fault("mask-missing", hide=lambda s, mask: s),
            fault("mask-times-scores", hide=lambda s, mask: s * mask),
            fault("mask-added", hide=lambda s, mask: s + mask),
            fault("mask-after-softmax", late=lambda W, mask: W * mask),
            *AXIS_FAULTS,
            fault("softmax-over-all", axis=lambda e: e.sum()),
            fault("softmax-unnormalised", share=lambda s, axis: np.exp(s)),
            fault("value-is-key", mix=lambda W, K, V: W @ K),
            fault("weights-transposed", mix=lambda W, K, V: W.swapaxes(-1, -2) @ V),
            fault("heads-merged-early", pair=lambda output, W: (merged(output), W)),
            fault("pair-swapped", pair=lambda output, W: (W, output)),
        ),
    ),
    Exercise(
        name="previous_token",
        reference=previous_token,
        solution=solutions.previous_token,
        arguments=("weights",),
        gives={"the means": "(n_heads,)"},
        **PROMISED["previous_token"],
        probes=(spread((3, 5, 5), 1), spread((3, 5, 5), 2), spread((2, 4, 4), 3), spread((4, 6, 6), 4)),
        facts=((lambda means: means.min() >= 0 and means.max() <= 1, "A mean of weights lies between 0 and 1."),),
        hint="Token 1 looks at token 0, token 2 at token 1, and so on.",
        faults=(
            fault("head-next-token", places=lambda W: np.diagonal(W, 1, -2, -1)),
            fault("head-itself", places=lambda W: np.diagonal(W, 0, -2, -1)),
            fault("head-two-before", places=lambda W: np.diagonal(W, -2, -2, -1)),
            fault("head-wrong-axes", places=lambda W: np.diagonal(W, -1)),
            fault("head-wraps-round", places=lambda W: W[:, np.arange(W.shape[1]), np.arange(W.shape[1]) - 1]),
            fault("head-first-column", places=lambda W: W[:, 1:, 0]),
            fault("head-sum", mean=lambda found: found.sum(-1)),
            fault("head-divided-by-n", mean=lambda found: found.sum(-1) / (found.shape[-1] + 1)),
            fault("head-largest", mean=lambda found: found.max(-1)),
            fault("head-one-number", mean=lambda found: found.mean()),
            fault("head-over-heads", mean=lambda found: found.mean(0)),
            fault("head-not-averaged", mean=lambda found: found),
        ),
    ),
    Exercise(
        name="mean_pooling",
        reference=mean_pooling,
        solution=solutions.mean_pooling,
        arguments=("hidden", "mask"),
        gives={"the means": "(batch, d)"},
        **PROMISED["mean_pooling"],
        probes=(
            padded(5, 3, (2, 4), seed=1),
            padded(5, 3, (3, 1), seed=2),
            padded(4, 2, (3, 2, 1), seed=3),
            padded(3, 3, (1, 2, 2), seed=4),  # three equal axes: here each of them may pass for another
        ),
        hint="A sentence of two tokens is divided by 2, however long the others are.",
        faults=(
            fault("pool-padding-only", look=np.logical_not),
            fault("pool-padding-added", keep=lambda X, mask: X),
            fault("pool-divided-by-n", count=lambda mask: mask.shape[1]),
            fault("pool-sum", count=lambda mask: 1),
            fault("pool-all-tokens", count=lambda mask: mask.sum()),
            fault("pool-mask-unused", whole=lambda X, mask: X.mean(1)),
            fault("pool-without-first", whole=without_first),
            fault("pool-first", whole=lambda X, mask: X[:, 0]),
            fault("pool-largest", over=lambda X: X.max(1), says="You seem to take a maximum where a sum is wanted."),
            fault("pool-largest", whole=lambda X, mask: X.max(1)),
            fault("pool-axis", over=lambda X: X.sum(-1)),
            fault("pool-axis", over=lambda X: X.sum(0)),
            fault("pool-normalised", whole=lambda X, mask: unit(mean_pooling(X, mask))),
            fault("pool-batch", whole=lambda X, mask: X[mask].mean(0)),
        ),
    ),
)
