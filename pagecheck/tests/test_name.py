"""The mistake is named: the line that makes it, or two; and which step speaks first."""

from types import SimpleNamespace

import numpy as np
import pytest

from pagecheck import Course
from pagecheck.compare import as_outcome
from pagecheck.judge import judge
from pagecheck.name import find_faults
from pagecheck.tests.test_promise import toy
from pagecheck.tests.toys import COURSE, answer_from, answer_to, verdict_on
from pagecheck.words import NOT_YET, Finding

RIGHT = "table @ weights / weights.sum()"
GAPS = "numbers - numbers.mean()"

ROWS, SCALED = "table - table.mean(axis=1)", "return t / abs(t).max() if scaled else t"
MIDDLE = "m = table.mean(axis=1) if by == 'mean' else np.median(table, axis=1)\nt = table - m[:, None]"

FOUND = [  # page, code, ids, words of the message, and the names of the arguments if they are others
    ("share", "numbers / max(numbers)", "share-of-largest", "becomes 1. The numbers seem to be divided"),
    (
        "share",
        "100 * numbers / max(numbers)",
        "share-of-largest share-in-percent",
        "There are two things to look at. The numbers",
    ),
    (
        "mean",
        "abs(numbers[1:]).sum() / len(numbers)",
        "mean-first-missing mean-absolute",
        "There are two things to look at.",
    ),
    # what keeps something, takes other arguments or calls a wrong function is not held to the lines
    ("share", "numbers / max(numbers) + np.random.rand()", "remembers", "a different answer the second time"),
    ("share", "count.append(1)\nreturn numbers / max(numbers) * len(count)", "remembers", "Is something kept"),
    ("share", "KEPT.n += 1\nreturn numbers / max(numbers) * KEPT.n", "remembers", "Is something kept"),
    ("share", "global WAS\nWAS += 1\nreturn numbers / max(numbers) * WAS", "remembers", "Is something kept"),
    ("totals", RIGHT, "arguments-order", "with table and weights, in this order", "weights, table"),
    ("totals", "b @ a / a.sum()", "arguments-order", "Your function seems to take them in a different order.", "a, b"),
    ("above", "n > limit", "arguments-order", "with numbers and limit, in this order", "limit, n"),
    ("share", "share(numbers)", "helper-wrong", "becomes right when it uses the course's `share` instead of yours"),
    # what came back is not an answer
    ("share", "print(numbers)", "prints-only", "prints its result but returns nothing"),
    ("share", "numbers.sort()", "returns-nothing", "though it ends with `return numbers.sort()`"),
    ("share", "if len(numbers) > 2:\n    return numbers", "returns-nothing", "Some inputs get a result, and others do"),
    ("share", "numbers + 0j", "returns-no-numbers", "the shares should be real numbers."),
    ("share", "'a'", "returns-no-numbers", "a str, but the shares should be numbers. An array or a list"),
    ("mean", "{}", "returns-no-numbers", "a dict, but the mean should be one number. A value of Python, NumPy"),
    ("above", "'a'", "returns-no-numbers", "the marks should hold True and False."),
    ("spread", "1, 2", "returns-too-few", "asks for 3 results, but your function returns 2"),
    ("share", "numbers, 2", "returns-tuple", "returns 2 things in a tuple, but it should return the shares alone"),
    ("share", "3 * numbers, numbers", "returns-tuple", "returns 2 things in a tuple, but it should return the shares"),
    # one and the same, or an argument, comes back
    ("share", "[0.25, 0.75]", "hard-coded", "returns the same numbers for different inputs."),
    ("mean", "4 + 0 * numbers[0]", "always-the-same", "Your answer is 4 for every input that was tried."),
    ("share", "[0.25, 0.75] + 0 * numbers[:1]", "always-the-same", "Your answer is the same for every input"),
    ("share", "numbers", "returns-argument", "returns numbers unchanged"),
    # a relation between what came and what is right
    ("share", "[numbers / sum(numbers)]", "shape-extra-axis", "their shape is (1, 2) instead of (2,)"),
    ("share", "3 * numbers / sum(numbers)", "factor", "All your numbers are 3 times as large as they should be."),
    ("share", "numbers / sum(numbers) - 0.5", "offset", "the right number plus -0.5"),
    ("spread", f"numbers.mean(), numbers.std(), 3 * ({GAPS})", "factor", "the gaps are not. About the gaps: All your"),
    ("spread", f"3 * numbers.mean(), numbers.std(), 3 * ({GAPS})", "factor", "The spread is right, but the mean and"),
    # an error, a shape, NaN, an argument without effect
    ("share", "numbers / M", "uses-global", "uses the variable `M` from the notebook"),
    ("share", "numbers[9]", "raises", "IndexError at `return numbers[9]`. There is no index 9 along axis 0"),
    ("share", "r = numbers / sum(numbers)\nreturn r if len(r) > 2 else r[2]", "raises-on-some", "stops for numbers"),
    (
        "totals",
        "table * 2",
        "shape",
        "the averages should have shape (2,), that is, (n_rows,). Your result has 2 axes, but it should have 1.",
    ),
    (
        "totals",
        "np.zeros(4) + weights[0] + table[0, 0]",
        "shape",
        "Axis 0 has length 4 for every input: does your code use a fixed",
    ),
    (
        "totals",
        "table.sum(axis=0) * weights",
        "shape",
        "of shape (3,), but the averages should have shape (2,), that is, (n_rows,).",
    ),
    ("centred", "table[:, :2] * 2", "shape", "but the gaps should have shape (2, 3), that is, (n_rows, n_columns)."),
    ("share", "np.sqrt(-numbers) + 1", "nan", "Try this by hand"),
    ("share", "numbers / np.zeros(1)", "infinite", "returns an infinite number."),
    ("totals", "table.sum(axis=1) ** 2", "argument-unused", "stays the same when weights changes"),
    ("totals", "table.sum(axis=1) ** 2 + 0 * weights[0]", "argument-without-effect", "differ only in weights"),
    # numbers that nothing explains
    ("share", "numbers**2 / (numbers**2).sum()", "differs", "[0.2, 0.8], but it should be [0.3333, 0.6667]."),
    ("share", "numbers / 4.5", "only-some-inputs", "No share is larger than 1."),
    (
        "spread",
        f"numbers.mean(), numbers.std(), ({GAPS}) ** 3",
        "differs",
        "The mean and the spread are right, but the",
    ),
    (
        "totals",
        "(table @ weights) ** 2 / weights.sum()",
        "differs",
        "Your function does not work yet, not even when all weights are",
    ),
    (
        "totals",
        f"{RIGHT} + weights[0] - weights[-1]",
        "differs",
        "Your function was right in one test, with a single column.",
    ),
    (
        "centred",
        f"{MIDDLE}\n1 / scaled\n{SCALED}",
        "raises-on-some",
        "right for other inputs, but it stops for table",
    ),
]
NOTEBOOK = {"M": np.ones((9, 9)), "LEARNT": 4, "count": [], "KEPT": SimpleNamespace(n=1), "WAS": 0}


