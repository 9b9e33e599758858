"""Tests an answer on what the text of its exercise promises: inputs beyond the probes."""

import numpy as np

from pagecheck.compare import Outcome, as_outcome, is_finite, same
from pagecheck.shrink import axes_in, smallest
from pagecheck.source import modules_read
from pagecheck.words import Finding, example, shape_message, sizes

LARGE = 50  # larger than ordinary numbers of a probe
TENSORS = ("tensorflow", "keras")


def results(case) -> list[Outcome]:
    """Return the outcomes of the student's function for the promised inputs, as far as it gets.

    TensorFlow refuses to mix whole numbers with fractions, or truncates, which is not the student's mistake: the right
    outcome replaces such a result.
    """
    exercise = case.exercise
    outcomes = case.outcomes_on(exercise.promise_inputs) if exercise.promise_inputs else []
    strict = not exercise.adapt and any(name.startswith(TENSORS) for name in modules_read(case.answer))
    whole = ["whole numbers" in promise.words for promise in exercise.all_promises for _ in promise.inputs]
    pairs = zip(outcomes, right_outcomes(exercise), whole, strict=False)
    return [right if of_whole and (strict or _stops_inside(got)) else got for got, right, of_whole in pairs]


def right_outcomes(exercise, faults: tuple = ()) -> list[Outcome]:
    """Return the right outcomes for the promised inputs, or those with these faults."""
    return [exercise.imagine(faults, len(exercise.probes) + i) for i in range(len(exercise.promise_inputs))]


def _stops_inside(outcome):
    return outcome.problem == "raises" and any(f"/{library}/" in outcome.trace for library in TENSORS)


def broken_promise(case, outcomes: list[Outcome]) -> Finding | None:
    """Return the finding on an answer that is right for all probes: the first promise that it breaks, or None.

    outcomes: those for the promised inputs.
    """
    right = right_outcomes(case.exercise)
    for promise in case.exercise.all_promises:
        agree = list(map(same, outcomes, right[: len(promise.inputs)]))
        if not all(agree) or len(agree) < len(promise.inputs):
            index = agree.index(False) if False in agree else len(agree) - 1
            when = f"not {promise.when}" if not any(agree) else f"not always {promise.when}"
            return _promise_finding(case, promise, when, index, outcomes[index], right[index])
        outcomes, right = outcomes[len(agree) :], right[len(agree) :]
    return None


def _promise_finding(case, promise, when, index, got, right):
    """Return the finding on an answer that is right, but not for the input of a promise with this index."""
    exercise, arguments, not_yet = case.exercise, promise.inputs[index], case.course.not_yet
    small = smallest(exercise, case.answer, arguments, limits=case.limits) if got.parts else None
    message = "Your function is right for most inputs, but not for all of them"
    if _is_the_reason(case, promise, arguments, small[0] if small else arguments):
        message = f"Your function is right for ordinary inputs, but {when}"
    example_of = f"{message}: it fails, for example, with {sizes(exercise.arguments, arguments)}."
    if got.problem == "raises":
        sentence, _ = case.course.reasons.of(got.detail)
        return not_yet("promise-broken", f"{example_of} There it {sentence.removeprefix('Your function ')}")
    for name, array, shape in zip(exercise.gives, got.parts, right.parts, strict=True) if got.parts else ():
        if array.shape != shape.shape:
            return not_yet("promise-broken", f"{example_of} {shape_message(exercise, name, array, shape, got.detail)}")
    if not small:
        return not_yet("promise-broken", example_of)
    if "whole numbers" in promise.words and when in message and same(got, _truncated(right)):
        message += ". In that case all the numbers lose their decimals"
    return not_yet("promise-broken", f"{message}. {example(exercise, small)}")


def _is_the_reason(case, promise, arguments, small):
    """Tell whether what a promise says about its inputs is why the answer fails on them.

    It is not if the answer also fails with small numbers instead of large ones, with fractions instead of whole
    numbers, or on ordinary inputs with their rows reversed.
    """
    if _largest(arguments) > LARGE > _largest(small):
        return False
    if "whole numbers" in promise.words:
        floats = tuple(v.astype(float) if isinstance(v, np.ndarray) and v.dtype.kind == "i" else v for v in small)
        (outcome,) = case.outcomes_on([floats])
        if not same(outcome, case.exercise.give(floats)):
            return False
    inputs = [*promise.inputs, *_reversed_inputs(case.exercise, promise.inputs)]
    wrong = sum(not right for right in _are_right(case, inputs))
    return wrong > min(1, len(inputs) - 1) and all(
        _are_right(case, _reversed_inputs(case.exercise, case.exercise.probes))
    )


def _are_right(case, inputs):
    return list(map(same, case.outcomes_on(inputs), map(case.exercise.give, inputs)))


def _reversed_inputs(exercise, inputs):
    """Return the inputs with their first axis reversed in all arguments that have it, if the text allows it.

    Inputs without an axis are numbers, and grow by 1.
    """
    reversed_inputs = []
    for arguments in inputs:
        named, axes = axes_in(exercise, arguments)
        first = next((axis for name in axes for axis in axes[name] if axis), None)
        flipped = tuple(_flip(value, axes.get(name, ()), first) for name, value in named.items())
        if first is None:
            flipped = tuple(value + 1 if isinstance(value, int) else value for value in arguments)
        right = exercise.give(flipped) if exercise.allowed(*flipped) else None
        if right and is_finite(right):
            reversed_inputs.append(flipped)
    return reversed_inputs


def _flip(value, axes, flipped_axis):
    if isinstance(value, list):
        return value[::-1] if axes[:1] == (flipped_axis,) else value
    for i, axis in enumerate(axes):
        value = np.flip(value, i) if axis == flipped_axis else value
    return value


def _truncated(outcome):
    return outcome._replace(parts=tuple(np.trunc(part) for part in outcome.parts))


def _largest(arguments):
    """The largest finite number in some arguments, whatever its sign; a list may hold arrays of several shapes."""
    lists = [value for value in arguments if isinstance(value, list | tuple)]
    others = (np.asarray(value) for value in arguments if not isinstance(value, list | tuple))
    arrays = [array for array in others if array.dtype.kind in "fi"]
    return max([*map(_largest, lists), *(abs(array[np.isfinite(array)]).max(initial=0) for array in arrays)], default=0)


def gives_back(case, index: int) -> bool:
    """Tell whether the argument with this index is returned unchanged, for all promised inputs."""
    wanted_outcomes = [as_outcome(arguments[index], 1) for arguments in case.exercise.promise_inputs]
    return all(map(same, results(case), wanted_outcomes))
