"""Every public function of course_utils.attention meets bad input with a sentence: the argument, its shape, what fits.

The table has two parts: what is wrong for every array and every count is made from lists of wrong values;
what is wrong for one function only stands in OWN_CASES.
A test holds that no public function and no parameter is left out.
"""

import inspect
import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

from course_utils import attention
from course_utils.arguments import shorten
from course_utils.attention import (
    MultiHeadAttention,
    attention_scores,
    causal_mask,
    merge_heads,
    padding_mask,
    scaled_dot_product_attention,
    sinusoidal_positions,
    softmax,
    split_heads,
)

# Students read a warning as a failure: there is none, not even on the way to an error.
# Every warning of the code is an error; a socket that another test left open is not of this code.
pytestmark = pytest.mark.filterwarnings(
    "error", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)

BATCH, HEADS, N_QUERIES, N_KEYS, D_K, D_V = 2, 3, 4, 6, 5, 7
Q, K, V = (
    np.ones((BATCH, HEADS, N_QUERIES, D_K)),
    np.ones((BATCH, HEADS, N_KEYS, D_K)),
    np.ones((BATCH, HEADS, N_KEYS, D_V)),
)
SEES_ALL = np.ones((N_QUERIES, N_KEYS), bool)
# A layer of two heads in which every width differs: X is 8 wide, context 10, the output 12.
MATRICES = {"W_Q": np.ones((8, 4)), "W_K": np.ones((10, 4)), "W_V": np.ones((10, 6)), "W_O": np.ones((6, 12))}
BIASES = {"b_Q": np.ones(4), "b_K": np.ones(4), "b_V": np.ones(6), "b_O": np.ones(12)}
LAYER = MultiHeadAttention(**MATRICES, n_heads=2, **BIASES)
X, CONTEXT = np.ones((BATCH, N_QUERIES, 8)), np.ones((BATCH, N_KEYS, 10))

# Name -> the function and arguments that it accepts. Every case below changes one or two of these arguments.
ACCEPTED = {
    "softmax": (softmax, {"scores": np.ones((2, 3)), "axis": -1}),
    "attention_scores": (attention_scores, {"Q": Q, "K": K, "scale": 0.5}),
    "causal_mask": (causal_mask, {"n_queries": 3, "n_keys": 4}),
    "padding_mask": (padding_mask, {"lengths": np.array([1, 3]), "n_keys": 3}),
    "scaled_dot_product_attention": (
        scaled_dot_product_attention,
        {"Q": Q, "K": K, "V": V, "mask": SEES_ALL, "scale": 0.5},
    ),
    "split_heads": (split_heads, {"X": np.ones((3, 4)), "n_heads": 2}),
    "merge_heads": (merge_heads, {"X": np.ones((2, 3, 4))}),
    "MultiHeadAttention": (MultiHeadAttention, {**MATRICES, "n_heads": 2, **BIASES}),
    "MultiHeadAttention.__call__": (LAYER, {"X": X, "context": CONTEXT, "mask": SEES_ALL}),
    "sinusoidal_positions": (sinusoidal_positions, {"n": 3, "d_model": 4}),
}


class Case(NamedTuple):
    function: str
    why: str
    changed: dict[str, Any]
    wanted: str  # all of the sentence after "wanted:"
    names: str = ""  # the argument that the sentence must name; the first changed one if empty


NO_NAN = "no NaN and no +inf (only -inf is allowed: may not look)"


def blind(row):
    return f"at least one key to look at in every row; row {row} has none"


# Arrays: where they stand, and the shape that the sentence must ask for.
ARRAYS = {
    ("softmax", "scores"): "(..., n_keys)",
    ("attention_scores", "Q"): "(..., n_queries, d_k)",
    ("attention_scores", "K"): "(..., n_keys, d_k)",
    ("scaled_dot_product_attention", "Q"): "(..., n_queries, d_k)",
    ("scaled_dot_product_attention", "K"): "(..., n_keys, d_k)",
    ("scaled_dot_product_attention", "V"): "(..., n_keys, d_v)",
    ("split_heads", "X"): "(..., n, d)",
    ("merge_heads", "X"): "(..., n_heads, n, d)",
    ("MultiHeadAttention", "W_Q"): "(d_model, n_heads * d_k)",
    ("MultiHeadAttention", "W_K"): "(d_model, n_heads * d_k)",
    ("MultiHeadAttention", "W_V"): "(d_model, n_heads * d_v)",
    ("MultiHeadAttention", "W_O"): "(n_heads * d_v, d_out)",
    **{("MultiHeadAttention", name): f"({len(bias)},)" for name, bias in BIASES.items()},
    ("MultiHeadAttention.__call__", "X"): "(..., n_queries, d_model)",
    ("MultiHeadAttention.__call__", "context"): "(..., n_keys, d_model)",
}
LEAST_RANK = {"scores": 1, "X of merge_heads": 3} | dict.fromkeys(BIASES, 1)  # all others: 2

