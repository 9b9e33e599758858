"""From a built notebook to its page in the book: widgets that move, folded hints and solutions, covers that open.

The outputs are those that the notebook stores; nothing runs here.
"""

import ast
import html
import json
import re
from functools import cache
from itertools import groupby
from pathlib import Path

import nbformat

from course_utils.checks.student.covers import ANSWERS, FOLD

FOLDED = re.compile(r"<details><summary>(.*?)</summary>(.*?)</details>", re.S)
SOLUTION = re.compile(r"^\[Solution\]\(solutions/.*?#cell-id=(.*?)\)$", re.M)
ASKS = ("predict(", "look_back(")
SUMS_UP = re.compile(r"^(recap|progress)\(", re.M)
CHECKS = re.compile(r"^check\(", re.M)
WIDGET = """<div class="book-widget" id="{id}" data-kind="{kind}">
<div class="book-still">{still}</div>
<script type="application/json">{state}</script>
<script defer src="{up}_static/explorables/{kind}.js"></script>
</div>"""
WAYS_IN = (
    '<a class="reference internal" href="../start.html#on-your-own-machine">on your own machine</a>, '
    '<a class="reference internal" href="../start.html#on-binder">on Binder</a> or '
    '<a class="reference internal" href="../start.html#on-the-server-of-your-class">on the server of your class</a>'
)
AS_IT_WAS_RUN = (
    '<p class="book-check">This page shows the lesson as it was run. '
    f"To change its cells and run them, open it in JupyterLab {WAYS_IN}.</p>"
)
IN_JUPYTERLAB = (
    '<p class="book-check">Write your answer in JupyterLab, where a check reads it and names the mistake. '
    f"Open the lesson {WAYS_IN}.</p>"
)
# What an output says to somebody who can run its cell, and what the page says instead.
SAID_OF_RUNNING = {
    r"The training shows here, (\w+ by \w+), while this cell runs\.": r"In JupyterLab the training shows here, \1.",
    r"What your own model gives stands here after you have run this cell\.": "In JupyterLab your own run stands here.",
    r"Run the cell, and it moves\.": "It moves on the page of this lesson.",
}
TO_LESSON = re.compile(r"\[(\d\d_\w+)\]\(\1\.ipynb\)")
COLUMNS = re.compile(r"^ *\[.*|.*\S  +\S.*", re.M)
TABLE = 3  # lines in columns that make a table of what a cell prints
RECAP = '<div class="book-recap"></div>'


def lesson_page(path, states):
    """Return the notebook of a lesson as the book shows it.

    path: of the student's notebook; the solved one lies in solutions/ beside it. states: the file that
    workshop/widget_states.py wrote for it. Raises ValueError if the states are those of another build.
    """
    notebook = nbformat.read(path, as_version=4)
    solved = nbformat.read(path.parent / "solutions" / path.name, as_version=4)
    kept = json.loads(Path(states).read_text(encoding="utf-8"))
    if kept["digest"] != notebook.metadata.learning_to_look.digest:
        raise ValueError(f"{states} belongs to another build of {path.name}; run nox -s build -- {path.name[:2]}")
    solutions = {cell.id: cell.source for cell in solved.cells if cell.cell_type == "code"}
    after = {cell.id: follower for cell, follower in zip(notebook.cells, notebook.cells[1:], strict=False)}
    heading = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = ([heading] + re.findall(r"^#+ (.*)", cell.source, re.M))[-1]
            cell.source = TO_LESSON.sub(lambda to: named(path.parent / f"{to[1]}.ipynb"), words(cell, after, solutions))
        else:
            code(cell, kept["cells"].get(cell.id, []), heading)
            said = (link(output) for output in cell.outputs if not is_empty(output))
            cell.outputs = [output for output, _ in groupby(said)]  # what is said twice is said once
    notebook.cells[0].source += f"\n\n{AS_IT_WAS_RUN}"
    return notebook


@cache
def named(path):
    """Return a link to a lesson by its name: in the folder it is called 02_softmax, and on a page 02 · Softmax."""
    title = nbformat.read(path, as_version=4).cells[0].source.partition("\n")[0]
    return f"[{title.removeprefix('# ').partition(':')[0]}]({path.name})"


def words(cell, after, solutions):
    """Return the text of a cell of words, its link to the solution replaced by the solution itself, folded."""
    text = FOLDED.sub(lambda found: fold(found[1], found[2]), cell.source)
    if not SOLUTION.search(text):
        return text
    solution = f"```python\n{solutions[after[cell.id].id].strip()}\n```"
    return SOLUTION.sub(lambda _: fold("Solution", solution), text)


