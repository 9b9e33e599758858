"""The Keras classifier that answers from [CLS]: building, training, looking."""

from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

from course_utils.arrays.arguments import as_count, as_real, as_tokens, wrong
from course_utils.arrays.shapes import Array
from course_utils.models.cls_reader import EPSILON
from course_utils.models.cls_rewards import call_reward, look_reward, patience
from course_utils.models.own_model import by_name, to_reader  # noqa: F401  to_reader is imported from here
from course_utils.tasks.cls_task import Task, check_labels

# What makes [CLS] really look, on sentences with decoys: `train(model, task, **FOCUSED)`.
# Larger batches and steps, and once the task is learned, a reward for looking at one position in every sentence
# (see `train`). Nothing in it is tuned to a seed or a setting.
FOCUSED = {"epochs": 12, "batch_size": 250, "learning_rate": 1e-2, "focus": 0.3}


@keras.saving.register_keras_serializable("course_utils")
class PositionalEmbedding(keras.layers.Layer):
    """The sum of a learned vector for each token and a learned vector for each position: (n, seq_len, d_model)."""

    def __init__(self, vocab_size: int, seq_len: int, d_model: int, positions: bool = True, **kwargs) -> None:
        super().__init__(**kwargs)
        self.vocab_size, self.seq_len, self.d_model = vocab_size, seq_len, d_model
        self.tokens = keras.layers.Embedding(vocab_size, d_model, name="tokens")
        self.positions = keras.layers.Embedding(seq_len, d_model, name="positions") if positions else None

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        self.tokens.build(input_shape)
        if self.positions:
            self.positions.build((self.seq_len,))

    def call(self, tokens: keras.KerasTensor) -> keras.KerasTensor:
        X = self.tokens(tokens)
        return X + self.positions(keras.ops.arange(self.seq_len)) if self.positions else X

    def get_config(self) -> dict:
        sizes = {"vocab_size": self.vocab_size, "seq_len": self.seq_len, "d_model": self.d_model}
        return super().get_config() | sizes | {"positions": self.positions is not None}


def attend(
    query: keras.KerasTensor, value: keras.KerasTensor, d_model: int
) -> tuple[keras.KerasTensor, keras.KerasTensor]:
    """Let each query look at all of value, with one head, in Keras: (batch, n, d_model) both.

    Returns the output (batch, n_query, d_model) and the weights (batch, 1 head, n_query, n_value).
    """
    attention = keras.layers.MultiHeadAttention(num_heads=1, key_dim=d_model, name="self_attn")
    return attention(query, value, return_attention_scores=True)


def add_and_norm(X: keras.KerasTensor, output: keras.KerasTensor) -> keras.KerasTensor:
    """Add the output of the attention to its input, and normalise each vector: (batch, n, d_model) all three."""
    return keras.layers.LayerNormalization(epsilon=EPSILON, name="norm")(X + output)


def compile_model(model: keras.Model) -> keras.Model:
    """Prepare a classifier for the usual training, Adam with a rate of 0.001, and return it."""
    model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
    return model


def build_classifier(
    vocab_size: int = 51, seq_len: int = 7, d_model: int = 8, *, positions: bool = True, seed: int | None = 0
) -> keras.Model:
    """Build the smallest Transformer that can read one position: one head, one layer, one sigmoid on [CLS].

    Tokens (n, seq_len), [CLS] included, become probabilities (n, 1). positions=False leaves the position vectors out.
    One seed gives the same first weights; with seed=None Keras continues with its own random numbers.
    Raises ValueError unless vocab_size and seq_len are whole numbers of at least 2, and d_model one of at least 1.
    Source: the self-attention example that the course follows; 777 weights with the default sizes.

    >>> build_classifier().count_params()
    777
    """
    vocab_size, seq_len = as_count("vocab_size", vocab_size, least=2), as_count("seq_len", seq_len, least=2)
    d_model = as_count("d_model", d_model)
    if seed is not None:
        keras.utils.set_random_seed(as_count("seed", seed, least=0))
    tokens = keras.Input((seq_len,), dtype="int32", name="tokens_in")
    X = PositionalEmbedding(vocab_size, seq_len, d_model, positions, name="embedding")(tokens)
    output, _ = attend(X, X, d_model)  # Q, K and V all come from X
    X = add_and_norm(X, output)
    probability = keras.layers.Dense(1, activation="sigmoid", name="answer")(X[:, 0])  # position 0 is [CLS]
    return keras.Model(tokens, probability, name="cls_classifier")


def build_model(vocab_size: int = 51, seq_len: int = 7, d_model: int = 8) -> keras.Model:
    """Build the classifier as lesson 12 asks for it; its first weights follow the current seed of Keras."""
    return build_classifier(vocab_size, seq_len, d_model, seed=None)


