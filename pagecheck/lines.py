"""Other lines of a function: one compiled function that runs with any of its lines replaced.

A function is compiled once, with a selector for each line that has others: `at_scale=2` runs the second other line in
the place of the one that makes `scale`. All selectors are 0 where nothing is replaced.
"""

import ast
import copy
import re
from typing import NamedTuple

WHOLE = "..."  # stands for the whole body
BODIES = ("body", "orelse", "finalbody")  # of a statement that holds others


class Hunk(NamedTuple):
    """One line of a function and what stands there instead, with their places in the page. new: "" for a lost line."""

    old: str
    new: str
    old_at: int
    new_at: int


class NoSuchLine(ValueError):
    """A line that a function does not have, or has twice, or that is no Python. at: its place in the page."""

    def __init__(self, at, text):
        super().__init__(text)
        self.at = at


class Place:
    """One statement of a function, and the other ones that may stand there."""

    def __init__(self, name, statement):
        self.name, self.statement, self.others = name, statement, {}

    def setting(self, hunk):
        """Return the number of what the hunk puts here, which is added where it is new."""
        if hunk.new not in self.others:
            self.others[hunk.new] = _statements(hunk.new, hunk.new_at)
        return list(self.others).index(hunk.new) + 1


class Lines:
    """A function whose lines can be replaced.

    text: a `def` and nothing else; at: the line of the page on which it begins; file: the page.
    fitted: the variable whose line may also be given as a number, for a step that fits one; "" for none.
    """

    def __init__(self, text, at, file, fitted=""):
        self.tree, self.file, self.fitted = ast.parse(text), file, fitted
        ast.increment_lineno(self.tree, at - 1)
        (self.function,) = self.tree.body
        self.places = {WHOLE: Place("at_whole_body", None)}
        for key, statement in _keyed(self.function.body):
            self.places.setdefault(key, []).append(statement)
        single = [key for key, found in self.places.items() if isinstance(found, list) and len(found) == 1]
        targets = [_target(self.places[key][0]) for key in single]
        for key, target in zip(single, targets, strict=True):
            name = target if targets.count(target) == 1 and target else f"line_{self.places[key][0].lineno - at}"
            self.places[key] = Place(f"at_{name}", self.places[key][0])

    def settings(self, hunks):
        """Return the selectors that put these lines in their places: (("at_scale", 2), ...). Raises NoSuchLine."""
        found = [(self._place(hunk), hunk) for hunk in hunks]
        for i, (place, hunk) in enumerate(found):
            if any(place is other for other, _ in found[:i]):
                raise NoSuchLine(hunk.new_at, f"{hunk.old!r} gets two new lines at once")
        return tuple((place.name, place.setting(hunk)) for place, hunk in found)

    def sets_fitted(self, hunks):
        """Tell whether these lines are about the number that a step may fit."""
        name = self.fitted
        return bool(name) and (
            any(f"at_{name}" == self._place(hunk).name for hunk in hunks)
            or (len(hunks) > 1 and any(name in hunk.old or name in hunk.new for hunk in hunks))
        )

    def source(self, hunks):
        """Return the text of the function with these lines, as somebody would have written it. Raises NoSuchLine."""
        others = {}
        for hunk in hunks:
            place = self._place(hunk)
            place.setting(hunk)
            others[id(place.statement)] = place.others[hunk.new]
        function = copy.copy(self.function)

        def instead(statement, inside):
            return [_with_body_of(copy.copy(other), inside) for other in others.get(id(statement), [inside])]

        function.body = others.get(id(None)) or _rebuilt(function.body, instead)
        return ast.unparse(ast.fix_missing_locations(function))

    def _place(self, hunk):
        try:
            key = hunk.old if hunk.old == WHOLE else _key(_parsed(hunk.old))
        except SyntaxError:
            raise NoSuchLine(hunk.old_at, f"{hunk.old!r} is no line of Python") from None
        place = self.places.get(key)
        if not isinstance(place, Place):
            raise NoSuchLine(hunk.old_at, f"the solution has {hunk.old!r} {'twice' if place else 'nowhere'}")
        return place

    def compiled(self, space):
        """Return the function, with its selectors as keyword arguments, and names from this dictionary."""
        places = [place for place in self.places.values() if isinstance(place, Place) and place.others]
        by_statement = {id(place.statement): place for place in places if place.statement is not None}

        def instead(statement, inside):
            place = by_statement.get(id(statement))
            return self._chosen(place, [inside]) if place else [inside]

        body = _rebuilt(self.function.body, instead)
        if self.places[WHOLE].others:
            body = self._chosen(self.places[WHOLE], body)
        function = copy.copy(self.function)
        function.args = copy.copy(function.args)
        names = [place.name for place in places]
        given = [f"given_{self.fitted}"] if self.fitted else []
        own = function.args
        own.kwonlyargs = [*own.kwonlyargs, *(ast.arg(name) for name in (*names, *given))]
        own.kw_defaults = [*own.kw_defaults, *(ast.Constant(0) for _ in names), *(ast.Constant(None) for _ in given)]
        function.body = body
        tree = ast.fix_missing_locations(ast.Module([function], []))
        exec(compile(tree, self.file, "exec"), space)
        return space[function.name]

    def _chosen(self, place, usual):
        """Return the statements that choose: the usual ones, or the others by their number."""
        chain = usual
        for number, others in reversed(list(enumerate(place.others.values(), 1))):
            others = [_with_body_of(other, usual[0]) for other in others]
            test = ast.Compare(ast.Name(place.name, ast.Load()), [ast.Eq()], [ast.Constant(number)])
            chain = [ast.copy_location(ast.If(test, others, chain), others[0])]
        if self.fitted and place.name == f"at_{self.fitted}":
            given = ast.Name(f"given_{self.fitted}", ast.Load())
            test = ast.Compare(given, [ast.IsNot()], [ast.Constant(None)])
            factor = ast.Assign([ast.Name(self.fitted, ast.Store())], given)
            chain.append(ast.copy_location(ast.If(test, [factor], []), usual[0]))
        return chain


