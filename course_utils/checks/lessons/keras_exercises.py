"""The exercises in Keras of lesson 12: the classifier, part by part."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, fault
from course_utils.checks.lessons import keras_parts, keras_solutions
from course_utils.checks.lessons.keras_parts import normalised, softmax
from course_utils.checks.lessons.promised.text_12 import PROMISED
from course_utils.checks.lessons.shared import draw

RATES = (0.0001, 0.0003, 0.0005, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1, 1.0)
JOIN_FAULTS = (
    fault("residual-missing", join=lambda X, output, norm: norm(output())),
    fault("residual-only", join=lambda X, output, norm: norm(X)),
    fault("norm-missing", join=lambda X, output, norm: X + output()),
    fault("norm-before-sum", join=lambda X, output, norm: X + norm(output())),
    fault("norm-before-sum", join=lambda X, output, norm: norm(X) + output()),
    fault("residual-multiplied", join=lambda X, output, norm: norm(X * output())),
)
SIZE_FAULTS = (
    fault("attention-heads", sizes=lambda d_model: (2, d_model)),
    fault("attention-heads", sizes=lambda d_model: (2, d_model // 2)),
    fault("attention-sizes-swapped", sizes=lambda d_model: (d_model, 1)),
    fault("attention-key-dim", sizes=lambda d_model: (1, 1)),
    fault("attention-key-dim", "fixed", sizes=lambda d_model: (1, 8)),
    fault("attention-key-dim", sizes=lambda d_model: (1, 2 * d_model)),
    fault("attention-no-bias", biased=False),
    fault("softmax-axis", share=lambda scores: softmax(scores, axis=-2)),
)


def hidden_from_later(scores):
    """Weights under a causal mask."""
    later = np.triu(np.ones(scores.shape[-2:], bool), 1)
    return softmax(np.where(later, -np.inf, scores))


def ids(*shape, seed, below):
    return np.random.default_rng(seed).integers(0, below, shape)


def embedded(batch, n, vocab, d, seed):
    """The arguments of a probe: tokens below n too, so that a wrong look-up still gives numbers."""
    return ids(batch, n, seed=seed, below=min(n, vocab)), *draw((vocab, d), (n, d), seed=seed)


def only_those_of_the_task(*sizes):
    if sizes != (51, 7, 8):
        raise ValueError("a model of other sizes")


KERAS = (
    Exercise(
        name="positional_embedding",
        reference=keras_parts.positional_embedding,
        solution=keras_solutions.positional_embedding,
        arguments=("token_ids", "token_vectors", "position_vectors"),
        adapt="keras_answers.of_embedding",
        takes=("vocab_size", "seq_len", "d_model"),
        kind="class",
        course="cls_model.PositionalEmbedding",
        gives={"the vectors": "(batch, n, d_model)"},
        **PROMISED["positional_embedding"],
        allowed=lambda token_ids, tokens, positions: token_ids.max() < min(len(tokens), len(positions)),
        probes=(
            embedded(5, 5, 9, 3, seed=1),
            embedded(5, 5, 9, 3, seed=2),
            embedded(3, 4, 6, 5, seed=3),
        ),
        hint="The vector of a token is looked up by its id, the vector of a position by the number of the position.",
        faults=(
            fault("position-missing", places=lambda table, ids: 0),
            fault("position-only", add=lambda X, P: P),
            fault("position-only", look_up=lambda table, ids: np.zeros((*ids.shape, table.shape[1]))),
            fault(
                "position-by-token",
                places=lambda table, ids: table[ids],
            ),
            fault("position-axis", "positional_embedding", places=lambda table, ids: table[: len(ids)]),
            fault(
                "position-from-one",
                places=lambda table, ids: table[np.minimum(np.arange(ids.shape[1]) + 1, len(table) - 1)],
            ),
            fault("position-reversed", places=lambda table, ids: table[::-1]),
            fault("position-one-for-all", places=lambda table, ids: table[0]),
            fault("position-one-for-all", places=lambda table, ids: table[-1]),
            fault("position-multiplied", add=np.multiply),
            fault("position-subtracted", add=np.subtract),
        ),
    ),
    Exercise(
        name="attend",
        reference=keras_parts.attend,
        solution=keras_solutions.attend,
        arguments=("query", "value", "d_model", "weights"),
        adapt="keras_answers.of_attention",
        takes=("query", "value", "d_model"),
        course="cls_model.attend",
        gives={"the output": "(batch, n_query, d_model)", "the weights": "(batch, 1, n_query, n_value)"},
        **PROMISED["attend"],
        probes=(
            (*draw((3, 5, 4), (3, 5, 4), seed=1), 4, (1, 1.0)),
            (*draw((3, 5, 4), (3, 5, 4), seed=2), 4, (2, 1.0)),
            (*draw((2, 5, 6), (2, 3, 6), seed=3), 6, (3, 1.0)),
        ),
        hint="The layer needs two sizes when it is made, and two inputs when it is called.",
        faults=(
            fault("attend-swapped", roles=lambda query, value: (value, query)),
            fault("attend-one-input", roles=lambda query, value: (query, query)),
            fault("attend-one-input", roles=lambda query, value: (value, value)),
            *SIZE_FAULTS,
            fault("attend-causal", share=hidden_from_later),
            fault("attend-results-swapped", back=lambda output, scores: (scores, output)),
        ),
    ),
    Exercise(
        name="add_and_norm",
        reference=keras_parts.add_and_norm,
        solution=keras_solutions.add_and_norm,
        arguments=("X", "output", "gain", "shift"),
        adapt="keras_answers.of_norm",
        takes=("X", "output"),
        course="cls_model.add_and_norm",
        gives={"the vectors": "(batch, n, d_model)"},
        **PROMISED["add_and_norm"],
        probes=(
            draw((3, 4, 5), (3, 4, 5), 5, 5, seed=1),
            draw((3, 4, 5), (3, 4, 5), 5, 5, seed=2),
            tuple(
                size * part
                for size, part in zip((0.01, 0.01, 1, 1), draw((2, 3, 6), (2, 3, 6), 6, 6, seed=3), strict=True)
            ),
        ),
        hint="Take the sum first, and then the norm of the sum.",
        faults=(
            *JOIN_FAULTS,
            fault("norm-epsilon", norm=lambda S, gain, shift: normalised(S, gain, shift, epsilon=1e-3)),
            fault(
                "norm-epsilon", "other_library", norm=lambda S, gain, shift: normalised(S, gain, shift, epsilon=1e-5)
            ),
            fault(
                "norm-axis",
                norm=lambda S, gain, shift: normalised(
                    S, *(np.resize(v, (S.shape[1], 1)) for v in (gain, shift)), axis=1
                ),
            ),
            fault("norm-of-batch", norm=lambda S, gain, shift: S / np.sqrt(1 + 1e-3) * gain + shift),
        ),
    ),
    Exercise(
        name="build_model",
        reference=keras_parts.build_model,
        solution=keras_solutions.build_model,
        arguments=("vocab_size", "seq_len", "d_model", "weights"),
        adapt="keras_answers.of_model",
        returns="a model",
        takes=("vocab_size", "seq_len", "d_model"),
        course="cls_model.build_model",
        gives={"the probabilities": "(n, 1)", "the number of weights": "one number"},
        **PROMISED["build_model"],
        probes=((9, 5, 4, (1, 1.0)), (9, 5, 4, (2, 0.01)), (51, 7, 8, (3, 1.0))),
        hint="Compare your model's `summary()` with the list of parts, from the first to the last.",
        faults=(
            fault("sizes-fixed", fits=only_those_of_the_task),
            fault("position-missing", "build_model", places=lambda W, n, d: 0),
            *SIZE_FAULTS,
            *JOIN_FAULTS,
            fault("norm-epsilon", epsilon=1e-3),
            fault("norm-epsilon", "other_library", epsilon=1e-5),
            fault("answer-row", row=lambda X: X[:, -1]),
            fault("answer-row", row=lambda X: X[:, 1]),
            fault("answer-row", "position_4", row=lambda X: X[:, 4]),
            fault("answer-pooled", row=lambda X: X.mean(1)),
            fault("answer-pooled", row=lambda X: X.max(1)),
            fault("answer-pooled", row=lambda X: X.reshape(len(X), -1)),
            fault("answer-every-row", row=lambda X: X),
            fault("sigmoid-missing", squash=lambda z: z),
            fault("sigmoid-other", squash=lambda z: np.maximum(z, 0)),
            fault("sigmoid-other", squash=np.tanh),
            fault("sigmoid-softmax", squash=softmax),
        ),
    ),
    Exercise(
        name="compile_model",
        reference=keras_parts.compile_model,
        solution=keras_solutions.compile_model,
        arguments=("labels", "probabilities", "gradient"),
        adapt="keras_answers.of_compiling",
        returns="a model",
        takes=("model",),
        course="cls_model.compile_model",
        gives={"the loss": "one number", "the first step": "(3,)", "the accuracy": "one number"},
        **PROMISED["compile_model"],
        probes=(
            (np.array([1, 0, 1, 0, 1]), np.array([0.9, 0.2, 0.3, 0.6, 0.8]), np.array([1.0, -2.0, 4.0])),
            (np.array([0, 0, 1, 1, 1]), np.array([0.4, 0.7, 0.6, 0.2, 0.1]), np.array([-1.5, 3.0, 2.0])),
        ),
        hint="Three things are chosen here: the loss, the optimizer, and what is shown beside the loss.",
        faults=(
            fault("loss-squares", loss=lambda y, p: np.mean((y - p) ** 2)),
            fault("loss-absolute", loss=lambda y, p: np.mean(abs(y - p))),
            fault("loss-logits", loss=lambda y, p: np.mean(np.log1p(np.exp(p)) - y * p)),
            fault("loss-categorical", loss=lambda y, p: 0.0),
            fault("optimizer-other", step=lambda g: -10 * g),
            fault("optimizer-other", step=lambda g: -g / np.sqrt(0.1 * g**2 + 1e-7)),
            *(fault("optimizer-rate", step=lambda g, rate=rate: -1000 * rate * np.sign(g)) for rate in RATES),
            fault("metric-missing", shown=lambda y, p: -1.0),
        ),
    ),
)
