"""How the code of an answer is read: what a sentence claims of it, and what it holds in whichever words."""

import collections
import functools
import math
import statistics
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from readable_code import written

from course_utils.attention import softmax
from course_utils.checks.engine.edits import edits_of
from course_utils.checks.engine.evidence import bears_out, held
from course_utils.checks.engine.running import run
from course_utils.checks.engine.source import code_of
from course_utils.checks.engine.steps import Case
from course_utils.checks.engine.verdict import DONE, Finding, not_yet
from course_utils.checks.exercises import exercise_of

LEARNT = 7  # a number of the notebook


def is_said(sentence, code, exercise="dot_product"):
    """Whether a sentence about the code is said of an answer with this code."""
    exercise = exercise_of(exercise)
    answer = written(code, ", ".join(exercise.arguments), islice=islice, LEARNT=LEARNT)
    found = not_yet("row-sum", sentence)
    said = held(Case(exercise, answer, None, None), found)
    assert said in (found, None)
    return said is not None


def calls(names):
    return tuple(f"np.{name}(a, b)" for name in names.split())


EXPONENTIALS = calls("exp exp2 expm1 power softmax logsumexp sigmoid expit")
CLAIMS = {  # what is said: the code of which it may be said, and of which it may not
    "The comparison seems to be off by one.": (
        ("a < b", "a == 3", *calls("less less_equal greater greater_equal")),
        ("b if a == 0 else a", "b if 0 < a else a", "np.equal(a, b)"),
    ),
    "Comparison by comparison.": (("a != b",), ()),
    "The sign * adds nothing.": (("a * b", *calls("multiply")), ("a ** b", "a @ b")),
    "The sign ^ is not a power in Python.": (("a ^ b", *calls("bitwise_xor")), ("a ** b",)),
    "Python reads ** 1/2 as a half.": (("a ** b", "pow(a, b)", *calls("power")), ("np.sqrt(a)", "a * b")),
    "A minus sign seems to stand before the scores.": (
        ("-a", "a - b", *calls("negative subtract")),
        ("a + b", "+a"),
    ),
    "A minus sign seems to have become a plus.": (("a + b", "+a", *calls("add")), ("a - b", "-a")),
    "A slice seems to stand there.": (("a[1:]", "a[:, 1]"), ("a[b]",)),
    "Does it use a loop or a slice?": (("a",), ()),
    "The index seems to be off by one.": (("a[b]",), ("a.b",)),
    "Both indices seem to be off by one.": (("a[b]",), ("a.b",)),
    "The loop seems to run too far.": (("[x for x in a]", "x = 0\nwhile a:\n    x += 1\nreturn x"), ("a @ b",)),
    "A loop seems to run too far.": (("[x for x in a]",), ("a @ b",)),
    "Is your loop right?": (("[x for x in a]",), ("a @ b",)),
    "Is a loop or the sum missing?": (("a @ b",), ()),
    "Does something start one step too late?": (
        (
            "a[1:]",
            "a[b:]",
            "range(1, 3)",
            "np.arange(b, 3)",
            "islice(a, 1, None)",
            "x = 1\nwhile x:\n    x = a\nreturn x",
        ),
        ("a[:3]", "a[0:3]", "range(3)", "range(0, 3)", "islice(a, 3)", "islice(a, 0, 3)", "pow(1, 3)"),
    ),
    "Does something stop one step too early?": (("a[:1]", "[x for x in a]"), ("a[1]",)),
    "A fixed number seems to stand there.": (("a + 3", "a + LEARNT"), ("a", "a + np.pi")),
    "Fixed token by fixed token.": (("a == 3",), ("a",)),
    "A fixed position seems to stand there.": (("a[3]",), ("a[b]",)),
    "A number seems to stand where it should not.": (("a[3]",), ("a[b]",)),
    "Axis 0 has length 3 for every input: is that a fixed number?": (
        ("a[:3]", "[a, b, a]", "(a, b, a)", "a[:LEARNT]"),
        (),
    ),
    "It has length 3, a fixed number.": (("a[:3]",), ("a[:4]", "[a, b]", "a")),
    "The argument b seems to be unused.": (("a",), ("a + b", "[b for x in a]")),
    "`A` seems to be left out.": (("b",), ("a + b",)),
    "The lengths seem to be left out.": (("a", "a + b"), ()),
    "It is made from the sum of the scores.": (
        ("[x for x in a]", *calls("sum mean average fsum cumsum einsum reduce trace dot add")),
        ("a + b", "np.prod(a)", "np.nan_to_num(a).sum()", "np.nansum(a)", "a[~np.isnan(a)].sum()"),
    ),
    "An array seems to be made for whole numbers.": (
        (
            "int(a)",
            "a.astype(b)",
            "a // b",
            *calls("zeros empty ones full array arange floor ceil round trunc rint fix"),
        ),
        ("a / b", "np.exp(a)", "np.sum(a)"),
    ),
    "There every number has lost its decimals.": (("np.floor(a)",), ("a - b",)),
    "The length of an arrow seems to be too short.": (
        ("abs(a)", "np.sqrt(a @ a)"),
        ("a @ b", "a @ a", "np.dot(a, b)", "a"),
    ),
    "The exponentials seem to be there.": (("a ** b", "pow(a, b)", *EXPONENTIALS), ("a * b", "np.log(a)")),
    "There the exponentials seem to be missing.": (("np.exp(a)",), ("a",)),
    "You seem to divide by it.": (
        ("a / b", "a // b", "a ** b")
        + calls("divide true_divide mean average var std stdev norm softmax reciprocal cov pow power"),
        ("a * b", "np.exp(a)"),
    ),
    "So you seem to divide by it.": (("a / b",), ("a * b",)),
    "They seem to be divided by it.": (("a / b",), ("a * b",)),
    "It seems to be divided by it.": (("a / b",), ("a * b",)),
    "You seem to multiply.": (
        ("a * b", "a @ b", "a / b", *calls("multiply prod cumprod einsum dot matmul outer")),
        ("a + b", "np.exp(a)"),
    ),
    "So you seem to multiply.": (("a * b",), ("a + b",)),
    "They seem to be multiplied.": (("a * b",), ("a + b",)),
    "It seems to be multiplied.": (("a * b",), ("a + b",)),
    "You seem to give back the logarithms of the weights.": (calls("log log2 logaddexp"), ("a", "np.exp(a)")),
    "Something seems to take absolute values.": (
        ("a ** b", *calls("abs absolute fabs sqrt norm hypot max maximum")),
        ("a * b", "np.exp(a)"),
    ),
    "You seem to take the standard deviation.": (
        ("a ** b", *calls("std stdev pstdev sqrt norm")),
        ("a * b", "np.var(a)"),
    ),
    "You seem to take a root too many.": (("np.sqrt(a)",), ("a",)),
    "There seems to be a root too many.": (("np.sqrt(a)",), ("a",)),
    "The lengths seem to be squared: a root is missing.": (("a @ b", "a ** b"), ("np.sqrt(a)",)),
    "These are bare dot products: the scaling is missing.": (("a @ b",), ("np.sqrt(a)",)),
    "The maximum seems to be taken away.": (
        ("a > b", "max(a)", "a.max()", "sorted(a)", *calls("sort argmax maximum nlargest top_k")),
        ("a.min()", "a + b"),
    ),
    "You seem to take a maximum.": (("max(a)",), ("a",)),
    "You seem to take the largest.": (("max(a)",), ("a",)),
}


