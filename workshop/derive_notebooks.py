"""Derive the student and the solved notebook of a lesson from its source, without running them.

A source is notebooks/source/NN_name.py in the py:percent form: `# %%` or `# %% [markdown]` begins a cell.
`# solution` and `# end solution` fence what the student writes.
This module replaces the fenced lines with stubs, inserts figures, references and minutes,
links each exercise with its solution and gives every cell a stable id. build_notebooks.py runs the result.
"""

import ast
import re
from pathlib import Path
from typing import NamedTuple

import jupytext
from inserts import embed_figures, insert_minutes, insert_references, link_pages
from lesson_paths import BuildError, location, notebook_path, number
from lesson_time import EXERCISE
from nbformat import NotebookNode
from seal_predictions import is_prediction, seal

from course_utils.checks.student.covers import ANSWERS

MARKERS = {"# %%": "code", "# %% [markdown]": "markdown"}
BEGIN, END = "# solution", "# end solution"
STUB = "...  # your code"
# No Python version and no timestamps: the same source gives the same bytes on every machine.
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class Lesson(NamedTuple):
    """A source, the line on which each of its cells begins, and the notebooks derived from it, by their kinds.

    A lesson has a student and a solved notebook, a questionnaire one of questions.
    """

    source: Path
    lines: list[int]
    student: NotebookNode | None = None
    solved: NotebookNode | None = None
    questions: NotebookNode | None = None

    @property
    def number(self):
        return number(self.source)

    def path(self, kind):
        """The file of the "student" or the "solved" notebook, or of the "questions"."""
        return notebook_path(self.source, kind)

    def location(self, cell):
        """The source line on which a cell (counted from 0) begins, as file:line; of the last cell if out of range."""
        return location(self.source, self.lines[min(cell, len(self.lines) - 1)])


def derive(source):
    """Return the Lesson of a source file: both notebooks, without outputs. Raises BuildError."""
    source = Path(source).resolve()
    text = source.read_text(encoding="utf-8").splitlines()
    starts = cell_starts(source, text)
    solved, student = split_fences(source, text)
    links = {
        "student": f"[Solution](solutions/{source.stem}.ipynb#cell-id={{}})",
        "solved": f"[Exercise](../{source.stem}.ipynb#cell-id={{}})",
    }
    lesson = Lesson(
        source,
        starts,
        notebook(source, starts, student, links["student"]),
        notebook(source, starts, solved, links["solved"]),
    )
    seal_predictions(lesson)
    insert_minutes(lesson)
    link_pages(lesson)
    return lesson


def cell_starts(source, text):
    """The line numbers of the cell markers."""
    starts = []
    for line, content in enumerate(text, 1):
        if re.match(r"#\s*%(%|\s*\[)", content):  # `# %matplotlib` is a Jupyter magic, not a marker
            if content not in MARKERS:
                raise BuildError(f"{location(source, line)}: a cell begins with {' or '.join(MARKERS)}, and no more")
            starts.append(line)
    if starts[:1] != [1] or text[0] != "# %% [markdown]":
        raise BuildError(f"{location(source, 1)}: the first line is # %% [markdown]")
    return starts


def split_fences(source, text):
    """Return (solved, student): the lines without the fence markers, and with each fenced block replaced by a stub."""
    solved, student, begin, kind = [], [], None, "markdown"
    for line, content in enumerate(text, 1):
        word = content.strip()
        kind = MARKERS.get(content, kind)
        if kind == "code" and word not in (BEGIN, END) and re.fullmatch(r"#\s*(end[\W_]*)?solution\W*", word, re.I):
            raise BuildError(f"{location(source, line)}: a fence is written {BEGIN} and {END}, not {word}")
        if begin and (word == BEGIN or content in MARKERS):
            raise BuildError(f"{location(source, begin)}: {BEGIN} is not closed with {END} before line {line}")
        if word == END and kind == "code":
            if not begin:
                raise BuildError(f"{location(source, line)}: {END} without {BEGIN}")
            student += stub(source, begin, text[begin - 1 : line - 1])
            begin = None
        elif word == BEGIN and kind == "code":
            begin = line
        else:
            solved.append(content)
            if not begin:
                student.append(content)
    if begin:
        raise BuildError(f"{location(source, begin)}: {BEGIN} is not closed with {END}")
    return solved, student


