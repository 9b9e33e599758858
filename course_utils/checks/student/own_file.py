"""A student's own file of tools, my_attention.py or my_model.py: read it, and append to it.

What stands in the file stays: a new version of a function goes below the old one, and Python takes the last one.
"""

import ast
import hashlib
import importlib.machinery
import importlib.util
import os
import re
import sys
import tempfile
from pathlib import Path
from types import ModuleType

HEADERS = {
    "my_attention.py": '"""My attention, from the dot product up. Edit it as you like: the course only appends."""',
    "my_model.py": '"""The Keras parts of my model. Edit them as you like: the course only appends."""',
}
MARK = re.compile(r"^# kept: (\w+), lesson \d\d, (\w{8})$", re.M)


class Broken(Exception):
    """Why a file of tools cannot be imported, in one sentence."""


class _Fresh(importlib.machinery.SourceFileLoader):
    """Reads the source each time: compiled code of a file that was changed within the same second would be old."""

    def path_stats(self, path):
        raise OSError("no compiled code is kept")


def load(path) -> ModuleType:
    """Import a file as it is now, whatever was imported before. Raises Broken."""
    path = Path(path)
    loader = _Fresh(path.stem, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.stem, loader))
    try:
        loader.exec_module(module)
    except SyntaxError as error:
        raise Broken(f"{path.name} cannot be read: line {error.lineno}, {error.msg}.") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise Broken(f"{path.name} stops with {type(error).__name__}: {error}.") from None
    sys.modules[path.stem] = module
    return module


def text_of(path):
    """Return the text of a file, "" where there is none."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


def defined(text, *, imports=True):
    """Return the names that a file's text defines at its top, none for text that is not Python.

    imports: whether those that it imports count.

    >>> text = "import numpy as np\\nn, k = 1, 2\\ndef f(): pass"
    >>> sorted(defined(text)), sorted(defined(text, imports=False))
    (['f', 'k', 'n', 'np'], ['f', 'k', 'n'])
    """
    try:
        return _defined_by(ast.parse(text).body, imports=imports)
    except SyntaxError:
        return set()


def _defined_by(body, *, imports=True):
    names = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    if imports:
        lines = (node for node in body if isinstance(node, ast.Import | ast.ImportFrom))
        names |= {alias.asname or alias.name for line in lines for alias in line.names}
    stored = (n for statement in body if isinstance(statement, ast.Assign) for n in ast.walk(statement))
    return names | {n.id for n in stored if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def source_in(text, name):
    """Return the source of the last definition of a name in a file's text, "" where there is none."""
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return ""
    for node in reversed(body):
        if name in _defined_by([node]):
            return ast.get_source_segment(text, node) or ""
    return ""


def as_kept(text, name):
    """Tell whether a name still stands in the file as the course appended it, and nobody has changed it there."""
    marks = [mark for kept, mark in MARK.findall(text) if kept == name]
    return bool(marks) and marks[-1] == _digest(source_in(text, name))


def appended(text, name, lesson, source, file="my_attention.py"):
    """Return the file's text with one more function below a line that says where it comes from."""
    begin = text.rstrip("\n") or HEADERS[file]
    mark = f"# kept: {name}, lesson {lesson}, {_digest(source_in(source, name))}"
    return f"{begin}\n\n\n{mark}\n{source.rstrip()}\n"


def _digest(source):
    return hashlib.sha256(source.encode()).hexdigest()[:8]


def append(path, name, lesson, source, prove):
    """Append a function to a file, if the whole file then still works: prove(module) returns "" or what is wrong.

    Returns "" when it stands there, or a sentence that says why not; then the file is as before.
    """
    path = Path(path)
    before = text_of(path)
    handle, new = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".py")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(appended(before, name, lesson, source, path.name))
        problem = _proved(new, path, prove)
        if not problem and text_of(path) != before:
            problem = f"{path.name} was changed meanwhile. Run the cell again."
        if not problem:
            os.replace(new, path)
        return problem
    finally:
        Path(new).unlink(missing_ok=True)


def _proved(new, path, prove):
    try:
        problem = prove(load(new))
    except Broken as broken:
        problem = str(broken).replace(Path(new).name, path.name)
    finally:
        sys.modules.pop(Path(new).stem, None)
    return problem