@pytest.mark.parametrize("sentence", CLAIMS)
def test_a_sentence_about_the_code_is_said_of_code_that_holds_it_and_of_no_other(sentence):
    there, elsewhere = CLAIMS[sentence]
    assert [code for code in there if not is_said(sentence, code)] == []
    assert [code for code in elsewhere if is_said(sentence, code)] == []


def test_an_array_was_added_as_it_is_where_it_stands_nowhere_with_an_index():
    said = "P was added as it is."
    assert is_said(said, "X + P", "add_positions") and is_said(said, "X[:2] + P", "add_positions")
    assert not is_said(said, "X + P[:2]", "add_positions")


def test_an_argument_is_known_by_its_words():
    said = "The number of keys seems to be left out."
    assert is_said(said, "lengths", "padding_mask") and not is_said(said, "lengths + n_keys", "padding_mask")
    said = "The `learning_rate` seems to be unused."
    assert is_said(said, "X", "train_step") and not is_said(said, "learning_rate", "train_step")


@pytest.mark.parametrize("turned", ["a.T", *calls("transpose swapaxes moveaxis rollaxis einsum reshape"), "a"])
def test_what_is_transposed_stands_in_the_code(turned):
    edit = next(edit for edit in edits_of(written("a - b")) if edit.id == "edit-transposed")
    case = Case(exercise_of("dot_product"), written(f"{turned} - b"), None, None)
    assert bears_out(case, edit) == (turned != "a")


