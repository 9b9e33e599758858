"""Finds what a class handed in: folders, files, and the archives of Moodle and Canvas. Nothing of it runs here."""

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
LARGEST_CODE = 2_000_000  # characters of all cells
LONGEST_CELL = 100_000  # characters: what is longer is no answer, and its checks are not looked for
LONGEST_NAME = 100  # characters
JOINERS = "\u200c\u200d"  # between the letters of some scripts, and in emoji

# "Anna Müller_1000_assignsubmission_file_" is what Moodle calls the folder of a student
KIND = r"_assignsubmission_(?:file|onlinetext)_"
MOODLE = re.compile(r"(?P<student>.+)_(?P<number>\d+)" + KIND + "?$", re.S)
MOODLE_FILE = re.compile(r"(?P<student>.+)_(?P<number>\d+)" + KIND + "(?P<file>.+)$", re.S)  # without folders
# "muelleranna_LATE_1234_5678_05_not_good-1.ipynb" is what Canvas calls a file
CANVAS = re.compile(r"(?P<student>[^\W_]+)_(?:LATE_)?(?P<number>\d+)_\d+_(?P<file>.+)$")
OF_PYTHON = ("%%time", "%%timeit", "%%capture", "%%prun")  # magics of a cell whose other lines are Python
AGAIN = re.compile(r"(?: \((\d+)\)|-(\d+)|_v(\d+))$")  # "05_not_good (1)", "05_not_good-1", "05_not_good_v2"
LESSON = re.compile(r"(?<!\d)(\d\d)_")


class Return(NamedTuple):
    """One notebook of one student. attempt: which of several; files: the student's own modules beside it."""

    student: str
    number: str
    name: str
    attempt: int
    content: bytes
    files: dict[str, bytes]

    @property
    def digest(self):
        """Tells whether it is another one, or was changed."""
        whole = hashlib.sha256(self.content)
        for name in sorted(self.files):
            whole.update(name.encode() + self.files[name])
        return whole.hexdigest()


def found_in(folder):
    """Return the returns in a folder or an archive, by student. Raises Unreadable for no such place."""
    folder = Path(folder)
    if not folder.exists():
        raise Unreadable(f"there is no {folder}")
    files = list(files_in(folder))
    beside = {(belongs(path), own_name(path)): content for path, content in files if own_name(path)}
    notebooks = [(path, content) for path, content in files if path.suffix == ".ipynb"]
    top = depth_of_students([path for path, _ in notebooks])
    found = [of_file(path, content, beside, top) for path, content in notebooks]
    return sorted(found, key=lambda one: (one.student.casefold(), one.name, one.attempt))


def own_name(path):
    """Which of the student's own modules a file is, "" for none; Canvas puts the student before the name."""
    canvas = CANVAS.fullmatch(path.name)
    name = AGAIN.sub("", PurePosixPath(canvas["file"]).stem) + path.suffix if canvas else path.name
    return name if name in OWN_FILES else ""


def belongs(path):
    """What files of one student have in common: the folder, and with Canvas the beginning of the name."""
    canvas = CANVAS.fullmatch(path.name)
    return path.parent, (canvas["student"], canvas["number"]) if canvas else ""


def depth_of_students(paths):
    """How many folders lie above those of the students: as many as all have in common."""
    plain = [path.parent.parts for path in paths if path.parent.parts and not platform_of(path)]
    together = 0
    while len({parts[: together + 1] for parts in plain}) == 1 and together < max(map(len, plain)):
        together += 1
    return together


def of_file(path, content, beside, top=None):
    """Return the Return that a file is: whose it is, and which of several."""
    student, number, name = whose(path, top)
    again = AGAIN.search(PurePosixPath(name).stem)
    attempt = int(next(filter(None, again.groups()), 0)) if again else 0
    stem = PurePosixPath(name).stem[: again.start()] if again else PurePosixPath(name).stem
    files = {own: beside[belongs(path), own] for own in OWN_FILES if (belongs(path), own) in beside}
    alone = path.parent == PurePosixPath(".") and not CANVAS.fullmatch(path.name)  # whose module it is nobody knows
    return Return(shown(student), number, f"{shown(stem)}.ipynb", attempt, content, {} if alone else files)


def shown(name):
    """A name in signs that can be shown anywhere: no end of a line, nothing that steers a screen or turns its order."""
    plain = "".join(sign if sign.isprintable() or sign in JOINERS else " " for sign in name)
    return " ".join(plain.split())[:LONGEST_NAME] or "no name"


