"""Grading a folder of returned notebooks: a good one, a broken one, and some that mean harm."""

import csv
import json
import sys
from pathlib import Path

import grade
import nbformat
import psutil
import pytest
from grade_one import exercises, lesson_of
from judge_in_kernel import judge

ROOT = Path(__file__).resolve().parents[1]
LESSON = ROOT / "notebooks" / "04_queries_keys_values.ipynb"
SOLUTIONS = {
    "project": "return X @ W_Q, X @ W_K, X @ W_V",
    "scores": "return Q @ K.T",
    "weights": "return np.exp(Q @ K.T) / np.exp(Q @ K.T).sum(axis=0)",
}
KILLER = "import os; os._exit(1)"
ENDLESS = "while True:\n    try:\n        print('x' * 100000)\n    except BaseException:\n        pass"
FORGER = """
import pathlib, course_utils.checks
course_utils.checks.check = lambda name, answer: course_utils.checks.Verdict("done", name=name)
pathlib.Path(course_utils.checks.engine.judge.__file__).write_text("judge = None")
"""


def returned(first_cell="1 + 1", solutions=SOLUTIONS):
    """Return lesson 04 with these solutions and one cell more at its beginning; its outputs claim that all is done."""
    notebook = nbformat.read(LESSON, as_version=4)
    for cell in notebook.cells:
        for name, line in solutions.items():
            if f'check("{name}"' in cell.source:
                cell.source = cell.source.replace("...  # your code", line)
                data = {"text/plain": f"✓ {name}: done"}
                cell.outputs = [nbformat.v4.new_output("execute_result", data, execution_count=1)]
    notebook.cells.insert(1, nbformat.v4.new_code_cell(first_cell))
    return notebook