def fold(summary, inside):
    """Return a fold whose inside is Markdown again: a blank line ends HTML, so that formulas in it are set."""
    return f"<details><summary>{summary}</summary>\n\n{inside.strip()}\n\n</details>\n"


def code(cell, widgets, heading):
    """Change a cell of code in place: what it shows, and whether its code stands on the page."""
    tags = cell.metadata.setdefault("tags", [])
    if cell.source.startswith(ASKS):
        tags.append("remove-input")
        cell.outputs = [as_html(alive(cell, widgets))]
    elif SUMS_UP.search(cell.source):
        tags.append("remove-input")
        cell.outputs = [as_html(RECAP)]
    elif CHECKS.search(cell.source):
        cell.outputs = [*cell.outputs[:-1], as_html(IN_JUPYTERLAB)]
    elif widgets:
        printed = [output for output in cell.outputs if output.output_type == "stream"]
        cell.outputs = [*printed, as_html(alive(cell, widgets))]
    else:
        show(cell, heading)
    printed = "".join(output.text for output in cell.outputs if output.output_type == "stream")
    if printed and len(COLUMNS.findall(printed)) < TABLE:
        tags.append("words")


def playground(path, states):
    """Return the playground with which the first lesson opens, for a page at the top of the book."""
    cells = json.loads(Path(states).read_text(encoding="utf-8"))["cells"]
    notebook = nbformat.read(path, as_version=4)
    cell = next(cell for cell in notebook.cells if [kind for kind, _ in cells.get(cell.id, [])] == ["LookPlayground"])
    return alive(cell, cells[cell.id], up="")


def alive(cell, widgets, up="../"):
    """Return the HTML of the widgets that a cell shows; what the notebook stores stands in each until its script runs.

    up: the way from the page to the top of the book.
    """
    still = [found for output in cell.outputs if (found := picture(output))]
    if len(still) != len(widgets):
        raise ValueError(f"cell {cell.id} shows {len(still)} widgets, and its states hold {len(widgets)}")
    return "".join(
        WIDGET.format(
            id=cell.id if i == 0 else f"{cell.id}-{i + 1}",
            kind=kind,
            up=up,
            still=before,
            state=json.dumps(state, ensure_ascii=False).replace("<", "\\u003c"),  # a word may hold "</script>"
        )
        for i, (before, (kind, state)) in enumerate(zip(still, widgets, strict=True))
    )


def picture(output):
    """Return the stored form of a widget as HTML; None for an output of another kind."""
    data = output.get("data", {})
    if "text/html" in data:
        return data["text/html"]
    if "image/png" not in data:
        return None
    text = html.escape(data["text/plain"], quote=True)
    return f'<img alt="{text}" src="data:image/png;base64,{data["image/png"].strip()}">'


def show(cell, heading):
    """Give the pictures of a cell a text in their stead, and mark a cover with the prediction that opens it."""
    said = f"Plot of this cell: {title(cell.source) or heading}. What it shows is printed or said beside it."
    cell.metadata["mystnb"] = {"image": {"alt": said}}
    answers = ANSWERS.search(cell.source)
    for output in cell.outputs:
        page = output.get("data", {}).get("text/html", "")
        if answers and FOLD.fullmatch(page):
            page = page.replace("<details>", f'<details class="book-cover" data-answers="{answers[1]}">', 1)
            output.data["text/html"] = page.replace('alt="a plot of this cell"', f'alt="{html.escape(said)}"')


def title(source):
    """Return the first plain title that a cell gives to a plot, "" if there is none.

    >>> title('arrows(a, title="Two vectors")'), title("plt.show()")
    ('Two vectors', '')
    """
    try:
        calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    except SyntaxError:  # a line that begins with % or !
        return ""
    words = [k.value for call in calls for k in call.keywords if k.arg == "title"]
    return next((node.value for node in words if isinstance(node, ast.Constant)), "")


def is_empty(output):
    """Whether an output shows nothing, as the box that Keras leaves beside its summary."""
    return re.fullmatch(r"\s*<pre[^>]*></pre>\s*", output.get("data", {}).get("text/html", "-")) is not None


def link(output):
    """Let the links of an output lead to pages, as those of the course's map, and its words speak to a reader."""
    page = output.get("data", {}).get("text/html")
    if page:
        page = re.sub(r'href="(\w+)\.ipynb', r'href="\1.html', page)
        for said, instead in SAID_OF_RUNNING.items():
            page = re.sub(said, instead, page)
        output.data["text/html"] = page
    return output


def as_html(text):
    return nbformat.v4.new_output("display_data", data={"text/html": text})
