"""The pages of the book follow from the built notebooks: nothing is left out, and nothing needs a kernel."""

import json
import re
from pathlib import Path

import nbformat
import pytest
from lesson_pages import lesson_page, live_widgets
from page_widgets import TRAININGS

from course_utils import explorables

ROOT = Path(__file__).resolve().parents[2]
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
            assert kinds == MADE_HERE.findall(before.source) + ["LookPlayground"] * len(TRAININGS.get(before.id, []))


def test_a_solution_stands_folded_where_the_link_to_it_was(lesson):
    stored, page = lesson
    links = sum("[Solution](" in cell.source for cell in stored.cells)
    folds = [cell.source for cell in page.cells if "<summary>Solution</summary>" in cell.source]
    assert len(folds) == links
    assert not any("solutions/" in text or "# your code" in text for text in folds)


@pytest.mark.parametrize(
    ("digest", "lost", "said"),
    [
        ("0", None, "belongs to another build of 01_dot_products.ipynb; run nox -s build -- 01$"),
        (None, "01-007", "cell 01-007 shows 1 widgets, and its states hold 0"),
    ],
    ids=["another build", "a lost state"],
)
def test_states_that_do_not_fit_are_refused(digest, lost, said, tmp_path):
    kept = json.loads(states(LESSONS[1]).read_text(encoding="utf-8"))
    kept["digest"] = digest or kept["digest"]
    kept["cells"].pop(lost, None)
    other = tmp_path / "other.json"
    other.write_text(json.dumps(kept), encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        lesson_page(LESSONS[1], other)


def test_a_word_that_ends_a_script_ends_no_script():
    picture = nbformat.v4.new_output("display_data", data={"text/html": "<p>still</p>"})
    cell = nbformat.v4.new_code_cell("widget", id="01-017", outputs=[picture])
    page = live_widgets(cell, [["VectorPad", {"names": ["</script><b>", "b"]}]])
    state = re.search(r'<script type="application/json">(.*?)</script>', page)[1]
    assert json.loads(state) == {"names": ["</script><b>", "b"]}


def test_a_page_says_where_its_cells_can_be_run_and_promises_nothing_else(lesson):
    """Somebody without a kernel is told the three ways to one, at the top and at the first exercise."""
    stored, page = lesson
    ways = ("#on-your-own-machine", "#on-binder", "#on-the-server-of-your-class")
    asked = [html(cell) for cell in page.cells if "check(" in cell.source and cell.cell_type == "code"]
    asked = [said for said in asked if "book-check" in said]
    assert len(asked) == sum("[Solution](" in cell.source for cell in stored.cells)
    for said in (page.cells[0].source, *asked[:1]):
        assert [way for way in ways if f"../start.html{way}" not in said] == []
    outputs = "".join(map(html, page.cells))
    assert not re.search("while this cell runs|after you have run this cell|Run the cell, and it moves", outputs)
