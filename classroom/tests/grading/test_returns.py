"""The student, lesson and content of returns as platforms and editors deliver them."""

import io
import json
import time
import zipfile
from pathlib import Path, PurePosixPath

import nbformat
import pytest
from grading.returns import (
    Unreadable,
    cells_of,
    checked_expressions,
    find_returns,
    lesson_of,
    lessons,
    owner_of,
    syntax_error_in,
)

ROOT = Path(__file__).resolve().parents[3]
KNOWN = lessons()
LESSON = (ROOT / "notebooks" / "05_not_good.ipynb").read_bytes()


@pytest.mark.parametrize(
    ("path", "student", "number", "name"),
    [
        ("anna/05_not_good.ipynb", "anna", "", "05_not_good.ipynb"),
        ("class/anna/05_not_good.ipynb", "anna", "", "05_not_good.ipynb"),
        ("anna_05_not_good.ipynb", "anna", "", "05_not_good.ipynb"),
        ("05_not_good.ipynb", "05_not_good", "", "05_not_good.ipynb"),
        ("Anna Müller_1000_assignsubmission_file_/05_not_good.ipynb", "Anna Müller", "1000", "05_not_good.ipynb"),
        ("李雷_17_assignsubmission_file_/my answer.ipynb", "李雷", "17", "my answer.ipynb"),
        ("mulleranna_1234_5678_05_not_good-1.ipynb", "mulleranna", "1234", "05_not_good-1.ipynb"),
        ("mulleranna_LATE_1234_5678_05_not_good.ipynb", "mulleranna", "1234", "05_not_good.ipynb"),
    ],
)
def test_the_student_is_read_from_the_name(path, student, number, name):
    assert owner_of(PurePosixPath(path)) == (student, number, name)


def test_archives_folders_and_several_returns(tmp_path):
    with zipfile.ZipFile(tmp_path / "moodle.zip", "w") as archive:
        archive.writestr("Anna Müller_1000_assignsubmission_file_/05_not_good.ipynb", LESSON)
        archive.writestr("Anna Müller_1000_assignsubmission_file_/05_not_good (1).ipynb", LESSON + b" ")
        archive.writestr("Anna Müller_1000_assignsubmission_file_/my_attention.py", b"# hers")
        archive.writestr("../../outside.ipynb", LESSON)
        archive.writestr("__MACOSX/x/05_not_good.ipynb", b"")
    (tmp_path / "bert").mkdir()
    (tmp_path / "bert" / "05_not_good.ipynb").write_bytes(LESSON)
    (tmp_path / "bert" / ".ipynb_checkpoints").mkdir()
    (tmp_path / "bert" / ".ipynb_checkpoints" / "05_not_good.ipynb").write_bytes(LESSON)
    returns = find_returns(tmp_path)
    anna = [one for one in returns if one.student == "Anna Müller"]
    assert [(one.name, one.attempt, list(one.files)) for one in anna] == [
        ("05_not_good.ipynb", 0, ["my_attention.py"]),
        ("05_not_good.ipynb", 1, ["my_attention.py"]),
    ]
    assert anna[0].digest != anna[1].digest
    assert [one.files for one in returns if one.student == "bert"] == [{}]
    assert not (tmp_path.parent / "outside.ipynb").exists()
    assert find_returns(tmp_path / "moodle.zip")[0].student in ("Anna Müller", "..")


