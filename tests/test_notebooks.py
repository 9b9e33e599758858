"""Every notebook that is there: derived from its source, run from the top without a warning, in the course's form.

Nothing runs here: nbval runs the notebooks, and `nox -s build -- --check` builds them again.
A rule yields (position of a cell, what is wrong); its test shows all findings in all notebooks, a line each.
"""

import base64
import functools
import itertools
import json
import re
from pathlib import Path

import nbformat
import pytest
from build_notebooks import orphans
from compare_notebooks import DRAWING, MEASURED, digest, stored_digest
from derive_notebooks import derive
from lesson_paths import number
from lesson_time import EXERCISE, announced_minutes, minutes, without_optional
from seal_predictions import is_prediction

from course_utils.checks.student.covers import ANSWERS, FOLD, outputs_as_html

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "notebooks"
STUDENT = sorted(FOLDER.glob("*.ipynb"))
NOTEBOOKS = STUDENT + sorted(FOLDER.glob("solutions/*.ipynb"))
# Predictions that no cell answers: the cards themselves, an exercise or the text does.
WITHOUT_A_CELL = {("00", 1), ("03", 2), ("07", 1), ("12", 1), ("21", 2)}
PICTURE = re.compile(r'<div class="plot"><img alt="([^"]*)" width="\d+" src="([^"]*)">')
# What keep() says of an exercise that is not done, and of one that is.
KEPT = re.compile(r"^(?:[\w, ]|and)+: (?:yours|the course&#x27;s.*)$\n?", re.M)
RULES = []


def rule(paths):
    """Register a rule about these notebooks."""
    return lambda find: RULES.append(pytest.param(find, paths, id=find.__name__)) or find


def name(path):
    return path.relative_to(ROOT).as_posix()


@functools.cache
def read(path):
    return nbformat.read(path, as_version=4)


@functools.cache
def lesson_of(path):
    return derive(FOLDER / "source" / f"{path.stem}.py")


def at(path, position):
    """Where to fix a cell, counted from 0: a line of the source."""
    lesson = lesson_of(path)
    return f"{name(path)}: cell {position + 1}, from {lesson.location(min(position, len(lesson.lines) - 1))}"


def cells(path, kind):
    """(position, cell) of the code or of the markdown cells."""
    return [(position, cell) for position, cell in enumerate(read(path).cells) if cell.cell_type == kind]


def texts(outputs):
    """The text of outputs, with the pieces of a bundle one by one."""
    for output in outputs:
        yield from (text for kind, text in output.get("data", {}).items() if kind.startswith("text/"))
        yield output.get("text", "")


def solved_cell(path, position):
    return read(path.parent / "solutions" / path.name).cells[position]


# Derived, and run once


def test_each_source_has_its_notebooks_and_each_notebook_its_source():
    assert orphans(ROOT) == []


@rule(NOTEBOOKS)
def is_derived_from_its_source(path):
    lesson, stored = lesson_of(path), read(path)
    derived = lesson.student if path in STUDENT else lesson.solved
    by_hand = stored_digest(stored) != digest(stored)
    same = ("id", "cell_type", "source", "attachments", "metadata")
    edited = "you edited a built notebook: edit its source and" if by_hand else "its source was changed:"
    for position, pair in enumerate(itertools.zip_longest(stored.cells, derived.cells, fillvalue={})):
        there, wanted = ({key: cell.get(key) for key in same} for cell in pair)
        if there != wanted:
            yield position, f"{edited} run nox -s build -- {lesson.number}"
    if by_hand:
        yield 0, f"the outputs are not the build's: run nox -s build -- {lesson.number}"


@rule(NOTEBOOKS)
def ran_once_from_the_top(path):
    """A student's notebook looks as if nobody had run it yet: 0 is not a number in JupyterLab, and nbval wants one."""
    for count, (position, cell) in enumerate(cells(path, "code"), 1):
        wanted = 0 if path in STUDENT else count
        bad = [o for o in cell.outputs if o.output_type == "error" or o.get("name") == "stderr"]
        if cell.execution_count != wanted or bad:
            yield position, f"run {cell.execution_count}, wanted {wanted}, without an error: {bad}"