@pytest.mark.parametrize("found", FOUND, ids=lambda found: " ".join(found[:2]))
def test_an_answer_is_told_its_mistake(found):
    page, code, ids, said, *arguments = found
    own = answer_to("share", "numbers / numbers.max()")
    verdict = verdict_on(page, code, *arguments, **NOTEBOOK, share=own)
    assert verdict.mistakes == tuple(ids.split()), verdict
    assert verdict.state == NOT_YET and said in verdict.message, verdict


def test_two_arguments_of_one_kind_in_another_order_may_be_meant_so():
    exercise = toy(lambda a, b: a - b * b, ("a", "b"), (np.array([1.5, 3]), np.array([2.5, -1])), faults=(), tied=())
    assert judge(exercise, answer_from("x - y * y", "y, x")).mistakes != ("arguments-order",)
    assert judge(exercise, answer_from("a - b * b", "b, a")).mistakes == ("arguments-order",)


def test_pairs_that_fit_probes_by_chance_are_not_said_where_promises_tell_otherwise():
    fits = "r = numbers / max(numbers) * 100\nreturn r if numbers.dtype == float and sum(numbers) < 99 else {}"
    assert verdict_on("share", fits.format("r")).mistakes == ("share-of-largest", "share-in-percent")
    assert len(verdict_on("share", fits.format("r[::-1] + 1")).mistakes) == 1


