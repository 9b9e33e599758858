"""An answer in Keras as a function of numbers, so that a check can compare it: builds layers and sets their weights.

The checks of lessons 12 and 13 import it when they run; nothing else does, since it loads Keras.
A layer or a model is built once for each set of sizes, which takes most of the time.
"""

import contextlib
import functools
import random
from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

from course_utils.checks.exercises.keras_parts import draw_weights, sentences_of
from course_utils.models.own_model import by_name

NUMBERS = (keras.KerasTensor, tuple, list)


@contextlib.contextmanager
def _preserve_random_state():
    """Restore Python's random state, from which each new layer of Keras draws its first weights.

    They are the same ones each time, so an answer that keeps some of them gets the same message each time.
    """
    state = random.getstate()
    random.seed(0)
    try:
        yield
    finally:
        random.setstate(state)


def of_embedding(answer: type) -> Callable:
    """Return the layer PositionalEmbedding(vocab_size, seq_len, d_model) as a function of tokens and its tables."""

    @functools.cache
    def build(vocab_size, seq_len, d_model):
        token_ids = keras.Input((seq_len,), dtype="int32")
        return keras.Model(token_ids, answer(vocab_size, seq_len, d_model)(token_ids))

    @functools.wraps(answer, updated=())
    @_preserve_random_state()
    def run(token_ids, token_vectors, position_vectors):
        model = build(len(token_vectors), token_ids.shape[1], token_vectors.shape[1])
        tables = {"tokens": token_vectors, "positions": position_vectors}
        _set_weights(model, tables, token_ids.shape[1])
        return _numbers(model(token_ids))

    return run


def of_attention(answer: Callable) -> Callable:
    """Return attend(query, value, d_model) in Keras as a function of numbers."""

    @functools.cache
    def build(n_query, n_value, d, d_model):
        return _model(answer, [keras.Input((n_query, d)), keras.Input((n_value, d))], d_model)

    @functools.wraps(answer)
    @_preserve_random_state()
    def run(query, value, d_model, weights):
        model = build(query.shape[1], value.shape[1], query.shape[2], d_model)
        return _run(model, [query, value], query.shape[1], weights)

    return run


def of_norm(answer: Callable) -> Callable:
    """Return add_and_norm(X, output) in Keras as a function of numbers, with the two vectors that the norm learns."""

    @functools.cache
    def build(n, d):
        return _model(answer, [keras.Input((n, d)), keras.Input((n, d))])

    @functools.wraps(answer)
    @_preserve_random_state()
    def run(X, output, gain, shift):
        model = build(*X.shape[1:])
        if isinstance(model, keras.Model):
            _set_weights(model, {"norm_scale": gain, "norm_shift": shift}, X.shape[1])
            return _numbers(model([np.asarray(X, np.float32), np.asarray(output, np.float32)]))
        return model

    return run


def of_model(answer: Callable) -> Callable:
    """Return build_model(vocab_size, seq_len, d_model) as a function that gives probabilities and the weight count."""
    build = functools.cache(answer)

    @functools.wraps(answer)
    @_preserve_random_state()
    def run(vocab_size, seq_len, d_model, weights):
        model = build(vocab_size, seq_len, d_model)
        if not isinstance(model, keras.Model):
            return _stand_in(model)
        tokens = sentences_of(vocab_size, seq_len)
        if batch := model.input_shape[0]:  # a fixed number of sentences shows in the shape of the result
            tokens = np.resize(tokens, (batch, seq_len))
        probabilities = _run(model, tokens, seq_len, weights)
        return probabilities, sum(int(np.prod(weight.shape)) for weight in model.trainable_weights)

    return run


def _stand_in(value):
    """Return a stand-in for something that is not a model: its type has the same name, which a check reports."""
    if value is None or value is ...:
        return value
    return type("class" if isinstance(value, type) else type(value).__name__, (str,), {})()


