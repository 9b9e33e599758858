"""Every public function of course_utils.attention meets bad input with a sentence: the argument, its shape, what fits.

A row of CASES: the function, what is changed of the arguments that it accepts (the first one is named), what is wanted.
A test holds that no public function and no parameter is left out.
"""

import inspect
import warnings
from dataclasses import replace

import numpy as np
import pytest

from course_utils import attention
from course_utils.arrays.arguments import shorten
from course_utils.attention import MultiHeadAttention, attention_scores, padding_mask, softmax

# Students read a warning as a failure: there is none, not even on the way to an error.
# Every warning of the code is an error; a socket that another test left open is not of this code.
pytestmark = pytest.mark.filterwarnings(
    "error", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)

ones = np.ones
Q, K, V, SEES_ALL = ones((2, 3, 4, 5)), ones((2, 3, 6, 5)), ones((2, 3, 6, 7)), ones((4, 6), bool)
# A layer of two heads in which every width differs: X is 8 wide, context 10, the output 12.
MATRICES = {"W_Q": ones((8, 4)), "W_K": ones((10, 4)), "W_V": ones((10, 6)), "W_O": ones((6, 12))}
BIASES = {"b_Q": ones(4), "b_K": ones(4), "b_V": ones(6), "b_O": ones(12)}
LAYER = MultiHeadAttention(**MATRICES, n_heads=2, **BIASES)
X, CONTEXT = ones((2, 4, 8)), ones((2, 6, 10))
DOT, CALL = "scaled_dot_product_attention", "MultiHeadAttention.__call__"

ACCEPTED = {
    "softmax": {"scores": ones((2, 3)), "axis": -1},
    "attention_scores": {"Q": Q, "K": K, "scale": 0.5},
    "causal_mask": {"n_queries": 3, "n_keys": 4},
    "padding_mask": {"lengths": np.array([1, 3]), "n_keys": 3},
    DOT: {"Q": Q, "K": K, "V": V, "mask": SEES_ALL, "scale": 0.5},
    "split_heads": {"X": ones((3, 4)), "n_heads": 2},
    "merge_heads": {"X": ones((2, 3, 4))},
    "MultiHeadAttention": {**MATRICES, "n_heads": 2, **BIASES},
    CALL: {"X": X, "context": CONTEXT, "mask": SEES_ALL, "attention": None},
    "sinusoidal_positions": {"n": 3, "d_model": 4},
}

NO_NAN = "no NaN and no +inf (only -inf is allowed: may not look)"
BOOL_OR_FLOAT = "bool (True = may look), or floats without NaN and +inf that are added to the scores"
LENGTHS = "(batch,), every length from 1 to n_keys = 3"
AXIS = "a whole number from -2 to 1 for shape (2, 3)"
OF_Q, OF_X = "to go with Q of shape (2, 3, 4, 5)", "(2, n_keys, d_model), to go with X of shape (2, 4, 8)"
VALUES = "(2, 3, 6, d_v), one value for each key"
EVERY = "any axis but the last may be 1"
PRODUCT, PROJECTED = "numbers small enough that Q @ K^T fits into float", "numbers small enough that their product"
PROJECTED += " with the weight matrix fits into float64"
ROWS = "the rows of its weight matrix"

# What every array has to be: the shape in words, and its least number of axes.
ARRAYS = {
    ("attention_scores", "Q"): ("(..., n_queries, d_k)", 2),
    ("attention_scores", "K"): ("(..., n_keys, d_k)", 2),
    (DOT, "V"): ("(..., n_keys, d_v)", 2),
    ("split_heads", "X"): ("(..., n, d)", 2),
    ("merge_heads", "X"): ("(..., n_heads, n, d)", 3),
    ("MultiHeadAttention", "W_Q"): ("(d_model, n_heads * d_k)", 2),
    ("MultiHeadAttention", "W_K"): ("(d_model, n_heads * d_k)", 2),
    ("MultiHeadAttention", "W_V"): ("(d_model, n_heads * d_v)", 2),
    ("MultiHeadAttention", "W_O"): ("(n_heads * d_v, d_out)", 2),
    **{("MultiHeadAttention", name): (f"({len(bias)},)", 1) for name, bias in BIASES.items()},
    (CALL, "X"): ("(..., n_queries, d_model)", 2),
    (CALL, "context"): ("(..., n_keys, d_model)", 2),
}


