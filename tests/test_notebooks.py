"""Every notebook that is there: derived from its source, run from the top without a warning, in the course's form.

Nothing runs here. nbval runs the notebooks, `nox -s build -- --check` builds them again.
"""

import base64
import functools
import itertools
import json
import re
import statistics
from pathlib import Path

import nbformat
import pytest
from build_notebooks import orphans
from compare_notebooks import INLINE, digest, stored_digest
from derive_notebooks import derive
from lesson_paths import number
from lesson_time import EXERCISE, announced_minutes, minutes, prose, without_optional, words
from seal_predictions import is_prediction

from course_utils.checks.student.covers import ANSWERS, FOLD, outputs_as_html

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "notebooks"
STUDENT = sorted(FOLDER.glob("*.ipynb"))
NOTEBOOKS = STUDENT + sorted(FOLDER.glob("solutions/*.ipynb"))
PAGES = sorted(ROOT.glob("*.md")) + sorted((ROOT / "course_utils" / "checks").glob("*.md"))
OPENING = ("You will build", "You will be able to", "You need")
CLOSING = ("What we now know", "Next question")
# What stands on one machine or in one moment only: paths, addresses of objects, dates, times of day.
FLEETING = re.compile(
    r"(?<![\w./:])/(?:home|root|work|tmp|Users|usr|var|opt)/|\b[A-Za-z]:\\+Users"
    r"|\b0x[0-9a-f]{8,}|\b\d{4}-\d\d-\d\d\b|\b\d\d:\d\d:\d\d\b"
)


def name(path):
    return path.relative_to(ROOT).as_posix()


every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
every_lesson = pytest.mark.parametrize("path", STUDENT, ids=name)


@functools.cache
def read(path):
    return nbformat.read(path, as_version=4)


@functools.cache
def lesson_of(path):
    return derive(FOLDER / "source" / f"{path.stem}.py")


def at(path, position):
    """Where a cell, counted from 0, is to be mended: in the source."""
    return f"{name(path)}: cell {position + 1}, from {lesson_of(path).location(position)}"


def cells(path, kind):
    """(position, cell) of the code or of the markdown cells."""
    return [(position, cell) for position, cell in enumerate(read(path).cells) if cell.cell_type == kind]


def texts(outputs):
    """The text of outputs, with the pieces of a bundle one by one."""
    for output in outputs:
        yield from (text for kind, text in output.get("data", {}).items() if kind.startswith("text/"))
        yield output.get("text", "")


# Derived


def test_each_source_has_its_notebooks_and_each_notebook_its_source():
    assert orphans(ROOT) == []


@every_notebook
def test_is_derived_from_its_source(path):
    lesson, stored = lesson_of(path), read(path)
    derived = lesson.student if path in STUDENT else lesson.solved
    by_hand = stored_digest(stored) != digest(stored)
    rebuild = f"run nox -s build -- {lesson.number}"
    kept = ("id", "cell_type", "source", "attachments", "metadata")
    for position, pair in enumerate(itertools.zip_longest(stored.cells, derived.cells, fillvalue={})):
        there, wanted = ({key: cell.get(key) for key in kept} for cell in pair)
        edited = f"you edited a built notebook; edit {lesson.location(position)} instead and {rebuild}"
        stale = f"{lesson.location(position)} was changed after the build; {rebuild}"
        assert there == wanted, f"{name(path)}, cell {position + 1}: {edited if by_hand else stale}"
    again = f"its outputs are not the build's: you ran or edited a built notebook; {rebuild}"
    assert not by_hand, f"{name(path)}: {again}, and edit notebooks/source/{path.stem}.py if you want them to change"


# Outputs


@every_notebook
def test_ran_once_from_the_top(path):
    counts = [cell.execution_count for _, cell in cells(path, "code")]
    assert counts == list(range(1, len(counts) + 1)), f"{name(path)}: run nox -s build -- {number(path)}"


@every_notebook
def test_no_error_and_nothing_on_stderr(path):
    for position, cell in cells(path, "code"):
        bad = [o for o in cell.outputs if o.output_type == "error" or o.get("name") == "stderr"]
        assert not bad, at(path, position)


