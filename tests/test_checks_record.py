"""The record of progress: kept outside the course's folder, never in the way."""

import json
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest

from course_utils.checks import check, progress
from course_utils.checks.student import record


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
    check("can_win", ...)
    assert str(progress()).splitlines() == [
        "1 of 3 exercises done",
        "  01  dot_product  ✓ done",
        "  01  cosine       ✗ not yet      cosine-without-lengths",
        "  01  can_win      ○ not started",
    ]
    assert "cosine-without-lengths" in progress()._repr_html_()


def test_what_was_done_once_stays_done_whatever_is_tried_later(file, monkeypatch):
    check("dot_product", dot)
    for later in (..., lambda a, b: a * b, lambda a, b: a * b):
        new_kernel(monkeypatch)
        assert check("dot_product", later).state != "done"
        assert "✓ done" in str(progress())
        entry = json.loads(file.read_text(encoding="utf-8"))["dot_product"]
        assert (entry["state"], entry["mistakes"], entry["tries"], entry["seen"]) == ("done", [], 1, [])
    new_kernel(monkeypatch)
    text = str(progress())  # nothing was checked in this kernel: all lessons show
    assert "first_check" in text and "weights" in text and text.count("✓ done") == 1


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


@pytest.mark.parametrize(
    "damage",
    [
        *("", "[]", "\x00\xff", '{"cosine": {"state": "great"}}'),
        '{"cosine": {"state": "done", "mistakes": [], "tries": "many"}}',
        '{"cosine": {"state": "done", "mistakes": [], "seen": [3]}}',
    ],
)
def test_a_damaged_file_costs_the_record_only(file, damage):
    file.write_text(damage, encoding="utf-8")
    assert "0 of" in str(progress())
    check("dot_product", dot)
    entry = json.loads(file.read_text(encoding="utf-8"))["dot_product"]
    assert entry["state"] == "done"
    early = {"state": "not yet", "mistakes": ["sign"], "tries": 2}  # from before there was time
    file.write_text(json.dumps({"cosine": early, "weights": 3, "dot_product": entry}), encoding="utf-8")
    assert "✓ done" in str(progress(everything=True)), "one damaged entry costs that entry only"
    assert check("cosine", lambda a, b: a @ b).state == "not yet"
    assert json.loads(file.read_text(encoding="utf-8"))["cosine"]["tries"] == 3


@pytest.mark.parametrize("where", ["a file", "off", "nowhere"])
def test_where_nothing_can_be_written_the_check_goes_on(tmp_path, monkeypatch, where):
    monkeypatch.chdir(tmp_path)
    new_kernel(monkeypatch)
    if where == "nowhere":
        monkeypatch.delenv("LEARNING_TO_LOOK_DATA")
        monkeypatch.setattr("platformdirs.user_data_path", Mock(side_effect=RuntimeError("no home")))
    else:
        monkeypatch.setenv("LEARNING_TO_LOOK_DATA", "off" if where == "off" else __file__)
    assert check("dot_product", dot).state == "done" and "✓ done" in str(progress())
    assert list(tmp_path.iterdir()) == []


def test_the_user_s_data_directory_is_the_place(tmp_path, monkeypatch):
    monkeypatch.delenv("LEARNING_TO_LOOK_DATA")
    monkeypatch.setattr("platformdirs.user_data_path", lambda *a, **k: tmp_path / "data")
    check("dot_product", dot)
    assert (tmp_path / "data" / "progress.json").exists()


def test_the_file_is_replaced_in_one_step(file, monkeypatch):
    check("dot_product", dot)
    before = file.read_text(encoding="utf-8")
    monkeypatch.setattr(record.os, "replace", Mock(side_effect=OSError("disk full")))
    check("cosine", lambda a, b: a @ b)
    assert file.read_text(encoding="utf-8") == before
    assert [path.name for path in file.parent.iterdir()] == ["progress.json"], "a half-written file was left behind"
