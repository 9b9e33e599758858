"""Compiles one function that can run with any of its lines replaced.

It is compiled once, with a selector for each line that has alternatives: `at_scale=2` runs the second alternative of
the line that sets `scale`. By default all selectors are 0, and nothing is replaced.
"""

import ast
import copy
import re
from typing import NamedTuple

WHOLE = "..."  # the whole body
BODIES = ("body", "orelse", "finalbody")  # fields with nested statements


class Hunk(NamedTuple):
    """One line of a function and its replacement, with their lines in the page. new: "" for a deleted line."""

    old: str
    new: str
    old_at: int
    new_at: int


class NoSuchLine(ValueError):
    """A line that a function lacks or has twice, or that is not Python. at: its line in the page."""

    def __init__(self, at, text):
        super().__init__(text)
        self.at = at


class Slot:
    """One statement of a function, and its alternatives."""

    def __init__(self, name, statement):
        self.name, self.statement, self.alternatives = name, statement, {}

    def setting(self, hunk):
        """Return the number of the hunk's alternative, which is added if it is new."""
        if hunk.new not in self.alternatives:
            self.alternatives[hunk.new] = _statements(hunk.new, hunk.new_at)
        return list(self.alternatives).index(hunk.new) + 1


class Lines:
    """A function whose lines can be replaced.

    text: a `def` and nothing else; at: the line of the page on which it begins; file: the page.
    fitted: the variable that may also be set to a number, for a step that fits one; "" for none.
    """

    def __init__(self, text, at, file, fitted=""):
        self.tree, self.file, self.fitted = ast.parse(text), file, fitted
        ast.increment_lineno(self.tree, at - 1)
        (self.function,) = self.tree.body
        self.slots = {WHOLE: Slot("at_whole_body", None)}
        for key, statement in _statements_by_key(self.function.body):
            self.slots.setdefault(key, []).append(statement)
        single = [
            key for key, statements in self.slots.items() if isinstance(statements, list) and len(statements) == 1
        ]
        targets = [_target(self.slots[key][0]) for key in single]
        for key, target in zip(single, targets, strict=True):
            name = target if targets.count(target) == 1 and target else f"line_{self.slots[key][0].lineno - at}"
            self.slots[key] = Slot(f"at_{name}", self.slots[key][0])

    def settings(self, hunks):
        """Return the selectors of these hunks: (("at_scale", 2), ...). Raises NoSuchLine."""
        slots = [(self._slot(hunk), hunk) for hunk in hunks]
        for i, (slot, hunk) in enumerate(slots):
            if any(slot is other for other, _ in slots[:i]):
                raise NoSuchLine(hunk.new_at, f"{hunk.old!r} gets two new lines at once")
        return tuple((slot.name, slot.setting(hunk)) for slot, hunk in slots)

    def sets_fitted(self, hunks):
        """Tell whether these hunks change the number that a step may fit."""
        name = self.fitted
        return bool(name) and (
            any(f"at_{name}" == self._slot(hunk).name for hunk in hunks)
            or (len(hunks) > 1 and any(name in hunk.old or name in hunk.new for hunk in hunks))
        )

    def source(self, hunks):
        """Return the source of the function with these hunks applied. Raises NoSuchLine."""
        alternatives = {}
        for hunk in hunks:
            slot = self._slot(hunk)
            slot.setting(hunk)
            alternatives[id(slot.statement)] = slot.alternatives[hunk.new]
        function = copy.copy(self.function)

        def replace(statement, rebuilt):
            return [
                _with_body_of(copy.copy(alternative), rebuilt)
                for alternative in alternatives.get(id(statement), [rebuilt])
            ]

        function.body = alternatives.get(id(None)) or _rebuild(function.body, replace)
        return ast.unparse(ast.fix_missing_locations(function))

    def _slot(self, hunk):
        try:
            key = hunk.old if hunk.old == WHOLE else _key(_parsed(hunk.old))
        except SyntaxError:
            raise NoSuchLine(hunk.old_at, f"{hunk.old!r} is no line of Python") from None
        slot = self.slots.get(key)
        if not isinstance(slot, Slot):
            raise NoSuchLine(hunk.old_at, f"the solution has {hunk.old!r} {'twice' if slot else 'nowhere'}")
        return slot

    def compiled(self, space):
        """Return the function, with its selectors as keyword arguments, compiled in this namespace."""
        slots = [slot for slot in self.slots.values() if isinstance(slot, Slot) and slot.alternatives]
        by_statement = {id(slot.statement): slot for slot in slots if slot.statement is not None}

        def replace(statement, rebuilt):
            slot = by_statement.get(id(statement))
            return self._selection(slot, [rebuilt]) if slot else [rebuilt]

        body = _rebuild(self.function.body, replace)
        if self.slots[WHOLE].alternatives:
            body = self._selection(self.slots[WHOLE], body)
        function = copy.copy(self.function)
        function.args = copy.copy(function.args)
        names = [slot.name for slot in slots]
        fitted = [f"given_{self.fitted}"] if self.fitted else []
        arguments = function.args
        arguments.kwonlyargs = [*arguments.kwonlyargs, *(ast.arg(name) for name in (*names, *fitted))]
        arguments.kw_defaults = [
            *arguments.kw_defaults,
            *(ast.Constant(0) for _ in names),
            *(ast.Constant(None) for _ in fitted),
        ]
        function.body = body
        tree = ast.fix_missing_locations(ast.Module([function], []))
        exec(compile(tree, self.file, "exec"), space)
        return space[function.name]

    def _selection(self, slot, usual):
        """Return statements that run the usual ones, or an alternative by its number."""
        chain = usual
        for number, statements in reversed(list(enumerate(slot.alternatives.values(), 1))):
            statements = [_with_body_of(statement, usual[0]) for statement in statements]
            test = ast.Compare(ast.Name(slot.name, ast.Load()), [ast.Eq()], [ast.Constant(number)])
            chain = [ast.copy_location(ast.If(test, statements, chain), statements[0])]
        if self.fitted and slot.name == f"at_{self.fitted}":
            value = ast.Name(f"given_{self.fitted}", ast.Load())
            test = ast.Compare(value, [ast.IsNot()], [ast.Constant(None)])
            factor = ast.Assign([ast.Name(self.fitted, ast.Store())], value)
            chain.append(ast.copy_location(ast.If(test, [factor], []), usual[0]))
        return chain