A, B, AB, NOTHING = ("a",), ("b",), ("a", "b"), ()
EITHER_WAY = {"+": "Add", "*": "Mult", "@": "MatMult", "&": "BitAnd", "|": "BitOr", "==": "Eq", "!=": "NotEq"}
FEATURES = {  # an expression: its features, in any order
    "a - b": [("Sub", A, B)],
    "b - a": [("Sub", B, A)],
    **{f"b {sign} a": [(name, A, B)] for sign, name in EITHER_WAY.items()},
    "a < b": [("Lt", A, B)],
    "b > a": [("Lt", A, B)],
    "b >= a": [("LtE", A, B)],
    "a < b < 3": [("Lt", A, B), ("number", 3)],
    "-a": [("USub", A)],
    "not a": [("Not", A)],
    "-1.5": [("number", -1.5), ("number", 1.5)],
    "True": [],
    "'text'": [],
    "a - -1": [("Sub", A, NOTHING), ("beside", "Sub", -1), ("number", -1), ("number", 1)],
    "2 * a": [("Mult", NOTHING, A), ("beside", "Mult", 2), ("number", 2)],
    "a - (b - a)": [("Sub", A, AB), ("inside", "Sub", "right", "Sub"), ("Sub", B, A)],
    "(a + b) * a": [("Mult", A, AB), ("inside", "Mult", "left", "Add"), ("Add", A, B)],
    "a.T": [("T", A)],
    "a.shape[-1]": [("axis of", A, -1), ("size of", A), ("number", -1), ("number", 1)],
    "len(a)": [("axis of", A, 0), ("size of", A)],
    "a.shape - b": [("Sub", NOTHING, B)],
    "a.size - b": [("Sub", NOTHING, B)],
    "a.ndim - b": [("Sub", NOTHING, B)],
    "a.real - b": [("Sub", A, B)],
    "len(a) - b": [("Sub", NOTHING, B), ("axis of", A, 0), ("size of", A)],
    "range(a) - b": [("Sub", NOTHING, B), ("range", A)],
    "np.ndindex(a) - b": [("Sub", NOTHING, B), ("ndindex", A)],
    "a[b]": [("at", A, B)],
    "[a, b]": [("in a row", A, B)],
    "(b, a)": [("in a row", B, A)],
    "[a]": [],
    "a.sum(axis=1)": [("sum", A), ("axis", 1), ("number", 1)],
    "a.sum(1)": [("sum", A), ("axis", 1), ("number", 1)],
    "np.sum(a, 0)": [("sum", A), ("axis", 0), ("number", 0)],
    "np.sum(a, b)": [("sum", AB)],
    "np.sum(a, axis=1.0)": [("sum", A), ("number", 1.0)],
    "np.swapaxes(a, -1, 2)": [("swapaxes", A), ("axis", -1), ("number", -1), ("number", 1), ("number", 2)],
    "np.max(a, keepdims=True)": [("max", A), ("keepdims",)],
    "np.max(a, initial=1)": [("max", A), ("number", 1)],
    "b.dot(a)": [("MatMult", A, B)],
    "b.dot(a, 1)": [("MatMult", AB), ("number", 1)],
    "math.pow(b, a)": [("Pow", B, A)],
    "tf.matmul(b, a)": [("MatMult", A, B)],
    "other.matmul(a)": [("MatMult", NOTHING, A)],
    "np.power(a)": [("Pow", A)],
    "[x - b for x in a]": [("Sub", A, B)],
    "sum(x - y for x, y in zip(a, b))": [("sum", AB), ("Sub", A, B), ("zip", AB)],
    "[x - i for i, x in enumerate(a)]": [("Sub", A, NOTHING), ("enumerate", A)],
    "[x - y for i, (x, y) in enumerate(zip(a, b))]": [("Sub", A, B), ("zip", AB), ("enumerate", AB)],
    "[x - y for x, y in enumerate()]": [("Sub", NOTHING, NOTHING), ("enumerate", NOTHING)],
    "c = a\nc -= b\nreturn c": [("Sub", AB, B)],
    "c = d = a\nreturn c - d": [("Sub", A, A)],
    "c, d = a, b\nreturn c - d": [("in a row", A, B), ("Sub", A, B)],
    "c, d = b\nreturn c - d": [("Sub", B, B)],
    "c, *d = a, b\nreturn d - c": [("in a row", A, B), ("Sub", B, A)],
    "[c, (d, e)] = a, b\nreturn e - c": [("in a row", A, B), ("Sub", B, A)],
    "c: int = a\nreturn c - b": [("Sub", A, B)],
    "c: int\nreturn a - b": [("Sub", A, B)],
    "(c := a)\nreturn c - b": [("Sub", A, B)],
    "c = 0\nc[b] = a\nreturn c - c": [("at", A, B), ("Sub", A, A), ("number", 0)],
    "for x in a:\n    y = x - d\n    d = b\nreturn y": [("Sub", A, B)],
    "for x in a:\n    y = x - d\n    d = e\n    e = b\nreturn y": [("Sub", A, B)],
    "a = b\nreturn a - b": [("Sub", A, B)],
}


