"""Whose work counts: what is inside an archive names nobody, every file is accounted for, and nothing stops a class."""

import csv
import io
import json
import os
import shutil
import struct
import unicodedata
import zipfile

import grade
import pytest
from grading import archives
from grading.returns import find_returns, result_in_words
from honest import as_bytes, points, right

pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")
ANNA, BOB = "Anna Gross_1000_assignsubmission_file_", "Bob Klein_1001_assignsubmission_file_"
ALL = points("05_not_good")
RIGHT, EMPTY = as_bytes(right("05_not_good")), b'{"cells": [], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}'
STUB = (grade.ROOT / "notebooks" / "05_not_good.ipynb").read_bytes()
END = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, 46, 0, 0)
SOLVED = (grade.ROOT / "notebooks" / "solutions" / "05_not_good.ipynb").read_bytes()


def zipped(files, change=lambda entries: None, method=zipfile.ZIP_DEFLATED):
    """An archive of these files. change(entries): what its list says of them, which may not be true."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        change(archive.filelist)
    return content.getvalue()


def damaged(entries):
    entries[0].CRC = 1
    entries *= 300


def with_forged_end(content, comment=b""):
    """An archive whose last record declares a list of 46 bytes, and one before it the truth, as in large archives."""
    body, [size, start] = content[:-22], struct.unpack("<2L", content[-10:-2])
    if comment:
        return body + content[-22:-2] + struct.pack("<H", len(comment)) + comment
    whole = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 5_000, 5_000, size, start)
    return body + whole + struct.pack("<4sLQL", b"PK\6\7", 0, len(body), 1) + END


def put(folder, files):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def grade_class(tmp_path, files, *options, archive=False):
    """Grade a class of these files, {path: content}, and return {student: points}, and what class.md says."""
    place = put(tmp_path / "class", files)
    if archive:
        place = tmp_path / "class.zip"
        place.write_bytes(zipped(files))
    grade.main([str(place), "--out", str(tmp_path / "out"), "--lesson", "05", *options])
    with (tmp_path / "out" / "students.csv").open(encoding="utf-8", newline="") as file:
        points = {row["student"]: row["points"] for row in csv.DictReader(file)}
    return points, (tmp_path / "out" / "class.md").read_text(encoding="utf-8").replace("\\", "")


# What Anna hands in to have Bob's mark, or what she calls it: {path in the class: content}.
FORGED = {
    "Moodle, an absolute path": {f"{ANNA}/work.zip": zipped({f"/{BOB}/05_not_good (9).ipynb": EMPTY})},
    "Moodle, a relative path": {f"{ANNA}/work.zip": zipped({f"{BOB}/05_not_good (9).ipynb": EMPTY})},
    "Moodle, a path that leads out": {f"{ANNA}/work.zip": zipped({f"../{BOB}/05_not_good (9).ipynb": EMPTY})},
    "Moodle, a path of Windows": {f"{ANNA}/work.zip": zipped({f"..\\{BOB}\\05_not_good (9).ipynb": EMPTY})},
    "Moodle, an archive in an archive": {
        f"{ANNA}/work.zip": zipped({f"{BOB}/w.zip": zipped({f"{BOB}/05_not_good.ipynb": EMPTY})})
    },
    "Moodle, the name of a file": {f"{ANNA}/{BOB}05_not_good (9).ipynb": EMPTY},
    "Moodle, a folder in her folder": {f"{ANNA}/{BOB}/05_not_good (9).ipynb": EMPTY},
    "Moodle, an archive named like his": {f"{ANNA}/{BOB}.zip": zipped({"05_not_good (9).ipynb": EMPTY})},
    "Moodle, the name of Canvas": {f"{ANNA}/work.zip": zipped({"bobklein_1001_77_05_not_good-9.ipynb": EMPTY})},
}


@pytest.mark.parametrize("archive", [False, True])
@pytest.mark.parametrize("name", FORGED)
def test_nothing_in_an_archive_or_a_folder_of_hers_is_his(tmp_path, name, archive):
    files = {f"{BOB}/05_not_good.ipynb": RIGHT, **FORGED[name]}
    points, page = grade_class(tmp_path, files, archive=archive)
    assert points["Bob Klein"] == ALL and points["Anna Gross"] in ("", "0"), page
    if "leads out" in name or "absolute" in name or "Windows" in name:
        assert "its name leads out of the archive" in page


@pytest.mark.parametrize(
    "files",
    [
        {"anna.zip": zipped({"anna/05_not_good.ipynb": EMPTY, "bob/05_not_good (9).ipynb": EMPTY})},
        {"anna.zip": zipped({"bob.zip": zipped({"05_not_good (9).ipynb": EMPTY})})},
        {"anna/bob/05_not_good (9).ipynb": EMPTY},
        {"anna/bob_05_not_good (9).ipynb": EMPTY},
        {"bob_05_not_good (9).ipynb": EMPTY},  # called so by whoever sent it
        {"bob.zip": zipped({"05_not_good (9).ipynb": EMPTY})},
    ],
)
def test_in_a_plain_folder_a_conflict_lowers_nobody_s_mark(tmp_path, files):
    points, page = grade_class(tmp_path, {"bob/05_not_good.ipynb": RIGHT, "cleo/05_not_good.ipynb": STUB, **files})
    assert points["bob"] == ALL and points["cleo"] == "0", page
    if any(name.startswith("bob") for name in files):
        assert "- bob, lesson 05: class/bob: 05_not_good.ipynb counts; not class/bob" in page


def test_canvas_two_people_of_one_name_and_a_copy_of_each(tmp_path):
    files = {
        "grossanna_1000_78_work.zip": zipped({"kleinbob_1001_77_05_not_good-9.ipynb": EMPTY}),
        "kleinbob_1001_77_05_not_good.ipynb": RIGHT,
        "kleinbob_LATE_1001_79_05_not_good-1.ipynb": RIGHT.replace(
            b"import numpy as np", b"import numpy as np  # late", 1
        ),
        "kleinbob_1002_80_05_not_good.ipynb": STUB,
    }
    points, page = grade_class(tmp_path, files, archive=True)
    assert points == {"grossanna": "", "kleinbob (1001)": ALL, "kleinbob (1002)": "0"}
    assert "what came names kleinbob inside" in page and "05_not_good.ipynb (1) counts" in page


def test_the_last_of_one_person_counts_and_what_cannot_be_read_never_replaces_what_can(tmp_path):
    files = {
        **{f"last/05_not_good{end}.ipynb": text for end, text in {"": RIGHT, " (1)": STUB}.items()},
        **{f"broken/05_not_good{end}.ipynb": text for end, text in {"": RIGHT, " (1)": b"{no"}.items()},
        **{f"beside/{folder}/05_not_good.ipynb": text for folder, text in {"a": STUB, "b": RIGHT}.items()},
        f"long/05_not_good ({'1' * 5000}.ipynb"[:200] + ").ipynb": RIGHT,
    }
    points, page = grade_class(tmp_path, files)
    assert points == {"last": "0", "broken": ALL, "beside": ALL, "long": ALL}
    assert page.count("counts; not") == 3 and "broken, 05_not_good.ipynb: not graded; no notebook" in page


LONG_LIST = zipped({f"{i:0200}": b"" for i in range(5_000)})
BOMB = zipped({f"{i}.zip": zipped({f"{j}.ipynb": bytes(49_000_000) for j in range(4)}) for i in range(10)})


def test_no_archive_stops_the_class_and_each_is_named(tmp_path):
    many = zipped({f"{i}.txt": b"" for i in range(archives.MAX_FILES + 1)})
    files = {
        "good/05_not_good.ipynb": RIGHT,
        "digits.zip": zipped({f"05_not_good ({'1' * 5000}).ipynb": STUB}),
        "bomb.zip": BOMB,
        "many.zip": many,
        "deep.zip": zipped({"a.zip": zipped({"b.zip": zipped({"c.zip": zipped({"05_not_good.ipynb": RIGHT})})})}),
        "three.zip": zipped({"a.zip": zipped({"b.zip": zipped({"05_not_good.ipynb": RIGHT})})}),
        "list.zip": LONG_LIST,
        "forged.zip": with_forged_end(LONG_LIST),
        "comment.zip": with_forged_end(LONG_LIST, END + b" a comment"),
        "again.zip": zipped({"x.ipynb": bytes(1_000_000)}, damaged),
        "large.zip": zipped({"x.ipynb": b"", "y.ipynb": b""}, lambda entries: setattr(entries[0], "file_size", 10**9)),
        "packed.zip": zipped({"x.ipynb": bytes(10**6)}, method=zipfile.ZIP_BZIP2),
        "odd.zip": zipped(
            {"x.ipynb": STUB, "05_not_good.ipynb": RIGHT}, lambda entries: setattr(entries[0], "compress_type", 14)
        ),
        "damaged.zip": zipped({"05_not_good.ipynb": RIGHT})[:-40],
        "one.zip": damaged_in_the_middle(),
    }
    points, page = grade_class(tmp_path, files)
    named = ["bomb", "many", "deep", "list", "damaged", "forged", "comment", "again", "large", "packed"]
    assert points == {"good": ALL, "digits": "0", "three": ALL, "one": ALL, "odd": ALL} | dict.fromkeys(named, "")
    for student, reason in {
        "bomb": "too large when it is unpacked",
        "many": "2,000 files",
        "deep": "an archive in 3 others",
        "list": "its list of files is longer",
        "damaged": "cannot be read",
        "forged": "its list of files is longer",
        "comment": "cannot be read",
        "again": "too large when it is unpacked",
        "large": "larger than 50,000,000 bytes",
        "packed": "packed as few programs can",
        "one": "cannot be read: Bad CRC",
    }.items():
        assert any(line.startswith(f"- {student}") and reason in line for line in page.splitlines()), (student, page)


def test_odd_files_and_archives_are_named_and_lower_nobody_s_mark(tmp_path):
    umlauts = [unicodedata.normalize(form, "müller") for form in ("NFC", "NFD")]
    link = zipfile.ZipInfo("05_not_good.ipynb")
    link.external_attr = 0o120777 << 16
    files = {
        "bob/05_not_good.ipynb": RIGHT,
        "bob\u200b/05_not_good.ipynb": EMPTY,
        f"{umlauts[0]}/05_not_good.ipynb": RIGHT,
        f"{umlauts[1]}/05_not_good.ipynb": EMPTY,
        "dots.zip": zipped({".": RIGHT, "/": RIGHT, "CON/05_not_good.ipynb": RIGHT}),
        "empty.zip": zipped({}),
        "link.zip": zipped({link: "/etc/passwd"}),
        "ahead.zip": b"#!/bin/sh" + zipped({"05_not_good.ipynb": RIGHT}),
        "none.zip": RIGHT,
        "inside/05_not_good.ipynb": zipped({"05_not_good.ipynb": RIGHT}),
        "folder.zip/05_not_good.ipynb": RIGHT,
        "deep/05_not_good.ipynb": b"[" * 100_000 + b"]" * 100_000,
        "digits/05_not_good.ipynb": RIGHT.replace(b'"nbformat": 4', b'"x": ' + b"1" * 100_000 + b', "nbformat": 4'),
        "half/05_not_good.ipynb": RIGHT.replace(b'"nbformat": 4', b'"x": "\\ud800", "y": NaN, "nbformat": 4'),
        "rar.rar": b"Rar!",
    }
    (tmp_path / "class" / "pipe").mkdir(parents=True)
    os.mkfifo(tmp_path / "class" / "pipe" / "05_not_good.ipynb")
    points, page = grade_class(tmp_path, files)
    right_ones = ("bob", "müller", "dots", "ahead", "folder.zip", "half")
    empty = ("empty", "link", "none", "inside", "deep", "digits", "rar", "pipe")
    assert points == dict.fromkeys(right_ones, ALL) | dict.fromkeys(empty, ""), page
    assert not [name for name in (*empty, "dots") if f"- {name}" not in page]


ROSTER = "Identifier,Full name\nParticipant 1001,Bob Klein\nParticipant 1002,Bob Klein\nParticipant 1000,Anna Gross\n"


def test_namesakes_and_numbers_that_contradict_a_name_take_nobody_s_points(tmp_path):
    (tmp_path / "roster.csv").write_text(ROSTER + "Participant 1003,Klein Bob\n")
    files = {f"{ANNA}/05_not_good.ipynb": STUB, f"{BOB}/05_not_good.ipynb": RIGHT}
    points, _ = grade_class(tmp_path, files, "--roster", str(tmp_path / "roster.csv"))
    assert points == {"Anna Gross": "0", "Bob Klein (1001)": ALL, "Bob Klein (1002)": "0", "Klein Bob": "0"}
    moodle = (tmp_path / "out" / "moodle_05.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert sorted(line.split(",")[0] for line in moodle) == [f"Participant {n}" for n in (1000, 1001, 1002, 1003)]
    (tmp_path / "roster.csv").write_text("student,id\nAnna Gross,1001\nBob Klein,1000\n")  # ids of another kind
    points, page = grade_class(tmp_path, {}, "--roster", str(tmp_path / "roster.csv"))
    assert (points["Anna Gross"], points["Bob Klein"]) == ("0", ALL) or "Not on the roster" in page


@pytest.mark.parametrize(
    "files",
    [
        {"main/bob/05_not_good.ipynb": RIGHT, "late/anna/bob/05_not_good (9).ipynb": EMPTY},
        {"main/bob/05_not_good.ipynb": RIGHT, "late/bob/05_not_good (1).ipynb": EMPTY},
        {"main/bob/05_not_good.ipynb": RIGHT, "late/zoe/06_masks.ipynb": RIGHT},
        {"main/bob/my_work/05_not_good.ipynb": RIGHT, "late/Bob Klein_1001_assignsubmission_file_bob_1_x": EMPTY},
        {
            f"main/{BOB}/05_not_good.ipynb": RIGHT,
            "main/Bob Klein_1001_assignsubmission_file_x_1000_assignsubmission_file_/05_not_good (9).ipynb": EMPTY,
        },
    ],
)
def test_no_second_place_or_odd_name_lowers_a_mark(tmp_path, files):
    put(tmp_path, files)
    places = [str(tmp_path / name) for name in ("main", "late") if (tmp_path / name).exists()]
    grade.main([*places, "--out", str(tmp_path / "out"), "--lesson", "05"])
    rows = (tmp_path / "out" / "students.csv").read_text(encoding="utf-8").splitlines()
    assert any(row.lower().startswith("bob") and row.endswith(f",{ALL},{ALL}") for row in rows), rows


def test_names_of_any_bytes_and_many_notebooks_stop_nothing(tmp_path):
    put(tmp_path / "class", {"bob/05_not_good.ipynb": RIGHT})
    folder = os.fsencode(tmp_path / "class")
    os.mkdir(folder + b"/m\xfcller")
    with open(folder + b"/m\xfcller/l\xf6sung.ipynb", "wb") as file:
        file.write(RIGHT)
    many = {
        f"05_not_good-{i}.ipynb": STUB.replace(b"import numpy", b"import os, numpy" + b"  " * i) for i in range(120)
    }
    (tmp_path / "class" / "zip.zip").write_bytes(zipped(many))
    others = {f"00_{i}.ipynb": EMPTY.replace(b"[]", b'[{"cell_type": "code", "source": "%d"}]' % i) for i in range(120)}
    (tmp_path / "class" / "all.zip").write_bytes(zipped(others | {"05_not_good.ipynb": RIGHT}))
    returns, items = find_returns([tmp_path / "class"])
    assert len([one for one in returns if one.student == "zip"]) == 100 and len(items) == 243
    assert "05_not_good.ipynb" in [one.name for one in returns if one.student == "all"]
    assert "m?ller" in {one.student for one in returns}


def damaged_in_the_middle():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("notes.txt", b"a note that is damaged")
        archive.writestr("05_not_good.ipynb", RIGHT)
    return content.getvalue().replace(b"a note that is", b"a nose that is")


def test_every_file_is_accounted_for_and_who_handed_in_anything_has_no_zero(tmp_path):
    files = {
        "rar/work.rar": b"Rar!",
        "leaf.odt": b"PK",
        "left/.ipynb_checkpoints/05_not_good-checkpoint.ipynb": RIGHT,
        "page/05_not_good.html": b"<html>",
        "both/05_not_good.ipynb": RIGHT,
        "both/essay.docx": b"PK",
        "module/my_attention.py": b"x = 1",
        "data/data.json": b"[1, 2]",
        "cut/05_not_good.ipynb": RIGHT[:9000],
        "solution/my_work/solutions/05_not_good.ipynb": SOLVED,
        "work/my_work/05_not_good.ipynb": STUB,
        "work/my_work/solutions/05_not_good.ipynb": SOLVED,
        "other/04_queries_keys_values.ipynb": (grade.ROOT / "notebooks/04_queries_keys_values.ipynb").read_bytes(),
        "both/.ipynb_checkpoints/05_not_good-checkpoint.ipynb": STUB,
        "both/__MACOSX/._05_not_good.ipynb": b"",
        "nobody.txt": b"",
        "sheet.pdf": b"",
        "SHEET.md": b"",
        "GLOSSARY.md": b"",
    }
    (tmp_path / "roster.csv").write_text(
        "student\n" + "\n".join(["absent", "rar", "page", "both", "module", "data", "cut", "leaf", "left"])
    )
    points, page = grade_class(tmp_path, files, "--take", "best", "--roster", str(tmp_path / "roster.csv"))
    empty = dict.fromkeys(["rar", "page", "module", "data", "cut", "solution", "other", "absent", "leaf", "left"], "")
    assert points == {"both": ALL, "work": "0"} | empty
    assert "Not on the roster: other, solution, work." in page and "No notebook came from: absent." in page
    for words in (
        "rar, work.rar: not graded; nothing that can be graded came. work.rar: not read",
        "both: both/essay.docx (not read: neither a notebook",
        "solution, 05_not_good.ipynb: not graded; nothing that can be graded came. 05_not_good.ipynb: the course's own",
        "nobody: nobody.txt",
        "module, my_attention.py: not graded; nothing that can be graded came. my_attention.py: no notebook beside it",
        "other, 04_queries_keys_values.ipynb: another lesson",
    ):
        assert words in page, page
    with (tmp_path / "out" / "files.csv").open(encoding="utf-8", newline="") as file:
        assert sorted(row["file"] for row in csv.DictReader(file)) == sorted(files)
    (tmp_path / "roster.csv").write_text("student\nabsent\n" + "\n".join(points))
    assert grade_class(tmp_path, {}, "--roster", str(tmp_path / "roster.csv"))[0]["absent"] == "0"


def test_what_the_machine_holds_stays_closed_to_links_and_a_place_that_is_none_is_said(tmp_path):
    (tmp_path / "secret").write_bytes(RIGHT)
    put(tmp_path / "class", {"anna/05_not_good.ipynb": STUB})
    (tmp_path / "class" / "anna" / "06_masks.ipynb").symlink_to(tmp_path / "secret")
    returns, items = find_returns([tmp_path / "class"])
    assert len(returns) == 1 and "not read: a link, a folder that is closed, or no file" in [
        result_in_words(item, {}) for item in items
    ]
    (tmp_path / "no.zip").write_bytes(b"PK")
    (tmp_path / "roster.csv").write_text('student\n"' + "x" * 200_000)  # a mark that nobody closed
    for place, said, *options in (
        ("nowhere", "nowhere"),
        ("no.zip", "no.zip"),
        ("class", "is one of 00, 01", "--lesson", "5"),
        ("class", "larger than field limit", "--roster", str(tmp_path / "roster.csv")),
    ):
        with pytest.raises(SystemExit, match=said):
            grade.main([str(tmp_path / place), "--out", str(tmp_path / "out"), *options])


def test_several_places_are_one_class(tmp_path):
    one, other = put(tmp_path / "one", {"anna/05_not_good.ipynb": RIGHT}), tmp_path / "other.zip"
    other.write_bytes(zipped({f"{BOB}/05_not_good.ipynb": RIGHT}))
    grade.main([str(one), str(other), "--out", str(tmp_path / "out")])
    rows = (tmp_path / "out" / "graded.jsonl").read_text().splitlines()
    assert len(rows) == 1 and json.loads(rows[0].partition("\t")[2])["lesson"] == "05"  # equal work is judged once
    marks = (tmp_path / "out" / "students.csv").read_text().splitlines()[1:]
    assert marks == [f"anna,{ALL},{ALL}", f"Bob Klein,{ALL},{ALL}"]
