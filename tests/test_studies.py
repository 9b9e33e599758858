"""Studies: an interruption loses nothing, a changed recipe begins anew, what is shipped was made by this code."""

import inspect
import json
from concurrent.futures import Future

import cls_study
import jobs
import pytest
import question_study
import review_study
import writer_study

from course_utils.models import cls_reader, own_study, review_reader
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
        (cls_study, "cls_model"),
        (cls_study, "cls_task"),
        (question_study, "cls_model"),
        (question_study, "both"),
        (question_study, "measured"),
        (review_study, "review_model"),
        (review_study, "review_task"),
        (review_study, "sinusoidal_positions"),
        (writer_study, "writer_model"),
        (writer_study, "review_task"),
        (writer_study, "writing_rows"),
        (writer_study, "sinusoidal_positions"),
    ],
)
def test_the_fingerprint_follows_the_code(which, changed, monkeypatch):
    before, real = which.code(), inspect.getsource
    monkeypatch.setattr(inspect, "getsource", lambda part: real(part) + "\nmore" * part.__name__.endswith(changed))
    assert which.code() != before


@pytest.mark.parametrize(
    ("which", "constant"),
    [
        (cls_study, "cls_reader.EPSILON"),
        (cls_study, "QUIET_TENSORFLOW"),
        (review_study, "review_reader.EPSILON"),
        (review_study, "review_reader.SPREAD"),
        (review_study, "review_reader.LAYERS"),
        (writer_study, "writer_reader.EPSILON"),
        (writer_study, "writer_reader.N_BLOCKS"),
    ],
)
def test_the_fingerprint_follows_the_numbers_that_stand_elsewhere(which, constant, monkeypatch):
    before = which.code()
    monkeypatch.setattr(f"course_utils.{constant}", 0.25)
    assert which.code() != before


@pytest.mark.parametrize("study", [cls_study, question_study, review_study, writer_study])
def test_what_is_shipped_was_made_by_the_code_that_is_here(study):
    code, made_by = study.code(), study.SHIPPED / jobs.MADE_BY
    assert code in jobs.known_codes(study.SHIPPED), (
        f"The code that trains has changed. Train one run of each recipe. If it gives the same numbers, add {code} to "
        f"{made_by.relative_to(jobs.ROOT)}; if not, run the study with --ship."
    )


def test_the_heads_that_are_shipped_were_found_by_the_code_that_is_here(monkeypatch):
    assert writer_study.induction_code() in jobs.known_codes(writer_study.SHIPPED)
    monkeypatch.setattr(writer_study, "INDUCTION", {})
    assert writer_study.induction_code() not in jobs.known_codes(writer_study.SHIPPED)


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


def test_the_shipped_table_holds_every_run_and_every_focused_one_looks():
    table = cls_reader.load_study()
    assert len(table) == len(cls_study.settings(20))
    focused = [run for run in table if run["recipe"] == "focused"]
    assert len(focused) == 60
    assert all(run["decoy_accuracy"] == 1 and run["weight"] >= 0.99 for run in focused)


def test_the_two_finished_studies_hold_what_lesson_19_says_of_them():
    """A holds on all seeds; B fails on all of them, three of which answer right, and its control changes nothing."""
    rows = own_study.load_examples()
    assert [(row["example"], row["seed"]) for row in rows] == [(e, s) for e in "AB" for s in own_study.SEEDS]
    least = {(e, s): min(row[f"look_{p}"] for p in question_study.EXAMPLES[e]["places"])
             for row in rows for e, s in [(row["example"], row["seed"])]}  # fmt: skip
    assert all((look >= question_study.EXAMPLES[e]["at_least"]) == (e == "A") for (e, _), look in least.items())
    failed = [row for row in rows if row["example"] == "B"]
    assert sum(row["accuracy"] > 0.99 for row in failed) == 3
    assert all(max(row["look_2"], row["look_5"]) > 0.9 for row in failed)
    assert all(abs(row["control"] - row["accuracy"]) < 0.01 and row["hidden"] < 0.51 for row in rows)
