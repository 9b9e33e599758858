"""Grading on a local Dask cluster of three workers, one of which is killed."""

import os
import shutil
import signal

import grade
import pytest
from test_a_class import RIGHT, WRONG, digests_in, hand_in, lesson_with, states

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")


def test_a_worker_that_is_killed_loses_no_return_and_none_counts_twice(tmp_path, monkeypatch):
    folder, out = tmp_path / "returns", tmp_path / "results"
    for i in range(12):
        hand_in(folder, f"student {i}", lesson_with(RIGHT if i % 3 else WRONG, f"# {i}"))
    add = grade.Records.add
    with distributed.LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None) as cluster:
        pids = [worker.pid for worker in cluster.workers.values()]

        def add_and_kill(records, graded):
            add(records, graded)
            if len(records.lines) == 2:
                os.kill(pids[0], signal.SIGKILL)

        monkeypatch.setattr(grade.Records, "add", add_and_kill)
        grade.main([str(folder), "--out", str(out), "--scheduler", cluster.scheduler_address])
    assert len(digests_in(out)) == len(set(digests_in(out))) == 12
    wanted = {f"student {i}": ("done", "") if i % 3 else ("not yet", "scale-missing") for i in range(12)}
    assert {student: found["scores"] for student, found in states(out).items()} == wanted