def _keyed(body):
    """Yield each statement of a body, those inside loops and conditions too, with what it is found by."""
    for statement in body:
        yield _key(statement), statement
        for field in BODIES:
            yield from _keyed(getattr(statement, field, []))


def _key(statement):
    """A statement as text; of a loop or a condition its first line alone."""
    return ast.unparse(statement).partition("\n")[0] if hasattr(statement, "body") else ast.unparse(statement)


def _parsed(text):
    """The statement of a text, which may be the first line of a loop or a condition."""
    text = f"{re.sub('^elif ', 'if ', text)}\n    pass" if text.endswith(":") else text  # elif stands for an if
    if len(body := ast.parse(text).body) != 1:
        raise SyntaxError
    return body[0]


def _target(statement):
    if isinstance(statement, ast.Return):
        return "return"
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return ""


def _statements(text, at):
    """Return the statements of a new text, nothing for a lost line."""
    try:
        tree = ast.Module([_parsed(text)], []) if text.endswith(":") else ast.parse(text or "pass")
    except SyntaxError as error:
        raise NoSuchLine(at, f"{text!r} is no Python: {error.msg or 'one line, or a first line alone'}") from None
    ast.increment_lineno(tree, at - 1)
    tree.body[-1].is_head = text.endswith(":")
    return tree.body


def _rebuilt(body, instead):
    """Return a body with instead(statement, inside) in the place of each statement; inside: it, with its own bodies
    rebuilt.
    """
    found = []
    for statement in body:
        inside = copy.copy(statement)
        for field in BODIES:
            if getattr(statement, field, None) and isinstance(statement, ast.stmt):
                setattr(inside, field, _rebuilt(getattr(statement, field), instead))
        found += instead(statement, inside)
    return found


def _with_body_of(other, usual):
    """A loop or a condition with another first line runs the body of the usual one, with the choices in it."""
    if getattr(other, "is_head", False) and hasattr(other, "body") and type(other) is type(usual):
        for field in BODIES:
            if hasattr(usual, field):
                setattr(other, field, getattr(usual, field))
    return other
