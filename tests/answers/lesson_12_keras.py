"""Answers to the exercises in Keras of lesson 12. Keras is imported when the first of them is asked for."""

from answers import Later, keras, tf


def embedding(call):
    """A layer with two tables, and this way to put them together."""

    def make():
        class PositionalEmbedding(keras.layers.Layer):
            def __init__(self, vocab_size, seq_len, d_model):
                super().__init__()
                self.tokens = keras.layers.Embedding(vocab_size, d_model)
                self.positions = keras.layers.Embedding(seq_len, d_model)

            def call(self, token_ids):
                return call(self, token_ids, keras.ops.arange(token_ids.shape[1]))

        return PositionalEmbedding

    return Later(make)


def positions_first():
    class PositionalEmbedding(keras.layers.Layer):
        def __init__(self, vocab_size, seq_len, d_model, **options):
            super().__init__(**options)
            self.pos = keras.layers.Embedding(seq_len, d_model)
            self.tok = keras.layers.Embedding(vocab_size, d_model)

        def call(self, tok_ids):
            return self.pos(tf.range(tf.shape(tok_ids)[1])) + self.tok(tok_ids)

    return PositionalEmbedding


def own_table():
    class PositionalEmbedding(keras.layers.Layer):
        def __init__(self, vocab_size, seq_len, d_model):
            super().__init__()
            self.table = keras.layers.Embedding(vocab_size, d_model)
            self.places = self.add_weight(shape=(seq_len, d_model), name="places")

        def call(self, ids):
            return keras.ops.add(self.table(ids), self.places)

    return PositionalEmbedding


def attention(heads=1, key_dim=None, inputs=lambda query, value: (query, value), order=1, call=None, **made):
    """An attend with one thing done in another way."""

    def attend(query, value, d_model):
        layer = keras.layers.MultiHeadAttention(
            heads(d_model) if callable(heads) else heads, key_dim(d_model) if key_dim else d_model, **made
        )
        return layer(*inputs(query, value), return_attention_scores=True, **(call or {}))[::order]

    return attend


def by_hand(axis):
    def attend(query, value, d_model):
        Dense, ops = keras.layers.Dense, keras.ops
        Q, K, V = (
            Dense(d_model, name=name)(X) for name, X in (("query", query), ("key", value), ("value", value))
        )  # (batch, n, d_model)
        weights = ops.softmax(Q @ ops.transpose(K, (0, 2, 1)) / d_model**0.5, axis=axis)
        return Dense(d_model, name="attention_output")(weights @ V), weights[:, None]

    return attend


def attend_in_steps(query, value, d_model):
    layer = keras.layers.MultiHeadAttention(num_heads=1, key_dim=d_model, value_dim=d_model, output_shape=d_model)
    output, scores = layer(query=query, value=value, key=value, return_attention_scores=True)
    return [output, scores]


def norm(X, epsilon=1e-6, **made):
    return keras.layers.LayerNormalization(epsilon=epsilon, **made)(X)


def norm_by_its_own_lines(X, output):
    total = keras.layers.Add()([X, output])
    layer = keras.layers.LayerNormalization(axis=-1, epsilon=0.000001, name="mine")
    return layer(total)


