"""The study of many seeds: an interruption loses nothing, a changed recipe begins anew, the table holds every run."""

import inspect
import json
import sys
from concurrent.futures import Future
from pathlib import Path

import pytest

from course_utils.cls_reader import load_study

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
import review_study
import study


class HereAndNow:
    """Stands in for the pool of processes: each job runs when it is submitted."""

    def __init__(self, *_, **__): ...
    def __enter__(self):
        return self

    def __exit__(self, *_): ...
    def submit(self, function, *arguments):
        job = Future()
        try:
            job.set_result(function(*arguments))
        except KeyError as error:
            job.set_exception(error)
        return job


@pytest.fixture
def trained(monkeypatch):
    """Count the runs, and break off where one is asked to."""
    runs = []

    def measure(run, path):
        if run["seed"] == trained_until:
            raise KeyError("interrupted")
        runs.append(run)
        row = run | {"accuracy": 1.0, "decoy_accuracy": 1.0, "weight": 0.999}
        path.write_text(json.dumps(row))
        return row

    trained_until = 2
    monkeypatch.setattr(study, "ProcessPoolExecutor", HereAndNow)
    monkeypatch.setattr(study, "measure", measure)
    return runs


def test_an_interrupted_study_goes_on_where_it_stopped(trained, tmp_path):
    with pytest.raises(KeyError):
        study.run_all(study.settings(3, varied=0), tmp_path)
    assert len(trained) == 6  # seeds 0 and 1 with three recipes; seed 2 broke off
    rows = study.run_all(study.settings(2, varied=1), tmp_path)
    assert len(trained) == 7  # the one setting that was missing, and no finished run again
    assert [row["seed"] for row in rows] == [0, 0, 0, 1, 1, 1, 100]


def test_a_run_is_named_by_all_that_makes_it(trained, tmp_path):
    runs = study.settings(1, varied=40)
    rows = study.run_all(runs, tmp_path)
    assert len(trained) == len(rows) == len(list(tmp_path.iterdir())) == 43


@pytest.mark.parametrize(
    ("which", "changed"),
    [
        (study, "cls_model"),
        (study, "cls_task"),
        (review_study, "review_model"),
        (review_study, "review_task"),
        (review_study, "review_reader"),
        (review_study, "layers"),
    ],
)
def test_the_fingerprint_follows_each_module(which, changed, monkeypatch):
    before, real = which.fingerprint(), inspect.getsource
    monkeypatch.setattr(inspect, "getsource", lambda module: real(module) + "#" * module.__name__.endswith(changed))
    assert which.fingerprint() != before


def test_the_shipped_table_holds_every_run_and_every_focused_one_looks():
    table = load_study()
    assert len(table) == len(study.settings(20))
    focused = [run for run in table if run["recipe"] == "focused"]
    assert len(focused) == 60
    assert all(run["decoy_accuracy"] == 1 and run["weight"] >= 0.99 for run in focused)


def test_the_settings_span_what_the_recipe_promises():
    varied = study.settings(0, varied=40)
    assert {run["length"] for run in varied} == set(range(4, 13))
    assert {run["vocab_size"] for run in varied} == {20, 35, 51, 100, 200}
    assert all(1 <= run["position"] <= run["length"] and 1 <= run["target"] < run["vocab_size"] for run in varied)
