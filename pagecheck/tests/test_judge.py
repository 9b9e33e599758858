"""The verdict: not started, done and what it was held to, what cannot be called, and the small numbers behind it."""

import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pagecheck import describe, promise
from pagecheck.exercise import Part, Promise, Value
from pagecheck.judge import cannot_be_called, judge, small_numbers
from pagecheck.run import Limits
from pagecheck.tests.toys import COURSE, answer_to, exercise_of, verdict_on

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
        (SHARE, "Right on 8 inputs, including when there is a single number, and when numbers are large."),
        (f"{SHARE}.astype(np.float32)", "Right on 8 inputs"),
        (f"print('here')\nreturn {SHARE}", "Right on 8 inputs"),
        (
            "share(numbers)",
            "The numbers are right, but the course's `share` computed them: try writing its steps yourself",
        ),
        (f"np.two = 2\nreturn {SHARE}", "large. Something had added `np.two`. The check has taken it away."),
        (f"random.seed(1)\nreturn {SHARE}", "had changed the random numbers of Python. The check has put them back."),
    ],
)
def test_a_right_answer_hears_what_it_was_held_to(code, said):
    verdict = verdict_on("share", code, share=exercise_of("share").reference, random=random)
    assert (verdict.state, verdict.mistakes) == ("done", ()) and said in verdict.message, verdict


def test_where_the_text_wants_a_loop_one_is_asked_for():
    assert verdict_on("mean", MEAN).message == "Right on 6 inputs, including when there is a single number."
    assert verdict_on("mean", "sum(n for n in numbers) / len(numbers)").message.startswith("Right on 6")
    assert "asks for a loop" in verdict_on("mean", "numbers.mean()").message


def test_of_many_promises_three_are_named_and_of_none_the_inputs_alone():
    inputs = exercise_of("share").promises[0].inputs
    many = replace(exercise_of("share"), promises=tuple(Promise("", f"when {k}", inputs) for k in range(5)))
    said = judge(many, answer_to("share", SHARE)).message
    assert said == "Right on 10 inputs, including when 0, when 1, and when 2."
    assert judge(replace(many, promises=()), answer_to("share", SHARE)).message == "Right on 5 inputs."


@pytest.mark.parametrize(
    ("code", "state"),
    [
        ("None", "not started"),
        ("...", "not started"),
        ("raise NotImplementedError", "not started"),
        ("x = 1", "not yet"),
        ("def inside(): ...\nreturn numbers", "not yet"),
    ],
)
def test_what_does_something_and_is_wrong_is_not_yet(code, state):
    verdict = verdict_on("share", f"\n{code}")
    assert verdict.state == state and bool(verdict.message) == (state == "not yet")


def test_an_error_shows_its_traceback_where_it_was_asked_for():
    answer = answer_to("share", "x = numbers\nreturn x[9]")
    assert judge(exercise_of("share"), answer).trace == ""
    trace = judge(exercise_of("share"), answer, trace=True).trace
    assert "return x[9]" in trace and "IndexError" in trace and "pagecheck" not in trace


class Refuses:
    def __getattribute__(self, name):
        raise SystemExit


@pytest.mark.parametrize(
    ("takes", "answer", "id", "said"),
    [
        ("", 5, "not-a-function", "This is an int, but the check needs the function itself. Pass the name of"),
        ("", np.ones(2), "not-a-function", "This is an array, but"),
        ("", int, "not-a-function", "This is a class, but"),
        ("", None, "returns-nothing", "This is None, but the check needs a function. Did you run the cell above?"),
        (
            "",
            lambda a, b: 1,
            "wrong-arguments",
            "calls your function with 1 argument: numbers. Your function is written for different",
        ),
        ("class", None, "returns-nothing", "This is None, but the check needs a class. Did you run the cell above?"),
        ("class", len, "not-a-function", "This is a function, but the check needs the class itself. Pass its name,"),
        (
            "class",
            Refuses,
            "wrong-arguments",
            "The check calls your layer with 2 arguments: size, depth. Your layer is",
        ),
    ],
)
def test_what_cannot_be_called_is_named(takes, answer, id, said):
    exercise = exercise_of("share")
    exercise = replace(exercise, kind=takes, takes=("size", "depth")) if takes else exercise
    verdict = judge(exercise, answer)
    assert verdict.mistakes == (id,) and said in verdict.message
    assert cannot_be_called(exercise, answer).mistakes == (id,)


def test_an_answer_may_raise_at_every_touch():
    wanted = Value(COURSE, "toy", lambda answer: COURSE.not_yet("nan") if np.array(answer).any() else None, "", ())
    assert judge(wanted, Refuses()).state == "not yet"
    assert judge(exercise_of("share"), lambda numbers: Refuses()).state == "not yet"
    assert judge(exercise_of("share"), Refuses()).state == "not yet"


