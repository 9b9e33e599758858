"""What a student reads of an answer, word by word: one answer for each thing that the checks look for."""

import numpy as np
import pytest
from readable_code import written

from course_utils.attention import softmax
from course_utils.checks import check
from course_utils.checks.exercises import exercise_of

SCORES = "Q @ K.T / np.sqrt(Q.shape[1])"
STABLE = "e = np.exp(scores - scores.max(-1, keepdims=True))\nreturn e / e.sum(-1, keepdims=True)"
GRADIENT = """
root = np.sqrt(len(q))
e = np.exp(K @ q / root)
w = e / e.sum()
ds = w * (V @ gradient - w @ V @ gradient)"""
RIGHT_GRADIENTS = "K.T @ ds / root, np.outer(ds, q) / root"
NOTEBOOK = {"M": np.ones((9, 9)), "N": [1], "F": 1.3, "LEARNT": 4, "d_model": 5, "count": [], "other": softmax}


def verdict_on(name, code, arguments="", **names):
    return check(name, written(code, arguments or ", ".join(exercise_of(name).arguments), **NOTEBOOK | names))


ANSWERS = [  # exercise, code, the names of its arguments if they are others, ids, message
    (
        "dot_product",
        "a @ b",
        "",
        "",
        "The numbers are right. The text asks for a loop, and there is none: write it once, without `@`.",
    ),
    (
        "dot_product",
        "sum(x * y for x, y in zip(a, b))",
        "",
        "",
        "Right on 17 inputs: also when the vectors hold a single number; when the vectors hold many numbers; and "
        "when numbers are equal.",
    ),
    (
        "softmax",
        "e = np.exp(scores - scores.max(-1, keepdims=True))\nreturn e / e.sum(-1, keepdims=True)",
        "",
        "",
        "Right on 12 inputs: also when there is a single key; when there are many keys; and when all "
        "scores are negative, or equal.",
    ),
    (
        "scores",
        f"{SCORES}",
        "K, Q",
        "arguments-order",
        "The exercise calls your function with Q and K, in this order. Yours seems to take them in another order.",
    ),
    (
        "embed",
        "E[ids]",
        "E, ids",
        "arguments-order",
        "The exercise calls your function with ids and E, in this order. Yours seems to take them in another order.",
    ),
    (
        "embed",
        "ids[E]",
        "ids, E",
        "raises",
        "Your function stops with IndexError at `return ids[E]`. An index must be a whole number, or "
        "True and False; other numbers stand there.",
    ),
    (
        "scores",
        "np.ones((5, 5))",
        "",
        "hard-coded",
        "The same numbers come back for different inputs. Your function seems to hold a result instead "
        "of computing it from its arguments.",
    ),
    (
        "scores",
        "np.ones((2, 2)) + 0 * Q[0, 0] * K[0, 0]",
        "",
        "always-the-same",
        "Your answer is the same for every input that was tried. Which step should make the difference? "
        "Work it out by hand for Q = [[0]], K = [[0]]: there your function gives [[1, 1], [1, 1]], and "
        "that is not it.",
    ),
    (
        "dot_product",
        "4 + 0 * a[0] * b[0]",
        "",
        "always-the-same",
        "Your answer is 4 for every input that was tried. Which step should make the difference? Work it"
        " out by hand for a = [0], b = [0]: there your function gives 4, and that is not it.",
    ),
    (
        "scores",
        "Q @ Q.T / np.sqrt(Q.shape[1])",
        "",
        "key-unused",
        "Your answer ignores K. The queries seem to be compared with queries.",
    ),
    (
        "scores",
        "Q @ Q.T / np.sqrt(Q.shape[1]) + 0 * K[0,0]",
        "",
        "key-unused",
        "Your answer ignores K. The queries seem to be compared with queries.",
    ),
    (
        "scores",
        "Q[3]",
        "",
        "raises",
        "Your function stops with IndexError at `return Q[3]`. There is no index 3 along axis 0, which "
        "has length 3: the last index is 2.",
    ),
    (
        "scores",
        "Q[:, 4:] @ K[:, 4:].T / 0 + Q[3]",
        "",
        "raises",
        "Your function stops with ValueError at `return Q[:, 4:] @ K[:, 4:].T / 0 + Q[3]`. The shapes "
        "(5, 5) and (3,) do not fit together there.",
    ),
    (
        "scores",
        "Q[:2] @ K.T",
        "",
        "shape",
        "Your function gives an array of shape (2, 5) where (5, 5) was wanted for the scores, (n_queries, n_keys).",
    ),
    (
        "scores",
        "np.zeros((3, 4)) + Q[0, 0] + K[0, 0]",
        "",
        "shape",
        "Your function gives an array of shape (3, 4) where (5, 5) was wanted for the scores, "
        "(n_queries, n_keys). Axis 0 has length 3 for every input: does a fixed number stand there?",
    ),
    (
        "scores",
        "np.zeros((len(K), Q.shape[1])) + Q[0, 0] + K[0, 0]",
        "",
        "shape",
        "Your function gives an array of shape (5, 3) where (5, 5) was wanted for the scores, "
        "(n_queries, n_keys). Axis 0 has the length of n_keys.",
    ),
    (
        "scores",
        "(Q @ K.T)[0] / np.sqrt(Q.shape[1]) * 1.7",
        "",
        "shape",
        "Your function gives an array of shape (5,) where (5, 5) was wanted for the scores, (n_queries, "
        "n_keys). It has 1 axis, and 2 are wanted.",
    ),
    (
        "scores",
        "Q @ K.T / np.zeros(())",
        "",
        "infinite",
        "An infinite number came back. Something is divided by 0 or too large for a float. Work it out "
        "by hand for Q = [[0]], K = [[0]]: there your function gives [[NaN]], and that is not it.",
    ),
    (
        "scores",
        f"{SCORES} * 1.003",
        "",
        "factor",
        "All your numbers are 1.003 times as large as they should be. Is there a factor too many or "
        "too few, or is this another quantity, which always differs by the same factor?",
    ),
    (
        "scores",
        "None",
        "",
        "",
        "not started",
    ),
    (
        "scores",
        "print(Q)",
        "",
        "prints-only",
        "Your function prints a result and gives back nothing. What stands on the screen is not a value "
        "that other code can use.",
    ),
    (
        "scores",
        "list(map(sum, Q)), 2",
        "",
        "returns-ragged",
        "Your function gives back rows of different lengths.",
    ),
    (
        "scores",
        "(x for x in Q)",
        "",
        "returns-generator",
        "Your function gives back a generator, which holds no numbers yet. Is there a yield or a map "
        "where the numbers should be collected first?",
    ),
    (
        "scores",
        "'text'",
        "",
        "returns-no-numbers",
        "Your function gives back a str, and the scores should be numbers. An array, a list or a tensor will do.",
    ),
    (
        "scores",
        f"[{SCORES}]",
        "",
        "shape-extra-axis",
        "The numbers are right, but they came in shape (1, 5, 5) where (5, 5) was wanted. There is "
        "one axis of length 1 too many, or one is missing.",
    ),
    (
        "scores",
        "{1: 2}",
        "",
        "returns-no-numbers",
        "Your function gives back a dict, and the scores should be numbers. An array, a list or a tensor will do.",
    ),
    (
        "scores",
        f"{SCORES} + 1j",
        "",
        "returns-no-numbers",
        "Your function gives back an array of complex numbers, and the scores should be real numbers. An"
        " array, a list or a tensor will do.",
    ),
    (
        "scores",
        f"({SCORES}), ({SCORES})",
        "",
        "returns-tuple",
        "Your function gives back 2 things in a tuple, and the scores should stand alone. Is there a "
        "comma or a name too many behind the return?",
    ),
    (
        "scores",
        "Q",
        "",
        "returns-argument",
        "Your function gives back Q as it came. Does the return name the wrong thing?",
    ),
    (
        "scores",
        "K",
        "",
        "returns-argument",
        "Your function gives back K as it came. Does the return name the wrong thing?",
    ),
    (
        "scores",
        f"3 * {SCORES}",
        "",
        "factor",
        "All your numbers are 3 times as large as they should be. "
        "Is there a factor too many or too few, or is this another quantity, which always differs by the same factor?",
    ),
    (
        "scores",
        f"{SCORES} + 2",
        "",
        "offset",
        "Each of your numbers is the right one plus 2. Something is added to all of them.",
    ),
    (
        "scores",
        f"-({SCORES})",
        "",
        "sign",
        "Every number has the wrong sign. There is one minus sign too many, or one is missing.",
    ),
    (
        "scores",
        f"({SCORES}).T",
        "",
        "query-key-swapped",
        "What stands in the place of a query belongs to a key. Queries and keys seem to have changed "
        "roles: a row belongs to a query, and each of its places to a key.",
    ),
    (
        "scores",
        f"({SCORES})[0]",
        "",
        "returns-first-only",
        "Only the first of several results came back. Work it out by hand for Q = [[0]], K = [[0]]: "
        "there your function gives [0], and that is not it.",
    ),
    (
        "scores",
        "Q += 1\nreturn (Q - 1) @ K.T / np.sqrt(Q.shape[1])",
        "",
        "changes-input",
        "The numbers are right, but your function changes its argument Q in place. The caller's array is"
        " different afterwards, and a second run would give something else.",
    ),
    (
        "bag_of_words",
        "counts = [tokens.count(word) for word in vocabulary]\ntokens.clear()\nreturn counts",
        "",
        "changes-input",
        "The numbers are right, but your function changes its argument tokens in place. The caller's list is"
        " different afterwards, and a second run would give something else.",
    ),
    (
        "scores",
        "Q += 1\nK += 1\nreturn (Q - 1) @ (K - 1).T / np.sqrt(Q.shape[1])",
        "",
        "changes-input",
        "The numbers are right, but your function changes its argument Q, K in place. The caller's array is"
        " different afterwards, and a second run would give something else.",
    ),
    (
        "split_heads",
        "X.reshape(len(X), n_heads, -1).T",
        "",
        "edit-transposed",
        "Your result fits an answer in which the array has its axes in the wrong order, as when rows and columns "
        "change places. Which axis belongs where? It came in shape (3, 2, 4), and (2, 4, 3) is wanted.",
    ),
    (
        "causal_mask",
        "1.0 * np.tri(n)",
        "",
        "mask-not-bool",
        "The mask is right, but it holds numbers. True and False are wanted: other code reads them differently.",
    ),
    (
        "causal_mask",
        "np.tri(n)",
        "",
        "mask-not-bool",
        "The mask is right, but it holds numbers. True and False are wanted: other code reads them differently.",
    ),
    (
        "scores",
        f"if len(Q) == 3:\n    return None\nreturn {SCORES}",
        "",
        "returns-nothing",
        "Some inputs get a result, and others do not. Is a return missing in one of the branches?",
    ),
    (
        "scores",
        "raise NotImplementedError\nreturn 1",
        "",
        "",
        "not started",
    ),
    (
        "one_query_gradient",
        "1, 2",
        "",
        "returns-too-few",
        "The exercise asks for 3 results, and 2 came back. Is one missing?",
    ),
    (
        "one_query_gradient",
        "1",
        "",
        "returns-too-few",
        "The exercise asks for 3 results, and 1 came back. Is one missing?",
    ),
    (
        "one_query_gradient",
        "1, 2, 3, 4",
        "",
        "returns-too-many",
        "The exercise asks for 3 results, and 4 came back. Is one too many?",
    ),
    (
        "attention_gradient",
        "1, 2",
        "",
        "returns-too-few",
        "The exercise asks for 3 results, and 2 came back. Is one missing?",
    ),
    (
        "scores",
        "Q @ K.T / 3.3",
        "",
        "scale-hardcoded",
        "The scores are divided by the same number, however many numbers a key has. Your scaling does "
        "not seem to follow d_k: where does its number come from?",
    ),
    (
        "scores",
        "Q @ K.T / Q.shape[1] ** 0.7",
        "",
        "scale-wrong",
        "The scores are right up to a factor. The factor of your scaling is wrong.",
    ),
    (
        "scores",
        f"s = {SCORES}\nreturn s if len(Q) == len(K) else s + 1",
        "",
        "promise-broken",
        "Your function is right for ordinary inputs, but not when there are more keys than queries, or "
        "fewer. Work it out by hand for Q = [[0]], K = [[0], [0]]: there your function gives [[1, 1]], "
        "and that is not it.",
    ),
    (
        "scores",
        f"s = {SCORES}\nreturn s if len(Q) == len(K) else 1 / 0",
        "",
        "promise-broken",
        "Your function is right for ordinary inputs, but not when there are more keys than queries, or "
        "fewer, for example with Q of shape (2, 3), K of shape (5, 3). There it stops with "
        "ZeroDivisionError at `return s if len(Q) == len(K) else 1 / 0`. Something is divided by 0 "
        "there.",
    ),
    (
        "scores",
        f"s = {SCORES}\nreturn s if len(Q) == len(K) else s[:1]",
        "",
        "promise-broken",
        "Your function is right for ordinary inputs, but not when there are more keys than queries, or "
        "fewer, for example with Q of shape (2, 3), K of shape (5, 3). Your function gives an array of "
        "shape (1, 5) where (2, 5) was wanted for the scores, (n_queries, n_keys).",
    ),
    (
        "scores",
        f"s = {SCORES}\nif len(Q) == len(K): return s",
        "",
        "promise-broken",
        "Your function is right for ordinary inputs, but not when there are more keys than queries, or "
        "fewer, for example with Q of shape (2, 3), K of shape (5, 3).",
    ),
    (
        "scores",
        f"s = {SCORES}\nreturn s + (Q.dtype == K.dtype == int)",
        "",
        "promise-broken",
        "Your function is right for ordinary inputs, but not when all numbers are whole. Work it out by hand for "
        "Q = [[1]], K = [[1]]: there your function gives [[2]], and that is not it.",
    ),
    (
        "scores",
        f"s = {SCORES}\nreturn np.trunc(s) if Q.dtype == K.dtype == int else s",
        "",
        "promise-broken",
        "Your function is right for ordinary inputs, but not when all numbers are whole. There every number has lost "
        "its decimals. Work it out by hand for Q = [[1, 1]], K = [[1, 1]]: there your function gives [[1]], and that "
        "is not it.",
    ),
    (
        "scores",
        f"s = {SCORES}\nreturn s if len(Q) == len(K) else s / np.zeros(())",
        "",
        "promise-broken",
        "Your function is right for ordinary inputs, but not when there are more keys than queries, or "
        "fewer. Work it out by hand for Q = [[0]], K = [[0], [0]]: there your function gives [[NaN, NaN]], "
        "and that is not it.",
    ),
    (
        "padding_mask",
        "(np.arange(n) < l[:, None])[:, None]",
        "n, l",
        "arguments-order",
        "The exercise calls your function with lengths and n_keys, in this order. Yours seems to take "
        "them in another order.",
    ),
    (
        "scores",
        f"{SCORES} + Q.mean() * 0.001",
        "",
        "differs",
        "A simple try goes wrong: when d_k is 1, so that nothing is scaled. Work it out by hand for Q = "
        "[[1]], K = [[0]]: there your function gives [[0.001]], and that is not it.",
    ),
    (
        "scores",
        "np.zeros((5, 6)) + Q[0, 0] + K[0, 0]",
        "",
        "shape",
        "Your function gives an array of shape (5, 6) where (5, 5) was wanted for the scores, "
        "(n_queries, n_keys). Axis 0 has length 5 for every input: does a fixed number stand there?",
    ),
    (
        "scores",
        "np.zeros((5, 3, 2)) + Q[0, 0] + K[0, 0]",
        "",
        "shape",
        "Your function gives an array of shape (5, 3, 2) where (5, 5) was wanted for the scores, "
        "(n_queries, n_keys). It has 3 axes, and 2 are wanted.",
    ),
    (
        "one_query_gradient",
        f"{GRADIENT}\nreturn {RIGHT_GRADIENTS}, np.outer(w, gradient) ** 2",
        "",
        "differs",
        "Right so far: `w` holds the weights and `ds` holds the derivatives for the scores. Look at the rest. dq and "
        "dK are right, dV is not. Work it out by hand for q = [0], K = [[0]], V = [[0]], gradient = [2]: there your "
        "function gives [[4]] for dV, and that is not it.",
    ),
    (
        "one_query_gradient",
        f"{GRADIENT}\nreturn {RIGHT_GRADIENTS}, 3 * np.outer(w, gradient)",
        "",
        "factor",
        "dq and dK are right, dV is not. About dV: All your numbers are 3 times as large as they should be. Is there a "
        "factor too many or too few, or is this another quantity, which always differs by the same factor?",
    ),
    (
        "one_query_gradient",
        f"{GRADIENT}\ndV = np.outer(w, gradient)\ndV[0] = 7 * ds[0] ** 2\nreturn {RIGHT_GRADIENTS}, dV",
        "",
        "first-missing",
        "dq and dK are right, dV is not. Everything in dV is right except at the beginning. Work it out by hand for "
        "q = [0], K = [[0]], V = [[0]], gradient = [1]: there your function gives [[0]] for dV, and that is not it.",
    ),
    (
        "cosine",  # one number for each input: two edits that fit them could do so by chance
        "a @ b * (np.sqrt((a**2).max()) * np.sqrt((b**2).sum()))",
        "",
        "differs",
        "Work it out by hand for a = [2], b = [1]: there your function gives 4, and that is not it. A cosine lies "
        "between -1 and 1.",
    ),
    (
        "one_query_gradient",
        "K, V, q",
        "",
        "shape",
        "Your function gives an array of shape (5, 3) where (3,) was wanted for dq, (d_k,). It has 2 "
        "axes, and 1 is wanted.",
    ),
    (
        "one_query_scores",
        "K.sum(1) ** 2",
        "",
        "argument-unused",
        "Your answer stays the same when q changes. The argument seems to be unused.",
    ),
    (
        "one_query_scores",
        "K.sum(1) ** 2 + 0 * q.sum()",
        "",
        "argument-without-effect",
        "Two inputs that differ in q alone get the same answer. Which step should make the difference? "
        "Work it out by hand for q = [0], K = [[1]]: there your function gives [1], and that is not it.",
    ),
    (
        "embed",
        "E[ids] * 0 + np.random.rand()",
        "",
        "remembers",
        "The same input gives another answer the next time. Is something kept between two calls, or drawn at random? "
        "Something had changed the random numbers of NumPy. The check has put them back.",
    ),
    (
        "scores",
        "abs(Q).max() * 3 + abs(K).min()",
        "",
        "shape",
        "Your function gives one number where (5, 5) was wanted for the scores, (n_queries, n_keys).",
    ),
    (
        "dot_product",
        "np.ones(3) * a[0] * b[0] + a[-1]",
        "",
        "shape",
        "Your function gives an array of shape (3,), and one number is wanted for a · b.",
    ),
    ("scores", "M", "", "uses-global", "Your function reads M from the notebook. {BRACKETS}"),
    ("scores", "M[0] + N", "", "uses-global", "Your function reads M and N from the notebook. {BRACKETS}"),
    ("scores", "Q + M", "", "uses-global", "Your function reads M from the notebook. {BRACKETS}"),
    (
        "scores",
        f"count.append(1)\nreturn {SCORES} + len(count)",
        "",
        "remembers",
        "The same input gives another answer the next time. Is something kept between two calls, or drawn at random?",
    ),
    (
        "scores",
        f"{SCORES} * F",
        "",
        "factor",
        "All your numbers are 1.3 times as large as they should be. "
        "Is there a factor too many or too few, or is this another quantity, which always differs by the same factor?",
    ),
    (
        "scores",
        "Q @ K.T / d_model",
        "",
        "scale-dmodel",
        "The scores are off by a factor that does not follow d_k. You seem to scale with d_model: how many products "
        "are summed for one score?",
    ),
    (
        "weights",
        "other(Q @ K.T / 8)",
        "",
        "scale-hardcoded",
        "The scores are divided by the same number, however many numbers a key has. Your scaling does not seem to "
        "follow d_k: where does its number come from?",
    ),
    (
        "weights",
        f"s = {SCORES}\nreturn s + LEARNT * s ** 3",
        "",
        "differs",
        "Right so far: `s` holds the scores. Look at the rest. Work it out by hand for Q = [[0]], K = [[0]]: there "
        "your function gives [[0]], and that is not it. No weight is negative. It also reads LEARNT from the notebook.",
    ),
]
BRACKETS = "A function has to work with its own arguments."


