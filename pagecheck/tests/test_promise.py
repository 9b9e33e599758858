"""What the text promises: whole numbers for every exercise, and what is said of an answer that breaks a promise."""

from types import ModuleType

import numpy as np
import pytest

from pagecheck import Course
from pagecheck.compare import same
from pagecheck.exercise import RAISED, WHOLE, Exercise, Fault, Promise, give, hypotheses
from pagecheck.judge import judge
from pagecheck.promise import _reversed_inputs, gives_back, results, right_outcomes
from pagecheck.run import Limits
from pagecheck.tests.toys import COURSE, answer_from, answer_to, case_of, exercise_of, verdict_on

SHARES = np.array([[0.2, 0.8], [0.6, 0.4]])
PROBE = (SHARES, np.array([0.4, -3.6]), 2)
FAULTS = (Fault("a", (("scale", 2),)), Fault("b", (("scale", 3),)), Fault("a", (("shift", 1),)))


def weighted(shares, x, n, scale=1, shift=0):
    return shares @ x * scale + shift


def toy(function=weighted, arguments=("shares", "x", "n"), probe=PROBE, **more):
    plain = {"gives": {"y": "(n,)"}, "probes": (probe, probe), "faults": FAULTS, "tied": ("shares",)}
    return Exercise(more.pop("course", COURSE), "toy", function, arguments, **plain | more)


def test_whole_numbers_are_promised_for_all_arrays_and_for_each():
    promise = Promise("words", "when so", ())
    first, *whole = toy(promises=(promise,)).all_promises
    assert first is promise
    assert [(one.words, one.when) for one in whole] == [
        (WHOLE, "when all numbers are whole"),
        (WHOLE, "when only shares holds whole numbers"),
        (WHOLE, "when only x holds whole numbers"),
    ]
    inputs = [[[np.asarray(value).tolist() for value in arguments] for arguments in one.inputs] for one in whole]
    picks, numbers = [[0, 1], [1, 0]], [0.4, -3.6]
    assert inputs == [
        [[picks, [1, -2], 2], [picks, [0, -2], 2]],
        [[picks, numbers, 2]],
        [[SHARES.tolist(), [1, -2], 2]],
    ]
    assert all(value.dtype == int for arguments in whole[0].inputs for value in arguments[:2])


def test_four_arrays_and_more_hold_ones_only():
    many = toy(lambda a, b, c, d: a * b * c * d, tuple("abcd"), (np.array([2.5, -0.3]),) * 4)
    assert [[array.tolist() for array in arguments] for arguments in many.all_promises[0].inputs] == [
        [[1, -1]] * 4,
        [[1, 0]] * 4,
    ]
    assert len(many.all_promises) == 5


@pytest.mark.parametrize(
    ("function", "array", "more", "count"),
    [
        (lambda text, x: x, np.array([0.5]), {}, 1),
        (lambda text, x: x, np.array([1]), {}, 0),
        (lambda text, x: 1 / (x % 1), np.array([0.5]), {}, 0),
        (lambda text, x: x, np.array([0.5]), {"allowed": lambda text, x: x.dtype == float}, 0),
    ],
)
def test_whole_numbers_are_promised_where_they_are_allowed_and_give_finite_numbers(function, array, more, count):
    assert len(toy(function, ("text", "x"), ("text", array), **more).all_promises) == count


def test_a_hypothesis_turns_no_switch_twice_and_holds_two_faults_at_most():
    a, b, c = FAULTS
    assert hypotheses(FAULTS) == toy().hypotheses == [(), (a,), (b,), (c,), (a, c), (b, c)]
    assert max(map(len, hypotheses(tuple(Fault(name, ((name, 1),)) for name in "abc")))) == 2


def test_what_faults_give_is_imagined_once_for_probes_and_then_for_promises():
    exercise = toy()
    assert exercise.imagine((), 0).parts[0] == pytest.approx([-2.8, -1.2])
    assert exercise.imagine(FAULTS[1:], 1).parts[0] == pytest.approx([-7.4, -2.6])
    assert exercise.imagine((), 2).parts[0].tolist() == [-2, 1]
    assert exercise.imagine((), 2) is exercise.imagine((), 2)
    assert right_outcomes(exercise, FAULTS[:1])[0].parts[0].tolist() == [-4, 2]


def test_a_name_stands_for_what_the_course_s_package_has():
    for package, name in (("pagecheck", "compare.same"), ("", "pagecheck.compare.same")):
        exercise = toy(stands_in=name, adapt=name, course=Course(COURSE.folder, package=package))
        assert exercise.stand_in is same and toy().stand_in is weighted and toy().as_function(max) is max


def test_what_is_given_gets_copies_and_an_error_is_an_outcome():
    given = (np.ones(2),)
    assert give(lambda x, by: x.__iadd__(by), given, 1, by=2).parts[0].tolist() == [3, 3]
    assert given[0].tolist() == [1, 1]
    for stops in (int, lambda x: x[9], lambda x: x.no, lambda x: 1 / 0, lambda x: np.linalg.inv(x)):
        assert give(stops, given, 1) is RAISED
    with pytest.raises(KeyError):  # a fault of the page itself
        give(lambda x: {}[0], given, 1)
    assert np.isinf(give(lambda x: x / 0, given, 1).parts[0]).all()


