"""Holds an answer to what the text of its exercise promises: inputs beyond the probes."""

import numpy as np

from pagecheck.compare import Outcome, as_outcome, is_finite, same
from pagecheck.shrink import axes_in, smallest
from pagecheck.source import modules_read
from pagecheck.words import Finding, example, shape_message, sizes

LARGE = 50  # no ordinary number of a probe
TENSORS = ("tensorflow", "keras")


def results(case) -> list[Outcome]:
    """Return what the student's function gives for the promised inputs, as far as it gets.

    TensorFlow refuses whole numbers beside fractions, or cuts the fractions off, which is not the student's mistake:
    there what is wanted stands for what came.
    """
    exercise = case.exercise
    outcomes = case.outcomes_on(exercise.promised) if exercise.promised else []
    strict = not exercise.adapt and any(name.startswith(TENSORS) for name in modules_read(case.answer))
    whole = ["whole numbers" in promise.words for promise in exercise.all_promises for _ in promise.inputs]
    pairs = zip(outcomes, wanted(exercise), whole, strict=False)
    return [right if of_whole and (strict or _stops_inside(got)) else got for got, right, of_whole in pairs]


def wanted(exercise, faults: tuple = ()) -> list[Outcome]:
    """Return what is right for the promised inputs, or what these faults make of it."""
    return [exercise.imagine(faults, len(exercise.probes) + i) for i in range(len(exercise.promised))]


def _stops_inside(outcome):
    return outcome.problem == "raises" and any(f"/{library}/" in outcome.trace for library in TENSORS)


def broken(case, outcomes: list[Outcome]) -> Finding | None:
    """Return what is found in an answer that is right for all probes: the first promise that it breaks, or None.

    outcomes: what it gives for the promised inputs.
    """
    right = wanted(case.exercise)
    for promise in case.exercise.all_promises:
        agree = [same(*pair) for pair in zip(outcomes, right[: len(promise.inputs)], strict=False)]
        if not all(agree) or len(agree) < len(promise.inputs):
            place = agree.index(False) if False in agree else len(agree) - 1
            when = f"not {promise.when}" if not any(agree) else f"not always {promise.when}"
            return _but_not(case, promise, when, place, outcomes[place], right[place])
        outcomes, right = outcomes[len(agree) :], right[len(agree) :]
    return None


def _but_not(case, promise, when, place, got, right):
    """What is said about an answer that is right, but not for the input of this place of a promise."""
    exercise, arguments, found = case.exercise, promise.inputs[place], case.course.not_yet
    small = smallest(exercise, case.answer, arguments, limits=case.limits) if got.parts else None
    message = "Your function is right for most inputs, but not for all"
    if _is_the_reason(case, promise, arguments, small[0] if small else arguments):
        message = f"Your function is right for ordinary inputs, but {when}"
    given = f"{message}, for example with {sizes(exercise.arguments, arguments)}."
    if got.problem == "raises":
        said, _ = case.course.reasons.of(got.detail)
        return found("promise-broken", f"{given} There it {said.removeprefix('Your function ')}")
    for name, came, shape in zip(exercise.gives, got.parts, right.parts, strict=True) if got.parts else ():
        if came.shape != shape.shape:
            return found("promise-broken", f"{given} {shape_message(exercise, name, came, shape, got.detail)}")
    if not small:
        return found("promise-broken", given)
    if "whole numbers" in promise.words and when in message and same(got, _cut_off(right)):
        message += ". There every number has lost its decimals"
    return found("promise-broken", f"{message}. {example(exercise, small)}")


def _is_the_reason(case, promise, arguments, small):
    """Tell whether what a promise says of its inputs is why the answer fails on them.

    It is not where the answer also fails on small numbers for large ones or on fractions for whole numbers, or on the
    ordinary inputs with their rows in another order.
    """
    if _largest(arguments) > LARGE > _largest(small):
        return False
    if "whole numbers" in promise.words:
        floats = tuple(v.astype(float) if isinstance(v, np.ndarray) and v.dtype.kind == "i" else v for v in small)
        (given,) = case.outcomes_on([floats])
        if not same(given, case.exercise.give(floats)):
            return False
    meet = [*promise.inputs, *_backwards(case.exercise, promise.inputs)]
    wrong = sum(not right for right in _are_right(case, meet))
    return wrong > min(1, len(meet) - 1) and all(_are_right(case, _backwards(case.exercise, case.exercise.probes)))


def _are_right(case, inputs):
    given = case.outcomes_on(inputs)
    return [same(got, case.exercise.give(arguments)) for got, arguments in zip(given, inputs, strict=False)]


def _backwards(exercise, inputs):
    """Return the inputs with their first axis backwards, in all arguments that have it, where the text allows it.

    Inputs without an axis are numbers, and get larger by 1.
    """
    found = []
    for arguments in inputs:
        named, axes = axes_in(exercise, arguments)
        first = next((axis for name in axes for axis in axes[name] if axis), None)
        turned = tuple(_flipped(value, axes.get(name, ()), first) for name, value in named.items())
        if first is None:
            turned = tuple(value + 1 if isinstance(value, int) else value for value in arguments)
        right = exercise.give(turned) if exercise.allowed(*turned) else None
        if right and is_finite(right):
            found.append(turned)
    return found


def _flipped(value, axes, turned):
    if isinstance(value, list):
        return value[::-1] if axes[:1] == (turned,) else value
    for place, axis in enumerate(axes):
        value = np.flip(value, place) if axis == turned else value
    return value


def _cut_off(outcome):
    return outcome._replace(parts=tuple(np.trunc(part) for part in outcome.parts))


def _largest(arguments):
    """The largest finite number in some arguments, whatever its sign."""
    arrays = [np.asarray(value) for value in arguments if np.asarray(value).dtype.kind in "fi"]
    return max((abs(array[np.isfinite(array)]).max(initial=0) for array in arrays), default=0)


def gives_back(case, place: int) -> bool:
    """Tell whether the argument of this place comes back as it went in, for all that is promised."""
    given = [as_outcome(arguments[place], 1) for arguments in case.exercise.promised]
    return all(map(same, results(case), given))
