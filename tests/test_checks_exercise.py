"""What an exercise makes of its parts: hypotheses, whole numbers, what is imagined; and what stands behind a return."""

import numpy as np
import pytest
from readable_code import written

from course_utils.checks.engine import returned, wrong_settings
from course_utils.checks.engine.exercise import WHOLE, Exercise, Part, Promise, Value, give
from course_utils.checks.engine.fault import Fault, hypotheses
from course_utils.checks.engine.outcome import RAISED, as_outcome, kind_in_words
from course_utils.checks.engine.steps import Case
from course_utils.checks.engine.stubs import modules_read
from course_utils.checks.exercises import exercise_of

SHARES = np.array([[0.2, 0.8], [0.6, 0.4]])
FAULTS = (Fault("a", (("scale", 2),)), Fault("b", (("scale", 3),)), Fault("a", (("shift", 1),)))


def weighted(shares, x, n, scale=1, shift=0):
    return shares @ x * scale + shift


def toy(**changed):
    probe = (SHARES, np.array([0.4, -3.6]), 2)
    plain = {"arguments": ("shares", "x", "n"), "gives": {"y": "(n,)"}, "probes": (probe, probe), "faults": FAULTS}
    return Exercise("toy", weighted, **plain | {"tied": ("shares",)} | changed)


def test_a_fault_turns_one_switch_and_a_hypothesis_no_switch_twice():
    a, b, c = FAULTS
    assert hypotheses(FAULTS) == toy().hypotheses == [(), (a,), (b,), (c,), (a, c), (b, c)]
    assert toy().ids == ("a", "b")


def test_an_exercise_promises_whole_numbers_for_all_arrays_and_for_each():
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
    probe = (np.array([2.5, -0.3]),) * 4
    product = Exercise("four", lambda a, b, c, d: a * b * c * d, tuple("abcd"), {"y": "(n,)"}, (probe, probe), ())
    assert [[array.tolist() for array in arguments] for arguments in product.all_promises[0].inputs] == [
        [[1, -1]] * 4,
        [[1, 0]] * 4,
    ]
    assert len(product.all_promises) == 5


def test_whole_numbers_are_promised_only_where_something_finite_comes_and_something_may_be_whole():
    def of_texts(text, x):
        return 1 / (x % 1)

    probe = ("text", np.array([0.5]))
    assert Exercise("toy", of_texts, ("text", "x"), {"y": ""}, (probe, probe), ()).all_promises == ()
    probe = ("text", np.array([1]))
    assert Exercise("toy", lambda text, x: x, ("text", "x"), {"y": ""}, (probe, probe), ()).all_promises == ()
    probe = ("text", np.array([0.5]))
    alone = Exercise("toy", lambda text, x: x, ("text", "x"), {"y": ""}, (probe, probe), ()).all_promises
    assert [one.when for one in alone] == ["when all numbers are whole"]


def test_what_a_fault_gives_is_imagined_for_probes_and_then_for_promises():
    exercise = toy()
    assert exercise.imagine((), 0).parts[0] == pytest.approx([-2.8, -1.2])
    assert exercise.imagine(FAULTS[1:], 1).parts[0] == pytest.approx([-7.4, -2.6])
    assert exercise.imagine((), 2).parts[0].tolist() == [-2, 1]
    assert exercise.imagine((), 2) is exercise.imagine((), 2)
    assert exercise.promised[0][1].tolist() == [1, -2]


def test_the_least_that_an_exercise_holds():
    exercise = toy()
    assert (exercise.kind, exercise.adapt, exercise.course, exercise.hint) == ("function", "", "", "")
    assert (exercise.promises, exercise.by_hand, exercise.parts, exercise.solution) == ((), (), (), None)
    assert (exercise.shapes, exercise.axes, exercise.facts, exercise.takes) == ({}, (), (), ())
    assert exercise.allowed(1, 2) is True and exercise.edits == [] and exercise.helpers == {}
    assert exercise.as_function(max) is max and exercise.stand_in is weighted
    assert Part("there", ()).like(1) is False
    value = Value("toy", max, "a number", ())
    assert (value.kind, value.adapt, value.takes, value.stand_in) == ("function", "", (), None)