def _statements_by_key(body):
    """Yield (key, statement) for each statement of a body, including nested ones."""
    for statement in body:
        yield _key(statement), statement
        for field in BODIES:
            yield from _statements_by_key(getattr(statement, field, []))


def _key(statement):
    """A statement as text; of a loop or a condition only the first line."""
    return ast.unparse(statement).partition("\n")[0] if hasattr(statement, "body") else ast.unparse(statement)


def _parsed(text):
    """Parse one statement, which may be just the first line of a loop or a condition."""
    text = f"{re.sub('^elif ', 'if ', text)}\n    pass" if text.endswith(":") else text  # in the tree an elif is an if
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
    """Return the statements of a replacement, a `pass` for a deleted line."""
    try:
        tree = ast.Module([_parsed(text)], []) if text.endswith(":") else ast.parse(text or "pass")
    except SyntaxError as error:
        raise NoSuchLine(at, f"{text!r} is no Python: {error.msg or 'one line, or a first line alone'}") from None
    ast.increment_lineno(tree, at - 1)
    tree.body[-1].is_head = text.endswith(":")
    return tree.body


def _rebuild(body, replace):
    """Return a body with each statement replaced by replace(statement, rebuilt), where `rebuilt` is the statement with
    its own bodies rebuilt.
    """
    statements = []
    for statement in body:
        rebuilt = copy.copy(statement)
        for field in BODIES:
            if getattr(statement, field, None) and isinstance(statement, ast.stmt):
                setattr(rebuilt, field, _rebuild(getattr(statement, field), replace))
        statements += replace(statement, rebuilt)
    return statements


def _with_body_of(statement, usual):
    """Give an alternative first line of a loop or a condition the body of the usual one, with the choices in it."""
    if getattr(statement, "is_head", False) and hasattr(statement, "body") and type(statement) is type(usual):
        for field in BODIES:
            if hasattr(usual, field):
                setattr(statement, field, getattr(usual, field))
    return statement
