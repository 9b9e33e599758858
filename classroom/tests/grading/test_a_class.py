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
    "scores": "return Q @ K.T / np.sqrt(Q.shape[1])",
}
WRONG = {"scores": "return Q @ K.T", "weights": "return np.exp(Q @ K.T) / np.exp(Q @ K.T).sum(axis=0)"}
DONE = dict.fromkeys(RIGHT, ("done", "")) | dict.fromkeys(("weights", "attention"), ("not started", ""))
CLASS = 60
LIMITS = "--cell-seconds", "10", "--seconds", "60", "--jobs", "2"
pytestmark = [
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
    pytest.mark.xdist_group("a class"),  # judged by two processes: not beside the other class
]


def lesson_with(solutions, first_cell="", instead=None):
    """Lesson 04 with these solutions, another cell at the start, and one instead of the cell that checks `scores`."""
    notebook = nbformat.read(LESSON, as_version=4)
    for cell in notebook.cells:
        for name, line in solutions.items():
            if f'check("{name}"' in cell.source:
                cell.source = cell.source.replace("...  # your code", line)
        if instead and 'check("scores"' in cell.source:
            cell.source = instead
    notebook.cells.insert(1, nbformat.v4.new_code_cell(first_cell))
    notebook.cells.append(nbformat.v4.new_code_cell(GOES_ON if instead else ""))
    return notebook


def hand_in(folder, student, notebook):
    (folder / student).mkdir(parents=True)
    nbformat.write(notebook, folder / student / LESSON.name)


