"""A student who solves everything, and breaks a tool in the middle, with the student's own files and real checks.

That all lessons run for one who solves nothing, and with the solutions, is what nbval and the browser show.
"""

import re
from pathlib import Path

import pytest
from runner.in_process import outputs

from course_utils.checks.lessons.names import LESSONS
from course_utils.checks.student import own_tools

SOURCES = {
    path.stem[:2]: path for path in sorted((Path(__file__).parents[1] / "notebooks" / "source").glob("[0-9]*.py"))
}
WALK = ("01", "02", "04", "05", "06", "07", "08")  # NumPy only, and quick


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", str(tmp_path / "data"))
    return tmp_path / "my_attention.py"


def lesson(number, kind, monkeypatch):
    """Run a lesson in a new kernel, as far as the tools know, and return all that it prints."""
    monkeypatch.setattr(own_tools, "_done", {})
    return "".join(outputs(SOURCES[number], kind, go_on=False))


def test_one_who_solves_everything_and_breaks_a_tool_in_the_middle(place, monkeypatch):
    said = {number: lesson(number, "solved", monkeypatch) for number in WALK[:4]}
    assert "stable_softmax: yours, now in my_attention.py" in said["02"]
    assert "your stable_softmax" in said["04"] and "the course's" not in said["04"]
    whole = place.read_text()

    place.write_text(broken := whole.replace("keepdims=True", "keepdims=False") + "\n\n# my own note\n")
    text = lesson("06", "solved", monkeypatch)
    assert "stable_softmax in my_attention.py is not right any more" in text
    assert re.search(r"your .*scores.*, the course's stable_softmax, until yours is done", text)
    assert place.read_text().startswith(broken.rstrip())

    place.write_text(worse := place.read_text() + "\ndef half(\n")
    text = lesson("07", "solved", monkeypatch)
    assert "my_attention.py cannot be read: line" in text and "the course's functions run" in text
    assert place.read_text() == worse  # nothing is appended to what cannot be read

    place.write_text(worse.removesuffix("\ndef half(\n"))
    text = lesson("08", "solved", monkeypatch)
    assert "causal_mask" in text and place.read_text().startswith(broken.rstrip())
    kept = set(re.findall(r"^# kept: \w+, lesson (\d\d)", place.read_text(), re.M))
    assert kept == set(WALK) - {"07"}


def test_one_who_solves_nothing_has_no_file_and_runs_on_the_courses(place, monkeypatch):
    for number in WALK:
        text = lesson(number, "student", monkeypatch)
        assert "yours, " not in text and "your " not in re.sub(r"until yours? .*", "", text.split("\n")[0])
    assert not place.exists()
    assert all(LESSONS[number] for number in WALK)
