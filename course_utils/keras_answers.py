"""An answer in Keras as a function of numbers, so that a check can compare it: layers are built and given weights.

Imported by the checks of lessons 12 and 13 when they are asked for; nothing else imports it, since it loads Keras.
A layer or a model is built once for each set of sizes, which takes most of the time.
"""

import contextlib
import functools
import random

import keras
import numpy as np
import tensorflow as tf

from course_utils.checks.exercises.keras_parts import drawn, sentences_of
from course_utils.own_model import by_name

NUMBERS = (keras.KerasTensor, tuple, list)


@contextlib.contextmanager
def _random_numbers_kept():
    """Put Python's random numbers back: each new layer of Keras takes one for its first weights."""
    before = random.getstate()
    try:
        yield
    finally:
        random.setstate(before)


def of_embedding(answer):
    """PositionalEmbedding(vocab_size, seq_len, d_model), a layer, as a function of tokens and two tables of vectors."""

    @functools.cache
    def built(vocab_size, seq_len, d_model):
        token_ids = keras.Input((seq_len,), dtype="int32")
        return keras.Model(token_ids, answer(vocab_size, seq_len, d_model)(token_ids))

    @functools.wraps(answer, updated=())
    @_random_numbers_kept()
    def given(token_ids, token_vectors, position_vectors):
        model = built(len(token_vectors), token_ids.shape[1], token_vectors.shape[1])
        tables = {"tokens": token_vectors, "positions": position_vectors}
        _set(model, tables, token_ids.shape[1])
        return _numbers(model(token_ids))

    return given


def of_attention(answer):
    """attend(query, value, d_model) in Keras as a function of numbers."""

    @functools.cache
    def built(n_query, n_value, d, d_model):
        return _model(answer, [keras.Input((n_query, d)), keras.Input((n_value, d))], d_model)

    @functools.wraps(answer)
    @_random_numbers_kept()
    def given(query, value, d_model, weights):
        model = built(query.shape[1], value.shape[1], query.shape[2], d_model)
        return _given(model, [query, value], query.shape[1], weights)

    return given


def of_norm(answer):
    """add_and_norm(X, output) in Keras as a function of numbers, with the two vectors that the norm learns."""

    @functools.cache
    def built(n, d):
        return _model(answer, [keras.Input((n, d)), keras.Input((n, d))])

    @functools.wraps(answer)
    @_random_numbers_kept()
    def given(X, output, gain, shift):
        model = built(*X.shape[1:])
        if isinstance(model, keras.Model):
            _set(model, {"norm_scale": gain, "norm_shift": shift}, X.shape[1])
            return _numbers(model([np.asarray(X, np.float32), np.asarray(output, np.float32)]))
        return model

    return given


def of_model(answer):
    """build_model(vocab_size, seq_len, d_model) as a function that gives probabilities and the number of weights."""
    built = functools.cache(answer)

    @functools.wraps(answer)
    @_random_numbers_kept()
    def given(vocab_size, seq_len, d_model, weights):
        model = built(vocab_size, seq_len, d_model)
        if not isinstance(model, keras.Model):
            return _no_numbers(model)
        tokens = sentences_of(vocab_size, seq_len)
        if batch := model.input_shape[0]:  # a fixed number of sentences shows in the shape of what comes back
            tokens = np.resize(tokens, (batch, seq_len))
        probabilities = _given(model, tokens, seq_len, weights)
        return probabilities, sum(int(np.prod(weight.shape)) for weight in model.trainable_weights)

    return given


def _no_numbers(value):
    """Return what stands for something that is no model: a text of the same type's name, which is what a check says."""
    return (
        value
        if value is None or value is ...
        else type("class" if isinstance(value, type) else type(value).__name__, (str,), {})()
    )


def of_compiling(answer):
    """compile_model(model) as a function that gives the loss, the first step in thousandths, and what is shown; in the
    end 1 for the model that went in, 0 for another one.
    """

    @functools.cache
    def compiled():
        numbers = keras.Input((1,))
        model = keras.Model(numbers, keras.layers.Dense(1, activation="sigmoid")(numbers))
        came = answer(model)
        return came, float(came is model)

    @functools.wraps(answer)
    @_random_numbers_kept()
    def given(labels, probabilities, gradient):
        model, same = compiled()
        if not isinstance(model, keras.Model):
            return _no_numbers(model)
        optimizer = type(model.optimizer).from_config(model.optimizer.get_config())  # no step counted yet
        weight = keras.Variable(np.zeros(gradient.shape, np.float32))
        optimizer.build([weight])
        optimizer.apply([keras.ops.convert_to_tensor(gradient.astype(np.float32))], [weight])
        y, p = (keras.ops.convert_to_tensor(array[:, None].astype(np.float32)) for array in (labels, probabilities))
        model.reset_metrics()
        loss = model.compute_loss(y=y, y_pred=p)
        return float(loss), 1000 * keras.ops.convert_to_numpy(weight), _shown(model, y, p), same

    return given


def _shown(model, y, p):
    """The accuracy that training shows beside the loss, or else the first other figure; -1 where it shows none."""
    figures = {name: value for name, value in model.compute_metrics(None, y, p).items() if name != "loss"}
    shown = sorted(figures, key=lambda name: "acc" not in name)
    return float(figures[shown[0]]) if shown else -1.0


def _set(model, named, seq_len):
    """Give a model the weights of these names; a table of another length gets them again and again."""
    for name, weight in by_name(model.trainable_weights, seq_len).items():
        if name in named:
            weight.assign(np.resize(named[name], weight.shape))


def _model(answer, inputs, *more):
    """Return the Keras model from inputs to what the answer gives, or what it gives where that is nothing of Keras."""
    outputs = answer(*inputs, *more)
    return keras.Model(inputs, outputs) if isinstance(outputs, NUMBERS) else outputs


def _given(model, inputs, seq_len, weights):
    if not isinstance(model, keras.Model):
        return model
    for name, weight in by_name(model.trainable_weights, seq_len).items():
        weight.assign(drawn(name, tuple(weight.shape), weights))
    return _numbers(model(inputs if isinstance(inputs, np.ndarray) else [np.asarray(x, np.float32) for x in inputs]))


def _numbers(given):
    if isinstance(given, tuple | list):
        return tuple(keras.ops.convert_to_numpy(part) for part in given)
    return keras.ops.convert_to_numpy(given)


def of_reward(answer):
    """A reward of weights, look_reward or set_reward, as a function of numbers; it runs as in training.

    In training the weights have no numbers yet. A function that needs some, such as NumPy's, gives NaN here, and so
    does one that loses the gradient on the way.
    """

    @functools.wraps(answer)
    def given(weights, *more):
        lost = []

        @tf.function(autograph=False)
        def traced(weights):
            with tf.GradientTape() as tape:
                tape.watch(weights)
                number = answer(weights, *more)
            if keras.ops.is_tensor(number) and number.dtype.is_floating:
                lost.append(tape.gradient(number, weights) is None)
                return number
            return number if number is not None else lost.append("nothing")

        try:
            weights = tf.constant(weights, tf.float32)
            found = traced.get_concrete_function(tf.TensorSpec(weights.shape))(weights)
        except (NotImplementedError, TypeError) as problem:  # the second is also what float() raises
            if "symbolic" not in str(problem).lower():
                raise
            return np.nan
        if lost and lost[-1] == "nothing":
            return None
        numbers = _numbers(found)
        return np.full_like(numbers, np.nan) if lost and lost[-1] else numbers

    return given
