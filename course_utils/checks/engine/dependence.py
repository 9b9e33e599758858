"""Steps that ask what an answer depends on: its arguments, the notebook around it, what an earlier call left behind."""

import inspect
import types
from collections.abc import Callable
from itertools import combinations

import numpy as np

from course_utils.checks.engine import known_for_sure, promises, words
from course_utils.checks.engine.grammar import listed
from course_utils.checks.engine.outcome import close, same
from course_utils.checks.engine.stubs import globals_read, loops, reads
from course_utils.checks.engine.verdict import not_yet


def reads_arrays(case):
    names = globals_read(case.answer, list | np.ndarray)
    return not_yet("uses-global", argument=" and ".join(names)) if names else None


def shortcut(case):
    """Return a sentence about a right answer that leaves to a function what the text wants written out; "" for none."""
    for wanted in case.exercise.by_hand:
        if wanted == "a loop" and not loops(case.answer):
            return "The numbers are right. The text asks for a loop, and there is none: write it once, without `@`."
        called = getattr(case.answer, "__globals__", {}).get(wanted)
        made = str(getattr(called, "__module__", None))
        if wanted in globals_read(case.answer, Callable) and made.startswith("course_utils"):
            return f"The numbers are right, and the course's `{wanted}` has made them: write its steps yourself once."
    return ""


def other_order(case):
    """The arguments come in another order: by their names, or because the answer is right when two change places.

    Without names that say so, only arguments of different kinds are tried: with Q and K the roles may be meant.
    """
    wanted, names = list(case.exercise.arguments), _parameters(case.answer)
    if names == wanted or len(names) != len(wanted):
        return None
    if sorted(names) == sorted(wanted):
        orders = [[wanted.index(name) for name in names]]
    else:
        kinds = [(type(value), np.ndim(value)) for value in case.exercise.probes[0]]
        orders = [_swapped(len(wanted), *pair) for pair in combinations(range(len(wanted)), 2)]
        orders = [order for order in orders if [kinds[k] for k in order] != kinds]
    for order in orders:
        moved = [tuple(probe[k] for k in order) for probe in case.exercise.probes]
        if all(map(same, case.outcomes_on(moved), case.wanted)):
            return not_yet("arguments-order", wanted=listed(wanted))
    return None


def _parameters(answer):
    try:
        return list(inspect.signature(answer).parameters)
    except (TypeError, ValueError):  # compiled functions may have no signature
        return []


def _swapped(count, a, b):
    """Return the places 0 to count - 1, with two of them exchanged."""
    return [{a: b, b: a}.get(k, k) for k in range(count)]


def wrong_helper(case):
    """The answer is right as soon as the course's function stands in the place of the student's own one."""
    for name in globals_read(case.answer, types.FunctionType):
        right, own = case.exercise.helpers.get(name), case.answer.__globals__[name]
        if right is None or own is case.answer or own.__module__ == right.__module__:
            continue
        mended = _with(case.answer, name, right)
        if all(map(same, case._replace(answer=mended).outcomes_on(case.exercise.probes), case.wanted)):
            return not_yet("helper-wrong", argument=name)
    return None


def _with(function, name, other):
    """Return a function that reads another one by this name."""
    names = function.__globals__ | {name: other}
    return types.FunctionType(function.__code__, names, argdefs=function.__defaults__, closure=function.__closure__)


def constant(case):
    """One and the same array came, though the inputs were different: for all that is promised, too."""
    answers = [o.parts[0] for o in case.run.outcomes if not o.problem]
    if len(answers) < 2 or not answers[0].size or not all(close(array, answers[0]) for array in answers[1:]):
        return None
    if not any(reads(case.answer, k) for k in range(len(case.exercise.arguments))):
        return reads_arrays(case) or not_yet("hard-coded")
    if any(got.parts and not close(got.parts[0], answers[0]) for got in promises.given(case)):
        return None
    value = words.number(answers[0].ravel()[0]) if answers[0].size == 1 else "the same"
    said = words.about("always-the-same", value=value)
    return not_yet("always-the-same", f"{said} {known_for_sure.example(case)}".strip())


def unused(case):
    """Change one argument at a time, from the first probe and from the second, which has the same shapes.

    Two inputs with one answer say nothing where the answer is yes or no.
    """
    if all(part.ndim == 0 and part in (0, 1) for outcome in case.wanted for part in outcome.parts):
        return None
    probes = case.exercise.probes[:2]
    for k, name in enumerate(case.exercise.arguments):
        pairs = [(one, (*one[:k], two[k], *one[k + 1 :])) for one, two in (probes, probes[::-1])]
        moved = [pair for pair in pairs if not same(*map(case.exercise.give, pair))]
        if moved and all(_gives_the_same(case, pair) for pair in moved):
            id = "argument-without-effect" if reads(case.answer, k) else "argument-unused"
            more = known_for_sure.example(case) if id == "argument-without-effect" else ""
            return not_yet(id, f"{words.about(id, argument=name)} {more}".strip())
    return None


def _gives_the_same(case, pair):
    given = case.outcomes_on(pair)
    return not given[0].problem and same(given[1], given[0])


def remembers(case):
    """The same input gives other numbers the second time: something is kept between two calls, or drawn at random."""
    first = case.exercise.probes[0]
    again = case.outcomes_on([first, first])
    if any(o.problem and o.problem != "raises" for o in again):
        return None
    return None if same(again[0], again[1]) and same(case.run.outcomes[0], again[0]) else not_yet("remembers")
