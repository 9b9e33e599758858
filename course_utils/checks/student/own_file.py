"""A student's own file of tools, my_attention.py or my_model.py: read it, and append to it.

Nothing in the file is ever changed: a new version of a function goes below the old one, and Python uses the last one.
It is read in whatever encoding an editor wrote it, and is continued in that encoding, with its own line endings.
"""

import ast
import codecs
import contextlib
import hashlib
import importlib.machinery
import importlib.util
import io
import linecache
import os
import re
import sys
import tempfile
import tokenize
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

HEADERS = {
    "my_attention.py": '"""My attention, from the dot product up. Edit it as you like: the course only appends."""',
    "my_model.py": '"""The Keras parts of my model. Edit them as you like: the course only appends."""',
}
MARK = re.compile(r"^# kept: (\w+), lesson \d\d, (\w{8})$", re.M)
BYTE_ORDER_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class BrokenFile(Exception):
    """A file of tools cannot be imported; the message says why in one sentence."""


class _UncachedLoader(importlib.machinery.SourceFileLoader):
    """Always reads the source, in any encoding: compiled code would be stale after a change within the same second."""

    def path_stats(self, path):
        raise OSError("no compiled code is kept")

    def source_to_code(self, data, path, **options):
        text = text_in(data)
        linecache.cache[path] = len(text), None, io.StringIO(text).readlines(), path  # it reads no other encoding
        return super().source_to_code(text, path, **options)


def load(path: Path | str) -> ModuleType:
    """Import a file as it is now, whatever was imported before. Raises BrokenFile."""
    path = Path(path)
    loader = _UncachedLoader(path.stem, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.stem, loader))
    try:
        loader.exec_module(module)
    except SyntaxError as error:
        line = f"line {error.lineno}, " if error.lineno else ""
        raise BrokenFile(f"{path.name} cannot be read: {line}{error.msg}.") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise BrokenFile(f"{path.name} stops with {type(error).__name__}: {error}.") from None
    sys.modules[path.stem] = module
    return module


def text_of(path: Path) -> str:
    """Return the text of a file, "" if there is no file."""
    return text_in(_bytes_of(path))


def _bytes_of(path):
    return path.read_bytes() if path.exists() else b""


def text_in(data: bytes) -> str:
    """Return the text of a file's bytes, with line ends as Python has them.

    >>> text_in(b"# \\xfcber\\r\\n") == text_in("# über\\n".encode("utf-16")) == "# über\\n"
    True
    """
    return re.sub(r"\r\n?", "\n", _decode(data)[0])


def _decode(data):
    """Return (text, encoding). This never fails, because latin-1 decodes any bytes."""
    mark = next(filter(data.startswith, BYTE_ORDER_MARKS), b"")
    for encoding in [BYTE_ORDER_MARKS[mark]] if mark else _encodings(data):
        with contextlib.suppress(UnicodeError, LookupError):
            return data[len(mark) :].decode(encoding), encoding
    return data.decode("latin-1"), "latin-1"


def _encodings(data):
    """The encodings that a file without a byte order mark may have: the declared one, Python's, and that of Windows."""
    if b"\0" in data:  # every second byte of a program in UTF-16
        yield "utf-16-le" if data[1:2] == b"\0" else "utf-16-be"
    with contextlib.suppress(SyntaxError):
        yield tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    yield from ("utf-8", "cp1252")


def names_in(text: str, *, imports: bool = True) -> set[str]:
    """Return the names that a file's text defines at the top level, none if it is not Python.

    imports: whether imported names count.

    >>> text = "import numpy as np\\nn, k = 1, 2\\ndef f(): pass"
    >>> sorted(names_in(text)), sorted(names_in(text, imports=False))
    (['f', 'k', 'n', 'np'], ['f', 'k', 'n'])
    """
    try:
        return _bound_names(ast.parse(text).body, imports=imports)
    except (SyntaxError, ValueError):  # a ValueError for a null byte
        return set()


def _bound_names(body, *, imports=True):
    names = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    if imports:
        lines = (node for node in body if isinstance(node, ast.Import | ast.ImportFrom))
        names |= {alias.asname or alias.name for line in lines for alias in line.names}
    stored = (n for statement in body if isinstance(statement, ast.Assign) for n in ast.walk(statement))
    return names | {n.id for n in stored if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def source_in(text: str, name: str) -> str:
    """Return the source of the last definition of a name in a file's text, "" if there is none."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return ""
    for node in reversed(body):
        if name in _bound_names([node]):
            return ast.get_source_segment(text, node) or ""
    return ""


def is_unchanged(text: str, name: str) -> bool:
    """Tell whether the definition of a name is still what the course appended."""
    marks = [mark for marked, mark in MARK.findall(text) if marked == name]
    return bool(marks) and marks[-1] == _digest(source_in(text, name))


def text_with(text: str, name: str, lesson: str, source: str, file: str = "my_attention.py") -> str:
    """Return the file's text with one more function below a comment that says where it comes from."""
    begin = text if text.strip() else text + HEADERS[file]
    gap = "\n" * (3 - len(begin) + len(begin.rstrip("\n")))
    mark = f"# kept: {name}, lesson {lesson}, {_digest(source_in(source, name))}"
    return f"{begin}{gap}{mark}\n{source.rstrip()}\n"


def _digest(source):
    return hashlib.sha256(source.encode()).hexdigest()[:8]


def append(path: Path | str, name: str, lesson: str, source: str, prove: Callable[[ModuleType], str]) -> str:
    """Append a function to a file if the whole file then still works: prove(module) returns "" or what is wrong.

    Returns "" on success, or a sentence that says what is wrong; then the file is unchanged.
    """
    path = Path(path)
    before = _bytes_of(path)
    text, (written, encoding) = text_in(before), _decode(before)
    added = text_with(text, name, lesson, source, path.name)[len(text) :]
    try:
        added = added.replace("\n", "\r\n" if "\r\n" in written else "\n").encode(encoding)
    except UnicodeError as error:
        sign = repr(error.object[error.start]) if isinstance(error, UnicodeEncodeError) else "such characters"
        return f"it is written in {encoding}, which has no {sign}. Save the file as UTF-8 first."
    handle, new = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".py")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(before + added)
        problem = _problem_with(new, path, prove)
        if not problem and _bytes_of(path) != before:
            problem = f"{path.name} was changed meanwhile. Run the cell again."
        if not problem:
            os.replace(new, path)
        return problem
    finally:
        Path(new).unlink(missing_ok=True)


def _problem_with(new, path, prove):
    try:
        problem = prove(load(new))
    except BrokenFile as error:
        problem = str(error).replace(Path(new).name, path.name)
    finally:
        sys.modules.pop(Path(new).stem, None)
    return problem