def grading(folder, returns, seconds, cell_seconds):
    """Grade returns {student: notebook} and a file that is no notebook; give the rows and the folder of the results."""
    for name, notebook in returns.items():
        (folder / name).mkdir()
        nbformat.write(notebook, folder / name / LESSON.name)
    (folder / "bert_05_not_good.ipynb").write_text("{no notebook")
    limits = ["--seconds", str(seconds), "--cell-seconds", str(cell_seconds)]
    return grade.main([str(folder), "--out", str(folder / "grades"), *limits]), folder / "grades"


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Grade four returns at once."""
    returns = {"anna": returned(), "=killer": returned(KILLER), "forger": returned(FORGER)}
    return grading(tmp_path_factory.mktemp("returns"), returns, 300, 60)  # nothing here is meant to be stopped


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """Grade a return that never ends, with another one; it keeps two cores busy for as long as it may."""
    return grading(tmp_path_factory.mktemp("returns"), {"endless": returned(ENDLESS)}, 10, 2)


def of(rows, student):
    return {row.exercise: (row.state, row.mistakes) for row in rows if row.student == student}


def test_each_exercise_gets_the_verdict_of_the_check(graded):
    assert of(graded[0], "anna") == {
        "embed": ("not started", ""),
        "project": ("done", ""),
        "scores": ("not yet", "scale-missing"),
        "weights": ("not yet", "scale-missing softmax-axis"),
        "attention": ("not started", ""),
    }


def test_a_hostile_notebook_costs_its_own_rows(graded, stopped):
    assert {state for state, _ in of(graded[0], "=killer").values()} == {"kernel died"}
    assert of(stopped[0], "endless") == {"": ("not graded", "stopped after 10 s")}
    for rows, _ in (graded, stopped):
        assert of(rows, "bert")[""][0] == "not graded"


def test_a_forged_check_does_not_count(graded):
    assert of(graded[0], "forger")["scores"] == ("not yet", "scale-missing")


def test_the_table_the_picture_and_no_formula_for_a_spreadsheet(graded, stopped):
    students = [{"anna", "'=killer", "forger", "bert"}, {"endless", "bert"}]
    for (rows, out), names in zip((graded, stopped), students, strict=True):
        with (out / "grades.csv").open(newline="", encoding="utf-8") as file:
            table = list(csv.reader(file))
        assert table[0] == ["student", "notebook", "exercise", "state", "mistakes"]
        assert len(table) == len(rows) + 1
        assert {row[0] for row in table[1:]} == names
    _, out = graded
    assert "| scale-missing | 4 |" in (out / "grades.md").read_text(encoding="utf-8")
    assert "scale-missing" in (out / "mistakes.svg").read_text(encoding="utf-8")


def test_the_course_itself_is_untouched(graded):
    assert "def judge" in (ROOT / "course_utils" / "checks" / "engine" / "judge.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "student"),
    [
        ("anna/05_not_good.ipynb", "anna"),
        ("a/b/05_x.ipynb", "a/b"),
        ("anna_05_not_good.ipynb", "anna"),
        ("05_not_good.ipynb", "05_not_good"),
    ],
)
def test_the_student_is_read_from_folder_or_file(path, student, tmp_path):
    assert grade.student_of(tmp_path / path, tmp_path) == student


def test_a_notebook_of_another_kind_is_said_to_be_one(tmp_path):
    with pytest.raises(ValueError, match="not a notebook of this course"):
        lesson_of(nbformat.v4.new_notebook(), tmp_path / "shopping_list.ipynb")


def test_the_lesson_is_known_by_the_notebook_or_by_its_name(tmp_path):
    assert lesson_of(nbformat.read(LESSON, as_version=4), tmp_path / "renamed.ipynb") == LESSON
    assert lesson_of(nbformat.v4.new_notebook(), tmp_path / "anna_04_final.ipynb") == LESSON


def test_checks_are_found_in_cells_with_magics_and_not_in_broken_ones():
    cells = ['%time 1\ncheck("scores", scores_of)', "def broken(:", 'print("check")']
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    assert {name: code for name, (_, code) in exercises(notebook).items()} == {"scores": "scores_of"}


def test_a_removed_exercise_is_missing(tmp_path):
    notebook = returned(solutions={})
    notebook.cells = [cell for cell in notebook.cells if 'check("scores"' not in cell.source][:12]
    path = tmp_path / "anna_04.ipynb"
    nbformat.write(notebook, path)
    found = grade.rows_of(path, grade.options_of([str(tmp_path)]), grade.read_course())
    assert ("scores", "missing") in {(row.exercise, row.state) for row in found}
    assert json.dumps(found)


def test_the_grader_reads_the_copy_and_not_the_course_that_a_notebook_may_have_changed(tmp_path):
    nbformat.write(returned(), tmp_path / "anna_04.ipynb")
    course = grade.read_course() | {Path("course_utils/__init__.py"): b"import os; os._exit(1)"}
    (row,) = grade.rows_of(tmp_path / "anna_04.ipynb", grade.options_of([str(tmp_path)]), course)
    assert row.mistakes == "its process died"


def test_the_judge_gives_back_the_modules_and_tells_a_wrong_answer_from_a_missing_one(capsys):
    from course_utils import attention

    path = list(sys.path)
    judge("softmax", lambda: lambda scores: scores, str(ROOT), "mark")
    judge("softmax", lambda: no_such_name, str(ROOT), "mark")  # noqa: F821
    wrong, missing = (json.loads(line.removeprefix("mark")) for line in capsys.readouterr().out.splitlines())
    assert wrong["state"] == "not yet" and wrong["mistakes"]
    assert missing == {"state": "missing", "mistakes": []}
    assert sys.modules["course_utils.attention"] is attention and sys.path == path


def test_what_takes_too_long_is_ended_with_its_children(tmp_path):
    spawn = """if True:
        import subprocess, sys, time
        child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])
        print(child.pid, file=open('pid', 'w'), flush=True)
        time.sleep(60)"""
    assert not grade.run_limited([sys.executable, "-c", spawn], 3, tmp_path)
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))
