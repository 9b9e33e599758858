"""What a message says of the code stands in the code; where it does not, the numbers alone are said."""

import re

import numpy as np
import pytest
from answers import keras

from course_utils.attention import softmax
from course_utils.checks import check
from course_utils.checks.engine import search
from course_utils.checks.engine.edits import pairs_of
from course_utils.checks.engine.exercise import give
from course_utils.checks.engine.outcome import as_outcome
from course_utils.checks.engine.search import find_two_edits
from course_utils.checks.engine.source import code_of
from course_utils.checks.engine.words import can_be_shown
from course_utils.checks.exercises import exercise_of, feed_forward, layer_norm, multi_head

EXAMPLE = "Work it out by hand"


def squared_by_hand(scores):
    e = np.exp(scores)
    return e / np.linalg.norm(e)


def divided_by_the_sum(scores):
    return np.exp(scores) / scores.sum()


def first_words(lengths, n_keys):
    mask = np.zeros((len(lengths), 1, n_keys), dtype=bool)
    for b in range(len(lengths)):
        last = lengths[b] - 1
        if last >= 0:
            mask[b, 0, :last] = True
    return mask


def smaller_by_one(lengths, n_keys):
    return (np.arange(n_keys) < lengths[:, None] - 1)[:, None, :]


def cut_at_the_batch(X, P):
    return X + P[: len(X)]


def not_cut(X, P):
    return X + P


def norm_of_the_products(a, b):
    return a @ b / np.linalg.norm(a * b)


def sums_as_lengths(a, b):
    return a @ b / (abs(a).sum() * abs(b).sum())


@pytest.mark.parametrize(
    ("exercise", "said", "there", "elsewhere"),
    [
        ("softmax", "made from the sum of the scores", divided_by_the_sum, squared_by_hand),
        ("padding_mask", "The comparison seems", smaller_by_one, first_words),
        ("add_positions", "P was added as it is", not_cut, cut_at_the_batch),
        ("cosine", "The length of an arrow seems", sums_as_lengths, norm_of_the_products),
    ],
)
def test_a_sentence_about_the_code_is_said_where_the_code_holds_it(exercise, said, there, elsewhere):
    assert said in check(exercise, there).message
    message = check(exercise, elsewhere).message
    assert said not in message
    assert EXAMPLE in message or "Your function stops" in message


def columns_first(X, context, W_Q, W_K, W_V):
    Q, K, V = W_Q.T @ X.T, W_K.T @ context.T, W_V.T @ context.T
    return (V @ softmax(K.T @ Q / np.sqrt(Q.shape[1]), axis=0)).T


