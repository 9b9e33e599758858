"""The two-layer Keras model that reads reviews and answers from [CLS]: building, training, weights as plain arrays."""

from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

from course_utils.arrays.arguments import as_count, as_real, as_tokens, wrong
from course_utils.arrays.shapes import Array
from course_utils.attention import sinusoidal_positions
from course_utils.models.review_reader import EPSILON, LAYERS, SPREAD, Reader, from_arrays
from course_utils.tasks.review_task import PAD, SEQ_LEN, VOCABULARY, Reviews

# Ten of ten seeds learn to read with it (workshop/studies/review_study.py).
# In the first part of the steps the model gets only the shortest reviews, then longer and longer ones.
# Both twins of a pair are in one batch, so that what a bag of words could learn cancels out.
RECIPE = {"steps": 2600, "pairs_per_step": 64, "learning_rate": 8e-3, "short_first": 0.4}
WARM_UP = 0.05  # the share of the steps in which the rate grows from 0; then it falls along a cosine
EPOCHS = 12  # parts of a training: `on_epoch` is called after each


def build_reviewer(d_model: int = 24, n_heads: int = 3, *, seed: int = 0) -> keras.Model:
    """Build two layers of attention: tokens (n, SEQ_LEN) become the probability of praise for the movie, (n, 1).

    Each layer adds its output to its input and normalises. Positions are sinusoids; they are not learned.
    Only row 0, [CLS], of the second layer reaches the answer, so the second layer has no other query.
    One seed gives the same first weights.
    Raises ValueError unless d_model is a whole number of at least 1, and n_heads one from 1 to d_model.
    Source: the [CLS] classifier of the course, with two layers.

    >>> build_reviewer().count_params()
    6289
    """
    d_model = as_count("d_model", d_model)
    n_heads = as_count("n_heads", n_heads, most=d_model)
    keras.utils.set_random_seed(as_count("seed", seed, least=0))
    tokens = keras.Input((SEQ_LEN,), dtype="int32", name="tokens_in")
    start = keras.initializers.RandomUniform(-SPREAD, SPREAD)
    X = keras.layers.Embedding(len(VOCABULARY), d_model, start, name="tokens")(tokens)  # (n, SEQ_LEN, d_model)
    X = X + (SPREAD * sinusoidal_positions(SEQ_LEN, d_model)).astype("float32")
    mask = keras.ops.not_equal(tokens, PAD)[:, None, :]  # (n, 1, SEQ_LEN), True = may look
    for name in LAYERS:
        queries = X if name == LAYERS[0] else X[:, :1]  # position 0 is [CLS]
        layer = keras.layers.MultiHeadAttention(n_heads, d_model // n_heads, name=name)
        output, _ = layer(queries, X, attention_mask=mask, return_attention_scores=True)
        X = keras.layers.LayerNormalization(epsilon=EPSILON, name=f"{name}_norm")(queries + output)
    return keras.Model(tokens, keras.layers.Dense(1, activation="sigmoid", name="answer")(X[:, 0]), name="reviewer")


def train(
    model: keras.Model,
    task: Reviews,
    *,
    steps: int,
    pairs_per_step: int,
    learning_rate: float,
    short_first: float,
    seed: int = 0,
    on_epoch: Callable | None = None,
) -> list[float]:
    """Fit the model to reviews in pairs, in place; `train(model, task, **RECIPE)`.

    short_first: in this share of the steps, batches come from the shortest reviews, at first the shortest 2 in 100,
    in the end all. `on_epoch(epoch, {"loss": ...})` is called after every steps // EPOCHS steps, EPOCHS times.
    One seed gives one order of the batches.
    Raises ValueError for tokens that are not reviews in pairs, labels that do not fit them, and too few steps or pairs.
    Returns the mean loss of each of the EPOCHS.
    """
    tokens, labels = _in_pairs(task)
    steps, pairs = as_count("steps", steps, least=EPOCHS), as_count("pairs_per_step", pairs_per_step)
    learning_rate, short_first = as_real("learning_rate", learning_rate), as_real("short_first", short_first)
    keras.utils.set_random_seed(as_count("seed", seed, least=0))
    step, losses, epochs = _step_of(model), [], []
    for done, batch in _batches(tokens, steps, pairs, short_first, np.random.default_rng((seed, 1))):
        losses.append(step(tokens[batch], labels[batch], tf.constant(learning_rate * _warm(done), tf.float32)))
        if len(losses) == steps // EPOCHS and len(epochs) < EPOCHS:
            epochs.append(float(np.mean(losses)))
            losses = []
            if on_epoch:
                on_epoch(len(epochs) - 1, {"loss": epochs[-1]})
    return epochs


def _in_pairs(task):
    """Return tokens and labels of a task. Raises ValueError if they are not reviews in pairs."""
    tokens, labels = _tokens_of(task.tokens), np.asarray(task.labels, dtype="float32")
    if len(tokens) % 2:
        raise wrong("tokens", tokens, "an even number of rows: rows 2i and 2i + 1 are twins")
    if labels.shape != tokens.shape[:1]:
        raise wrong("labels", labels, f"{tokens.shape[:1]}, one for each review")
    return tokens, labels


def _batches(tokens, steps, pairs, short_first, rng):
    """Yield, for each step, the share of the steps before it and the rows of its batch: both twins of a pair."""
    by_length = np.argsort((tokens[::2] != PAD).sum(axis=1), kind="stable")  # (n_pairs,), the shortest first
    for number in range(steps):
        done = number / steps
        allowed = 1 if done >= short_first else 0.02 + 0.98 * (done / short_first) ** 2
        pair_ranks = rng.integers(0, max(1, int(allowed * len(by_length))), pairs)
        yield done, (2 * by_length[pair_ranks][:, None] + [0, 1]).ravel()


def _warm(done):
    fall = (done - WARM_UP) / (1 - WARM_UP)
    return done / WARM_UP if done < WARM_UP else 0.5 + 0.5 * np.cos(np.pi * fall)


def _step_of(model):
    """Return the function that takes one step on a batch, traced once."""
    variables = model.trainable_variables
    optimizer = keras.optimizers.Adam(beta_2=0.98)  # a shorter memory than usual, for so few steps
    optimizer.build(variables)

    @tf.function(autograph=False, jit_compile=False)
    def step(tokens, labels, rate):
        optimizer.learning_rate.assign(rate)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(keras.losses.binary_crossentropy(labels, model(tokens, training=True)[:, 0]))
        # Dense: with sparse rows of the embedding, Keras would treat words that are not in the batch differently.
        gradients = [tf.convert_to_tensor(gradient) for gradient in tape.gradient(loss, variables)]
        optimizer.apply(gradients, variables)
        return loss

    return step


def predict(model: keras.Model, tokens: Array["n, SEQ_LEN"]) -> Array["n"]:
    """Return the probability of praise for the movie, float32."""
    return keras.ops.convert_to_numpy(model(_tokens_of(tokens)))[:, 0]


def _tokens_of(tokens):
    return as_tokens(tokens, len(VOCABULARY), SEQ_LEN)


def to_reader(model: keras.Model) -> Reader:
    """Return the weights of a trained model as plain arrays, for `review_reader`."""
    keras_arrays = {variable.path: np.asarray(variable) for variable in model.weights}
    d_model = keras_arrays["tokens/embeddings"].shape[1]
    arrays = {"tokens": keras_arrays["tokens/embeddings"]}
    arrays |= {"answer": keras_arrays["answer/kernel"][:, 0], "answer_bias": keras_arrays["answer/bias"]}
    parts = {"Q": "query", "K": "key", "V": "value", "O": "attention_output"}
    for layer in LAYERS:
        for letter, part in parts.items():
            shape = (-1, d_model) if letter == "O" else (d_model, -1)
            arrays[f"{layer}.W_{letter}"] = keras_arrays[f"{layer}/{part}/kernel"].reshape(shape)
            arrays[f"{layer}.b_{letter}"] = keras_arrays[f"{layer}/{part}/bias"].ravel()
        arrays[f"{layer}.n_heads"] = keras_arrays[f"{layer}/query/kernel"].shape[1]
        arrays[f"{layer}.gain"] = keras_arrays[f"{layer}_norm/gamma"]
        arrays[f"{layer}.bias"] = keras_arrays[f"{layer}_norm/beta"]
    return from_arrays(arrays)
