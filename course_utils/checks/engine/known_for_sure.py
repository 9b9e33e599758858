"""Says what is known for sure about an answer that no known mistake explains: what is right, and what goes wrong."""

import numpy as np

from course_utils.checks.engine import promises, words
from course_utils.checks.engine.grammar import counted, listed
from course_utils.checks.engine.midway import last_right
from course_utils.checks.engine.outcome import close, same
from course_utils.checks.engine.smallest import axes_in, smallest
from course_utils.checks.engine.stubs import globals_read, names_read
from course_utils.checks.engine.wrong_settings import wrong_with

NEAR = 0.05  # of the right number: what is estimated, or cut to whole numbers late, is nearly right
MOST_WORDS = 78


def differs(case):
    """Return all that is known for sure, the most useful things first, and no more than can be read."""
    i, name, got, wanted = min(case.pairs(), key=lambda pair: sum(map(np.size, case.exercise.probes[pair[0]])))
    found = _small_input(case, i)
    small = words.example(case.exercise, found) if found else ""
    broken = next((sentence for holds, sentence in case.exercise.facts if not holds(got)), "")
    settings, right_until = wrong_with(case), last_right(case)
    tried = "" if right_until else _steps(case, found)
    said = [
        settings,
        right_until or tried,
        right_parts(case),
        _rows(case),
        small or _first_difference(case, (i, name, got, wanted), tried),
        _rounded(case) or (not some_inputs(case) and _near(case)),
        broken or (not small and not settings and case.exercise.hint),
        _outside(case),
    ]
    text = ""
    for sentence in filter(None, said):
        longer = f"{text} {sentence}".strip()
        text = longer if len(longer.split()) <= MOST_WORDS else text
    return text


def _first_difference(case, pair, tried):
    """Where the answer differs first, on an input of the check; tried: what was said of others, "" for nothing."""
    i, name, got, wanted = pair
    said = words.first_difference(case.exercise, case.exercise.probes[i], name, got, wanted)
    return f"On another input {said[0].lower()}{said[1:]}" if tried else said


def _outside(case):
    """Which numbers of the notebook an answer reads. Those that the text names do not count."""
    ours = names_read(case.exercise.solution)
    names = [name for name in globals_read(case.answer, int | float | np.generic) if name not in ours]
    return f"It also reads {listed(names)} from the notebook." if names else ""


def some_inputs(case):
    """Tell whether the answer is right for some inputs."""
    return any(map(same, case.run.outcomes, case.wanted))


def where_it_raises(case):
    """Return a sentence about the first input for which an answer stops with an error, though others go well."""
    k = next(k for k, outcome in enumerate(case.run.outcomes) if outcome.problem == "raises")
    if settings := wrong_with(case, "It stops with {}, and is right with all others that were tried."):
        return settings
    given = words.sizes(case.exercise, case.exercise.probes[k])
    return f"It is right for other inputs, and stops for {given}."


def reason_of_shape(case, part, got, wanted):
    """Return what is known about a length that is wrong: it never changes, or it is the length of another axis.

    Empty for nothing.
    """
    if got.ndim != wanted.ndim:
        are = "is" if wanted.ndim == 1 else "are"
        said = f"It has {counted(got.ndim, 'axis')}, and {wanted.ndim} {are} wanted."
        return said if got.ndim and wanted.ndim else ""
    place, exercise = list(case.exercise.gives).index(part), case.exercise
    inputs = (*exercise.probes, *exercise.promised)
    outcomes = [*case.run.outcomes, *promises.given(case)]
    shapes = [
        (arguments, o.parts[place].shape, exercise.give(arguments).parts[place].shape)
        for arguments, o in zip(inputs, outcomes, strict=False)
        if not o.problem
    ]
    # Leading axes may be few for one input and many for another.
    shapes = [found for found in shapes if len(found[2]) == wanted.ndim]
    if any(len(came) != len(right) for _, came, right in shapes):
        return ""
    for axis in range(wanted.ndim):
        came, right = ([found[k][axis] for found in shapes] for k in (1, 2))
        if came != right and len(set(came)) == 1 < len(set(right)):
            return f"Axis {axis} has length {came[0]} for every input: does a fixed number stand there?"
        if came != right and (other := _axis_of_that_length(exercise, [found[0] for found in shapes], came)):
            return f"Axis {axis} has the length of {other}."
    return ""


def shape_besides(case):
    """Return a sentence about the first result of another shape than is wanted, "" for none."""
    found = case.other_shape()
    if not found:
        return ""
    _, got, wanted = found
    return f"It came in shape {got.shape}, and {wanted.shape} is wanted." if got.ndim and wanted.ndim else ""


