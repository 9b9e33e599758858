"""Finds the returns of a class in folders, files, and Moodle or Canvas archives, without running them."""

import ast
import contextlib
import hashlib
import json
import re
import warnings
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import nbformat
from grading.archives import Unreadable, files_in

ROOT = Path(__file__).resolve().parents[2]
OWN_FILES = ("my_attention.py", "my_model.py")
MAX_CODE = 2_000_000  # characters of all cells
MAX_CELL = 100_000  # characters: anything longer is not an answer and is not parsed
MAX_NAME = 100  # characters
JOINERS = "\u200c\u200d"  # needed between letters of some scripts and in emoji

# Moodle names the folder of a student "Anna Müller_1000_assignsubmission_file_"
MOODLE_SUFFIX = r"_assignsubmission_(?:file|onlinetext)_"
MOODLE = re.compile(r"(?P<student>.+)_(?P<number>\d+)" + MOODLE_SUFFIX + "?$", re.S)
MOODLE_FILE = re.compile(r"(?P<student>.+)_(?P<number>\d+)" + MOODLE_SUFFIX + "(?P<file>.+)$", re.S)  # without folders
# Canvas names a file "muelleranna_LATE_1234_5678_05_not_good-1.ipynb"
CANVAS = re.compile(r"(?P<student>[^\W_]+)_(?:LATE_)?(?P<number>\d+)_\d+_(?P<file>.+)$")
PYTHON_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")  # cell magics followed by Python
COPY_SUFFIX = re.compile(r"(?: \((\d+)\)|-(\d+)|_v(\d+))$")  # "05_not_good (1)", "05_not_good-1", "05_not_good_v2"
LESSON_NUMBER = re.compile(r"(?<!\d)(\d\d)_")


class Return(NamedTuple):
    """One notebook of one student. attempt: its number among several; files: the student's own modules."""

    student: str
    number: str
    name: str
    attempt: int
    content: bytes
    files: dict[str, bytes]

    @property
    def digest(self):
        """A hash of the notebook and its modules."""
        digest = hashlib.sha256(self.content)
        for name in sorted(self.files):
            digest.update(name.encode() + self.files[name])
        return digest.hexdigest()


def find_returns(folder):
    """Return the returns in a folder or an archive, sorted by student. Raises Unreadable if it does not exist."""
    folder = Path(folder)
    if not folder.exists():
        raise Unreadable(f"there is no {folder}")
    files = list(files_in(folder))
    modules = {(owner_key(path), module_name(path)): content for path, content in files if module_name(path)}
    notebooks = [(path, content) for path, content in files if path.suffix == ".ipynb"]
    depth = depth_above_students([path for path, _ in notebooks])
    returns = [make_return(path, content, modules, depth) for path, content in notebooks]
    return sorted(returns, key=lambda one: (one.student.casefold(), one.name, one.attempt))


def module_name(path):
    """Return which of the student's own modules a file is, "" for none; Canvas prefixes the student's name."""
    canvas = CANVAS.fullmatch(path.name)
    name = COPY_SUFFIX.sub("", PurePosixPath(canvas["file"]).stem) + path.suffix if canvas else path.name
    return name if name in OWN_FILES else ""


def owner_key(path):
    """Return what a student's files have in common: the folder, and with Canvas the start of the name."""
    canvas = CANVAS.fullmatch(path.name)
    return path.parent, (canvas["student"], canvas["number"]) if canvas else ""


def depth_above_students(paths):
    """Return how many folders are above those of the students: the length of their common path."""
    folders = [path.parent.parts for path in paths if path.parent.parts and not platform_of(path)]
    depth = 0
    while len({parts[: depth + 1] for parts in folders}) == 1 and depth < max(map(len, folders)):
        depth += 1
    return depth


def make_return(path, content, modules, depth=None):
    """Return the Return for a file, with its student and attempt."""
    student, number, name = owner_of(path, depth)
    copy = COPY_SUFFIX.search(PurePosixPath(name).stem)
    attempt = int(next(filter(None, copy.groups()), 0)) if copy else 0
    stem = PurePosixPath(name).stem[: copy.start()] if copy else PurePosixPath(name).stem
    files = {module: modules[owner_key(path), module] for module in OWN_FILES if (owner_key(path), module) in modules}
    is_at_top = path.parent == PurePosixPath(".") and not CANVAS.fullmatch(
        path.name
    )  # the owner of a module there is unknown
    return Return(
        displayable(student), number, f"{displayable(stem)}.ipynb", attempt, content, {} if is_at_top else files
    )


def displayable(name):
    """Return a name without line breaks, control characters or bidirectional overrides."""
    printable = "".join(char if char.isprintable() or char in JOINERS else " " for char in name)
    return " ".join(printable.split())[:MAX_NAME] or "no name"


