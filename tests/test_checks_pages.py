"""The pages of the exercises: each mistake on them is named, and said in two sentences that stand on their own."""

import importlib
import linecache
from dataclasses import replace

import lint_pages
import numpy as np
import pytest
from good_texts import faults_of

from course_utils.checks import check, exercises
from course_utils.checks.exercises import COURSE, LESSONS, exercise_of, function_name, page_of
from pagecheck.compare import same
from pagecheck.course import names_of, wrong_answers
from pagecheck.exercise import Exercise, Value, give
from pagecheck.judge import judge

NAMES = [name for names in LESSONS.values() for name in names]
EXERCISES = [exercise for exercise in map(exercise_of, NAMES) if isinstance(exercise, Exercise)]


def test_the_imports_in_a_file_of_an_older_version_lead_to_the_same_exercises():
    """What `keep` wrote there for the course's own function."""
    module = importlib.import_module("course_utils.checks.lessons.lesson_05")  # each knows all names
    for names in LESSONS.values():
        for name in names:
            right = exercise_of(name).stand_in
            if callable(right) and right.__module__ == "course_utils.checks.exercises":
                assert getattr(module, name) is getattr(exercises, function_name(name)) is right
    assert importlib.import_module("course_utils.checks.lessons.shared").weights is exercise_of("weights").stand_in
    assert importlib.import_module("course_utils.checks.lessons.lesson_19").control_at


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_the_plain_solution_and_the_one_that_is_spelled_out_are_equal_and_done(exercise):
    for arguments in (*exercise.probes, *exercise.promise_inputs):
        plain = give(exercise.solution, arguments, len(exercise.gives))
        assert same(plain, exercise.give(arguments)), arguments
    exercise = in_numpy(exercise.name)
    assert [judge(exercise, one).state for one in (exercise.solution, exercise.reference)] == ["done", "done"]
    assert exercise.insight


@pytest.mark.parametrize("name", [one.name for one in EXERCISES])
def test_each_way_to_make_a_mistake_is_named(name):
    exercise = in_numpy(name)
    verdicts = [
        (id, judged(exercise, text, f"<{name}, {i}>"))
        for i, (id, text) in enumerate(wrong_answers(page_of(name), page_of))
    ]
    assert [(id, verdict) for id, verdict in verdicts if verdict.mistakes != (id,)] == []
    assert {verdict.state for _, verdict in verdicts} == {"not yet"}
    assert [(verdict, faults_of(verdict.message)) for _, verdict in verdicts if faults_of(verdict.message)] == []


def in_numpy(name):
    """An exercise as its page has it: those in Keras, too, take the page's own NumPy."""
    return replace(exercise_of(name), adapt="", takes=(), kind="function", returns="")


def judged(exercise, text, file):
    space = dict(exercise.solution.__globals__, __name__="answer")
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec"), space)
    with np.errstate(all="ignore"):
        return judge(exercise, space[text[4 : text.index("(")]])


VALUES = [
    (name, entry.id, hunks[0].new)
    for name in NAMES
    if isinstance(exercise_of(name), Value)
    for entry in page_of(name).entries
    for hunks in entry.differences
    if not hunks[0].old  # the others are lines of what the judge computes
]


def test_each_wrong_answer_to_a_question_is_named_and_the_right_one_is_done():
    spaces = {name: names_of(page_of(name), COURSE.namespace())[0] for name, _, _ in VALUES}
    assert [name for name, space in spaces.items() if check(name, space["answer"]).state != "done"] == []
    verdicts = [(id, check(name, eval(text, spaces[name]))) for name, id, text in VALUES]
    assert [(id, verdict) for id, verdict in verdicts if verdict.mistakes != (id,)] == []


def test_the_python_of_the_pages_has_no_fault():
    assert lint_pages.problems() == []
