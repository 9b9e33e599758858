"""Which step of an answer is still right: its variables, beside those of the plain solution, on all probes."""

import sys
from itertools import combinations

import numpy as np

from course_utils.checks.engine.grammar import listed
from course_utils.checks.engine.outcome import as_outcome, close
from course_utils.checks.engine.running import run

MOST_LINES = 80  # of one call that are looked at: enough for steps, and a long loop is not slowed down
MOST_STEPS = 3  # that are named
MOST_NUMBERS = 10_000
WANTED = "what is wanted"
SAYS = {  # the variables of the plain solutions, in words; the others are not spoken of
    "products": "the dot products",
    "lengths": "the product of the two lengths",
    "exponentials": "the exponentials of the scores",
    "shifted": "the scores less the largest of their row",
    "scores": "the scores",
    "weights": "the weights",
    "w": "the weights",
    "Q": "the queries",
    "K": "the keys",
    "V": "the values",
    "mask": "the mask",
    "cut": "the vectors, cut into heads",
    "side_by_side": "the heads of each token, side by side",
    "heads": "the outputs of all heads",
    "angles": "the angles",
    "dweights": "the derivatives for the weights",
    "dscores": "the derivatives for the scores",
    "p": "the probabilities",
    "error": "the errors, divided by their number",
    "hits": "the number of hits",
    "embedding": "the weights of the embeddings",
    "attention": "the weights of the attention layer",
    "norm": "the weights of the layer norm",
    "answer": "the weights of the last unit",
    "right": "a True for each right prediction",
    "new": "the new highest score",
    "shrink": "the factor of the old sums",
    "e": "the new exponentials",
}


def last_right(case):
    """Return a sentence about the last steps that the answer has right, in its own variables; "" for none."""
    exercise, code = case.exercise, getattr(case.answer, "__code__", None)
    if exercise.solution is None or code is None or not set(code.co_varnames[code.co_argcount :]):
        return ""
    theirs = _variables(case.answer, exercise.probes)
    if len(theirs) < len(exercise.probes):
        return ""
    ours = _variables(exercise.solution, exercise.probes)
    for place, wanted in enumerate(case.wanted):
        if len(exercise.gives) == 1:
            ours[place][WANTED] = [wanted.parts[0]]
    right = {step: name for step in ours[0] if (name := _holder(theirs, ours, step))}
    if WANTED in right:
        return f"Your `{right[WANTED]}` holds what is wanted before the return: what happens to it then?"
    held = [f"`{name}` holds {SAYS[step]}" for step, name in right.items() if step in SAYS][-MOST_STEPS:]
    return f"Right so far: {listed(held)}. Look at the rest." if held else ""


def _holder(theirs, ours, step):
    """Return the variable of the answer that holds a step, "" for none: that of its name, or else the first one.

    One number may be equal by chance: it counts only under its own name, or at its place among as many variables.
    """
    fits = [name for name in theirs[0] if _agree(theirs, name, ours, step)]
    if step != WANTED and all(one[step][-1].size == 1 for one in ours):
        steps, variables = [name for name in ours[0] if name != WANTED], list(theirs[0])
        there = variables[steps.index(step)] if len(variables) == len(steps) else step
        fits = [name for name in fits if name in (step, there)]
    return step if step in fits else next(iter(fits), "")


def _agree(theirs, name, ours, step):
    """Tell whether a variable of the answer has the numbers of a step on all probes: not the same on all of them, and
    of single numbers under another name no two of them.
    """
    if not all(name in t and step in o for t, o in zip(theirs, ours, strict=True)):
        return False
    right = [one[step][-1] for one in ours]
    alike = sum(close(array, other) for array, other in combinations(right, 2))
    single = name != step and all(array.size == 1 for array in right)
    if alike and (single or alike == len(right) * (len(right) - 1) // 2):
        return False
    return all(any(close(v, wanted) for v in one[name]) for one, wanted in zip(theirs, right, strict=True))


def _variables(function, inputs):
    """Return, for each input that the function comes to an end with, {variable: the arrays that it held}."""
    found = []
    run(_watched(function, found), inputs, 1)
    return found


def _watched(function, found):
    """Return the function, which adds to `found` what its variables held in each call."""

    def call(*arguments):
        held, given, before = {}, [id(argument) for argument in arguments], sys.gettrace()

        def look(frame, event, _):
            if event == "return" or (event == "line" and look.lines < MOST_LINES):
                look.lines += 1
                _keep(held, frame.f_locals, given)
            return look

        look.lines = 0
        sys.settrace(lambda frame, event, _: look if frame.f_code is function.__code__ else None)
        try:
            result = function(*arguments)
        finally:
            sys.settrace(before)
        found.append(held)
        return result

    return call


def _keep(held, variables, given):
    """Add what variables hold now, where it is something new."""
    for name, value in variables.items():
        if id(value) in given or not isinstance(value, np.ndarray | np.generic | list | int | float):
            continue
        outcome = as_outcome(value, 1)
        if outcome.problem or outcome.parts[0].size > MOST_NUMBERS:
            continue
        arrays = held.setdefault(name, [])
        if not arrays or not np.array_equal(arrays[-1], outcome.parts[0]):
            arrays.append(outcome.parts[0])
