"""The texts of the exercises and the checks hold together: what a text promises is a probe."""

import re
from pathlib import Path

import numpy as np
import pytest

from course_utils.checks.exercises import LESSONS, exercise_of
from course_utils.checks.exercises.solutions import write
from pagecheck.compare import same
from pagecheck.exercise import WHOLE, Exercise, give
from pagecheck.judge import judge
from pagecheck.shrink import axes_of

SOURCE = Path(__file__).resolve().parents[1] / "notebooks" / "source"
EXERCISES = [e for names in LESSONS.values() for e in map(exercise_of, names) if isinstance(e, Exercise)]
every_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)


def text_of(name):
    """Return the text of an exercise: its heading and what follows in the cell, as it stands in the source."""
    cells = [cell for path in SOURCE.glob("*.py") for cell in re.split(r"(?m)^# %%", path.read_text(encoding="utf-8"))]
    found = [cell.split(heading)[1] for cell in cells if (heading := f"### Exercise: `{name}`") in cell]
    assert len(found) == 1, name
    return found[0]


def test_lesson_00_says_what_holds_for_every_exercise():
    assert WHOLE in text_of("bag_of_words").split("<details>")[0]
    assert all(promise.words == WHOLE for e in EXERCISES for promise in e.all_promises if promise not in e.promises)
    assert len([e for e in EXERCISES if e.all_promises != e.promises]) > 20


@every_exercise
def test_each_exercise_has_promises_in_the_words_of_its_text(exercise):
    text = text_of(exercise.name)
    assert exercise.promises
    assert [promise.words for promise in exercise.promises if promise.words not in text] == []
    assert len({promise.when for promise in exercise.promises}) == len(exercise.promises)


@every_exercise
def test_what_a_promise_wants_is_right_in_single_precision_too(exercise):
    """The reference gives finite numbers there, and the plain solution gives the same."""
    for promise in exercise.all_promises:
        assert promise.when.startswith("when ") and not promise.when.endswith(".")
        for arguments in promise.inputs:
            assert len(arguments) == len(exercise.arguments)
            wanted = exercise.give(arguments)
            assert not wanted.problem and all(np.isfinite(part).all() for part in wanted.parts), promise.when
            for inputs in (arguments, tuple(map(as_float32, arguments))):
                assert same(give(exercise.solution, inputs, len(exercise.gives)), wanted), promise.when


def as_float32(value):
    """Return an argument with its floats in single precision."""
    floats = isinstance(value, np.ndarray | float) and np.asarray(value).dtype.kind == "f"
    return np.asarray(value, dtype=np.float32)[()] if floats else value


@every_exercise
def test_shapes_and_tied_name_arguments_and_their_axes(exercise):
    assert set(exercise.shapes) | set(exercise.tied) <= set(exercise.arguments)
    for arguments in (*exercise.probes, *exercise.promise_inputs):
        given = dict(zip(exercise.arguments, arguments, strict=True))
        sizes = {}
        for name, axes in exercise.shapes.items():
            names = axes_of(axes, name, given[name])
            assert np.ndim(given[name]) == len(names)
            for axis, size in zip(names, np.shape(given[name]), strict=True) if axes is not ... else ():
                assert not axis or sizes.setdefault(axis, size) == size, (name, axis)


@pytest.mark.parametrize("exercise", [one for one in EXERCISES if one.parts], ids=lambda exercise: exercise.name)
def test_a_part_shows_some_mistakes_and_hides_others(exercise):
    """Else it would not tell which steps are right."""
    for part in exercise.parts:
        right = [exercise.give(arguments) for arguments in part.inputs]
        assert not any(outcome.problem for outcome in right)
        given = [[exercise.give(one, **dict(fault.switches)) for one in part.inputs] for fault in exercise.faults]
        assert {all(map(same, outcomes, right)) for outcomes in given} == {True, False}, part.where


def test_a_list_of_arrays_of_several_shapes_among_the_arguments_does_not_stop_the_check():
    """`blocks` of `write` is one; this answer reads one word more than it has to, and there may be no place for it."""

    def reads_one_more(words, u, temperature, end, tokens, positions, blocks, next_scores):
        text = write(words, u, temperature, end, tokens, positions, blocks, next_scores)
        assert len(tokens[text[-1]] + positions[len(text) - 1])
        return text

    verdict = judge(exercise_of("write"), reads_one_more)
    assert verdict.mistakes == ("promise-broken",) and "when there are no spare places" in verdict.message, verdict
