"""The Keras model that writes, one token after another: building, training, weights as plain arrays."""

from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

from course_utils.arrays.arguments import as_count, as_real, as_tokens, wrong
from course_utils.arrays.shapes import Array
from course_utils.attention import causal_mask, sinusoidal_positions
from course_utils.models.writer_reader import EPSILON, N_BLOCKS, Writer, from_arrays
from course_utils.tasks.review_task import PAD, SEQ_LEN
from course_utils.tasks.writer_task import WORDS

N_WORDS = len(WORDS)
N_POSITIONS = SEQ_LEN - 1  # the model predicts the next token after each token of a row but the last
SPREAD = 2.0  # the size of the position vectors, and of the token vectors before training

# Decided on seeds 10 to 12, measured on seeds 0 to 9 (workshop/studies/writer_study.py).
# In the first part of the steps the model gets only the shortest rows, then longer and longer ones.
RECIPE = {"steps": 2000, "batch_size": 128, "learning_rate": 1.5e-2, "short_first": 0.3}
WARM_UP = 0.05  # the share of the steps in which the rate grows from 0; then it falls along a cosine
EPOCHS = 10  # parts of a training: `on_epoch` is called after each


def build_writer(
    n_words: int = N_WORDS,
    n_positions: int = N_POSITIONS,
    d_model: int = 48,
    n_heads: int = 4,
    d_wide: int = 96,
    *,
    causal: bool = True,
    seed: int = 0,
) -> keras.Model:
    """Build two blocks: tokens (n, n_positions) become scores of the next token, (n, n_positions, n_words).

    The norm stands before each part of a block, and once more before the scores. Positions are sinusoids;
    they are not learned. causal=False leaves out the mask: then a row can read the tokens that it has to predict.
    One seed gives the same first weights.
    Raises ValueError for sizes below 1, and for heads that do not divide d_model.
    Source: Radford et al. 2019, section 2.3, for the blocks; Vaswani et al. 2017, section 3.5, for the positions.

    >>> build_writer().count_params()
    43355
    """
    n_words, n_positions = as_count("n_words", n_words), as_count("n_positions", n_positions)
    d_model, d_wide = as_count("d_model", d_model), as_count("d_wide", d_wide)
    if d_model % as_count("n_heads", n_heads):
        raise wrong("n_heads", n_heads, f"a number that divides d_model = {d_model}")
    keras.utils.set_random_seed(as_count("seed", seed, least=0))
    mask = causal_mask(n_positions) if causal else np.ones((n_positions, n_positions), bool)
    tokens = keras.Input((n_positions,), dtype="int32", name="tokens_in")
    start = keras.initializers.RandomUniform(-SPREAD, SPREAD)
    X = keras.layers.Embedding(n_words, d_model, start, name="tokens")(tokens) + positions(n_positions, d_model)
    for layer in range(N_BLOCKS):
        X = _block(X, n_heads, d_wide, mask, layer)  # (n, n_positions, d_model)
    scores = keras.layers.Dense(n_words, name="next")(_norm(X, "norm"))
    model = keras.Model(tokens, scores, name="writer")
    model.n_heads = n_heads  # cannot be read from the arrays of the model
    return model


def positions(n: int, d_model: int) -> Array["n, d_model"]:
    """Return the position vectors of a writer, float32: sinusoids as large as its first token vectors."""
    return (SPREAD * sinusoidal_positions(n, d_model)).astype("float32")