def zip_bytes(files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def test_a_damaged_archive_and_no_folder_are_said(tmp_path):
    (tmp_path / "x.zip").write_bytes(b"PK no")
    with pytest.raises(Unreadable, match=r"x\.zip"):
        find_returns(tmp_path / "x.zip")
    with pytest.raises(Unreadable, match="there is no"):
        find_returns(tmp_path / "nowhere")


def test_what_one_student_has_damaged_keeps_nobody_else_from_being_graded(tmp_path):
    (tmp_path / "anna.zip").write_bytes(b"PK no")
    (tmp_path / "bert.zip").write_bytes(zip_bytes({"05_not_good.ipynb": LESSON})[:-40])
    (tmp_path / "cora.zip").write_bytes(zip_bytes({f"{i}.ipynb": bytes(40_000_000) for i in range(6)}))
    (tmp_path / "dora").mkdir()
    (tmp_path / "dora" / "05_not_good.ipynb").write_bytes(bytes(50_000_001))
    (tmp_path / "emil.zip").write_bytes(zip_bytes({"05_not_good.ipynb": LESSON}))
    returns = {one.student: one for one in find_returns(tmp_path)}
    assert sorted(returns) == ["anna", "bert", "cora", "dora", "emil"]
    assert cells_of(returns.pop("emil").content)
    for name, message in (
        ("anna", "not a zip"),
        ("bert", "zip"),
        ("cora", "too large"),
        ("dora", "larger than 50,000,000"),
    ):
        with pytest.raises(Unreadable, match=message):
            cells_of(returns[name].content)


def test_an_archive_in_the_archive_of_a_platform_is_opened(tmp_path):
    own = zip_bytes({"work/05_not_good.ipynb": LESSON, "work/my_attention.py": b"# own"})
    moodle = {"Anna Müller_1000_assignsubmission_file_/work.zip": own}
    canvas = {"mulleranna_1234_5678_work.zip": own, "odebert_77_5679_05_not_good.ipynb": LESSON}
    canvas["odebert_77_5680_my_attention-1.py"] = b"# own"
    (tmp_path / "moodle.zip").write_bytes(zip_bytes(moodle))
    (tmp_path / "canvas.zip").write_bytes(zip_bytes(canvas))
    assert [(one.student, one.number, *one.files) for one in find_returns(tmp_path / "moodle.zip")] == [
        ("Anna Müller", "1000", "my_attention.py")
    ]
    assert [(one.student, one.number, *one.files) for one in find_returns(tmp_path / "canvas.zip")] == [
        ("mulleranna", "1234", "my_attention.py"),
        ("odebert", "77", "my_attention.py"),
    ]
    assert len(find_returns(tmp_path)) == 3


@pytest.mark.parametrize(
    ("paths", "students"),
    [
        (["anna/week 5/05_x.ipynb", "bert/week 5/05_x.ipynb"], ["anna", "bert"]),
        (["class/anna/05_x.ipynb", "class/bert/05_x.ipynb"], ["anna", "bert"]),
        (["anna/05_x.ipynb", "anna/old/05_x.ipynb", "bert/05_x.ipynb"], ["anna", "anna", "bert"]),
        (["class/anna/05_x.ipynb"], ["anna"]),
        (["علی\u200cرضا/05_x.ipynb"], ["علی\u200cرضا"]),
        (["one\n\x1b[2J\u202etwo/05_x.ipynb", "\u200f/05_x.ipynb"], ["no name", "one [2J two"]),
        (["Bo_1_assignsubmission_file_05_x.ipynb", "Bo_2_assignsubmission_file_05_x.ipynb"], ["Bo", "Bo"]),
    ],
)
def test_the_folder_of_a_student_is_known_from_all_of_them(tmp_path, paths, students):
    (tmp_path / "class.zip").write_bytes(zip_bytes(dict.fromkeys(paths, LESSON)))
    assert sorted(one.student for one in find_returns(tmp_path / "class.zip")) == students


@pytest.mark.parametrize("minor", range(6))
def test_a_notebook_of_each_format_gives_the_same_cells(minor):
    notebook = json.loads(LESSON)
    notebook["nbformat_minor"] = minor
    for cell in notebook["cells"] if minor < 5 else ():
        cell.pop("id", None)
    assert cells_of(json.dumps(notebook).encode()) == cells_of(LESSON)


def test_an_old_notebook_and_one_of_colab():
    old = nbformat.convert(nbformat.reads(LESSON.decode(), as_version=4), 3)
    assert checked_expressions(cells_of(nbformat.writes(old, version=nbformat.NO_CONVERT).encode())) == KNOWN["05"]
    colab = json.loads(LESSON) | {"metadata": {"colab": {"provenance": []}, "kernelspec": {"name": "python3"}}}
    colab["nbformat_minor"] = 0
    for cell in colab["cells"]:
        cell["metadata"] = {"id": cell.pop("id")}
    assert checked_expressions(cells_of(b"\xef\xbb\xbf" + json.dumps(colab).encode())) == KNOWN["05"]


@pytest.mark.parametrize(
    "content", [b"{no", b"", b"\xff\xfe", b"[]", b'{"cells": 3}', b'{"nbformat": 99, "cells": []}']
)
def test_what_is_no_notebook_is_said(content):
    with pytest.raises(Unreadable, match="no notebook"):
        cells_of(content)


def test_the_lesson_is_known_by_its_checks_then_by_its_name():
    assert lesson_of(cells_of(LESSON), "my answer.ipynb", KNOWN) == "05"
    assert lesson_of(["x = 1"], "06_masks.ipynb", KNOWN) == "06"
    assert lesson_of(["x = 1"], "shopping.ipynb", KNOWN) == lesson_of([], "99_x.ipynb", KNOWN) == ""


def test_checks_are_found_beside_magics_and_not_in_broken_cells():
    cells = ['%time 1\n!ls\ncheck("scores", scores_of)', "def broken(:", 'print("check")']
    assert checked_expressions(cells) == {"scores": "scores_of"}
    assert syntax_error_in(cells[0]) == "" and syntax_error_in(cells[1]).startswith("line 1: ")
    assert syntax_error_in("(" * 5000)
    assert checked_expressions(['%%time\ncheck("scores", scores_of)', "%%bash\necho check", "x = !ls\nmax?"]) == {
        "scores": "scores_of"
    }


@pytest.mark.parametrize(
    "cell", ["%time 1\n" * 9_000, 'check("scores", ' + "+".join("x" * 900) + ")", "(" * 90_000, "x\0"]
)
def test_a_cell_that_no_reader_stands_costs_nothing(cell):
    start = time.monotonic()
    checked_expressions([cell]), syntax_error_in(cell)
    assert time.monotonic() - start < 5


def test_every_exercise_of_the_course_is_checked_in_its_lesson():
    from course_utils.checks.exercises import LESSONS

    assert {number: set(wanted) for number, wanted in KNOWN.items()} == {n: set(names) for n, names in LESSONS.items()}