@rule(NOTEBOOKS)
def a_plot_and_show_as_last_line_go_together(path):
    for position, cell in cells(path, "code"):
        lines = [line.rstrip() for line in cell.source.splitlines() if line.strip()]
        # An explorable is the value of its cell; its picture for paper is not a plot. A cover does not tell them apart.
        outputs = (
            solved_cell(path, position).outputs if path in STUDENT and ANSWERS.search(cell.source) else cell.outputs
        )
        plots = [output.data for output in outputs if output.output_type == "display_data"]
        shown = any(DRAWING.search(data.get("text/html", "")) for data in plots)
        if shown != (lines[-1] == "plt.show()") or any(line.endswith(";") for line in lines):
            yield position, lines[-1]


@rule(NOTEBOOKS)
def each_picture_says_what_it_shows(path):
    """Its words hold numbers, and no other picture of the lesson has the same ones."""
    said = {}
    for position, cell in cells(path, "code"):
        page = outputs_as_html(cell.outputs)
        pictures = PICTURE.findall(page)
        if page.count("<img") != len(pictures) or any("image/png" in output.get("data", {}) for output in cell.outputs):
            yield position, "a picture has no words"
        for words, drawing in pictures:
            if not re.search(r"\d", words) or said.setdefault(words, drawing) != drawing:
                yield position, words


# Form


@rule(STUDENT)
def announces_the_minutes_of_the_rule(path):
    found = re.search(r"\*\*Time:\*\* (\d+) minutes", read(path).cells[0].source)
    if not found or int(found[1]) != announced_minutes(read(path).cells):
        yield 0, announced_minutes(read(path).cells)


# Exercises


def exercises(path):
    """{name: (position of the heading, cells up to the next exercise)} of a notebook."""
    headings = ((position, EXERCISE.finditer(cell.source)) for position, cell in cells(path, "markdown"))
    found = [(match[1], position) for position, matches in headings for match in matches]
    ends = [*(position for _, position in found), len(read(path).cells)][1:]
    return {exercise: (begin, read(path).cells[begin:end]) for (exercise, begin), end in zip(found, ends, strict=True)}


@rule(NOTEBOOKS)
def exercises_are_whole(path):
    state = "not started" if path in STUDENT else "done"
    if not 2 <= len(exercises(path)) <= 8:
        yield 0, f"{len(exercises(path))} exercises, 2 to 8 wanted"
    for exercise, (position, part) in exercises(path).items():
        checks = [cell for cell in part if cell.cell_type == "code" and f'check("{exercise}"' in cell.source]
        if not any("<details>" in cell.source for cell in part if cell.cell_type == "markdown"):
            yield position, f"{exercise}: no hint"
        if any("# your code" in cell.source for cell in part) != (path in STUDENT):
            yield position, f"{exercise}: no fence"
        verdict = "\n".join(texts(checks[0].outputs)) if checks else "no check"
        if f"{exercise}: {state}" not in verdict:
            yield position, f"{exercise}: {state} is wanted, the check says: {verdict}"


# Predictions


def predictions(path):
    """(position, cell) of the cells that ask a prediction, in order."""
    return [(position, cell) for position, cell in cells(path, "code") if is_prediction(cell.source)]


def inside(outputs):
    """What outputs show as HTML, pictures and the words of keep() left out."""
    html = DRAWING.sub("", MEASURED.sub("", outputs_as_html(outputs)))
    return re.sub(r'<pre style="margin: 0">\s*</pre>', "", KEPT.sub("", html.replace('0">', '0">\n')).replace("\n", ""))


