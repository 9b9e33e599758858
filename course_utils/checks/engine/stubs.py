"""Tells an exercise that nobody began from one that gives nothing back."""

import ast
import dis
import inspect
import textwrap

EMPTY = {"RESUME", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "NOP", "POP_TOP", "COPY_FREE_VARS", "CACHE"}


def is_stub(answer):
    """Tell whether an answer is `...`, holds it, or is a function whose body is still empty or still has its `...`."""
    if answer is ...:
        return True
    if isinstance(answer, tuple | list):
        return any(part is ... for part in answer)
    code = getattr(inspect.unwrap(answer), "__code__", None) if callable(answer) else None
    return code is not None and (_does_nothing(code) or _has_dots(answer))


def _does_nothing(code):
    """Nothing is computed, and what comes back is None or `...`."""
    words = {code.co_consts[0]} if code.co_consts and isinstance(code.co_consts[0], str) else set()  # the docstring
    plain = all(step.opname in EMPTY for step in dis.get_instructions(code))
    return plain and set(code.co_consts) - words <= {None, ...}


def _has_dots(function):
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, ValueError):  # no source, or half a line around a lambda
        return False
    return any(isinstance(n, ast.Expr | ast.Return) and _is_dots(n.value) for n in ast.walk(tree))


def _is_dots(node):
    return isinstance(node, ast.Constant) and node.value is ...
