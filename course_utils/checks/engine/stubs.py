"""Reads the code of an answer: is it still the stub of the exercise, and which of its arguments does it use?"""

import ast
import dis
import inspect
import textwrap
import types

EMPTY = {"RESUME", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "NOP", "POP_TOP", "COPY_FREE_VARS", "CACHE"}
MOST_DEPTH = 3  # of the student's own functions inside one another


def is_stub(answer):
    """Tell whether an answer is `...`, holds it, or is a function whose body is still empty or still has its `...`.

    A class is a stub where one of its functions still has its `...`.
    """
    if answer is ...:
        return True
    if isinstance(answer, tuple | list):
        return any(part is ... for part in answer)
    if isinstance(answer, type):
        return any(_has_dots(method) for method in methods(answer))
    code = getattr(inspect.unwrap(answer), "__code__", None) if callable(answer) else None
    return code is not None and (_does_nothing(code) or _has_dots(answer))


def methods(answer):
    """The functions that a class defines itself."""
    return [part for part in vars(answer).values() if isinstance(part, types.FunctionType)]


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


def names_read(answer):
    """The names that a function reads from outside itself, functions inside it included.

    >>> names_read(lambda K: [len(k) for k in sorted(K.T)])
    ['sorted', 'len']
    """
    code = getattr(answer, "__code__", None)
    steps = _steps(code) if code else ()  # co_names would hold attributes too: the T of K.T
    return list(dict.fromkeys(step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")))


def globals_read(answer, kinds):
    """The names that a function reads from the notebook and that hold values of these kinds."""
    outside = getattr(answer, "__globals__", {})
    return [n for n in names_read(answer) if isinstance(outside.get(n), kinds)]


def modules_read(answer):
    """The names of the modules that a function reads from the notebook.

    A function of another process, which a grader asks, says them itself.
    """
    if said := getattr(answer, "modules_read", None):
        return said
    return [answer.__globals__[name].__name__ for name in globals_read(answer, types.ModuleType)]


def reaches(answer, package, depth=MOST_DEPTH):
    """Tell whether a function, or one of the notebook that it calls, reads something of a package."""
    if not isinstance(answer, types.FunctionType) or not depth:
        return False
    read = [answer.__globals__[name] for name in names_read(answer) if name in answer.__globals__]
    homes = [value.__name__ if isinstance(value, types.ModuleType) else _home(value) for value in read]
    return package in {home.split(".")[0] for home in homes} or any(reaches(one, package, depth - 1) for one in read)


def _home(value):
    """The name of the module that a function or a class comes from, "" for other values."""
    return str(value.__module__) if isinstance(value, type | types.FunctionType) else ""


def loops(answer):
    """Tell whether a function goes round a loop, also inside a comprehension; True where no code can be read.

    >>> loops(lambda a, b: sum(x * y for x, y in zip(a, b))), loops(lambda a, b: a @ b)
    (True, False)
    """
    code = getattr(answer, "__code__", None)
    return code is None or any("FOR_ITER" in step.opname or "JUMP_BACKWARD" in step.opname for step in _steps(code))


def _steps(code):
    """Yield the instructions of a function, and of what is defined inside it."""
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _steps(constant)


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
    for step in _steps(code):
        names = step.argval if isinstance(step.argval, tuple) else (step.argval,)  # one instruction may load two names
        if "LOAD" in step.opname and name in names:
            return True
    return False