COUNTS = [
    ("causal_mask", "n_queries"),
    ("causal_mask", "n_keys"),
    ("padding_mask", "n_keys"),
    ("split_heads", "n_heads"),
    ("MultiHeadAttention", "n_heads"),
    ("sinusoidal_positions", "n"),
    ("sinusoidal_positions", "d_model"),
]
# Functions with a mask: how many heads it may name, and what is said where a mask has no shape at all.
MASKS = {"scaled_dot_product_attention": (3, ""), "MultiHeadAttention.__call__": (2, "(..., n_queries, n_keys)")}
SCALES = ["attention_scores", "scaled_dot_product_attention"]
NO_NUMBERS = {"text": "scores", "bytes": b"scores", "a dict": {"a": 1}, "a set": {1.0}}


def with_one(array, value):
    """A copy of the array whose last number is another."""
    array = array.copy()
    array[(-1,) * array.ndim] = value
    return array


def cases_of_arrays():
    for (function, name), shape in ARRAYS.items():
        good = ACCEPTED[function][1][name]
        rank = LEAST_RANK.get(name, LEAST_RANK.get(f"{name} of {function}", 2))
        last = f"stands at {tuple(length - 1 for length in good.shape)}"
        wrong = {
            "NaN": (with_one(good, np.nan), NO_NAN if name == "scores" else f"{shape}, finite numbers; nan {last}"),
            "inf": (with_one(good, np.inf), NO_NAN if name == "scores" else f"{shape}, finite numbers; inf {last}"),
            "complex": (good + 1j, f"{shape}, real numbers"),
            "objects": (good.astype(object), f"{shape}, real numbers"),
            "strings": (good.astype(str), f"{shape}, real numbers"),
            "times": (good.astype("timedelta64[s]"), f"{shape}, real numbers"),
            "ragged": ([[1.0], [1.0, 2.0]], f"{shape}, all rows equally long"),
            "too few axes": (np.ones(good.shape[-1:] * (rank - 1)), shape),
            **{f"empty axis {a}": (good.take([], axis=a), f"{shape} with no empty axis") for a in range(good.ndim)},
            **{why: (value, f"{shape}, real numbers") for why, value in NO_NUMBERS.items()},
        }
        if name != "scores":
            wrong["-inf"] = (with_one(good, -np.inf), f"{shape}, finite numbers; -inf {last}")
        if name not in ("context", *BIASES):  # None is a default there
            wrong["None"] = (None, f"{shape}, real numbers")
        if name in MATRICES or name in BIASES:
            wrong["too many axes"] = (good[None], shape)
        for why, (value, wanted) in wrong.items():
            yield Case(function, why, {name: value}, wanted)


def cases_of_counts():
    for function, name in COUNTS:
        for value in (0, -1, 2.0, True, np.True_, "2", 1j, [2], np.array(2), None):
            if value is not None or (function, name) != ("causal_mask", "n_keys"):  # None is the default there
                yield Case(function, shorten(value), {name: value}, "a whole number of at least 1")