@pytest.mark.parametrize(("name", "code", "arguments", "ids", "said"), ANSWERS)
def test_an_answer_is_told_what_is_wrong_with_it(name, code, arguments, ids, said):
    verdict = verdict_on(name, code, arguments)
    assert (verdict.message or verdict.state) == said.replace("{BRACKETS}", BRACKETS)
    assert verdict.mistakes == tuple(ids.split())


def with_a_closure(helper):
    text = "def inside(scores):\n    return softmax(scores) + bias[0]\nreturn inside"
    return written(text, "bias", softmax=helper)([0])


def test_a_helper_is_right_wrong_or_the_answer_itself():
    own, wrong = written(STABLE, "scores"), written("np.exp(scores)", "scores")
    assert verdict_on("weights", f"softmax({SCORES})", softmax=softmax).message.startswith("Right on 16 inputs")
    assert verdict_on("weights", f"softmax({SCORES})", softmax=own).message.startswith("Right on 16 inputs")
    assert verdict_on("weights", f"softmax({SCORES})", softmax=wrong).message == (
        "Your function is right as soon as the course's `softmax` takes the place of yours. "
        "Look at your own `softmax`: what does it do differently?"
    )
    assert verdict_on("softmax", "softmax(scores)", softmax=own).message.startswith("Right on 12 inputs")
    assert verdict_on("softmax", "softmax(scores)", softmax=softmax).message == (
        "The numbers are right, and the course's `softmax` has made them: write its steps yourself once."
    )
    hidden = written("softmax(s) + bias", "s, bias=0", softmax=wrong)
    assert check("softmax", hidden).mistakes == ("helper-wrong",)
    assert check("softmax", with_a_closure(wrong)).mistakes == ("helper-wrong",)


