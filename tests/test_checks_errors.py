"""What a student reads when a function stops: for each error of Python and NumPy one sentence in plain words."""

import math
from operator import iadd, setitem

import numpy as np
import pytest
from good_texts import faults_of

from course_utils.attention import softmax
from course_utils.checks import check
from course_utils.checks.engine.error_reasons import kind
from course_utils.checks.engine.errors import in_words

A = np.arange(12.0).reshape(3, 4)
PLACES = np.arange(3)
FIXED = np.ones(2)
TEXT, NOTHING = "a", None
FIXED.flags.writeable = False

FLOAT_CAME = (
    "A whole number is wanted there, and a float came. Does a / make it? Also 8 / 2 gives a float, 4.0; "
    "for two whole numbers, // gives a whole one."
)


class Layer:
    def __init__(self, size):
        self.size = size

    def call(self, X):
        return X


def scaled(Q, K, scale=1):
    return Q


def unpacked(pair):
    first, second = pair
    return first + second


def first_of(several):
    first, *_ = several
    return first


def only_one(several):
    (one,) = several
    return one


def too_early():
    total += 1  # noqa: F821
    return total


def too_early_inside():
    def inside():
        return later

    inside()
    later = 1
    return later


STOPS = [  # what stops, and what is said of it
    (lambda: A @ A, "An axis of length 4 meets one of length 3 there, and they must be equal."),
    (lambda: A.dot(A[:, :2]), "An axis of length 4 meets one of length 3 there, and they must be equal."),
    (lambda: A @ 2, "The sign @ needs arrays on both sides, and one side is a number."),
    (lambda: A + np.ones((3, 2)), "The shapes (3, 4) and (3, 2) do not fit together there."),
    (lambda: A * np.ones(2), "The shapes (3, 4) and (2,) do not fit together there."),
    (lambda: np.broadcast_to(A, (2, 2)), "The shapes (3, 4) and (2, 2) do not fit together there."),
    (lambda: np.einsum("ij,jk", A, A), "The shapes (3, 4) and (3, 4) do not fit together there."),
    (lambda: setitem(A, [0, 1], np.ones(3)), "The shapes do not fit together there."),
    (
        lambda: setitem(A, slice(2), np.ones(3)),
        "Numbers of shape (3,) do not fit there into a place of shape (2, 4).",
    ),
    (lambda: iadd(PLACES.copy(), np.ones((2, 3), dtype=int)), "The shapes do not fit together there."),
    (too_early, "The name total has no value yet in that line: is it given one later, or only sometimes?"),
    (too_early_inside, "The name later has no value yet in that line: is it given one later, or only sometimes?"),
    (
        lambda: d_k,  # noqa: F821
        "Nothing is called d_k there. Is it spelt as in the line that makes it, and has that line run?",
    ),
    (lambda: A[3], "There is no index 3 along axis 0, which has length 3: the last index is 2."),
    (lambda: A[:, -9], "There is no index -9 along axis 1, which has length 4: the last index is 3."),
    (lambda: A[:1][1], "There is no index 1 along axis 0, which has length 1: the last index is 0."),
    (lambda: A[:0][0], "There is no index 0 along axis 0, which has length 0: it is empty."),
    (lambda: [1][1], "The index there lies beyond the ends of the list."),
    (lambda: setitem([1], 1, 2), "The index there lies beyond the ends of the list."),
    (lambda: (1,)[1], "The index there lies beyond the ends of the tuple."),
    (lambda: A[0, 0, 0], "The array there has 2 axes, and 3 indices came."),
    (lambda: PLACES[0, 0], "The array there has 1 axis, and 2 indices came."),
    (lambda: A.sum(axis=2), "There is no axis 2: the array there has 2 axes, and the first one is axis 0."),
    (lambda: PLACES.sum(-2), "There is no axis -2: the array there has 1 axis, and the first one is axis 0."),
    (
        lambda: A[np.ones(4, dtype=bool)],
        "The mask there has another shape than the array that it picks from: "
        "along axis 0 it has length 4, and the array 3.",
    ),
    (lambda: A[PLACES / 2], "An index must be a whole number, or True and False; other numbers stand there."),
    (lambda: A["a"], "An index must be a whole number, and something else stands there."),
    (lambda: [1][TEXT], "A list takes one whole number as an index, and a text came."),
    (lambda: (1,)[NOTHING], "A tuple takes one whole number as an index, and None came."),
    (lambda: TEXT[TEXT], "A text takes one whole number as an index, and a text came."),
    (lambda: [1, 2][PLACES], "One whole number is wanted there, as for an axis or an index, and an array came."),
    (
        lambda: math.exp(A),
        "One number is wanted there, and a whole array came. "
        "The functions of math take one number, those of np take arrays.",
    ),
    (
        lambda: A.item(),
        "One number is wanted there, and a whole array came. "
        "The functions of math take one number, those of np take arrays.",
    ),
    (lambda: np.array([[1], [1, 2]]), "The pieces that become one array there have different lengths."),
    (lambda: setitem(A, (0, 0), [1, 2]), "One place of an array takes one number, and several came."),
    (
        lambda: 1 if A > 1 else 0,
        "One True or False is wanted there, and a whole array of them came: "
        "if, and, or, not, Python's max and min, and a chain such as a == b == c cannot choose number by number.",
    ),
    (lambda: A.reshape(5, 2), "12 numbers cannot be cut into shape (5, 2)."),
    (lambda: PLACES.reshape(2, -1), "3 numbers cannot be cut into shape (2, -1)."),
    (lambda: np.stack([A, PLACES]), "The arrays that are stacked there have different shapes."),
    (lambda: np.concatenate([A, PLACES]), "The arrays that are joined there have different numbers of axes."),
    (lambda: np.concatenate([A, A.T]), "The arrays that are joined there have different lengths along another axis."),
    (lambda: np.split(A, 2), "The array cannot be cut there into so many equal pieces."),
    (lambda: A.transpose(0, 1, 2), "The transpose there names more axes than the array has, or fewer."),
    (lambda: A.transpose(0, 0), "The axes named there do not belong together."),
    (
        lambda: iadd(PLACES.copy(), 0.5),
        "The array there holds whole numbers, and a result with a point does not fit into it.",
    ),
    (lambda: A & 1, "The signs &, |, ^ and ~ take True and False or whole numbers, and other numbers came."),
    (lambda: ~0.5, "The signs &, |, ^ and ~ take True and False or whole numbers, and other numbers came."),
    (lambda: 1 + "a", "The sign + cannot join a whole number and a text."),
    (lambda: 2.0 ** "a", "The sign ** cannot join a number and a text."),
    (lambda: iadd(None, [1]), "The sign + cannot join None and a list."),
    (lambda: max - min, "The sign - cannot join a function and a function."),
    (lambda: unpacked - int, "The sign - cannot join a function and a type."),
    (lambda: 2.0 * {}, "The sign * cannot join a number and a dict."),
    (lambda: [1] * 2.0, "A list can only be multiplied by a whole number, and that repeats it."),
    (lambda: None < 1, "Python cannot tell which is larger, None or a whole number."),
    (lambda: True < "a", "Python cannot tell which is larger, True or False or a text."),
    (lambda: A.append, "An array has no append."),
    (lambda: (1, 2).shape, "A tuple has no shape."),
    (lambda: A[0, 0].append, "A number has no append."),
    (lambda: PLACES[0].append, "A whole number has no append."),
    (lambda: math.power, "There is no power in math."),
    (lambda: A(1), "Round brackets call a function, and there they follow an array."),
    (lambda: NOTHING[0], "Square brackets take out a part, and there they follow None."),
    (lambda: next([1]), "Only a generator, or what iter gives, has a next part, and there a list came."),
    (lambda: list(5), "Several things are wanted there, and a whole number came."),
    (lambda: unpacked(0.5), "Several things are wanted there, and a number came."),
    (lambda: list(np.array(1.0)), "Several numbers are wanted there, and a single one came."),
    (lambda: len(np.array(1.0)), "Several numbers are wanted there, and a single one came."),
    (lambda: len(5), "Several numbers are wanted there, and a single one came."),
    (lambda: setitem((1, 2), 0, 1), "A tuple cannot be changed in one place."),
    (lambda: range(TEXT), "A whole number is wanted there, and a text came."),
    (lambda: range(2.0), FLOAT_CAME),
    (lambda: A.reshape(2, A.shape[1] / 2, 3), FLOAT_CAME),
    (lambda: range(np.float64(4)), FLOAT_CAME),
    (lambda: np.zeros(np.float64(4)), FLOAT_CAME),
    (lambda: A[: 4 / 2], "The ends of a slice are whole numbers, and something else stands there."),
    (lambda: {A: 1}, "An array cannot stand in a set, nor be the key of a dict."),
    (lambda: np.int8(300), "A whole number there is too large."),
    (lambda: PLACES + 2**70, "A whole number there is too large."),
    (lambda: np.sum(A, dim=1), "sum does not take the argument dim."),
    (lambda: sorted([1], axis=0), "sort does not take the argument axis."),
    (lambda: unpacked(1, 2), "unpacked takes 1 argument, and 2 came."),
    (lambda: scaled(1, 2, 3, 4), "scaled takes 3 arguments, and 4 came."),
    (lambda: Layer(1).call(2, 3), "call takes 2 arguments, and 3 came."),
    (lambda: scaled(1), "scaled needs 1 more argument: K."),
    (lambda: scaled(), "scaled needs 2 more arguments: Q and K."),
    (lambda: Layer(), "Layer needs 1 more argument: size."),
    (lambda: unpacked([1]), "2 things are wanted there, and 1 came."),
    (lambda: unpacked([1, 2, 3]), "2 things are wanted there, and more came."),
    (lambda: first_of([]), "1 thing is wanted there, and 0 came."),
    (lambda: only_one([1, 2]), "1 thing is wanted there, and more came."),
    (lambda: setitem(FIXED, 0, 1), "The array there can be read but not changed."),
    (lambda: __import__("no_such_package"), "The package no_such_package is not installed here."),
    (lambda: 1 / 0, "Something is divided by 0 there."),
    (lambda: 1 // 0, "Something is divided by 0 there."),
    (lambda: 1 % 0, "Something is divided by 0 there."),
    (lambda: math.sqrt(-1), "A root or a logarithm meets a number there that has none."),
    (lambda: math.log(0), "A root or a logarithm meets a number there that has none."),
    (lambda: math.exp(1000), "The result there is too large for a float."),
    (lambda: 2.0**10000, "The result there is too large for a float."),
    (
        lambda: softmax(np.array([np.nan])),
        "NaN or an infinite number has reached the softmax: does something multiply an infinite number by 0?",
    ),
    (lambda: np.argmax([]), "Nothing is left there to choose from: the array is empty."),
    (lambda: np.max([]), "Nothing is left there to choose from: the array is empty."),
    (lambda: np.einsum("ijk", A), "The letters of the einsum do not fit the axes of its arrays."),
    (lambda: [1].index(2), "It looks for something in a list there that the list does not hold."),
    (lambda: [1].remove(2), "It looks for something in a list there that the list does not hold."),
    (lambda: (1,).index(2), "It looks for something in a list there that the list does not hold."),
]


@pytest.mark.parametrize(("stops", "said"), STOPS)
def test_an_error_is_said_in_one_sentence(stops, said):
    with pytest.raises(Exception) as raised:
        stops()
    message = " ".join(str(raised.value).split())
    assert (
        in_words(f"{raised.type.__name__}\n{message}\n") == f"Your function stops with {raised.type.__name__}. {said}"
    )
    assert list(faults_of(said)) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("builtin_function_or_method", "a function"),
        ("numpy.bool", "True or False"),
        ("numpy.float64", "a number"),
        ("numpy.int64", "a whole number"),
        ("collections.OrderedDict", "an OrderedDict"),
        ("generator", "a generator"),
        ("numpy.ndarray", "an array"),
        ("builtin_function_or_method", "a function"),
    ],
)
def test_a_type_is_called_by_a_word_of_the_course(name, said):
    assert kind(name) == said


