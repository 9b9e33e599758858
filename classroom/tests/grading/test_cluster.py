"""Grading on a local Dask cluster of three workers, one of which is killed."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from grading.records import FILE
from test_a_class import RIGHT, WRONG, grade, hand_in, lesson_with, states

ROOT = Path(__file__).resolve().parents[3]
pytest.importorskip("distributed")
pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")
HERE = {"PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(ROOT), str(ROOT / "classroom")])}


def start(log, *words):
    command = [sys.executable, "-m", "dask", *words]
    return psutil.Popen(command, env=os.environ | HERE, stdout=log, stderr=subprocess.STDOUT)


@pytest.fixture
def cluster(tmp_path):
    """The address of a scheduler, and its workers."""
    with (tmp_path / "log").open("w+") as log:
        scheduler = start(log, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        deadline = time.monotonic() + 60
        while not (address := re.search(r"tcp://[\d.:]+", (tmp_path / "log").read_text())):
            assert time.monotonic() < deadline and scheduler.poll() is None
            time.sleep(0.1)
        worker = ["worker", address[0], "--nthreads", "1", "--no-dashboard", "--local-directory", str(tmp_path)]
        workers = [start(log, *worker) for _ in range(3)]
        yield address[0], workers
        for process in (*workers, scheduler):
            for member in [*process.children(recursive=True), process] if process.is_running() else ():
                member.kill()
        psutil.wait_procs([*workers, scheduler], 10)


def test_a_worker_that_is_killed_loses_no_return_and_none_counts_twice(cluster, tmp_path):
    address, workers = cluster
    folder, out = tmp_path / "returns", tmp_path / "results"
    for i in range(12):
        hand_in(folder, f"student {i}", lesson_with(RIGHT if i % 3 else WRONG, f"# {i}"))
    process = grade(folder, out, "--scheduler", address, wait=False)
    deadline = time.monotonic() + 240
    while not (out / FILE).exists() or len((out / FILE).read_text().splitlines()) < 2:
        assert time.monotonic() < deadline and process.poll() is None, process.stdout.read()
        time.sleep(0.1)
    for member in [*workers[0].children(recursive=True), workers[0]]:
        member.kill()
    output = process.communicate(timeout=400)[0].decode()
    assert process.returncode == 0, output
    digests = [json.loads(line.partition("\t")[2])["digest"] for line in (out / FILE).read_text().splitlines()]
    assert len(digests) == len(set(digests)) == 12
    student_states = states(out)
    assert {student_states[f"student {i}"]["scores"][0] for i in range(12) if i % 3} == {"done"}
    assert {student_states[f"student {i}"]["scores"] for i in range(0, 12, 3)} == {("not yet", "scale-missing")}
