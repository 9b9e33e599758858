"""The Keras classifier that answers from [CLS]: building, training, looking. The only module that imports keras."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # both before keras: TensorFlow reads them once, on import
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import keras
import numpy as np

from course_utils.arguments import wrong
from course_utils.cls_task import check_labels


@keras.saving.register_keras_serializable("course_utils")
class TokenAndPositionEmbedding(keras.layers.Layer):
    """The sum of a learned vector for each token and a learned vector for each position: (n, seq_len, d_model)."""

    def __init__(self, vocab_size, seq_len, d_model, **kwargs):
        super().__init__(**kwargs)
        self.vocab_size, self.seq_len, self.d_model = vocab_size, seq_len, d_model
        self.tokens = keras.layers.Embedding(vocab_size, d_model, name="tokens")
        self.positions = keras.layers.Embedding(seq_len, d_model, name="positions")

    def build(self, input_shape):
        self.tokens.build(input_shape)
        self.positions.build((self.seq_len,))

    def call(self, tokens):
        return self.tokens(tokens) + self.positions(keras.ops.arange(self.seq_len))

    def get_config(self):
        sizes = {"vocab_size": self.vocab_size, "seq_len": self.seq_len, "d_model": self.d_model}
        return super().get_config() | sizes


def build_classifier(vocab_size=51, seq_len=7, d_model=8, *, seed=0) -> keras.Model:
    """Build the smallest Transformer that can read one position: one head, one layer, one sigmoid on [CLS].

    Tokens (n, seq_len), [CLS] included, become probabilities (n, 1). One seed gives the same first weights.
    Source: the self-attention example that the course follows; 777 weights with the default sizes.

    >>> build_classifier().count_params()
    777
    """
    keras.utils.set_random_seed(seed)
    tokens = keras.Input((seq_len,), dtype="int32", name="tokens_in")
    X = TokenAndPositionEmbedding(vocab_size, seq_len, d_model, name="embedding")(tokens)
    self_attn = keras.layers.MultiHeadAttention(num_heads=1, key_dim=d_model, name="self_attn")
    output, _ = self_attn(X, X, return_attention_scores=True)  # Q, K and V all come from X
    X = keras.layers.LayerNormalization(epsilon=1e-6, name="norm")(X + output)
    probability = keras.layers.Dense(1, activation="sigmoid", name="answer")(X[:, 0])  # position 0 is [CLS]
    return keras.Model(tokens, probability, name="cls_classifier")


def train(model, task, *, epochs=10, batch_size=32, learning_rate=1e-3, seed=0, on_epoch=None) -> dict:
    """Fit the model to a task, in place, and return {"loss": [...], "accuracy": [...]}, one figure an epoch.

    The defaults are the source's recipe: Adam, 1e-3, batches of 32, 10 epochs. One seed gives one order of the batches.
    `on_epoch(epoch, logs)` is called after each epoch, so that a lesson can draw while the model learns.
    Raises ValueError for tokens the model was not built for and for labels of one class.
    """
    tokens = _tokens_for(model, task.tokens)
    check_labels(task.labels)
    model.compile(
        optimizer=keras.optimizers.Adam(learning_rate),
        loss="binary_crossentropy",
        metrics=["accuracy"],
        jit_compile=False,
    )
    keras.utils.set_random_seed(seed)
    draw = [keras.callbacks.LambdaCallback(on_epoch_end=on_epoch)] if on_epoch else []
    fitted = model.fit(tokens, task.labels, batch_size, epochs, verbose=0, callbacks=draw)
    return fitted.history


def predict(model, tokens) -> np.ndarray:
    """Return the probability of label 1 for each sentence: tokens (n, seq_len) become (n,), float32."""
    return keras.ops.convert_to_numpy(model(_tokens_for(model, tokens)))[:, 0]


def cls_weights(model, tokens) -> np.ndarray:
    """Return where [CLS] looks: tokens (n, seq_len) become weights (n, seq_len), and each row sums to 1."""
    return attention_weights(model, tokens)[:, 0]


def attention_weights(model, tokens) -> np.ndarray:
    """Return where every token looks: tokens (n, seq_len) become weights (n, seq_len, seq_len), queries on the rows."""
    _, weights = model.get_layer("self_attn").output  # (n, 1 head, seq_len, seq_len)
    reader = keras.Model(model.input, weights)
    return keras.ops.convert_to_numpy(reader(_tokens_for(model, tokens)))[:, 0]


def _tokens_for(model, tokens):
    tokens, embedding = np.asarray(tokens), model.get_layer("embedding")
    wanted = f"(n, {embedding.seq_len}), whole numbers 0..{embedding.vocab_size - 1}, as the model was built for"
    if tokens.ndim != 2 or tokens.shape[1] != embedding.seq_len or tokens.dtype.kind not in "iu" or not tokens.size:
        raise wrong("tokens", tokens, wanted)
    if tokens.min() < 0 or tokens.max() >= embedding.vocab_size:
        raise wrong("tokens", tokens, f"{wanted}; these reach from {tokens.min()} to {tokens.max()}")
    return tokens.astype("int32")
