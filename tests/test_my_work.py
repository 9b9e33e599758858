"""The student's own place: what is copied into it, and what a new version of the course leaves alone."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from my_work import RECORD, prepare

ROOT = Path(__file__).parent.parent

# As in noxfile.py: of a picture under a cover only that it is there.
NBVAL = ["--nbval", "--nbval-current-env", f"--nbval-sanitize-with={ROOT / 'tests' / 'pictures_under_covers.cfg'}"]


@pytest.fixture
def course(tmp_path):
    lessons = tmp_path / "notebooks"
    (lessons / "solutions").mkdir(parents=True)
    write(lessons / "01_a.ipynb", "x = ...  # your code")
    write(lessons / "solutions" / "01_a.ipynb", "x = 1")
    (lessons / "solutions" / "solved_attention.py").write_text("x = 1\n")
    (lessons / "GLOSSARY.md").write_text("# Glossary\n")
    (lessons / "sheet.pdf").write_bytes(b"%PDF-1.4 \xe2")
    return lessons


def write(path, source, output="1"):
    cell = nbformat.v4.new_code_cell(source, outputs=[nbformat.v4.new_output("stream", text=output)])
    cell.id = "a"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)


def source(path):
    return nbformat.read(path, as_version=4).cells[0].source


def test_everything_is_copied_once(course, tmp_path):
    mine = tmp_path / "my_work"
    assert prepare(course, mine, "2.0.0") == prepare(course, mine, "2.0.0") == []
    names = {path.relative_to(mine).as_posix() for path in mine.rglob("*.*") if path.is_file()}
    solved = {"solutions/01_a.ipynb", "solutions/solved_attention.py"}
    assert names == {"01_a.ipynb", "GLOSSARY.md", "sheet.pdf", RECORD} | solved


def test_a_lesson_that_was_only_run_gets_the_new_version_in_its_place(course, tmp_path):
    mine = tmp_path / "my_work"
    prepare(course, mine, "2.0.0")
    write(mine / "01_a.ipynb", source(mine / "01_a.ipynb"), output="2")
    write(course / "01_a.ipynb", "y = ...  # your code")
    assert prepare(course, mine, "2.1.0") == []
    assert source(mine / "01_a.ipynb") == "y = ...  # your code"


def test_a_solved_lesson_stays_and_the_new_version_is_put_beside_it_once(course, tmp_path):
    mine = tmp_path / "my_work"
    prepare(course, mine, "2.0.0")
    write(mine / "01_a.ipynb", "x = 17")
    assert prepare(course, mine, "2.0.0") == []
    write(course / "01_a.ipynb", "y = ...  # your code")
    (said,) = prepare(course, mine, "2.1.0")
    assert "01_a-2.1.0.ipynb" in said
    assert source(mine / "01_a.ipynb") == "x = 17"
    assert source(mine / "01_a-2.1.0.ipynb") == "y = ...  # your code"
    write(mine / "01_a-2.1.0.ipynb", "y = 18")
    assert prepare(course, mine, "2.1.0") == []
    write(course / "01_a.ipynb", "z = ...  # your code")
    prepare(course, mine, "2.1.0")
    assert source(mine / "01_a-2.1.0.ipynb") == "y = 18"


@pytest.mark.parametrize("record", ["", "[1]", "{", None])
def test_without_its_record_no_lesson_of_the_student_is_replaced(course, tmp_path, record):
    mine = tmp_path / "my_work"
    prepare(course, mine, "2.0.0")
    write(mine / "01_a.ipynb", "x = 17")
    (mine / RECORD).unlink() if record is None else (mine / RECORD).write_text(record)
    prepare(course, mine, "2.1.0")
    assert source(mine / "01_a.ipynb") == "x = 17"
    assert json.loads((mine / RECORD).read_text())


def test_what_the_student_keeps_and_a_file_that_is_no_notebook_are_left_alone(course, tmp_path):
    mine = tmp_path / "my_work"
    prepare(course, mine, "2.0.0")
    (mine / "my_attention.py").write_text("mine\n")
    (mine / "01_a.ipynb").write_text("half a")
    write(course / "01_a.ipynb", "y = ...")
    prepare(course, mine, "2.1.0")
    assert (mine / "my_attention.py").read_text() == "mine\n"
    assert (mine / "01_a.ipynb").read_text() == "half a"


def test_the_tests_give_the_same_verdict_whatever_the_student_keeps(tmp_path):
    """With a record, a solved lesson in my_work/ and tools that stop, a lesson that needs tools passes all the same."""
    course, record = tmp_path / "course", tmp_path / "record"
    leave = shutil.ignore_patterns(".*", "artefacts", "my_work", "*.egg-info")
    shutil.copytree(ROOT, course, ignore=leave)
    prepare(course / "notebooks", course / "my_work", "2.0.0")
    shutil.copy(course / "notebooks" / "solutions" / "05_not_good.ipynb", course / "my_work")
    for folder in (course / "my_work", course / "notebooks"):
        (folder / "my_attention.py").write_text("raise SystemExit('a student was here')\n")
    record.mkdir()
    (record / "progress.json").write_text('{"done": "nonsense"}')
    tests = "notebooks/05_not_good.ipynb", "notebooks/solutions/05_not_good.ipynb"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *NBVAL, *tests],
        cwd=course,
        env=os.environ | {"PYTHONPATH": str(course), "LEARNING_TO_LOOK_DATA": str(record)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-2000:]
    assert " passed" in run.stdout