def of_compiling(answer: Callable) -> Callable:
    """Return compile_model(model) as a function that gives four numbers.

    The loss, the first step in thousandths, the accuracy that training shows, and 1 if the same model was returned.
    """

    @functools.cache
    def compile_once():
        numbers = keras.Input((1,))
        model = keras.Model(numbers, keras.layers.Dense(1, activation="sigmoid")(numbers))
        result = answer(model)
        return result, float(result is model)

    @functools.wraps(answer)
    @_preserve_random_state()
    def run(labels, probabilities, gradient):
        model, same = compile_once()
        if not isinstance(model, keras.Model):
            return _stand_in(model)
        optimizer = type(model.optimizer).from_config(model.optimizer.get_config())  # no step counted yet
        weight = keras.Variable(np.zeros(gradient.shape, np.float32))
        optimizer.build([weight])
        optimizer.apply([keras.ops.convert_to_tensor(gradient.astype(np.float32))], [weight])
        y, p = (keras.ops.convert_to_tensor(array[:, None].astype(np.float32)) for array in (labels, probabilities))
        model.reset_metrics()
        loss = model.compute_loss(y=y, y_pred=p)
        return float(loss), 1000 * keras.ops.convert_to_numpy(weight), _shown_accuracy(model, y, p), same

    return run


def _shown_accuracy(model, y, p):
    """Return the accuracy that training shows beside the loss, or else the first other figure, or else -1."""
    figures = {name: value for name, value in model.compute_metrics(None, y, p).items() if name != "loss"}
    names = sorted(figures, key=lambda name: "acc" not in name)
    return float(figures[names[0]]) if names else -1.0


def _set_weights(model, arrays, seq_len):
    """Set the weights of a model by name; in a table of another length the rows repeat."""
    for name, weight in by_name(model.trainable_weights, seq_len).items():
        if name in arrays:
            weight.assign(np.resize(arrays[name], weight.shape))


def _model(answer, inputs, *more):
    """Return the Keras model from inputs to the result of the answer, or that result if it is not from Keras."""
    outputs = answer(*inputs, *more)
    return keras.Model(inputs, outputs) if isinstance(outputs, NUMBERS) else outputs


def _run(model, inputs, seq_len, weights):
    if not isinstance(model, keras.Model):
        return model
    for name, weight in by_name(model.trainable_weights, seq_len).items():
        weight.assign(draw_weights(name, tuple(weight.shape), weights))
    return _numbers(model(inputs if isinstance(inputs, np.ndarray) else [np.asarray(x, np.float32) for x in inputs]))


def _numbers(result):
    if isinstance(result, tuple | list):
        return tuple(keras.ops.convert_to_numpy(part) for part in result)
    return keras.ops.convert_to_numpy(result)


def of_reward(answer: Callable) -> Callable:
    """Return a reward of weights, look_reward or set_reward, as a function of numbers; it runs as in training.

    There the weights are symbolic, and the function is traced once for each shape. One that needs their values, such
    as NumPy's, gives NaN here, and so does one without a gradient.
    """
    trace = functools.cache(functools.partial(_trace_reward, answer))

    @functools.wraps(answer)
    def run(weights, *more):
        try:
            weights = tf.constant(weights, tf.float32)
            reward, faults = trace(tuple(weights.shape), *more)
            result = reward(weights)
        except (NotImplementedError, TypeError) as problem:  # the second is also what float() raises
            if "symbolic" not in str(problem).lower():
                raise
            return np.nan
        if faults and faults[-1] == "nothing":
            return None
        numbers = _numbers(result)
        return np.full_like(numbers, np.nan) if faults and faults[-1] else numbers

    return run


def _trace_reward(answer, shape, *more):
    """Return the answer as a function of symbolic weights of this shape, and a list of what is wrong with it."""
    faults = []

    @tf.function(autograph=False)
    def reward(weights):
        with tf.GradientTape() as tape:
            tape.watch(weights)
            number = answer(weights, *more)
        if keras.ops.is_tensor(number) and number.dtype.is_floating:
            faults.append(tape.gradient(number, weights) is None)
            return number
        return number if number is not None else faults.append("nothing")

    return reward.get_concrete_function(tf.TensorSpec(shape)), faults