@pytest.mark.parametrize("code", FEATURES)
def test_what_a_code_holds(code):
    found = code_of(written(code, math=None, tf=None, other=None), ("a", "b"))
    assert sorted(found.features.elements(), key=str) == sorted(FEATURES[code], key=str)


@pytest.mark.parametrize(
    ("names", "sign"),
    [
        ("add", "b + a"),
        ("subtract", "b - a"),
        ("multiply", "b * a"),
        ("divide true_divide", "b / a"),
        ("floor_divide", "b // a"),
        ("power pow", "b ** a"),
        ("dot matmul", "b @ a"),
        ("absolute", "abs(b, a)"),
        ("amax", "max(b, a)"),
        ("amin", "min(b, a)"),
        ("average", "np.mean(b, a)"),
        ("fsum", "sum(b, a)"),
    ],
)
def test_a_function_is_the_same_as_its_sign_or_other_name(names, sign):
    wanted = code_of(written(sign), ("a", "b")).features
    assert [name for name in names.split() if code_of(written(f"np.{name}(b, a)"), ("a", "b")).features != wanted] == []


def of_the_student(x, y):
    return x - y


def round_about(x, y):
    return of_the_student(y, x) + written_nowhere


def in_itself(x):
    return in_itself(x)


written_nowhere = eval("lambda x: x")


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("sum(a)", {"sum"}),
        ("sqrt(a)", {"sqrt"}),
        ("exp(a)", {"exp"}),
        ("norm(a)", {"norm"}),
        ("fsum(a)", {"fsum"}),
        ("mean(a)", {"mean"}),
        ("reduce(a, b)", {"reduce"}),
        ("islice(a, 1)", {"islice"}),
        ("Counter(a)", {"Counter"}),
        ("logsumexp(a)", {"logsumexp"}),
        ("softmax(a)", {"softmax"}),
        ("a.anything(b).more()", {"anything", "more"}),
        ("of_the_student(b, a)", {"of_the_student"}),
        ("round_about(a, b)", {"round_about", "of_the_student"}),
        ("def inside(x):\n    return x - b\nreturn inside(a)", {"inside"}),
    ],
)
def test_calls_of_known_functions_can_be_read(code, names):
    assert code_of(written(code, **OUTSIDE), ("a", "b")).called == names


