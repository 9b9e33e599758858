"""The edits of a right answer: what is put in the place of each call, sign, name, number and line of it."""

import ast

import pytest
from readable_code import written

from course_utils.checks.engine.edits import edits_of, pairs_of


def in_a_line(edit):
    """The id of an edit, what fills the blanks of its message, and what stands in the place of something."""
    details = ", ".join(f"{name} {value}" for name, value in edit.details.items())
    return f"{edit.id}, {details}: {ast.unparse(ast.fix_missing_locations(edit.change[2]))}"


OTHER_NUMBERS = [f"edit-fixed, wrong {n}: {n}" for n in (2, 4, 5, 6, 7, 8, 12, 42)]  # in the place of a length
EDITS = {  # a solution of one line: all of its edits, in the order in which they are tried
    "np.var(Q, axis=0)": [
        "edit-axis, where axis 1: np.var(Q, axis=1)",
        "edit-axis, where axis -1: np.var(Q, axis=-1)",
        "edit-axis, where axis -2: np.var(Q, axis=-2)",
        "edit-axis, where all numbers at once: np.var(Q, axis=None)",
        "edit-left-out, step `var`: Q",
        "edit-function, wrong std, right var: np.std(Q, axis=0)",
        "edit-function, wrong mean, right var: np.mean(Q, axis=0)",
        "edit-twice, step `var`: np.var(np.var(Q, axis=0), axis=0)",
    ],
    "Q.tri(axis=1, keepdims=True)": [
        "edit-axis, where axis 0: Q.tri(axis=0, keepdims=True)",
        "edit-axis, where axis -1: Q.tri(axis=-1, keepdims=True)",
        "edit-axis, where axis -2: Q.tri(axis=-2, keepdims=True)",
        "edit-axis, where all numbers at once: Q.tri(axis=None, keepdims=True)",
        "edit-left-out, step `keepdims`: Q.tri(axis=1)",
        "edit-left-out, step `tri`: Q",
        "edit-function, wrong eye, right tri: Q.eye(axis=1, keepdims=True)",
        "edit-constant, wrong 2, right 1: 2",
        "edit-constant, wrong 0.5, right 1: 0.5",
        "edit-constant, wrong False, right True: False",
        "edit-twice, step `tri`: Q.tri(axis=1, keepdims=True).tri(axis=1, keepdims=True)",
    ],
    "np.swapaxes(Q, 0, -1)": [
        "edit-transposed, what the array: np.swapaxes(Q, 1, -1)",
        "edit-transposed, what the array: np.swapaxes(Q, 2, -1)",
        "edit-transposed, what the array: np.swapaxes(Q, -1, -1)",
        "edit-transposed, what the array: np.swapaxes(Q, -2, -1)",
        "edit-transposed, what the array: np.swapaxes(Q, -3, -1)",
        "edit-transposed, what the array: np.swapaxes(Q, 0, 0)",
        "edit-transposed, what the array: np.swapaxes(Q, 0, 1)",
        "edit-transposed, what the array: np.swapaxes(Q, 0, 2)",
        "edit-transposed, what the array: np.swapaxes(Q, 0, -1)",
        "edit-transposed, what the array: np.swapaxes(Q, 0, -2)",
        "edit-transposed, what the array: np.swapaxes(Q, 0, -3)",
        "edit-order, step `swapaxes`: np.swapaxes(Q, -1, 0)",
    ],
    "Q.transpose(1, Q)": [
        "edit-transposed, what the array: Q.transpose(0, Q)",
        "edit-transposed, what the array: Q.transpose(2, Q)",
        "edit-transposed, what the array: Q.transpose(-1, Q)",
        "edit-transposed, what the array: Q.transpose(-2, Q)",
        "edit-transposed, what the array: Q.transpose(-3, Q)",
        "edit-order, step `transpose`: Q.transpose(Q, 1)",
    ],
    "np.outer(Q, K)": [
        "edit-function, wrong dot, right outer: np.dot(Q, K)",
        "edit-function, wrong inner, right outer: np.inner(Q, K)",
        "edit-order, step `outer`: np.outer(K, Q)",
    ],
    "f(Q)": [
        "edit-left-out, step `f`: Q",
        "edit-twice, step `f`: f(f(Q))",
    ],
    "f()": [],
    "len(Q)": [
        *OTHER_NUMBERS,
        "edit-left-out, step `len`: Q",
        "edit-twice, step `len`: len(len(Q))",
    ],
    "Q.shape[0]": [
        "edit-size, wrong Q.shape[1]: Q.shape[1]",
        "edit-size, wrong Q.shape[2]: Q.shape[2]",
        "edit-size, wrong Q.shape[-1]: Q.shape[-1]",
        "edit-size, wrong Q.shape[-2]: Q.shape[-2]",
        *OTHER_NUMBERS,
    ],
    "Q.size[0]": [
        "edit-constant, wrong 1, right 0: 1",
        "edit-constant, wrong -1, right 0: -1",
    ],
    "Q.T": [
        "edit-transposed, what Q: Q",
    ],
    "(Q @ K).T": [
        "edit-transposed, what a matrix: Q @ K",
        "edit-left-out, step a matrix product: Q",
        "edit-left-out, step a matrix product: K",
        "edit-operator, wrong *, right @: Q * K",
        "edit-order, step `@`: K @ Q",
    ],
    "-Q": [
        "edit-left-out, step a minus sign: Q",
    ],
    "not Q": [
        "edit-left-out, step `not`: Q",
    ],
    "~Q": [
        "edit-left-out, step `~`: Q",
    ],
    "(Q + K) / V": [
        "edit-brackets, what a sum: Q + K / V",
        "edit-left-out, step a division: Q + K",
        "edit-left-out, step a division: V",
        "edit-left-out, step a term of a sum: Q",
        "edit-left-out, step a term of a sum: K",
        "edit-operator, wrong *, right /: (Q + K) * V",
        "edit-operator, wrong //, right /: (Q + K) // V",
        "edit-operator, wrong -, right +: Q - K",
        "edit-operator, wrong *, right +: Q * K",
        "edit-order, step `/`: V / (Q + K)",
    ],
    "(Q - K) * V": [
        "edit-brackets, what a difference: Q - K * V",
        "edit-left-out, step a factor: Q - K",
        "edit-left-out, step a factor: V",
        "edit-left-out, step a subtraction: Q",
        "edit-left-out, step a subtraction: K",
        "edit-operator, wrong /, right *: (Q - K) / V",
        "edit-operator, wrong +, right *: Q - K + V",
        "edit-operator, wrong +, right -: Q + K",
        "edit-operator, wrong /, right -: Q / K",
        "edit-order, step `-`: K - Q",
    ],
    "Q / (K * V)": [
        "edit-brackets, what a product: Q / K * V",
        "edit-left-out, step a division: Q",
        "edit-left-out, step a division: K * V",
        "edit-left-out, step a factor: K",
        "edit-left-out, step a factor: V",
        "edit-operator, wrong *, right /: Q * (K * V)",
        "edit-operator, wrong //, right /: Q // (K * V)",
        "edit-operator, wrong /, right *: K / V",
        "edit-operator, wrong +, right *: K + V",
        "edit-order, step `/`: K * V / Q",
    ],
    "Q - K / V": [
        "edit-brackets, what a quotient: (Q - K) / V",
        "edit-left-out, step a subtraction: Q",
        "edit-left-out, step a subtraction: K / V",
        "edit-left-out, step a division: K",
        "edit-left-out, step a division: V",
        "edit-operator, wrong +, right -: Q + K / V",
        "edit-operator, wrong /, right -: Q / (K / V)",
        "edit-operator, wrong *, right /: K * V",
        "edit-operator, wrong //, right /: K // V",
        "edit-order, step `-`: K / V - Q",
        "edit-order, step `/`: V / K",
    ],
    "Q - (K % V)": [
        "edit-brackets, what a part: (Q - K) % V",
        "edit-left-out, step a subtraction: Q",
        "edit-left-out, step a subtraction: K % V",
        "edit-left-out, step a step: K",
        "edit-left-out, step a step: V",
        "edit-operator, wrong +, right -: Q + K % V",
        "edit-operator, wrong /, right -: Q / (K % V)",
        "edit-operator, wrong //, right %: K // V",
        "edit-order, step `-`: K % V - Q",
        "edit-order, step `%`: V % K",
    ],
    "Q * K ** V": [
        "edit-left-out, step a factor: Q",
        "edit-left-out, step a factor: K ** V",
        "edit-left-out, step a power: K",
        "edit-left-out, step a power: V",
        "edit-operator, wrong /, right *: Q / K ** V",
        "edit-operator, wrong +, right *: Q + K ** V",
        "edit-operator, wrong *, right **: K * V",
        "edit-order, step `**`: V ** K",
    ],
    "Q + (K - V)": [
        "edit-left-out, step a term of a sum: Q",
        "edit-left-out, step a term of a sum: K - V",
        "edit-left-out, step a subtraction: K",
        "edit-left-out, step a subtraction: V",
        "edit-operator, wrong -, right +: Q - (K - V)",
        "edit-operator, wrong *, right +: Q * (K - V)",
        "edit-operator, wrong +, right -: K + V",
        "edit-operator, wrong /, right -: K / V",
        "edit-order, step `-`: V - K",
    ],
    "2": [
        "edit-constant, wrong 3, right 2: 3",
        "edit-constant, wrong 1, right 2: 1",
        "edit-constant, wrong -2, right 2: -2",
        "edit-constant, wrong 4, right 2: 4",
    ],
    "0.25": [
        "edit-constant, wrong 1.25, right 0.25: 1.25",
        "edit-constant, wrong -0.75, right 0.25: -0.75",
        "edit-constant, wrong -0.25, right 0.25: -0.25",
        "edit-constant, wrong 0.5, right 0.25: 0.5",
        "edit-constant, wrong 0.125, right 0.25: 0.125",
    ],
    "True": [
        "edit-constant, wrong False, right True: False",
    ],
    "'text'": [],
    "Q if K else V": [
        "edit-order, step `if` and `else`: V if K else Q",
    ],
    "Q < K < V": [],
}


