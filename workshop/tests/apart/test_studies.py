"""Studies: an interruption loses nothing, a changed recipe begins anew, what is shipped was made by this code."""

import inspect
import json
from concurrent.futures import Future

import card_study
import cls_study
import jobs
import pytest
import question_study
import review_study
import writer_study

from course_utils.models import review_reader
from course_utils.tasks.review_task import make_reviews


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
    """Count the runs of the study of classifiers, and break off at seed 2."""
    runs = []

    def measure(run, path):
        path.write_text("half of it")
        if run["seed"] == 2:
            raise KeyError("interrupted")
        runs.append(run)
        path.write_text(json.dumps(run | {"accuracy": 1.0, "decoy_accuracy": 1.0, "weight": 0.999}))

    monkeypatch.setattr(jobs, "ProcessPoolExecutor", HereAndNow)
    monkeypatch.setattr(cls_study, "measure", measure)
    return runs


def test_an_interrupted_study_goes_on_where_it_stopped(trained, tmp_path):
    with pytest.raises(KeyError):
        jobs.rows_of(cls_study.settings(3, varied=0), tmp_path, cls_study.measure)
    assert len(trained) == 6  # seeds 0 and 1 with three recipes; seed 2 broke off, and left no result
    assert len([path for path in tmp_path.iterdir() if not path.name.startswith("part-")]) == 6
    rows = jobs.rows_of(cls_study.settings(2, varied=1), tmp_path, cls_study.measure)
    assert len(trained) == 7  # the one setting that was missing, and no finished run again
    assert [row["seed"] for row in rows] == [0, 0, 0, 1, 1, 1, 100]


@pytest.mark.parametrize(
    ("which", "changed"),
    [
        (card_study, "card_model"),
        (cls_study, "cls_model"),
        (question_study, "cls_model"),
        (review_study, "review_model"),
        (writer_study, "writer_model"),
        (writer_study, "writing_rows"),
    ],
)
def test_the_fingerprint_follows_the_code(which, changed, monkeypatch):
    before, real = which.code(), inspect.getsource
    monkeypatch.setattr(inspect, "getsource", lambda part: real(part) + "\nmore" * part.__name__.endswith(changed))
    assert which.code() != before


def test_the_fingerprint_follows_a_number_that_stands_elsewhere(monkeypatch):
    before = cls_study.code()
    monkeypatch.setattr("course_utils.cls_reader.EPSILON", 0.25)
    assert cls_study.code() != before


@pytest.mark.parametrize("study", [card_study, cls_study, question_study, review_study, writer_study])
def test_what_is_shipped_was_made_by_the_code_that_is_here(study):
    code, made_by = study.code(), study.SHIPPED / jobs.MADE_BY
    if study is card_study:
        assert study.adapter_code() in jobs.known_codes(study.SHIPPED), "run the study with --ship"
    if study is writer_study:
        assert study.induction_code() in jobs.known_codes(study.SHIPPED), "run the study with --ship"
    assert code in jobs.known_codes(study.SHIPPED), (
        f"The code that trains has changed. Train one run of each recipe. If it gives the same numbers, add {code} to "
        f"{made_by.relative_to(jobs.ROOT)}; if not, run the study with --ship."
    )


def test_runs_of_code_that_gives_the_same_numbers_count(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "RESULTS", tmp_path)
    (tmp_path / jobs.MADE_BY).write_text("new1\nold1 the same code before it was moved\n")
    assert jobs.folder_of_runs("study", "new1", tmp_path) == tmp_path / "study" / "new1"
    (tmp_path / "study" / "old1").mkdir(parents=True)
    assert jobs.folder_of_runs("study", "new1", tmp_path) == tmp_path / "study" / "old1"
    assert jobs.folder_of_runs("study", "changed", tmp_path) == tmp_path / "study" / "changed"
    (tmp_path / "study" / "new1").mkdir()
    assert jobs.folder_of_runs("study", "new1", tmp_path) == tmp_path / "study" / "new1"


def test_the_row_of_the_shipped_reviewer_is_measured_again():
    """All figures of seed 0: reading in NumPy gives the shipped row, whatever the way it is computed."""
    reader, [row, *_] = review_reader.load_reader(), review_reader.load_study()
    tests = {split: make_reviews(review_study.N_TEST, split=split, seed=10_000) for split in ("held out", "new pairs")}
    found = review_study.skill(reader, tests) | review_study.looks(reader, tests["held out"])
    assert {"seed": 0} | {name: round(value, 4) for name, value in found.items()} == row
