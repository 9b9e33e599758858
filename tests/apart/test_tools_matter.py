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
from derive_solved_tools import LessonCode, calls, string_arguments
from runner import trained_once
from runner.in_process import Rerun

import course_utils.checks
from course_utils.checks.exercises import LESSONS, exercise_of
from course_utils.checks.student.own_tools import SOLVED, _tool_in
from course_utils.live_look import LiveLook

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {path.stem[:2]: path for path in sorted((ROOT / "notebooks" / "source").glob("[0-9]*.py"))}
LESSON = {number: LessonCode(path) for number, path in SOURCES.items()}
ASKED = [name for names in LESSONS.values() for name in names if callable(exercise_of(name).stand_in)]
# From a later function on, the model of a lesson would come trained into its training.
UNTRAINED = {"12": "build_model"}
SOME = 64  # rows of a training's data
KEPT = [(number, name) for number, lesson in LESSON.items() for name in lesson.keep_names if name in ASKED]


def fetched(number):
    """The exercises of earlier lessons that a lesson calls."""
    return [word for call in calls(LESSON[number].tree, "mine") for word in string_arguments(call)]


def test_most_functions_are_kept_and_used_again():
    again = {name for number, lesson in LESSON.items() for name in (*lesson.keep_names, *fetched(number))}
    assert len(again & set(ASKED)) >= 0.6 * len(ASKED), sorted(set(ASKED) - again)


@pytest.mark.parametrize("number", [number for number in SOURCES if number > "03"])
def test_every_lesson_after_03_calls_a_function_of_an_earlier_one(number):
    earlier = {name for lesson, names in LESSONS.items() if lesson < number for name in names}
    assert set(fetched(number)) & earlier


@pytest.mark.parametrize("number, name", KEPT, ids=[f"{number}-{name}" for number, name in KEPT])
def test_a_wrong_function_changes_what_is_printed(number, name, right):
    first = min(asking(right(number), one) for one in (name, UNTRAINED.get(number, name)))
    pairs = zip(printed(right(number), first, wrong=name), right(number).printed[first:], strict=True)
    assert any(one != other for one, other in pairs), f"{name} changes nothing"


@pytest.mark.parametrize("number", ["07", "12"])
def test_without_a_wrong_function_nothing_changes(number, right):
    """Names of layers, for example, that Keras counts; and what a run from the middle finds."""
    first = next(i for i, (_, code) in enumerate(right(number).cells) if "keep(" in code)
    assert list(printed(right(number), first)) == right(number).printed[first:]


@pytest.fixture(scope="module", autouse=True)
def short_trainings():
    """What a wrong function changes, it changes in a short training too.

    Whether a reward moves the look is seen at the end of a whole training; a notebook of this run may have done it.
    """
    import keras

    import course_utils.cls_model  # noqa: F401  trained_once hooks it
    from course_utils import deep_stack, review_model, writer_model

    with trained_once.with_notebooks(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(keras.Model, "fit", on_fewer(keras.Model.fit))
        for module in (review_model, writer_model):
            patch.setattr(module, "train", with_less(module.train, module.EPOCHS))
        patch.setattr(deep_stack, "train_stack", with_less(deep_stack.train_stack, 20))
        yield


def on_fewer(fit):
    """`keras.Model.fit` on the first rows of its data."""
    return lambda model, x, y, *others, **named: fit(model, x[:SOME], y[:SOME], *others, **named)


def with_less(train, steps):
    """A training that takes at most so many steps."""
    usual = inspect.signature(train).parameters["steps"].default

    def shorter(*arguments, **named):
        return train(*arguments, **named | {"steps": min(steps, named.get("steps", usual))})

    return shorter


@pytest.fixture(scope="module")
def right():
    """Each solved lesson, run once with the right functions."""
    known = {}

    def of(number):
        if number not in known:
            known[number] = lesson = Rerun(SOURCES[number], "solved", lambda code: "keep(" in code or "mine(" in code)
            lesson.printed = list(printed(lesson))
        return known[number]

    return of


def asking(lesson, name):
    """The number of the code cell that takes this exercise's function."""
    return next(number for number, (_, code) in enumerate(lesson.cells) if asks_for(code, name))


def asks_for(code, name):
    """Whether a cell takes this exercise's function, as `keep` or `mine` hands it out."""
    tree = ast.parse(code)
    return any(name in string_arguments(call) for kind in ("keep", "mine") for call in calls(tree, kind))


def printed(lesson, first=0, wrong=None):
    """Yield what each code cell of a solved lesson prints, from one of them on."""
    if "keras" in sys.modules:
        sys.modules["keras"].utils.clear_session()  # the names of layers, which are printed, are counted from the first
    cells = lesson.run(first)
    while True:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(ROOT / "notebooks" / "solutions")
            patch.setattr(LiveLook, "update", lambda *_: None)  # it draws, and prints nothing
            patch.setattr(course_utils.checks, "check", lambda name, answer, trace=False: None)
            patch.setattr(course_utils.checks, "recap", lambda: None)  # predictions of all lessons that ran before
            patch.setattr(course_utils.checks, "keep", lambda name: tool(name, wrong))
            patch.setattr(course_utils.checks, "mine", lambda *names: several([tool(name, wrong) for name in names]))
            lesson.space |= {
                name: getattr(course_utils.checks, name)
                for name in ("check", "keep", "mine", "recap")
                if name in lesson.space
            }
            found = next(cells, None)
        if found is None:
            return
        yield re.sub(r"_\d+\b", "", found)  # a wrong function may make layers of its own


def several(functions):
    return functions if len(functions) > 1 else functions[0]


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