def stub(source, line, block):
    """What replaces a fence in the student notebook: `...` in a function body, `name = ...` at cell level."""
    first, *body = block
    if indent := first[: -len(first.lstrip())]:
        return [indent + STUB]
    try:
        tree = ast.parse("\n".join(body))
    except SyntaxError as error:
        raise BuildError(f"{location(source, line + (error.lineno or 0))}: {error.msg}") from None
    assignments = [statement for statement in tree.body if isinstance(statement, ast.Assign | ast.AnnAssign)]
    targets = [target for node in assignments for target in getattr(node, "targets", None) or [node.target]]
    stored = (
        node for target in targets for node in ast.walk(target) if isinstance(getattr(node, "ctx", None), ast.Store)
    )
    names = dict.fromkeys(node.id for node in stored if isinstance(node, ast.Name) and not node.id.startswith("_"))
    if not names:
        raise BuildError(
            f"{location(source, line)}: a fence outside a function assigns a name; or put it into the function"
        )
    return [f"{name} = {STUB}" for name in names]


def notebook(source, starts, text, link):
    """The notebook of these lines. `link` leads from an exercise to its solution, or back."""
    result = jupytext.reads("\n".join(text) + "\n", fmt="py:percent")
    if len(result.cells) != len(starts):
        raise BuildError(f"{location(source, 1)}: {len(starts)} cell markers, but {len(result.cells)} cells")
    result.metadata = NotebookNode(METADATA)
    for position, (cell, start) in enumerate(zip(result.cells, starts, strict=True), 1):
        # Stable ids keep links, comments and diffs attached to the right cell across builds.
        cell.id = f"{number(source)}-{position:03d}"
        cell.metadata = NotebookNode()
        if not cell.source.strip():
            raise BuildError(f"{location(source, start)}: an empty cell")
        if cell.cell_type == "code":
            cell.source = re.sub(r"\n{3,}", "\n\n", cell.source)  # two blank lines in a file become one in a cell
        if cell.cell_type == "code" and re.search(r"^predict\(", cell.source, re.M):
            if not cell.source.startswith("predict("):
                raise BuildError(
                    f"{location(source, start)}: a prediction has a cell of its own, since its code is folded"
                )
            # JupyterLab folds the code because it holds the answer. The buttons show all that a student needs.
            cell.metadata = NotebookNode(jupyter={"source_hidden": True})
        if cell.cell_type == "markdown":
            cell.source = insert_references(source, start, embed_figures(source, start, cell.source))
    link_exercises(source, starts, result.cells, link)
    return result


def seal_predictions(lesson):
    """Seal the answers of the predictions in the student notebook, and number the predictions."""
    n_predictions = 0
    for position, cell in enumerate(lesson.student.cells):
        if cell.cell_type != "code":
            continue
        if is_prediction(cell.source):
            n_predictions += 1
            try:
                cell.source = seal(cell.source, n_predictions)
            except ValueError as error:
                raise BuildError(f"{lesson.location(position)}: {error}") from None
        elif (match := ANSWERS.search(cell.source)) and not 1 <= int(match[1]) <= n_predictions:
            where = lesson.location(position)
            raise BuildError(f"{where}: no prediction {match[1]} stands above")


def link_exercises(source, starts, cells, link):
    """Append the link to the cell with an exercise's last hint, or to its heading if it has no hints."""
    for position, cell in enumerate(cells):
        if cell.cell_type != "markdown":
            continue
        if wrong := re.search(r"^#+ *Exercise\b(?!: `\w+` · \d+ minutes$).*$", cell.source, re.M | re.I):
            line = starts[position] + 1 + cell.source[: wrong.start()].count("\n")
            raise BuildError(f"{location(source, line)}: write ### Exercise: `name` · N minutes in place of {wrong[0]}")
        if EXERCISE.search(cell.source):
            target = cell
            for later in cells[position + 1 :]:
                if later.cell_type == "markdown" and re.search(r"^#+ ", later.source, re.M):
                    break
                if later.cell_type == "markdown" and "<summary>Hint" in later.source:
                    target = later
            target.source += "\n\n" + link.format(cell.id)
