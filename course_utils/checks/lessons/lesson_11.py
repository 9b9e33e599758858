"""The exercises of lesson 11: the block."""

from types import SimpleNamespace

import numpy as np

from course_utils.attention import MultiHeadAttention, softmax
from course_utils.checks.engine import words
from course_utils.checks.engine.exercise import Exercise, Value, fault
from course_utils.checks.engine.verdict import DONE, Finding, not_yet
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_11 import PROMISED, parts_of_a_block, vectors, wide
from course_utils.layers import gelu, random_block

EPSILON = 1e-3  # Keras's own


def layer_norm(
    X,
    gain,
    bias,
    epsilon=EPSILON,
    *,
    axis=-1,
    centre=lambda X, mean: X - mean,
    square=np.square,
    average=np.mean,
    divide=lambda X, variance, epsilon: X / np.sqrt(variance + epsilon),
    last=lambda X, gain, bias: X * gain + bias,
):
    """Shift and scale each vector of X (..., d) to mean 0 and variance 1, then multiply by gain and add bias (d,)."""
    X = centre(X, X.mean(axis=axis, keepdims=True))
    variance = average(square(X - X.mean(axis=axis, keepdims=True)), axis=axis, keepdims=True)
    return last(divide(X, variance, epsilon), gain, bias)


def feed_forward(
    X,
    W_in,
    b_in,
    W_out,
    b_out,
    *,
    bend=gelu,
    first=lambda X, W, b, bend: bend(X @ W + b),
    last=lambda wide, W, b, X: wide @ W + b,
):
    """Send each vector of X (..., d_model) through two matrices with a GELU between them."""
    return last(first(X, W_in, b_in, bend), W_out, b_out, X)


STEPS = {
    "place": lambda norm: norm,
    "adds": lambda residual, i: residual,
    "base": lambda X, inside, start: X,
    "reads": lambda X, start: X,
    "row": lambda i: i,
    "swap": lambda gain, bias: (gain, bias),
    "matrices": lambda W: W,
    "heads": lambda n_heads: n_heads,
    "order": (0, 1),
    "late": False,  # True: the norm stands behind the part, and the sum behind the norm
}


def block(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True, **wrong):
    """Return X (n, d_model) after attention and the feed-forward layer, each with its residual and its norm.

    wrong: steps of STEPS in another setting.
    """
    step = SimpleNamespace(**STEPS | wrong)
    start, norm = X, step.place(norm)
    for i in step.order:
        pair = step.swap(gains[step.row(i)], biases[step.row(i)])
        inside = step.reads(X, start)
        inside = layer_norm(inside, *pair) if "before" in norm else inside
        if i == 0:
            out = MultiHeadAttention(*step.matrices(W), step.heads(n_heads))(inside).output
        else:
            out = feed_forward(inside, W_in, b_in, W_out, b_out)
        out = layer_norm(out, *pair) if "after" in norm and step.late else out
        X = step.base(X, inside, start) + out if step.adds(residual, i) else out
        X = layer_norm(X, *pair) if "after" in norm and not step.late else X
    return X