def platform_of(path):
    """Return (match, original file name) if Moodle or Canvas named this path, else None."""
    for folder in path.parts[:-1]:
        if match := MOODLE.fullmatch(folder) or CANVAS.fullmatch(folder):
            return match, path.name
    match = MOODLE_FILE.fullmatch(path.name) or CANVAS.fullmatch(path.name)
    return match and (match, match["file"])


def owner_of(path, depth=None):
    """Return the student, the number that the platform gave them ("" for none), and the name of the notebook.

    depth: how many folders are above those of the students; by default the innermost folder is the student's.
    """
    if platform := platform_of(path):
        match, name = platform
        return match["student"], match["number"], name
    if path.parent != PurePosixPath("."):
        folders = path.parts[:-1]
        return folders[-1 if depth is None else min(depth, len(folders) - 1)], "", path.name
    prefix = re.split(r"[ _-]*(?<!\d)\d\d_", path.stem)[0]
    return prefix or path.stem, "", path.name[len(prefix) :].lstrip(" _-") if prefix else path.name


def cells_of(content):
    """Return the code cells of a notebook, of any format, as texts. Raises Unreadable."""
    try:
        with warnings.catch_warnings(action="ignore"):
            notebook = nbformat.reads(content.decode("utf-8-sig"), as_version=4)
        cells = [str(cell.source) for cell in notebook.cells if cell.cell_type == "code"]
    except Exception as problem:  # the file may hold anything
        reason = displayable(str(problem))[:120]
        raise Unreadable(f"no notebook: {type(problem).__name__}: {reason}") from None
    if sum(map(len, cells)) > MAX_CODE:
        raise Unreadable(f"too large: more than {MAX_CODE:,} characters of code")
    return cells


def checked_expressions(cells):
    """Return {exercise: checked expression} from the calls of `check` in these cells."""
    expressions = {}
    for call in (call for cell in cells for call in check_calls(syntax_tree(cell))):
        with contextlib.suppress(RecursionError):  # too deeply nested to unparse
            expressions[call.args[0].value] = ast.unparse(call.args[1])
    return expressions


def check_calls(tree):
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) > 1) if tree else ()
    checks = (call for call in calls if getattr(call.func, "id", "") == "check")
    return [call for call in checks if isinstance(getattr(call.args[0], "value", None), str)]


def syntax_tree(cell):
    """Return the syntax tree of a cell without magics; None if it is not Python."""
    try:
        return parse_cell(cell)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parse_cell(cell):
    """Return the syntax tree of a cell without magics. Raises what `ast.parse` raises."""
    if len(cell) > MAX_CELL:
        raise ValueError(f"a cell of more than {MAX_CELL:,} characters")
    with warnings.catch_warnings(action="ignore"):
        try:
            return ast.parse(cell)
        except SyntaxError:
            return ast.parse(without_magics(cell))


def without_magics(cell):
    """Return an IPython cell as Python with the same line numbers.

    >>> without_magics("%%time\\n!ls\\nx = %pwd\\nmax?")
    '\\npass\\nx = None\\npass'
    """
    head, end, body = cell.partition("\n")
    if head.lstrip().startswith("%%"):
        cell = end + body if head.split()[0] in PYTHON_MAGICS else ""
    cell = re.sub(r"^([ \t]*)(?:[%!].*|\?+[\w.]+|[\w.]+\?+)$", r"\1pass", cell, flags=re.M)
    return re.sub(r"^([ \t]*[\w., ]+=[ \t]*)[%!].*$", r"\1None", cell, flags=re.M)


def syntax_error_in(cell):
    """Return the syntax error of a cell as text, "" if there is none."""
    try:
        parse_cell(cell)
    except SyntaxError as problem:
        return f"line {problem.lineno}: {problem.msg}"
    except (ValueError, RecursionError, MemoryError) as problem:
        return str(problem)
    return ""


def lessons():
    """Return {number: {exercise: the expression that its lesson checks}} of the course."""
    exercises = {}
    for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        exercises[path.name[:2]] = checked_expressions(
            ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        )
    return exercises


def lesson_of(cells, name, exercises_of):
    """Return the number of the lesson, from the exercises it checks or else its name; "" if unknown."""
    lesson_by_exercise = {exercise: number for number, exercises in exercises_of.items() for exercise in exercises}
    counts = Counter(
        lesson_by_exercise[exercise] for exercise in checked_expressions(cells) if exercise in lesson_by_exercise
    )
    if counts:
        return counts.most_common(1)[0][0]
    number = LESSON_NUMBER.search(name)
    return number[1] if number and number[1] in exercises_of else ""
