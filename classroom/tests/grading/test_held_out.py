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
NUMBERS_ALONE = {"build_model"}  # sizes: the probes leave no other inputs
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


def results_of(exercise):
    """Return {key of the arguments: right answer} for all inputs of the check."""
    return {
        key(arguments): exercise.reference(*arguments) for arguments in (*exercise.probes, *exercise.promise_inputs)
    }


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda exercise: exercise.name)
def test_they_differ_from_the_checks_and_from_grading_to_grading(exercise):
    first, again, second = ([key(a) for a in held_out_inputs(exercise, seed)] for seed in (1, 1, 2))
    assert len(first) >= 2 and first == again
    if exercise.name not in NUMBERS_ALONE:
        assert first != second and not set(first) <= {key(a) for a in (*exercise.probes, *exercise.promise_inputs)}


def test_hard_coded_results_and_sizes_fail():
    softmax, scores, effect = map(exercise_of, ("stable_softmax", "scores", "effect_and_control"))
    results, effects = results_of(softmax), results_of(effect)
    sizes = {np.shape(arguments[1])[1] for arguments in (*scores.probes, *scores.promise_inputs)}

    def known_results(scores):
        return results.get(key([scores]), np.zeros_like(scores, dtype=float))

    def known_sizes(Q, K):
        return scores.reference(Q, K) if K.shape[1] in sizes else Q @ K.T

    def known_effects(*arguments):
        return effects.get(key(arguments), (0.5, 0.5, 0.5))

    for exercise, answer in ((softmax, known_results), (scores, known_sizes), (effect, known_effects)):
        assert check(exercise.name, answer).state == "done"
        findings = [held_out_finding(exercise, answer, seed) for seed in range(4)]
        assert {finding.mistakes for finding in findings if finding} == {("held-out",)}