def test_a_name_stands_for_what_the_course_has():
    from course_utils.attention import softmax

    assert toy(course="attention.softmax").stand_in is softmax
    assert toy(adapt="attention.softmax").as_function([0.0]).tolist() == [1]


def test_what_is_given_gets_copies_and_an_error_is_an_outcome():
    given = (np.ones(2),)

    def changes(x, by=1):
        x += by
        return x

    assert give(changes, given, 1, by=2).parts[0].tolist() == [3, 3]
    assert given[0].tolist() == [1, 1]
    for error in (ValueError, IndexError, TypeError, AttributeError, ZeroDivisionError):

        def fails(x, error=error):
            raise error

        assert give(fails, given, 1) is RAISED
    with pytest.raises(KeyError):
        give(lambda x: {}[0], given, 1)
    assert np.isinf(give(lambda x: x / 0, given, 1).parts[0]).all()


def test_edits_that_change_something_come_with_what_they_give():
    exercise = toy(solution=written("shares @ x + 0 * n", "shares, x, n"))
    edits = {edit.id: [given.parts[0].tolist() for given in outcomes] for edit, outcomes in exercise.edits}
    assert edits["edit-order"] == [pytest.approx([-2.08, -1.12])] * 2
    assert all(len(outcomes) == 2 for _, outcomes in exercise.edits)
    changed = [edit.details for edit, _ in exercise.edits if edit.id == "edit-constant"]
    assert {"wrong": "1", "right": "0"} in changed
    assert ("edit-argument", {"wrong": "n", "right": "shares"}) not in [(e.id, e.details) for e, _ in exercise.edits]
    assert toy(solution=weighted, adapt="attention.softmax").edits == []


NOTHING = "Your function gives back nothing"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print(a)", f"{NOTHING}, though it ends with `return print(a)`: `print` itself gives back nothing."),
        ("c = None\nreturn c", f"{NOTHING}, though it ends with `return c`: what stands there is None."),
        (f"{'x' * 111}(a)", f"{NOTHING}, though it ends with a return: what stands there is None."),
        ("return print(\n    a\n)", f"{NOTHING}, though it ends with a return: `print` itself gives back nothing."),
        ("if a:\n    return a", f"{NOTHING}, though it has a return. Is it reached, and what comes after it?"),
        (
            "if a:\n    return a\nreturn b",
            f"{NOTHING}, though it has a return. Is it reached, and what comes after it?",
        ),
        ("a + b\nreturn", ""),
        ("a + b\nreturn None", ""),
        ("def inside():\n    return a\ninside()", ""),
        ("class Inside:\n    def of_it(self):\n        return 1\na.x()", ""),
        ("c = lambda: a\nc()", ""),
    ],
)
def test_what_stands_behind_a_return_is_said(code, said):
    assert returned.nothing(written(code)) == said


def test_a_lambda_gives_what_it_holds():
    assert returned.nothing(lambda a, b: print(a)) == f"{NOTHING}: `print` itself gives back nothing."
    assert returned.nothing(max) == ""


CAME = "What comes back has the numbers of tokens as they came"
COPY = "makes a copy, because its index is an array, and what is written into the copy does not reach"
PICKED = ("np.{}(len(new))", "arange where nonzero flatnonzero argsort argwhere ix_ isin")


@pytest.mark.parametrize("index", [*map(PICKED[0].format, PICKED[1].split()), "tokens", "tokens == one", "[0, 1]"])
def test_an_array_in_the_brackets_makes_a_copy(index):
    for inside in (index, f"{index}, 0"):
        line = f"picked = new[{inside}]"
        body = f"new = tokens.copy()\n{line}\npicked[0] = other\nreturn new"
        assert unchanged(body) == f"{CAME}. `{line}` {COPY} `new`."
        assert unchanged(f"new = tokens\nnew[{inside}][0] = other\nreturn new").startswith(f"{CAME}. `new[{inside}]` ")


def unchanged(body):
    answer = written(body, "tokens, at, one, other")
    return returned.unchanged(Case(exercise_of("swap"), answer, None, None), "tokens")


