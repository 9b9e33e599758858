"""A trained [CLS] classifier as plain arrays: load it, see where it looks, and answer with other weights than its own.

NumPy only, so that a lesson that reads a classifier need not load TensorFlow. `cls_model.to_reader` makes one from a Keras model;
two are shipped in course_utils/data, made by `nox -s study -- --ship`: "usual" and "focused". Their training, epoch by epoch, is shipped
too; `python tools/record_training.py` recorded it.
"""

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np

from course_utils.arguments import as_finite, wrong
from course_utils.attention import attention_scores, softmax

DATA = Path(__file__).parent / "data"
EPSILON = 1e-6  # of the layer normalisation


class Classifier(NamedTuple):
    """The weights of one classifier, float32. d_model is 8, seq_len counts [CLS]."""

    tokens: np.ndarray  # (vocab_size, d_model), a vector for each token
    positions: np.ndarray  # (seq_len, d_model), a vector for each position
    W_Q: np.ndarray  # (d_model, d_k)
    b_Q: np.ndarray  # (d_k,)
    W_K: np.ndarray  # (d_model, d_k)
    b_K: np.ndarray  # (d_k,)
    W_V: np.ndarray  # (d_model, d_v)
    b_V: np.ndarray  # (d_v,)
    W_O: np.ndarray  # (d_v, d_model)
    b_O: np.ndarray  # (d_model,)
    norm_scale: np.ndarray  # (d_model,)
    norm_shift: np.ndarray  # (d_model,)
    answer: np.ndarray  # (d_model,)
    answer_bias: np.ndarray  # (1,)

    @property
    def n_weights(self) -> int:
        """How many numbers were learned."""
        return sum(array.size for array in self)


def cls_row(classifier, tokens) -> np.ndarray:
    """Return where [CLS] looks: tokens (n, seq_len) become weights (n, seq_len), and each row sums to 1.

    Raises ValueError for tokens that the classifier was not built for.

    >>> cls_row(load_classifier("focused"), [[0, 5, 6, 7, 42, 8, 9]]).argmax()
    np.int64(4)
    """
    X = _embed(classifier, tokens)  # (n, seq_len, d_model)
    q = X[:, 0] @ classifier.W_Q + classifier.b_Q  # (n, d_k)
    K = X @ classifier.W_K + classifier.b_K  # (n, seq_len, d_k)
    scores = (K @ q[..., None])[..., 0] / np.sqrt(q.shape[-1], dtype=q.dtype)  # (n, seq_len)
    return softmax(scores)


def attention_weights(classifier, tokens) -> np.ndarray:
    """Return where every token looks: tokens (n, seq_len) become weights (n, seq_len, seq_len), queries on the rows.

    Raises ValueError for tokens that the classifier was not built for.

    >>> attention_weights(load_classifier("focused"), [[0, 5, 6, 7, 42, 8, 9]]).shape
    (1, 7, 7)
    """
    X = _embed(classifier, tokens)  # (n, seq_len, d_model)
    Q, K = X @ classifier.W_Q + classifier.b_Q, X @ classifier.W_K + classifier.b_K  # each (n, seq_len, d_k)
    return softmax(attention_scores(Q, K))


def answer_with(classifier, tokens, weights=None) -> np.ndarray:
    """Return the probability of label 1, tokens (n, seq_len) -> (n,), when [CLS] looks as `weights` says.

    weights: (n, seq_len), or (seq_len,) for every sentence alike; None means the classifier's own. Their rows need not sum to 1: an
    experiment may hide a position. Raises ValueError for tokens and weights that do not fit.

    >>> answer_with(load_classifier("focused"), [[0, 5, 6, 7, 42, 8, 9], [0, 42, 6, 7, 5, 8, 9]]).round(1)
    array([1., 0.], dtype=float32)
    """
    X = _embed(classifier, tokens)  # (n, seq_len, d_model)
    weights = cls_row(classifier, tokens) if weights is None else as_finite("weights", weights, "(n, seq_len)", rank=1)
    if weights.shape not in (X.shape[:2], X.shape[1:2]):
        raise wrong("weights", weights, f"{X.shape[:2]} or {X.shape[1:2]}, one weight for each token")
    weights = np.broadcast_to(weights, X.shape[:2]).astype(X.dtype)  # (n, seq_len)
    V = X @ classifier.W_V + classifier.b_V  # (n, seq_len, d_v)
    mixed = (weights[:, None] @ V)[:, 0] @ classifier.W_O + classifier.b_O  # (n, d_model)
    h = X[:, 0] + mixed  # (n, d_model), what [CLS] was and what it saw
    h = (h - h.mean(-1, keepdims=True)) / np.sqrt(h.var(-1, keepdims=True) + EPSILON)
    logit = (h * classifier.norm_scale + classifier.norm_shift) @ classifier.answer + classifier.answer_bias  # (n,)
    return (1 / (1 + np.exp(-logit))).astype(X.dtype)