def first_axis(X, context, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, context @ W_K, context @ W_V
    return softmax(Q @ K.T / np.sqrt(Q.shape[0])) @ V


def minus_inside(w, b, X, labels, learning_rate):
    error = (1 / (1 + np.exp(-(X @ w - b))) - labels) / len(labels)
    return w - learning_rate * X.T @ error, b - learning_rate * error.sum()


def minus_outside(w, b, X, labels, learning_rate):
    error = (1 / (1 + np.exp(-(X @ w) + b)) - labels) / len(labels)
    return w - learning_rate * X.T @ error, b - learning_rate * error.sum()


def two_weights(scores):
    w = softmax(scores)
    return max(w) * max(1 - w)


def without_diagonal(scores):
    w = softmax(scores)
    return np.abs(w - np.outer(w, w)).max()


def twice_too_fast(n, d_model):
    dims = np.arange(d_model)
    angles = np.arange(n)[:, None] / 10000 ** (dims // 2 * 4 / d_model)
    return np.where(dims % 2 == 0, np.sin(angles), np.cos(angles))


def twice_in_a_loop(n, d_model):
    rows = []
    for t in range(n):
        row = []
        for i in range(0, d_model, 2):
            angle = t / 10000 ** (2 * i / d_model)
            row += [np.sin(angle), np.cos(angle)]
        rows.append(row[:d_model])
    return np.array(rows)


@pytest.mark.parametrize(
    ("exercise", "id", "there", "elsewhere"),
    [
        ("train_step", "edit-operator", minus_inside, minus_outside),
        ("softmax_gradient_size", "edit-left-out", without_diagonal, two_weights),
        ("sinusoidal_positions", "edit-constant", twice_too_fast, twice_in_a_loop),
    ],
)
def test_an_edit_is_said_where_the_code_holds_what_it_puts_there(exercise, id, there, elsewhere):
    assert check(exercise, there).mistakes == (id,)
    assert id not in check(exercise, elsewhere).mistakes


def test_the_axis_of_a_length_is_the_one_that_the_code_reads():
    assert "`Q.shape[0]`" not in check("cross_attention", columns_first).message


def head_is_no_norm(vocab_size, seq_len, d_model):
    tables = (vocab_size + 1 + seq_len) * d_model
    attention = 4 * (d_model * d_model + d_model)
    head = d_model + d_model
    return tables + attention + 2 * d_model + head


def test_one_number_that_happens_to_be_equal_holds_no_step():
    message = check("count_weights", head_is_no_norm).message
    assert "`attention` holds" in message
    assert "`head` holds" not in message


def without_the_first_sentence(tokens, position, target):
    labels = (tokens[:, position] == target).astype(int)
    labels[0] = 0
    return labels


def test_a_condition_is_said_only_where_it_is_the_reason():
    message = check("cls_labels", without_the_first_sentence).message
    assert message.startswith("Your function is right for most inputs, but not for all.")
    assert "when the position" not in message


def spoilt_by_an_empty_cache(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    right = exercise_of("block_step").reference
    output, keys, values = right(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V)
    return (output if len(K) else 2 * output), keys, values


def test_the_only_input_that_meets_a_condition_is_enough_to_name_it():
    message = check("block_step", spoilt_by_an_empty_cache).message
    assert message.startswith("Your function is right for ordinary inputs, but not when the cache is empty. With x of")


def test_a_length_that_never_changes_is_no_fixed_number_where_none_stands():
    verdict = check("good_output", lambda weights, V: np.array([weights @ V[:, 0], weights @ V[:, 1]]))
    assert "does a fixed number stand there?" in verdict.message
    verdict = check("good_output", lambda weights, V: np.zeros(len("ab")) + (weights @ V)[0])
    assert "for every input." in verdict.message
    assert "fixed number" not in verdict.message


def test_other_names_for_the_same_are_the_same():
    plain = code_of(lambda Q, K: Q @ K.T / np.sqrt(Q.shape[-1]), ("Q", "K"))
    other = code_of(lambda a, b: np.divide(np.matmul(a, b.T), np.sqrt(a.shape[1])), ("Q", "K"))
    assert ("MatMult", ("K",), ("Q",)) in plain.features
    assert {feature for feature in plain.features if feature[0] in ("MatMult", "Div", "sqrt", "T", "size of")} <= set(
        other.features
    )


def test_what_cannot_be_read_is_not_held_against_an_answer():
    assert code_of(max, ("a", "b")) is None
    assert code_of(eval("lambda scores: scores"), ("scores",)) is None
    unknown = np.linalg.norm
    assert code_of(lambda scores: scores / unknown(scores), ("scores",)) is None


def reward_in_numpy(weights):
    favourite = np.argmax(np.mean(weights, axis=0))
    return np.mean(np.log(weights[:, favourite]))


def test_a_reward_in_numpy_hears_what_loses_the_gradient():
    """The function gives a number to a student who tries it by hand, so no number of the check's own is told."""
    message = check("look_reward", reward_in_numpy).message
    assert "finished numbers" in message and EXAMPLE not in message


def reward_of_roots(weights):
    favourite = keras.ops.argmax(keras.ops.mean(weights, axis=0))
    return keras.ops.mean(keras.ops.sqrt(weights[:, favourite])) - 3


def test_a_reward_in_keras_is_worked_out_by_hand_as_any_other_function():
    said = f"{EXAMPLE} for weights = [[1]]: there your function gives -2, and that is not it."
    assert check("look_reward", reward_of_roots).message == said


def early_stopping(losses, focus):
    return focus if len(losses) and len(losses) - 1 - np.argmin(losses) >= 3 else 0


def test_no_message_says_never_where_a_promised_input_shows_that_it_is_not_so():
    message = check("patience", early_stopping).message
    assert message
    assert not re.search("never|no case|every input", message)


def returns_a_list_method(a, b):
    products = []
    return products.append(a @ b)


def returns_none_by_name(a, b):
    products = []
    total = products.append(a @ b)
    return total  # noqa: RET504


def forgets_the_return(a, b):
    total = a @ b
    total.sum()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (returns_a_list_method, "though it ends with `return products.append(a @ b)`: `products.append` itself gives"),
        (lambda a, b: [].append(a @ b), "gives back nothing: `[].append` itself gives back nothing."),
        (forgets_the_return, "gives back nothing. Is the return missing?"),
    ],
)
def test_a_return_is_missing_only_where_there_is_none(answer, said):
    verdict = check("dot_product", answer)
    assert verdict.mistakes == ("returns-nothing",)
    assert said in verdict.message
    assert "Is the return missing?" not in check("dot_product", returns_none_by_name).message


def writes_into_a_copy(tokens, at, one, other):
    new = tokens.copy()
    picked = new[np.arange(len(new)), at]
    picked[picked == one] = other
    return new


def chained(tokens, at, one, other):
    new = tokens.copy()
    new[np.arange(len(new)), at][tokens[:, 0] == one] = other
    return new


def reads_a_copy(tokens, at, one, other):
    new = tokens.copy()
    n = np.arange(len(tokens))
    picked = tokens[n, at]
    is_one = picked == one
    new[n, at] = np.where(is_one, other, one)
    return tokens


def writes_nothing_new(tokens, at, one, other):
    new = tokens.copy()
    new[:, 0] = tokens[:, 0]
    return new


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (writes_into_a_copy, "`picked = new[np.arange(len(new)), at]` makes a copy"),
        (chained, "`new[np.arange(len(new)), at]` makes a copy"),
        (reads_a_copy, "nothing in your function has changed them."),
        (writes_nothing_new, "nothing in your function has changed them."),
        (lambda tokens, at, one, other: tokens, "Does the return name the wrong thing?"),
    ],
)
def test_an_argument_that_comes_back_is_handed_on_or_has_not_changed(answer, said):
    verdict = check("swap", answer)
    assert verdict.mistakes == ("returns-argument",)
    assert said in verdict.message


