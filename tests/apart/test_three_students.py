"""Two students walk the whole course, lesson by lesson, with files of their own and real checks: one who solves
everything, and breaks a tool in the middle of each file, and one who solves nothing.

That whole lessons run for one who solves nothing, and with the solutions, is what nbval and the browser show.
Here it is asked whose functions run, and what becomes of the files, so what takes long is cut:
no model is trained, it answers as it was built; reviews are few; seconds and bytes are not measured; and the lessons of
`CUT` end behind their last `keep`. Whether a tool matters for what a training gives, test_tools_matter.py asks.
"""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from derive_solved_tools import LessonCode, calls, string_arguments
from runner.in_process import outputs

from course_utils.checks.exercises import LESSONS, exercise_of, function_name
from course_utils.checks.student import own_tools, record

SOURCES = {
    path.stem[:2]: path for path in sorted((Path(__file__).parents[2] / "notebooks" / "source").glob("[0-9]*.py"))
}
CUT = ("03", "08", "10", "11", "14", "15", "16", "17", "18", "19")
LESSON = {number: LessonCode(path) for number, path in SOURCES.items()}
KEPT = {
    number: [name for name in lesson.keep_names if callable(exercise_of(name).stand_in)]
    for number, lesson in LESSON.items()
}
NAME = rf"(?:{'|'.join(name for names in LESSONS.values() for name in names)})"
LIST = rf"{NAME}(?:, {NAME})*(?: and {NAME})?"
WHOSE = re.compile(rf"^(?:your ({LIST}))?(?:, )?(?:the course's ({LIST}), until yours (?:is|are) done)?$", re.M)
PROBLEM = re.compile(r"^.*(?: is not right any more: | cannot be read: | stops with ).*$", re.M)
MARK = re.compile(r"^# kept: (\w+), lesson (\d\d)", re.M)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Without what takes long and has no part in whose functions run."""
    import keras

    from course_utils import cls_model, measure, review_model, review_task, writer_model

    figures, reviews = {"loss": [1.0, 1.0], "accuracy": [0.5, 0.5]}, review_task.make_reviews
    monkeypatch.setattr(keras.Model, "fit", lambda *_, **how: SimpleNamespace(history=figures))
    monkeypatch.setattr(cls_model, "train", lambda *_, **how: figures)
    for model in (review_model, writer_model):
        monkeypatch.setattr(model, "train", lambda *_, **how: figures["loss"])
    monkeypatch.setattr(review_task, "make_reviews", lambda n=1000, **how: reviews(min(n, 200), **how))
    for name in ("seconds", "peak_bytes"):
        monkeypatch.setattr(measure, name, lambda *_: 1.0)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", str(tmp_path / "data"))
    return tmp_path


@pytest.fixture
def run(folder, monkeypatch):
    """Run a lesson in a new kernel, as far as the tools know, and return all that it prints. No cell may stop."""

    def of(number, kind):
        monkeypatch.setattr(record, "done_answers", {})
        return "".join(outputs(SOURCES[number], kind, go_on=False, last="keep(" if number in CUT else ""))

    return of


@pytest.fixture
def walk(folder, run):
    """Solve a lesson: all tools but the named ones are the student's, and their files are as they were, or longer.

    Returns what it says of tools that are not right, and, under their names, of those that are not in their file.
    """

    def of(number, courses=()):
        before = texts(folder)
        said = run(number, "solved")
        assert whose(said) == (fetched(number) - {*courses}, {*courses})
        assert {name: text for name, text in texts(folder).items() if not text.startswith(before.get(name, ""))} == {}
        states = {name: re.search(rf"^{name}: yours(.*)$", said, re.M)[1] for name in KEPT[number]}
        assert all(re.match(r", (now )?in my_|\. It is not in my_", state) for state in states.values()), states
        return PROBLEM.findall(said), {name: state for name, state in states.items() if state[0] == "."}

    return of


def fetched(number):
    """The exercises of earlier lessons that a lesson calls."""
    return {word for call in calls(LESSON[number].tree, "mine") for word in string_arguments(call)}


def whose(said):
    """The functions that a lesson says it fetched: the student's, and the course's."""
    lines = [found.groups() for found in WHOSE.finditer(said) if found[0]]
    return tuple({name for line in lines for name in re.findall(rf"\b{NAME}\b", line[i] or "")} for i in (0, 1))


def texts(folder):
    return {path.name: path.read_text(encoding="utf-8").rstrip("\n") for path in folder.glob("*.py")}


def change(file, old, new):
    """What a student does to a file in an editor."""
    before, found, after = file.read_text(encoding="utf-8").rpartition(old)
    assert found == old
    file.write_text(before + new + after, encoding="utf-8")


def add(file, text):
    file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")


RIGHT, WRONG = "exponentials.sum(axis=-1, keepdims=True)", "exponentials.sum(axis=-1)"
HALF, IMPORT = "\ndef half(\n", "\nimport no_such_library\n"
ALL = ([], {})  # no problem, and nothing that is not in its file


def test_one_who_solves_everything_and_breaks_a_tool_in_the_middle(folder, walk, capsys):
    attention, model = folder / "my_attention.py", folder / "my_model.py"
    for number in ("00", "01", "02", "03", "04", "05"):
        assert walk(number) == ALL

    change(attention, RIGHT, f"{WRONG}  # my note")
    (problem,), lost = walk("06", courses=["stable_softmax"])
    assert problem.startswith("stable_softmax in my_attention.py is not right any more: ")
    assert list(lost) == ["masked_weights"] and "Look at your own `softmax`" in lost["masked_weights"]

    add(attention, HALF)
    whole = attention.read_text(encoding="utf-8")
    (problem, *others), lost = walk("07", courses=fetched("07"))
    assert re.match(r"my_attention.py cannot be read: line \d+, .* the course's functions run\.$", problem)
    assert len(others) == len(lost) == len(KEPT["07"]) and all("cannot be read" in state for state in lost.values())
    assert attention.read_text(encoding="utf-8") == whole  # nothing is appended to what cannot be read

    change(attention, HALF, "")
    problems, lost = walk("08", courses=["stable_softmax", "weights", "batched_attention"])
    assert [line.split()[0] for line in problems] == ["stable_softmax", "weights_of"] and not lost

    change(attention, WRONG, RIGHT)
    for number in ("06", "07", "09", "10", "11", "12"):  # 06 and 07 again: they kept what the file would not take
        assert walk(number) == ALL

    change(model, "num_heads=1", "num_heads=2")
    (problem,), lost = walk("13", courses=["build_model"])  # it calls `attend`, in which the mistake is
    assert problem.startswith("build_model in my_model.py is not right any more: There is more than one head")
    assert not lost

    change(model, "num_heads=2", "num_heads=1")
    add(model, f"\n# my note\n{HALF}")
    for number in ("14", "15", "16", "17", "18"):  # these read and keep nothing in Keras
        assert walk(number) == ALL

    change(model, HALF, IMPORT)
    (problem,), lost = walk("19", courses=["build_model", "look_reward"])
    assert problem.startswith("my_model.py stops with ModuleNotFoundError: No module named 'no_such_library'.")
    assert not lost

    change(model, IMPORT, "")
    mended = ("masked_weights", "batched_attention", "attend", "build_model", "look_reward", "set_reward")
    capsys.readouterr()
    own_tools.mine(*mended)
    assert whose(capsys.readouterr().out) == ({*mended}, set())
    everything = "\n".join(texts(folder).values())
    assert {*MARK.findall(everything)} == {(function_name(name), number) for number in KEPT for name in KEPT[number]}
    assert everything.count("# my note") == 2


def test_one_who_solves_nothing_has_no_file_and_runs_on_the_courses(folder, run):
    for number in SOURCES:
        said = run(number, "student")
        assert whose(said) == (set(), fetched(number)) and not PROBLEM.search(said)
        states = dict(re.findall(rf"^({NAME}): (the course's.*|yours.*)$", said, re.M))
        assert states == dict.fromkeys(LESSON[number].keep_names, "the course's, until yours is done")
    assert texts(folder) == {}
