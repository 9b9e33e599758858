"""Grade a class of good, bad and hostile returns, interrupted in the middle and resumed."""

import csv
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import psutil
import pytest
from grading.records import FILE
from grading.system_calls import ALLOW, MACHINES, filter_program
from hostile import GOES_ON, HOSTILE, ODD, REACHING, TOO_MUCH, UNREACHED, WITHOUT_A_CHECK

ROOT = Path(__file__).resolve().parents[3]
LESSON = ROOT / "notebooks" / "04_queries_keys_values.ipynb"
RIGHT = {
    "embed": "return E[ids]",
    "project": "return X @ W_Q, X @ W_K, X @ W_V",
    "scores": "return Q @ K.T / np.sqrt(Q.shape[1])",
}
WRONG = {"scores": "return Q @ K.T", "weights": "return np.exp(Q @ K.T) / np.exp(Q @ K.T).sum(axis=0)"}
CLASS = 60
pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")


def lesson_with(solutions, first_cell=""):
    """Lesson 04 with these solutions, and optionally another cell at the start."""
    notebook = nbformat.read(LESSON, as_version=4)
    for cell in notebook.cells:
        for name, line in solutions.items():
            if f'check("{name}"' in cell.source:
                cell.source = cell.source.replace("...  # your code", line)
    if first_cell:
        notebook.cells.insert(1, nbformat.v4.new_code_cell(first_cell))
    return notebook


def without_a_check(instead):
    notebook = lesson_with(RIGHT)
    for cell in notebook.cells:
        if 'check("scores"' in cell.source:
            cell.source = instead
    notebook.cells.append(nbformat.v4.new_code_cell(GOES_ON))
    return notebook


def hand_in(folder, student, notebook):
    (folder / student).mkdir(parents=True)
    nbformat.write(notebook, folder / student / LESSON.name)


def grade(folder, out, *options, wait=True):
    command = [sys.executable, ROOT / "classroom" / "grade.py", folder, "--out", out, *options]
    python_path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    variables = os.environ | {"PYTHONPATH": python_path, "SECRET_OF_THE_GRADER": "x", "COLUMNS": "100"}
    process = subprocess.Popen(
        list(map(str, command)),
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL
        ),  # background processes ignore Ctrl-C by default
    )
    if not wait:
        return process
    output, _ = process.communicate(timeout=900)
    assert process.returncode == 0, output.decode()
    return output.decode()


