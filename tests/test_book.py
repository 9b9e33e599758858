"""The pages of the book follow from the built notebooks: nothing is left out, and nothing needs a kernel."""

import itertools
import json
import re
from pathlib import Path

import nbformat
import pytest
from formulas import formulas_page
from lesson_pages import lesson_page, live_widgets, title

from course_utils import explorables

ROOT = Path(__file__).parent.parent
LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))
STATES = ROOT / "book" / "states"
KINDS = [name for name in explorables.__all__ if name != "export_html"]
MADE_HERE = re.compile(rf"^(?:\w+ = )?({'|'.join(KINDS)})\(", re.M)


def states(path):
    return STATES / f"{path.stem}.json"


@pytest.fixture(params=LESSONS, ids=lambda path: path.stem)
def lesson(request):
    path = request.param
    return nbformat.read(path, as_version=4), lesson_page(path, states(path))


def html(cell):
    return "".join(output.get("data", {}).get("text/html", "") for output in cell.get("outputs", []))


def test_each_lesson_has_states_and_no_others_are_there():
    assert sorted(path.stem for path in STATES.glob("*")) == [path.stem for path in LESSONS]


def test_every_explorable_and_prediction_of_a_lesson_moves_on_its_page(lesson):
    stored, page = lesson
    for before, after in zip(stored.cells, page.cells, strict=True):
        kinds = re.findall(r'data-kind="(\w+)"', html(after))
        if before.source.startswith(("predict(", "look_back(")):
            asked = len(before.outputs)
            assert kinds == ["PredictionCards"] * asked and asked
        else:
            assert kinds == MADE_HERE.findall(before.source)


def test_a_solution_stands_folded_where_the_link_to_it_was(lesson):
    stored, page = lesson
    links = sum("[Solution](" in cell.source for cell in stored.cells)
    folds = [cell.source for cell in page.cells if "<summary>Solution</summary>" in cell.source]
    assert len(folds) == links
    assert not any("solutions/" in text or "# your code" in text for text in folds)


def test_no_page_says_twice_that_an_output_is_missing(lesson):
    _, page = lesson
    for cell in page.cells:
        texts = [str(output.get("data")) for output in cell.get("outputs", []) if "data" in output]
        assert all(a != b for a, b in itertools.pairwise(texts))


def test_no_output_is_an_empty_box(lesson):
    """Keras leaves one beside its summary."""
    _, page = lesson
    outputs = [output.get("data", {}).get("text/html", "") for cell in page.cells for output in cell.get("outputs", [])]
    assert [output for output in outputs if re.search(r"<pre[^>]*></pre>", output)] == []


def test_states_of_another_build_are_refused(tmp_path):
    path = LESSONS[1]
    kept = json.loads(states(path).read_text(encoding="utf-8"))
    old = tmp_path / "old.json"
    old.write_text(json.dumps(kept | {"digest": "0"}), encoding="utf-8")
    with pytest.raises(ValueError, match=r"belongs to another build of 01_dot_products.ipynb; run nox -s build -- 01$"):
        lesson_page(path, old)


def test_a_lost_state_is_an_error_and_no_empty_place(tmp_path):
    path = LESSONS[1]
    kept = json.loads(states(path).read_text(encoding="utf-8"))
    kept["cells"].pop("01-007")
    lost = tmp_path / "lost.json"
    lost.write_text(json.dumps(kept), encoding="utf-8")
    with pytest.raises(ValueError, match="cell 01-007 shows 1 widgets, and its states hold 0"):
        lesson_page(path, lost)


def test_a_word_that_ends_a_script_ends_no_script():
    picture = nbformat.v4.new_output("display_data", data={"text/html": "<p>still</p>"})
    cell = nbformat.v4.new_code_cell("widget", id="01-017", outputs=[picture])
    page = live_widgets(cell, [["VectorPad", {"names": ["</script><b>", "b"]}]])
    state = re.search(r'<script type="application/json">(.*?)</script>', page)[1]
    assert json.loads(state) == {"names": ["</script><b>", "b"]}


def test_the_formulas_are_those_of_the_sheet():
    page = formulas_page(ROOT)
    names = re.findall(r'^name = "(.+)"$', (ROOT / "images" / "sheet.toml").read_text(encoding="utf-8"), re.M)
    assert len(names) > 20 and [name for name in names if f"| {name} |" not in page] == []


@pytest.mark.parametrize(
    ("source", "said"),
    [('arrows(a, title="Two vectors")', "Two vectors"), ("%timeit a @ b", ""), ("plot(title=name)", ""), ("x = 1", "")],
)
def test_the_title_of_a_plot(source, said):
    assert title(source) == said


def test_a_page_leads_to_lessons_by_their_names(lesson):
    _, page = lesson
    words = "\n".join(cell.source for cell in page.cells if cell.cell_type == "markdown")
    assert re.findall(r"\[(\d\d_\w+)\]\(", words) == []


def test_a_page_says_where_its_cells_can_be_run_and_promises_nothing_else(lesson):
    """Somebody without a kernel is told the three ways to one, at the top and at each exercise."""
    stored, page = lesson
    ways = ("#on-your-own-machine", "#on-binder", "#on-the-server-of-your-class")
    asked = [html(cell) for cell in page.cells if "check(" in cell.source and cell.cell_type == "code"]
    asked = [said for said in asked if "book-check" in said]
    assert len(asked) == sum("[Solution](" in cell.source for cell in stored.cells)
    for said in (page.cells[0].source, *asked):
        assert [way for way in ways if f"../start.html{way}" not in said] == []
    outputs = "".join(map(html, page.cells))
    assert not re.search("while this cell runs|after you have run this cell|Run the cell, and it moves", outputs)


def test_words_that_a_cell_prints_run_on_in_a_new_line_and_tables_do_not():
    page = lesson_page(LESSONS[1], states(LESSONS[1]))
    printed = {cell.id: "words" in cell.metadata.tags for cell in page.cells if cell.cell_type == "code"}
    assert printed["01-004"] and printed["01-033"] and not printed["01-014"]