@pytest.mark.parametrize(
    ("detail", "said"),
    [
        ("ValueError\nnot so\n`x = Q[3]`", "Your function stops with ValueError at `x = Q[3]`. Not so."),
        ("ValueError\nnot so\n" + "x" * 110, f"Your function stops with ValueError at {'x' * 110}. Not so."),
        ("ValueError\nnot so\n" + "x" * 111, "Your function stops with ValueError. Not so."),
        ("ValueError\nis it?\n", "Your function stops with ValueError. Is it?"),
        ("ValueError\nstop!\n", "Your function stops with ValueError. Stop!"),
        ("ValueError\nso.\n", "Your function stops with ValueError. So."),
        ("ValueError\nno numpy.ndarray here\n", "Your function stops with ValueError. No array here."),
        ("ValueError\nno  ndarray  here\n", "Your function stops with ValueError. No array here."),
        ("ValueError\n" + "x" * 140 + "\n", f"Your function stops with ValueError. X{'x' * 139}."),
        ("ValueError\n" + "x" * 141 + "\n", "Your function stops with ValueError."),
        *(
            (
                f"ValueError\nException encountered when calling A.call(). \x1b[1m{inside}\x1b[0m Arguments received\n",
                said,
            )
            for inside, said in (
                (
                    "Could not infer. Error encountered: Only input tensors may be passed as positional arguments. "
                    "The following argument value should be passed as a keyword argument: 5 (of type <class 'int'>)",
                    "Your function stops with ValueError. "
                    "A layer is called with an array or a tensor, and a whole number came.",
                ),
                (
                    "Could not infer. Error encountered: 'Embedding' object is not subscriptable",
                    "Your function stops with ValueError. "
                    "Square brackets take out a part, and there they follow an Embedding.",
                ),
                ("{{function_node x}} no tea [Op:Tea] name: t", "Your function stops with ValueError. No tea."),
            )
        ),
        ("StopIteration\n\n", "Your function stops with StopIteration."),
        (
            "OverflowError\n(34, 'Result too large')\n",  # of macOS and Windows
            "Your function stops with OverflowError. The result there is too large for a float.",
        ),
        (
            "ValueError\nexpected a nonnegative input, got -1.0\n",  # of Python 3.14
            "Your function stops with ValueError. A root or a logarithm meets a number there that has none.",
        ),
    ],
)
def test_what_nobody_has_put_into_words_is_quoted_where_it_is_short(detail, said):
    assert in_words(detail) == said