REVERSED = [  # shapes of an exercise, its inputs, and those in which the text's first axis runs backwards
    ({"a": ("n", "d"), "b": ("n",)}, ([[1, 2], [3, 4]], [5, 6]), ([[3, 4], [1, 2]], [6, 5])),
    ({"a": ("n", "d"), "b": ("d",)}, ([[1, 2], [3, 4]], [5, 6]), ([[3, 4], [1, 2]], [5, 6])),
    ({"a": ("d", "n"), "b": ("n", "d")}, ([[1, 2], [3, 4]], [[5], [6]]), ([[3, 4], [1, 2]], [[5], [6]])),
    ({"a": (..., "n")}, ([[1, 2], [3, 4]], 5), ([[2, 1], [4, 3]], 5)),
    ({"a": ("",), "b": ("n",)}, ([1, 2], [3, 4]), ([1, 2], [4, 3])),
    ({}, (7, 8), (8, 9)),
    ({}, (7, 0.5), (8, 0.5)),
    ({}, (9, 1), None),  # the text allows no 10
    ({}, (7, -1), None),  # 8 / 0 is not finite
]


@pytest.mark.parametrize(("shapes", "given", "turned"), REVERSED)
def test_inputs_run_backwards_along_their_first_axis_where_the_text_allows_it(shapes, given, turned):
    def ratio(a, b):
        return np.sum(a) / np.sum(b)

    arrays = tuple(np.array(value, float) if isinstance(value, list) else value for value in given)
    exercise = toy(ratio, ("a", "b"), (1, 1), shapes=shapes, allowed=lambda a, b: not np.array_equal(a, 10))
    found = _reversed_inputs(exercise, [arrays])
    assert [tuple(np.asarray(value).tolist() for value in one) for one in found] == ([turned] if turned else [])


def test_a_list_of_words_runs_backwards_if_its_axis_does():
    shapes = {"rows": ("n", "d"), "names": ("n",), "others": ("d",)}
    exercise = toy(lambda rows, names, others: rows, tuple(shapes), (1, 1, 1), shapes=shapes)
    (found,) = _reversed_inputs(exercise, [(np.array([[1.5, 2], [3, 4]]), ["Ada", "Ben"], ["Cem", "Eva"])])
    assert [np.asarray(value).tolist() for value in found] == [[[3, 4], [1.5, 2]], ["Ben", "Ada"], ["Cem", "Eva"]]


@pytest.mark.parametrize(("name", "state"), [("tensorflow", "done"), ("keras", "done"), ("other", "not yet")])
def test_that_tensorflow_refuses_whole_numbers_is_not_held_against_an_answer(name, state):
    """A module stands for TensorFlow here."""
    module = ModuleType(name)
    module.share = answer_from("{'f': numbers}[numbers.dtype.kind] / numbers.sum()", "numbers")
    answer = answer_to("share", "tf.share(numbers)", tf=module)
    assert (not results(case_of(exercise_of("share"), answer))[-1].problem) == (state == "done")
    assert judge(exercise_of("share"), answer).state == state


BROKEN = [  # an answer to share that is right for the probes, and what is said
    ("r if len(r) > 1 else r * 0", "but not when there is a single number. Try this by hand"),
    ("r if len(r) > 1 else r[5]", "of shape (1,). There it stops with IndexError at `return r if"),
    ("r if len(r) > 1 else [1, 2]", "a list of 2 numbers, but the shares should have shape (1,), that is, (n,)."),
    ("r if len(r) > 1 else None", "when there is a single number: it fails, for example, with numbers of shape (1,)."),
    ("r if numbers.max() < 1e11 else r * 2", "but not always when numbers are large. Try this by hand"),
    ("r if numbers.max() < 8 else numbers / numbers.max()", "but not when numbers are large"),
    ("r if numbers.dtype == float else r * 2", "but not when all numbers are whole"),
    ("r if numbers.dtype == float else np.trunc(r)", "whole. In that case all the numbers lose their decimals."),
    # no promise is the reason
    ("r if numbers.max() < 8 and 1 not in numbers else r * 2", "inputs, but not for all of them. Try this by hand"),
    ("r if r[0] != 0.5 else r * 2", "right for most inputs, but not for all of them. Try this by hand"),
    ("r if numbers[-1] != 9e9 else r * 2", "right for most inputs, but not for all of them. Try this by hand"),
]


@pytest.mark.parametrize(("code", "said"), BROKEN)
def test_an_answer_that_is_right_for_ordinary_inputs_hears_which_promise_it_breaks(code, said):
    verdict = verdict_on("share", f"r = numbers / numbers.sum()\nreturn {code}")
    assert verdict.mistakes == ("promise-broken",) and said in verdict.message, verdict
    assert verdict.message.startswith("Your function is right for "), verdict


@pytest.mark.parametrize(
    ("code", "id"),
    [
        ("seen.append(1)\nreturn numbers / numbers.sum() * (1 + (len(seen) > 4))", "remembers"),
        ("seen.append(1)\nwhile len(seen) > 1: pass\nreturn numbers", "too-slow"),
        ("numbers if len(numbers) > 1 else numbers + 1", "differs"),
        ("numbers", "returns-argument"),
    ],
)
def test_what_is_promised_is_tried_where_it_can_tell_more(code, id):
    """An answer that remembers its calls, or is slow, is not tried there; some return their argument at times only."""
    seen = []
    answer = answer_to("share", code, seen=seen)
    case = case_of(exercise_of("share"), answer, Limits(0.05, 1.0, 1.0))
    assert gives_back(case, 0) == (id == "returns-argument")
    if case.is_slow:
        assert [outcome.problem for outcome in results(case)] == ["too-slow"] and len(seen) == 2
    else:
        assert verdict_on("share", code, seen=[]).mistakes == (id,)