@pytest.mark.parametrize("code", EDITS)
def test_the_edits_of_a_solution(code):
    assert [in_a_line(edit) for edit in edits_of(written(code, ""))] == EDITS[code]


OTHERS = {  # a function or a sign: what students write in its place
    "np.sum(Q)": "mean max prod",
    "np.mean(Q)": "sum max var",
    "np.max(Q)": "sum mean min",
    "np.min(Q)": "max",
    "np.sqrt(Q)": "square",
    "np.exp(Q)": "exp2 expm1",
    "np.sin(Q)": "cos",
    "np.cos(Q)": "sin",
    "np.all(Q)": "any",
    "any(Q)": "all",
    "np.tril(Q)": "triu",
    "np.triu(Q)": "tril",
    "np.argmax(Q)": "argmin",
    "np.zeros(Q)": "ones",
    "np.ones(Q)": "zeros",
    "np.log(Q)": "",
    "Q % K": "//",
    "Q // K": "/ %",
    "Q ** K": "*",
    "Q & K": "|",
    "Q | K": "&",
    "Q ^ K": "",
    "Q < K": "<= >",
    "Q <= K": "< >=",
    "Q > K": ">= <",
    "Q >= K": "> <=",
    "Q == K": "!=",
    "Q != K": "==",
    "Q in K": "",
}