@pytest.mark.parametrize(
    "code",
    [
        "renamed(a)",
        "unknown(a)",
        "written_nowhere(a)",
        "(lambda x: x)(a)",
        "a[0](b)",
        "in_itself(a)",
        "three_deep(a)",
    ],
)
def test_a_call_of_what_cannot_be_read_makes_the_code_unknown(code):
    assert code_of(written(code, **OUTSIDE), ("a", "b")) is None


def test_what_a_function_of_the_student_is_given_counts_there():
    assert code_of(written("of_the_student(b, a)", **OUTSIDE), ("a", "b")).features[("Sub", B, A)] == 1
    two_deep = code_of(written("round_about(a, b)", **OUTSIDE), ("a", "b"))
    assert two_deep.features[("Sub", B, A)] == 1


def test_an_answer_gives_its_arguments_names_of_its_own():
    assert code_of(written("first - second", "first, second"), ("a", "b")).features == {("Sub", A, B): 1}
    assert code_of(written("first - c", "first, second, c=1"), ("a", "b")).features == {("Sub", A, NOTHING): 1}


def logsumexp(x):
    """Stands for SciPy's, which the course does not need."""


logsumexp.__module__ = "scipy.special"


def one_deep(x):
    return of_the_student(x, x)


def two_deep(x):
    return one_deep(x)


def three_deep(x):
    return two_deep(x)


OUTSIDE = {
    name: value
    for name, value in globals().items()
    if name in ("of_the_student", "round_about", "in_itself", "written_nowhere", "three_deep")
} | {
    "sqrt": math.sqrt,
    "exp": np.exp,
    "norm": np.linalg.norm,
    "renamed": np.linalg.norm,
    "islice": islice,
    "fsum": math.fsum,
    "mean": statistics.mean,
    "reduce": functools.reduce,
    "Counter": collections.Counter,
    "logsumexp": logsumexp,
    "softmax": softmax,
}


SHARES, SCORES = "np.exp(a) / np.exp(a).sum(axis=1)", "a @ b.T / np.sqrt(a.shape[1])"
TURNED = ["edit-transposed a", "edit-transposed b", "edit-transposed b", "edit-transposed a"]


@pytest.mark.parametrize(
    ("solution", "code", "edits"),
    [
        ("(a - b) / 2", "(p - q) / 2", []),
        ("(a - b) / 2", "(p + q) / 2", ["edit-operator + -"]),
        ("(a - b) / 2", "(p - q) / 3", ["edit-constant 3 2"]),
        ("(a - b) / 2", "(q - p) / 2", ["edit-order `-`"]),
        ("(a - b) / 2", "p - q / 2", ["edit-brackets a difference"]),
        ("(a - b) / 2", "p - q", ["edit-left-out a division"]),
        ("(a - b) / 2", "p / 2", ["edit-left-out a subtraction", "edit-left-out a subtraction"]),
        ("(a - b) / 2", "[p / 2 for x in q]", []),
        ("a - 2 * -b", "p - 2 * q", ["edit-left-out a minus sign"]),
        ("a < b", "p <= q", ["edit-comparison <= <"]),
        ("a < b", "q < p", ["edit-comparison > <"]),
        (SHARES, "np.exp(p) / np.exp(p).sum(axis=0)", ["edit-axis axis 0", *["edit-twice `exp`"] * 2]),
        (SHARES, "np.exp(p) / p.sum(axis=1)", []),
        (SHARES, "np.exp(p.sum(axis=1))", ["edit-left-out a division"]),
        (SHARES, "p", []),
        (SCORES, "p @ q.T / np.sqrt(p.shape[0])", ["edit-size a.shape[0]", *TURNED]),
        (SCORES, "p @ q / np.sqrt(p.shape[1])", []),
        (SCORES, "p @ q.T", [*TURNED, "edit-left-out a division"]),
        (SCORES, "p @ q.T / np.sqrt(8)", ["edit-fixed 8", *TURNED]),
        (SCORES, "p @ q.T / np.sqrt(p.shape[2])", ["edit-size a.shape[2]", "edit-fixed 2", *TURNED]),
        ("c = a - 1\nc += b\nreturn c", "p - 1", ["edit-left-out the line that changes `c`"]),
        ("c = a - 1\nd = c * b\nreturn d", "p - 1", []),
        (
            "c = 1\nc += a\nreturn c",
            "c = 1\nc += q\nreturn c",
            ["edit-left-out the line that changes `c`", "edit-argument b a"],
        ),
    ],
)
def test_an_edit_is_borne_out_by_what_it_puts_there_or_takes_away(solution, code, edits):
    case = Case(replace(exercise_of("dot_product"), arguments=("a", "b")), written(code, "p, q"), None, None)
    found = [edit for edit in edits_of(written(solution)) if bears_out(case, edit)]
    assert [" ".join([edit.id, *map(str, edit.details.values())]) for edit in found] == edits


