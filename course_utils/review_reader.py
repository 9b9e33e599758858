"""A trained reviewer as plain arrays, run by the course's own attention: read its weights, and cut single looks. NumPy only.

`review_model.to_reader` makes one from a Keras model; one of seed 0 is shipped in course_utils/data/reviews.
"""

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np

from course_utils.arguments import wrong
from course_utils.attention import MultiHeadAttention, sinusoidal_positions
from course_utils.layers import layer_norm
from course_utils.review_task import PAD, SEQ_LEN, VOCABULARY

DATA = Path(__file__).parent / "data" / "reviews"
EPSILON = 1e-12  # of the layer normalisation, as in `layers`
SPREAD = 0.5  # the size of the position vectors, and of the token vectors before training


class Layer(NamedTuple):
    """One layer: attention, then layer normalisation. Shapes as in `attention.MultiHeadAttention`."""

    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray
    W_O: np.ndarray
    b_Q: np.ndarray
    b_K: np.ndarray
    b_V: np.ndarray
    b_O: np.ndarray
    gain: np.ndarray  # (d_model,)
    bias: np.ndarray  # (d_model,)
    n_heads: np.ndarray  # one whole number


class Reader(NamedTuple):
    """All weights of a reviewer, float32."""

    tokens: np.ndarray  # (vocabulary, d_model)
    first: Layer
    second: Layer
    answer: np.ndarray  # (d_model,)
    answer_bias: np.ndarray  # (1,)


class Reading(NamedTuple):
    """The probability of praise for the movie (n,), and the weights: first (n, heads, SEQ_LEN, SEQ_LEN), second (n, heads, 1, SEQ_LEN)."""

    probability: np.ndarray
    first: np.ndarray
    second: np.ndarray


def read(reader, tokens, first=None, second=None) -> Reading:
    """Read reviews: tokens (n, SEQ_LEN) become probabilities, and the weights of both layers.

    first, second: masks of the layers, boolean, True = may look: (SEQ_LEN, SEQ_LEN) or (n, SEQ_LEN, SEQ_LEN) for the first, (1, SEQ_LEN) or
    (n, 1, SEQ_LEN) for the second, whose only query is [CLS]. The padding is hidden in any case.
    Raises ValueError for tokens that are no reviews and for masks that do not fit.

    >>> from course_utils.review_task import encode
    >>> from course_utils.sentences import REVIEW
    >>> bool(read(load_reader(), [encode(REVIEW)]).probability[0] < 0.5)
    True
    """
    tokens = as_tokens(tokens)
    X = reader.tokens[tokens]  # (n, SEQ_LEN, d_model)
    X = X + (SPREAD * sinusoidal_positions(SEQ_LEN, X.shape[-1])).astype(X.dtype)
    may_look = (tokens != PAD)[:, None, :]  # (n, 1, SEQ_LEN)
    X, weights = _look(reader.first, X, X, _both("first", may_look, first, SEQ_LEN))
    h, cls_weights = _look(reader.second, X[:, :1], X, _both("second", may_look, second, 1))  # h: (n, 1, d_model)
    logit = h[:, 0] @ reader.answer + reader.answer_bias  # (n,)
    return Reading(1 / (1 + np.exp(-logit)), weights, cls_weights)


def _look(layer, queries, X, mask):
    attend = MultiHeadAttention(*layer[:4], int(layer.n_heads), *layer[4:8])
    output, weights = attend(queries, X, mask=mask)
    return layer_norm(queries + output, layer.gain, layer.bias), weights


def _both(name, may_look, mask, n_queries):
    """Return what padding and mask allow together: (n, n_queries, SEQ_LEN)."""
    shape = (len(may_look), n_queries, SEQ_LEN)
    if mask is None:
        return np.broadcast_to(may_look, shape)
    mask = np.asarray(mask)
    if mask.dtype != bool or mask.shape not in (shape, shape[1:]):
        raise wrong(name, mask, f"{shape[1:]} or {shape}, bool, True = may look")
    return may_look & mask


def cut_looks(queries, keys) -> np.ndarray:
    """Return masks for the first layer, (n, SEQ_LEN, SEQ_LEN), True = may look: in review i, queries[i] may not look at keys[i].

    queries, keys: (n,), positions. Raises ValueError for positions that a review does not have.

    >>> cut_looks([5], [4])[0, 5, 3:6]
    array([ True, False,  True])
    """
    queries, keys = np.asarray(queries), np.asarray(keys)
    for name, places in (("queries", queries), ("keys", keys)):
        fits = places.ndim == 1 and places.size and places.dtype.kind in "iu" and places.shape == queries.shape
        if not fits or places.min() < 0 or places.max() >= SEQ_LEN:
            raise wrong(name, places, f"(n,), positions from 0 to {SEQ_LEN - 1}, as many queries as keys")
    masks = np.ones((len(queries), SEQ_LEN, SEQ_LEN), dtype=bool)
    masks[np.arange(len(queries)), queries, keys] = False
    return masks


def as_tokens(tokens) -> np.ndarray:
    """Return tokens (n, SEQ_LEN) as int32. Raises ValueError for anything but whole numbers of the vocabulary."""
    tokens = np.asarray(tokens)
    wanted = f"(n, {SEQ_LEN}), whole numbers 0..{len(VOCABULARY) - 1}"
    if tokens.ndim != 2 or tokens.shape[1] != SEQ_LEN or tokens.dtype.kind not in "iu" or not tokens.size:
        raise wrong("tokens", tokens, wanted)
    if tokens.min() < 0 or tokens.max() >= len(VOCABULARY):
        raise wrong("tokens", tokens, f"{wanted}; these reach from {tokens.min()} to {tokens.max()}")
    return tokens.astype(np.int32)


def save_reader(reader, path) -> None:
    """Write a reader into one .npz file, without pickle."""
    np.savez(path, **_flat(reader))


def load_reader(path=DATA / "reviewer.npz") -> Reader:
    """Read a reader: the one that comes with the course, or another .npz file.

    Raises FileNotFoundError for a file that is not there, ValueError for one that holds something else.

    >>> load_reader().tokens.shape
    (57, 24)
    """
    with np.load(path, allow_pickle=False) as file:
        layers = [Layer(*(f"{name}.{field}" for field in Layer._fields)) for name in ("first", "second")]
        names = Reader("tokens", *layers, "answer", "answer_bias")
        if set(file.files) != {*names.first, *names.second, *(name for name in names if isinstance(name, str))}:
            raise ValueError(f"{Path(path).name} holds {sorted(file.files)}; wanted: the arrays of a reader")
        first, second = (Layer(*(file[name] for name in layer)) for layer in layers)
        return Reader(file["tokens"], first, second, file["answer"], file["answer_bias"])


def _flat(reader):
    layers = {
        f"{name}.{field}": array
        for name in ("first", "second")
        for field, array in getattr(reader, name)._asdict().items()
    }
    return layers | {name: getattr(reader, name) for name in ("tokens", "answer", "answer_bias")}


def load_study() -> list[dict]:
    """Return the rows of the study that comes with the course, one for each seed; `nox -s review_study -- --ship` wrote it.

    held_out, new_pairs: accuracy; with _twins: the share of pairs told apart. The others are explained in that file. All are floats.

    >>> len(load_study())
    10
    """
    with open(DATA / "review_study.csv", newline="", encoding="utf-8") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
