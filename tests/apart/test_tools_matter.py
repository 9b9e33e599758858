"""What a student wrote is used, and it matters: put a wrong function in its place, and a later line changes.

A solved lesson runs in this process, cell by cell: once with the right functions, then with one of them wrong, from the
cell in which the lesson takes that function. This run ends with the first cell that prints something else.
"""

import ast
import inspect
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from derive_solved_tools import calls, string_arguments
from runner.in_process import Rerun
from test_three_students import KEPT, SOURCES

import course_utils.checks
from course_utils.checks.exercises import exercise_of
from course_utils.checks.student.own_tools import SOLVED, _tool_in
from course_utils.pictures.live_look import LiveLook

# From a later function on, the model of a lesson would come trained into its training.
UNTRAINED = {"12": "build_model"}
SOME = 64  # rows of a training's data
RIGHT = {}  # {number: the solved lesson, run once with the right functions}


@pytest.mark.parametrize("number, name", KEPT, ids=[f"{number}-{name}" for number, name in KEPT])
def test_a_wrong_function_changes_what_is_printed(number, name, right, printed):
    lesson = right(number)
    first = min(asking(lesson, one) for one in (name, UNTRAINED.get(number, name)))
    pairs = zip(printed(lesson, first, wrong=name), lesson.printed[first:], strict=True)
    assert any(one != other for one, other in pairs), f"{name} changes nothing"


@pytest.mark.parametrize("number", ["07", "12"])
def test_without_a_wrong_function_nothing_changes(number, right, printed):
    """Names of layers, for example, that Keras counts; and what a run from the middle finds."""
    first = next(i for i, (_, code) in enumerate(right(number).cells) if "keep(" in code)
    assert list(printed(right(number), first)) == right(number).printed[first:]


@pytest.fixture(scope="module", autouse=True)
def short_trainings():
    """What a wrong function changes, it changes in a short training too."""
    import keras

    from course_utils.models import deep_stack, review_model, writer_model

    def on_fewer(fit):
        return lambda model, x, y, *others, **named: fit(model, x[:SOME], y[:SOME], *others, **named)

    def with_less(train, steps):
        usual = inspect.signature(train).parameters["steps"].default
        return lambda *given, **named: train(*given, **named | {"steps": min(steps, named.get("steps", usual))})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keras.Model, "fit", on_fewer(keras.Model.fit))
        for module in (review_model, writer_model):
            patch.setattr(module, "train", with_less(module.train, module.EPOCHS))
        patch.setattr(deep_stack, "train_stack", with_less(deep_stack.train_stack, 20))
        yield


@pytest.fixture
def printed(monkeypatch):
    """A function that yields what each code cell of a solved lesson prints, from one of them on."""
    monkeypatch.chdir(Path(__file__).parents[2] / "notebooks" / "solutions")
    monkeypatch.setattr(LiveLook, "update", lambda *_: None)  # it draws, and prints nothing

    def run(lesson, first=0, wrong=None):
        def mine(*names):
            found = [tool(name, wrong) for name in names]
            return found if len(found) > 1 else found[0]

        # no recap: it tells predictions of all lessons that ran before
        doors = {"check": lambda *_, **__: None, "recap": lambda: None, "keep": mine, "mine": mine}
        for name, door in doors.items():
            monkeypatch.setattr(course_utils.checks, name, door)
        if "keras" in sys.modules:
            sys.modules["keras"].utils.clear_session()  # it counts layers, and their names are printed
        cells = lesson.run(first)
        lesson.space |= {name: door for name, door in doors.items() if name in lesson.space}
        return (re.sub(r"_\d+\b", "", found) for found in cells)  # a wrong function may make layers of its own

    return run


@pytest.fixture
def right(printed):
    def of(number):
        if number not in RIGHT:
            RIGHT[number] = lesson = Rerun(SOURCES[number], "solved", lambda code: "keep(" in code or "mine(" in code)
            lesson.printed = list(printed(lesson))
        return RIGHT[number]

    return of


def asking(lesson, name):
    """The number of the code cell that takes this exercise's function, as `keep` or `mine` hands it out."""
    for number, (_, code) in enumerate(lesson.cells):
        found = [call for door in ("keep", "mine") for call in calls(ast.parse(code), door)]
        if any(name in string_arguments(call) for call in found):
            return number
    raise AssertionError(f"no cell takes {name}")


def tool(name, wrong):
    """The solution for an exercise, or a wrong function in its place."""
    found = [_tool_in(Path(file), name) for file in SOLVED if Path(file).exists()]
    function = next((one.function for one in found if one.own), exercise_of(name).stand_in)
    return broken(function) if name == wrong else function


def broken(function):
    """A function that gives other numbers of the same shape and type; of a layer one whose call does."""
    wrong = lambda *arguments, **named: other(function(*arguments, **named))  # noqa: E731  it belongs to no lesson
    if not isinstance(function, type):
        return wrong
    return type(function.__name__, (function,), {"call": lambda self, inputs: other(function.call(self, inputs))})


def other(value):
    if isinstance(value, tuple):
        return type(value)(*map(other, value)) if hasattr(value, "_fields") else tuple(map(other, value))
    if hasattr(value, "compile"):
        return other_model(value)
    if hasattr(value, "shape") and not isinstance(value, np.ndarray | np.generic):
        return 0 * value if len(value.shape) else -value  # training makes up for another sign, but not for a reward's
    if np.asarray(value).dtype.kind == "b":
        return ~np.asarray(value) if np.ndim(value) else not value
    turned = np.flip(value, -1) if np.ndim(value) else value  # another place is the largest, too
    return turned * 2 + 1 if np.asarray(value).dtype.kind in "iu" else turned * 1.3 + 0.1


def other_model(model):
    """A model of Keras that answers the contrary; one that is compiled learns nothing."""
    import keras

    if not model.compiled:
        return keras.Model(model.input, 1 - model.output)
    model.optimizer.learning_rate.assign(0)
    return model
