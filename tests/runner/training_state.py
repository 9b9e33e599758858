"""The state before and after a training: the variables of a model, the random state, and a hash of both."""

import hashlib
import inspect
import io
import pickle
import random
import re
from pathlib import Path

import numpy as np

COURSE = Path(__file__).resolve().parents[2] / "course_utils"


def arguments_of(function, args, kwargs):
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)


class SourcePickler(pickle.Pickler):
    """Pickle functions of a notebook and lambdas as their source and what they read; only for hashing."""

    def reducer_override(self, value):
        if inspect.ismodule(value):
            return str, (value.__name__,)
        if not inspect.isfunction(value) or (value.__module__ != "__main__" and "<" not in value.__qualname__):
            return NotImplemented
        read = inspect.getclosurevars(value)
        return str, (inspect.getsource(value), value.__defaults__, read.nonlocals, read.globals)


def hashed(*parts):
    """Return the hash of values, of the course's code and of the versions of the numerical packages."""
    import keras
    import tensorflow as tf

    code = [path.read_bytes() for path in sorted(COURSE.rglob("*.py"))]
    buffer = io.BytesIO()
    pickler = SourcePickler(buffer)
    pickler.fast = True  # without a memo, equal values give equal bytes whether or not they are one object
    pickler.dump([parts, code, [keras.__version__, np.__version__, tf.__version__]])
    return hashlib.sha256(buffer.getbuffer()).hexdigest()


def without_counts(text):
    """Text without the numbers that Keras appends to names: it counts the layers and optimizers of a kernel."""
    return re.sub(r'_\d+"', '"', text)


def variables_of(model):
    return [*model.variables, *(model.optimizer.variables if model.compiled else [])]


def values_of(model):
    return [variable.numpy() for variable in variables_of(model)]


def assign_values(model, values):
    for variable, value in zip(variables_of(model), values, strict=True):
        variable.value.assign(value)  # on TensorFlow's variable: Keras's assign takes twice as long


def random_state():
    """Return the seed of TensorFlow (None if unset) and the states of all three random generators."""
    from tensorflow.python.eager.context import context

    tf_context = context()
    return tf_context._seed, tf_context._rng and tf_context._rng.getstate(), random.getstate(), np.random.get_state()


def restore_random_state(state):
    """Restore a state returned by `random_state`."""
    import keras
    from tensorflow.python.eager.context import context

    if state[0] is not None:
        if context()._seed != state[0]:
            keras.utils.set_random_seed(state[0])
        context()._rng.setstate(state[1])
    random.setstate(state[2])
    np.random.set_state(state[3])
