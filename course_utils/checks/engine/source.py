"""Reads the code of an answer, and of the student's own functions that it calls."""

import ast
import builtins
import inspect
import textwrap
from collections import Counter
from typing import NamedTuple

import numpy as np

from course_utils.checks.engine.features import features_of, made_from, name_of, sources

MOST_DEPTH = 3  # of the student's own functions inside one another
LIBRARIES = {
    "course_utils",
    "numpy",
    "builtins",
    "math",
    "statistics",
    "functools",
    "itertools",
    "collections",
    "scipy",
}


class Code(NamedTuple):
    """The features of an answer with how often each stands there, its nodes, and the names of what it calls."""

    features: Counter
    nodes: list
    called: set


def code_of(answer, arguments) -> Code | None:
    """Return what stands in an answer and in the student's own functions that it calls; None where not all can be read.

    arguments: the names that the exercise gives to the arguments, whatever they are called here.
    """
    nodes, features = [], Counter()
    given = [frozenset({name}) for name in arguments]
    try:
        readable = _read(answer, given, nodes, features, MOST_DEPTH)
    except (AttributeError, TypeError, ValueError, RecursionError):  # what only looks like a function
        return None
    if not readable:
        return None
    return Code(features, nodes, {name_of(part) for part in nodes if isinstance(part, ast.Call)})


def tree_of(function):
    """Return the node of a function or lambda; None where there is no source, or where several could be meant."""
    try:
        function = inspect.unwrap(function)
        code, tree = function.__code__, ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, ValueError, AttributeError):
        return None
    names = list(code.co_varnames[: code.co_argcount])
    fits = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.Lambda)
        and getattr(node, "name", "<lambda>") == code.co_name
        and [argument.arg for argument in node.args.args] == names
    ]
    return fits[0] if len(fits) == 1 else None


def _read(function, given, nodes, features, depth):
    """Add what stands in a function, and in the student's own ones that it calls; tell whether all could be read.

    given: what each argument is made from.
    """
    tree = tree_of(function)
    if tree is None or not depth:
        return False
    body = tree.body if isinstance(tree.body, list) else [tree.body]
    inside = [node for statement in body for node in ast.walk(statement)]
    made_of = sources(inside, dict(zip((argument.arg for argument in tree.args.args), given, strict=False)))
    nodes += inside
    features.update(feature for node in inside for feature in features_of(node, made_of))
    for call in inside:
        if isinstance(call, ast.Call):
            other = _called(call, function, inside)
            theirs = [made_from(argument, made_of) for argument in call.args]
            if other is None or (other and not _read(other, theirs, nodes, features, depth - 1)):
                return False
    return True


def _functions_in(nodes):
    """Return the names of the functions that stand in these nodes, with `def` or as `name = lambda`."""
    named = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    lambdas = [node for node in nodes if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda)]
    return named | {target.id for node in lambdas for target in node.targets if isinstance(target, ast.Name)}


def _called(call, function, nodes):
    """Return the student's own function that is called, "" for the course's or a library's, None where it is unknown.

    What an attribute calls is taken for a library's: an array's `sum`.
    """
    if isinstance(call.func, ast.Attribute):
        return ""
    name = getattr(call.func, "id", None)
    if name is None or name in _functions_in(nodes):
        return None if name is None else ""
    function = inspect.unwrap(function)
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    outside = vars(builtins) | function.__globals__ | {name: cell.cell_contents for name, cell in cells}
    other = outside.get(name)
    home = (getattr(other, "__module__", None) or "").lstrip("_").split(".")[0]  # reduce is at home in _functools
    if home in LIBRARIES or isinstance(other, np.ufunc):
        return "" if other.__name__ == name else None  # by another name it could be anything
    return other
