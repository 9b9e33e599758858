"""Small edits of a right answer: hypotheses that nobody had to write down.

An edit changes one place of a plain solution: an axis, a sign, an argument, a step that is left out or done twice.
Where the edited solution gives what the student's function gives, on every probe, the edit says what to suspect.
The most frequent kinds come first.
"""

import ast
import copy
import inspect
import textwrap
import types
from collections.abc import Callable
from typing import NamedTuple

from course_utils.checks.engine.edit_rules import KINDS, changes, moves_axes, of_statements


class Edit(NamedTuple):
    """An edited solution.

    id: of its kind, on the page shared.md; details: what fills the blanks there. function: to be called.
    change: the tree of the solution, the node that is changed, and what stands in its place.
    """

    id: str
    details: dict
    function: Callable
    change: tuple


def edits_of(solution):
    """Return the edits of a plain function, those of the most frequent kinds first. No two give the same code."""
    tree, found = _changes_of(solution)
    edits, seen = [], {ast.dump(tree)}
    for kind, details, node, edited in found:
        with_edit = replaced(tree, node, edited)
        text = ast.dump(with_edit)
        if text not in seen:
            seen.add(text)
            edits.append(Edit(kind, details, _compiled(with_edit, solution), (tree, node, edited)))
    return edits


def pairs_of(solution):
    """Yield two edits of a plain function at once, and the function that both make; the most frequent kinds first.

    The tree itself is edited and put back, since a copy of it for each pair would take most of the time.
    """
    tree, found = _changes_of(solution)
    places = {id(child): place for parent in ast.walk(tree) for child, place in _places(parent)}
    inside = {id(node): {id(part) for part in ast.walk(node)} for _, _, node, _ in found}
    for i, (two, second, b, for_b) in enumerate(found):
        for one, first, a, for_a in found[:i]:
            if id(a) not in inside[id(b)] and id(b) not in inside[id(a)]:
                for node, edited in ((a, for_a), (b, for_b)):
                    _put(places[id(node)], ast.copy_location(edited, node))
                function = _compiled(ast.fix_missing_locations(tree), solution)
                for node in (a, b):
                    _put(places[id(node)], node)
                edits = Edit(one, first, function, (tree, a, for_a)), Edit(two, second, function, (tree, b, for_b))
                yield edits, function


def _places(parent):
    """Yield the nodes right below another, each with its place: the parent, the field, where it stands in a list."""
    for field, value in ast.iter_fields(parent):
        if isinstance(value, list):
            yield from ((child, (parent, field, k)) for k, child in enumerate(value) if isinstance(child, ast.AST))
        elif isinstance(value, ast.AST):
            yield value, (parent, field, None)


def _put(place, node):
    parent, field, k = place
    if k is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[k] = node


def _changes_of(solution):
    """The tree of a plain function, and its changes: (id, details, node, its replacement), the most frequent first."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(solution)))
    function = tree.body[0]
    nodes = [node for statement in function.body for node in ast.walk(statement)]
    names = [argument.arg for argument in function.args.args]
    moved = {id(part) for node in nodes if moves_axes(node) for a in node.args for part in ast.walk(a)}
    nodes = [node for node in nodes if id(node) not in moved or not isinstance(node, ast.Constant | ast.UnaryOp)]
    found = [change for node in nodes for change in changes(node, names)]
    found += [change for place in range(len(function.body)) for change in of_statements(function, place)]
    found.sort(key=lambda change: KINDS.index(change[0]))
    return tree, found


def replaced(tree, node, edited):
    """Return a copy of the tree in which another node stands in the place of this one."""
    return ast.fix_missing_locations(copy.deepcopy(tree, {id(node): edited}))


def _compiled(tree, solution):
    """Return the function of a tree.

    The text is our own solution, edited by our own rules; no text of a student is run.
    """
    code = next(c for c in compile(tree, "<an edited solution>", "exec").co_consts if isinstance(c, types.CodeType))
    return types.FunctionType(code, solution.__globals__, argdefs=solution.__defaults__)
