"""A trained reviewer as plain arrays, run by the course's own attention: read its weights, and hide heads or edges.

NumPy only.
`review_model.to_reader` makes one from a Keras model; one of seed 0 is shipped in course_utils/data/reviews.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from course_utils.arrays.arguments import as_tokens
from course_utils.arrays.named_arrays import load_arrays
from course_utils.arrays.shapes import Array
from course_utils.arrays.tables import load_table
from course_utils.attention import MultiHeadAttention, sinusoidal_positions
from course_utils.layers import Block
from course_utils.models.reading import Reading, probability_of_yes, run_blocks
from course_utils.tasks.review_task import PAD, SEQ_LEN, VOCABULARY

DATA = Path(__file__).parents[1] / "data" / "reviews"
EPSILON = 1e-12  # of the layer normalisation, as in `layers`
SPREAD = 0.5  # the size of the position vectors, and of the token vectors before training
LAYERS = ("first", "second")  # the names in Keras and in files
LAYER_AXES = {
    "W_Q": ("d_model", "d_k"),
    "W_K": ("d_model", "d_k"),
    "W_V": ("d_model", "d_v"),
    "W_O": ("d_v", "d_model"),
    "b_Q": ("d_k",),
    "b_K": ("d_k",),
    "b_V": ("d_v",),
    "b_O": ("d_model",),
    "gain": ("d_model",),
    "bias": ("d_model",),
    "n_heads": (),
}
AXES = {"tokens": ("vocab_size", "d_model"), "answer": ("d_model",), "answer_bias": ("1",)}
AXES |= {f"{layer}.{name}": axes for layer in LAYERS for name, axes in LAYER_AXES.items()}


@dataclass(frozen=True, eq=False)
class Reader:
    """A reviewer: its token vectors, its two blocks (attention and a layer norm) and its last weights, float32.

    >>> from course_utils.tasks.review_task import encode
    >>> from course_utils.sentences import REVIEW
    >>> reading = load_reader()([encode(REVIEW)])
    >>> bool(reading.probability[0] < 0.5), reading.weights.shape
    (True, (1, 2, 3, 24, 24))
    """

    tokens: Array["vocab_size, d_model"]
    blocks: tuple[Block, ...]
    answer: Array["d_model"]
    answer_bias: Array["1"]

    def __call__(
        self,
        tokens: Array["n, SEQ_LEN"],
        *,
        hide: Iterable = (),
        weights: dict[int, Array["..., n"]] | Array["..., n"] | None = None,
        attention: Callable | dict[int, Callable] | None = None,
        block: Callable | None = None,
    ) -> Reading:
        """Read reviews and return a Reading, with the probability of praise for the movie.

        hide, weights, attention, block: what to change, see `reading.run_blocks`.
        The answer is read from [CLS], so the rows of the other queries of layer 1 do not reach it.
        Raises ValueError for tokens that are not reviews, and for a change that does not fit.
        """
        tokens = as_tokens(tokens, len(VOCABULARY), SEQ_LEN)
        X = self.tokens[tokens]  # (n, SEQ_LEN, d_model)
        X = X + (SPREAD * sinusoidal_positions(SEQ_LEN, X.shape[-1])).astype(X.dtype)
        mask = tokens != PAD  # (n, SEQ_LEN)
        changes = {"hide": hide, "weights": weights, "attention": attention, "block": block}
        hidden, all_weights = run_blocks(self.blocks, X, mask, **changes)
        return Reading(tokens, hidden, all_weights, mask, probability_of_yes(hidden, self.answer, self.answer_bias))


def from_arrays(arrays: Mapping[str, np.ndarray]) -> Reader:
    """Build a reader from arrays with the names of AXES."""

    def block(layer):
        *matrices, gain, bias, n_heads = (arrays[f"{layer}.{name}"] for name in LAYER_AXES)
        attention = MultiHeadAttention(*matrices[:4], int(n_heads), *matrices[4:])
        return Block(attention, [(gain, bias)], epsilon=EPSILON)

    return Reader(arrays["tokens"], tuple(map(block, LAYERS)), arrays["answer"], arrays["answer_bias"])


def to_arrays(reader: Reader) -> dict[str, np.ndarray]:
    """Return the arrays of a reader by the names of AXES, as `from_arrays` takes them."""
    arrays = {"tokens": reader.tokens, "answer": reader.answer, "answer_bias": reader.answer_bias}
    for layer, block in zip(LAYERS, reader.blocks, strict=True):
        [(gain, bias)] = block.norms
        parts = vars(block.attention) | {"gain": gain, "bias": bias}
        arrays |= {f"{layer}.{name}": np.asarray(parts[name]) for name in LAYER_AXES}
    return arrays


def save_reader(reader: Reader, path: str | Path) -> None:
    """Write a reader into one .npz file, without pickle."""
    np.savez(path, **to_arrays(reader))


def load_reader(path: str | Path = DATA / "reviewer.npz") -> Reader:
    """Read a reader: the one that comes with the course, or another .npz file.

    Raises FileNotFoundError for a missing file, ValueError for one with other content.

    >>> load_reader().tokens.shape
    (57, 24)
    """
    return from_arrays(load_arrays(path, AXES))


def numbers_in_order(reader: Reader) -> tuple:
    """Return what lesson 15 reads with: token vectors, W, b, gains, biases, n_heads, the last weights and their bias.

    W (n_layers, 4, d_model, d_model) holds W_Q, W_K, W_V and W_O of each layer, b (n_layers, 4, d_model) their biases;
    gains and biases (n_layers, d_model) belong to the norms.

    >>> [np.shape(part) for part in numbers_in_order(load_reader())]
    [(57, 24), (2, 4, 24, 24), (2, 4, 24), (2, 24), (2, 24), (), (24,), ()]
    """
    layers = [vars(block.attention) for block in reader.blocks]
    W, b = (np.array([[one[f"{kind}_{name}"] for name in "QKVO"] for one in layers]) for kind in "Wb")
    gains, biases = np.array([block.norms[0] for block in reader.blocks]).swapaxes(0, 1)  # (n_layers, d_model) each
    return reader.tokens, W, b, gains, biases, layers[0]["n_heads"], reader.answer, reader.answer_bias[0]


def load_study() -> list[dict]:
    """Return the rows of the study that comes with the course, one for each seed (`nox -s review_study -- --ship`).

    held_out, new_pairs: accuracy; with _twins: the share of pairs told apart. review_study.py explains the others.
    All are floats.

    >>> len(load_study())
    10
    """
    return load_table(DATA / "review_study.csv")
