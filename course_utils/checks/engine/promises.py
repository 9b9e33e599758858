"""Holds an answer to what the text of its exercise promises: inputs beyond the probes."""

import numpy as np

from course_utils.checks.engine import errors, words
from course_utils.checks.engine.outcome import as_outcome, is_finite, same
from course_utils.checks.engine.search import find_faults
from course_utils.checks.engine.smallest import axes_in, smallest
from course_utils.checks.engine.stubs import modules_read
from course_utils.checks.engine.verdict import not_yet, on_faults

LARGE = 50  # no ordinary number of a probe
LIBRARIES = ("tensorflow", "keras")


def broken(case):
    """Return what is found in an answer that is right for all probes: the first promise that it breaks, or None."""
    exercise = case.exercise
    outcomes, wanted = given(case), _imagined(exercise, ())
    if len(outcomes) == len(wanted) and all(map(same, outcomes, wanted)):
        return None
    if faults := find_faults(exercise, [*case.run.outcomes, *outcomes], 1):
        return on_faults(faults, exercise.gives)
    for promise in exercise.all_promises:
        kept = [same(*pair) for pair in zip(outcomes, wanted[: len(promise.inputs)], strict=False)]
        if not all(kept) or len(kept) < len(promise.inputs):
            place = kept.index(False) if False in kept else len(kept) - 1
            when = f"not {promise.when}" if not any(kept) else f"not always {promise.when}"
            return _but_not(case, promise, when, place, outcomes[place], wanted[place])
        outcomes, wanted = outcomes[len(kept) :], wanted[len(kept) :]
    return None


def besides(case, faults):
    """Return a sentence where these faults explain the probes but not what is promised besides; "" where they do."""
    exercise = case.exercise
    outcomes, imagined = iter(given(case)), iter(_imagined(exercise, faults))
    for promise in exercise.all_promises:
        for _ in promise.inputs:
            pair = next(outcomes, None), next(imagined)
            # Beyond finite numbers a fault and a student's own way to write it may go wrong differently.
            if pair[0] and all(map(is_finite, pair)) and not same(*pair):
                return f"That fits most of what was tried, but not all: look again at what happens {promise.when}."
    return ""


def gives_back(case, place):
    """Tell whether the argument of this place comes back as it went in, for all that is promised."""
    wanted = [as_outcome(arguments[place], 1) for arguments in case.exercise.promised]
    return all(map(same, given(case), wanted))


def given(case):
    """Return what the student's function gives for the promised inputs, as far as it gets.

    TensorFlow refuses whole numbers beside fractions, or cuts the fractions off, which is not the student's mistake:
    there what is wanted stands for what came.
    """
    exercise = case.exercise
    outcomes = case.outcomes_on(exercise.promised) if exercise.promised else []
    strict = not exercise.adapt and any(name.startswith(LIBRARIES) for name in modules_read(case.answer))
    whole = ["whole numbers" in promise.words for promise in exercise.all_promises for _ in promise.inputs]
    pairs = zip(outcomes, _imagined(exercise, ()), whole, strict=False)
    return [wanted if of_whole and (strict or _stops_inside(got)) else got for got, wanted, of_whole in pairs]


def _stops_inside(outcome):
    return outcome.problem == "raises" and any(f"/{library}/" in outcome.trace for library in LIBRARIES)


def _imagined(exercise, faults):
    place = len(exercise.probes)
    return [exercise.imagine(faults, place + i) for i in range(len(exercise.promised))]


def _but_not(case, promise, when, place, got, wanted):
    """What is said about an answer that is right, but not for the input of this place of a promise."""
    message, exercise = f"Your function is right for ordinary inputs, but {when}.", case.exercise
    arguments = promise.inputs[place]
    given = f"{message[:-1]}, for example with {words.sizes(exercise, arguments)}."
    if got.problem == "raises":
        said = f"There it {errors.in_words(got.detail).removeprefix('Your function ')}"
        return not_yet("promise-broken", f"{given} {said}")
    if got.problem or not got.parts:
        return not_yet("promise-broken", given)
    for name, came, right in zip(exercise.gives, got.parts, wanted.parts, strict=True):
        if came.shape != right.shape:
            return not_yet("promise-broken", f"{given} {words.shapes(exercise, name, came, right)}")
    example = smallest(exercise, case.answer, arguments)
    if not example:
        return not_yet("promise-broken", given)
    if _is_not_the_reason(case, promise, arguments, example[0]) or not _fails_only(case, promise):
        message = "Your function is right for most inputs, but not for all."
    elif "whole numbers" in promise.words and same(got, _cut_off(wanted)):
        message += " There every number has lost its decimals."
    return not_yet("promise-broken", f"{message} {words.example(exercise, example)}")


def _is_not_the_reason(case, promise, arguments, example):
    """Tell whether the answer is wrong, too, on small numbers for large ones, or on fractions for whole numbers."""
    if _largest(arguments) > LARGE > _largest(example):
        return True
    floats = tuple(v.astype(float) if isinstance(v, np.ndarray) and v.dtype.kind == "i" else v for v in example)
    (given,) = case.outcomes_on([floats])
    return "whole numbers" in promise.words and not same(given, case.exercise.give(floats))


def _fails_only(case, promise):
    """Tell whether an answer fails on two inputs that meet a condition, and on no others, in any order of rows."""
    exercise = case.exercise
    meet = [*promise.inputs, *_turned(exercise, promise.inputs)]
    wrong = sum(not right for right in _are_right(case, meet))
    return wrong > min(1, len(meet) - 1) and all(_are_right(case, _turned(exercise, exercise.probes)))


def _are_right(case, inputs):
    given = case.outcomes_on(inputs)
    return [same(got, case.exercise.give(arguments)) for got, arguments in zip(given, inputs, strict=False)]


def _turned(exercise, inputs):
    """Return the inputs with their first axis backwards, in all arguments that have it, where the text allows it.

    Inputs without an axis are numbers, and get larger by 1.
    """
    found = []
    for arguments in inputs:
        named, axes = axes_in(exercise, arguments)
        first = next((axis for name in axes for axis in axes[name] if axis), None)
        turned = tuple(_backwards(value, axes.get(name, ()), first) for name, value in named.items())
        if first is None:
            turned = tuple(value + 1 if isinstance(value, int) else value for value in arguments)
        wanted = exercise.give(turned) if exercise.allowed(*turned) else None
        if wanted and is_finite(wanted):
            found.append(turned)
    return found


def _backwards(value, axes, turned):
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
