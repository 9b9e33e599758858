"""What a student reads when Keras or the course itself stops: one sentence in plain words, and the id of a mistake."""

import pytest
from good_texts import faults_of

from course_utils.checks import check
from course_utils.checks.exercises import COURSE


def reason_of(kind, message):
    text, id = COURSE.reasons.of(f"{kind}\n{message}\n")
    return text.removeprefix(f"Your function stops with {kind}. "), id


def test_each_error_that_names_a_mistake_has_the_words_of_one():
    ids = {id for *_, id in COURSE.reasons.entries if id}
    assert len(ids) > 20 and ids <= COURSE.mistakes.keys()


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        (
            "Could not infer. Error encountered: Only input tensors may be passed as positional arguments. "
            "The following argument value should be passed as a keyword argument: 5 (of type <class 'int'>)",
            "A layer is called with an array or a tensor, but there it gets a whole number.",
        ),
        (
            "Could not infer. Error encountered: 'Embedding' object is not subscriptable",
            "Square brackets pick out a part, but there they come after an Embedding: a layer has no parts, "
            "but the result of calling the layer has.",
        ),
        ("{{function_node x}} no tea [Op:Tea] name: t", "No tea."),
    ],
)
def test_what_keras_puts_round_a_message_is_taken_off(inside, said):
    message = f"Exception encountered when calling A.call(). \x1b[1m{inside}\x1b[0m Arguments received"
    assert reason_of("ValueError", message)[0] == said


def embedded(call):
    """A PositionalEmbedding of lesson 12 with this call; `keras` is imported by the tests that need it."""
    from course_utils.models.cls_model import keras

    class PositionalEmbedding(keras.layers.Layer):
        def __init__(self, vocab_size, seq_len, d_model):
            super().__init__()
            self.tokens = keras.layers.Embedding(vocab_size, d_model)
            self.positions = keras.layers.Embedding(seq_len, d_model)

        def call(self, ids):
            return call(self.tokens(ids), self.positions, ids, keras.ops)

    return PositionalEmbedding


IN_KERAS = [  # what stands for the last line of the layer, the id, and what is said of it
    (
        lambda X, P, ids, ops: X + P(ids.shape[1]),
        "keras-input-kind",
        "A layer is called with an array or a tensor, but there it gets a whole",
    ),
    (lambda X, P, ids, ops: X + P(ops.arange(7)), "raises", "An axis of length 5 meets an axis of length 7 there"),
    (
        lambda X, P, ids, ops: ops.concatenate([X, P(ops.arange(ids.shape[1]))[None]], axis=-1),
        "raises",
        "The shapes (5, 5, 3) and (1, 5, 3) do not fit together there.",
    ),
    (
        lambda X, P, ids, ops: X + ops.arange(ids.shape[1])[:, None],
        "keras-ids-as-numbers",
        "Whole numbers meet numbers with decimals there",
    ),
    (
        lambda X, P, ids, ops: X + P[:5],
        "keras-layer-uncalled",
        "Square brackets pick out a part, but there they come after an Embedding",
    ),
]


@pytest.mark.parametrize(("call", "id", "said"), IN_KERAS)
def test_an_error_inside_a_layer_is_said_in_one_sentence(call, id, said):
    verdict = check("positional_embedding", embedded(call))
    assert verdict.mistakes == (id,)
    assert verdict.message.startswith("Your layer stops with ") and said in verdict.message, verdict
    assert faults_of(verdict.message) == []


def test_metrics_in_the_place_of_loss_weights_are_said():
    def compile_model(model):
        model.compile("adam", "binary_crossentropy", ["accuracy"])
        return model

    verdict = check("compile_model", compile_model)
    assert verdict.mistakes == ("keras-metrics-unnamed",) and "Your function stops" in verdict.message, verdict
    assert faults_of(verdict.message) == []