def _axis_of_that_length(exercise, inputs, came):
    """The only axis of the arguments, by its name, that has these lengths on all inputs; None for none or several."""
    sizes = {}
    for arguments in inputs:
        named, axes = axes_in(exercise, arguments)
        for name in axes:
            for axis, size in zip(axes[name], np.shape(named[name]), strict=True):
                sizes.setdefault(axis, []).append(size)
    fits = [axis for axis, lengths in sizes.items() if lengths == came]
    return fits[0] if len(fits) == 1 else None


def example(case):
    """Return a sentence about a small input on which the answer is wrong, "" where none can be worked out by hand."""
    found = small_input(case)
    return words.example(case.exercise, found) if found else ""


def small_input(case, finite=False):
    """Return a small input on which the answer is wrong, as `smallest` gives it; None where there is none."""
    return _small_input(case, next((i for i, *_ in case.pairs()), 0), finite)


def _small_input(case, i, finite=False):
    """Return what `smallest` finds from the probe of that number, if a person can compute with it, or None.

    What makes a function of layers gives NaN where the answer itself has another number, so that shows nothing.
    """
    found = smallest(case.exercise, case.answer, case.exercise.probes[i], finite) if case.exercise.shapes else None
    if found and case.exercise.adapt and np.isnan(found[1].parts[0]).all():
        return None
    return found if found and words.can_be_shown(found[0]) else None


def _steps(case, found):
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


def right_parts(case):
    """Which of several results are right for all inputs."""
    names = list(case.exercise.gives)
    if len(names) == 1:
        return ""
    pairs = [(o.parts, w.parts) for o, w in zip(case.run.outcomes, case.wanted, strict=False) if not o.problem]
    right = [name for k, name in enumerate(names) if all(close(came[k], wanted[k]) for came, wanted in pairs)]
    wrong = [name for name in names if name not in right]
    if not right or not wrong:
        return ""
    be, be_not = ("is" if len(some) == 1 else "are" for some in (right, wrong))
    return words.capital_unless_name(f"{listed(right)} {be} right, {listed(wrong)} {be_not} not.")


def _rows(case):
    """Whether the first row or column alone is right, in every input."""
    pairs = list(case.pairs())
    if not all(got.shape == wanted.shape and 0 < wanted.ndim < 3 for _, _, got, wanted in pairs):
        return ""
    for axis in range(pairs[0][3].ndim):
        right = {_right_places(got, wanted, axis) for _, _, got, wanted in pairs}
        if right == {(0,)}:
            thing = "number" if pairs[0][3].ndim == 1 else ("row", "column")[axis]
            return f"The first {thing} is right, and no other one is."
    return ""


def _right_places(got, wanted, axis):
    count = wanted.shape[axis]
    return tuple(k for k in range(count) if close(got.take(k, axis), wanted.take(k, axis)))


def _rounded(case):
    """Whether all numbers have few decimals, and the right ones have not: rounding hides another mistake."""
    pairs = [(got, wanted) for _, _, got, wanted in case.pairs() if got.dtype.kind == "f" and np.isfinite(got).all()]
    for digits in range(4):
        if (
            len(pairs) > 1
            and not _all_alike([got for got, _ in pairs])
            and all(
                (got == got.round(digits)).all() and not close(wanted.round(digits), wanted) for got, wanted in pairs
            )
        ):
            count = ("no decimals", "1 decimal", "2 decimals", "3 decimals")[digits]
            return f"All your numbers have {count}: they seem to be rounded."
    return ""


def _all_alike(arrays):
    return len({number for array in arrays for number in array.ravel().tolist()}) == 1


def _moves_little(case):
    """Tell whether what is wanted lies near an argument, as new weights near the old ones: then all answers do."""
    pairs = [(part, np.asarray(v)) for part in case.wanted[0].parts for v in case.exercise.probes[0]]
    return any(
        v.dtype.kind == "f" and part.shape == v.shape and np.allclose(part, v, rtol=0.5, atol=0.1) for part, v in pairs
    )


def _near(case):
    """Whether every number is nearly right."""
    pairs = [(got, wanted) for _, _, got, wanted in case.pairs()]
    near = not _moves_little(case) and all(
        got.shape == wanted.shape and wanted.dtype.kind == "f" and (abs(got - wanted) <= NEAR * abs(wanted)).all()
        for got, wanted in pairs
    )
    return "Most numbers are nearly right: is something estimated, rounded or cut?" if near else ""