def embedded(call):
    """A PositionalEmbedding of lesson 12 with this call; `keras` is imported by the tests that need it."""
    from course_utils.cls_model import keras

    class PositionalEmbedding(keras.layers.Layer):
        def __init__(self, vocab_size, seq_len, d_model):
            super().__init__()
            self.tokens = keras.layers.Embedding(vocab_size, d_model)
            self.positions = keras.layers.Embedding(seq_len, d_model)

        def call(self, ids):
            return call(self.tokens(ids), self.positions, ids, keras.ops)

    return PositionalEmbedding


IN_KERAS = [  # what stands for the last line of the layer, and what is said of it
    (
        lambda X, P, ids, ops: X + P(ids.shape[1]),
        "A layer is called with an array or a tensor, and a whole number came.",
    ),
    (
        lambda X, P, ids, ops: X + P(ops.arange(7)),
        "An axis of length 5 meets one of length 7 there, and they must be equal.",
    ),
    (
        lambda X, P, ids, ops: X + P(ops.arange(1, ids.shape[1] + 1)),
        "Row 5 is looked up there in a table of 5 rows, and rows are counted from 0.",
    ),
    (
        lambda X, P, ids, ops: ops.concatenate([X, P(ops.arange(ids.shape[1]))[None]], axis=-1),
        "The shapes (5, 5, 3) and (1, 5, 3) do not fit together there.",
    ),
    (
        lambda X, P, ids, ops: X + P(ops.arange(ids.shape[0])),
        "A length is None there: how many sentences a batch holds is not known before the sentences come.",
    ),
    (
        lambda X, P, ids, ops: X + ops.arange(ids.shape[1])[:, None],
        "Whole numbers meet numbers with a point there, and TensorFlow does not mix them.",
    ),
    (
        lambda X, P, ids, ops: X + P[:5],
        "Square brackets take out a part, and there they follow an Embedding.",
    ),
]


