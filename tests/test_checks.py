"""What check says, in words that a student can use; test_oracle.py asks about all answers that the project holds."""

import re

import numpy as np
import pytest

from course_utils.attention import softmax
from course_utils.checks import Verdict, check
from course_utils.checks.student import record
from course_utils.layers import gelu


def test_a_message_names_the_suspicion_and_not_the_answer(monkeypatch):
    monkeypatch.setattr(record, "_this_kernel", {})  # after some tries there would be more
    verdict = check("weights", lambda Q, K: softmax(Q @ K.T / np.sqrt(Q.shape[1]), axis=0))
    assert str(verdict) == (
        "✗ weights: not yet. Each column sums to 1, and each row should. "
        "Your softmax seems to run over the queries. (softmax-axis)"
    )


def test_what_matches_nothing_is_placed_in_words():
    words = check("scores", lambda Q, K: np.maximum(Q @ K.T / Q.shape[1] ** 0.5, -0.01)).message
    assert words.startswith("A simple try goes wrong: when d_k is 1, so that nothing is scaled. Work it out by hand")
    assert re.search(r"there your function gives \[\[-0.01\]\], and \[\[-[\d.]+\]\] is right\.$", words)


def test_a_variable_that_is_right_says_how_far_the_answer_is_right():
    def lower_half(Q, K):
        S = Q @ K.T / Q.shape[1] ** 0.5
        S[2, 3:] = 9
        return S

    def shared_by_the_last(Q, K):
        s = Q @ K.T
        s = s / np.sqrt(len(Q.T))
        e = np.exp(s)
        return e / e[-1].sum()

    words = check("scores", lower_half).message
    assert words.startswith("Your `S` holds what is wanted before the return: what happens to it then? Work it out")
    assert "[0, 0, 0, 9]], and " in words
    words = check("weights", shared_by_the_last).message
    assert words.startswith("`s` holds the scores and `e` holds the exponentials of the scores, as they should.")


def test_a_number_that_belongs_to_no_try_is_not_read_as_if_it_did():
    def bias_for_each_wide_number(X, W_in, b_in, W_out, b_out):
        return sum(gelu(X @ W_in + b_in)[..., k : k + 1] * W_out[k] + b_out for k in range(len(W_out)))

    words = check("feed_forward", bias_for_each_wide_number).message
    assert words.startswith("A simple try goes wrong: where X is 0 and both biases are 1. With X of shape")
    words = check("feed_forward", lambda X, W_in, b_in, W_out, b_out: gelu(X @ W_in + b_in) @ W_out).message
    assert "With X of shape" not in words


def test_no_try_goes_well_that_is_like_the_example():
    words = check("scores", lambda Q, K: Q @ (K - K.mean(0)).T / Q.shape[1] ** 0.5).message
    assert "goes well" not in words and words.startswith("Work it out by hand for Q = [[1]], K = [[1]]")


def test_a_number_is_printed_with_the_digits_that_show_it_is_wrong():
    assert "[0.268955, 0.731045]" in check("softmax", lambda scores: 2.7181**scores / sum(2.7181**scores)).message


def test_whole_numbers_that_are_not_the_reason_are_not_blamed():
    def stops_at_zero(hidden, mask):
        table = hidden * mask[..., None]
        return table.sum(axis=1) / np.maximum((table != 0).sum(axis=1), 1)

    assert "whole" not in check("mean_pooling", stops_at_zero).message
    words = check("scores", lambda Q, K: (Q @ K.T / np.sqrt(Q.shape[1])).astype(Q.dtype)).message
    assert "when all numbers are whole. There every number has lost its decimals." in words
    assert "when only X holds" in check("add_positions", lambda X, P: (X + P[: X.shape[1]]).astype(X.dtype)).message


def test_a_fact_that_is_broken_is_said():
    def rows_too_long(Q, K):
        W = [[1 / (1 + i + j) for j in range(len(K))] for i in range(len(Q))]
        W[0][0] += Q[0, 0] * 0.01 + K[0, 0] * 0.01
        return W

    assert "Each row of weights must sum to 1, and yours do not." in check("weights", rows_too_long).message


def test_a_wrong_shape_is_said_with_both_shapes():
    words = check("weights", lambda Q, K: Q[:, :2] + K[:, :2]).message
    assert "(5, 2)" in words
    assert "(5, 5) was wanted" in words


def test_an_answer_for_sentences_that_look_at_themselves_is_held_to_the_promise_of_the_text():
    def square(Q, K):
        return [[Q[i] @ K[j] / Q.shape[1] ** 0.5 for j in range(len(Q))] for i in range(len(Q))]

    verdict = check("scores", square)
    assert verdict.mistakes == ("promise-broken",)
    assert "right for ordinary inputs, but not when there are more keys than queries, or fewer" in verdict.message
    assert ", for example with Q of shape (2, 3), K of shape (5, 3)." in verdict.message


def weights(Q, K):
    return Q @ K.T


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (("wieghts", weights), "name is 'wieghts' (str); wanted: an exercise of the course, such as: weights"),
        (("Dot product", weights), "such as: dot_product"),
        (("xyz", weights), "one of these: first_check, bag_of_words, fool_the_counter"),
        ((weights,), 'The name of the exercise comes first, in quotes. Type check("weights", weights).'),
        ((lambda Q, K: Q,), 'in quotes. Type check("name_of_the_exercise", your_answer).'),
        ((weights, "softmax"), 'The name of the exercise comes first. Type check("softmax", weights).'),
        ((12, "first_check"), 'The name of the exercise comes first. Type check("first_check", your_answer).'),
        (("weights",), 'check needs your answer, too. Type check("weights", and then the name of your function or'),
        ((np.ones(2), np.ones(2)), 'in quotes. Type check("name_of_the_exercise", your_answer).'),
    ],
)
def test_a_call_that_says_too_little_is_told_what_to_type(asked, says):
    with pytest.raises(ValueError, match=re.escape(says)) as raised:
        check(*asked)
    assert len(raised.traceback) <= 3  # the call, the door, and the names


def test_a_trace_shows_only_when_asked_for():
    def broken(Q, K):
        return Q @ K.no_such_thing

    assert "Traceback" not in repr(check("weights", broken))
    assert "Traceback" not in check("weights", broken)._repr_html_()
    shown = check("weights", broken, trace=True)
    assert re.fullmatch(
        r"Traceback \(most recent call last\):\n  File .*\nAttributeError: .* has no attribute .no_such_thing.\n",
        shown.trace,
        re.S,
    )
    assert "Traceback" in repr(shown)
    assert "Traceback" in shown._repr_html_()


def test_a_verdict_is_words_sign_and_colour_never_colour_alone():
    html = Verdict("not yet", ("softmax-axis",), "Rows & columns <1>.", "weights")._repr_html_()
    assert re.sub("<[^>]*>", "", html).startswith("✗ weights: not yet")
    assert "softmax-axis" in html
    assert "Rows &amp; columns &lt;1&gt;." in html


def test_an_argument_that_is_used_at_times_is_not_called_unused():
    """highest is used wherever it is the maximum; one probe alone would not show it."""

    def without_exponential(highest, total, mixture, scores, values):
        return max(highest, scores.max()), total + scores.sum(), mixture + scores @ values

    assert check("online_step", without_exponential).mistakes != ("argument-unused",)