JOINS = {
    "residual-missing": lambda X, output: norm(output),
    "residual-only": lambda X, output: norm(X),
    "norm-missing": lambda X, output: X + output,
    "norm-before-sum": lambda X, output: X + norm(output),
    "norm-before-sum ": lambda X, output: norm(X) + output,
    "residual-multiplied": lambda X, output: norm(X * output),
}
SIZES = {
    "attention-heads": attention(heads=2),
    "attention-heads ": attention(heads=2, key_dim=lambda d_model: d_model // 2),
    "attention-sizes-swapped": attention(heads=lambda d_model: d_model, key_dim=lambda d_model: 1),
    "attention-key-dim": attention(key_dim=lambda d_model: 1),
    "attention-key-dim ": attention(key_dim=lambda d_model: 8),
    "attention-key-dim  ": attention(key_dim=lambda d_model: 2 * d_model),
    "attention-no-bias": attention(use_bias=False),
    "softmax-axis": by_hand(axis=1),
}


def both(self, ids, places):
    return self.tokens(ids) + self.positions(places)


def model(
    embed=both,
    attend=attention(),  # noqa: B008
    join=lambda X, output: norm(X + output),
    row=lambda X: X[:, 0],
    squash="sigmoid",
    sizes=lambda *sizes: sizes,
    batch=None,
):
    """A build_model with one part done in another way."""

    def build_model(vocab_size, seq_len, d_model):
        vocab_size, seq_len, d_model = sizes(vocab_size, seq_len, d_model)
        tokens = keras.Input((seq_len,), dtype="int32", batch_size=batch)
        X = embedding(embed).made()(vocab_size, seq_len, d_model)(tokens)
        X = join(X, attend(X, X, d_model)[0])
        return keras.Model(tokens, keras.layers.Dense(1, activation=squash)(row(X)))

    return build_model


def model_of_the_course(vocab_size=51, seq_len=7, d_model=8):
    from course_utils.cls_model import build_classifier

    return build_classifier(vocab_size, seq_len, d_model)


def model_in_pieces(vocab_size=51, seq_len=7, d_model=8):
    tokens = keras.Input(shape=(seq_len,))
    X = positions_first()(vocab_size, seq_len, d_model)(tokens)
    found, _ = attend_in_steps(X, X, d_model)
    cls = norm_by_its_own_lines(X, found)[:, 0, :]
    z = keras.layers.Dense(units=1)(cls)
    return keras.Model(inputs=tokens, outputs=keras.layers.Activation("sigmoid")(z))


def compiled(optimizer="adam", loss="binary_crossentropy", metrics=("accuracy",)):
    def compile_model(model):
        chosen = [part() if callable(part) else part for part in (optimizer, loss)]
        model.compile(optimizer=chosen[0], loss=chosen[1], metrics=list(metrics) if metrics else None)
        return model

    return compile_model


def compiled_with_objects(model):
    accuracy = keras.metrics.BinaryAccuracy(name="accuracy")
    model.compile(keras.optimizers.Adam(learning_rate=1e-3), keras.losses.BinaryCrossentropy(), metrics=[accuracy])
    return model


def compiled_copy(model):
    return compiled()(keras.models.clone_model(model))


NORM, JOIN = keras.layers.LayerNormalization(epsilon=1e-6), keras.layers.Add()


def normed_outside(X, output):
    return NORM(JOIN([X, output]))


def adam(rate):
    return lambda: keras.optimizers.Adam(rate)


RIGHT = {
    "positional_embedding": [
        embedding(both),
        Later(positions_first),
        Later(own_table),
        embedding(lambda self, ids, places: self.positions(places)[None] + self.tokens(ids)),
    ],
    "attend": [attention(), attend_in_steps, by_hand(axis=-1), attention(dropout=0.0, name="look")],
    "add_and_norm": [
        lambda X, output: norm(X + output),
        norm_by_its_own_lines,
        lambda X, output: keras.layers.LayerNormalization(epsilon=1e-6)(keras.ops.add(output, X)),
    ],
    "build_model": [
        model(),
        model_of_the_course,
        model_in_pieces,
        model(row=lambda X: keras.layers.Flatten()(X[:, :1])),
    ],
    "compile_model": [
        compiled(),
        compiled_with_objects,
        compiled(metrics=("binary_accuracy",), optimizer="Adam"),
        compiled(metrics=("mse", "acc")),
    ],
}
WRONG = {
    "positional_embedding": [
        ("not-a-function", lambda vocab_size, seq_len, d_model: vocab_size),
        ("raises", embedding(lambda self, ids, places: self.tokens(ids) + self.places)),
        ("returns-first-only", embedding(lambda self, ids, places: both(self, ids, places)[0])),
    ],
    "attend": [
        *((ids.strip(), answer) for ids, answer in SIZES.items()),
        ("returns-too-few", lambda query, value, d_model: keras.layers.MultiHeadAttention(1, d_model)(query, value)),
    ],
    "add_and_norm": [
        *((ids.strip(), answer) for ids, answer in JOINS.items()),
        ("keras-layer-outside", normed_outside),
    ],
    "build_model": [
        *((ids.strip(), model(attend=answer)) for ids, answer in SIZES.items()),
        *((ids.strip(), model(join=answer)) for ids, answer in JOINS.items()),
        ("shape", model(batch=32)),
        ("prints-only", lambda vocab_size, seq_len, d_model: print(model()(vocab_size, seq_len, d_model))),
    ],
    "compile_model": [
        *(("optimizer-rate", compiled(optimizer=adam(rate))) for rate in (0.0001, 0.0003, 0.0005, 0.002, 0.003, 0.005)),
        *(("optimizer-rate", compiled(optimizer=adam(rate))) for rate in (0.01, 0.02, 0.05, 0.1, 1.0)),
        ("model-another", compiled_copy),
        ("returns-nothing", lambda model: model.compile("adam", loss="binary_crossentropy", metrics=["accuracy"])),
    ],
}  # fmt: skip
