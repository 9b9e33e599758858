"""Mistakes that need no fault model, the same in every exercise: id -> (what is seen, what is suspected, an example). See mistakes.py.

Words in braces are filled in: {name} of what is wanted, {argument}, {type}, {count}.
"""

ANSWERS = {
    "returns-nothing": (
        "Your function gives back nothing.",
        "Is the return missing?",
        "def weights_of(Q, K): result = ...",
    ),
    "prints-only": (
        "Your function prints a result and gives back nothing.",
        "What stands on the screen is not a value that other code can use.",
        "print(weights)",
    ),
    "returns-generator": (
        "Your function gives back a {type}, which holds no numbers yet.",
        "Is there a yield or a map where the numbers should be collected first?",
        "yield score",
    ),
    "returns-function": (
        "Your function gives back a {type}, not numbers.",
        "Are the brackets of a call missing?",
        "return scores.sum",
    ),
    "returns-no-numbers": (
        "Your function gives back a {type}, and {name} should be numbers.",
        "An array, a list or a tensor will do.",
        'return "0.67"',
    ),
    "returns-ragged": (
        "Your function gives back rows of different lengths.",
        "Does a loop start or stop at the wrong place?",
        "[[1, 2], [3]]",
    ),
    "returns-tuple": (
        "Your function gives back {count} things, and only {name} is wanted.",
        "Give back that one alone.",
        "return output, weights",
    ),
    "returns-too-few": ("{wanted} things are wanted, and {count} came back.", "Is one missing?", "return Q"),
    "returns-too-many": ("{wanted} things are wanted, and {count} came back.", "Is one too many?", "return X, Q, K, V"),
    "returns-first-only": (
        "Only the first of several results came back.",
        "Does the return stand inside the loop?",
        "for q in Q: return K @ q",
    ),
    "returns-last-only": (
        "Only the last of several results came back.",
        "Does each round of the loop throw away the one before?",
        "for q in Q: row = K @ q",
    ),
    "returns-argument": (
        "Your function gives back {argument} as it came.",
        "Does the return name the wrong thing?",
        "return Q",
    ),
    "not-a-function": (
        "A {type} came, and the check wants the function itself.",
        "Pass its name without calling it.",
        'check("weights", weights_of(Q, K))',
    ),
    "not-a-value": (
        "A {type} came, and the check wants the value itself.",
        "Pass what you computed, not the code that computes it.",
        'check("first_check", len)',
    ),
    "wrong-arguments": (
        "The exercise calls your function with {count}: {argument}.",
        "Yours does not take them.",
        "def weights_of(Q):",
    ),
    "raises": ("Your function stops with an error.", "The message names the line.", "Q[100]"),
    "raises-on-some": (
        "Your function is right for some inputs and stops with an error for others.",
        "The message names the line.",
        "np.zeros((5, 3))",
    ),
    "recursion": (
        "Your function calls itself without end.",
        "What makes it stop?",
        "def softmax(s): return softmax(s)",
    ),
    "too-slow": (
        "Your function was stopped because it did not come to an end.",
        "Is there a loop whose condition never turns false?",
        "while True: ...",
    ),
    "asks-for-input": (
        "Your function asks for input, and nobody answers inside a check.",
        "Everything it needs comes in its arguments.",
        "input()",
    ),
    "changes-input": (
        "The numbers are right, but your function changes its argument {argument} in place.",
        "The caller's array is different afterwards, and a second run would give something else.",
        "scores -= scores.max()",
    ),
    "shape": ("The shape is wrong.", "The message says which came and which was wanted.", "np.zeros(3)"),
    "shape-extra-axis": (
        "The numbers are right, but they came in shape {came} where {shape} was wanted.",
        "An axis of length 1 is too many or missing.",
        "weights[None]",
    ),
    "shape-flat": (
        "The numbers are right, but they came in shape {came} where {shape} was wanted.",
        "They stand in one order, cut into the wrong rows.",
        "scores.ravel()",
    ),
    "transposed": (
        "The numbers are right, but rows and columns have changed places.",
        "Which axis belongs to the queries?",
        "scores.T",
    ),
    "rounded": ("Your numbers are rounded.", "Round what you show, not what you compute with.", "weights.round(2)"),
    "truncated": (
        "Your numbers have lost what stands after the point.",
        "An array or a conversion seems to be made for whole numbers.",
        "np.zeros(3, dtype=int)",
    ),
    "sign": ("Every number has the wrong sign.", "A minus sign is too many, or missing.", "-(Q @ K.T)"),
    "factor": (
        "Your numbers are right up to one and the same factor.",
        "Something multiplies or divides all of them.",
        "2 * weights",
    ),
    "offset": (
        "Your numbers are right up to one and the same sum.",
        "Something is added to all of them.",
        "weights + 1",
    ),
    "last-missing": (
        "Everything is right except at the end.",
        "Does a loop or a slice stop one step too early?",
        "range(n - 1)",
    ),
    "first-missing": (
        "Everything is right except at the beginning.",
        "Does a loop or a slice start one step too late?",
        "range(1, n)",
    ),
    "reversed": ("The numbers are right, in the opposite order.", "Something runs backwards.", "weights[::-1]"),
    "shifted": ("The numbers are right, but they stand one place too far.", "Is an index off by one?", "np.roll(w, 1)"),
    "sorted": (
        "The numbers are right, but they are sorted by size.",
        "Each one has its own place.",
        "np.sort(weights)",
    ),
    "hard-coded": (
        "The same numbers come back for different inputs.",
        "Your function seems to hold a result instead of computing it from its arguments.",
        "return np.array([0.46, 0.32, 0.22])",
    ),
    "only-some-inputs": (
        "Your function is right for some inputs and wrong for others.",
        "Something in it fits only one kind of input.",
        "if len(q) == 2: ...",
    ),
    "uses-global": (
        "Your function reads {argument} from the notebook.",
        "A function has to work with what stands in its brackets.",
        "def weights_of(queries, keys): return softmax(Q @ K.T)",
    ),
    "argument-unused": (
        "Your answer stays the same when {argument} changes.",
        "The argument seems to be unused.",
        "def temperature(scores, T): return softmax(scores)",
    ),
    "nan": (
        "NaN (not a number) came back.",
        "That comes from 0/0, from inf - inf or from the root of a negative number.",
        "np.exp(1000) / np.exp(1000)",
    ),
    "infinite": ("An infinite number came back.", "Something is divided by 0 or too large for a float.", "1 / 0.0"),
    "differs": ("Some numbers are not right.", "The message names the first place.", "weights + noise"),
    "unreadable": (
        "The check could not read your answer.",
        "It broke off with {type}.",
        "an object whose methods raise",
    ),
}
