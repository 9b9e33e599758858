"""What the lint asks of code: that it stays short, and that public functions say what they take."""

import ast

# What is longer than 250 lines, or a function longer than 25 lines of code: how long it may be, and why.
LONG = {
    "noxfile.py": (435, "one short function for each command, in the one file that nox reads"),
    "adapter.py:key_gradient": (28, "a way there and its way back, which are checked side by side"),
    "attention.py": (275, "the contract, half of it docstrings: a student reads attention in one place"),
    "cls_model.py:train": (28, "one signature for the usual training and one with a reward"),
    "compare.py": (270, "when two results are the same, and the table of all ways in which they can differ"),
    "course.py": (290, "all that a page can say, from its Python to its wrong lines"),
    "guard.py": (445, "all that an answer can touch stands in one list, so that nothing of it is forgotten"),
    "guard.py:protect": (30, "what is noted, and in what order it is put back, is read side by side"),
    "judge.py": (275, "every way to a verdict, in the order in which they are tried"),
    "machine.py": (275, "one drawing, whose stages share every measure"),
    "name.py": (300, "every way to name a mistake, in the order in which they are tried"),
    "run.py": (420, "one clock, and its two ways to end an answer, which need each other's care"),
    "source.py": (400, "all that is read from an answer's code and variables"),
    "words.py": (370, "all that is said in English: numbers, inputs, errors, verdicts"),
}


def too_long(paths):
    """A module has at most 250 lines, a function at most 25 lines of code, docstring and comments not counted."""
    for path in paths:
        text = path.read_text(encoding="utf-8")
        functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
        sizes = [(path.name, 1, len(text.splitlines()), 250)]
        sizes += [(f"{path.name}:{one.name}", one.lineno, code_lines(one, text), 25) for one in functions]
        for name, line, size, most in sizes:
            if size > LONG.get(name, (most,))[0]:
                yield path, line, f"{name} has {size} lines: split it, or give a reason in LONG of lint_code.py"


def code_lines(function, text):
    """How many lines of a function hold code: without docstring, comments and blank lines."""
    first = function.body[0]
    docstring = range(first.lineno, first.end_lineno + 1) if ast.get_docstring(function) is not None else ()
    lines = enumerate(text.splitlines()[function.lineno - 1 : function.end_lineno], function.lineno)
    return sum(bool(line.strip()) and not line.strip().startswith("#") for i, line in lines if i not in docstring)


def without_types(paths):
    """A type for each argument of a public function and constructor; ruff asks for the type of what comes back."""
    for path in paths:
        for one in public_functions(ast.parse(path.read_text(encoding="utf-8")).body):
            given = [*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs]
            bare = {argument.arg for argument in given if not argument.annotation} - {"self", "cls"}
            yield from ((path, one.lineno, f"{one.name}: {name} has no type") for name in sorted(bare))


def public_functions(body):
    """Those of a module, and of its public classes."""
    for one in body:
        if isinstance(one, ast.FunctionDef) and (one.name == "__init__" or not one.name.startswith("_")):
            yield one
        elif isinstance(one, ast.ClassDef) and not one.name.startswith("_"):
            yield from public_functions(one.body)