def cases_of_masks():
    bool_or_float = "bool (True = may look), or floats without NaN and +inf that are added to the scores"
    for function, (n_heads, any_shape) in MASKS.items():
        shape = f"(4, 6) or (2, {n_heads}, 4, 6); any axis but the last may be 1"
        for why, mask, wanted in [
            ("whole numbers", SEES_ALL.astype(int), bool_or_float),
            ("complex", SEES_ALL.astype(complex), bool_or_float),
            ("objects", SEES_ALL.astype(object), bool_or_float),
            ("strings", SEES_ALL.astype(str), bool_or_float),
            ("NaN", with_one(SEES_ALL.astype(float), np.nan), bool_or_float),
            ("+inf", with_one(SEES_ALL.astype(float), np.inf), bool_or_float),
            ("a word", "causal", shape),
            ("one bool", True, shape),
            ("no axis", np.array(True), shape),
            ("one axis", SEES_ALL[0], shape),
            ("transposed", SEES_ALL.T, shape),
            ("a key too few", SEES_ALL[:, 1:], shape),
            ("a query too few", SEES_ALL[1:], shape),
            ("last axis of length 1", SEES_ALL[:, :1], shape),
            ("empty", SEES_ALL[:0], shape),
            ("five axes", SEES_ALL[None, None, None], shape),
            ("heads of another number", np.ones((2, 5, 4, 6), bool), shape),
            ("batch of another size", np.ones((3, 1, 4, 6), bool), shape),
            ("ragged", [[True], [True, False]], f"{any_shape or shape}, all rows equally long"),
            ("a row that sees nothing", np.arange(4)[:, None].repeat(6, 1) != 2, blind("2")),
            ("a row all -inf", np.where(np.arange(4) == 1, -np.inf, 0.0)[:, None].repeat(6, 1), blind("1")),
            ("nobody sees anything", ~SEES_ALL, blind("0")),
            ("a row of a sentence", blind_at((2, 1, 4, 6), (1, 0, 3)), blind("1, 0, 3")),
            ("the row of all queries", blind_at((2, 1, 1, 6), (1, 0, 0)), blind("1, 0, 0")),
        ]:
            yield Case(function, why, {"mask": mask}, wanted)


def blind_at(shape, row):
    mask = np.ones(shape, bool)
    mask[row] = False
    return mask


def cases_of_scales():
    for function in SCALES:
        for value in (np.nan, np.inf, -np.inf, True, np.True_, "0.5", 1j, [0.5], np.array(0.5), 10**400):
            yield Case(function, shorten(value, 12), {"scale": value}, "a finite number, or None")


def ones(*shape):
    return np.ones(shape)


