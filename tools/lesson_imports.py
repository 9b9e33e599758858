"""What a file imports, itself and through the course's modules; so it is read which lessons need TensorFlow."""

import ast
import functools
import re
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "course_utils"
# Rooms of more than one module.
FOLDERS = ("explorables", "inventory", "checks/engine", "checks/exercises", "checks/student")


@functools.cache
def imports(path: Path) -> frozenset[str]:
    """Return the dotted names that a file imports, wherever in it: course_utils.attention.softmax, numpy."""
    found = set()
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":  # the page of an exercise
        text = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: imports name the package, not dots"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


def room(module) -> str:
    """Return the room of a module of the course, given as a path or as a dotted name: attention, checks/engine."""
    parts = module.relative_to(PACKAGE).with_suffix("").parts if isinstance(module, Path) else module.split(".")[1:]
    inner = "/".join(parts[:2])
    folder = next((folder for folder in FOLDERS if folder in (inner, parts[0])), None)
    return folder or ("checks/check" if parts[0] == "checks" else parts[0])


def reaches(path: Path, package: str) -> bool:
    """Tell whether a file imports a package, itself or through a module of the course."""
    seen, waiting = set(), [path]
    while waiting:
        names = imports(waiting.pop())
        if package in {name.split(".")[0] for name in names}:
            return True
        inside = {file for name in names if name.startswith("course_utils.") for file in files_of(name)}
        waiting += inside - seen
        seen |= inside
    return False


@functools.cache
def files_of(name: str) -> tuple[Path, ...]:
    """Return the files that importing a dotted name of the course runs: the packages on the way, and the module."""
    parts = name.split(".")[1:]
    places = [PACKAGE.joinpath(*parts[:end]) for end in range(1, len(parts) + 1)]
    return tuple(
        file for place in places for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()
    )