@pytest.mark.parametrize(("call", "said"), IN_KERAS)
def test_an_error_inside_a_layer_is_said_in_one_sentence(call, said):
    message = check("positional_embedding", embedded(call)).message
    assert message.startswith("Your layer stops with ") and message.endswith(said), message
    assert list(faults_of(said)) == []


@pytest.mark.parametrize("metrics", [["accuracy"], "accuracy"])
def test_metrics_in_the_place_of_loss_weights_are_said(metrics):
    def compile_model(model):
        model.compile("adam", "binary_crossentropy", metrics)
        return model

    said = (
        "Text came where numbers are wanted. Does the third argument of `compile` have a name? "
        "Without one, it is taken for loss_weights, and not for `metrics=`."
    )
    message = check("compile_model", compile_model).message
    assert message.startswith("Your function stops with ValueError") and message.endswith(said), message
    assert list(faults_of(said)) == []


@pytest.mark.parametrize("name", ["build_model", "compile_model"])
def test_what_is_no_model_is_called_by_its_name(name):
    from course_utils.cls_model import keras

    def tensor(*arguments):
        return keras.Input((3,))

    answer = {"build_model": lambda vocab_size, seq_len, d_model: tensor(), "compile_model": lambda model: tensor()}
    verdict = check(name, answer[name])
    assert verdict.message == "Your function gives back a KerasTensor, and a model is wanted."
    assert verdict.mistakes == ("returns-no-numbers",)
