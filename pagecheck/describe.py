"""Says what is certain about an answer that no known mistake explains: what is right, and what goes wrong."""

import numpy as np

from pagecheck import words
from pagecheck.compare import close, same
from pagecheck.promise import results
from pagecheck.shrink import axes_in, smallest
from pagecheck.source import last_right
from pagecheck.words import capital, counted, listed

MOST_WORDS = 78


def certainties(case) -> str:
    """Return everything that is certain, the most useful first, up to a readable length."""
    i, name, got, wanted = min(case.pairs(), key=lambda pair: sum(map(words.amount, case.exercise.probes[pair[0]])))
    small_case = _small_input(case, i)
    small_case_text = words.example(case.exercise, small_case) if small_case else ""
    right_until = last_right(case)
    tried_parts = "" if right_until else _parts(case, small_case)
    sentences = [
        right_until or tried_parts,
        right_results(case),
        small_case_text or _first_difference(case, (i, name, got, wanted), tried_parts),
        next((sentence for holds, sentence in case.exercise.facts if not holds(got)), ""),
    ]
    text = ""
    for sentence in filter(None, sentences):
        longer = f"{text} {sentence}".strip()
        text = longer if len(longer.split()) <= MOST_WORDS else text
    return text


def _first_difference(case, pair, tried_parts):
    """Where the answer differs first, on an input of the check. tried_parts: what `_parts` said, "" for nothing."""
    i, name, got, wanted = pair
    sentence = words.first_difference(case.exercise, case.exercise.probes[i], name, got, wanted)
    if not sentence.startswith("For "):
        sizes = words.sizes(case.exercise.arguments, case.exercise.probes[i])
        right_sizes = [words.sizes(case.exercise.arguments, case.exercise.probes[k]) for k in _right_ones(case)]
        prefix = (
            f"Your function is right with {right_sizes[0]}, but not with {sizes}: "
            if right_sizes
            else f"With {sizes}, "
        )
        return f"{prefix}{sentence[0].lower()}{sentence[1:]}"
    return f"On another input, {sentence[0].lower()}{sentence[1:]}" if tried_parts else sentence


def _right_ones(case):
    return [k for k, pair in enumerate(zip(case.run.outcomes, case.wanted, strict=False)) if same(*pair)]


def fits_some(case) -> bool:
    """Tell whether the answer is right for some inputs."""
    return any(map(same, case.run.outcomes, case.wanted))


def where_it_raises(case) -> str:
    """Return a sentence about the first input for which an answer raises an error, though others succeed."""
    k = next(k for k, outcome in enumerate(case.run.outcomes) if outcome.problem == "raises")
    sizes = words.sizes(case.exercise.arguments, case.exercise.probes[k])
    return f"Your function is right for other inputs, but it stops for {sizes}."


def reason_of_shape(case, part: str, got: np.ndarray, wanted: np.ndarray) -> str:
    """Return what is known about a wrong length, that it never changes or is that of another axis; "" if nothing."""
    if got.ndim != wanted.ndim:
        sentence = f"Your result has {counted(got.ndim, 'axis')}, but it should have {wanted.ndim}."
        return sentence if got.ndim and wanted.ndim else ""
    part_index, exercise = list(case.exercise.gives).index(part), case.exercise
    inputs = (*exercise.probes, *exercise.promise_inputs)
    shapes = [
        (arguments, o.parts[part_index].shape, exercise.give(arguments).parts[part_index].shape)
        for arguments, o in zip(inputs, [*case.run.outcomes, *results(case)], strict=False)
        if not o.problem
    ]
    shapes = [triple for triple in shapes if len(triple[2]) == wanted.ndim]  # the number of leading axes may vary
    if any(len(got_lengths) != len(right_lengths) for _, got_lengths, right_lengths in shapes):
        return ""
    for axis in range(wanted.ndim):
        got_lengths, right_lengths = ([triple[k][axis] for triple in shapes] for k in (1, 2))
        if got_lengths != right_lengths and len(set(got_lengths)) == 1 < len(set(right_lengths)):
            return f"Axis {axis} has length {got_lengths[0]} for every input: does your code use a fixed number?"
        if got_lengths != right_lengths and (
            other := _axis_of_length(exercise, [triple[0] for triple in shapes], got_lengths)
        ):
            return f"Axis {axis} has length {other} instead."
    return ""


