"""Turn a built notebook into its page of the book: live widgets, folded hints and solutions, covers that open.

The outputs are those stored in the notebook; nothing is executed.
"""

import base64
import json
import re
from functools import cache
from itertools import groupby
from pathlib import Path

import nbformat
from page_widgets import put_trainings, trainings_of, widget_html
from widget_states import kind_and_state

from course_utils.checks.student.covers import ANSWERS, FOLD, unfold

ROOT = Path(__file__).resolve().parents[1]
DRAWING = re.compile(r'<img(?: class="learning-dark")? alt="(.*?)" src="data:image/svg\+xml;base64,(.*?)">')
SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)pt" height="([\d.]+)pt"')
NAMES_OF_DRAWINGS = {path.read_text(encoding="utf-8").encode(): path.stem for path in (ROOT / "images").glob("*.svg")}
DETAILS = re.compile(r"<details><summary>(.*?)</summary>(.*?)</details>", re.S)
SOLUTION = re.compile(r"^\[Solution\]\(solutions/.*?#cell-id=(.*?)\)$", re.M)
PREDICTION_CALLS = ("predict(", "look_back(")
RECAP_CALL = re.compile(r"^(recap|progress)\(", re.M)
CHECK_CALL = re.compile(r"^check\(", re.M)
BY_HAND = re.compile(r"^(?![-#<|]).*\b(?:click (?:into|on)|press the|drag)\b.*$", re.I | re.M)  # not for paper
# The code of a cell that draws, and makes nothing that a reader has to follow, is folded on a phone.
DRAWS, DECIDES = re.compile(r"^plt\.show\(\)", re.M), re.compile(r"^(def|class) |keep\(", re.M)
WAYS_IN = (
    '<a class="reference internal" href="../start.html#on-your-own-machine">on your own machine</a>, '
    '<a class="reference internal" href="../start.html#on-binder">on Binder</a> or '
    '<a class="reference internal" href="../start.html#on-the-server-of-your-class">on the server of your class</a>'
)
AS_IT_WAS_RUN = (
    '<p class="book-check book-as-run">This page shows the lesson as it was run. '
    f"To change its cells and run them, open it in JupyterLab {WAYS_IN}.</p>"
)
IN_JUPYTERLAB = (
    '<p class="book-check">Write your answer in JupyterLab, where a check reads it and names the mistake. '
    f"Open the lesson {WAYS_IN}.</p>"
)
IN_JUPYTERLAB_TOO = '<p class="book-check">In JupyterLab a check answers here.</p>'
# Wording for readers who can run the cell, and its replacement on a page.
PAGE_WORDING = {
    r"The training shows here, \w+ by \w+, while this cell runs\.": "A recorded run. In JupyterLab you watch your own.",
    r"Recorded run, until you run this cell:": "A recorded run:",
    r"What your own model gives stands here after you have run this cell\.": "In JupyterLab your own run stands here.",
    r"Run the cell, and it moves\.": "It moves on the page of this lesson.",
    r"and it opens once this cell has run\.": "and it opens.",
    r" Choose one, then unfold it\.": "",
}
PLOT = re.compile(
    r"""(<img alt="[^"]*" )width="(\d+)" (src="data:image/svg\+xml,[^"]*?viewBox='0 0 ([\d.]+) ([\d.]+)')"""
)
TO_LESSON = re.compile(r"\[(\d\d_\w+)\]\(\1\.ipynb\)")
COLUMNS = re.compile(r"^ *\[.*|.*\S  +\S.*", re.M)
MIN_TABLE_LINES = 3  # lines in columns from which printed output counts as a table
IMPORTS = "import ", "from "
RECAP = '<div class="book-recap"></div>'