@pytest.mark.parametrize(
    ("page", "code", "id", "said"),
    [
        (
            "share",
            f"r = {SHARE}\nnumbers[0] = 0\nreturn r",
            "changes-input",
            "`numbers` itself. After the call, the array outside your function has",
        ),
        (
            "ranks",
            "r = [sorted(names).index(n) for n in names]\nnames.clear()\nreturn r",
            "changes-input",
            "After the call, the list outside your function has",
        ),
        ("above", "1.0 * (numbers > limit)", "marks-are-numbers", ""),
        ("above", "[int(n > limit) for n in numbers]", "marks-are-numbers", ""),
        (
            "share",
            "print(numbers)\nreturn numbers / max(numbers)",
            "share-of-largest",
            "The check does not show what your function prints: to see it, call your function in a cell of its own.",
        ),
    ],
)
def test_what_is_wrong_beside_the_numbers_is_said(page, code, id, said):
    verdict = verdict_on(page, code)
    assert verdict.mistakes == (id,) and said in verdict.message
    probe = exercise_of(page).probes[0]
    assert exercise_of(page).give(probe).parts[0].any()  # what was changed was a copy


def test_a_page_may_say_in_its_own_words_that_numbers_came_in_place_of_true_and_false():
    exercise = replace(exercise_of("above"), numbers_for_bools="Each mark is right, and it is a number.")
    verdict = judge(exercise, answer_to("above", "1.0 * (numbers > limit)"))
    assert (verdict.mistakes, verdict.message) == (("marks-are-numbers",), "Each mark is right, and it is a number.")


@pytest.mark.parametrize(
    ("largest", "number", "said"),
    [
        ("sum", 1, "Your function was stopped because it did not come to an end."),
        ("sum", 3, "Right so far, but too slow: time ran out after 2 of 8 inputs."),
        ("sum", 6, "Right so far, but too slow: time ran out after 5 of 8 inputs."),
        ("max", 3, "Your function was stopped because"),
    ],
)
def test_an_answer_that_takes_too_long_hears_how_far_it_was_right(largest, number, said):
    code = f"seen.append(1)\nwhile len(seen) == {number}: pass\nreturn numbers / numbers.{largest}()"
    verdict = judge(exercise_of("share"), answer_to("share", code, seen=[]), limits=Limits(0.1, 2.0, 5.0))
    assert verdict.mistakes == ("too-slow",) and verdict.message.startswith(said)


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("numbers / numbers.max()", "For numbers = [1, 2], your function gives [0.5, 1], but it should be [0.3333,"),
        ("numbers / numbers.sum() if len(numbers) > 2 else numbers * np.nan",
         "For numbers = [1], your function gives [NaN], but it should be [1]."),
        ("numbers * (np.nan if len(numbers) < 2 else 2)", "For numbers = [1, 2], your function gives [2, 4], but"),
        ("r = numbers / numbers.sum()\nreturn r if list(numbers) == [1, 2] else r * [np.nan, 2][len(numbers) > 1]",
         "For numbers = [0, 1], your function gives [0, 2], but it should be [0, 1]."),  # which is larger than [1]
        ("numbers[9]", ""),
        (SHARE, ""),
    ],
)  # fmt: skip
def test_small_numbers_are_finite_where_some_are(code, line):
    found = small_numbers(exercise_of("share"), answer_to("share", code))
    assert found.startswith(line) and bool(found) == bool(line)
    assert small_numbers(exercise_of("middle"), 3) == small_numbers(exercise_of("share"), Refuses()) == ""


def test_the_example_of_the_readme_prints_what_the_readme_shows():
    root = Path(__file__).resolve().parents[2]
    ran = subprocess.run(
        [sys.executable, "pagecheck/example/check_share.py"],
        cwd=root, capture_output=True, text=True, check=True, env={"PYTHONPATH": str(root), "PATH": ""},
    )  # fmt: skip
    assert f"```\n{ran.stdout}```" in (root / "pagecheck" / "README.md").read_text(encoding="utf-8")


def test_where_small_numbers_cannot_be_found_the_lesson_goes_on(monkeypatch):
    monkeypatch.setattr(sys.modules["pagecheck.judge"], "_case", lambda *_: 1 / 0)
    assert small_numbers(exercise_of("share"), lambda a: a) == ""


@pytest.mark.parametrize("code", ["numbers * 2", "numbers / numbers.sum() * (1 + (len(numbers) == 1))"])
def test_the_search_for_an_example_has_the_time_of_the_check(code, monkeypatch):
    limits, had = Limits(0.4, 2, 50), []

    def smallest(exercise, answer, arguments, finite=False, limits=None):
        had.append(limits)

    for module in describe, promise:
        monkeypatch.setattr(module, "smallest", smallest)
    assert judge(exercise_of("share"), answer_to("share", code), limits=limits).state == "not yet"
    assert had and set(had) == {limits}, had


def test_a_part_that_runs_out_of_time_says_what_was_right_before():
    two, seven = np.array([2.0, 3.0]), np.array([7.0, 3.0])
    exercise = replace(exercise_of("spread"), parts=(Part("with two numbers", ((two,), (seven,), (two,))),))
    lines = (
        "while numbers[0] == 7: pass",
        "m = numbers.mean() if numbers[0] == 2 else 20",
        "return m, numbers.max(), numbers * 2",
    )
    verdict = judge(exercise, answer_to("spread", "\n".join(lines)), limits=Limits(0.05))
    right = "There the mean is right, but the spread and the gaps are not."
    assert f"not even with two numbers. {right}" in verdict.message, verdict


def test_without_a_small_example_the_first_difference_is_said_with_its_input():
    verdict = judge(replace(exercise_of("share"), shapes={}, facts=()), answer_to("share", "numbers - 1"))
    assert verdict.message == "With numbers of shape (2,), position 0 holds 0.5, but it should be 0.3333.", verdict