def wrong_shape(case) -> str:
    """Return a sentence about the first result of a wrong shape, "" for none."""
    difference = case.other_shape()
    if not difference:
        return ""
    name, got, wanted = difference
    result = "Your result" if len(case.exercise.gives) == 1 else f"Your result for {name}"
    sentence = f"{result} has shape {got.shape}, but it should have shape {wanted.shape}."
    return sentence if got.ndim and wanted.ndim else ""


def _capitalise(sentence):
    """Capitalise a sentence unless it begins with a name such as dQ."""
    return capital(sentence) if sentence.startswith("the ") else sentence


def _axis_of_length(exercise, inputs, wanted_lengths):
    """The name of the only axis of the arguments with these lengths on all inputs; None for none or several."""
    lengths = {}
    for arguments in inputs:
        named, axes = axes_in(exercise, arguments)
        sizes = {axis: size for n in axes for axis, size in zip(axes[n], np.shape(named[n]), strict=True)}
        for axis, size in sizes.items():
            lengths.setdefault(axis, []).append(size)
    fits = [axis for axis, found_lengths in lengths.items() if found_lengths == wanted_lengths]
    return fits[0] if len(fits) == 1 else None


def example(case) -> str:
    """Return a sentence about a small input on which the answer is wrong, "" if none can be computed by hand."""
    case_found = small_input(case)
    return words.example(case.exercise, case_found) if case_found else ""


def small_input(case, finite: bool = False) -> tuple | None:
    """Return a small input on which the answer is wrong, as `smallest` returns it; None if there is none."""
    return _small_input(case, next((i for i, *_ in case.pairs()), 0), finite)


def _small_input(case, i, finite=False):
    """Return what `smallest` finds from probe i, if a person can compute with it, or None.

    The adapter of layers gives NaN if the layer's numbers differ otherwise, so NaN shows nothing.
    """
    if case.is_slow or not case.exercise.shapes:
        return None
    shrunk = smallest(case.exercise, case.answer, case.exercise.probes[i], finite, case.limits)
    if shrunk and case.exercise.adapt and np.isnan(shrunk[1].parts[0]).all():
        return None
    return shrunk if shrunk and words.can_be_shown(shrunk[0]) else None


def _parts(case, small_case):
    """With how few steps of the computation the answer succeeds, and with which it fails; each part has its own inputs.

    It only reports what was tried, since an extra step may fail on these inputs too. small_case: a small input on which
    the answer is wrong, or None; a part like it does not count as a success.
    """
    last_passed = None
    for part in case.exercise.parts:
        wanted = [case.exercise.give(arguments) for arguments in part.inputs]
        outcomes = case.outcomes_on(part.inputs)
        if not all(map(same, outcomes, wanted)):
            passed = last_passed and f"Your function was right in one test, {last_passed.where}, but not in another,"
            right = "" if right_results(case) else _right_and_wrong(case.exercise, outcomes, wanted)
            there = f" There {right}." if right else ""
            return f"{passed or 'Your function does not work yet, not even'} {part.where}.{there}"
        last_passed = None if small_case and part.like(*small_case[0]) else part
    return f"Your function was right in one test, {last_passed.where}." if last_passed else ""


def right_results(case) -> str:
    """Return a sentence that says which of several results are right for all inputs, "" if none or all."""
    sentence = _right_and_wrong(case.exercise, case.run.outcomes, case.wanted)
    return f"{_capitalise(sentence)}." if sentence else ""


def with_right_results(case, finding, end: str = ""):
    """Return a finding whose message says first which of several results are right, unless it says that already.

    Only where the results have names of variables: dQ, dK and dV. end: what the message ends with.
    """
    is_named = all(map(str.isidentifier, case.exercise.gives))
    right = right_results(case) if is_named and " right" not in finding.message else ""
    return finding._replace(message=" ".join(filter(None, [right, finding.message, end])))


def _is_plural(name):
    return name.startswith("the ") and name.endswith("s") and not name.endswith("ss") and " of " not in name


def _right_and_wrong(exercise, outcomes, wanted):
    """Return "dQ is right, but dK and dV are not": which results these outcomes have right; "" if none or all."""
    names = list(exercise.gives)
    if len(names) == 1:
        return ""
    pairs = [(o.parts, w.parts) for o, w in zip(outcomes, wanted, strict=False) if not o.problem]
    right = [name for k, name in enumerate(names) if all(close(got[k], wanted[k]) for got, wanted in pairs)]
    wrong = [name for name in names if name not in right]
    if not right or not wrong:
        return ""
    verb, other_verb = ("are" if len(some) > 1 or _is_plural(some[0]) else "is" for some in (right, wrong))
    return f"{listed(right)} {verb} right, but {listed(wrong)} {other_verb} not"
