"""A student walks the whole course, lesson by lesson, with files of their own and real checks, and breaks a tool.

That whole lessons run, and that one who solves nothing has the course's functions, is what nbval and the browser show.
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
CUT = ("03", "08", "09", "11", "14", "15", "16", "17", "18", "19", "20", "21")
LESSON = {number: LessonCode(path) for number, path in SOURCES.items()}
KEPT = [(n, name) for n, lesson in LESSON.items() for name in lesson.keep_names if callable(exercise_of(name).stand_in)]
NAME = rf"(?:{'|'.join(name for names in LESSONS.values() for name in names)})"
LIST = rf"{NAME}(?:, {NAME})*(?: and {NAME})?"
WHOSE = re.compile(rf"^(?:your ({LIST}))?(?:, )?(?:the course's ({LIST}), until yours (?:is|are) done)?$", re.M)
PROBLEM = re.compile(r"^.*(?: is not right any more: | cannot be read: | stops with ).*$", re.M)
RIGHT, WRONG = "exponentials.sum(axis=-1, keepdims=True)", "exponentials.sum(axis=-1)"
KEEP = re.compile(rf"^({NAME}): (the course's.*|yours.*)$", re.M)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Without what takes long and has no part in whose functions run."""
    import keras

    from course_utils.computer import measure
    from course_utils.models import cls_model, review_model, writer_model
    from course_utils.tasks import review_task

    figures, reviews = {"loss": [1.0, 1.0], "accuracy": [0.5, 0.5]}, review_task.make_reviews
    monkeypatch.setattr(keras.Model, "fit", lambda *_, **how: SimpleNamespace(history=figures))
    monkeypatch.setattr(cls_model, "train", lambda *_, **how: figures)
    for model in (review_model, writer_model):
        monkeypatch.setattr(model, "train", lambda *_, **how: figures["loss"])
    monkeypatch.setattr(review_task, "make_reviews", lambda n=1000, **how: reviews(min(n, 200), **how))
    for name in ("seconds", "peak_bytes"):
        monkeypatch.setattr(measure, name, lambda *_: 1.0)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a lesson in a new kernel, as far as the tools know. No cell may stop.

    Returns the functions that it says it fetched, the student's and the course's; what it says of tools that are not
    right; and {exercise: what it says of the answer that it keeps}.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEARNING_TO_LOOK_DATA", str(tmp_path / "data"))

    def of(number, kind):
        monkeypatch.setattr(record, "done_answers", {})
        said = "".join(outputs(SOURCES[number], kind, go_on=False, last="keep(" if number in CUT else ""))
        return whose(said), PROBLEM.findall(said), dict(KEEP.findall(said))

    return of


def whose(said):
    lines = [found.groups() for found in WHOSE.finditer(said) if found[0]]
    return tuple({name for line in lines for name in re.findall(rf"\b{NAME}\b", line[i] or "")} for i in (0, 1))


def fetched(number):
    """The exercises of earlier lessons that a lesson calls."""
    return {word for call in calls(LESSON[number].tree, "mine") for word in string_arguments(call)}


def test_one_who_solves_everything_and_breaks_a_tool_in_the_middle(tmp_path, run, capsys):
    def solve(*numbers):
        """All tools are the student's, and what the files held stays in them."""
        for number in numbers:
            before = texts()
            fetched_of, problems, kept = run(number, "solved")
            later = {name for lesson, name in KEPT if lesson > number}  # 09 takes gradients that 10 writes
            assert fetched_of == (fetched(number) - later, fetched(number) & later) and not problems
            assert all(text.startswith(before.get(name, "")) for name, text in texts().items())
            for name in (name for lesson, name in KEPT if lesson == number):
                assert re.match(r"yours, (now )?in my_", kept[name]), name

    def texts():
        return {path.name: path.read_text(encoding="utf-8").rstrip("\n") for path in tmp_path.glob("*.py")}

    def change(old, new):
        file = tmp_path / "my_attention.py"
        before, found, after = file.read_text(encoding="utf-8").rpartition(old)
        file.write_text(before + new + after, encoding="utf-8")
        assert found

    solve("00", "01", "02", "03", "04", "05")
    change(RIGHT, f"{WRONG}  # my note")
    (_, courses), (problem,), kept = run("06", "solved")
    assert courses == {"stable_softmax"} and "yours. It is not in my_" in kept["masked_weights"]
    assert problem.startswith("stable_softmax in my_attention.py is not right any more: ")
    change(WRONG, RIGHT)
    solve(*(number for number in LESSONS if number >= "06"))  # 06 again: not kept

    mended = ("masked_weights", "batched_attention", "attend", "build_model", "look_reward", "set_reward")
    capsys.readouterr()
    own_tools.mine(*mended)
    assert whose(capsys.readouterr().out) == ({*mended}, set())
    everything = "\n".join(texts().values())
    marks = re.findall(r"^# kept: (\w+), lesson (\d\d)", everything, re.M)
    assert {*marks} == {(function_name(name), number) for number, name in KEPT}
    assert everything.count("# my note") == 1