def test_where_no_code_can_be_read_all_edits_are_borne_out_or_none():
    case, edits = Case(exercise_of("dot_product"), max, None, None), edits_of(written("a - b"))
    assert all(bears_out(case, edit) for edit in edits)
    assert not any(bears_out(case, edit, unread=False) for edit in edits)


def test_own_functions_are_read_three_deep():
    """A function is read with those that it calls and with those that these call; nothing is said of what is deeper."""
    double = written("2 * x", "x")
    twice = written("double(x)", "x", double=double)
    again = written("twice(x)", "x", twice=twice)
    assert code_of(written("twice(a)", "a", twice=twice), ("a",)) is not None
    assert code_of(written("again(a)", "a", again=again), ("a",)) is None


EXAMPLE = "Work it out by hand for a = [1], b = [1]: there your function gives -1, and that is not it."


@pytest.mark.parametrize(
    ("id", "message", "left"),
    [
        ("offset", "All is well. Nothing is said of code.", "All is well. Nothing is said of code."),
        ("offset", "All is well. The loop seems wrong.", f"All is well. {EXAMPLE}"),
        ("offset", "Well? The loop seems wrong. `a` is there!", f"Well? `a` is there! {EXAMPLE}"),
        ("offset", "The loop seems wrong. All is well.", None),
        ("offset", "Two things at once. All is well. The loop seems wrong.", None),
        ("offset", "All is large: is the loop wrong?", f"All is large. {EXAMPLE}"),
        ("offset", "All is large: the loop seems wrong.", None),
        ("offset", "The loop is wrong: is the index too?", None),
        ("offset", "Work it out by hand. The loop seems wrong.", "Work it out by hand."),
        ("differs", "The loop seems wrong.", EXAMPLE),
        ("only-some-inputs", "The loop seems wrong.", EXAMPLE),
        ("shape", "The loop seems wrong.", EXAMPLE),
        ("raises", "The loop seems wrong.", "The loop seems wrong."),
        ("raises-on-some", "The loop seems wrong.", "The loop seems wrong."),
        ("promise-broken", "The loop seems wrong.", "The loop seems wrong."),
    ],
)
def test_a_small_example_comes_in_place_of_what_the_code_does_not_bear_out(id, message, left):
    exercise, answer = exercise_of("dot_product"), written("-a @ b")
    case = Case(exercise, answer, run(answer, exercise.probes, 1), [exercise.give(probe) for probe in exercise.probes])
    found = held(case, not_yet(id, message))
    assert (found and found.message) == left
    assert found is None or found.mistakes == (id,)


def test_what_is_not_wrong_is_not_held_against_the_code():
    done = Finding(DONE, (), "The loop seems wrong.")
    case = Case(exercise_of("dot_product"), written("a @ b"), None, None)
    assert held(case, done) is done
    assert held(case, None) is None