@rule(STUDENT)
def each_prediction_is_answered_by_covered_cells(path):
    answered = {int(found[1]) for _, cell in cells(path, "code") if (found := ANSWERS.search(cell.source))}
    open_ones = set(range(1, len(predictions(path)) + 1)) - answered
    if open_ones != {n for lesson, n in WITHOUT_A_CELL if lesson == number(path)}:
        yield 0, f"no cell answers {open_ones}"


@rule(STUDENT)
def what_is_covered_is_what_the_solutions_show(path):
    """nbval passes a cell that shows a cover, whatever a student would see under it."""
    for position, cell in cells(path, "code"):
        if ANSWERS.search(cell.source):
            shown = solved_cell(path, position).outputs
            if [bool(FOLD.fullmatch(output.data["text/html"])) for output in cell.outputs] != [True]:
                yield position, "it is not covered"
            if FOLD.search(outputs_as_html(shown)) or not shown or inside(cell.outputs) != inside(shown):
                yield position, "the solution shows something else"


@rule(STUDENT)
def no_prediction_holds_its_answer_in_its_code(path):
    for position, cell in predictions(path):
        clear, sealed = cell.source.split("sealed=")
        said = json.loads(base64.b64decode(sealed.split('"')[1]))["said"]
        if "True" in clear or any(words and words in clear for words in said):
            yield position, clear
        if "sealed" in solved_cell(path, position).source or not is_prediction(solved_cell(path, position).source):
            yield position, "it is sealed in the solution as well"


@rule(STUDENT)
def no_number_that_answers_stands_in_the_code_above(path):
    for position, _ in predictions(path):
        page = solved_cell(path, position).outputs[0].data["text/html"]
        (right,) = re.findall(r"<summary>([^<]*)</summary><p>✓", page)
        if re.fullmatch(r"-?\d[\d.]*", right) and len(re.sub(r"[-.0]", "", right)) > 1:  # one digit stands everywhere
            number_alone = re.compile(rf"(?<![\d.]){re.escape(right)}(?![\d.]*\d)")
            above = [i for i, cell in cells(path, "code") if i < position and number_alone.search(cell.source)]
            yield from ((i, f"{right} answers a prediction below") for i in above)


@rule(STUDENT)
def the_summary_of_predictions_waits_for_the_choices(path):
    for position, cell in cells(path, "code"):
        said = "\n".join(texts(cell.outputs))
        waits = "No prediction was made" in said and said.count("choose first") >= len(predictions(path))
        if "recap(" in cell.source and not waits:
            yield position, said


@pytest.mark.parametrize("find, paths", RULES)
def test_a_notebook(find, paths):
    found = [f"{at(path, position)}: {wrong}" for path in paths for position, wrong in find(path)]
    assert not found, "\n".join(found)


def test_the_minutes_are_a_sum_and_a_quarter_on_top():
    new_text, new_code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    folded = "<details>folded " + "word " * 300 + "</details>"
    parts = [
        (new_text("word " * 300 + folded), 2),
        (new_text("### Exercise: `a` · 4 minutes"), 4 + 4 / 150),  # its own words are read, too
        (new_text("**Time:** 8 minutes, 2 of them while cells run."), 2 + 9 / 150),
        (new_code('look_back("07")'), 1),
        (new_code('predict("Is it?", ["yes", "no"], "no")'), 0.5),
    ]
    for cell, wanted in parts:
        assert minutes([cell]) == pytest.approx(1.25 * wanted), cell.source
    assert announced_minutes([cell for cell, _ in parts]) == 15


def test_an_optional_part_ends_at_the_next_heading_of_its_level():
    sources = [
        "## A",
        "a",
        "## Optional: B",
        "b",
        "### deeper",
        "c",
        "## D",
        "## Optional: E",
        "### Optional: F",
        "# G",
    ]
    found = without_optional([nbformat.v4.new_markdown_cell(text) for text in sources])
    assert [cell.source for cell in found] == ["## A", "a", "## D", "# G"]
