"""The student, lesson and content of returns as platforms and editors deliver them."""

import io
import json
import time
import zipfile
from pathlib import Path

import nbformat
import pytest
from grading.returns import (
    Unreadable,
    cells_of,
    checked_expressions,
    find_returns,
    lesson_of,
    lessons,
    syntax_error_in,
)

from course_utils.checks.exercises import LESSONS

ROOT = Path(__file__).resolve().parents[3]
KNOWN = lessons()
LESSON = (ROOT / "notebooks" / "05_not_good.ipynb").read_bytes()
MOODLE, CANVAS = "Anna Müller_1000_assignsubmission_file_", "mulleranna_1234_5678_"


def zip_bytes(files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def found_in(tmp_path, files):
    """Return (student, number, attempt, own modules) of each return in an archive of these files."""
    (tmp_path / "class.zip").write_bytes(zip_bytes(files))
    return [(one.student, one.number, one.attempt, list(one.files)) for one in find_returns(tmp_path / "class.zip")]


@pytest.mark.parametrize(
    ("paths", "students"),
    [
        (["anna_05_x.ipynb", "05_x.ipynb"], ["05_x", "anna"]),
        (["anna/week 5/05_x.ipynb", "bert/week 5/05_x.ipynb"], ["anna", "bert"]),
        (["class/anna/05_x.ipynb", "class/bert/05_x.ipynb"], ["anna", "bert"]),
        (["anna/05_x.ipynb", "anna/old/05_x.ipynb", "bert/05_x.ipynb"], ["anna", "anna", "bert"]),
        (["class/anna/05_x.ipynb"], ["anna"]),
        (["علی\u200cرضا/05_x.ipynb"], ["علی\u200cرضا"]),
        (["one\n\x1b[2J\u202etwo/05_x.ipynb", "\u200f/05_x.ipynb"], ["no name", "one [2J two"]),
        (["a/05_x.ipynb", "a/.ipynb_checkpoints/05_x.ipynb", "__MACOSX/a/05_x.ipynb", "a/._05_x.ipynb"], ["a"]),
    ],
)
def test_a_student_is_known_by_folder_or_by_file(tmp_path, paths, students):
    found = found_in(tmp_path, dict.fromkeys(paths, LESSON))
    assert sorted(student for student, *_ in found) == students


def test_moodle_and_canvas_say_whose_it_is_and_archives_in_archives_are_opened(tmp_path):
    own = zip_bytes({"work/05_not_good.ipynb": LESSON, "work/my_attention.py": b"# own"})
    files = {
        **{f"{MOODLE}/{name}": LESSON for name in ("05_not_good.ipynb", "05_not_good (1).ipynb")},
        f"{MOODLE}/my_attention.py": b"# hers",
        "李雷_17_assignsubmission_file_/my answer.ipynb": LESSON,
        "Bo_2_assignsubmission_file_05_not_good.ipynb": LESSON,
        "Cy_3_assignsubmission_file_/work.zip": own,
        f"{CANVAS}work.zip": own,
        "odebert_LATE_77_5679_05_not_good-2.ipynb": LESSON,
        "odebert_77_5680_my_attention-1.py": b"# own",
    }
    assert found_in(tmp_path, files) == [
        ("Anna Müller", "1000", 0, ["my_attention.py"]),
        ("Anna Müller", "1000", 1, ["my_attention.py"]),
        ("Bo", "2", 0, []),
        ("Cy", "3", 0, ["my_attention.py"]),
        ("mulleranna", "1234", 0, ["my_attention.py"]),
        ("odebert", "77", 2, ["my_attention.py"]),
        ("李雷", "17", 0, []),
    ]


def test_what_one_student_has_damaged_keeps_nobody_else_from_being_graded(tmp_path):
    for name, content in {
        "anna.zip": b"PK no",
        "bert.zip": zip_bytes({"05_not_good.ipynb": LESSON})[:-40],
        "cora.zip": zip_bytes({f"{i}.ipynb": bytes(40_000_000) for i in range(6)}),
        "dora/05_not_good.ipynb": bytes(50_000_001),
        "emil.zip": zip_bytes({"05_not_good.ipynb": LESSON}),
        "fay.zip": zip_bytes({"../../05_not_good.ipynb": LESSON}),
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    returns = {one.student: one.content for one in find_returns(tmp_path)}
    assert len(returns) == 6 and cells_of(returns["emil"]) and not (tmp_path.parent / "05_not_good.ipynb").exists()
    reasons = {"anna": "not a zip", "bert": "zip", "cora": "too large", "dora": "larger than 50,000,000"}
    for student, reason in reasons.items():
        with pytest.raises(Unreadable, match=reason):
            cells_of(returns[student])
    for path in ("anna.zip", "nowhere"):
        with pytest.raises(Unreadable, match=rf"{path}"):
            find_returns(tmp_path / path)


@pytest.mark.parametrize("minor", range(6))
def test_a_notebook_of_each_format_gives_the_same_cells(minor):
    notebook = json.loads(LESSON) | {"nbformat_minor": minor, "metadata": {"colab": {"provenance": []}}}
    for cell in notebook["cells"] if minor < 5 else ():
        cell["metadata"] = {"id": cell.pop("id")}  # as Colab does
    assert cells_of(b"\xef\xbb\xbf" + json.dumps(notebook).encode()) == cells_of(LESSON)


def test_a_notebook_of_the_format_before_is_read():
    old = nbformat.convert(nbformat.reads(LESSON.decode(), as_version=4), 3)
    assert checked_expressions(cells_of(nbformat.writes(old, version=nbformat.NO_CONVERT).encode())) == KNOWN["05"]


@pytest.mark.parametrize(
    "content", [b"{no", b"", b"\xff\xfe", b"[]", b'{"cells": 3}', b'{"nbformat": 99, "cells": []}']
)
def test_what_is_no_notebook_is_said(content):
    with pytest.raises(Unreadable, match="no notebook"):
        cells_of(content)


def test_the_lesson_is_known_by_its_checks_then_by_its_name():
    assert {number: set(wanted) for number, wanted in KNOWN.items()} == {n: set(names) for n, names in LESSONS.items()}
    assert lesson_of(cells_of(LESSON), "my answer.ipynb", KNOWN) == "05"
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
    "cell", ["%time 1\n" * 9_000, 'check("scores", ' + "+".join("x" * 900) + ")", "(" * 90_000, "x\0"]
)
def test_a_cell_that_no_reader_stands_costs_nothing(cell):
    start = time.monotonic()
    checked_expressions([cell]), syntax_error_in(cell)
    assert time.monotonic() - start < 5
