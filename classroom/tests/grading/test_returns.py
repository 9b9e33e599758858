"""The student, lesson and content of returns as platforms and editors deliver them."""

import json
import time
from pathlib import Path

import pytest
from grading.cells import Unreadable, cells_of, checked_expressions, is_solution, lesson_of, lessons, syntax_error_in
from grading.returns import find_returns
from test_who import zipped

from course_utils.checks.exercises import LESSONS

ROOT = Path(__file__).resolve().parents[3]
KNOWN = lessons()
LESSON = (ROOT / "notebooks" / "05_not_good.ipynb").read_bytes()
MOODLE, CANVAS = "Anna Müller_1000_assignsubmission_file_", "mulleranna_1234_5678_"


def found_in(tmp_path, files):
    """Return (student, number, attempt, own modules) of each return in an archive of these files."""
    (tmp_path / "class.zip").write_bytes(zipped(files))
    returns, _ = find_returns([tmp_path / "class.zip"])
    return [(one.student, one.number, one.attempt, list(one.files)) for one in returns]


@pytest.mark.parametrize(
    ("paths", "students"),
    [
        (["anna_05_x.ipynb", "05_x.ipynb"], ["05_x", "anna"]),
        (["anna/week 5/05_x.ipynb", "bert/week 5/05_x.ipynb"], ["anna", "bert"]),
        (["class/anna/05_x.ipynb", "class/bert/05_x.ipynb"], ["anna", "bert"]),
        (["anna/05_x.ipynb", "anna/old/05_x.ipynb", "bert/05_x.ipynb"], ["anna", "anna", "bert"]),
        (["class/anna/05_x.ipynb"], ["anna"]),
        (["class/", "class/anna/", "class/anna/05_x.ipynb", "class/bert/05_x.ipynb"], ["anna", "bert"]),
        (["m├╝ller/05_x.ipynb", "mu╠êller/05_x.ipynb"], ["müller", "müller"]),  # as the Finder packs them
        ([f"{'x' * 120}{one}/05_x.ipynb" for one in "ab"], [f"{'x' * 120}{one}" for one in "ab"]),
        (["علی\u200cرضا/05_x.ipynb"], ["علی\u200cرضا"]),
        (["one\n\x1b[2J\u202etwo/05_x.ipynb", "\u200f/05_x.ipynb"], ["no name", "one [2J two"]),
        (["a/05_x.ipynb", "a/.ipynb_checkpoints/05_x.ipynb", "__MACOSX/a/05_x.ipynb", "a/._05_x.ipynb"], ["a"]),
    ],
)
def test_a_student_is_known_by_folder_or_by_file(tmp_path, paths, students):
    found = found_in(tmp_path, dict.fromkeys(paths, LESSON))
    assert sorted(student for student, *_ in found) == students


def test_moodle_and_canvas_say_whose_it_is_and_archives_in_archives_are_opened(tmp_path):
    own = zipped({"work/05_not_good.ipynb": LESSON, "work/my_attention.py": b"# own"})
    files = {
        **{f"{MOODLE}/{name}": LESSON for name in ("05_not_good.ipynb", "05_not_good (1).ipynb")},
        f"{MOODLE}/my_attention.py": b"# hers",
        "李雷_17_assignsubmission_file_/my answer.ipynb": LESSON,
        "Bo_2_assignsubmission_file_05_not_good.ipynb": LESSON,
        "Cy_3_assignsubmission_file_/work.zip": own,
        f"{CANVAS}work.zip": own,
        "odebert_LATE_77_5679_05_not_good-2.ipynb": LESSON,
        "odebert_77_5680_my_attention-1.py": b"# own",
        "किरण_88_5681_05_not_good.ipynb": LESSON,
    }
    assert found_in(tmp_path, files) == [
        ("Anna Müller", "1000", 0, ["my_attention.py"]),
        ("Anna Müller", "1000", 1, ["my_attention.py"]),
        ("Bo", "2", 0, []),
        ("Cy", "3", 0, ["my_attention.py"]),
        ("mulleranna", "1234", 0, ["my_attention.py"]),
        ("odebert", "77", 2, ["my_attention.py"]),
        ("किरण", "88", 0, []),
        ("李雷", "17", 0, []),
    ]


@pytest.mark.parametrize("minor", range(6))
def test_a_notebook_of_each_format_gives_the_same_cells(minor):
    notebook = json.loads(LESSON) | {"nbformat_minor": minor, "metadata": {"colab": {"provenance": []}}}
    for cell in notebook["cells"] if minor < 5 else ():
        cell["metadata"] = {"id": cell.pop("id")}  # as Colab does
    assert cells_of(b"\xef\xbb\xbf" + json.dumps(notebook).encode()) == cells_of(LESSON)


@pytest.mark.parametrize("content", [b"{no", b"", b"\xff\xfe", b"[]", b'{"cells": 3}', b'{"nbformat": 2}'])
def test_what_is_no_notebook_is_said(content):
    with pytest.raises(Unreadable, match="no notebook"):
        cells_of(content)


@pytest.mark.parametrize("number", KNOWN)
def test_a_solved_notebook_of_the_course_is_known_as_one_and_a_student_s_is_not(number):
    for folder, solved in ((".", False), ("solutions", True)):
        [path] = (ROOT / "notebooks" / folder).glob(f"{number}_*.ipynb")
        assert is_solution(cells_of(path.read_bytes())) is solved


def test_the_lesson_is_known_by_its_checks_then_by_its_name():
    assert {number: set(wanted) for number, wanted in KNOWN.items()} == {n: set(names) for n, names in LESSONS.items()}
    assert lesson_of(cells_of(LESSON), "my answer.ipynb", KNOWN) == "05"
    assert lesson_of(['c("review_matrices", f)', 'keep("conceptual_keys")'], "homework.ipynb", KNOWN) == "05"
    assert lesson_of(["x = 1"], "06_masks.ipynb", KNOWN) == "06"
    assert lesson_of(["x = 1"], "shopping.ipynb", KNOWN) == lesson_of([], "99_x.ipynb", KNOWN) == ""


@pytest.mark.parametrize(
    "cells",
    [
        ['%time 1\n!ls\ncheck("scores", scores_of)', "def broken(:", 'print("check")'],
        ['%%time\ncheck("scores", scores_of)', "%%bash\necho check", "x = !ls\nmax?"],
    ],
)
def test_checks_are_found_beside_magics_and_not_in_broken_cells(cells):
    assert checked_expressions(cells) == {"scores": "scores_of"}
    assert {syntax_error_in(cell)[:8] for cell in cells} <= {"", "line 1: "} and not syntax_error_in(cells[0])


@pytest.mark.parametrize(
    "cell",
    [
        *("%time 1\n" * 9_000, 'check("scores", ' + "+".join("x" * 900) + ")", "(" * 90_000, "x\0"),
        *("(\n" + " " * 99_990 + "x y", "(\n" + "a," * 49_000, "(\n" + "a?" * 49_000, "(\n" + "= " * 49_000),
    ],
)
def test_a_cell_that_defeats_the_parser_costs_nothing(cell):
    start = time.monotonic()
    checked_expressions([cell]), syntax_error_in(cell)
    assert time.monotonic() - start < 5
