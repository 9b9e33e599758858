"""The student's own place: what is copied into it, and what a new version of the course leaves alone."""

import json

import nbformat
import pytest
from my_work import RECORD, prepare


@pytest.fixture
def places(tmp_path):
    """The lessons of a course, and the folder of a student into which they were copied."""
    lessons, mine = tmp_path / "notebooks", tmp_path / "my_work"
    (lessons / "solutions").mkdir(parents=True)
    write(lessons / "01_a.ipynb", "x = ...  # your code")
    write(lessons / "solutions" / "01_a.ipynb", "x = 1")
    (lessons / "solutions" / "solved_attention.py").write_text("x = 1\n")
    (lessons / "GLOSSARY.md").write_text("# Glossary\n")
    (lessons / "SHEET.md").write_text("# All formulas\n")
    (lessons / "sheet.pdf").write_bytes(b"%PDF-1.4 \xe2")
    assert prepare(lessons, mine, "2.0.0") == prepare(lessons, mine, "2.0.0") == []
    return lessons, mine


def write(path, source, output="1"):
    cell = nbformat.v4.new_code_cell(source, outputs=[nbformat.v4.new_output("stream", text=output)])
    cell.id = "a"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)


def source(path):
    return nbformat.read(path, as_version=4).cells[0].source


def test_a_lesson_that_was_only_run_gets_the_new_version_in_its_place(places):
    lessons, mine = places
    names = {path.relative_to(mine).as_posix() for path in mine.rglob("*.*") if path.is_file()}
    solved = {"solutions/01_a.ipynb", "solutions/solved_attention.py"}
    assert names == {"01_a.ipynb", "GLOSSARY.md", "SHEET.md", "sheet.pdf", RECORD} | solved
    write(mine / "01_a.ipynb", source(mine / "01_a.ipynb"), output="2")
    write(lessons / "01_a.ipynb", "y = ...  # your code")
    assert prepare(lessons, mine, "2.1.0") == []
    assert source(mine / "01_a.ipynb") == "y = ...  # your code"


def test_a_solved_lesson_stays_and_the_new_version_is_put_beside_it_once(places):
    lessons, mine = places
    write(mine / "01_a.ipynb", "x = 17")
    assert prepare(lessons, mine, "2.0.0") == []
    write(lessons / "01_a.ipynb", "y = ...  # your code")
    (said,) = prepare(lessons, mine, "2.1.0")
    assert "01_a-2.1.0.ipynb" in said
    assert source(mine / "01_a.ipynb") == "x = 17"
    assert source(mine / "01_a-2.1.0.ipynb") == "y = ...  # your code"
    write(mine / "01_a-2.1.0.ipynb", "y = 18")
    assert prepare(lessons, mine, "2.1.0") == []
    write(lessons / "01_a.ipynb", "z = ...  # your code")
    prepare(lessons, mine, "2.1.0")
    assert source(mine / "01_a-2.1.0.ipynb") == "y = 18"


def test_each_change_of_a_lesson_at_one_version_gets_a_name_that_is_said_and_no_second_copy(places):
    lessons, mine = places
    beside = ["01_a-2.0.0.ipynb", "01_a-2.0.0-2.ipynb", "01_a-2.0.0-3.ipynb"]
    write(mine / "01_a.ipynb", "x = 17")
    for number, name in enumerate(beside):
        write(lessons / "01_a.ipynb", f"y{number} = ...  # your code")
        (said,) = prepare(lessons, mine, "2.0.0")
        assert said.endswith(f"see {name}") and source(mine / name) == f"y{number} = ...  # your code"
        write(mine / name, f"y{number} = {number}")
    works = {path.name: path.read_bytes() for path in mine.glob("01_a*.ipynb")}
    assert sorted(works) == sorted(["01_a.ipynb", *beside])
    assert prepare(lessons, mine, "2.0.0") == []
    write(lessons / "01_a.ipynb", "z = ...  # your code")
    for _ in range(3):  # the record is lost each time: the same text is not copied again
        (mine / RECORD).unlink()
        (said,) = prepare(lessons, mine, "2.0.0")
        assert said.endswith("see 01_a-2.0.0-4.ipynb")
    assert len(list(mine.glob("01_a*.ipynb"))) == 5
    assert works == {name: (mine / name).read_bytes() for name in works}
    write(lessons / "01_a.ipynb", "a = ...  # your code")
    (said,) = prepare(lessons, mine, "2.0.0")  # the student has not touched the fourth one
    assert said.endswith("see 01_a-2.0.0-4.ipynb") and source(mine / "01_a-2.0.0-4.ipynb") == "a = ...  # your code"


@pytest.mark.parametrize("record", ["", "[1]", "{", None])
@pytest.mark.parametrize("file", ["01_a.ipynb", "my_attention.py"])
def test_whatever_becomes_of_the_record_nothing_of_the_student_is_replaced(places, file, record):
    lessons, mine = places
    (mine / file).write_text("half a file")
    (mine / RECORD).unlink() if record is None else (mine / RECORD).write_text(record)
    write(lessons / "01_a.ipynb", "y = ...")
    prepare(lessons, mine, "2.1.0")
    assert (mine / file).read_text() == "half a file"
    assert json.loads((mine / RECORD).read_text())


def test_a_lesson_with_an_old_number_is_said_once_and_only_an_unchanged_one_goes(places):
    lessons, mine = places
    for name in ("09_gradient_by_hand", "10_learning_where"):
        write(lessons / f"{name}.ipynb", "x = ...  # your code")
    prepare(lessons, mine, "2.0.0")
    write(mine / "10_learning_where.ipynb", "x = 17")
    for old, new in (("09_gradient_by_hand", "10_gradient_by_hand"), ("10_learning_where", "09_learning_where")):
        (lessons / f"{old}.ipynb").rename(lessons / f"{new}.ipynb")
    gone, kept = prepare(lessons, mine, "3.0.0")
    assert gone.startswith("09_gradient_by_hand.ipynb: this lesson is 10_gradient_by_hand.ipynb now.")
    assert kept.startswith("10_learning_where.ipynb: this lesson is 09_learning_where.ipynb now.") and "stays" in kept
    assert not (mine / "09_gradient_by_hand.ipynb").exists() and (mine / "10_gradient_by_hand.ipynb").exists()
    assert source(mine / "10_learning_where.ipynb") == "x = 17"
    assert source(mine / "09_learning_where.ipynb") == "x = ...  # your code"
    assert prepare(lessons, mine, "3.0.0") == []
