"""Reads an answer's code, and watches its variables: is it a stub, what does it use, which of its steps is right?"""

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
MOST_DEPTH = 3  # of the student's own functions inside one another
MOST_LINES = 80  # of one call that are watched: enough for steps, and a long loop is not slowed down
MOST_STEPS = 3  # that are named
MOST_NUMBERS = 10_000
MUTABLE = list | dict | set | np.ndarray
RESULT = object()  # stands beside the names of the steps


def is_stub(answer: object) -> bool:
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


def methods(answer: type) -> list[Callable]:
    """The functions that a class defines itself."""
    return [part for part in vars(answer).values() if isinstance(part, types.FunctionType)]


def _does_nothing(code):
    """Nothing is computed, and what comes back is None or `...`."""
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
    """Return the node of a function or lambda; None where there is no source, or where several could be meant."""
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
    """The names that a function reads from outside itself, functions inside it included.

    >>> names_read(lambda K: [len(k) for k in sorted(K.T)])
    ['sorted', 'len']
    """
    code = getattr(answer, "__code__", None)
    steps = _steps(code) if code else ()  # co_names would hold attributes too: the T of K.T
    return list(dict.fromkeys(step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")))


def globals_read(answer: object, kinds) -> list[str]:
    """The names that a function reads from the notebook and that hold values of these kinds."""
    outside = getattr(answer, "__globals__", {})
    return [n for n in names_read(answer) if isinstance(outside.get(n), kinds)]


def modules_read(answer: object) -> list[str]:
    """The names of the modules that a function reads from the notebook.

    A function of another process, which a grader asks, says them itself.
    """
    if said := getattr(answer, "modules_read", None):
        return said
    return [answer.__globals__[name].__name__ for name in globals_read(answer, types.ModuleType)]


def reaches(answer: object, package: str, depth: int = MOST_DEPTH) -> bool:
    """Tell whether a function, or one of the notebook that it calls, reads something of a package."""
    if not isinstance(answer, types.FunctionType) or not depth:
        return False
    read = [answer.__globals__[name] for name in names_read(answer) if name in answer.__globals__]
    homes = [value.__name__ if isinstance(value, types.ModuleType) else _home(value) for value in read]
    return package in {home.split(".")[0] for home in homes} or any(reaches(one, package, depth - 1) for one in read)


def _home(value):
    """The name of the module that a function or a class comes from, "" for other values."""
    return str(value.__module__) if isinstance(value, type | types.FunctionType) else ""


class _Same:
    """What stays the same in all copies: a model, a function."""

    def __init__(self, value):
        self.value = value

    def __deepcopy__(self, memo):
        return self


def _as_cell(value):
    return types.CellType(value.value if isinstance(value, _Same) else value)


def _again(value):
    """A class once more, with attributes of its own; any other value as it is."""
    if not isinstance(value, type):
        return value
    own = {name: part for name, part in vars(value).items() if name not in ("__dict__", "__weakref__")}
    return type(value.__name__, value.__bases__, own)


def _is_state(value, home):
    """Tell whether a call may leave a value changed: a container, or a plain class of this module, or its object."""
    kind = value if isinstance(value, type) else type(value)
    return isinstance(value, MUTABLE) or (kind.__bases__ == (object,) and kind.__module__ == home)


def fresh_copies(answer: object) -> Callable[[], Callable] | None:
    """Return a function that makes copies of an answer as it is now, whatever later calls leave in its state.

    State: mutable defaults, variables of an outer function, what it reads or sets in the notebook, attributes of its
    own. None for an answer without any, or one that cannot be copied.
    """
    if not isinstance(answer, types.FunctionType):
        return None
    there, is_state = answer.__globals__, partial(_is_state, home=answer.__module__)
    cells = [cell.cell_contents if cell != types.CellType() else None for cell in answer.__closure__ or ()]
    outside = {name: _again(there[name]) for name in names_read(answer) if name in there and is_state(there[name])}
    outside |= {s.argval: there.get(s.argval) for s in _steps(answer.__code__) if s.opname == "STORE_GLOBAL"}
    inside = [*(answer.__defaults__ or ()), *(answer.__kwdefaults__ or {}).values(), *cells]
    is_itself = there.get(answer.__name__) is answer and answer.__name__ in names_read(answer)  # for its attributes
    if not (outside or vars(answer) or is_itself or any(map(is_state, inside))):
        return None
    cells = [value if is_state(value) else _Same(value) for value in cells]
    try:
        saved = copy.deepcopy((answer.__defaults__, answer.__kwdefaults__, cells, outside, vars(answer)))
    except Exception:  # what nobody can copy
        return None
    return partial(_with_state, answer, saved)


def _with_state(answer, saved):
    """Return a function of the code of an answer, with a state of its own."""
    defaults, named, contents, outside, own = copy.deepcopy(saved)
    space = answer.__globals__ | {name: _again(value) for name, value in outside.items()}
    fresh = types.FunctionType(answer.__code__, space, None, defaults, tuple(map(_as_cell, contents)) or None)
    fresh.__kwdefaults__ = named
    vars(fresh).update(own)
    if answer.__globals__.get(answer.__name__) is answer:
        space[answer.__name__] = fresh
    return fresh


def loops(answer: object) -> bool:
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


def reads(answer: object, place: int) -> bool:
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


def why_nothing(answer: Callable) -> str:
    """Return what is said where nothing comes back from an answer that has a return; "" where it has none.

    Which return is reached is known only where there is one, at the end.
    """
    tree = tree_of(answer)
    if isinstance(tree, ast.Lambda):
        return f"Your function gives back nothing: {_why_none(tree.body)}."
    returns = [node for node in _own(tree) if isinstance(node, ast.Return) and node.value] if tree else []
    returns = [node for node in returns if not _is_constant(node.value, None)]
    if not returns:
        return ""
    if len(returns) > 1 or returns[0] is not tree.body[-1]:
        return "Your function gives back nothing, though it has a return. Is that line reached, and what follows it?"
    line = ast.unparse(returns[0])
    line = f"`{line}`" if len(line) <= MOST_OF_A_LINE else "a return"
    return f"Your function gives back nothing, though it ends with {line}: {_why_none(returns[0].value)}."


def _own(tree):
    """Yield the nodes of a function, without those of a function inside it."""
    inside = list(ast.iter_child_nodes(tree))
    while inside:
        node = inside.pop(0)
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            inside += ast.iter_child_nodes(node)


def _why_none(node):
    if isinstance(node, ast.Call) and len(name := ast.unparse(node.func)) <= MOST_OF_A_LINE:
        return f"`{name}` itself gives back nothing"
    return "what stands there is None"


# Which step is right: the variables of the answer beside those of the plain solution


def last_right(case) -> str:
    """Return a sentence about the last steps that the answer has right, in its own variables; "" for none."""
    exercise, code = case.exercise, getattr(case.answer, "__code__", None)
    if exercise.solution is None or code is None or not set(code.co_varnames[code.co_argcount :]):
        return ""
    theirs, ours = _side_by_side(case, exercise.probes)
    if len(theirs) < len(exercise.probes):
        return ""
    right = {step: name for step in ours[0] if (name := _holder(theirs, ours, step))}
    promised = list(zip(*_side_by_side(case, exercise.promised), strict=True))
    right = {step: name for step, name in right.items() if all(_may_hold(*pair, name, step) for pair in promised)}
    if RESULT in right:
        return f"Your `{right[RESULT]}` holds what is wanted before the return: what happens to it then?"
    said = exercise.course.steps_in_words
    named = [f"`{name}` holds {said[step]}" for step, name in right.items() if step in said][-MOST_STEPS:]
    they = "they" if len(named) > 1 else "it"
    return f"{listed(named)}, as {they} should. Look at the rest." if named else ""


def _side_by_side(case, inputs):
    """Return what variables held, in the answer and in the plain solution, for the inputs that both come to an end with
    and that the solution is right for.
    """
    n_parts, exercise = len(case.exercise.gives), case.exercise
    theirs, ours = _variables(case.answer, inputs), _variables(exercise.solution, inputs)
    both = []
    for place in sorted(theirs.keys() & ours.keys()):
        wanted = exercise.give(inputs[place])
        if wanted.parts and same(give(exercise.solution, inputs[place], n_parts), wanted):
            if n_parts == 1:
                ours[place][RESULT] = [wanted.parts[0]]
            both.append((theirs[place], ours[place]))
    return [one for one, _ in both], [other for _, other in both]


def _may_hold(theirs, ours, name, step):
    """Tell whether a variable has the numbers of a step in one run; where one of the two is missing, it may."""
    if name not in theirs or step not in ours:
        return True
    return any(close(value, ours[step][-1]) for value in theirs[name])


def _holder(theirs, ours, step):
    """Return the variable of the answer that holds a step, None for none: that of its name, or else the first one.

    One number may be equal by chance: it counts only under its own name, or at its place among as many variables.
    """
    fits = [name for name in theirs[0] if _agree(theirs, name, ours, step)]
    if step != RESULT and all(one[step][-1].size == 1 for one in ours):
        steps, variables = [name for name in ours[0] if name != RESULT], list(theirs[0])
        there = variables[steps.index(step)] if len(variables) == len(steps) else step
        fits = [name for name in fits if name in (step, there)]
    return step if step in fits else next(iter(fits), None)


def _agree(theirs, name, ours, step):
    """Tell whether a variable of the answer has the numbers of a step on all probes: not the same on all of them, and
    of single numbers under another name no two of them.
    """
    if not all(name in t and step in o for t, o in zip(theirs, ours, strict=True)):
        return False
    right = [one[step][-1] for one in ours]
    alike = sum(close(array, other) for array, other in combinations(right, 2))
    single = name != step and all(array.size == 1 for array in right)
    if alike and (single or alike == len(right) * (len(right) - 1) // 2):
        return False
    return all(any(close(v, wanted) for v in one[name]) for one, wanted in zip(theirs, right, strict=True))


def _variables(function, inputs):
    """Return {the number of an input that the function comes to an end with: {variable: the arrays that it held}}."""
    found = {}
    run(_watched(function, found), inputs, 1)
    return found


def _watched(function, found):
    """Return the function, which adds to `found` what its variables held in each call."""
    calls = count()

    def call(*arguments):
        place, held = next(calls), {}
        given, before = [id(argument) for argument in arguments], sys.gettrace()

        def look(frame, event, _):
            if event == "return" or (event == "line" and look.lines < MOST_LINES):
                look.lines += 1
                _add(held, frame.f_locals, given)
            return look

        look.lines = 0
        sys.settrace(lambda frame, event, _: look if frame.f_code is function.__code__ else None)
        try:
            result = function(*arguments)
        finally:
            sys.settrace(before)
        found[place] = held
        return result

    return call


def _add(held, variables, given):
    """Add what variables hold now, where it is something new."""
    for name, value in variables.items():
        if id(value) in given or not isinstance(value, np.ndarray | np.generic | list | int | float):
            continue
        outcome = as_outcome(value, 1)
        if outcome.problem or outcome.parts[0].size > MOST_NUMBERS:
            continue
        arrays = held.setdefault(name, [])
        if not arrays or not np.array_equal(arrays[-1], outcome.parts[0]):
            arrays.append(outcome.parts[0])