@every_notebook
def test_nothing_of_one_machine_or_moment(path):
    for position, cell in enumerate(read(path).cells):
        assert cell.metadata in ({}, {"jupyter": {"source_hidden": True}}), at(path, position)
        for text in [cell.source, *texts(cell.get("outputs", []))]:
            text = re.sub(r"data:image/[^\"]*", "", text)
            assert not FLEETING.search(text), f"{at(path, position)}: {FLEETING.search(text)[0]}"


@every_notebook
def test_plot_cells_end_with_show_and_no_line_with_a_semicolon(path):
    for position, cell in cells(path, "code"):
        lines = [line.rstrip() for line in cell.source.splitlines() if line.strip()]
        # An explorable is the value of its cell; its picture, for paper, is no plot.
        plots = [output for output in cell.outputs if output.output_type == "display_data"]
        shown = any("image/png" in output.data or INLINE.search(output.data.get("text/html", "")) for output in plots)
        assert shown == (lines[-1] == "plt.show()"), (
            f"{at(path, position)}: a plot and plt.show() as last line go together"
        )
        assert not [line for line in lines if line.endswith(";")], at(path, position)


# Form


@every_lesson
def test_opening_and_closing(path):
    first, *rest = (cell.source for _, cell in cells(path, "markdown"))
    assert read(path).cells[0].source == first and re.match(r"# \S", first), f"{at(path, 0)}: begins with the title"
    for heading in OPENING:
        assert heading in first, f"{at(path, 0)}: no “{heading}”"
    for heading in CLOSING:
        assert any(heading in source for source in rest[-3:]), f"{name(path)}: no “{heading}” in the last three texts"


@every_lesson
def test_the_minutes_are_those_of_the_rule(path):
    found = re.search(r"\*\*Time:\*\* (\d+) minutes", read(path).cells[0].source)
    assert found and int(found[1]) == announced_minutes(read(path).cells) <= 45, f"{at(path, 0)}: minutes, 45 at most"


def test_the_minutes_are_a_sum_and_a_quarter_on_top():
    new_text, new_code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    parts = [
        (new_text("word " * 300 + "<details>folded " + "word " * 300 + "</details>"), 2),
        (new_text("### Exercise: `a` · 4 minutes"), 4 + 4 / 150),  # its own words are read, too
        (new_text("**Time:** 8 minutes, 2 of them while cells run."), 2 + 9 / 150),
        (new_code('look_back("07")'), 1),
        (new_code('predict("Is it?", ["yes", "no"], "no")'), 0.5),
    ]
    for cell, wanted in parts:
        assert minutes([cell]) == pytest.approx(1.25 * wanted), cell.source
    all_cells, wanted = zip(*parts, strict=True)
    assert minutes(all_cells) == pytest.approx(1.25 * sum(wanted))
    assert announced_minutes(all_cells) == 15


@every_lesson
def test_headings_never_skip_a_level(path):
    before = 0
    for position, cell in cells(path, "markdown"):
        for heading in re.finditer(r"^(#+) .*", re.sub(r"```.*?```", "", cell.source, flags=re.S), re.M):
            level = len(heading[1])
            assert level <= before + 1, f"{at(path, position)}: {heading[0]}"
            assert (level == 1) == (before == 0), f"{at(path, position)}: one title, at the top"
            before = level


