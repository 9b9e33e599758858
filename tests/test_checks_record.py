"""The record of progress: kept outside the course's folder, never in the way."""

import json
import os
import stat
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from course_utils.checks import check, progress
from course_utils.checks.student import record
from pagecheck.words import Verdict


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A record in an empty folder, as a new kernel finds it."""
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", str(tmp_path))
    monkeypatch.setattr(record, "_this_kernel", {})
    return tmp_path / "progress.json"


def new_kernel(monkeypatch):
    monkeypatch.setattr(record, "_this_kernel", {})


def dot(a, b):
    return a @ b


def test_progress_shows_states_and_the_last_mistake(file):
    check("dot_product", dot)
    check("cosine", lambda a, b: a @ b)
    check("one_query_scores", lambda q, K: ...)
    assert str(progress()).splitlines() == [
        "1 of 4 exercises done",
        "  01  dot_product       ✓ done",
        "  01  cosine            ✗ not yet      cosine-without-lengths",
        "  01  can_win           ○ not started",
        "  01  one_query_scores  ○ not started",
    ]
    assert "cosine-without-lengths" in progress()._repr_html_()


def test_the_record_outlives_the_kernel(file, monkeypatch):
    check("dot_product", dot)
    new_kernel(monkeypatch)
    assert "dot_product" in str(progress(everything=True))
    assert "✓ done" in str(progress(everything=True))


def test_an_untouched_notebook_undoes_nothing(file, monkeypatch):
    check("dot_product", dot)
    new_kernel(monkeypatch)
    check("dot_product", ...)
    assert "✓ done" in str(progress())


def test_what_was_done_stays_done_whatever_is_tried_later(file, monkeypatch):
    check("dot_product", dot)
    for _ in range(2):
        assert check("dot_product", lambda a, b: a * b).state == "not yet"
        assert "✓ done" in str(progress())
        entry = json.loads(file.read_text(encoding="utf-8"))["dot_product"]
        assert (entry["state"], entry["mistakes"], entry["tries"], entry["seen"]) == ("done", [], 1, [])
        new_kernel(monkeypatch)


def test_of_two_mistakes_the_later_one_shows(file):
    check("cosine", lambda a, b: a @ b)
    check("cosine", lambda a, b: -(a @ b) / np.sqrt(a @ a) / np.sqrt(b @ b))
    assert str(progress()).splitlines()[2].split() == ["01", "cosine", "✗", "not", "yet", "sign"]


def test_up_to_the_first_right_answer_tries_time_and_every_mistake_are_kept(file, monkeypatch):
    """Work of 50 s, a long pause, then the answer; what comes after the answer no longer counts."""
    times = iter([50, 80, 5000, 5040, 5300])
    monkeypatch.setattr(record, "_clock", {"last": 0})
    monkeypatch.setattr(record, "time", SimpleNamespace(monotonic=lambda: next(times)))  # a check puts back the clock
    check("cosine", ...)
    check("cosine", lambda a, b: a @ b)
    new_kernel(monkeypatch)
    check("cosine", lambda a, b: -(a @ b) / np.sqrt(a @ a) / np.sqrt(b @ b))
    check("cosine", lambda a, b: a @ b / np.sqrt((a @ a) * (b @ b)))
    check("cosine", lambda a, b: a @ b)
    entry = json.loads(file.read_text(encoding="utf-8"))["cosine"]
    assert entry["tries"] == 3 and entry["seconds"] == 50 + 30 + record.LONGEST + 40
    assert entry["seen"] == ["cosine-without-lengths", "sign"] and entry["mistakes"] == []


def test_a_record_from_before_there_was_time_is_read(file):
    file.write_text(json.dumps({"cosine": {"state": "not yet", "mistakes": ["sign"], "tries": 2}}), encoding="utf-8")
    assert check("cosine", lambda a, b: a @ b).state == "not yet"
    assert json.loads(file.read_text(encoding="utf-8"))["cosine"]["tries"] == 3


def test_without_a_check_in_this_kernel_all_lessons_show(file):
    text = str(progress())
    assert "first_check" in text
    assert "weights" in text
    assert "✓" not in text


SEEN = '{"cosine": {"state": "done", "mistakes": [], "seen": [3]}}'
MANY = '{"cosine": {"state": "done", "mistakes": [], "tries": "many"}}'


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", "null", '{"cosine": 3}', '{"cosine": {"state": "great"}}', MANY, SEEN, "\x00\xff"]
)
def test_a_damaged_file_costs_the_record_only(file, damage):
    file.write_text(damage, encoding="utf-8")
    assert "0 of" in str(progress())
    check("dot_product", dot)
    assert json.loads(file.read_text(encoding="utf-8"))["dot_product"]["state"] == "done"


def test_one_damaged_entry_costs_that_entry_only(file):
    file.write_text(json.dumps({"cosine": 3, "dot_product": {"state": "done", "mistakes": []}}), encoding="utf-8")
    assert "✓ done" in str(progress(everything=True))


def test_a_file_that_cannot_be_written_costs_the_record_only(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", str(blocked))
    monkeypatch.setattr(record, "_this_kernel", {})
    assert check("dot_product", dot).state == "done"
    assert "✓ done" in str(progress())


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_without_write_permission_costs_the_record_only(file):
    file.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert check("dot_product", dot).state == "done"
    finally:
        file.parent.chmod(stat.S_IRWXU)


def test_the_file_is_replaced_in_one_step(file, monkeypatch):
    check("dot_product", dot)
    before = file.read_text(encoding="utf-8")
    monkeypatch.setattr(record.os, "replace", lambda *a: (_ for _ in ()).throw(OSError("disk full")))
    check("cosine", lambda a, b: a @ b)
    assert file.read_text(encoding="utf-8") == before
    assert [path.name for path in file.parent.iterdir()] == ["progress.json"], "a half-written file was left behind"


def test_off_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", "off")
    monkeypatch.chdir(tmp_path)
    record.record_verdict(Verdict("done", name="cosine"))
    assert list(tmp_path.iterdir()) == []


def test_the_user_s_data_directory_is_the_place(tmp_path, monkeypatch):
    monkeypatch.delenv("LEARNING_TO_LOOK_DATA")
    monkeypatch.setattr("platformdirs.user_data_path", lambda *a, **k: tmp_path / "data" / "learning-to-look")
    record.record_verdict(Verdict("done", name="cosine"))
    assert (tmp_path / "data" / "learning-to-look" / "progress.json").exists()


def test_no_home_directory_costs_the_record_only(monkeypatch):
    monkeypatch.delenv("LEARNING_TO_LOOK_DATA")

    def no_home(*a, **k):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("platformdirs.user_data_path", no_home)
    record.record_verdict(Verdict("done", name="cosine"))


def test_the_door_opens_fast_and_without_heavy_packages():
    heavy = {"ipywidgets", "tensorflow", "keras", "matplotlib", "platformdirs", "IPython"}
    code = f"import sys, course_utils.checks; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