def lesson_page(path, states):
    """Return the notebook of a lesson as the book shows it.

    path: of the student's notebook; the solved one lies in solutions/ beside it. states: the file that
    workshop/widget_states.py wrote for it. Raises ValueError if the states are those of another build.
    """
    notebook = nbformat.read(path, as_version=4)
    solved = nbformat.read(path.parent / "solutions" / path.name, as_version=4)
    stored = json.loads(Path(states).read_text(encoding="utf-8"))
    if stored["digest"] != notebook.metadata.learning_to_look.digest:
        raise ValueError(f"{states} belongs to another build of {path.name}; run nox -s build -- {path.name[:2]}")
    solutions = {cell.id: cell.source for cell in solved.cells if cell.cell_type == "code"}
    next_cell = {cell.id: follower for cell, follower in zip(notebook.cells, notebook.cells[1:], strict=False)}
    has_check, imports = False, None
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = TO_LESSON.sub(
                lambda match: lesson_link(path.parent / f"{match[1]}.ipynb"),
                render_markdown(cell, next_cell, solutions),
            )
        else:
            if imports is None and cell.source.startswith(IMPORTS):
                imports = cell
            render_code(cell, stored["cells"].get(cell.id, []), IN_JUPYTERLAB_TOO if has_check else IN_JUPYTERLAB)
            adapt_outputs(cell)
            has_check |= CHECK_CALL.search(cell.source) is not None
    imports.metadata.tags.append("hide-input")  # a lesson begins with its question; conf.py says what stands there
    imports.outputs = []  # they say whose functions run: on a page, nobody's
    notebook.cells[0].source += f"\n\n{AS_IT_WAS_RUN}"
    return notebook


@cache
def lesson_link(path):
    """Return a link to a lesson by its title, 02 · Softmax instead of 02_softmax."""
    title = nbformat.read(path, as_version=4).cells[0].source.partition("\n")[0]
    return f"[{title.removeprefix('# ').partition(':')[0]}]({path.name})"


def render_markdown(cell, next_cell, solutions):
    """Return the text of a Markdown cell, its link to the solution replaced by the folded solution."""
    text = DETAILS.sub(lambda match: fold(match[1], match[2]), cell.source)
    text = DRAWING.sub(lambda match: drawing(match[1], NAMES_OF_DRAWINGS[base64.b64decode(match[2])], "../"), text)
    text = BY_HAND.sub(r'<span class="book-hands">\g<0></span>', text)
    if not SOLUTION.search(text):
        return text
    solution = f"```python\n{solutions[next_cell[cell.id].id].strip()}\n```"
    return SOLUTION.sub(lambda _: fold("Solution", solution), text)


def drawing(alt, name, up):
    """Return a drawing as a file that all pages share, with room for it until it is there.

    On a phone it is the one that runs down. A drawing without a dark version is inverted in the dark, like a plot.
    up: from the page to the book.
    """
    tall = f"{name}_tall" if (ROOT / "images" / f"{name}_tall.svg").exists() else name
    source = f'<source media="(max-width: 599px)" {size(tall)} srcset="{up}_static/images/{tall}.svg">'
    kind = "book-drawing" if "prefers-color-scheme" in svg(name) else "plot"
    image = f'<img alt="{alt}" {size(name)} src="{up}_static/images/{name}.svg">'
    return f'<picture class="{kind}">{source}{image}</picture>'


def svg(name):
    return (ROOT / "images" / f"{name}.svg").read_text(encoding="utf-8")


def size(name):
    """Return the attributes that say how large a drawing is, in pixels."""
    width, height = (round(float(points) * 4 / 3) for points in SIZE.search(svg(name)).groups())
    return f'width="{width}" height="{height}"'


def fold(summary, inside):
    """Return a fold whose content is parsed as Markdown, because blank lines end the HTML block."""
    return f"<details><summary>{summary}</summary>\n\n{inside.strip()}\n\n</details>\n"


