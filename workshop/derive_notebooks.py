"""From the source of a lesson to its student and its solved notebook, not yet run.

A source is notebooks/source/NN_name.py in the py:percent form: `# %%` or `# %% [markdown]` begins a cell.
`# solution` and `# end solution` fence what the student writes.
This module puts stubs in place of the fenced lines, puts figures, references and minutes into the notebook,
links each exercise with its solution and gives every cell an id that stays. build_notebooks.py runs the result.
"""

import ast
import re
from pathlib import Path
from typing import NamedTuple

import jupytext
from inserts import cited, embedded, link_pages, say_minutes
from lesson_paths import BuildError, notebook_path, number, place
from lesson_time import EXERCISE
from nbformat import NotebookNode
from seal_predictions import is_prediction, sealed

from course_utils.checks.student.covers import ANSWERS

MARKERS = {"# %%": "code", "# %% [markdown]": "markdown"}
BEGIN, END = "# solution", "# end solution"
STUB = "...  # your code"
# No version of Python and no times: the same source gives the same bytes on every machine.
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class Lesson(NamedTuple):
    """A source, the line on which each of its cells begins, and the two notebooks that it gives."""

    source: Path
    lines: list[int]
    student: NotebookNode
    solved: NotebookNode

    @property
    def number(self):
        return number(self.source)

    def path(self, kind):
        """The file of the "student" or the "solved" notebook."""
        return notebook_path(self.source, kind)

    def place(self, cell):
        """The source line on which a cell begins, counted from 0, as file:line.

        A cell too many is placed at the last one.
        """
        return place(self.source, self.lines[min(cell, len(self.lines) - 1)])


def derive(source):
    """Return the Lesson of a source file: both notebooks, without outputs. Raises BuildError."""
    source = Path(source).resolve()
    text = source.read_text(encoding="utf-8").splitlines()
    starts = cell_starts(source, text)
    solved, student = fenced(source, text)
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
    seal(lesson)
    say_minutes(lesson)
    link_pages(lesson)
    return lesson


def cell_starts(source, text):
    """The line numbers of the cell markers."""
    starts = []
    for line, content in enumerate(text, 1):
        if re.match(r"#\s*%(%|\s*\[)", content):  # `# %matplotlib` is a command of Jupyter, no marker
            if content not in MARKERS:
                raise BuildError(f"{place(source, line)}: a cell begins with {' or '.join(MARKERS)}, and no more")
            starts.append(line)
    if starts[:1] != [1] or text[0] != "# %% [markdown]":
        raise BuildError(f"{place(source, 1)}: the first line is # %% [markdown]")
    return starts


def fenced(source, text):
    """The lines of the source twice: without the fences, and with a stub in place of each fence and what it holds."""
    solved, student, begin, kind = [], [], None, "markdown"
    for line, content in enumerate(text, 1):
        word = content.strip()
        kind = MARKERS.get(content, kind)
        if kind == "code" and word not in (BEGIN, END) and re.fullmatch(r"#\s*(end[\W_]*)?solution\W*", word, re.I):
            raise BuildError(f"{place(source, line)}: a fence is written {BEGIN} and {END}, not {word}")
        if begin and (word == BEGIN or content in MARKERS):
            raise BuildError(f"{place(source, begin)}: {BEGIN} is not closed with {END} before line {line}")
        if word == END and kind == "code":
            if not begin:
                raise BuildError(f"{place(source, line)}: {END} without {BEGIN}")
            student += stub(source, begin, text[begin - 1 : line - 1])
            begin = None
        elif word == BEGIN and kind == "code":
            begin = line
        else:
            solved.append(content)
            if not begin:
                student.append(content)
    if begin:
        raise BuildError(f"{place(source, begin)}: {BEGIN} is not closed with {END}")
    return solved, student


