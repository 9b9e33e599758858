"""The exercises of lesson 18: a real encoder."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, fault
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_18 import PROMISED
from course_utils.checks.lessons.shared import draw, spread


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


def without_first(hidden, mask):
    """Return the mean of the tokens behind the first one; zeros where there are none."""
    return (hidden[:, 1:] * mask[:, 1:, None]).sum(1) / np.maximum(mask[:, 1:].sum(1, keepdims=True), 1)


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def padded(n, d, lengths, seed):
    """Return hidden (batch, n, d), with numbers in the padding too, and its mask."""
    return *draw((len(lengths), n, d), seed=seed), np.arange(n) < np.array(lengths)[:, None]


EXERCISES = (
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
