"""An answer's code and variables: is it a stub, what does it read, why nothing comes back, which step is right."""

from dataclasses import replace
from functools import wraps

import numpy as np
import pytest

from pagecheck import source
from pagecheck.source import (
    globals_read,
    is_stub,
    last_right,
    loops,
    modules_read,
    names_read,
    reaches,
    reads,
    tree_of,
    why_nothing,
)
from pagecheck.tests.toys import answer_from, answer_to, case_of, exercise_of


class Started:
    def build(self):
        self.x = 1

    def call(self, x):
        return x


class Untouched(Started):
    def call(self, x): ...


def wrapped(function):
    @wraps(function)
    def inside(*arguments):
        return function(*arguments)

    return inside


@pytest.mark.parametrize(
    ("answer", "is_one"),
    [
        *((one, True) for one in (..., (1, ...), [...], lambda a: ..., lambda a: None, Untouched)),
        *((answer_from(code), True) for code in ("...", "pass\npass", "'''Words.'''\nreturn None", "c = a + b\n...")),
        (wrapped(answer_from("...")), True),
        *((one, False) for one in (None, 0, (1, 2), max, np.exp, Started, Started().call, int)),
        *(
            (answer_from(code), False)
            for code in ("a", "print(a)", "c = ...\nreturn c", "return a[..., 0]\n", "a.x\npass")
        ),
    ],
)
def test_a_stub_is_empty_or_still_has_its_dots(answer, is_one):
    assert is_stub(answer) is is_one


def test_a_tree_is_found_where_one_function_alone_is_meant():
    one, other = lambda a: a + 1, lambda b: b + 2
    assert tree_of(one).body.right.value == 1 and tree_of(other).body.right.value == 2
    same_names = lambda a: a + 1, lambda a: a + 2
    assert tree_of(same_names[0]) is None and tree_of(max) is None and tree_of(3) is None
    assert tree_of(eval("lambda a: a")) is None
    assert tree_of(wrapped(answer_from("a + b"))).name == "answer"


INSIDE = "def inside(x):\n    return [x - b * LEARNT for y in M]\nreturn inside(a) + helper(3) + np.pi"


def test_what_a_function_reads_is_known_from_functions_inside_it_too():
    answer = answer_from(INSIDE, "a, b, c", LEARNT=4, M=[1], helper=abs)
    assert sorted(names_read(answer)) == ["LEARNT", "M", "helper", "np"]
    assert [reads(answer, place) for place in (0, 1, 2, 3)] == [True, True, False, True]
    assert globals_read(answer, int) == ["LEARNT"] and set(globals_read(answer, (list, int))) == {"M", "LEARNT"}
    assert modules_read(answer) == ["numpy"]
    assert names_read(max) == [] and reads(Started().call, 0)


@pytest.mark.parametrize(
    ("code", "does"),
    [
        ("a @ b", False),
        ("sum(x for x in a)", True),
        ("[x for x in a]", True),
        ("while a:\n    a = b\nreturn a", True),
        ("if a:\n    b = 1\nreturn b", False),
    ],
)
def test_a_loop_is_found_in_a_comprehension_too(code, does):
    assert loops(answer_from(code)) is does


NOTHING = "Your function returns nothing"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print(a)", f"{NOTHING}, though it ends with `return print(a)`: `print` itself returns nothing."),
        ("c = None\nreturn c", f"{NOTHING}, though it ends with `return c`: the value there is None."),
        (f"{'x' * 111}(a)", f"{NOTHING}, though it ends with a return: the value there is None."),
        ("if a:\n    return a", f"{NOTHING}, though it has a return. Is that line reached, and what does it return?"),
        ("a + b\nreturn None", ""),
        ("def inside():\n    return a\ninside()", ""),
        ("c = lambda: a\nc()", ""),
    ],
)
def test_what_stands_behind_a_return_is_said(code, said):
    assert why_nothing(answer_from(code)).startswith(said) and bool(why_nothing(answer_from(code))) == bool(said)
    assert why_nothing(lambda a, b: print(a)) == f"{NOTHING}: `print` itself returns nothing."
    assert why_nothing(max) == ""