def render_code(cell, widgets, in_jupyterlab):
    """Adapt a code cell in place: its outputs, and whether the page shows its code.

    in_jupyterlab: what stands in the place of a check's answer.
    """
    tags = cell.metadata.setdefault("tags", [])
    if cell.source.startswith(PREDICTION_CALLS):
        tags.append("remove-input")
        cell.outputs = [as_html(live_widgets(cell, widgets))]
    elif RECAP_CALL.search(cell.source):
        tags.append("remove-input")
        cell.outputs = [as_html(RECAP)]
    elif CHECK_CALL.search(cell.source):
        cell.outputs = [*cell.outputs[:-1], as_html(in_jupyterlab)]
    elif widgets:
        printed = [output for output in cell.outputs if output.output_type == "stream"]
        cell.outputs = [*printed, as_html(under_its_cover(cell, live_widgets(cell, widgets)))]
    elif DRAWS.search(cell.source) and not DECIDES.search(cell.source):
        tags.append("draws")
    mark_covers(cell)
    printed = "".join(output.text for output in cell.outputs if output.output_type == "stream")
    if printed and len(COLUMNS.findall(printed)) < MIN_TABLE_LINES:
        tags.append("words")


def live_widget(widget, widget_id):
    """Return the HTML of an explorable that no lesson holds, for a page at the top of the book."""
    kind, state = kind_and_state(widget.get_state())
    return widget_html(widget_id, kind, state, widget.picture(), up="")


def live_widgets(cell, widgets, up="../"):
    """Return the HTML of a cell's widgets, each with its stored output until its script runs.

    up: the relative path from the page to the top of the book.
    """
    pictures = [unfold(page) for output in cell.outputs if (page := stored_html(output))]
    if len(pictures) != len(widgets):
        raise ValueError(f"cell {cell.id} shows {len(pictures)} widgets, and its states hold {len(widgets)}")
    return "".join(
        widget_html(cell.id if i == 0 else f"{cell.id}-{i + 1}", kind, state, picture, up)
        for i, (picture, (kind, state)) in enumerate(zip(pictures, widgets, strict=True))
    )


def stored_html(output):
    """Return the stored output of a widget as HTML; None for other kinds of output."""
    return output.get("data", {}).get("text/html")


def under_its_cover(cell, page):
    """Return the HTML of a cell's widgets, under the cover of its stored output if that has one."""
    for output in cell.outputs:
        if cover := FOLD.fullmatch(stored_html(output) or ""):
            return f"{cover.string[: cover.start(1)]}{page}</details>"
    return page


def mark_covers(cell):
    """Mark the covers of a cell with the prediction that opens them."""
    answers = ANSWERS.search(cell.source)
    for output in cell.outputs:
        page = output.get("data", {}).get("text/html", "")
        if answers and FOLD.fullmatch(page):
            cover = f'<details class="book-cover" data-answers="{answers[1]}">'
            output.data["text/html"] = page.replace("<details>", cover, 1)


def is_empty(output):
    """Whether an output is an empty box, as Keras leaves beside its summary."""
    return re.fullmatch(r"\s*<pre[^>]*></pre>\s*", output.get("data", {}).get("text/html", "-")) is not None


def adapt_outputs(cell):
    """Adapt the outputs of a cell to a page without a kernel, each of them once, and put its trainings in."""
    trainings = trainings_of(cell.id)
    outputs = [adapt_output(output, trainings) for output in cell.outputs if not is_empty(output)]
    if trainings:
        raise ValueError(f"cell {cell.id} shows fewer trainings than TRAININGS has for it")
    cell.outputs = [output for output, _ in groupby(outputs)]


def adapt_output(output, trainings=()):
    """Point an output's links to pages, and adapt it to a page without a kernel.

    trainings: HTML of the trainings of this page. Each takes the place of one of the cell's, and leaves the list.
    """
    page = output.get("data", {}).get("text/html")
    if page:
        page = re.sub(r'href="(\w+)\.ipynb', r'href="\1.html', page)
        page = PLOT.sub(lazy_figure, page)
        page = put_trainings(page, trainings)
        for pattern, replacement in PAGE_WORDING.items():
            page = re.sub(pattern, replacement, page)
        output.data["text/html"] = page
    return output


def lazy_figure(figure):
    """Return the tag of a figure that is drawn when a reader comes near it, with room for it until then."""
    start, width, source, drawn_width, drawn_height = figure.groups()
    height = round(int(width) * float(drawn_height) / float(drawn_width))
    return f'{start}loading="lazy" decoding="async" width="{width}" height="{height}" {source}'


def as_html(text):
    return nbformat.v4.new_output("display_data", data={"text/html": text})