def but(array, place, value):
    """A copy of the array with another number, or row of them, at a place."""
    array = array.copy()
    array[place] = value
    return array


def blind(row):
    return f"at least one key to look at in every row; row {row} has none"


def cases_of_arrays():
    for (function, name), (shape, rank) in ARRAYS.items():
        good = ACCEPTED[function][name]
        last = tuple(length - 1 for length in good.shape)
        yield function, {name: but(good, last, np.nan)}, f"{shape}, finite numbers; nan stands at {last}"
        yield function, {name: "numbers"}, f"{shape}, real numbers"
        yield function, {name: ones(good.shape[-1:] * (rank - 1))}, shape
        if function == "MultiHeadAttention":
            yield function, {name: good[None]}, shape


def cases_of_masks():
    for function, shape in {DOT: (2, 3, 4, 6), CALL: (2, 2, 4, 6)}.items():
        fits = f"(4, 6) or {shape}; {EVERY}"
        for mask, wanted in [
            (SEES_ALL.astype(int), BOOL_OR_FLOAT),
            (SEES_ALL.astype(str), BOOL_OR_FLOAT),
            (but(ones((4, 6)), (3, 5), np.nan), BOOL_OR_FLOAT),
            (but(ones((4, 6)), (3, 5), np.inf), BOOL_OR_FLOAT),
            (True, fits),
            (SEES_ALL[0], fits),
            (SEES_ALL.T, fits),
            (SEES_ALL[:, 1:], fits),
            (SEES_ALL[1:], fits),
            (SEES_ALL[:, :1], fits),
            (SEES_ALL[:0], fits),
            (SEES_ALL[None, None, None], fits),
            (ones((2, 5, 4, 6), bool), fits),
            (ones((3, 1, 4, 6), bool), fits),
            (
                [[True], [True, False]],
                f"{fits if function == DOT else '(..., n_queries, n_keys)'}, all rows equally long",
            ),
            (but(SEES_ALL, 2, False), blind("2")),
            (but(ones((4, 6)), 1, -np.inf), blind("1")),
            (but(ones((2, 1, 4, 6), bool), (1, 0, 3), False), blind("1, 0, 3")),
        ]:
            yield function, {"mask": mask}, wanted