@pytest.mark.parametrize(
    ("body", "handed_on"),
    [
        ("tokens", True),
        ("new = tokens\nreturn new", True),
        ("tokens + 0", False),
        ("tokens[0] = tokens[0]\nreturn tokens", False),
        ("new = tokens.copy()\nnew[0] = tokens[0]\nreturn new", False),
        ("new = tokens.copy()\npicked = new[0]\npicked[0] = picked[0]\nreturn new", False),
        ("new = tokens.copy()\npicked = new[:, 1:2]\npicked[0] = picked[0]\nreturn new", False),
        ("new = tokens.copy()\npicked = new[one]\npicked[0] = picked[0]\nreturn new", False),
        ("new = tokens.copy()\npicked = new[[0]]\npicked[0] = 1\nnew[[0]] = picked\nreturn tokens", False),
        ("new = tokens.copy()\npicked = new[[0]]\npicked[0] = 1\npicked = 2\nreturn new", False),
        ("new = tokens.copy()\npicked = new[[0]]\npicked.fill(1)\nreturn new", False),
        ("new = tokens.copy()\ntokens = 0\npicked = new[tokens]\npicked[0] = 1\nreturn new", False),
    ],
)
def test_an_argument_comes_back_as_it_is_or_nothing_has_changed_it(body, handed_on):
    assert unchanged(body) == ("" if handed_on else f"{CAME}: nothing in your function has changed them.")


def test_a_name_that_holds_an_array_of_places_makes_a_copy():
    body = "new = tokens.copy()\nplaces = np.arange(3)\npicked = new[places]\npicked[0] = other\nreturn new"
    assert unchanged(body) == f"{CAME}. `picked = new[places]` {COPY} `new`."
    body = body.replace("picked = ", "places = 0\npicked = ")
    assert unchanged(body) == f"{CAME}: nothing in your function has changed them."


def test_one_array_with_a_row_for_each_result_is_all_of_them():
    both = as_outcome(np.ones((2, 3)), 2)
    assert both.problem == "" and [part.tolist() for part in both.parts] == [[1, 1, 1], [1, 1, 1]]
    assert as_outcome(np.ones((3, 2)), 2).problem == "returns-too-few"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.array(b"a"), "an array of bytes"),  # no axis, and an array all the same
        ([1j, 2], "an array of complex numbers"),
        (1j, "a complex"),
        (np.array(["a"]), "an array of text"),
        (np.array([None]), "an array of Python objects"),
        (np.array(["2026-01-01"], "M8[D]"), "an array of dates"),
        (np.array([1], "m8[s]"), "an array of times"),
        (np.zeros(1, [("a", int)]), "an array of records"),
    ],
)
def test_what_came_is_called_by_its_name(value, words):
    assert kind_in_words(value, np.asarray(value)) == words


class Refuses:
    def __array__(self, *_, **__):
        raise ValueError("no")


@pytest.mark.parametrize(
    ("value", "problem", "detail"),
    [
        (1.0, "", ""),
        ([[1.0], [1.0, 2.0]], "returns-ragged", "a list"),
        (Refuses(), "returns-no-numbers", "a Refuses"),
        ((np.ones(2), np.ones(2)), "", "tuple of 2"),
        ((np.ones(2), np.ones(3)), "returns-tuple", "2"),
        ((np.ones(2), "a"), "returns-tuple", "2"),
    ],
)
def test_what_is_wrong_with_what_came(value, problem, detail):
    outcome = as_outcome(value, 1)
    assert (outcome.problem, outcome.detail, outcome.trace) == (problem, detail, "")


def test_three_faults_at_once_are_no_hypothesis():
    three = tuple(Fault(name, ((name, 1),)) for name in "abc")
    assert max(map(len, hypotheses(three))) == 2 and len(hypotheses(three)) == 1 + 3 + 3


def test_a_function_of_another_process_says_its_modules_itself():
    answer = lambda: np.ones(2)  # noqa: E731
    assert modules_read(answer) == ["numpy"]
    answer.modules_read = ["torch"]
    assert modules_read(answer) == ["torch"]


def test_cases_cover_the_bad_settings_with_one_setting_before_two_and_then_with_what_covers_most():
    axis, scale, mask = ("axis", 0), ("scale", 2), ("mask", 1)
    bad = [frozenset({axis, scale}), frozenset({axis, mask}), frozenset({scale, mask})]
    assert wrong_settings._fewest(bad[:2], []) == [frozenset({axis})]
    assert wrong_settings._fewest(bad[:2], [frozenset({axis})]) == [frozenset({mask}), frozenset({scale})]
