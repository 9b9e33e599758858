"""The verdict: not started, done and what it was held to, what cannot be called, and the small numbers behind it."""

import random
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pagecheck.exercise import Promise, Value
from pagecheck.judge import cannot_be_called, judge, small_numbers
from pagecheck.run import Limits
from pagecheck.tests.toys import COURSE, answer_to, exercise_of, told

PAGES = sorted(path.stem for path in COURSE.folder.glob("*.md") if path.stem != "shared")
SHARE = "numbers / numbers.sum()"
MEAN = "total = 0\nfor n in numbers:\n    total += n\nreturn total / len(numbers)"


@pytest.mark.parametrize("page", PAGES)
def test_the_solution_is_done_in_both_its_forms(page):
    exercise = exercise_of(page)
    answers = (4,) if isinstance(exercise, Value) else (exercise.solution, exercise.reference)
    assert [judge(exercise, answer).state for answer in answers] == ["done"] * len(answers)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (SHARE, "Right on 8 inputs: including when there is a single number; and when numbers are large."),
        (f"{SHARE}.astype(np.float32)", "Right on 8 inputs"),
        ("[n / sum(numbers) for n in numbers]", "Right on 8 inputs"),
        (f"print('here')\nreturn {SHARE}", "Right on 8 inputs"),
        ("share(numbers)", "The numbers are right, and the course's `share` has made them: write its steps yourself"),
        (f"np.two = 2\nreturn {SHARE}", "large. Something had added `np.two`. The check has taken it away."),
        (f"random.seed(1)\nreturn {SHARE}", "had changed the random numbers of Python. The check has put them back."),
    ],
)
def test_a_right_answer_hears_what_it_was_held_to(code, said):
    verdict = told("share", code, share=exercise_of("share").reference, random=random)
    assert (verdict.state, verdict.mistakes) == ("done", ()) and said in verdict.message, verdict


def test_where_the_text_wants_a_loop_one_is_asked_for():
    assert told("mean", MEAN).message == "Right on 6 inputs: including when there is a single number."
    assert told("mean", "sum(n for n in numbers) / len(numbers)").message.startswith("Right on 6")
    assert "asks for a loop" in told("mean", "numbers.mean()").message


def test_of_many_promises_three_are_named_and_of_none_the_inputs_alone():
    inputs = exercise_of("share").promises[0].inputs
    many = replace(exercise_of("share"), promises=tuple(Promise("", f"when {k}", inputs) for k in range(5)))
    said = judge(many, answer_to("share", SHARE)).message
    assert said == "Right on 10 inputs: including when 0; when 1; and when 2."
    assert judge(replace(many, promises=()), answer_to("share", SHARE)).message == "Right on 5 inputs."


def test_that_prints_are_kept_back_is_said_where_something_is_wrong():
    said = "What your function prints is kept back here: call it in a cell of its own to see it."
    assert told("share", "print(numbers)\nreturn numbers / max(numbers)").message.endswith(said)
    assert said not in told("share", "print(numbers)\nreturn numbers / sum(numbers)").message
    assert said not in told("share", "print(numbers)").message


@pytest.mark.parametrize(
    ("code", "state"),
    [
        ("None", "not started"),
        ("...", "not started"),
        ("total = numbers.sum()\n...", "not started"),
        ("raise NotImplementedError", "not started"),
        ("x = 1", "not yet"),
        ("print(numbers)", "not yet"),
        ("def inside(): ...\nreturn numbers", "not yet"),
    ],
)
def test_what_does_something_and_is_wrong_is_not_yet(code, state):
    verdict = told("share", f"\n{code}")
    assert verdict.state == state and bool(verdict.message) == (state == "not yet")


def changes(numbers):
    result = numbers / numbers.sum()
    numbers[0] = 0
    return result


def empties(names):
    found = sorted(names)
    result = [found.index(name) for name in names]
    names.clear()
    return result


@pytest.mark.parametrize(
    ("page", "answer", "said"),
    [("share", changes, "numbers in place. The caller's array is"), ("ranks", empties, "The caller's list is")],
)
def test_an_argument_that_is_changed_in_place_is_named_with_its_kind(page, answer, said):
    verdict = judge(exercise_of(page), answer)
    assert verdict.mistakes == ("changes-input",) and said in verdict.message
    assert exercise_of(page).give(exercise_of(page).probes[0]).parts[0].any()  # it was a copy


@pytest.mark.parametrize("code", ["1.0 * (numbers > limit)", "[int(n > limit) for n in numbers]"])
def test_right_numbers_in_place_of_true_and_false_are_told(code):
    assert told("above", code).mistakes == ("marks-are-numbers",)
    assert told("above", "[n > limit for n in numbers]").state == "done"


class Empty:
    """Takes no arguments."""


@pytest.mark.parametrize(
    ("answer", "id", "said"),
    [
        (5, "not-a-function", "This is an int, and the check wants the function itself. Pass its name without"),
        (np.ones(2), "not-a-function", "This is an array, and"),
        (int, "not-a-function", "This is a class, and"),
        (None, "returns-nothing", "None came, and the check wants a function. Was the cell above run?"),
        (lambda: 1, "wrong-arguments", "calls your function with 1 argument: numbers. Yours does not take them."),
        (lambda a, b: 1, "wrong-arguments", "calls your function with 1 argument: numbers."),
    ],
)
def test_what_cannot_be_called_is_named(answer, id, said):
    verdict = judge(exercise_of("share"), answer)
    assert verdict.mistakes == (id,) and said in verdict.message
    assert cannot_be_called(exercise_of("share"), answer).mistakes == (id,)


