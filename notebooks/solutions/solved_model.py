"""The solutions in Keras, as my_model.py would hold them. Derived: nox -s build."""


import keras


from keras import layers


class PositionalEmbedding(layers.Layer):
    def __init__(self, vocab_size, seq_len, d_model):
        super().__init__()
        self.tokens = layers.Embedding(vocab_size, d_model)
        self.positions = layers.Embedding(seq_len, d_model)

    def call(self, token_ids):
        places = keras.ops.arange(token_ids.shape[1])  # (n,)
        return self.tokens(token_ids) + self.positions(places)  # (batch, n, d_model)


def attend(query, value, d_model):
    attention = layers.MultiHeadAttention(num_heads=1, key_dim=d_model, name="self_attn")
    return attention(query, value, return_attention_scores=True)


def build_model(vocab_size=51, seq_len=7, d_model=8):
    tokens = keras.Input((seq_len,), dtype="int32")
    X = PositionalEmbedding(vocab_size, seq_len, d_model)(tokens)  # (batch, n, d_model)
    output, _ = attend(X, X, d_model)  # queries, keys and values all come from X
    X = layers.LayerNormalization(epsilon=1e-6)(X + output)  # sum, then norm
    answer = layers.Dense(1, activation="sigmoid")(X[:, 0])  # row 0 is [CLS]: (batch, 1)
    return keras.Model(tokens, answer)


def compile_model(model):
    model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
    return model


def look_reward(weights):
    favourite = keras.ops.argmax(keras.ops.mean(weights, axis=0))  # one place for the whole batch
    on_it = keras.ops.take(weights, favourite, axis=1)  # (batch,)
    return keras.ops.mean(keras.ops.log(on_it))


def set_reward(weights, n_places):
    _, favourites = keras.ops.top_k(keras.ops.mean(weights, axis=0), n_places)  # (n_places,)
    taken = keras.ops.take(weights, favourites, axis=1)  # (batch, n_places)
    together = keras.ops.sum(taken, axis=1)  # (batch,)
    return keras.ops.mean(keras.ops.log(together))