FITS = "numbers small enough that"
OWN_CASES = [
    *(
        Case("softmax", f"axis {axis!r}", {"axis": axis}, "a whole number from -2 to 1 for shape (2, 3)")
        for axis in (2, -3, 0.0, True, None, "0", (0,))
    ),
    Case("softmax", "no axis at all", {"scores": 1.0}, "(..., n_keys)"),
    Case("softmax", "a row all -inf", {"scores": np.array([[0, 1], [-np.inf, -np.inf]])}, blind("1")),
    Case("softmax", "one row all -inf", {"scores": np.array([-np.inf, -np.inf])}, blind("0")),
    Case("softmax", "a column all -inf", {"scores": np.array([[0, -np.inf], [1, -np.inf]]), "axis": 0}, blind("1")),
    Case(
        "softmax",
        "a row among axes of length 1",
        {"scores": np.where(blind_at((1, 3, 4), (0, 2)), 0, -np.inf)},
        blind("0, 2"),
    ),
    Case("softmax", "a row of a head", {"scores": np.where(blind_at((2, 3, 4), (1, 2)), 0, -np.inf)}, blind("1, 2")),
    Case("padding_mask", "a length of 0", {"lengths": np.array([1, 0])}, "(batch,), every length from 1 to n_keys = 3"),
    Case(
        "padding_mask",
        "a negative length",
        {"lengths": np.array([-1, 2])},
        "(batch,), every length from 1 to n_keys = 3",
    ),
    Case(
        "padding_mask",
        "a length beyond the keys",
        {"lengths": np.array([1, 4])},
        "(batch,), every length from 1 to n_keys = 3",
    ),
    *(
        Case("padding_mask", f"lengths: {why}", {"lengths": value}, "(batch,), whole numbers")
        for why, value in {
            "floats": ones(2),
            "NaN": np.array([1, np.nan]),
            "booleans": np.array([True, True]),
            "objects": np.array([1, 2], object),
            "complex": np.array([1j]),
            "a mask": np.ones((2, 3), int),
            "one number": 2,
            "none": np.array([], int),
            "None": None,
            "text": "12",
        }.items()
    ),
    Case("padding_mask", "lengths: ragged", {"lengths": [[1], [1, 2]]}, "(batch,), all rows equally long"),
    Case(
        "split_heads", "heads do not divide", {"n_heads": 3}, "(..., n, d) with d divisible by n_heads = 3", names="X"
    ),
    Case(
        "split_heads",
        "more heads than columns",
        {"n_heads": 8},
        "(..., n, d) with d divisible by n_heads = 8",
        names="X",
    ),
    *(
        case
        for f in SCALES
        for case in [
            Case(
                f, "d_k of K differs", {"K": ones(2, 3, 6, 4)}, "(2, 3, n_keys, 5), to go with Q of shape (2, 3, 4, 5)"
            ),
            Case(
                f,
                "K is transposed",
                {"K": np.swapaxes(K, -1, -2)},
                "(2, 3, n_keys, 5), to go with Q of shape (2, 3, 4, 5)",
            ),
            Case(f, "another batch", {"K": ones(4, 3, 6, 5)}, "(2, 3, n_keys, 5), to go with Q of shape (2, 3, 4, 5)"),
            Case(f, "a batch of 1", {"K": ones(1, 3, 6, 5)}, "(2, 3, n_keys, 5), to go with Q of shape (2, 3, 4, 5)"),
            Case(f, "heads of 1", {"K": ones(2, 1, 6, 5)}, "(2, 3, n_keys, 5), to go with Q of shape (2, 3, 4, 5)"),
            Case(f, "no leading axes", {"K": ones(6, 5)}, "(2, 3, n_keys, 5), to go with Q of shape (2, 3, 4, 5)"),
            Case(f, "Q of one sentence", {"Q": ones(4, 5)}, "(n_keys, 5), to go with Q of shape (4, 5)", names="K"),
            Case(
                f,
                "Q of a batch of 1",
                {"Q": ones(1, 3, 4, 5)},
                "(1, 3, n_keys, 5), to go with Q of shape (1, 3, 4, 5)",
                names="K",
            ),
            Case(f, "products overflow", {"Q": Q * 1e200, "K": K * 1e200}, f"{FITS} Q @ K^T fits into float64"),
            Case(f, "the scale overflows", {"Q": Q * 1e300, "scale": 1e300}, f"{FITS} Q @ K^T fits into float64"),
            Case(f, "inf - inf", {"Q": with_one(Q, -1) * 1e200, "K": K * 1e200}, f"{FITS} Q @ K^T fits into float64"),
            Case(
                f,
                "float16 overflows",
                {"Q": 300 * Q.astype("f2"), "K": 300 * K.astype("f2")},
                f"{FITS} Q @ K^T fits into float16",
            ),
        ]
    ),
    Case(
        "scaled_dot_product_attention",
        "a value too few",
        {"V": ones(2, 3, 5, 7)},
        "(2, 3, 6, d_v), one value for each key",
    ),
    Case(
        "scaled_dot_product_attention",
        "values of another batch",
        {"V": ones(4, 3, 6, 7)},
        "(2, 3, 6, d_v), one value for each key",
    ),
    Case(
        "scaled_dot_product_attention",
        "values of a batch of 1",
        {"V": ones(1, 3, 6, 7)},
        "(2, 3, 6, d_v), one value for each key",
    ),
    Case(
        "scaled_dot_product_attention",
        "values of one sentence",
        {"V": ones(6, 7)},
        "(2, 3, 6, d_v), one value for each key",
    ),
    Case(
        "scaled_dot_product_attention",
        "V is transposed",
        {"V": np.swapaxes(V, -1, -2)},
        "(2, 3, 6, d_v), one value for each key",
    ),
    # (batch, 1, n_keys) broadcasts against (batch, heads, n_queries, n_keys) if batch and heads are equal,
    # and is wrong there.
    Case(
        "scaled_dot_product_attention",
        "a padding mask on scores with heads",
        {"mask": padding_mask([6, 2], N_KEYS)},
        "(4, 6) or (2, 3, 4, 6); any axis but the last may be 1",
    ),
    Case(
        "scaled_dot_product_attention",
        "a padding mask that would broadcast",
        {"Q": Q[:, :2], "K": K[:, :2], "V": V[:, :2], "mask": padding_mask([6, 2], N_KEYS)},
        "(4, 6) or (2, 2, 4, 6); any axis but the last may be 1",
        names="mask",
    ),
    Case(
        "scaled_dot_product_attention",
        "three axes of four",
        {"mask": ones(2, 4, 6) > 0},
        "(4, 6) or (2, 3, 4, 6); any axis but the last may be 1",
    ),
    Case(
        "scaled_dot_product_attention",
        "a mask that overflows",
        {"Q": 1e307 * Q, "mask": SEES_ALL * 1.7e308},
        "floats small enough that scores + mask fits into float64",
        "mask",
    ),
    Case(
        "scaled_dot_product_attention",
        "a mask beyond float32",
        {"Q": Q.astype("f4"), "K": K.astype("f4"), "V": V.astype("f4"), "mask": SEES_ALL * 1e39},
        "floats small enough that scores + mask fits into float32",
        names="mask",
    ),
    Case(
        "scaled_dot_product_attention",
        "a row that float16 hides whole",
        {"Q": Q.astype("f2"), "K": K.astype("f2"), "V": V.astype("f2"), "mask": SEES_ALL * -1e9},
        blind("0, 0, 0"),
        names="mask",
    ),
    *(
        Case(
            "MultiHeadAttention",
            f"heads do not divide {name}",
            {name: ones(*shape)},
            "columns divisible by n_heads = 2",
        )
        for name, shape in {"W_Q": (8, 5), "W_K": (10, 5), "W_V": (10, 7)}.items()
    ),
    *(
        Case("MultiHeadAttention", f"{name} is too long", {name: ones(len(bias) + 1)}, f"({len(bias)},)")
        for name, bias in BIASES.items()
    ),
    *(
        Case("MultiHeadAttention", f"{name} of length 1", {name: ones(1)}, f"({len(bias)},)")
        for name, bias in BIASES.items()
    ),
    Case(
        "MultiHeadAttention",
        "d_k of W_K differs",
        {"W_K": ones(10, 6), "b_K": ones(6)},
        "(d_model, 4), as many columns as W_Q",
    ),
    Case("MultiHeadAttention", "rows of W_V differ", {"W_V": ones(9, 6)}, "(10, n_heads * d_v), as many rows as W_K"),
    Case(
        "MultiHeadAttention", "rows of W_O differ", {"W_O": ones(5, 12)}, "(6, d_out), one row for each column of W_V"
    ),
    Case(
        "MultiHeadAttention.__call__",
        "d_model of X differs",
        {"X": ones(2, 4, 9)},
        "(..., n, d_model) with d_model = 8, the rows of its weight matrix",
    ),
    Case(
        "MultiHeadAttention.__call__",
        "d_model of context differs",
        {"context": ones(2, 6, 8)},
        "(..., n, d_model) with d_model = 10, the rows of its weight matrix",
    ),
    Case(
        "MultiHeadAttention.__call__",
        "another batch",
        {"context": ones(3, 6, 10)},
        "(2, n_keys, d_model), to go with X of shape (2, 4, 8)",
    ),
    Case(
        "MultiHeadAttention.__call__",
        "a batch of 1",
        {"context": ones(1, 6, 10)},
        "(2, n_keys, d_model), to go with X of shape (2, 4, 8)",
    ),
    Case(
        "MultiHeadAttention.__call__",
        "context of one sentence",
        {"context": ones(6, 10)},
        "(2, n_keys, d_model), to go with X of shape (2, 4, 8)",
    ),
    Case(
        "MultiHeadAttention.__call__",
        "no function",
        {"attention": "mine"},
        "a function (Q, K, V, mask) -> (output, weights)",
    ),
    Case(
        "MultiHeadAttention.__call__",
        "X overflows",
        {"X": X * 1.7e308},
        f"{FITS} their product with the weight matrix fits into float64",
    ),
    Case(
        "MultiHeadAttention.__call__",
        "context overflows",
        {"context": CONTEXT * 1.7e308},
        f"{FITS} their product with the weight matrix fits into float64",
    ),
    Case(
        "MultiHeadAttention.__call__",
        "a key too few of three axes",
        {"mask": ones(2, 4, 5) > 0},
        "(4, 6) or (2, 4, 6); any axis but the last may be 1",
    ),
    Case(
        "MultiHeadAttention.__call__",
        "three axes of another batch",
        {"mask": ones(3, 4, 6) > 0},
        "(4, 6) or (2, 4, 6); any axis but the last may be 1",
    ),
    Case("MultiHeadAttention.__call__", "a row of three axes", {"mask": blind_at((2, 4, 6), (1, 3))}, blind("1, 3")),
    Case(
        "MultiHeadAttention.__call__",
        "a transposed mask of one sentence",
        {"X": ones(4, 8), "context": ones(6, 10), "mask": SEES_ALL.T},
        "(4, 6) or (2, 4, 6); any axis but the last may be 1",
        names="mask",
    ),
    Case(
        "MultiHeadAttention.__call__",
        "-inf in three axes",
        {"mask": np.where(blind_at((2, 4, 6), (1, 3)), 0, -np.inf)},
        blind("1, 3"),
    ),
]

