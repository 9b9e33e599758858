"""Held-out inputs: right answers pass on them, hard-coded results fail."""

import numpy as np
import pytest
from grading.held_out import EXCLUDED, held_out_finding, held_out_inputs
from oracle import code_of, read

from course_utils.checks import check
from course_utils.checks.exercises import LESSONS, exercise_of
from pagecheck.exercise import Value

EXERCISES = [exercise_of(name) for names in LESSONS.values() for name in names]
FUNCTIONS = [e for e in EXERCISES if not isinstance(e, Value) and e.name not in EXCLUDED]
NUMBERS_ALONE = {"permutation", "build_model"}  # orders and sizes: the probes leave no other inputs
HELPERS, RECORDS = read()
ANSWERS = [r for r in RECORDS if r["file"] == "right.jsonl" and not isinstance(exercise_of(r["exercise"]), Value)]


@pytest.mark.parametrize("record", ANSWERS, ids=lambda record: record["key"])
def test_a_right_answer_is_right_there(record):
    exercise, names = exercise_of(record["exercise"]), {}
    exec(code_of(HELPERS, record), names)
    answer = exercise.as_function(names["answer"])
    assert [held_out_finding(exercise, answer, seed) for seed in (0, 1)] == [None, None]


def key(arguments):
    return repr([value for value in arguments if not callable(value)])


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda exercise: exercise.name)
def test_they_are_others_than_the_checks_and_other_each_time(exercise):
    seen = {key(arguments) for arguments in (*exercise.probes, *exercise.promised)}
    first, second = ([key(arguments) for arguments in held_out_inputs(exercise, seed)] for seed in (1, 2))
    assert len(first) >= 2
    if exercise.name not in NUMBERS_ALONE:
        assert not set(first) <= seen
        assert first != second
    assert first == [key(arguments) for arguments in held_out_inputs(exercise, 1)]


def test_results_that_are_written_in_fall():
    exercise = exercise_of("stable_softmax")
    results = {key(arguments): exercise.reference(*arguments) for arguments in (*exercise.probes, *exercise.promised)}

    def hard_coded(scores):
        return results.get(key([scores]), np.zeros_like(scores, dtype=float))

    assert held_out_finding(exercise, hard_coded, 1).mistakes == ("held-out",)


def test_sizes_that_are_written_in_fall():
    exercise = exercise_of("scores")

    def for_sizes_of_the_check(Q, K):
        known = {np.shape(arguments[1])[1] for arguments in (*exercise.probes, *exercise.promised)}
        return exercise.reference(Q, K) if K.shape[1] in known else Q @ K.T

    assert check("scores", for_sizes_of_the_check).state == "done"
    assert any(held_out_finding(exercise, for_sizes_of_the_check, seed) for seed in range(4))