def test_where_several_pairs_give_the_same_counts_none_is_said(tmp_path):
    (tmp_path / "many.md").write_text(
        "# many\n\n```python\ndef many(x):\n    p = 1\n    q = 1\n    r = 1\n    return x + p + q + r\n```\n\n"
        "```python\ngives, probes = {'it': 'one number'}, ((1,), (4,))\n```\n\n"
        "## `p = 1`\n\n### a\n    + p = 3\nS.\nS.\n\n## `q = 1`\n\n### b\n    + q = 4\nS.\nS.\n\n"
        "## `r = 1`\n\n### c\n    + r = 4\nS.\nS.\n"
    )
    many = Course(tmp_path).exercise("many")
    found = [find_faults(many, [as_outcome(x + more, 1) for (x,) in many.probes], 2) for more in (8, 8.5, 9)]
    assert found[:2] == [None, None]  # a with b, or a with c; none at all
    assert [fault.id for fault in found[2]] == ["b", "c"]


def test_of_several_results_those_are_named_that_are_right_in_a_simple_try(tmp_path):
    """Also where an argument is a list of unequal parts, as batches are."""
    (tmp_path / "walk.md").write_text(
        "# walk\n\n```python\ndef walk(steps):\n    a, b = 1.0, 1.0\n    for step, (more,) in steps:\n"
        "        a, b = a + step.sum() * b, b + more * a\n    return a, b\n```\n\n```python\n"
        "gives = {'a': 'one number', 'b': 'one number'}\ndef some(n):\n"
        "    return ([(np.array([k, 0.5]), np.array([n + 2.0])) for k in range(n)],)\n"
        "probes = some(3), some(4)\n"
        "parts = Part('without a step', (some(0),)), Part('with one step', (some(1),))\n```\n"
    )
    walk = Course(tmp_path).exercise("walk")
    answer = answer_from(
        "a, b = 1.0, 1.0\nfor step, more in steps:\n    a = a + step.sum() * b\n    b = b + more[0] * a\nreturn a, b",
        "steps",
    )
    said = (
        "Your function was right in one test, without a step, but not in another, with one step. "
        "There a is right, but b is not."
    )
    assert said in judge(walk, answer).message


def test_a_mistake_in_one_of_several_results_is_told_with_those_that_are_right(tmp_path):
    for a, seen, said in (
        ("a", "It is too small.", "b is right, but a is not. It is too small. So it seems."),
        ("a", "The one is right.", "The one is right. So it seems."),
        ("the first", "It is too small.", "It is too small. So it seems."),
    ):
        (tmp_path / "two.md").write_text(
            "# two\n\n```python\ndef two(x):\n    a = x + 1\n    return a, 3 * x\n```\n\n"
            f"```python\ngives, probes = {{'{a}': 'one number', 'b': 'one number'}}, ((1.5,), (4.5,))\n```\n\n"
            f"## `a = x + 1`\n\n### less\n    + a = x\n{seen}\nSo it seems.\n"
        )
        assert judge(Course(tmp_path).exercise("two"), answer_from("x, 3 * x", "x")).message == said


def test_a_step_of_the_course_speaks_after_the_lines_and_before_the_error():
    asked = []

    def further(case):
        asked.append(case)
        return Finding(NOT_YET, ("of-the-course",), "So it is.") if case.run.outcomes[0].problem == "raises" else None

    course = Course(COURSE.folder, further=(further,))
    assert judge(course.exercise("share"), answer_from("numbers / max(numbers)", "numbers")).mistakes == (
        "share-of-largest",
    )
    assert not asked
    assert judge(course.exercise("share"), answer_from("numbers[9]", "numbers")).mistakes == ("of-the-course",)
    assert judge(course.exercise("share"), answer_from("numbers**2", "numbers")).mistakes == ("differs",)