@pytest.mark.parametrize("code", OTHERS)
def test_what_stands_in_the_place_of_a_function_or_a_sign(code):
    kinds = ("edit-function", "edit-operator", "edit-comparison")
    edits = [edit for edit in edits_of(written(code, "")) if edit.id in kinds]
    assert [edit.details["wrong"] for edit in edits] == OTHERS[code].split()
    assert all(f"{edit.details['right']}" in code for edit in edits)
    assert all(edit.details["wrong"] in in_a_line(edit).partition(": ")[2] for edit in edits)


def test_an_argument_is_taken_for_another_one_and_is_transposed():
    lines = [in_a_line(edit) for edit in edits_of(written("Q - V", "Q, K"))]
    assert lines == [
        "edit-transposed, what Q: Q.T",
        "edit-left-out, step a subtraction: Q",
        "edit-left-out, step a subtraction: V",
        "edit-argument, wrong K, right Q: K",
        "edit-operator, wrong +, right -: Q + V",
        "edit-operator, wrong /, right -: Q / V",
        "edit-order, step `-`: V - Q",
    ]


def test_a_line_is_left_out_or_the_last_one():
    lines = [in_a_line(edit) for edit in edits_of(written("P = Q\nP += K\nS = V\nS[0], P.x = P\nreturn S.x", ""))]
    assert [line for line in lines if "edit-early" in line or "line" in line] == [
        "edit-left-out, step the line that changes `P`: pass",
        "edit-early, what `P`: return P",
        "edit-early, what `S`: return S",
    ]


def test_an_edit_can_be_called_and_its_solution_stays_what_it_is():
    solution = written("Q - K / 2", "Q, K=4")
    results = {in_a_line(edit): edit.function(1) for edit in edits_of(solution) if edit.id == "edit-operator"}
    assert results == {
        "edit-operator, wrong +, right -: Q + K / 2": 3,
        "edit-operator, wrong /, right -: Q / (K / 2)": 0.5,
        "edit-operator, wrong *, right /: K * 2": -7,
        "edit-operator, wrong //, right /: K // 2": -1,
    }
    assert solution(1) == -1
    assert {edit.function.__code__.co_filename for edit in edits_of(solution)} == {"<an edited solution>"}


def test_two_edits_at_once_change_two_places_and_none_inside_the_other():
    found = list(pairs_of(written("-Q % -K", "Q, K")))
    assert all(edit.function is function for edits, function in found for edit in edits)
    pairs = {tuple(map(in_a_line, edits)): function for edits, function in found}
    assert pairs["edit-left-out, step a minus sign: Q", "edit-left-out, step a minus sign: K"](3, 2) == 1
    assert pairs["edit-argument, wrong K, right Q: K", "edit-argument, wrong Q, right K: Q"](3, 2) == -2
    assert pairs["edit-left-out, step a minus sign: Q", "edit-argument, wrong Q, right K: Q"](3, 2) == 0
    around = ("edit-left-out, step a minus sign: Q", "edit-order, step `%`: -K % -Q")
    assert not [pair for pair in pairs if set(pair) & set(around) and "edit-argument, wrong K, right Q: K" in pair]
