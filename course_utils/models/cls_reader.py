"""A trained [CLS] classifier as plain arrays: load it, see where it looks, and change that.

NumPy only, so that a lesson that reads a classifier need not load TensorFlow.
`cls_model.to_reader` makes one from a Keras model; two trainings are shipped in course_utils/data/cls,
epoch by epoch, made by `nox -s study -- --ship`: "usual" and "focused".
"""

from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from course_utils.arrays.arguments import as_finite, as_tokens, wrong
from course_utils.arrays.named_arrays import check_axes, load_arrays
from course_utils.arrays.shapes import Array
from course_utils.arrays.tables import load_table
from course_utils.attention import MultiHeadAttention
from course_utils.layers import Block
from course_utils.models.reading import Reading, probability_of_yes, run_blocks

DATA = Path(__file__).parents[1] / "data" / "cls"
TRAININGS = {name: DATA / f"{name}.npz" for name in ("focused", "usual")}
EPSILON = 1e-6  # of the layer normalisation
AXES = {  # the arrays of a classifier; seq_len counts [CLS]
    "tokens": ("vocab_size", "d_model"),  # a vector for each token
    "positions": ("seq_len", "d_model"),  # a vector for each position
    "W_Q": ("d_model", "d_k"),
    "b_Q": ("d_k",),
    "W_K": ("d_model", "d_k"),
    "b_K": ("d_k",),
    "W_V": ("d_model", "d_v"),
    "b_V": ("d_v",),
    "W_O": ("d_v", "d_model"),
    "b_O": ("d_model",),
    "norm_scale": ("d_model",),
    "norm_shift": ("d_model",),
    "answer": ("d_model",),
    "answer_bias": ("1",),
}


class Classifier(namedtuple("Arrays", AXES)):
    """The weights of one classifier, float32, as AXES lists them. Call it with tokens.

    >>> classifier = load_classifier("focused")
    >>> reading = classifier([[0, 5, 6, 7, 42, 8, 9], [0, 42, 6, 7, 5, 8, 9]])
    >>> reading.probability.round(1), reading.weights.shape
    (array([1., 0.], dtype=float32), (2, 1, 1, 7, 7))
    """

    __slots__ = ()

    def __call__(
        self,
        tokens: Array["n, seq_len"],
        *,
        hide: Iterable = (),
        weights: dict[int, Array["..., n"]] | Array["..., n"] | None = None,
        attention: Callable | dict[int, Callable] | None = None,
        block: Callable | None = None,
    ) -> Reading:
        """Read sentences and return a Reading, with the probability of label 1.

        hide, weights, attention, block: what to change, see `reading.run_blocks`; there is one layer, with one head.
        Raises ValueError for tokens that the classifier was not built for, and for a change that does not fit.
        """
        tokens = as_tokens(tokens, len(self.tokens), len(self.positions))
        X = self.tokens[tokens] + self.positions  # (n, seq_len, d_model)
        mask = np.ones(tokens.shape, bool)  # (n, seq_len)
        changes = {"hide": hide, "weights": weights, "attention": attention, "block": block}
        hidden, all_weights = run_blocks([self.block], X, mask, **changes)
        return Reading(tokens, hidden, all_weights, mask, probability_of_yes(hidden, self.answer, self.answer_bias))

    @property
    def block(self) -> Block:
        """The layer that the classifier consists of: attention with one head, and a layer norm."""
        matrices, biases = (self.W_Q, self.W_K, self.W_V, self.W_O), (self.b_Q, self.b_K, self.b_V, self.b_O)
        attention = MultiHeadAttention(*matrices, 1, *biases)
        return Block(attention, [(self.norm_scale, self.norm_shift)], epsilon=EPSILON)

    @property
    def n_weights(self) -> int:
        """How many numbers were learned."""
        return sum(array.size for array in self)


def cls_row(classifier: Classifier, tokens: Array["n, seq_len"]) -> Array["n, seq_len"]:
    """Return where [CLS] looks: one row of weights for each sentence, which sums to 1.

    Raises ValueError for tokens that the classifier was not built for.

    >>> cls_row(load_classifier("focused"), [[0, 5, 6, 7, 42, 8, 9]]).argmax()
    np.int64(4)
    """
    return classifier(tokens).weights[:, 0, 0, 0]