@pytest.mark.parametrize(
    ("answer", "id", "said"),
    [
        (None, "returns-nothing", "None came, and the check wants a class. Was the cell above run?"),
        (len, "not-a-function", "This is a function, and the check wants the class itself. Pass its name, without"),
        (3, "not-a-function", "This is an int, and the check wants the class itself."),
        (Empty, "wrong-arguments", "The exercise calls your layer with 2 arguments: size, depth. Yours does not"),
    ],
)
def test_where_a_class_is_wanted_another_thing_is_told(answer, id, said):
    layers = replace(exercise_of("share"), kind="class", takes=("size", "depth"))
    verdict = judge(layers, answer)
    assert verdict.mistakes == (id,) and said in verdict.message


class Leaves:
    def __array__(self, *_, **__):
        raise SystemExit


class Refuses:
    def __getattribute__(self, name):
        raise RuntimeError("no")


@pytest.mark.parametrize("kind", [Leaves, Refuses])
def test_an_answer_that_raises_at_every_touch_is_told_and_nothing_is_raised(kind):
    thing = kind()
    wanted = Value(
        COURSE, "toy", lambda answer: COURSE.not_yet("nan") if np.array(answer).any() else None, "a number", ()
    )
    for exercise, answer in (
        (wanted, thing),
        (exercise_of("share"), thing),
        (exercise_of("share"), lambda numbers: thing),
    ):
        assert judge(exercise, answer).state == "not yet"


def slow_at(number):
    seen = []

    def answer(numbers):
        seen.append(numbers)
        while len(seen) == number:
            pass
        return numbers / numbers.sum()

    return answer


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (1, "Your function was stopped because it did not come to an end."),
        (3, "Right so far, but too slow: time ran out after 2 of 8 inputs."),
        (6, "Right so far, but too slow: time ran out after 5 of 8 inputs."),
    ],
)
def test_an_answer_that_takes_too_long_hears_how_far_it_was_right(number, said):
    verdict = judge(exercise_of("share"), slow_at(number), limits=Limits(0.1, 2.0, 5.0))
    assert verdict.mistakes == ("too-slow",) and verdict.message.startswith(said)


def test_an_answer_that_was_wrong_before_its_time_ran_out_is_not_called_right_so_far():
    def wrong_and_slow(numbers):
        while len(numbers) > 2:
            pass
        return numbers / numbers.max()

    verdict = judge(exercise_of("share"), wrong_and_slow, limits=Limits(0.1, 2.0, 5.0))
    assert verdict.mistakes == ("too-slow",) and verdict.message.startswith("Your function was stopped because")


def test_an_error_shows_its_traceback_where_it_was_asked_for():
    answer = answer_to("share", "x = numbers\nreturn x[9]")
    assert judge(exercise_of("share"), answer).trace == ""
    trace = judge(exercise_of("share"), answer, trace=True).trace
    assert "return x[9]" in trace and "IndexError" in trace and "pagecheck" not in trace


def test_threads_that_go_on_are_counted_and_told():
    woken = threading.Event()

    def starts(numbers):
        threading.Thread(target=woken.wait, daemon=True).start()
        return numbers / numbers.sum()

    said = judge(exercise_of("share"), starts).message
    woken.set()
    assert said.endswith("Your function started 8 threads that still run. Choose Kernel, Restart Kernel to end them.")


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("numbers / numbers.max()", "For numbers = [1, 2] your function gives [0.5, 1], and right is [0.3333,"),
        ("numbers / numbers.sum() if len(numbers) > 2 else numbers * np.nan",
         "For numbers = [1] your function gives [NaN], and right is [1]."),
        ("numbers * (np.nan if len(numbers) < 2 else 2)", "For numbers = [1, 2] your function gives [2, 4], and"),
        ("numbers[9]", ""),
        (SHARE, ""),
    ],
)  # fmt: skip
def test_small_numbers_are_finite_where_some_are(code, line):
    found = small_numbers(exercise_of("share"), answer_to("share", code))
    assert found.startswith(line) and bool(found) == bool(line)


def test_small_numbers_belong_to_functions_and_an_answer_that_raises_has_none():
    assert small_numbers(exercise_of("middle"), 3) == small_numbers(exercise_of("share"), 3) == ""
    assert small_numbers(exercise_of("share"), Refuses()) == ""


def test_the_example_of_the_readme_prints_what_the_readme_shows():
    root = Path(__file__).resolve().parents[2]
    ran = subprocess.run(
        [sys.executable, "pagecheck/example/check_share.py"],
        cwd=root, capture_output=True, text=True, check=True, env={"PYTHONPATH": str(root), "PATH": ""},
    )  # fmt: skip
    assert f"```\n{ran.stdout}```" in (root / "pagecheck" / "README.md").read_text(encoding="utf-8")
