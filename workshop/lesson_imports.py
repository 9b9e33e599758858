"""What a file imports, directly and through the course's modules; this tells which lessons need TensorFlow."""

import ast
import functools
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE, ENGINE = ROOT / "course_utils", ROOT / "pagecheck"
OURS = PACKAGE.name, ENGINE.name
# What stands in checks/ and is a room of its own.
FOLDERS = ("checks/exercises", "checks/keras_answers", "checks/steps", "checks/student")


@functools.cache
def imports(path: Path) -> frozenset[str]:
    """Return the dotted names that a file imports, at any level: course_utils.attention.softmax, numpy."""
    names = set()
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":  # the page of an exercise
        text = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: imports name the package, not dots"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(names)


def is_ours(name: str) -> bool:
    """Return whether a dotted name belongs to the course or to pagecheck.

    >>> is_ours("course_utils.attention"), is_ours("pagecheck"), is_ours("numpy.linalg")
    (True, True, False)
    """
    return name.split(".")[0] in OURS and name != PACKAGE.name  # which imports nothing else


def room(module) -> str:
    """Return the room of a module, given as a path or as a dotted name: attention, tasks, checks/student, pagecheck."""
    parts = module.relative_to(ROOT).with_suffix("").parts if isinstance(module, Path) else tuple(module.split("."))
    if parts[0] == ENGINE.name:
        return parts[0]
    parts = parts[1:]
    inner = "/".join(parts[:2])
    return inner if inner in FOLDERS else "checks/check" if parts[0] == "checks" else parts[0]


def reaches(path: Path, package: str) -> bool:
    """Return whether a file imports a package, directly or through a module of the course."""
    seen, waiting = set(), [path]
    while waiting:
        names = imports(waiting.pop())
        if package in {name.split(".")[0] for name in names}:
            return True
        inside = {file for name in names if is_ours(name) for file in files_of(name)}
        waiting += inside - seen
        seen |= inside
    return False


@functools.cache
def files_of(name: str) -> tuple[Path, ...]:
    """Return the files that importing one of our dotted names runs: the parent packages and the module."""
    parts = name.split(".")
    paths = [ROOT.joinpath(*parts[:end]) for end in range(1, len(parts) + 1)]
    files = [file for path in paths for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()]
    return tuple(file for file in files if file.parent != PACKAGE or file.name != "__init__.py")