def answer_with(
    classifier: Classifier, tokens: Array["n, seq_len"], rows: Array["n, seq_len"] | Array["seq_len"] | None = None
) -> Array["n"]:
    """Return the probability of label 1 for each sentence when [CLS] looks as `rows` says.

    rows: the [CLS] row of each sentence, or one for all; None means the classifier's own.
    A row need not sum to 1: an experiment may hide a position.
    Raises ValueError for tokens and rows that do not fit.

    >>> answer_with(load_classifier("focused"), [[0, 5, 6, 7, 42, 8, 9]], [1, 0, 0, 0, 0, 0, 0]).round(1)
    array([0.], dtype=float32)
    """
    if rows is None:
        return classifier(tokens).probability
    n, seq_len = np.shape(tokens)[:1], len(classifier.positions)
    wanted = f"{(*n, seq_len)} or {(seq_len,)}, one weight for each token"
    rows = as_finite("rows", rows, wanted, rank=1)
    if rows.shape not in ((*n, seq_len), (seq_len,)):
        raise wrong("rows", rows, wanted)
    return classifier(tokens, weights=rows.reshape(-1, 1, 1, seq_len)).probability  # every token looks as [CLS] does


def check_classifier(classifier: Classifier) -> Classifier:
    """Return the classifier.

    Raises ValueError, with the name of the array, if shapes do not fit each other or a number is not finite.
    """
    check_axes(classifier._asdict(), AXES)
    return classifier


def save_classifier(classifier: Classifier, path: str | Path) -> None:
    """Write a classifier into one .npz file, without pickle."""
    np.savez(path, **classifier._asdict())


def load_classifier(name: str | Path = "focused") -> Classifier:
    """Read a classifier: "usual" or "focused", which come with the course, or the path of an .npz file.

    Raises FileNotFoundError for a missing file, ValueError for one with other content.

    >>> load_classifier("usual").n_weights
    777
    """
    if name in TRAININGS:
        return load_training(name)[-1]
    if not Path(name).is_file():
        names = ", ".join(TRAININGS)
        raise FileNotFoundError(f"no classifier {name!r}; there are {names}, or give the path of an .npz file")
    return Classifier(**load_arrays(name, AXES))


def save_training(classifiers: Sequence[Classifier], path: str | Path) -> None:
    """Write the classifiers of a training, the untrained one and one for each epoch, into one .npz file, no pickle."""
    arrays = zip(*classifiers, strict=True)  # one tuple for each name, over all epochs
    np.savez_compressed(path, **{name: np.stack(epochs) for name, epochs in zip(AXES, arrays, strict=True)})


def load_training(name: str = "focused") -> list[Classifier]:
    """Read a recorded training, "usual" or "focused": the untrained classifier, and the one after each epoch.

    Raises FileNotFoundError for a training that does not come with the course.

    >>> len(load_training("usual"))
    11
    """
    if name not in TRAININGS:
        raise FileNotFoundError(f"no recorded training {name!r}; there are {', '.join(TRAININGS)}")
    epochs = {array: ("n_epochs", *axes) for array, axes in AXES.items()}
    arrays = load_arrays(TRAININGS[name], epochs).values()  # each (n_epochs, ...)
    return [Classifier(*epoch) for epoch in zip(*arrays, strict=True)]


def load_study() -> list[dict]:
    """Return the rows of the study that comes with the course (`nox -s study -- --ship`), one for each trained model.

    Columns: recipe ("usual", "decoys", "focused"), seed, position, target, length, vocab_size,
    accuracy on plain sentences, decoy_accuracy on sentences with decoys, and weight:
    the mean weight of [CLS] on the position. All on unseen sentences; figures are floats.

    >>> sorted({row["recipe"] for row in load_study()})
    ['decoys', 'focused', 'usual']
    """
    whole = ("seed", "position", "target", "length", "vocab_size")
    return load_table(DATA / "study.csv", recipe=str, **dict.fromkeys(whole, int))