EXERCISES = (
    Exercise(
        name="layer_norm",
        reference=layer_norm,
        solution=solutions.layer_norm,
        arguments=("X", "gain", "bias", "epsilon"),
        gives={"the normalised vectors": "(..., d)"},
        **PROMISED["layer_norm"],
        probes=(
            vectors((4, 5), 0.5, seed=1),
            vectors((4, 5), 0.001, seed=2),
            vectors((2, 3, 4), 0.1, seed=3),
            vectors((3, 3), 0.01, seed=4),
        ),
        hint="With a gain of 1, a bias of 0 and a tiny epsilon, each vector has mean 0 and variance 1.",
        faults=(
            fault("norm-over-tokens", axis=-2),
            fault("norm-over-tokens", axis=0),
            fault("norm-over-all", axis=None),
            fault("norm-not-centred", centre=lambda X, mean: X),
            fault("norm-mean-added", centre=lambda X, mean: X + mean),
            fault("norm-not-divided", divide=lambda X, variance, epsilon: X),
            fault("norm-variance-not-root", divide=lambda X, variance, epsilon: X / (variance + epsilon)),
            fault("norm-epsilon-outside", divide=lambda X, variance, epsilon: X / (np.sqrt(variance) + epsilon)),
            fault("norm-epsilon-missing", divide=lambda X, variance, epsilon: X / np.sqrt(variance)),
            fault("norm-epsilon-squared", divide=lambda X, variance, epsilon: X / np.sqrt(variance + epsilon**2)),
            fault("norm-multiplied", divide=lambda X, variance, epsilon: X * np.sqrt(variance + epsilon)),
            fault("norm-length", average=np.sum),
            fault("norm-one-less", average=lambda X, axis, keepdims: X.sum(axis, keepdims=True) / (X.shape[axis] - 1)),
            fault("norm-absolute", square=np.abs),
            fault("norm-gain-bias-swapped", last=lambda X, gain, bias: X * bias + gain),
            fault("norm-bias-too-early", last=lambda X, gain, bias: (X + bias) * gain),
            fault("norm-gain-divides", last=lambda X, gain, bias: X / gain + bias),
            fault("norm-gain-from-one", last=lambda X, gain, bias: X * (1 + gain) + bias),
        ),
    ),
    Exercise(
        name="feed_forward",
        reference=feed_forward,
        solution=solutions.feed_forward,
        arguments=("X", "W_in", "b_in", "W_out", "b_out"),
        gives={"the output": "(..., d_model)"},
        **PROMISED["feed_forward"],
        probes=(
            wide((4, 3), 5, seed=1),
            wide((4, 3), 5, seed=2),
            wide((2, 3, 2), 6, seed=3),
            wide((4, 4), 4, seed=4),  # square matrices: here a transposed one runs too
        ),
        hint="Make each vector wide, bend it, and bring it back to d_model.",
        faults=(
            fault("feed-bend-missing", bend=lambda X: X),
            fault("feed-other-bend", "relu", bend=lambda X: np.maximum(X, 0)),
            fault("feed-other-bend", bend=np.tanh),
            fault("feed-other-bend", bend=lambda X: 1 / (1 + np.exp(-X))),
            fault("feed-softmax", bend=softmax),
            fault("feed-bias-late", first=lambda X, W, b, bend: bend(X @ W) + b),
            fault("feed-bend-first", first=lambda X, W, b, bend: bend(X) @ W + b),
            fault("feed-half", last=lambda wide, W, b, X: wide),
            fault("feed-bend-twice", last=lambda wide, W, b, X: gelu(wide @ W + b)),
            fault("feed-residual", last=lambda wide, W, b, X: X + wide @ W + b),
            fault("feed-not-transposed", first=lambda X, W, b, bend: bend(X @ W.T + b)),
            fault("feed-not-transposed", last=lambda wide, W, b, X: wide @ W.T + b),
        ),
    ),
    Exercise(
        name="block",
        reference=block,
        solution=solutions.block,
        arguments=("X", "W", "W_in", "b_in", "W_out", "b_out", "gains", "biases", "n_heads", "norm", "residual"),
        gives={"the output": "(n, d_model)"},
        **PROMISED["block"],
        probes=(
            parts_of_a_block(4, 4, 6, 2, "after", True, seed=1),
            parts_of_a_block(4, 4, 6, 1, "before", False, seed=2),
            parts_of_a_block(3, 4, 5, 2, "before", True, seed=3),
            parts_of_a_block(3, 6, 4, 3, "none", True, seed=4),
            parts_of_a_block(3, 4, 5, 4, "after", False, seed=5),
            parts_of_a_block(2, 4, 3, 2, "none", False, seed=6),
        ),
        hint="There are six ways: three norms, each with and without the residual connection. Which of them fails?",
        faults=(
            fault("block-norm-ignored", place=lambda norm: "after"),
            fault("block-norm-ignored", place=lambda norm: "before"),
            fault("block-norm-ignored", place=lambda norm: "none"),
            fault("block-norm-none", place=lambda norm: "after" if norm == "none" else norm),
            fault("block-norm-none", place=lambda norm: "before" if norm == "none" else norm),
            fault("block-norm-swapped", place=lambda norm: {"after": "before", "before": "after"}.get(norm, norm)),
            fault("block-norm-twice", place=lambda norm: "before after" if norm == "before" else norm),
            fault("block-norm-twice", place=lambda norm: "before after" if norm == "after" else norm),
            fault("block-norm-inside-sum", late=True),
            fault("block-residual-always", adds=lambda residual, i: True),
            fault("block-residual-missing", adds=lambda residual, i: False),
            fault("block-residual-inverted", adds=lambda residual, i: not residual),
            fault("block-residual-one-part", adds=lambda residual, i: residual and i == 0),
            fault("block-residual-one-part", adds=lambda residual, i: residual and i == 1),
            fault("block-residual-one-part", adds=lambda residual, i: residual or i == 0),
            fault("block-residual-one-part", adds=lambda residual, i: residual or i == 1),
            fault("block-residual-normalised", base=lambda X, inside, start: inside),
            fault("block-residual-from-start", base=lambda X, inside, start: start),
            fault("block-side-by-side", reads=lambda X, start: start),
            fault("block-one-norm", row=lambda i: 0),
            fault("block-one-norm", row=lambda i: 1),
            fault("block-norms-swapped", row=lambda i: 1 - i),
            fault("norm-gain-bias-swapped", swap=lambda gain, bias: (bias, gain)),
            fault("block-part-missing", order=(0,)),
            fault("block-part-missing", order=(1,)),
            fault("block-parts-swapped", order=(1, 0)),
            fault("block-one-head", heads=lambda n_heads: 1),
            fault("query-key-swapped", matrices=lambda W: W[[1, 0, 2, 3]]),
            fault("key-value-swapped", "block", matrices=lambda W: W[[0, 2, 1, 3]]),
        ),
    ),
)


def after_24_blocks(norm, residual):
    """Return the mean cosine of two tokens, and the size of a number, after 24 blocks that have learned nothing."""
    X = np.random.default_rng(0).normal(size=(8, 16))
    for seed in range(24):
        X = block(X, *random_block(16, 32, seed), 2, norm, residual)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    return ((unit.sum(axis=0) ** 2).sum() - 8) / 56, np.sqrt(np.mean(X**2))


def judge_stack(answer):
    """Say what is found in (norm, residual): does a stack of 24 such blocks begin in a state that can be trained?"""
    norm, residual = answer.values() if isinstance(answer, dict) else answer
    norm = str(norm).strip().lower()
    if norm not in ("after", "before", "none") or residual not in (True, False):
        return not_yet("stack-unknown")
    found = "stack-no-residual" if not residual else {"none": "stack-no-norm", "after": "stack-norm-after"}.get(norm)
    if found is None:
        return Finding(DONE)
    likeness, size = after_24_blocks(norm, bool(residual))
    measured = f"Measured: a mean cosine of {likeness:.2f}, and numbers of the size {size:.0e}."
    return not_yet(found, f"{words.about(found)} {measured}")


EXERCISES += (
    Value(
        name="deep_stack",
        judge=judge_stack,
        wanted="the place of the norm and the residual connection: (norm, residual)",
        ids=("stack-no-residual", "stack-no-norm", "stack-norm-after", "stack-unknown"),
    ),
)