OVER_HALF = {"Q": 300 * Q.astype("f2"), "K": 300 * K.astype("f2")}  # beyond the largest float16
HALF, SINGLE = ({"Q": Q.astype(t), "K": K.astype(t), "V": V.astype(t)} for t in ("f2", "f4"))
HIDDEN_ROW = but(ones((2, 4, 6), bool), (1, 3), False)
CASES = [
    *cases_of_arrays(),
    *cases_of_masks(),
    *(("softmax", {"axis": axis}, AXIS) for axis in (2, -3, 0.0, True)),
    ("softmax", {"scores": but(ones((2, 3)), (1, 2), np.nan)}, NO_NAN),
    ("softmax", {"scores": but(ones((2, 3)), (1, 2), np.inf)}, NO_NAN),
    ("softmax", {"scores": 1.0}, "(..., n_keys)"),
    ("softmax", {"scores": "abc"}, "(..., n_keys), real numbers"),
    ("softmax", {"scores": np.array([-np.inf, -np.inf])}, blind("0")),
    ("softmax", {"scores": np.array([[0, -np.inf], [1, -np.inf]]), "axis": 0}, blind("1")),
    ("softmax", {"scores": np.where(HIDDEN_ROW, 0, -np.inf)}, blind("1, 3")),
    ("softmax", {"scores": np.where(HIDDEN_ROW[1:], 0, -np.inf)}, blind("0, 3")),
    *((f, {name: 0}, "a whole number of at least 1") for f in ACCEPTED for name in ACCEPTED[f] if name.startswith("n")),
    ("sinusoidal_positions", {"d_model": 2.0}, "a whole number of at least 1"),
    *(("padding_mask", {"lengths": np.array(lengths)}, LENGTHS) for lengths in ([1, 0], [-1, 2], [1, 4])),
    *(
        ("padding_mask", {"lengths": n}, "(batch,), whole numbers")
        for n in (ones(2), ones((2, 3), int), 2, np.arange(0))
    ),
    ("padding_mask", {"lengths": [[1], [1, 2]]}, "(batch,), all rows equally long"),
    ("split_heads", {"X": ones((3, 4)), "n_heads": 3}, "(..., n, d) with d divisible by n_heads = 3"),
    *(
        (f, {"scale": scale}, "a finite number, or None")
        for f in ("attention_scores", DOT)
        for scale in (np.nan, "0.5")
    ),
    *(
        ("attention_scores", {"K": wrong}, f"(2, 3, n_keys, 5), {OF_Q}")
        for wrong in (ones((2, 3, 6, 4)), ones((4, 3, 6, 5)), ones((2, 1, 6, 5)), ones((6, 5)))
    ),
    ("attention_scores", {"K": K, "Q": ones((4, 5))}, "(n_keys, 5), to go with Q of shape (4, 5)"),
    ("attention_scores", {"Q": Q * 1e200, "K": K * 1e200}, f"{PRODUCT}64"),
    ("attention_scores", {"Q": Q * 1e300, "scale": 1e300}, f"{PRODUCT}64"),
    ("attention_scores", OVER_HALF, f"{PRODUCT}16"),
    *((DOT, {"V": wrong}, VALUES) for wrong in (ones((2, 3, 5, 7)), ones((1, 3, 6, 7)), ones((6, 7)))),
    # (batch, 1, n_keys) broadcasts against (batch, heads, n_queries, n_keys) if batch and heads are equal,
    # and is wrong there.
    (
        DOT,
        {"mask": padding_mask([6, 2], 6), "Q": Q[:, :2], "K": K[:, :2], "V": V[:, :2]},
        f"(4, 6) or (2, 2, 4, 6); {EVERY}",
    ),
    (DOT, {"mask": SEES_ALL * 1.7e308, "Q": 1e307 * Q}, "floats small enough that scores + mask fits into float64"),
    (DOT, {"mask": SEES_ALL * 1e39, **SINGLE}, "floats small enough that scores + mask fits into float32"),
    (DOT, {"mask": SEES_ALL * -1e9, **HALF}, blind("0, 0, 0")),
    ("MultiHeadAttention", {"W_Q": ones((8, 5))}, "columns divisible by n_heads = 2"),
    ("MultiHeadAttention", {"W_V": ones((10, 7))}, "columns divisible by n_heads = 2"),
    *(("MultiHeadAttention", {name: ones(1)}, f"({len(bias)},)") for name, bias in BIASES.items()),
    ("MultiHeadAttention", {"W_K": ones((10, 6)), "b_K": ones(6)}, "(d_model, 4), as many columns as W_Q"),
    ("MultiHeadAttention", {"W_V": ones((9, 6))}, "(10, n_heads * d_v), as many rows as W_K"),
    ("MultiHeadAttention", {"W_O": ones((5, 12))}, "(6, d_out), one row for each column of W_V"),
    (CALL, {"X": ones((2, 4, 9))}, f"(..., n, d_model) with d_model = 8, {ROWS}"),
    (CALL, {"context": ones((2, 6, 8))}, f"(..., n, d_model) with d_model = 10, {ROWS}"),
    *((CALL, {"context": wrong}, OF_X) for wrong in (ones((3, 6, 10)), ones((1, 6, 10)), ones((6, 10)))),
    (CALL, {"attention": "mine"}, "a function (Q, K, V, mask) -> (output, weights)"),
    (CALL, {"X": X * 1.7e308}, PROJECTED),
    (CALL, {"context": CONTEXT * 1.7e308}, PROJECTED),
    (CALL, {"mask": ones((2, 4, 5), bool)}, f"(4, 6) or (2, 4, 6); {EVERY}"),
    (CALL, {"mask": ones((3, 4, 6), bool)}, f"(4, 6) or (2, 4, 6); {EVERY}"),
    (CALL, {"mask": HIDDEN_ROW}, blind("1, 3")),
    (CALL, {"mask": np.where(HIDDEN_ROW, 0, -np.inf)}, blind("1, 3")),
    (CALL, {"mask": SEES_ALL.T, "X": X[0], "context": CONTEXT[0]}, f"(4, 6) or (2, 4, 6); {EVERY}"),
]