def test_an_optional_part_ends_at_the_next_heading_of_its_level():
    texts_of_cells = [
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
    notebook_cells = [nbformat.v4.new_markdown_cell(text) for text in texts_of_cells]
    assert [cell.source for cell in without_optional(notebook_cells)] == ["## A", "a", "## D", "# G"]


@every_lesson
def test_an_optional_part_begins_a_cell(path):
    for position, cell in cells(path, "markdown"):
        assert not re.search(r"(?<!\A)^#+ Optional: ", cell.source, re.M), at(path, position)


@every_notebook
def test_budgets(path):
    asked = without_optional(read(path).cells)
    assert 20 <= len(asked) <= 45, f"{name(path)}: {len(asked)} cells"
    count = sum(words(cell.source) for cell in asked if cell.cell_type == "markdown")
    assert count <= 2000, f"{name(path)}: {count} words"
    lengths = [sum(map(bool, map(str.strip, cell.source.splitlines()))) for _, cell in cells(path, "code")]
    marks = [bool(ANSWERS.search(cell.source)) for _, cell in cells(path, "code")]  # a line for the build
    read_by_students = [length - mark for length, mark in zip(lengths, marks, strict=True)]
    assert statistics.median(read_by_students) <= 5, f"{name(path)}: lines of the code cells {lengths}"
    for (position, _), length in zip(cells(path, "code"), lengths, strict=True):
        assert length <= 15, f"{at(path, position)}: {length} lines of code"


@every_notebook
def test_words_that_belittle(path):
    for position, cell in cells(path, "markdown"):
        found = re.search(r"\b(just|simply|obviously)\b", prose(cell.source), re.I)
        assert not found, f"{at(path, position)}: {found[0]}"


@every_notebook
def test_images_have_alt_text(path):
    for position, cell in enumerate(read(path).cells):
        for text in [cell.source, *texts(cell.get("outputs", []))]:
            bare = [tag for tag in re.findall(r"<img\b[^>]*>", text) if not re.search(r"""\balt=["'][^"']*\w""", tag)]
            assert not bare, f"{at(path, position)}: {bare[0][:60]}"
            assert not re.search(r"!\[\s*\]\(", text), at(path, position)


# Exercises


def exercises(path):
    """{name: (position of the heading, cells up to the next exercise)} of a notebook."""
    found = [
        (match[1], position) for position, cell in cells(path, "markdown") for match in EXERCISE.finditer(cell.source)
    ]
    ends = [*(position for _, position in found), len(read(path).cells)][1:]
    return {exercise: (begin, read(path).cells[begin:end]) for (exercise, begin), end in zip(found, ends, strict=True)}


@every_notebook
def test_exercises_are_whole(path):
    assert 2 <= len(exercises(path)) <= 8, f"{name(path)}: exercises {list(exercises(path))}"
    state = "not started" if path in STUDENT else "done"
    for exercise, (position, part) in exercises(path).items():
        where = f"{at(path, position)}: exercise {exercise}"
        assert any("<details>" in cell.source for cell in part if cell.cell_type == "markdown"), f"{where}: no hint"
        checks = [cell for cell in part if cell.cell_type == "code" and f'check("{exercise}"' in cell.source]
        assert checks, f"{where}: no check of that name in the code cells that follow"
        assert any("# your code" in cell.source for cell in part) == (path in STUDENT), f"{where}: no fence"
        verdict = "\n".join(texts(checks[0].outputs))
        assert f"{exercise}: {state}" in verdict, f"{where}: {state} is wanted, the check says: {verdict}"


def test_exercise_names_are_unique():
    names = [exercise for path in STUDENT for exercise in exercises(path)]
    assert sorted(set(names)) == sorted(names)


# Predictions

# Predictions that no cell answers: the cards themselves, an exercise or the text does.
WITHOUT_A_CELL = {("00", 1), ("03", 2), ("07", 1), ("12", 1), ("19", 2)}
# What keep() says of an exercise that is not done, and of one that is.
KEPT = re.compile(r"^(?:[\w, ]|and)+: (?:yours|the course&#x27;s.*)$\n?", re.M)


def predictions(path):
    """(position, cell) of the cells that ask a prediction, in order."""
    return [(position, cell) for position, cell in cells(path, "code") if is_prediction(cell.source)]


def solved(path):
    return read(path.parent / "solutions" / path.name)


def inside(outputs):
    """What outputs show as HTML, pictures and the words of keep() left out."""
    html = INLINE.sub("", outputs_as_html(outputs))
    return re.sub(r'<pre style="margin: 0">\s*</pre>', "", KEPT.sub("", html.replace('0">', '0">\n')).replace("\n", ""))


@every_lesson
def test_each_prediction_is_answered_by_covered_cells(path):
    answered = {int(ANSWERS.search(cell.source)[1]) for _, cell in cells(path, "code") if ANSWERS.search(cell.source)}
    asked = set(range(1, len(predictions(path)) + 1))
    assert asked - answered == {n for lesson, n in WITHOUT_A_CELL if lesson == number(path)}, name(path)


@every_lesson
def test_what_is_covered_is_what_the_solutions_show(path):
    """nbval passes a cell that shows a cover, whatever a student would see under it."""
    for position, cell in cells(path, "code"):
        if ANSWERS.search(cell.source):
            shown = solved(path).cells[position].outputs
            assert [bool(FOLD.fullmatch(output.data["text/html"])) for output in cell.outputs] == [True], at(
                path, position
            )
            assert not FOLD.search(outputs_as_html(shown)), f"{at(path, position)}: the solution hides it as well"
            assert outputs_as_html(shown), f"{at(path, position)}: the solution shows nothing"
            assert inside(cell.outputs) == inside(shown), at(path, position)


@every_lesson
def test_no_prediction_holds_its_answer_in_its_code(path):
    for position, cell in predictions(path):
        clear, sealed = cell.source.split("sealed=")
        assert "True" not in clear, at(path, position)
        said = json.loads(base64.b64decode(sealed.split('"')[1]))["said"]
        assert not [words for words in said if words and words in clear], at(path, position)
        assert (
            is_prediction(solved(path).cells[position].source) and "sealed" not in solved(path).cells[position].source
        )


@every_lesson
def test_no_number_that_answers_stands_in_the_code_above(path):
    for position, _ in predictions(path):
        page = solved(path).cells[position].outputs[0].data["text/html"]
        (right,) = re.findall(r"<summary>([^<]*)</summary><p>✓", page)
        if not re.fullmatch(r"-?\d[\d.]*", right) or len(re.sub(r"[-.0]", "", right)) < 2:
            continue  # no number, or one digit, which stands everywhere
        for above, cell in cells(path, "code"):
            found = re.search(rf"(?<![\d.]){re.escape(right)}(?![\d.]*\d)", cell.source)
            assert above >= position or not found, f"{at(path, above)}: {right} answers a prediction below"


@every_lesson
def test_the_summary_of_predictions_waits_for_the_choices(path):
    for position, cell in cells(path, "code"):
        if "recap(" in cell.source:
            assert "No prediction was made" in "\n".join(texts(cell.outputs)), at(path, position)
            assert "\n".join(texts(cell.outputs)).count("choose first") >= len(predictions(path)), at(path, position)


# Links


def links(text):
    """The targets of the links of a text in Markdown or HTML, code left out."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "`", text, flags=re.S)
    return re.findall(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)", text) + re.findall(r"""\bhref=["']([^"']+)""", text)


def broken(page, target, inside):
    """Why a link of a page leads nowhere; an empty text when it is good. `inside` is the folder it may not leave."""
    if re.match(r"[a-z]+:", target):
        return "" if target.startswith("https://") else "only https"
    file, _, fragment = target.partition("#")
    found = (page.parent / file).resolve() if file else page
    if not found.exists():
        return "no such file"
    if not found.is_relative_to(inside):
        return f"leaves {inside.name}/, where JupyterLab opens"
    if fragment.startswith("cell-id="):
        return "" if fragment[8:] in [cell.id for cell in read(found).cells] else "no such cell"
    return ""


@every_notebook
def test_links_of_notebooks(path):
    for position, cell in enumerate(read(path).cells):
        said = [cell.source] if cell.cell_type == "markdown" else []
        for target in [target for text in [*said, *texts(cell.get("outputs", []))] for target in links(text)]:
            problem = broken(path, target, FOLDER)
            assert not problem, f"{at(path, position)}: {target}: {problem}"


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_links_of_pages(path):
    for target in links(path.read_text(encoding="utf-8")):
        assert not broken(path, target, ROOT), f"{name(path)}: {target}: {broken(path, target, ROOT)}"
