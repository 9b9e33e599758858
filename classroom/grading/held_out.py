"""Inputs that no student has seen: of other sizes, with other numbers, drawn anew for each grading.

An answer that is right on the inputs of the check and wrong on these has the results written into it, or the sizes.
"""

import copy

import numpy as np

from pagecheck.compare import is_finite, same
from pagecheck.exercise import Value
from pagecheck.run import run
from pagecheck.shrink import axes_in, only
from pagecheck.words import NOT_YET, Finding

ROUNDS = 4  # inputs for each exercise
TRIES = 12  # draws for each of them: not all are what the text of the exercise allows
NEAR = 3e-7  # of a number: a rounding in float32, and some more
LONGER = 3  # an axis becomes longer by 1 to so many places
AS_THEY_ARE = ("compile_model",)  # Adam divides by the size of a gradient in float32: other numbers, other roundings
SAID = (
    "It is right on the inputs of the check, and wrong on others: sizes or numbers of the check seem to be written "
    "into it. Compute everything from the arguments."
)


def wrong_elsewhere(exercise, answer, seed):
    """Return a finding where an answer is wrong on inputs of its own seed; None where it is right on all."""
    if isinstance(exercise, Value) or exercise.name in AS_THEY_ARE:
        return None
    inputs = held_out(exercise, seed)
    wanted = [exercise.give(arguments) for arguments in inputs]
    outcomes = run(answer, inputs, len(exercise.gives), limits=None).outcomes  # its process has limits of its own
    if len(outcomes) == len(inputs) and all(map(same, outcomes, wanted)):
        return None
    return Finding(NOT_YET, ("held-out",), SAID)


def held_out(exercise, seed):
    """Return inputs of other sizes and numbers than the check's, as far as the text of the exercise allows them."""
    rng = np.random.default_rng([seed, *exercise.name.encode()])
    found = []
    for i in range(ROUNDS):
        probe = exercise.probes[i % len(exercise.probes)]
        drawn = (drawn_from(exercise, probe, rng, longer=attempt < TRIES // 2) for attempt in range(TRIES))
        found += next(([one] for one in drawn if is_right(exercise, one)), [])
    return found


def is_right(exercise, arguments):
    """Whether arguments are allowed, and the right answer to them is finite and hangs on no rounding."""
    try:
        right, near = exercise.give(arguments), exercise.give(tuple(map(nearly, arguments)))
        return bool(exercise.allowed(*arguments)) and is_finite(right) and same(near, right)
    except Exception:  # an exercise's own test of what is allowed, on sizes that it never meets
        return False


def nearly(value):
    """An array of fractions with others that are as near as two ways of rounding; all else as it is."""
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
        return value
    return (value * (1 + NEAR * (-1.0) ** np.arange(value.size).reshape(value.shape))).astype(value.dtype)


def drawn_from(exercise, probe, rng, longer):
    """Return arguments like a probe: rows and columns drawn from it anew, some axes longer, its numbers others."""
    named, axes = axes_in(exercise, copy.deepcopy(probe))
    places = places_of(named, axes, rng, longer)
    for name, value in named.items():
        if longer and exercise.shapes.get(name) == () and type(value) is int:
            value += int(rng.integers(1, LONGER + 1))
        value = only(value, axes.get(name, ()), places, name in exercise.tied)
        named[name] = value if name in exercise.tied else other_numbers(value, rng)
    return tuple(named.values())


def places_of(named, axes, rng, longer):
    """Return {axis: the places that are taken of it}: all of them in another order, and some of them twice."""
    sizes = {axis: size for name in axes for axis, size in zip(axes[name], np.shape(named[name]), strict=True) if axis}
    places = {}
    for axis, size in sizes.items():
        more = rng.integers(1, LONGER + 1) if longer else 0
        places[axis] = np.concatenate([rng.permutation(size), rng.integers(0, size, more)])
    return places


def other_numbers(value, rng):
    """An array of fractions with other ones: some of them halved, which rounds as before; all else as it is."""
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or not value.size:
        return value
    return (value * rng.choice([0.5, 1.0], value.shape)).astype(value.dtype)