def call(function, changed=None):
    target = LAYER if function == CALL else getattr(attention, function)
    return target(**ACCEPTED[function] | (changed or {}))


@pytest.mark.parametrize(("function", "changed", "wanted"), CASES)
def test_bad_input_is_met_by_a_sentence(function, changed, wanted):
    name, value = next(iter(changed.items()))
    openings = [f"{name} is {shorten(value)} ({type(value).__name__})"]
    if not isinstance(value, list):
        array = np.asarray(value)
        openings = [f"{name} has shape {array.shape} and dtype {array.dtype}", *openings * (array.ndim == 0)]
    with pytest.raises(ValueError, match="; wanted: ") as caught:
        call(function, changed)
    said, asked = str(caught.value).split("; wanted: ")
    assert said in openings and asked == wanted


def test_no_public_function_and_no_parameter_is_left_out():
    # Attention is a plain pair of arrays: it takes what the functions made, and checks nothing.
    public = {name for name, value in vars(attention).items() if getattr(value, "__module__", "") == attention.__name__}
    assert {name for name in public if name[0] != "_"} - {"Attention"} | {CALL} == set(ACCEPTED)
    named = {(function, next(iter(changed))) for function, changed, _ in CASES}
    for name in ACCEPTED:
        call(name)
        parameters = inspect.signature(LAYER if name == CALL else getattr(attention, name)).parameters
        assert set(parameters) == set(ACCEPTED[name])
        assert name == DOT or {(name, parameter) for parameter in parameters} <= named


@pytest.mark.parametrize(("matrix", "name"), [("W_Q", "X"), ("W_K", "context"), ("W_V", "context"), ("W_O", "heads")])
def test_a_layer_names_what_is_too_large_for_a_matrix(matrix, name):
    layer = replace(LAYER, **{matrix: 1.7e308 * MATRICES[matrix]})
    with pytest.raises(ValueError, match=rf"^{name} has shape .* numbers small enough that their product"):
        layer(X, CONTEXT)


@pytest.mark.parametrize("numpy_would", ["warn", "raise"])
def test_sums_that_overflow_in_both_directions_are_met_by_a_sentence_whatever_numpy_is_told(numpy_would):
    X = np.tile(1e200 * np.where(np.arange(64) % 2, 1, -1), (4, 1))  # on the way to the sum stands inf - inf
    W = np.full((64, 64), 1e200)
    with np.errstate(all=numpy_would), warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=r"^Q has .* Q @ K\^T fits into float64"):
            attention_scores(X, W)
        with pytest.raises(ValueError, match=r"^X has .* their product with the weight matrix fits into float64"):
            MultiHeadAttention(W, W, W, W, n_heads=1)(X)
        np.testing.assert_array_equal(softmax([0.0, -800.0]), [1, 0])  # too small for a float64


GIVEN, SEEN = ones((2, 2, 4, 3)), ones((2, 2, 4, 6))  # what another attention should give: output, weights


@pytest.mark.parametrize(
    ("pair", "says"),
    [
        ((GIVEN[..., 1:], SEEN), "output of attention has shape (2, 2, 4, 2) <...>; wanted: (2, 2, 4, 3)"),
        ((GIVEN, SEEN[..., 2:]), "weights of attention has shape (2, 2, 4, 4) <...>; wanted: (2, 2, 4, 6)"),
        ((GIVEN, "heavy"), "weights of attention has shape () and dtype <U5; wanted: (2, 2, 4, 6), real numbers"),
        (GIVEN, "what attention returned has shape (2, 2, 4, 3) <...>; wanted: a pair (output, weights)"),
        ((1, 2, 3), "what attention returned is (1, 2, 3) (tuple); wanted: a pair (output, weights)"),
        ([4], "what attention returned is [4] (list); wanted: a pair (output, weights)"),
    ],
)
def test_what_another_attention_gives_is_checked(pair, says):
    with pytest.raises(ValueError) as caught:
        LAYER(X, CONTEXT, attention=lambda *_: pair)
    assert str(caught.value) == says.replace("<...>", "and dtype float64")
