"""A model that the student built and trained: its weights as arrays, saved beside the lesson, and loaded in later ones.

NumPy only: Keras's weights are read by their paths and shapes, so a lesson that loads a model needs no TensorFlow.
A file is an .npz without pickle. See `notebook.keeps_files` for where nothing is read or written.
"""

import os
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from course_utils.arrays.arguments import wrong
from course_utils.computer.notebook import keeps_files
from course_utils.models.cls_reader import AXES, Classifier, check_classifier, load_classifier, save_classifier

# The last two words of a path in Keras's MultiHeadAttention, and the last word in its other layers.
PARTS = {f"{part}/{kind}": f"{sign}_{letter}" for part, letter in (("query", "Q"), ("key", "K"), ("value", "V"),
         ("attention_output", "O")) for kind, sign in (("kernel", "W"), ("bias", "b"))}  # fmt: skip
LAST = {"gamma": "norm_scale", "beta": "norm_shift", "kernel": "answer", "bias": "answer_bias"}


def by_name(weights: Iterable, seq_len: int) -> dict:
    """Return the weights of Keras layers under the names of `cls_reader.AXES`, whatever the layers are called.

    weights: Keras variables, each with a path and a shape. The positions are in a table of seq_len rows; of two such
    tables, and of two with other lengths, in the later one.
    A second weight with the name W_Q is called "W_Q 2", and so on.

    >>> from types import SimpleNamespace as Weight
    >>> list(by_name([Weight(path="places", shape=(7, 8)), Weight(path="words", shape=(51, 8))], seq_len=7))
    ['positions', 'tokens']
    """
    tables = [weight for weight in weights if _name_of(weight) is None]
    exact = [weight for weight in tables if weight.shape[0] == seq_len]
    positions = (exact or tables[1:] or [None])[-1]
    weights_by_name = {}
    for weight in weights:
        name = _name_of(weight) or ("positions" if weight is positions else "tokens")
        n_before = sum(other.split()[0] == name for other in weights_by_name)
        weights_by_name[f"{name} {n_before + 1}" if n_before else name] = weight
    return weights_by_name


def _name_of(weight):
    """Return the name of a weight, None for a table of vectors."""
    words = weight.path.split("/")
    return PARTS.get("/".join(words[-2:])) or LAST.get(words[-1])


def to_reader(model: object) -> Classifier:
    """Return the weights of a Keras classifier as plain arrays, for `cls_reader`.

    The layers may have any names and come in any order.
    Raises ValueError for a model with other weights than those of `cls_reader.AXES`.
    """
    weights = by_name(model.weights, model.input_shape[-1])
    if set(weights) != set(AXES) or tuple(weights["W_Q"].shape)[1:-1] not in ((), (1,)):  # (d_model, 1 head, d_k)
        wanted = f"the weights of a [CLS] classifier with one head: {', '.join(AXES)}"
        raise wrong("model", {name: tuple(weight.shape) for name, weight in weights.items()}, wanted)
    arrays = {name: np.asarray(weights[name]) for name in AXES}
    d_model = arrays["tokens"].shape[-1]
    flat = {"W_Q": (d_model, -1), "W_K": (d_model, -1), "W_V": (d_model, -1), "W_O": (-1, d_model)}
    flat |= dict.fromkeys(("b_Q", "b_K", "b_V", "answer"), (-1,))
    return Classifier(**{name: array.reshape(flat.get(name, array.shape)) for name, array in arrays.items()})


def save_mine(model: object, name: str = "my_classifier") -> None:
    """Save a trained classifier, in Keras or as arrays, as NAME.npz beside the lesson, and print where it is.

    A previous file is renamed to NAME_before.npz.
    Raises ValueError for a model with other weights, and for a name that is not a plain word.
    """
    classifier = check_classifier(model if isinstance(model, Classifier) else to_reader(model))
    file = _path(name)
    if not keeps_files():
        print(f"{name}: trained, {classifier.n_weights} weights")
        return
    new = file.with_name(f".{name}-new.npz")
    try:
        save_classifier(classifier, new)
        if file.exists():
            os.replace(file, file.with_name(f"{name}_before.npz"))
        os.replace(new, file)
        print(f"{name}: trained, {classifier.n_weights} weights, now in {file.name}")
    except OSError as error:
        print(f"{name}: trained, {classifier.n_weights} weights. {file.name} cannot be written: {error.strerror}.")
    finally:
        new.unlink(missing_ok=True)


def load_mine(name: str = "my_classifier", instead: str = "usual") -> Classifier:
    """Load the classifier that `save_mine` saved, or else the course's, and print whose model it is.

    instead: which of the course's classifiers, "usual" or "focused".
    Raises ValueError for a name that is not a plain word,
    FileNotFoundError for an `instead` that the course does not have.

    >>> load_mine("my_classifier", instead="usual").n_weights
    the course's model, until yours is saved as my_classifier
    777
    """
    file, course = _path(name), load_classifier(instead)
    if not keeps_files() or not file.exists():
        print(f"the course's model, until yours is saved as {name}")
        return course
    try:
        own = load_classifier(file)
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        reason = " ".join(str(error).split())[:160].rstrip(".")
        print(f"the course's model, since {file.name} cannot be used: {reason}.")
        return course
    sizes, wanted = ((len(model.tokens), len(model.positions)) for model in (own, course))
    if sizes != wanted:
        yours, ours = _sizes_in_words(*sizes), _sizes_in_words(*wanted)
        print(f"the course's model, since yours in {file.name} has {yours}, not {ours}.")
        return course
    print(f"your model, from {file.name}")
    return own


def _sizes_in_words(vocab_size, seq_len):
    return f"{vocab_size} tokens and {seq_len} positions"


def _path(name):
    if not isinstance(name, str) or not name.isidentifier():
        raise wrong("name", name, "one word of letters, digits and underscores, such as 'my_classifier'")
    return Path(f"{name}.npz")
