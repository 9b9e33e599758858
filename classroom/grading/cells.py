"""The cells of a notebook, read as texts: which exercises they check, and whether Python can read them."""

import ast
import contextlib
import functools
import json
import re
import warnings
from collections import Counter
from pathlib import Path

from grading.archives import Unreadable
from grading.owners import displayable

ROOT = Path(__file__).resolve().parents[2]
MAX_CODE = 2_000_000  # characters of all cells
MAX_CELL = 100_000  # characters: anything longer is not an answer and is not parsed
PYTHON_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")  # cell magics followed by Python
LESSON_NUMBER = re.compile(r"(?<!\d)(\d\d)_")
LINE_MAGIC = re.compile(r"(\s*)(?:[%!].*|\?+[\w.]+|[\w.]+\?+)\s*")


def cells_of(content):
    """Return the code cells of a notebook, of any format and encoding, as texts. Raises Unreadable."""
    try:
        notebook = json.loads(decoded(content))
        if "worksheets" in notebook:  # format 3
            all_cells = [cell for sheet in notebook["worksheets"] for cell in sheet["cells"]]
            cells = [cell["input"] for cell in all_cells if cell["cell_type"] == "code"]
        else:
            cells = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
        cells = tuple(cell if isinstance(cell, str) else "".join(cell or ()) for cell in cells)
    except KeyError as name:
        raise Unreadable(f"no notebook: it has no {name}") from None
    except Exception as problem:  # the file may hold anything
        reason = displayable(f"{type(problem).__name__}: {problem}")
        raise Unreadable(f"no notebook: {reason}") from None
    if sum(map(len, cells)) > MAX_CODE:
        raise Unreadable(f"too large: more than {MAX_CODE:,} characters of code")
    return cells


def decoded(content):
    """Return a JSON text in the Unicode encoding that its first bytes suggest, or else in Windows-1252."""
    try:
        return content.decode(json.detect_encoding(content))
    except UnicodeDecodeError:
        return content.decode("cp1252")


def is_solution(cells):
    """Whether this is a solved notebook of the course: its predictions are open, and in the course's words."""
    open_ones = predictions_in(cells)
    return bool(open_ones & solved_predictions()) and not any("sealed=" in cell for cell in open_ones)


def predictions_in(cells):
    return {cell.strip() for cell in cells if re.search(r"^predict\(", cell, re.M)}


@functools.cache
def solved_predictions():
    solved = (ROOT / "notebooks" / "solutions").glob("*.ipynb")
    return {cell for path in solved for cell in predictions_in(cells_of(path.read_bytes()))}


def checked_expressions(cells):
    """Return {exercise: checked expression} from the calls of `check` in these cells."""
    return {exercise: expression for cell in cells for exercise, expression in checks_in(cell)}


@functools.lru_cache(maxsize=10_000)  # most cells are the same for everybody, and a hostile one takes long to read
def checks_in(cell):
    found = []
    for call in check_calls(syntax_tree(cell)):
        with contextlib.suppress(RecursionError):  # too deeply nested to unparse
            found.append((call.args[0].value, ast.unparse(call.args[1])))
    return found


def certain_checks(cell):
    """Return the exercises whose checks no `if`, `try` or function keeps from running in a cell without an error."""
    tree = syntax_tree(cell)
    certain = [line for line in (tree.body if tree else ()) if isinstance(line, ast.Expr)]
    return {call.args[0].value for line in certain for call in check_calls(line)}


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
    return "\n".join(map(without_magic, cell.split("\n")))


def without_magic(line):
    name, sign, value = line.partition("=")
    if sign and value.lstrip().startswith(("%", "!")):
        return f"{name}= None"
    magic = LINE_MAGIC.fullmatch(line)
    return f"{magic[1]}pass" if magic else line


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
    notebooks = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    return {path.name[:2]: checked_expressions(cells_of(path.read_bytes())) for path in notebooks}


def lesson_of(cells, name, exercises_of, only=""):
    """Return the number of the lesson, from the exercises it checks or else its name; "" if unknown.

    Where it checks exercises of several lessons, it is of the one that was asked for, or that its name says.
    """
    lesson_by_exercise = {exercise: number for number, exercises in exercises_of.items() for exercise in exercises}
    counts = Counter(
        lesson_by_exercise[exercise] for exercise in checked_expressions(cells) if exercise in lesson_by_exercise
    )
    number = LESSON_NUMBER.search(name)
    named = number[1] if number and number[1] in exercises_of else ""
    if not counts and not named:  # `check` may have another name there
        quoted = re.findall(r"""["'](\w+)["']""", " ".join(cells))
        counts = Counter(lesson_by_exercise[word] for word in quoted if word in lesson_by_exercise)
    if not counts:
        return named
    return next((one for one in (only, named) if one in counts), counts.most_common(1)[0][0])
