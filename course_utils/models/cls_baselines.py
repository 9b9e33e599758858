"""Two models without attention for the same task, to compare with: an average of all tokens, a recurrent network."""

import keras

from course_utils.arrays.arguments import as_count
from course_utils.models.cls_model import PositionalEmbedding
from course_utils.models.cls_reader import EPSILON


def build_mean_pooling(vocab_size: int = 51, seq_len: int = 7, d_model: int = 8, *, seed: int = 0) -> keras.Model:
    """Build a model that averages the vectors of all tokens, positions included, and reads the answer from the average.

    Tokens (n, seq_len) become probabilities (n, 1). `cls_model.train` and `cls_model.predict` take it.
    Raises ValueError unless vocab_size and seq_len are whole numbers of at least 2, and d_model one of at least 1.

    >>> build_mean_pooling().count_params()
    489
    """
    tokens, X = _embedded(vocab_size, seq_len, d_model, True, seed)  # X: (n, seq_len, d_model)
    average = keras.layers.LayerNormalization(epsilon=EPSILON, name="norm")(keras.ops.mean(X, axis=1))  # (n, d_model)
    return keras.Model(tokens, _answer(average), name="mean_pooling")


def build_recurrent(vocab_size: int = 51, seq_len: int = 7, d_model: int = 8, *, seed: int = 0) -> keras.Model:
    """Build a model that reads token after token into a memory of d_model numbers, and answers from the last memory.

    Tokens (n, seq_len) become probabilities (n, 1). It needs no position vectors: it reads in order.
    `cls_model.train` and `cls_model.predict` take it.
    Raises ValueError unless vocab_size and seq_len are whole numbers of at least 2, and d_model one of at least 1.

    >>> build_recurrent().count_params()
    553
    """
    tokens, X = _embedded(vocab_size, seq_len, d_model, False, seed)  # X: (n, seq_len, d_model)
    # Unrolled: seven steps are traced faster than a loop.
    memory = keras.layers.SimpleRNN(d_model, unroll=True, name="memory")(X)  # (n, d_model)
    return keras.Model(tokens, _answer(memory), name="recurrent")


def _embedded(vocab_size, seq_len, d_model, positions, seed):
    vocab_size, seq_len = as_count("vocab_size", vocab_size, least=2), as_count("seq_len", seq_len, least=2)
    d_model = as_count("d_model", d_model, least=1)
    keras.utils.set_random_seed(as_count("seed", seed, least=0))
    tokens = keras.Input((seq_len,), dtype="int32", name="tokens_in")
    return tokens, PositionalEmbedding(vocab_size, seq_len, d_model, positions, name="embedding")(tokens)


def _answer(vector):
    return keras.layers.Dense(1, activation="sigmoid", name="answer")(vector)
