"""From a function of a notebook to text that stands alone in a file, with all that it reads from the notebook."""

import ast
import builtins
import inspect
import linecache
import sys
import textwrap
import types

from course_utils.checks.engine.stubs import names_read

PLAIN = int | float | complex | str | bytes | bool | None


class CannotStandAlone(Exception):
    """Why a function cannot stand in a file of its own, in words that follow "because it"."""


def standing_alone(function, name, known=()):
    """Return the source of a function under this name, after the imports, numbers and helper functions that it reads.

    known: names that the file already defines; they are left out.
    Raises CannotStandAlone for what has no source, and for one that reads data of the notebook.

    >>> from course_utils.attention import softmax
    >>> print(standing_alone(lambda q, K: softmax(K @ q), "row_of"))
    from course_utils.attention import softmax
    row_of = lambda q, K: softmax(K @ q)
    """
    pieces = {}
    _collect(function, name, set(known), pieces)
    lines = [piece for piece in pieces.values() if not piece.startswith(("def ", "@"))]
    functions = [piece for piece in pieces.values() if piece.startswith(("def ", "@"))]
    return "\n\n\n".join(filter(None, ["\n".join(lines), *functions]))


def _collect(function, name, known, pieces):
    """Fill pieces, {name: source}, with what a function reads first, and then with the function itself."""
    known.add(name)
    own_name = getattr(function, "__name__", name)
    for read in names_read(function):
        outside = getattr(function, "__globals__", {})
        if read in known or read == own_name or read not in outside or outside[read] is getattr(builtins, read, known):
            continue
        known.add(read)
        value = outside[read]
        if (line := _one_line(read, value, known)) is not None:
            pieces[read] = line
        elif isinstance(value, types.FunctionType):
            _collect(value, read, known, pieces)
        else:
            raise CannotStandAlone(f"reads `{read}`, which stands in a cell of the lesson")
    pieces[name] = _source(function, name)


def _one_line(name, value, known):
    """Return the import, the alias or the number behind a name; None for a function that the notebook defines."""
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


def _source(function, name):
    """Return the statement that defines a function, under this name."""
    code = getattr(function, "__code__", None)
    text = "".join(linecache.getlines(code.co_filename)) if code else ""
    if not text:
        raise CannotStandAlone("has no source that Python could show")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Lambda) and code.co_name == "<lambda>" and node.lineno == code.co_firstlineno:
            return f"{name} = {ast.get_source_segment(text, node)}"
    source = textwrap.dedent(inspect.getsource(function)).rstrip()
    return source if code.co_name == name else f"{source}\n\n\n{name} = {code.co_name}"