def platform_of(path):
    """What a platform has made of the name of this file: (the match, the student's own name of it); None for none."""
    for folder in path.parts[:-1]:
        if found := MOODLE.fullmatch(folder) or CANVAS.fullmatch(folder):
            return found, path.name
    found = MOODLE_FILE.fullmatch(path.name) or CANVAS.fullmatch(path.name)
    return found and (found, found["file"])


def whose(path, top=None):
    """Return the student, the number that the platform gave them ("" for none), and the name of the notebook.

    top: how many folders lie above those of the students; without it the innermost folder is the student's.
    """
    if named := platform_of(path):
        found, name = named
        return found["student"], found["number"], name
    if path.parent != PurePosixPath("."):
        folders = path.parts[:-1]
        return folders[-1 if top is None else min(top, len(folders) - 1)], "", path.name
    before = re.split(r"[ _-]*(?<!\d)\d\d_", path.stem)[0]
    return before or path.stem, "", path.name[len(before) :].lstrip(" _-") if before else path.name


def cells_of(content):
    """Return the code cells of a notebook, of any format, as texts. Raises Unreadable."""
    try:
        with warnings.catch_warnings(action="ignore"):
            notebook = nbformat.reads(content.decode("utf-8-sig"), as_version=4)
        cells = [str(cell.source) for cell in notebook.cells if cell.cell_type == "code"]
    except Exception as problem:  # whatever stands in a file that is no notebook
        said = shown(str(problem))[:120]
        raise Unreadable(f"no notebook: {type(problem).__name__}: {said}") from None
    if sum(map(len, cells)) > LARGEST_CODE:
        raise Unreadable(f"too large: more than {LARGEST_CODE:,} characters of code")
    return cells


def checked_in(cells):
    """Return {exercise: the expression that is checked}, from the calls of `check` in these cells."""
    found = {}
    for call in (call for cell in cells for call in checks_in(tree_of(cell))):
        with contextlib.suppress(RecursionError):  # an expression too deep to be written out again
            found[call.args[0].value] = ast.unparse(call.args[1])
    return found


def checks_in(tree):
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) > 1) if tree else ()
    named = (call for call in calls if getattr(call.func, "id", "") == "check")
    return [call for call in named if isinstance(getattr(call.args[0], "value", None), str)]


def tree_of(cell):
    """The syntax tree of a cell, magics taken out; None where it is no Python."""
    try:
        return parsed(cell)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parsed(cell):
    """The syntax tree of a cell. Raises what Python says against it; magics are no Python, and taken out."""
    if len(cell) > LONGEST_CELL:
        raise ValueError(f"a cell of more than {LONGEST_CELL:,} characters")
    with warnings.catch_warnings(action="ignore"):
        try:
            return ast.parse(cell)
        except SyntaxError:
            return ast.parse(without_magics(cell))


def without_magics(cell):
    """A cell of IPython as Python, line by line, so that the numbers of its lines stay.

    >>> without_magics("%%time\\n!ls\\nx = %pwd\\nmax?")
    '\\npass\\nx = None\\npass'
    """
    head, end, body = cell.partition("\n")
    if head.lstrip().startswith("%%"):
        cell = end + body if head.split()[0] in OF_PYTHON else ""
    cell = re.sub(r"^([ \t]*)(?:[%!].*|\?+[\w.]+|[\w.]+\?+)$", r"\1pass", cell, flags=re.M)
    return re.sub(r"^([ \t]*[\w., ]+=[ \t]*)[%!].*$", r"\1None", cell, flags=re.M)


def syntax_error_in(cell):
    """What Python says against a cell that it cannot read, "" for nothing."""
    try:
        parsed(cell)
    except SyntaxError as problem:
        return f"line {problem.lineno}: {problem.msg}"
    except (ValueError, RecursionError, MemoryError) as problem:
        return str(problem)
    return ""


def lessons():
    """Return {number: {exercise: the expression that its lesson checks}} of the course."""
    found = {}
    for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        found[path.name[:2]] = checked_in(["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"])
    return found


def lesson_of(cells, name, known):
    """Return the number of the lesson: the one whose exercises it checks, or that its name begins with; "" for none."""
    home = {exercise: number for number, exercises in known.items() for exercise in exercises}
    counted = Counter(home[exercise] for exercise in checked_in(cells) if exercise in home)
    if counted:
        return counted.most_common(1)[0][0]
    number = LESSON.search(name)
    return number[1] if number and number[1] in known else ""
