"""Finds what a class handed in: folders, files, and the archives of Moodle and Canvas. Nothing of it runs here."""

import ast
import hashlib
import json
import re
import zipfile
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import nbformat
from IPython.core.inputtransformer2 import TransformerManager

ROOT = Path(__file__).resolve().parents[2]
OWN_FILES = ("my_attention.py", "my_model.py")
LARGEST = 50_000_000  # bytes of one file
NOT_LOOKED_AT = {".ipynb_checkpoints", "__MACOSX"}

# "Anna Müller_1000_assignsubmission_file_" is what Moodle calls the folder of a student
MOODLE = re.compile(r"(?P<student>.+)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?$")
# "muelleranna_LATE_1234_5678_05_not_good-1.ipynb" is what Canvas calls a file
CANVAS = re.compile(r"(?P<student>[^\W_]+)_(?:LATE_)?(?P<number>\d+)_\d+_(?P<file>.+)$")
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


class Unreadable(Exception):
    """Raised for what is no notebook."""


def found_in(folder):
    """Return the returns in a folder or an archive, by student. Raises Unreadable for no such place."""
    folder = Path(folder)
    if not folder.exists():
        raise Unreadable(f"there is no {folder}")
    files = list(in_archive(folder, "") if folder.is_file() else in_folder(folder))
    beside = {path: content for path, content in files if path.name in OWN_FILES}
    found = [of_file(path, content, beside) for path, content in files if path.suffix == ".ipynb"]
    return sorted(found, key=lambda one: (one.student.casefold(), one.name, one.attempt))


def in_folder(folder):
    """Yield (path below the folder, content) of all files that matter, those in archives too."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink()):
        below = PurePosixPath(path.relative_to(folder).as_posix())
        if path.suffix == ".zip":
            yield from in_archive(path, below.parent)
        elif matters(below) and path.stat().st_size <= LARGEST:
            yield below, path.read_bytes()


def in_archive(path, below):
    """Yield the same of an archive. Nothing is written to the disk, so no name in it can lead anywhere."""
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                inside = PurePosixPath(below) / entry.filename
                if matters(inside) and entry.file_size <= LARGEST and not entry.is_dir():
                    with archive.open(entry) as file:
                        yield inside, file.read(LARGEST)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as problem:
        raise Unreadable(f"{path.name}: {problem}") from None


def matters(path):
    return not NOT_LOOKED_AT & set(path.parts) and (path.suffix == ".ipynb" or path.name in OWN_FILES)


def of_file(path, content, beside):
    """Return the Return that a file is: whose it is, and which of several."""
    student, number, name = whose(path)
    again = AGAIN.search(PurePosixPath(name).stem)
    attempt = int(next(filter(None, again.groups()), 0)) if again else 0
    stem = PurePosixPath(name).stem[: again.start()] if again else PurePosixPath(name).stem
    files = {own: beside[path.with_name(own)] for own in OWN_FILES if path.with_name(own) in beside}
    alone = path.parent == PurePosixPath(".")  # many students' files in one folder: nobody knows whose module it is
    return Return(student, number, f"{stem}.ipynb", attempt, content, {} if alone else files)


def whose(path):
    """Return the student, the number that the platform gave them ("" for none), and the name of the notebook."""
    for folder in path.parts[:-1]:
        if moodle := MOODLE.fullmatch(folder):
            return moodle["student"], moodle["number"], path.name
    if canvas := CANVAS.fullmatch(path.name):
        return canvas["student"], canvas["number"], canvas["file"]
    if path.parent != PurePosixPath("."):
        return path.parts[-2], "", path.name
    before = re.split(r"[ _-]*(?<!\d)\d\d_", path.stem)[0]
    return before or path.stem, "", path.name[len(before) :].lstrip(" _-") if before else path.name


def cells_of(content):
    """Return the code cells of a notebook, of any format, as texts. Raises Unreadable."""
    try:
        notebook = nbformat.reads(content.decode("utf-8-sig"), as_version=4)
        return [str(cell.source) for cell in notebook.cells if cell.cell_type == "code"]
    except Exception as problem:  # whatever stands in a file that is no notebook
        said = " ".join(str(problem).split())[:120]
        raise Unreadable(f"no notebook: {type(problem).__name__}: {said}") from None


def checked_in(cells):
    """Return {exercise: the expression that is checked}, from the calls of `check` in these cells."""
    return {call.args[0].value: ast.unparse(call.args[1]) for cell in cells for call in checks_in(tree_of(cell))}


def checks_in(tree):
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) > 1) if tree else ()
    return [
        call for call in calls if getattr(call.func, "id", "") == "check" and isinstance(call.args[0], ast.Constant)
    ]


def tree_of(cell):
    """The syntax tree of a cell, magics taken out; None where it is no Python."""
    try:
        return ast.parse(TransformerManager().transform_cell(cell))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def syntax_error_in(cell):
    """What Python says against a cell that it cannot read, "" for nothing."""
    try:
        ast.parse(TransformerManager().transform_cell(cell))
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
