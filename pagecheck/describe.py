"""Says what is known for sure about an answer that no known mistake explains: what is right, and what goes wrong."""

import numpy as np

from pagecheck import words
from pagecheck.compare import close, same
from pagecheck.promise import results
from pagecheck.shrink import axes_in, smallest
from pagecheck.source import last_right
from pagecheck.words import capital, counted, listed

MOST_WORDS = 78


def differs(case) -> str:
    """Return all that is known for sure, the most useful things first, and no more than can be read."""
    i, name, got, wanted = min(case.pairs(), key=lambda pair: sum(map(np.size, case.exercise.probes[pair[0]])))
    found = _small_input(case, i)
    small = words.example(case.exercise, found) if found else ""
    right_until = last_right(case)
    tried = "" if right_until else _parts(case, found)
    said = [
        right_until or tried,
        right_results(case),
        small or _first_difference(case, (i, name, got, wanted), tried),
        next((sentence for holds, sentence in case.exercise.facts if not holds(got)), ""),
    ]
    text = ""
    for sentence in filter(None, said):
        longer = f"{text} {sentence}".strip()
        text = longer if len(longer.split()) <= MOST_WORDS else text
    return text


def _first_difference(case, pair, tried):
    """Where the answer differs first, on an input of the check. tried: what was said of others, "" for nothing."""
    i, name, got, wanted = pair
    said = words.first_difference(case.exercise, case.exercise.probes[i], name, got, wanted)
    if not said.startswith("For "):
        given = words.sizes(case.exercise.arguments, case.exercise.probes[i])
        fits = [words.sizes(case.exercise.arguments, case.exercise.probes[k]) for k in _right_ones(case)]
        right = f"Your function is right with {fits[0]}, and not with {given}: " if fits else f"With {given}, "
        return f"{right}{said[0].lower()}{said[1:]}"
    return f"On another input {said[0].lower()}{said[1:]}" if tried else said


def _right_ones(case):
    return [k for k, pair in enumerate(zip(case.run.outcomes, case.wanted, strict=False)) if same(*pair)]


def fits_some(case) -> bool:
    """Tell whether the answer is right for some inputs."""
    return any(map(same, case.run.outcomes, case.wanted))


def where_it_raises(case) -> str:
    """Return a sentence about the first input for which an answer stops with an error, though others go well."""
    k = next(k for k, outcome in enumerate(case.run.outcomes) if outcome.problem == "raises")
    given = words.sizes(case.exercise.arguments, case.exercise.probes[k])
    return f"It is right for other inputs, and stops for {given}."


def reason_of_shape(case, part: str, got: np.ndarray, wanted: np.ndarray) -> str:
    """Return what is known about a length that is wrong: it never changes, or it is the length of another axis.

    Empty for nothing.
    """
    if got.ndim != wanted.ndim:
        are = "is" if wanted.ndim == 1 else "are"
        said = f"It has {counted(got.ndim, 'axis')}, and {wanted.ndim} {are} wanted."
        return said if got.ndim and wanted.ndim else ""
    place, exercise = list(case.exercise.gives).index(part), case.exercise
    inputs = (*exercise.probes, *exercise.promised)
    shapes = [
        (arguments, o.parts[place].shape, exercise.give(arguments).parts[place].shape)
        for arguments, o in zip(inputs, [*case.run.outcomes, *results(case)], strict=False)
        if not o.problem
    ]
    shapes = [found for found in shapes if len(found[2]) == wanted.ndim]  # leading axes may be few or many
    if any(len(came) != len(right) for _, came, right in shapes):
        return ""
    for axis in range(wanted.ndim):
        came, right = ([found[k][axis] for found in shapes] for k in (1, 2))
        if came != right and len(set(came)) == 1 < len(set(right)):
            return f"Axis {axis} has length {came[0]} for every input: does a fixed number stand there?"
        if came != right and (other := _axis_of_length(exercise, [found[0] for found in shapes], came)):
            return f"Axis {axis} has the length of {other}."
    return ""


def wrong_shape(case) -> str:
    """Return a sentence about the first result of another shape than is wanted, "" for none."""
    found = case.other_shape()
    if not found:
        return ""
    name, got, wanted = found
    said = f"{name} came in shape {got.shape}, and {wanted.shape} is wanted."
    return _begun(said) if got.ndim and wanted.ndim else ""


def _begun(said):
    """A sentence with a capital letter in front, but for a name such as dQ."""
    return capital(said) if said.startswith(("the ", "a ", "an ")) else said


def _axis_of_length(exercise, inputs, came):
    """The only axis of the arguments, by its name, that has these lengths on all inputs; None for none or several."""
    lengths = {}
    for arguments in inputs:
        named, axes = axes_in(exercise, arguments)
        here = {axis: size for n in axes for axis, size in zip(axes[n], np.shape(named[n]), strict=True)}
        for axis, size in here.items():
            lengths.setdefault(axis, []).append(size)
    fits = [axis for axis, found in lengths.items() if found == came]
    return fits[0] if len(fits) == 1 else None


def example(case) -> str:
    """Return a sentence about a small input on which the answer is wrong, "" where none can be worked out by hand."""
    found = small_input(case)
    return words.example(case.exercise, found) if found else ""


def small_input(case, finite: bool = False) -> tuple | None:
    """Return a small input on which the answer is wrong, as `smallest` gives it; None where there is none."""
    return _small_input(case, next((i for i, *_ in case.pairs()), 0), finite)


def _small_input(case, i, finite=False):
    """Return what `smallest` finds from the probe of that number, if a person can compute with it, or None.

    What makes a function of layers gives NaN where the answer itself has another number, so that shows nothing.
    """
    if case.is_slow or not case.exercise.shapes:
        return None
    found = smallest(case.exercise, case.answer, case.exercise.probes[i], finite, case.limits)
    if found and case.exercise.adapt and np.isnan(found[1].parts[0]).all():
        return None
    return found if found and words.can_be_shown(found[0]) else None


def _parts(case, found):
    """With how few steps of the computation all goes well, and with which it does not: each runs on inputs of its own.

    Only what was tried is said: a step that nobody asked for may spoil these inputs too. found: a small input on which
    the answer is wrong, or None; no try goes well that is like it.
    """
    before = None
    for part in case.exercise.parts:
        wanted = [case.exercise.give(arguments) for arguments in part.inputs]
        if not all(map(same, case.outcomes_on(part.inputs), wanted)):
            still = f"One try goes well: {before.where}. Another one does not" if before else "A simple try goes wrong"
            return f"{still}: {part.where}."
        before = None if found and part.like(*found[0]) else part
    return f"One try goes well: {before.where}." if before else ""


def right_results(case) -> str:
    """Return which of several results are right for all inputs, in a sentence."""
    names = list(case.exercise.gives)
    if len(names) == 1:
        return ""
    pairs = [(o.parts, w.parts) for o, w in zip(case.run.outcomes, case.wanted, strict=False) if not o.problem]
    right = [name for k, name in enumerate(names) if all(close(came[k], wanted[k]) for came, wanted in pairs)]
    wrong = [name for name in names if name not in right]
    if not right or not wrong:
        return ""
    be, be_not = ("is" if len(some) == 1 else "are" for some in (right, wrong))
    said = f"{listed(right)} {be} right, {listed(wrong)} {be_not} not."
    return _begun(said)
