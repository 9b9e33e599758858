"""Reads the code of an answer: is it still the stub of the exercise, and which of its arguments does it use?"""

import ast
import dis
import inspect
import textwrap
import types

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


def reads(answer, place):
    """Tell whether a function loads its argument of this place anywhere, also in a function inside it; True where no
    code can be read.

    >>> reads(lambda Q, K: Q @ Q.T, 0), reads(lambda Q, K: Q @ Q.T, 1), reads(max, 0)
    (True, False, True)
    """
    code = getattr(answer, "__code__", None)
    if code is None or inspect.ismethod(answer) or place >= code.co_argcount:  # no Python, or *arguments
        return True
    return _loads(code, code.co_varnames[place])


def _loads(code, name):
    loaded = set()
    for step in dis.get_instructions(code):
        if "LOAD" in step.opname:  # one instruction may load two names
            loaded |= (
                {step.argval}
                if isinstance(step.argval, str)
                else {*step.argval}
                if isinstance(step.argval, tuple)
                else set()
            )
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return name in loaded or any(_loads(one, name) for one in inner)
