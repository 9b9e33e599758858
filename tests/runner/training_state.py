"""What a training begins with and what it leaves: the variables of a model, the state of chance, and a hash of both."""

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


class Written(pickle.Pickler):
    """Writes a function of a notebook, or one without a name, as its source and what it reads; nobody reads it back."""

    def reducer_override(self, value):
        if inspect.ismodule(value):
            return str, (value.__name__,)
        if not inspect.isfunction(value) or (value.__module__ != "__main__" and "<" not in value.__qualname__):
            return NotImplemented
        read = inspect.getclosurevars(value)
        return str, (inspect.getsource(value), value.__defaults__, read.nonlocals, read.globals)


def hashed(*parts):
    """Return the hash of values, of the course's own code and of the versions of what computes."""
    import keras
    import tensorflow as tf

    code = [path.read_bytes() for path in sorted(COURSE.rglob("*.py"))]
    written = io.BytesIO()
    pickler = Written(written)
    pickler.fast = True  # equal values in the same bytes, whichever of them are one object
    pickler.dump([parts, code, [keras.__version__, np.__version__, tf.__version__]])
    return hashlib.sha256(written.getbuffer()).hexdigest()


def without_counts(text):
    """Text without the numbers that Keras adds to names: it counts the layers and optimizers of a kernel."""
    return re.sub(r'_\d+"', '"', text)


def variables_of(model):
    return [*model.variables, *(model.optimizer.variables if model.compiled else [])]


def values_of(model):
    return [variable.numpy() for variable in variables_of(model)]


def give(model, values):
    for variable, value in zip(variables_of(model), values, strict=True):
        variable.value.assign(value)  # the variable of TensorFlow: Keras's own way takes twice as long


def chance():
    """Return the seed of TensorFlow, None where nobody set it, and the states of all three sources of chance."""
    from tensorflow.python.eager.context import context

    here = context()
    return here._seed, here._rng and here._rng.getstate(), random.getstate(), np.random.get_state()


def leave(state):
    """Bring the sources of chance to a state of `chance`."""
    import keras
    from tensorflow.python.eager.context import context

    if state[0] is not None:
        if context()._seed != state[0]:
            keras.utils.set_random_seed(state[0])
        context()._rng.setstate(state[1])
    random.setstate(state[2])
    np.random.set_state(state[3])