CASES = [*cases_of_arrays(), *cases_of_counts(), *cases_of_masks(), *cases_of_scales(), *OWN_CASES]


def openings(name, value):
    """How the sentence may begin: the argument with its shape, or with its value if it has no shape of its own."""
    if isinstance(value, np.ndarray):
        return (f"{name} has shape {value.shape} and dtype {value.dtype}",)
    by_value = f"{name} is {shorten(value)} ({type(value).__name__})"
    try:
        return by_value, f"{name} has shape {np.shape(value)} and dtype "
    except ValueError:  # a ragged list
        return (by_value,)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.function}: {'-'.join(case.changed)}, {case.why}")
def test_bad_input_is_met_by_a_sentence(case):
    function, accepted = ACCEPTED[case.function]
    arguments = accepted | case.changed
    name = case.names or next(iter(case.changed))
    with pytest.raises(ValueError, match="; wanted: ") as caught:
        function(**arguments)
    said, wanted = str(caught.value).split("; wanted: ")
    assert said.startswith(openings(name, arguments[name]))
    assert wanted == case.wanted


def test_a_layer_that_needs_a_context_says_so():
    with pytest.raises(ValueError, match=r"^context has shape \(2, 4, 8\) .* wanted: .* d_model = 10"):
        LAYER(X)


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


