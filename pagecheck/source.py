"""Reads an answer's code, and traces its variables: is it a stub, what does it use, which of its steps is right?"""

import ast
import copy
import dis
import inspect
import sys
import textwrap
import types
from collections.abc import Callable
from functools import partial
from itertools import combinations, count
from tokenize import TokenError

import numpy as np

from pagecheck.compare import as_outcome, close, same
from pagecheck.exercise import give
from pagecheck.run import run
from pagecheck.words import MOST_OF_A_LINE, listed

EMPTY = {"RESUME", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "NOP", "POP_TOP", "COPY_FREE_VARS", "CACHE"}
MOST_DEPTH = 3  # nested calls of the student's own functions
MOST_LINES = 80  # traced per call: enough for steps, without slowing down a long loop
MOST_STEPS = 3  # named in a message
MOST_NUMBERS = 10_000
MUTABLE = list | dict | set | np.ndarray
RESULT = object()  # a key beside the names of the steps


def is_stub(answer: object) -> bool:
    """Tell whether an answer is `...`, contains it, or is a function whose body is still empty or has its `...`.

    A class is a stub if one of its methods still has its `...`.
    """
    if answer is ...:
        return True
    if isinstance(answer, tuple | list):
        return any(part is ... for part in answer)
    if isinstance(answer, type):
        return any(_has_dots(method) for method in methods(answer))
    code = getattr(inspect.unwrap(answer), "__code__", None) if callable(answer) else None
    return code is not None and (_does_nothing(code) or _has_dots(answer))


def methods(answer: type) -> list[Callable]:
    """The functions that a class defines itself."""
    return [part for part in vars(answer).values() if isinstance(part, types.FunctionType)]


def _does_nothing(code):
    """Tell whether code computes nothing and returns None or `...`."""
    words = {code.co_consts[0]} if code.co_consts and isinstance(code.co_consts[0], str) else set()  # the docstring
    plain = all(step.opname in EMPTY for step in dis.get_instructions(code))
    return plain and set(code.co_consts) - words <= {None, ...}


def _has_dots(function):
    tree = _parsed(function)
    nodes = ast.walk(tree) if tree else ()
    return any(isinstance(n, ast.Expr | ast.Return) and _is_constant(n.value, ...) for n in nodes)


def _is_constant(node, value):
    return isinstance(node, ast.Constant) and node.value is value


def _parsed(function):
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, ValueError, AttributeError, TokenError):  # no source, or half a line
        return None


def tree_of(function: Callable) -> ast.FunctionDef | ast.Lambda | None:
    """Return the node of a function or lambda; None if there is no source, or it is ambiguous."""
    function = inspect.unwrap(function) if callable(function) else function
    code, tree = getattr(function, "__code__", None), _parsed(function)
    if code is None or tree is None:
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


# What it uses