def _block(X, n_heads, d_wide, mask, layer):
    sizes = {"n_heads": n_heads, "n_kv_heads": n_heads, "d_k": X.shape[-1] // n_heads}
    X = X + attend(_norm(X, f"norm_{layer}_0"), mask, layer, **sizes)
    wide = keras.layers.Dense(d_wide, "gelu", name=f"in_{layer}")(_norm(X, f"norm_{layer}_1"))
    return X + keras.layers.Dense(X.shape[-1], name=f"out_{layer}")(wide)


def _norm(X, name):
    return keras.layers.LayerNormalization(epsilon=EPSILON, name=name)(X)


def attend(
    X: keras.KerasTensor, mask: Array["n, n"], layer: int, *, n_heads: int, n_kv_heads: int, d_k: int
) -> keras.KerasTensor:
    """Let each token look where the mask allows it: X and the result are (batch, n, d_model).

    n_kv_heads: heads of keys and values; neighbouring query heads share one. layer: goes into the names of the weights.
    Four dense layers and not a layer of Keras for attention, whose kernels have three axes,
    while the optimizer below needs matrices.
    Raises ValueError for n_kv_heads that do not divide n_heads.
    Source: Vaswani et al. 2017, section 3.2.2; Ainslie et al. 2023 for shared key heads.

    >>> attend(keras.Input((3, 8)), causal_mask(3), 0, n_heads=4, n_kv_heads=1, d_k=2).shape
    (None, 3, 8)
    """
    if n_heads % as_count("n_kv_heads", n_kv_heads):
        raise wrong("n_kv_heads", n_kv_heads, f"a number that divides n_heads = {n_heads}")
    n, d_model = X.shape[1:]

    def heads(letter, count):
        flat = keras.layers.Dense(count * d_k, use_bias=False, name=f"{letter}_{layer}")(X)
        cut = keras.ops.transpose(keras.ops.reshape(flat, (-1, n, count, d_k)), (0, 2, 1, 3))
        return keras.ops.repeat(cut, n_heads // count, axis=1)

    Q, K, V = heads("Q", n_heads), heads("K", n_kv_heads), heads("V", n_kv_heads)  # (batch, n_heads, n, d_k)
    scores = keras.ops.matmul(Q, keras.ops.transpose(K, (0, 1, 3, 2))) * d_k**-0.5
    weights = keras.ops.softmax(scores + np.where(mask, 0, -1e9).astype("float32"))  # (batch, n_heads, n, n)
    mixed = keras.ops.transpose(keras.ops.matmul(weights, V), (0, 2, 1, 3))  # (batch, n, n_heads, d_k)
    mixed = keras.ops.reshape(mixed, (-1, n, n_heads * d_k))
    return keras.layers.Dense(d_model, use_bias=False, name=f"O_{layer}")(mixed)


def train(
    model: keras.Model,
    rows: Array["n, n_positions + 1"],
    *,
    steps: int,
    batch_size: int,
    learning_rate: float,
    short_first: float,
    seed: int = 0,
    on_epoch: Callable | None = None,
) -> list[float]:
    """Fit the model to rows of tokens, in place; `train(model, rows, **RECIPE)`.

    short_first: in this share of the steps, batches come from the shortest rows, at first the shortest 2 in 100,
    in the end all. `on_epoch(epoch, {"loss": ...})` is called after every steps // EPOCHS steps, EPOCHS times.
    One seed gives one order of the batches. The loss leaves out the padding.
    Raises ValueError for rows that do not fit the model, for fewer than EPOCHS steps and for an empty batch.
    Returns the mean loss of each of the EPOCHS, in nats per word.
    """
    n_words, n_tokens = model.output_shape[-1], model.input_shape[-1] + 1
    rows = as_tokens(rows, n_words, n_tokens)
    steps, batch_size = as_count("steps", steps, least=EPOCHS), as_count("batch_size", batch_size)
    learning_rate, short_first = as_real("learning_rate", learning_rate), as_real("short_first", short_first)
    keras.utils.set_random_seed(as_count("seed", seed, least=0))
    step, losses, epochs = _step_of(model), [], []
    for done, batch in _batches(rows, steps, batch_size, short_first, np.random.default_rng((seed, 1))):
        losses.append(float(step(tf.constant(rows[batch]), tf.constant(learning_rate * _warm(done), tf.float32))))
        if len(losses) == steps // EPOCHS and len(epochs) < EPOCHS:
            epochs.append(float(np.mean(losses)))
            losses = []
            if on_epoch:
                on_epoch(len(epochs) - 1, {"loss": epochs[-1]})
    return epochs


def _batches(rows, steps, batch_size, short_first, rng):
    """Yield, for each step, the share of the steps before it and the rows of its batch."""
    by_length = np.argsort((rows != PAD).sum(axis=1), kind="stable")  # (n,), the shortest first
    for number in range(steps):
        done = number / steps
        allowed = 1 if done >= short_first else 0.02 + 0.98 * (done / short_first) ** 2
        yield done, by_length[rng.integers(0, max(1, int(allowed * len(by_length))), batch_size)]


def _warm(done):
    fall = (done - WARM_UP) / (1 - WARM_UP)
    return done / WARM_UP if done < WARM_UP else 0.5 + 0.5 * np.cos(np.pi * fall)


def _step_of(model):
    """Return the function that takes one step on a batch, compiled once: XLA halves the time of a step."""
    variables = model.trainable_variables
    # Muon makes the step of a matrix equally large in all its directions, the rare ones too:
    # "this phrase was said already" is rare, and Adam learns it far later. Biases and gains follow Adam.
    optimizer = keras.optimizers.Muon(adam_beta_2=0.98, exclude_embeddings=False, weight_decay=0, adam_weight_decay=0)
    optimizer.build(variables)

    @tf.function(autograph=False, jit_compile=True)
    def step(rows, rate):
        optimizer.learning_rate.assign(rate)
        with tf.GradientTape() as tape:
            loss = _loss(rows[:, 1:], model(rows[:, :-1], training=True))
        gradients = [tf.convert_to_tensor(gradient) for gradient in tape.gradient(loss, variables)]
        optimizer.apply(gradients, variables)
        return loss

    return step


def _loss(targets, scores):
    """Return the mean cross-entropy of the next words, in nats; padding does not count. targets (n, n_positions)."""
    real = tf.cast(targets != PAD, tf.float32)  # (n, n_positions)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, scores)  # (n, n_positions)
    return tf.reduce_sum(losses * real) / tf.reduce_sum(real)


def on_one_row(model: keras.Model) -> Callable:
    """Return the model as a function of one row of vectors, (n_positions, n_words) -> (n_positions, n_words).

    A one-hot vector stands for a word; any other mixes the vectors of the words. It gives the scores after each word.

    >>> model = build_writer(n_words=5, n_positions=3, d_model=8, n_heads=2)
    >>> bool(np.allclose(on_one_row(model)(np.eye(5)[:3]), model(np.array([[0, 1, 2]]))[0], atol=1e-5))
    True
    """
    embedding = model.get_layer("tokens")
    rest = keras.Model(embedding.output, model.output)

    def scores_after(row):
        vectors = np.asarray(row, "float32") @ np.asarray(embedding.embeddings)  # (n_positions, d_model)
        return np.asarray(rest(vectors[None]))[0]

    return scores_after


def to_writer(model: keras.Model) -> Writer:
    """Return the weights of a trained model as plain arrays, for `writer_reader`."""
    variables = {variable.path: np.asarray(variable) for variable in model.weights}
    tokens = variables["tokens/embeddings"]  # (n_words, d_model)
    arrays = {"tokens": tokens, "positions": positions(model.input_shape[-1], tokens.shape[1])}
    arrays |= {"gain": variables["norm/gamma"], "bias": variables["norm/beta"]}
    arrays |= {"W_next": variables["next/kernel"], "b_next": variables["next/bias"]}
    for layer in range(N_BLOCKS):
        arrays |= {f"{layer}.W_{letter}": variables[f"{letter}_{layer}/kernel"] for letter in "QKVO"}
        for part in ("in", "out"):
            arrays |= {f"{layer}.W_{part}": variables[f"{part}_{layer}/kernel"]}
            arrays |= {f"{layer}.b_{part}": variables[f"{part}_{layer}/bias"]}
        for name, last in (("gains", "gamma"), ("biases", "beta")):
            arrays[f"{layer}.{name}"] = np.stack([variables[f"norm_{layer}_{part}/{last}"] for part in range(2)])
        arrays[f"{layer}.n_heads"] = np.asarray(model.n_heads)
    return from_arrays(arrays)