class Empty:
    """Takes no arguments."""


def a_function():
    """Where a value is wanted."""


@pytest.mark.parametrize(
    ("name", "answer", "id", "said"),
    [
        (
            "weights",
            5,
            "not-a-function",
            "This is an int, and the check wants the function itself. Pass its name without calling it.",
        ),
        (
            "weights",
            np.ones(2),
            "not-a-function",
            "This is an array, and the check wants the function itself. Pass its name without calling it.",
        ),
        (
            "weights",
            int,
            "not-a-function",
            "This is a class, and the check wants the function itself. Pass its name without calling it.",
        ),
        ("weights", None, "returns-nothing", "None came, and the check wants a function. Was the cell above run?"),
        (
            "weights",
            lambda Q: Q,
            "wrong-arguments",
            "The exercise calls your function with 2 arguments: Q, K. Yours does not take them.",
        ),
        (
            "causal_mask",
            lambda: 1,
            "wrong-arguments",
            "The exercise calls your function with 1 argument: n. Yours does not take them.",
        ),
        (
            "positional_embedding",
            None,
            "returns-nothing",
            "None came, and the check wants a class. Was the cell above run?",
        ),
        (
            "positional_embedding",
            3,
            "not-a-function",
            "This is an int, and the check wants the class itself. Pass its name, without brackets.",
        ),
        (
            "positional_embedding",
            len,
            "not-a-function",
            "This is a function, and the check wants the class itself. Pass its name, without brackets.",
        ),
        (
            "positional_embedding",
            Empty,
            "wrong-arguments",
            "The exercise calls your layer with 3 arguments: vocab_size, seq_len, d_model. Yours does not take them.",
        ),
        (
            "first_check",
            None,
            "returns-nothing",
            "None came, and the number of tokens is wanted. Was the cell above run?",
        ),
        (
            "first_check",
            a_function,
            "not-a-value",
            "This is a function, and the check wants the value itself. "
            "Pass what you computed, not the code that computes it.",
        ),
        ("first_check", {}, "not-a-value", "This is a dict, and a number is wanted."),
        (
            "first_check",
            np.nan,
            "not-a-value",
            "This is NaN, which is not a number of tokens: a whole number is wanted.",
        ),
        (
            "first_check",
            -np.inf,
            "not-a-value",
            "This is -inf, which is not a number of tokens: a whole number is wanted.",
        ),
        ("my_question", None, "returns-nothing", "None came, and the check wants a function. Was the cell above run?"),
    ],
)
def test_what_cannot_be_checked_is_named(name, answer, id, said):
    verdict = check(name, answer)
    assert (verdict.message, verdict.mistakes) == (said, (id,))


@pytest.mark.parametrize("name, answer", [("weights", ...), ("first_check", ...), ("positional_embedding", ...)])
def test_dots_are_not_started(name, answer):
    verdict = check(name, answer)
    assert (verdict.state, verdict.mistakes, verdict.message) == ("not started", (), "")