def names_read(answer: object) -> list[str]:
    """The names that a function, or a function inside it, reads from outside.

    >>> names_read(lambda K: [len(k) for k in sorted(K.T)])
    ['sorted', 'len']
    """
    code = getattr(answer, "__code__", None)
    steps = _instructions(code) if code else ()  # co_names would include attributes: the T of K.T
    return list(dict.fromkeys(step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")))


def globals_read(answer: object, kinds) -> list[str]:
    """The names of values of these kinds that a function reads from the notebook."""
    outside = getattr(answer, "__globals__", {})
    return [n for n in names_read(answer) if isinstance(outside.get(n), kinds)]


def modules_read(answer: object) -> list[str]:
    """The names of the modules that a function reads from the notebook.

    A grader's proxy for a function in another process has them as an attribute.
    """
    if names := getattr(answer, "modules_read", None):
        return names
    answer = inspect.unwrap(answer)
    return [answer.__globals__[name].__name__ for name in globals_read(answer, types.ModuleType)]


def reaches(answer: object, package: str, depth: int = MOST_DEPTH) -> bool:
    """Tell whether a function, or one of the notebook that it calls, uses a package."""
    if not isinstance(answer, types.FunctionType) or not depth:
        return False
    values = [answer.__globals__[name] for name in names_read(answer) if name in answer.__globals__]
    modules = [value.__name__ if isinstance(value, types.ModuleType) else _home(value) for value in values]
    return package in {module.split(".")[0] for module in modules} or any(
        reaches(one, package, depth - 1) for one in values
    )


def _home(value):
    """The name of the module that a function or a class comes from, "" for other values."""
    return str(value.__module__) if isinstance(value, type | types.FunctionType) else ""


class _Shared:
    """A value that all copies share: a model, a function."""

    def __init__(self, value):
        self.value = value

    def __deepcopy__(self, memo):
        return self


def _as_cell(value):
    return types.CellType(value.value if isinstance(value, _Shared) else value)


def _recreated(value):
    """Return a copy of a class, with its own attributes; any other value unchanged."""
    if not isinstance(value, type):
        return value
    attributes = {name: part for name, part in vars(value).items() if name not in ("__dict__", "__weakref__")}
    return type(value.__name__, value.__bases__, attributes)


def _is_state(value, home):
    """Tell whether a call may change a value: a container, or a plain class of this module or an instance of it."""
    kind = value if isinstance(value, type) else type(value)
    return isinstance(value, MUTABLE) or (kind.__bases__ == (object,) and kind.__module__ == home)


def fresh_copies(answer: object) -> Callable[[], Callable] | None:
    """Return a function that makes copies of an answer in its current state, whatever later calls change.

    State: mutable defaults, variables of an outer function, what it reads or sets in the notebook, its own attributes.
    None for an answer without any, or one that cannot be copied.
    """
    if not isinstance(answer, types.FunctionType):
        return None
    namespace, is_state = answer.__globals__, partial(_is_state, home=answer.__module__)
    cells = [cell.cell_contents if cell != types.CellType() else None for cell in answer.__closure__ or ()]
    external = {
        name: _recreated(namespace[name])
        for name in names_read(answer)
        if name in namespace and is_state(namespace[name])
    }
    external |= {
        s.argval: namespace.get(s.argval) for s in _instructions(answer.__code__) if s.opname == "STORE_GLOBAL"
    }
    internal = [*(answer.__defaults__ or ()), *(answer.__kwdefaults__ or {}).values(), *cells]
    is_itself = namespace.get(answer.__name__) is answer and answer.__name__ in names_read(answer)  # for its attributes
    if not (external or vars(answer) or is_itself or any(map(is_state, internal))):
        return None
    cells = [value if is_state(value) else _Shared(value) for value in cells]
    try:
        state = copy.deepcopy((answer.__defaults__, answer.__kwdefaults__, cells, external, vars(answer)))
    except Exception:  # not copyable
        return None
    return partial(_with_state, answer, state)


def _with_state(answer, state):
    """Return a function with the code of an answer and its own copy of this state."""
    defaults, named, contents, external, attributes = copy.deepcopy(state)
    namespace = answer.__globals__ | {name: _recreated(value) for name, value in external.items()}
    fresh = types.FunctionType(answer.__code__, namespace, None, defaults, tuple(map(_as_cell, contents)) or None)
    fresh.__kwdefaults__ = named
    vars(fresh).update(attributes)
    if answer.__globals__.get(answer.__name__) is answer:
        namespace[answer.__name__] = fresh
    return fresh


def loops(answer: object) -> bool:
    """Tell whether a function has a loop, also in a comprehension; True if its code cannot be read.

    >>> loops(lambda a, b: sum(x * y for x, y in zip(a, b))), loops(lambda a, b: a @ b)
    (True, False)
    """
    code = getattr(answer, "__code__", None)
    return code is None or any(
        "FOR_ITER" in step.opname or "JUMP_BACKWARD" in step.opname for step in _instructions(code)
    )


def _instructions(code):
    """Yield the instructions of a function and of everything defined inside it."""
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _instructions(constant)


def reads(answer: object, index: int) -> bool:
    """Tell whether a function, or one inside it, loads its argument with this index; True if its code cannot be read.

    >>> reads(lambda Q, K: Q @ Q.T, 0), reads(lambda Q, K: Q @ Q.T, 1), reads(max, 0)
    (True, False, True)
    """
    code = getattr(answer, "__code__", None)
    if code is None or inspect.ismethod(answer) or index >= code.co_argcount:  # not Python, or *arguments
        return True
    return _loads(code, code.co_varnames[index])


def _loads(code, name):
    for step in _instructions(code):
        names = step.argval if isinstance(step.argval, tuple) else (step.argval,)  # one instruction may load two names
        if "LOAD" in step.opname and name in names:
            return True
    return False


def why_nothing(answer: Callable) -> str:
    """Return the message about an answer that returns None despite a return; "" if it has none.

    Which return is reached is known only if there is a single one, at the end.
    """
    tree = tree_of(answer)
    if isinstance(tree, ast.Lambda):
        return f"Your function returns nothing: {_why_none(tree.body)}."
    returns = [node for node in _own_nodes(tree) if isinstance(node, ast.Return) and node.value] if tree else []
    returns = [node for node in returns if not _is_constant(node.value, None)]
    if not returns:
        return ""
    if len(returns) > 1 or returns[0] is not tree.body[-1]:
        return "Your function returns nothing, though it has a return. Is that line reached, and what does it return?"
    line = ast.unparse(returns[0])
    line = f"`{line}`" if len(line) <= MOST_OF_A_LINE else "a return"
    return f"Your function returns nothing, though it ends with {line}: {_why_none(returns[0].value)}."


def _own_nodes(tree):
    """Yield the nodes of a function, without those of functions inside it."""
    queue = list(ast.iter_child_nodes(tree))
    while queue:
        node = queue.pop(0)
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            queue += ast.iter_child_nodes(node)


def _why_none(node):
    if isinstance(node, ast.Call) and len(name := ast.unparse(node.func)) <= MOST_OF_A_LINE:
        return f"`{name}` itself returns nothing"
    return "the value there is None"


# Which step is right: the variables of the answer compared with those of the plain solution


def last_right(case) -> str:
    """Return a sentence about the last right steps of the answer, by its own variables; "" for none."""
    exercise, code = case.exercise, getattr(case.answer, "__code__", None)
    if exercise.solution is None or code is None or not set(code.co_varnames[code.co_argcount :]):
        return ""
    theirs, ours = _side_by_side(case, exercise.probes)
    if len(theirs) < len(exercise.probes):
        return ""
    right = {step: name for step in ours[0] if (name := _holder(theirs, ours, step))}
    promised = list(zip(*_side_by_side(case, exercise.promise_inputs), strict=True))
    right = {step: name for step, name in right.items() if all(_may_hold(*pair, name, step) for pair in promised)}
    if RESULT in right:
        return f"Your `{right[RESULT]}` holds the right answer before the return: what happens to it then?"
    words = exercise.course.steps_in_words
    named = [f"`{name}` holds {words[step]}" for step, name in right.items() if step in words][-MOST_STEPS:]
    pronoun = "they" if len(named) > 1 else "it"
    return f"{listed(named)}, as {pronoun} should. Look at the other steps." if named else ""


def _side_by_side(case, inputs):
    """Return the values of variables in the answer and in the plain solution, for the inputs that both complete and on
    which the solution is right.
    """
    n_parts, exercise = len(case.exercise.gives), case.exercise
    theirs, ours = _variables(case.answer, inputs), _variables(exercise.solution, inputs)
    both = []
    for number in sorted(theirs.keys() & ours.keys()):
        wanted = exercise.give(inputs[number])
        if wanted.parts and same(give(exercise.solution, inputs[number], n_parts), wanted):
            if n_parts == 1:
                ours[number][RESULT] = [wanted.parts[0]]
            both.append((theirs[number], ours[number]))
    return [theirs_ for theirs_, _ in both], [ours_ for _, ours_ in both]


def _may_hold(theirs, ours, name, step):
    """Tell whether a variable may hold a step in one run: it has its numbers, or one of the two is missing."""
    if name not in theirs or step not in ours:
        return True
    return any(close(value, ours[step][-1]) for value in theirs[name])


def _holder(theirs, ours, step):
    """Return the variable of the answer that holds a step, the one of the same name or else the first; None for none.

    A single number may be equal by chance: it counts only under its own name, or at its index if both have the same
    number of variables.
    """
    fits = [name for name in theirs[0] if _agree(theirs, name, ours, step)]
    if fits and step != RESULT and all(one[step][-1].size == 1 for one in ours):
        steps, variables = [name for name in ours[0] if name != RESULT], list(theirs[0])
        counterpart = variables[steps.index(step)] if len(variables) == len(steps) else step
        fits = [name for name in fits if name in (step, counterpart)]
    return step if step in fits else next(iter(fits), None)


def _agree(theirs, name, ours, step):
    """Tell whether a variable of the answer has the numbers of a step on all probes. They must not all be equal, and
    single numbers under another name must all differ.
    """
    if not all(name in t and step in o for t, o in zip(theirs, ours, strict=True)):
        return False
    right = [one[step][-1] for one in ours]
    n_equal = sum(close(array, other) for array, other in combinations(right, 2))
    single = name != step and all(array.size == 1 for array in right)
    if n_equal and (single or n_equal == len(right) * (len(right) - 1) // 2):
        return False
    return all(any(close(v, wanted) for v in one[name]) for one, wanted in zip(theirs, right, strict=True))


def _variables(function, inputs):
    """Return {index of an input that the function completes: {variable: its arrays}}."""
    histories = {}
    run(_watched(function, histories), inputs, 1)
    return histories


def _watched(function, histories):
    """Return the function, which adds the values of its variables in each call to `histories`."""
    calls = count()

    def call(*arguments):
        number, history = next(calls), {}
        argument_ids, previous = [id(argument) for argument in arguments], sys.gettrace()

        def trace(frame, event, _):
            if event == "return" or (event == "line" and trace.lines < MOST_LINES):
                trace.lines += 1
                _record(history, frame.f_locals, argument_ids)
            return trace

        trace.lines = 0
        sys.settrace(lambda frame, event, _: trace if frame.f_code is function.__code__ else None)
        try:
            result = function(*arguments)
        finally:
            sys.settrace(previous)
        histories[number] = history
        return result

    return call


def _record(history, variables, argument_ids):
    """Add the current values of variables if they are new."""
    for name, value in variables.items():
        if id(value) in argument_ids or not isinstance(value, np.ndarray | np.generic | list | int | float):
            continue
        outcome = as_outcome(value, 1)
        if outcome.problem or outcome.parts[0].size > MOST_NUMBERS:
            continue
        arrays = history.setdefault(name, [])
        if not arrays or not np.array_equal(arrays[-1], outcome.parts[0]):
            arrays.append(outcome.parts[0])