def test_another_attention_stands_in():
    def attention(Q, K, V, mask):
        assert (Q.shape, K.shape, V.shape) == ((2, 2, 4, 2), (2, 2, 6, 2), (2, 2, 6, 3)) and mask is SEES_ALL
        return scaled_dot_product_attention(Q, K, V, mask)

    for one, two in zip(LAYER(X, CONTEXT, SEES_ALL), LAYER(X, CONTEXT, SEES_ALL, attention), strict=True):
        np.testing.assert_array_equal(one, two)


GIVEN, SEEN = np.ones((2, 2, 4, 3)), np.ones((2, 2, 4, 6))  # what it should give: output, weights


@pytest.mark.parametrize(
    ("pair", "says"),
    [
        ((GIVEN[..., 1:], SEEN), "output of attention has shape (2, 2, 4, 2) <...>; wanted: (2, 2, 4, 3)"),
        ((GIVEN, SEEN[..., 2:]), "weights of attention has shape (2, 2, 4, 4) <...>; wanted: (2, 2, 4, 6)"),
        (
            (GIVEN, "heavy"),
            "weights of attention has shape () and dtype <U5; wanted: (2, 2, 4, 6), real numbers",
        ),
        (GIVEN, "what attention returned has shape (2, 2, 4, 3) <...>; wanted: a pair (output, weights)"),
        ((1, 2, 3), "what attention returned is (1, 2, 3) (tuple); wanted: a pair (output, weights)"),
        ([4], "what attention returned is [4] (list); wanted: a pair (output, weights)"),
        (None, "what attention returned is None (NoneType); wanted: a pair (output, weights)"),
    ],
)
def test_what_another_attention_gives_is_checked(pair, says):
    with pytest.raises(ValueError) as caught:
        LAYER(X, CONTEXT, attention=lambda *_: pair)
    assert str(caught.value) == says.replace("<...>", "and dtype float64")


@pytest.mark.parametrize("name", ACCEPTED)
def test_the_arguments_that_the_cases_change_are_right(name):
    function, arguments = ACCEPTED[name]
    function(**arguments)


def test_no_public_function_and_no_parameter_is_left_out():
    # Attention is a plain pair of arrays: it takes what the functions made, and checks nothing.
    public = {name for name, value in vars(attention).items() if getattr(value, "__module__", "") == attention.__name__}
    methods = {f"MultiHeadAttention.{name}" for name in vars(MultiHeadAttention) if name == "__call__"}
    assert {name for name in public if name[0] != "_"} - {"Attention"} | methods == set(ACCEPTED)
    named = {(case.function, case.names or next(iter(case.changed))) for case in CASES}
    for name, (function, _) in ACCEPTED.items():
        for parameter in inspect.signature(function).parameters:
            assert (name, parameter) in named