def states(out):
    """Return {student: {exercise: (state, mistakes)}} from a folder of results."""
    states_by_student = {}
    with (out / "exercises.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            states_by_student.setdefault(row["student"], {})[row["exercise"]] = (row["state"], row["mistakes"])
    return states_by_student


@pytest.fixture(scope="module")
def canary(tmp_path_factory):
    path = tmp_path_factory.mktemp("machine") / "canary"
    path.write_text("alive")
    return path


@pytest.fixture(scope="module")
def door():
    """A local server that no sandbox may reach."""
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(0.1)
    yield server
    server.close()


@pytest.fixture(scope="module")
def results(tmp_path_factory, canary, door):
    """The graded class, interrupted once and resumed."""
    folder, out = tmp_path_factory.mktemp("returns"), tmp_path_factory.mktemp("results")
    blanks = {"{CANARY}": str(canary), "{PORT}": str(door.getsockname()[1]), "{MARK}": "left-behind"}
    for name, cell in (HOSTILE | TOO_MUCH | ODD).items():
        for blank, text in blanks.items():
            cell = cell.replace(blank, text)
        hand_in(folder, name, lesson_with(WRONG if name in HOSTILE else RIGHT, cell))
    for name, cell in REACHING.items():
        hand_in(folder, name, lesson_with({"scores": UNREACHED}, cell))
    for name, (cell, _) in WITHOUT_A_CHECK.items():
        hand_in(folder, name, without_a_check(cell))
    for student in ("odd 1", "odd 2"):
        hand_in(folder, student, lesson_with(RIGHT | {"scores": "return Q @ K.T * 3 + len(K)"}, f"# {student}"))
    hand_in(folder, "wrong", lesson_with(WRONG))
    for i in range(CLASS - len(list(folder.iterdir()))):
        hand_in(folder, f"good {i}", lesson_with(RIGHT, f"# {i}"))
    limits = ["--cell-seconds", "10", "--seconds", "60", "--jobs", "2"]
    process = grade(folder, out, *limits, wait=False)
    deadline = time.monotonic() + 120
    while not (out / FILE).exists() or len((out / FILE).read_text().splitlines()) < 3:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    first_words = process.communicate(timeout=30)[0].decode()
    before = (out / FILE).read_text().splitlines()
    grade(folder, out, *limits)
    return folder, out, first_words, before


def test_after_ctrl_c_nothing_is_graded_twice_or_lost(results):
    folder, out, first_words, before = results
    lines = (out / FILE).read_text().splitlines()
    assert "the same command goes on" in first_words
    assert lines[: len(before)] == before
    digests = [json.loads(line.partition("\t")[2])["digest"] for line in lines]
    assert len(digests) == len(set(digests))
    assert set(states(out)) == {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_means_harm_gets_no_mark_that_it_did_not_earn(results, name):
    student_states = states(results[1])[name]
    assert "done" not in {state for state, _ in student_states.values()}
    earned = ("not yet", "scale-missing"), ("not yet", "raises")
    assert student_states["scores"] in earned or student_states[""][0] in ("suspect", "not graded")


def test_the_machine_and_the_course_are_as_before(results, canary, door):
    assert canary.read_text() == "alive"
    assert [path.name for path in canary.parent.iterdir()] == ["canary"]
    assert not list(Path(sys.prefix).rglob("evil.pth"))
    with pytest.raises(TimeoutError):
        door.accept()
    assert not [p for p in psutil.process_iter(["cmdline"]) if "grading.inside" in " ".join(p.info["cmdline"] or [])]


def test_filters_of_system_calls_are_whole_and_none_is_guessed():
    for machine in MACHINES:
        steps = list(struct.iter_unpack("<HBBI", filter_program(machine)))
        ends = {
            i + 1 + skipped for i, step in enumerate(steps) if step[0] in (0x15, 0x35, 0x45) for skipped in step[1:3]
        }
        assert max(ends) < len(steps) and steps[-1] == (0x06, 0, 0, ALLOW)
    assert filter_program("riscv64") == b""


@pytest.mark.parametrize("name", REACHING)
def test_nothing_of_the_machine_is_reached(results, name):
    with (results[1] / "exercises.csv").open(encoding="utf-8", newline="") as file:
        [scores] = [r for r in csv.DictReader(file) if (r["student"], r["exercise"]) == (name, "scores")]
    assert scores["state"] == "done", scores["message"]


@pytest.mark.parametrize("name", TOO_MUCH)
def test_what_takes_too_much_is_stopped_and_costs_its_own_rows(results, name):
    student_states = states(results[1])[name]
    stopped = student_states.get("", ("", ""))[0] == "not graded"
    assert stopped or (name in ("takes 2 GB", "fills the disk") and student_states["scores"][0] == "done")


@pytest.mark.parametrize("name", ODD)
def test_what_is_only_odd_is_graded(results, name):
    assert states(results[1])[name]["scores"] == ("done", "")


@pytest.mark.parametrize("name", WITHOUT_A_CHECK)
def test_the_course_s_own_answer_is_never_taken_for_the_student_s(results, name):
    assert states(results[1])[name]["scores"][0] == WITHOUT_A_CHECK[name][1]


def test_answers_that_no_mistake_explains_stand_together(results):
    page = (results[1] / "class.md").read_text(encoding="utf-8")
    assert re.search(r"- `scores`, 2 of them: odd 1, odd 2\.\n  Gave back: `\(\d, \d\) \[\[", page)


def test_a_right_return_and_a_wrong_one(results):
    student_states = states(results[1])
    good = [name for name in student_states if name.startswith("good")]
    assert len(student_states) == CLASS and len(good) > CLASS / 3
    for name in good:
        assert student_states[name] == {
            "embed": ("done", ""),
            "project": ("done", ""),
            "scores": ("done", ""),
            "weights": ("not started", ""),
            "attention": ("not started", ""),
        }
    assert student_states["wrong"]["weights"] == ("not yet", "scale-missing softmax-axis")


def test_the_tables_the_feedback_and_the_page(results):
    _, out, _, _ = results
    page = (out / "class.md").read_text(encoding="utf-8")
    assert "| `scale-missing` |" in page
    assert re.search(r"- forges the judge, .*: suspect", page)
    feedback = (out / "feedback" / "wrong.html").read_text(encoding="utf-8")
    assert "scale-missing" in feedback and "<script" not in feedback and "http" not in feedback
    written = [path.read_text(encoding="utf-8") for path in out.rglob("*.*") if path.suffix != ".jsonl"]
    assert not [sign for text in written for sign in "\x1b\u2028" if sign in text] and "<script" not in "".join(
        text for text in written if not text.startswith("student,")
    )
    assert (out / "moodle_04.csv").exists() and (out / "canvas.csv").exists()