def start_grading(folder, out, *options):
    """Start the command, with Ctrl-C switched on, which processes in the background ignore."""
    command = [sys.executable, ROOT / "classroom" / "grade.py", folder, "--out", out, *options]
    python_path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    variables = os.environ | {"PYTHONPATH": python_path, "SECRET_OF_THE_GRADER": "x", "COLUMNS": "100"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    allow_interrupts = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    return subprocess.Popen(list(map(str, command)), env=variables, **pipes, **allow_interrupts)


def digests_in(out):
    return [json.loads(line.partition("\t")[2])["digest"] for line in (out / FILE).read_text().splitlines()]


def states(out):
    """Return {student: {exercise: (state, mistakes)}} from a folder of results."""
    states_by_student = {}
    with (out / "exercises.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["state"] == "remark":
                continue  # what was passed over says nothing about what is earned
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
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        yield server


@pytest.fixture(scope="module")
def results(tmp_path_factory, canary, door):
    """The graded class, interrupted once and resumed: the folders, the last words before, and what was graded then."""
    folder, out = tmp_path_factory.mktemp("returns"), tmp_path_factory.mktemp("results")
    blanks = {"{CANARY}": str(canary), "{PORT}": str(door.getsockname()[1]), "{MARK}": "left-behind"}
    for name, cell in (HOSTILE | TOO_MUCH | ODD | REACHING).items():
        for blank, text in blanks.items():
            cell = cell.replace(blank, text)
        solutions = WRONG if name in HOSTILE else {"scores": UNREACHED} if name in REACHING else RIGHT
        hand_in(folder, name, lesson_with(solutions, cell))
    for name, (cell, _) in WITHOUT_A_CHECK.items():
        hand_in(folder, name, lesson_with(RIGHT, instead=cell))
    for student in ("odd 1", "odd 2"):
        hand_in(folder, student, lesson_with(RIGHT | {"scores": "return Q @ K.T * 3 + len(K)"}, f"# {student}"))
    hand_in(folder, "wrong", lesson_with(WRONG))
    for i in range(CLASS - len(list(folder.iterdir()))):
        hand_in(folder, f"good {i}", lesson_with(RIGHT, f"# {i}"))
    process = start_grading(folder, out, *LIMITS)
    deadline = time.monotonic() + 240
    while not (out / FILE).exists() or len(digests_in(out)) < 3:
        assert time.monotonic() < deadline and process.poll() is None, process.stdout.read()
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    last_words, before = process.communicate(timeout=30)[0], digests_in(out)
    resumed = start_grading(folder, out, *LIMITS)
    output, _ = resumed.communicate(timeout=900)
    assert resumed.returncode == 0, output
    return folder, out, last_words, before


def test_after_ctrl_c_nothing_is_graded_twice_or_lost(results):
    folder, out, last_words, before = results
    digests = digests_in(out)
    assert "the same command goes on" in last_words and before and digests[: len(before)] == before
    assert len(digests) == len(set(digests)) and set(states(out)) == {path.name for path in folder.iterdir()}


def is_earned(name, found):
    """Whether an unusual return has the states that it earned: {exercise: (state, mistakes)}."""
    whole, scores = found.get("", ("", ""))[0], found["scores"]
    if name in HOSTILE:
        honest = whole in ("suspect", "not graded") or scores in (("not yet", "scale-missing"), ("not yet", "raises"))
        return honest and "done" not in {state for state, _ in found.values()}
    if name in TOO_MUCH:
        return whole == "not graded" or (name in ("takes 2 GB", "fills the disk") and scores[0] == "done")
    if name in WITHOUT_A_CHECK:  # the course's own answer is never taken for the student's
        return scores[0] == WITHOUT_A_CHECK[name][1]
    return scores == ("done", "")


@pytest.mark.parametrize("name", HOSTILE | TOO_MUCH | WITHOUT_A_CHECK | ODD | REACHING)
def test_a_return_gets_what_it_earned_and_reaches_nothing_of_the_machine(results, name):
    found = states(results[1])[name]
    assert is_earned(name, found), found


def test_the_machine_and_the_course_are_as_before(results, canary, door):
    assert canary.read_text() == "alive" and [path.name for path in canary.parent.iterdir()] == ["canary"]
    assert not list(Path(sys.prefix).rglob("evil.pth"))
    with pytest.raises(TimeoutError):
        door.accept()
    orphans = [p.info["cmdline"] or [] for p in psutil.process_iter(["cmdline", "ppid"]) if p.info["ppid"] == 1]
    assert not [words for words in orphans if "grading.inside" in " ".join(words)]


def test_filters_of_system_calls_are_whole_and_none_is_guessed():
    for machine in MACHINES:
        steps = list(struct.iter_unpack("<HBBI", filter_program(machine)))
        jumps = [(i, step) for i, step in enumerate(steps) if step[0] in (0x15, 0x35, 0x45)]
        assert max(i + 1 + skipped for i, step in jumps for skipped in step[1:3]) < len(steps)
        assert steps[-1] == (0x06, 0, 0, ALLOW)
    assert filter_program("riscv64") == b""


def test_right_returns_are_done_and_a_wrong_one_reads_its_mistakes(results):
    student_states = states(results[1])
    good = [found for name, found in student_states.items() if name.startswith("good")]
    assert len(student_states) == CLASS and len(good) > CLASS / 3 and all(found == DONE for found in good)
    assert student_states["wrong"]["weights"] == ("not yet", "scale-missing softmax-axis")


def test_the_page_of_the_class_the_tables_and_the_feedback(results):
    _, out, _, _ = results
    page = (out / "class.md").read_text(encoding="utf-8")
    assert re.search(r"- `scores`, 2 of them: odd 1, odd 2\.\n  Gave back: `\(\d, \d\) \[\[", page)
    assert "| `scale-missing` |" in page and re.search(r"- forges the judge, .*: suspect", page)
    feedback = (out / "feedback" / "wrong.html").read_text(encoding="utf-8")
    assert "scale-missing" in feedback and "<script" not in feedback and "http" not in feedback
    written = [path.read_text(encoding="utf-8") for path in out.rglob("*.*") if path.suffix != ".jsonl"]
    assert not [sign for text in written for sign in "\x1b\u2028" if sign in text]
    assert "<script" not in "".join(text for text in written if not text.startswith("student,"))
    assert (out / "moodle_04.csv").exists() and (out / "canvas.csv").exists()
