"""Turns a function or a class of a notebook into standalone source, with everything that it uses from the notebook."""

import ast
import builtins
import inspect
import linecache
import sys
import textwrap
import types
from collections.abc import Iterable

from pagecheck.source import methods, names_read

DEFINES = ("def ", "class ", "@")
PLAIN = int | float | complex | str | bytes | bool | None


class CannotStandAlone(Exception):
    """A function cannot be moved to a file; the message says why, in words that follow "because it"."""


def standalone_source(function: object, name: str, known: Iterable[str] = ()) -> str:
    """Return the source of a function or a class under this name, after the imports, numbers and helpers that it uses.

    known: names that the file already defines; they are left out.
    Raises CannotStandAlone if there is no source, or if it uses data of the notebook.

    >>> from course_utils.attention import softmax
    >>> print(standalone_source(lambda q, K: softmax(K @ q), "row_of"))
    from course_utils.attention import softmax
    row_of = lambda q, K: softmax(K @ q)
    """
    pieces = {}
    _collect(function, name, set(known), pieces)
    lines = [piece for piece in pieces.values() if not piece.startswith(DEFINES)]
    functions = [piece for piece in pieces.values() if piece.startswith(DEFINES)]
    return "\n\n\n".join(filter(None, ["\n".join(lines), *functions]))


def _collect(function, name, known, pieces):
    """Add what a function uses to pieces, {name: source}, and then the function itself."""
    known.add(name)
    own_name = getattr(function, "__name__", name)
    outside = names_around(function)
    for used in names_read_by(function):
        if used in known or used == own_name or used not in outside or outside[used] is getattr(builtins, used, known):
            continue
        known.add(used)
        value = outside[used]
        if (line := _one_line(used, value, known)) is not None:
            pieces[used] = line
        elif isinstance(value, types.FunctionType | type):
            _collect(value, used, known, pieces)
        else:
            raise CannotStandAlone(f"reads `{used}`, which stands in a cell of the lesson")
    pieces[name] = _source(function, name)


def _one_line(name, value, known):
    """Return the import, the alias or the number that defines a name; None for a function of the notebook."""
    if isinstance(value, types.ModuleType):
        return f"import {value.__name__}" + (f" as {name}" if name != value.__name__ else "")
    if isinstance(value, PLAIN) or (isinstance(value, tuple) and all(isinstance(part, PLAIN) for part in value)):
        return f"{name} = {value!r}"
    module, original = getattr(value, "__module__", None), getattr(value, "__name__", "")
    if original != name and original in known:  # a function of the file under another name
        return f"{name} = {original}"
    if module != "__main__" and getattr(sys.modules.get(module), original, None) is value:
        return f"from {module} import {original}" + (f" as {name}" if name != original else "")
    return None


def names_around(function: object) -> dict[str, object]:
    """Return the global names of a function, or of the methods of a class."""
    inner = next(iter(methods(function)), None) if isinstance(function, type) else function
    return getattr(inner, "__globals__", {})


def names_read_by(function: object) -> list[str]:
    """Return the names that a function, or a class, reads from outside itself."""
    if not isinstance(function, type):
        return names_read(function)
    nodes = ast.walk(_class(function))
    return list(dict.fromkeys(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)))


def _text(function):
    """Return the text of the cell that defines a function."""
    code = getattr(function, "__code__", None)
    text = "".join(linecache.getlines(code.co_filename)) if code else ""
    if not text:
        raise CannotStandAlone("has no source that Python can show")
    return text


def _class(cls):
    """Return the statement that defines a class: the one around its first method, as notebook classes have no file."""
    first = next(iter(methods(cls)), None)
    line = getattr(getattr(first, "__code__", None), "co_firstlineno", 0)
    for node in ast.walk(ast.parse(_text(first))):
        if isinstance(node, ast.ClassDef) and node.name == cls.__name__ and node.lineno <= line <= node.end_lineno:
            return node
    raise CannotStandAlone("has no source that Python can show")


def _source(function, name):
    """Return the source of a function or a class, under this name."""
    if isinstance(function, type):
        node, lines = _class(function), _text(methods(function)[0]).splitlines()
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        source, own_name = textwrap.dedent("\n".join(lines[first - 1 : node.end_lineno])), node.name
        return source if own_name == name else f"{source}\n\n\n{name} = {own_name}"
    text, code = _text(function), function.__code__
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Lambda) and code.co_name == "<lambda>" and node.lineno == code.co_firstlineno:
            return f"{name} = {ast.get_source_segment(text, node)}"
    source = textwrap.dedent(inspect.getsource(function)).rstrip()
    return source if code.co_name == name else f"{source}\n\n\n{name} = {code.co_name}"
