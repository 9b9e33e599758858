"""What comes after return: nothing, though there is a return; or an argument, though something was written into it."""

import ast
import inspect

import numpy as np

from course_utils.checks.engine.errors import MOST_OF_A_LINE
from course_utils.checks.engine.features import name_of
from course_utils.checks.engine.running import run
from course_utils.checks.engine.source import tree_of

PLACES = {"arange", "where", "nonzero", "flatnonzero", "argsort", "argwhere", "ix_", "isin"}


def nothing(answer):
    """Return what is said where nothing comes back from an answer that has a return; "" where it has none.

    Which return is reached is known only where there is one, at the end.
    """
    tree = tree_of(answer)
    if isinstance(tree, ast.Lambda):
        return f"Your function gives back nothing: {_is_nothing(tree.body)}."
    returns = [node for node in _own(tree) if isinstance(node, ast.Return) and not _is_none(node.value)] if tree else []
    if not returns:
        return ""
    if len(returns) > 1 or returns[0] is not tree.body[-1]:
        return "Your function gives back nothing, though it has a return. Is it reached, and what comes after it?"
    said = f"Your function gives back nothing, though it ends with {_line(answer, returns[0])}"
    return f"{said}: {_is_nothing(returns[0].value)}."


def _line(answer, node):
    """Return the line of a statement as it was written; "a return" for several lines, or for a long one."""
    lines = inspect.getsource(inspect.unwrap(answer)).splitlines()[node.lineno - 1 : node.end_lineno]
    fits = len(lines) == 1 and len(lines[0].strip()) <= MOST_OF_A_LINE
    return f"`{lines[0].strip()}`" if fits else "a return"


def _own(tree):
    """Yield the nodes of a function, without those of a function inside it."""
    inside = list(ast.iter_child_nodes(tree))
    while inside:
        node = inside.pop(0)
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            inside += ast.iter_child_nodes(node)


def _is_none(node):
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def _is_nothing(node):
    if isinstance(node, ast.Call) and len(name := ast.unparse(node.func)) <= MOST_OF_A_LINE:
        return f"`{name}` itself gives back nothing"
    return "what stands there is None"


def unchanged(case, argument):
    """Return what is said where an argument comes back with its numbers, and not by its name; "" where it is handed on.

    argument: its name.
    """
    tree, place = tree_of(case.answer), case.exercise.arguments.index(argument)
    if tree and (copy := _written_copy(tree, _arrays(case, tree))):
        line, into = copy
        return (
            f"What comes back has the numbers of {argument} as they came. {line} makes a copy, because its index "
            f"is an array, and what is written into the copy does not reach `{into}`."
        )
    writes = tree and any(isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) for n in ast.walk(tree))
    if not writes and (_hands_on(case, place) or (tree and _names_it(tree, place))):
        return ""
    return f"What comes back has the numbers of {argument} as they came: nothing in your function has changed them."


def _names_it(tree, place):
    """Whether an argument stands behind each return: an answer that is built of layers gets no array to hand on."""
    values = [tree.body] if isinstance(tree, ast.Lambda) else [n.value for n in _own(tree) if isinstance(n, ast.Return)]
    name = tree.args.args[place].arg if place < len(tree.args.args) else ""
    return all(isinstance(value, ast.Name) and value.id == name for value in values)


def _hands_on(case, place):
    """Tell whether what comes back is the very object that went in."""
    same = []

    def watched(*arguments):
        same.append((result := case.answer(*arguments)) is arguments[place])
        return result

    run(watched, case.exercise.probes, len(case.exercise.gives))
    return bool(same) and all(same)


def _arrays(case, tree):
    """The names that stand for arrays of places, or of True and False: arguments, and what functions of PLACES make."""
    names, nodes = [argument.arg for argument in tree.args.args], list(ast.walk(tree))
    given = {name for name, value in zip(names, case.exercise.probes[0], strict=False) if _has_axes(value)}
    found = {name for name in given if not _stored(name, nodes)}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and _picks(node.value, found):
            found |= {name for name in [node.targets[0].id] if _stored(name, nodes) == 1}
    return found


def _stored(name, nodes):
    """How many times a name gets a value."""
    return sum(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store) for node in nodes)


def _has_axes(value):
    return isinstance(value, np.ndarray) and value.ndim > 0


def _picks(index, arrays):
    """Whether something in the brackets is an array, which makes a copy, where slices and numbers show the same one."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(
        isinstance(part, ast.List | ast.Compare)
        or (isinstance(part, ast.Call) and name_of(part) in PLACES)
        or (isinstance(part, ast.Name) and part.id in arrays)
        for part in parts
    )


def _written_copy(tree, arrays):
    """Return the line in which a copy is made that is written into and then left, and what it is a copy of; or None."""
    nodes = list(ast.walk(tree))
    written = [n for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    for copy in (n.value for n in written):
        if isinstance(copy, ast.Subscript) and _picks(copy.slice, arrays):
            return f"`{ast.unparse(copy)}`", ast.unparse(copy.value)
    for line in nodes:
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            name, value = line.targets[0].id, line.value
            if isinstance(value, ast.Subscript) and _picks(value.slice, arrays) and _only_written(name, nodes, written):
                return f"`{ast.unparse(line)}`", ast.unparse(value.value)
    return None


def _only_written(name, nodes, written):
    """Whether something is written into what a name holds, and it then goes back nowhere."""
    into = any(isinstance(n.value, ast.Name) and n.value.id == name for n in written)
    back = [n.value for n in nodes if isinstance(n, ast.Return) and n.value]
    back += [n.value for n in nodes if isinstance(n, ast.Assign) and not isinstance(n.targets[0], ast.Name)]
    back = [part for value in back for part in ast.walk(value)]
    again = any(isinstance(part, ast.Name) and part.id == name for part in back)
    return _stored(name, nodes) == 1 and into and not again