def test_a_package_is_reached_through_the_student_s_own_functions_three_deep():
    answers = [answer_from("np.ones(a)")]
    for _ in range(3):
        answers.append(answer_from("one(a, b)", one=answers[-1]))
    assert [reaches(answer, "numpy") for answer in answers] == [True, True, True, False]
    assert reaches(answer_from("kind(a)", kind=np.random.Generator), "numpy")
    assert not any(reaches(*one) for one in [(answers[0], "numpy.linalg"), (max, "numpy"), (answer_from("a"), "numpy")])


# Which step is right


def right_steps(page, code):
    exercise = page if not isinstance(page, str) else exercise_of(page)
    answer = code if callable(code) else answer_from(f"{code}\nreturn 0", ", ".join(exercise.arguments))
    return last_right(case_of(exercise, answer))


P, T = "p = table * weights", "`p` holds the products, as it should. Look at the other steps."


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (P, T),
        ("p = table + 0\np *= weights", T),
        ("p = (table * weights).tolist()", T),
        (f"other = table @ weights + 1\n{P}", T),
        (f"for k in range(2):\n    {P}", T),
        (f"products = table\n{P}", T),
        (f"{P}\nproducts = p + 0", T.replace("`p`", "`products`")),
        (
            f"{P}\ns = p.sum(axis=1)",
            "`p` holds the products and `s` holds the sums, as they should. Look at the other steps.",
        ),
        ("s = table @ weights", "`s` holds the sums, as it should. Look at the other steps."),
        (f"{P}\nr = table @ weights / weights.sum()\nr = r + 1", "Your `r` holds the right answer before the return:"),
        (f"{P}\n1 / 0", ""),
        (f"if table[0, 0] == 2.5:\n    1 / 0\n{P}", ""),
        (f"for k in range(70):\n    t = k\n{P}\np = p + 0\np = 3", ""),  # a long loop is not watched to its end
        (f"for k in range(10):\n    t = k\n{P}\np = p + 0\np = 3", T),
        ("p = 3", ""),
        ("", ""),
        (lambda table, weights: table * weights, ""),
        # right for the probes, and not for what is promised
        (f"{P}\nif len(table) == 1:\n    p = p + 1", T),
        ("p = table * weights if len(table) > 1 else table + 0", ""),
        (f"if len(table) > 1:\n    {P}", T),  # nothing there contradicts it
    ],
)
def test_a_variable_that_holds_a_step_is_named_whatever_it_is_called(code, said):
    found = right_steps("totals", code)
    assert found.startswith(said) and bool(found) == bool(said), found


def test_an_array_that_is_changed_in_place_is_seen_before_and_after():
    said = right_steps("share", answer_to("share", "s = numbers + 0\ns /= numbers.sum()\ns[0] = 0\nreturn s"))
    assert said.startswith("Your `s` holds the right answer before the return")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "total = 0\nfor n in numbers:\n    total += n",
            "`total` holds the total, as it should. Look at the other steps.",
        ),
        ("t = numbers.sum()", "`t` holds the total, as it should. Look at the other steps."),
        ("t = 1\nn = numbers.sum()", ""),
        ("n = 1\nm = 2\nt = numbers.sum()", ""),
    ],
)
def test_one_number_counts_under_its_own_name_or_at_its_place_among_as_many(code, said):
    assert right_steps("mean", code) == said


def test_a_step_that_is_the_same_on_all_probes_is_no_sign_of_a_right_line():
    """An array that an answer always holds, whatever goes in, would be called right."""
    exercise = exercise_of("totals")
    table, weights = exercise.probes[0]
    alike = replace(exercise, probes=((table, weights), (2 * table, weights / 2), (4 * table, weights / 4)))
    two_alike = replace(exercise, probes=((table, weights), (2 * table, weights / 2), (4 * table, weights)))
    assert (right_steps(alike, P), right_steps(two_alike, P)) == ("", T)


def test_a_step_that_is_an_argument_in_one_run_does_not_stop_the_check():
    """Small whole numbers are one object, so a total that equals an argument looks like that argument."""
    solution = answer_from("total = n + m\ntwice = 2 * total\nreturn twice + 1", "n, m")
    exercise = replace(
        exercise_of("mean"),
        reference=solution,
        solution=solution,
        arguments=("n", "m"),
        probes=((2, 3), (4, 6), (0, 7)),
    )
    assert right_steps(exercise, "total = n + m") == ""


def test_a_class_is_made_anew_with_its_attributes():
    class Layer:
        size = 3

    copy = source._recreated(Layer)
    assert copy is not Layer and copy.__name__ == "Layer" and copy.size == 3 and source._recreated(7) == 7