def save_classifier(classifier, path) -> None:
    """Write a classifier into one .npz file, without pickle."""
    np.savez(path, **classifier._asdict())


def load_classifier(name="focused") -> Classifier:
    """Read a classifier: "usual" or "focused", which come with the course, or the path of an .npz file.

    Raises FileNotFoundError for a file that is not there, ValueError for one that holds something else.

    >>> load_classifier("usual").n_weights
    777
    """
    shipped = {path.stem: path for path in DATA.glob("*.npz")}
    path = shipped.get(str(name), Path(name))
    if not path.is_file():
        raise FileNotFoundError(
            f"no classifier {name!r}; there are {', '.join(sorted(shipped))}, or give the path of an .npz file"
        )
    with np.load(path, allow_pickle=False) as file:
        if set(file.files) != set(Classifier._fields):
            raise ValueError(f"{path.name} holds {sorted(file.files)}; wanted: {sorted(Classifier._fields)}")
        return check_classifier(Classifier(**{name: file[name] for name in Classifier._fields}))


def save_training(classifiers, path) -> None:
    """Write the classifiers of a training, first the untrained one, then one for each epoch, into one .npz file, without pickle."""
    np.savez_compressed(
        path, **{name: np.stack([getattr(c, name) for c in classifiers]) for name in Classifier._fields}
    )


def load_training(name="focused") -> list[Classifier]:
    """Read a recorded training, "usual" or "focused": the untrained classifier, and the classifier after each epoch.

    Raises FileNotFoundError for a training that does not come with the course.

    >>> len(load_training("usual"))
    11
    """
    shipped = {path.stem: path for path in (DATA / "training").glob("*.npz")}
    if name not in shipped:
        raise FileNotFoundError(f"no recorded training {name!r}; there are {', '.join(sorted(shipped))}")
    with np.load(shipped[name], allow_pickle=False) as file:
        arrays = [file[name] for name in Classifier._fields]  # each (n_epochs, ...)
    return [check_classifier(Classifier(*epoch)) for epoch in zip(*arrays, strict=True)]


def load_study() -> list[dict]:
    """Return the rows of the study that comes with the course, one for each trained classifier; `nox -s study -- --ship` wrote it.

    Columns: recipe ("usual", "decoys", "focused"), seed, position, target, length, vocab_size, accuracy on plain sentences, decoy_accuracy
    on sentences with decoys, and weight: the mean weight of [CLS] on the position. All on unseen sentences; figures are floats.

    >>> sorted({row["recipe"] for row in load_study()})
    ['decoys', 'focused', 'usual']
    """
    figures = ("accuracy", "decoy_accuracy", "weight")
    with open(DATA / "study.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [{name: _number(value, name in figures) for name, value in row.items()} for row in rows]


def _number(text, is_figure):
    return float(text) if is_figure else int(text) if text.isdigit() else text


def check_classifier(classifier) -> Classifier:
    """Return the classifier. Raises ValueError, with the name of the array, where shapes do not fit each other or a number is not finite."""
    d_model, d_k, d_v = classifier.tokens.shape[-1], classifier.W_Q.shape[-1], classifier.W_V.shape[-1]
    square = {"W_Q": (d_model, d_k), "W_K": (d_model, d_k), "W_V": (d_model, d_v), "W_O": (d_v, d_model)}
    lines = {
        "b_Q": d_k,
        "b_K": d_k,
        "b_V": d_v,
        "b_O": d_model,
        "norm_scale": d_model,
        "norm_shift": d_model,
        "answer": d_model,
    }
    wanted = square | {name: (length,) for name, length in lines.items()} | {"answer_bias": (1,)}
    wanted["positions"] = (classifier.positions.shape[0], d_model)
    for name, shape in wanted.items():
        array = as_finite(name, getattr(classifier, name), str(shape), rank=len(shape), exact=True)
        if array.shape != shape:
            raise wrong(name, array, str(shape))
    return classifier


def _embed(classifier, tokens):
    """Return the sum of token and position vectors: tokens (n, seq_len) -> X (n, seq_len, d_model)."""
    tokens = np.asarray(tokens)
    vocab_size, seq_len = len(classifier.tokens), len(classifier.positions)
    check_tokens(tokens, vocab_size, seq_len)
    return classifier.tokens[tokens] + classifier.positions


def check_tokens(tokens, vocab_size, seq_len) -> None:
    """Raise a ValueError unless tokens are (n, seq_len) whole numbers of the vocabulary a classifier was built for."""
    wanted = f"(n, {seq_len}), whole numbers 0..{vocab_size - 1}, as the classifier was built for"
    if tokens.ndim != 2 or tokens.shape[1] != seq_len or tokens.dtype.kind not in "iu" or not tokens.size:
        raise wrong("tokens", tokens, wanted)
    if tokens.min() < 0 or tokens.max() >= vocab_size:
        raise wrong("tokens", tokens, f"{wanted}; these reach from {tokens.min()} to {tokens.max()}")
