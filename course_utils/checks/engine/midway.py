"""Which step of an answer is still right: its variables, beside those of the plain solution, on all probes."""

import ast
import sys
from itertools import combinations, count

import numpy as np

from course_utils.checks.engine.exercise import give
from course_utils.checks.engine.grammar import listed
from course_utils.checks.engine.outcome import as_outcome, close, same
from course_utils.checks.engine.running import run
from course_utils.checks.engine.source import tree_of

MOST_LINES = 80  # of one call that are looked at: enough for steps, and a long loop is not slowed down
MOST_STEPS = 3  # that are named
MOST_NUMBERS = 10_000
WANTED = object()  # stands beside the names of the steps
SAYS = {  # the variables of the plain solutions, in words; the others are not spoken of
    "products": "the dot products",
    "lengths": "the product of the two lengths",
    "exponentials": "the exponentials of the scores",
    "shifted": "the scores minus the largest of their row",
    "scores": "the scores",
    "weights": "the weights",
    "w": "the weights",
    "Q": "the queries",
    "K": "the keys",
    "V": "the values",
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
    "logs": "the logarithms of the probabilities",
    "of_right": "the log-probabilities of the right words",
    "probabilities": "the probabilities",
    "ends": "the right ends of all parts",
}


def last_right(case):
    """Return a sentence about the last steps that the answer has right, in its own variables; "" for none."""
    exercise, code = case.exercise, getattr(case.answer, "__code__", None)
    if exercise.solution is None or code is None or not set(code.co_varnames[code.co_argcount :]):
        return ""
    theirs, ours = _side_by_side(case, exercise.probes)
    if len(theirs) < len(exercise.probes):
        return ""
    right = {step: name for step in ours[0] if (name := _holder(theirs, ours, step))}
    promised = list(zip(*_side_by_side(case, exercise.promised), strict=True))
    right = {step: name for step, name in right.items() if all(_may_hold(*pair, name, step) for pair in promised)}
    if WANTED in right:
        return f"Your `{right[WANTED]}` holds what is wanted before the return: what happens to it then?"
    named = {name: f"`{name}` holds {SAYS[step]}" for step, name in right.items() if step in SAYS}
    named = dict(list(named.items())[-MOST_STEPS:])
    if not named:
        return ""
    held = listed(list(named.values()))
    if not _aside(case.answer, list(theirs[0]), set(right.values()), set(named)):
        return f"Right so far: {held}. Look at the rest."
    they, there = ("they", "those lines") if len(named) > 1 else ("it", "that line")
    return f"{held}, as {they} should. Look at the rest, also above {there}."


def _side_by_side(case, inputs):
    """Return what variables held, in the answer and in the plain solution, for the inputs that both come to an end with
    and that the solution is right for.
    """
    n_parts, exercise = len(case.exercise.gives), case.exercise
    theirs, ours = _variables(case.answer, inputs), _variables(exercise.solution, inputs)
    both = []
    for place in sorted(theirs.keys() & ours.keys()):
        wanted = exercise.give(inputs[place])
        if wanted.parts and same(give(exercise.solution, inputs[place], n_parts), wanted):
            if n_parts == 1:
                ours[place][WANTED] = [wanted.parts[0]]
            both.append((theirs[place], ours[place]))
    return [one for one, _ in both], [other for _, other in both]


def _may_hold(theirs, ours, name, step):
    """Tell whether a variable has the numbers of a step in one run; where one of both is not there, it may."""
    if name not in theirs or step not in ours:
        return True
    return any(close(value, ours[step][-1]) for value in theirs[name])


def _aside(answer, variables, right, named):
    """Tell whether a variable is made before the last of those that are named, is none of those that are right, and
    goes into no one of them: the mistake may stand there. True where the code cannot be read.

    variables: in the order in which they get their first value.
    """
    tree = tree_of(answer)
    if tree is None:
        return True
    made_from, last = _made_from(tree), max(map(variables.index, named))
    before = set(variables[:last])
    inside = more = {name for name in right if name in before} | named
    while more:
        more = set().union(*(made_from.get(name, set()) for name in more)) - inside
        inside = inside | more
    return not before <= inside


def _made_from(tree):
    """Return {variable: the names that stand in the lines that give it a value}."""
    found = {}
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None) or getattr(node, "iter", None)
        for target in filter(None, targets if value else ()):
            names = {part.id for side in (target, value) for part in ast.walk(side) if isinstance(part, ast.Name)}
            for part in ast.walk(target):
                if isinstance(part, ast.Name):
                    found.setdefault(part.id, set()).update(names)
    return found


def _holder(theirs, ours, step):
    """Return the variable of the answer that holds a step, None for none: that of its name, or else the first one.

    One number may be equal by chance: it counts only under its own name, or at its place among as many variables.
    """
    fits = [name for name in theirs[0] if _agree(theirs, name, ours, step)]
    if step != WANTED and all(one[step][-1].size == 1 for one in ours):
        steps, variables = [name for name in ours[0] if name != WANTED], list(theirs[0])
        there = variables[steps.index(step)] if len(variables) == len(steps) else step
        fits = [name for name in fits if name in (step, there)]
    return step if step in fits else next(iter(fits), None)


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
    """Return {the number of an input that the function comes to an end with: {variable: the arrays that it held}}."""
    found = {}
    run(_watched(function, found), inputs, 1)
    return found


def _watched(function, found):
    """Return the function, which adds to `found` what its variables held in each call."""

    calls = count()

    def call(*arguments):
        place, held = next(calls), {}
        given, before = [id(argument) for argument in arguments], sys.gettrace()

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
        found[place] = held
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
