"""Held-out inputs with other sizes and numbers than the check's, drawn anew for each grading.

An answer that passes the check and fails on these has results or sizes hard-coded.
"""

import copy

import numpy as np

from pagecheck.compare import is_finite, same
from pagecheck.exercise import Value
from pagecheck.run import run
from pagecheck.shrink import axes_in, take
from pagecheck.words import NOT_YET, Finding

ROUNDS = 4  # inputs for each exercise
ATTEMPTS = 12  # for each of them: the exercise does not allow every draw
PERTURBATION = 3e-7  # relative, slightly more than float32 rounding
MAX_EXTRA = 3  # an axis grows by 1 to this many elements
EXCLUDED = ("compile_model",)  # Adam divides by a float32 gradient, so its rounding depends on the numbers
MESSAGE = (
    "It is right on the inputs of the check, and wrong on others: sizes or numbers of the check seem to be written "
    "into it. Compute everything from the arguments."
)


def held_out_finding(exercise, answer, seed):
    """Return a finding if an answer is wrong on held-out inputs, else None."""
    if isinstance(exercise, Value) or exercise.name in EXCLUDED:
        return None
    inputs = held_out_inputs(exercise, seed)
    expected = [exercise.give(arguments) for arguments in inputs]
    outcomes = run(answer, inputs, len(exercise.gives), limits=None).outcomes  # the sandbox limits it
    if len(outcomes) == len(inputs) and all(map(same, outcomes, expected)):
        return None
    return Finding(NOT_YET, ("held-out",), MESSAGE)


def held_out_inputs(exercise, seed):
    """Return inputs with other sizes and numbers than the check's, as far as the exercise allows."""
    rng = np.random.default_rng([seed, *exercise.name.encode()])
    inputs = []
    for i in range(ROUNDS):
        candidates = (candidate(exercise, i, rng, lengthen=attempt < ATTEMPTS // 2) for attempt in range(ATTEMPTS))
        inputs += next(([arguments] for arguments in candidates if is_valid(exercise, arguments)), [])
    return inputs


def candidate(exercise, i, rng, lengthen):
    """Return new arguments: drawn by the page where they belong together, else like one of its probes."""
    if exercise.fresh:
        return exercise.fresh(rng)
    return draw_like(exercise, exercise.probes[i % len(exercise.probes)], rng, lengthen)


def is_valid(exercise, arguments):
    """Whether arguments are allowed and their right answer is finite and does not depend on rounding."""
    try:
        right, nearby = exercise.give(arguments), exercise.give(tuple(map(perturb, arguments)))
        is_allowed = exercise.fresh or exercise.allowed(*arguments)  # a page draws what it allows
        return bool(is_allowed) and is_finite(right) and same(nearby, right)
    except Exception:  # `allowed` may fail on sizes it was not written for
        return False


def perturb(value):
    """Shift a float array by about a rounding error; return other values unchanged."""
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
        return value
    return (value * (1 + PERTURBATION * (-1.0) ** np.arange(value.size).reshape(value.shape))).astype(value.dtype)


def draw_like(exercise, probe, rng, lengthen):
    """Return arguments like a probe: resampled along its axes, optionally longer, with other numbers."""
    named, axes = axes_in(exercise, copy.deepcopy(probe))
    indices = draw_indices(named, axes, rng, lengthen)
    for name, value in named.items():
        if lengthen and exercise.shapes.get(name) == () and type(value) is int:
            value += int(rng.integers(1, MAX_EXTRA + 1))
        value = take(value, axes.get(name, ()), indices, name in exercise.tied)
        named[name] = value if name in exercise.tied else rescale(value, rng)
    return tuple(named.values())


def draw_indices(named, axes, rng, lengthen):
    """Return {axis: indices into it}: a permutation, plus some repeated if `lengthen`."""
    sizes = {axis: size for name in axes for axis, size in zip(axes[name], np.shape(named[name]), strict=True) if axis}
    indices = {}
    for axis, size in sizes.items():
        extra = rng.integers(1, MAX_EXTRA + 1) if lengthen else 0
        indices[axis] = np.concatenate([rng.permutation(size), rng.integers(0, size, extra)])
    return indices


def rescale(value, rng):
    """Halve some elements of a float array, which keeps rounding the same; return other values unchanged."""
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or not value.size:
        return value
    return (value * rng.choice([0.5, 1.0], value.shape)).astype(value.dtype)