def from_one(a, b):
    return sum(a[i] * b[i] for i in range(1, len(a)))


def without_the_first(a, b):
    return a[:] @ b[:] - a[0] * b[0]


def test_a_late_start_is_asked_for_where_something_starts_late():
    assert "start one step too late?" in check("dot_product", from_one).message
    message = check("dot_product", without_the_first).message
    assert message.startswith("Everything is right except at the beginning.")
    assert "too late" not in message


def with_settings(spoils):
    """The block of the course, spoilt for some settings."""
    right = exercise_of("block").reference

    def block(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
        X = right(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm, residual)
        return X + 1.5 * X[::-1] if spoils(norm, residual) else X

    return block


@pytest.mark.parametrize(
    ("spoils", "said"),
    [
        (
            lambda norm, residual: norm == "none",
            'Your answer is wrong with `norm="none"`, and right with all other settings that were tried.',
        ),
        (
            lambda norm, residual: norm == "after" and not residual,
            'Your answer is wrong with `norm="after"` and `residual=False`, '
            "and right with all other settings that were tried.",
        ),
        (
            lambda norm, residual: residual or norm == "after",
            'Your answer is wrong with `residual=True`, or with `norm="after"`, '
            "and right with all other settings that were tried.",
        ),
    ],
)
def test_the_settings_are_named_with_which_an_answer_is_wrong(spoils, said):
    verdict = check("block", with_settings(spoils))
    assert verdict.mistakes == ("only-some-inputs",)
    assert verdict.message.startswith(said)
    assert exercise_of("block").hint not in verdict.message


def test_an_error_with_one_setting_names_the_setting():
    def stops(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
        result = exercise_of("block").reference(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm, residual)
        return result if norm != "none" else result @ np.ones(99)

    verdict = check("block", stops)
    assert verdict.mistakes == ("raises-on-some",)
    assert 'It stops with `norm="none"`, and is right with all others that were tried.' in verdict.message


def without_a_bias(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
    inside = layer_norm(X, gains[0], biases[0]) if norm == "before" else X
    X = multi_head(inside, W[0], W[1], W[2], W[3], n_heads) + (X if residual else 0)
    X = layer_norm(X, gains[0], biases[0]) if norm == "after" else X
    inside = layer_norm(X, gains[1]) if norm == "before" else X
    X = feed_forward(inside, W_in, b_in, W_out, b_out) + (X if residual else 0)
    return layer_norm(X, gains[1], biases[1]) if norm == "after" else X


def test_an_error_of_some_inputs_is_no_wrong_number_of_a_formula():
    """gains[2] in the place of gains[1] would stop there as well, and for another reason."""
    verdict = check("block", without_a_bias)
    assert verdict.mistakes == ("raises-on-some",)
    assert 'layer_norm needs 1 more argument: bias. It stops with `norm="before"`' in verdict.message


def test_settings_that_are_wrong_only_now_and_then_are_not_named():
    answer = with_settings(lambda norm, residual: False)

    def spoilt(X, *more):
        return answer(X, *more) + (len(X) == 3) * X[::-1]

    assert "wrong with" not in check("block", spoilt).message


def dw_is_right_and_w_is_not(q, K, V, gradient):
    w = softmax(K @ q / np.sqrt(max(K.shape)))
    dw = V @ gradient
    ds = w * (dw - w @ dw)
    return K.T @ ds, np.outer(ds, q) / np.sqrt(max(K.shape)), np.outer(w, gradient)


def both_are_right(q, K, V, gradient):
    w = softmax(K @ q / np.sqrt(len(q)))
    dw = V @ gradient
    ds = w * (dw - w)
    return K.T @ ds, np.outer(ds, q), np.outer(w, gradient)


def test_so_far_means_every_line_above():
    message = check("one_query_gradient", dw_is_right_and_w_is_not).message
    assert (
        "`dw` holds the derivatives for the weights, as it should. Look at the rest, also above that line." in message
    )
    assert "Right so far: `w` holds the weights and `dw` holds" in check("one_query_gradient", both_are_right).message


def cuts_what_is_left(read, tokens, queries, keys):
    cut = np.zeros((*tokens.shape, tokens.shape[1]), dtype=bool)
    before = read(tokens, cut)
    cut[np.arange(len(tokens))[:, None], queries, keys] = True
    return (before > read(tokens, cut)).mean()


def test_nobody_is_asked_to_work_out_what_cannot_be_shown():
    message = check("turned_by_cut", cuts_what_is_left).message
    assert "a function" not in message and EXAMPLE not in message
    assert can_be_shown((np.zeros((3, 4)), 2, "a text", ["a"] * 256))
    assert not can_be_shown((np.zeros((2, 1, 3, 4)),))
    assert not can_be_shown((len,))


def test_edits_of_a_formula_are_not_held_against_layers():
    built = [exercise_of(name) for name in ("add_and_norm", "attend", "look_reward")]
    assert all(exercise.solution and exercise.adapt and exercise.edits == [] for exercise in built)
    exercise = built[0]
    _, doubled = next(pairs_of(exercise.solution))
    outcomes = [give(doubled, probe, 1) for probe in exercise.probes]
    assert find_two_edits(exercise, outcomes, lambda edit: True) is None


def test_no_two_edits_are_sought_for_whole_numbers(monkeypatch):
    def sought(*_):
        raise AssertionError

    monkeypatch.setattr(search, "pairs_of", sought)
    exercise = exercise_of("weights")
    odd = [as_outcome(np.full((3, 3), 7.0), 1) for _ in exercise.probes]
    assert find_two_edits(exercise, odd, lambda edit: True) is None
    with pytest.raises(AssertionError):
        find_two_edits(exercise, [as_outcome(np.full((3, 3), 7.5), 1) for _ in odd], lambda edit: True)


def a_bit_too_flat(Q, K):
    return softmax(Q @ K.T / np.sqrt(Q.shape[1])) ** 0.9


@pytest.mark.parametrize("digits", range(5))
def test_few_decimals_are_said_of_an_answer_that_is_wrong_besides(digits):
    verdict = check("weights", lambda Q, K: a_bit_too_flat(Q, K).round(digits))
    said = re.findall(r"All your numbers have (.*?): they seem to be rounded", verdict.message)
    assert said == [["no decimals"], ["1 decimal"], ["2 decimals"], ["3 decimals"], []][digits]
    assert verdict.mistakes == ("differs",)


def nearly(exercise):
    """An answer whose numbers are up to five per cent too large, each by a share of its own."""

    def answer(*given):
        parts = exercise_of(exercise).reference(*given)
        parts = [np.asarray(part) for part in (parts if isinstance(parts, tuple) else (parts,))]
        waves = [np.sin(7 * np.arange(part.size) + 50 * np.sum(given[-1])).reshape(part.shape) for part in parts]
        parts = [part + 0.02 * abs(part) * (1.5 + wave) for part, wave in zip(parts, waves, strict=True)]
        return tuple(parts) if len(parts) > 1 else parts[0]

    return answer


@pytest.mark.parametrize(("exercise", "is_said"), [("weights", True), ("online_step", False)])
def test_nearly_right_is_said_unless_every_answer_comes_near(exercise, is_said):
    verdict = check(exercise, nearly(exercise))
    assert verdict.mistakes == ("differs",)
    assert ("Most numbers are nearly right" in verdict.message) is is_said