def train(
    model: keras.Model,
    task: Task,
    *,
    epochs: int = 10,
    batch_size: int = 32,
    learning_rate: float = 1e-3,
    focus: float | None = None,
    reward: Callable = look_reward,
    patience: Callable = patience,
    seed: int = 0,
    on_epoch: Callable | None = None,
    on_batch: Callable | None = None,
) -> dict[str, list[float]]:
    """Fit the model to a task, in place, and return {"loss": [...], "accuracy": [...]}, one figure per epoch.

    The defaults are the usual recipe: Adam, 1e-3, batches of 32, 10 epochs, with model.fit.
    One seed gives one order of the batches.
    focus: a number f adds -g * reward(weights) to the loss of each batch, where weights (batch, n) say where
    [CLS] looks, and g = patience(losses, f) follows from the losses of the epochs before.
    `on_epoch(epoch, logs)` is called after each epoch, so that a lesson can draw while the model learns; with a focus,
    `on_batch(done, total, logs)` after each batch, and its logs hold the mean weights as "row", and g as "focus".
    Raises ValueError for tokens the model was not built for, labels of one class, a batch larger than the task,
    a focus below 0, and a reward that is not one number with a gradient.
    """
    tokens, labels = _tokens_for(model, task.tokens), np.asarray(task.labels, dtype="float32")
    check_labels(labels)
    epochs, batch_size = as_count("epochs", epochs), as_count("batch_size", batch_size, most=len(labels))
    if focus is not None and as_real("focus", focus) < 0:
        raise wrong("focus", focus, "a number of at least 0")
    keras.utils.set_random_seed(as_count("seed", seed, least=0))
    optimizer = keras.optimizers.Adam(as_real("learning_rate", learning_rate))
    if focus is not None:
        step = _step_of(model, optimizer, reward)
        batches = _batches(len(labels), batch_size, epochs, seed)  # (epochs, steps, batch_size)
        return _train_focused(step, tokens, labels, batches, lambda losses: patience(losses, focus), on_epoch, on_batch)
    model.compile(optimizer, loss="binary_crossentropy", metrics=["accuracy"], jit_compile=False)
    draw = [keras.callbacks.LambdaCallback(on_epoch_end=on_epoch)] if on_epoch else []
    return model.fit(tokens, labels, batch_size, epochs, verbose=0, callbacks=draw).history


def _batches(n, batch_size, epochs, seed):
    # A generator of its own, so that the order of the sentences does not depend on how they were drawn.
    rng, n_used = np.random.default_rng((seed, 1)), n // batch_size * batch_size
    return [rng.permutation(n)[:n_used].reshape(-1, batch_size) for _ in range(epochs)]


def _train_focused(step, tokens, labels, batches, strength_after, on_epoch, on_batch):
    history, done, total = {"loss": [], "accuracy": []}, 0, len(batches) * len(batches[0])
    for epoch, order in enumerate(batches):
        focus, figures = float(strength_after(np.array(history["loss"]))), []
        for batch in order:
            *numbers, row = step(tokens[batch], labels[batch], tf.constant(focus, tf.float32))
            figures.append([float(number) for number in numbers])
            done += 1
            if on_batch:
                logs = dict(zip(history, figures[-1], strict=True))
                on_batch(done, total, logs | {"row": row.numpy(), "focus": focus})
        for values, mean in zip(history.values(), np.mean(figures, axis=0), strict=True):
            values.append(float(mean))
        if on_epoch:
            on_epoch(epoch, {name: values[-1] for name, values in history.items()})
    return history


def _step_of(model, optimizer, reward):
    """Return a function that takes one step on a batch and returns the loss, the accuracy and the mean [CLS] row.

    It is traced once per training: for so small a model, tracing takes half of the time.
    """
    model_and_weights = keras.Model(model.input, [model.output, attention_scores_of(model)])
    variables = model.trainable_variables
    optimizer.build(variables)

    @tf.function(autograph=False, jit_compile=False)
    def step(tokens, label, focus):
        with tf.GradientTape() as tape:
            probability, weights = model_and_weights(tokens)  # (batch, 1), (batch, 1 head, n, n)
            probability, row = probability[:, 0], weights[:, 0, 0]  # (batch,), (batch, n): where [CLS] looks
            entropy = tf.reduce_mean(keras.losses.binary_crossentropy(label, probability))
            total = entropy - focus * call_reward(reward, tf.maximum(row, 1e-9))  # a weight of 0 has no logarithm
        # Dense: with sparse rows of the embedding, as Keras gives them, the same recipe learned later,
        # and on 4 of 60 settings [CLS] settled on a wrong position.
        gradients = [tf.convert_to_tensor(gradient) for gradient in tape.gradient(total, variables)]
        optimizer.apply(gradients, variables)
        right = tf.reduce_mean(tf.cast((probability >= 0.5) == (label == 1), tf.float32))
        return entropy, right, tf.reduce_mean(row, axis=0)

    return step


def predict(model: keras.Model, tokens: Array["n, seq_len"]) -> Array["n"]:
    """Return the probability of label 1 for each sentence, float32."""
    return keras.ops.convert_to_numpy(model(_tokens_for(model, tokens)))[:, 0]


def cls_weights(model: keras.Model, tokens: Array["n, seq_len"]) -> Array["n, seq_len"]:
    """Return where [CLS] looks: one row of weights for each sentence, which sums to 1."""
    return attention_weights(model, tokens)[:, 0]


def attention_weights(model: keras.Model, tokens: Array["n, seq_len"]) -> Array["n, seq_len, seq_len"]:
    """Return where every token looks, queries on the rows.

    The model may be the student's: it needs one layer of MultiHeadAttention, called with return_attention_scores=True.
    Raises ValueError for tokens that the model was not built for, and for a model without such a layer.
    """
    tokens, weights = _tokens_for(model, tokens), attention_scores_of(model)  # (n, 1 head, seq_len, seq_len)
    return keras.ops.convert_to_numpy(keras.Model(model.input, weights)(tokens))[:, 0]


def attention_scores_of(model: keras.Model) -> keras.KerasTensor:
    """Return the weights of a model's attention, (batch, 1 head, seq_len, seq_len), as a symbolic tensor."""
    layers = [layer for layer in model.layers if isinstance(layer, keras.layers.MultiHeadAttention)]
    if len(layers) != 1 or not isinstance(layers[0].output, tuple | list):
        names = [type(layer).__name__ for layer in model.layers]
        raise wrong("model", names, "one layer of MultiHeadAttention, called with return_attention_scores=True")
    return layers[0].output[1]


def _tokens_for(model, tokens):
    seq_len = model.input_shape[-1]
    return as_tokens(tokens, by_name(model.weights, seq_len)["tokens"].shape[0], seq_len)