def stub(source, line, block):
    """What a student finds in place of a fence: `...` inside a body, `name = ...` for the values of a cell."""
    first, *body = block
    if indent := first[: -len(first.lstrip())]:
        return [indent + STUB]
    try:
        tree = ast.parse("\n".join(body))
    except SyntaxError as error:
        raise BuildError(f"{place(source, line + (error.lineno or 0))}: {error.msg}") from None
    assigned = [statement for statement in tree.body if isinstance(statement, ast.Assign | ast.AnnAssign)]
    targets = [target for statement in assigned for target in getattr(statement, "targets", None) or [statement.target]]
    stored = (
        node for target in targets for node in ast.walk(target) if isinstance(getattr(node, "ctx", None), ast.Store)
    )
    names = dict.fromkeys(node.id for node in stored if isinstance(node, ast.Name) and not node.id.startswith("_"))
    if not names:
        raise BuildError(
            f"{place(source, line)}: a fence outside a function assigns a name; or put it into the function"
        )
    return [f"{name} = {STUB}" for name in names]


def notebook(source, starts, text, link):
    """The notebook of the unfenced lines. `link` is the line that leads from an exercise to its other side."""
    result = jupytext.reads("\n".join(text) + "\n", fmt="py:percent")
    if len(result.cells) != len(starts):
        raise BuildError(f"{place(source, 1)}: {len(starts)} cell markers, but {len(result.cells)} cells")
    result.metadata = NotebookNode(METADATA)
    for position, (cell, start) in enumerate(zip(result.cells, starts, strict=True), 1):
        # Students' notebooks keep their ids over builds,
        # so that links, comments and differences stay where they belong.
        cell.id = f"{number(source)}-{position:03d}"
        cell.metadata = NotebookNode()
        if not cell.source.strip():
            raise BuildError(f"{place(source, start)}: an empty cell")
        if cell.cell_type == "code":
            cell.source = re.sub(r"\n{3,}", "\n\n", cell.source)  # the two blank lines of a file are one in a cell
        if cell.cell_type == "code" and re.search(r"^predict\(", cell.source, re.M):
            if not cell.source.startswith("predict("):
                raise BuildError(
                    f"{place(source, start)}: a prediction has a cell of its own, since its code is folded"
                )
            # JupyterLab folds the code: it holds the answer. The buttons show all that a student needs.
            cell.metadata = NotebookNode(jupyter={"source_hidden": True})
        if cell.cell_type == "markdown":
            cell.source = cited(source, start, embedded(source, start, cell.source))
    link_exercises(source, starts, result.cells, link)
    return result


def seal(lesson):
    """Take the answers out of the predictions of the student's notebook, and number them."""
    asked = 0
    for position, cell in enumerate(lesson.student.cells):
        if cell.cell_type != "code":
            continue
        if is_prediction(cell.source):
            asked += 1
            try:
                cell.source = sealed(cell.source, asked)
            except ValueError as error:
                raise BuildError(f"{lesson.place(position)}: {error}") from None
        elif (found := ANSWERS.search(cell.source)) and int(found[1]) != asked:
            raise BuildError(f"{lesson.place(position)}: the prediction above is number {asked}, not {found[1]}")


def link_exercises(source, starts, cells, link):
    """Append the link to the cell that holds an exercise's hints, or to its heading where it has none."""
    for position, cell in enumerate(cells):
        if cell.cell_type != "markdown":
            continue
        if wrong := re.search(r"^#+ *Exercise\b(?!: `\w+` · \d+ minutes$).*$", cell.source, re.M | re.I):
            line = starts[position] + 1 + cell.source[: wrong.start()].count("\n")
            raise BuildError(f"{place(source, line)}: write ### Exercise: `name` · N minutes in place of {wrong[0]}")
        if EXERCISE.search(cell.source):
            hinted = cell
            for later in cells[position + 1 :]:
                if later.cell_type == "markdown" and re.search(r"^#+ ", later.source, re.M):
                    break
                if later.cell_type == "markdown" and "<summary>Hint" in later.source:
                    hinted = later
            hinted.source += "\n\n" + link.format(cell.id)
