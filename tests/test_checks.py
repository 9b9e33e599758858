"""The call of check itself; test_oracle.py and `nox -s oracle` hold what is said of all answers of the project."""

import re

import numpy as np
import pytest

from course_utils.checks import check


def test_an_answer_for_sentences_that_look_at_themselves_is_held_to_the_promise_of_the_text():
    def square(Q, K):
        return [[Q[i] @ K[j] / Q.shape[1] ** 0.5 for j in range(len(Q))] for i in range(len(Q))]

    verdict = check("scores", square)
    assert verdict.mistakes == ("promise-broken",)
    assert "right for ordinary inputs, but not when there are more keys than queries, or fewer" in verdict.message
    assert ": it fails, for example, with Q of shape (2, 3) and K of shape (5, 3)." in verdict.message


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

    hidden, shown = check("weights", broken), check("weights", broken, trace=True)
    assert "Traceback" not in repr(hidden) + hidden._repr_html_()
    assert re.fullmatch(
        r"Traceback \(most recent call last\):\n  File .*\nAttributeError: .* has no attribute .no_such_thing.\n",
        shown.trace,
        re.S,
    )
    assert "Traceback" in repr(shown) and "Traceback" in shown._repr_html_()


def test_an_argument_that_is_used_at_times_is_not_called_unused():
    """highest is used wherever it is the maximum; one probe alone would not show it."""

    def without_exponential(highest, total, mixture, scores, values):
        return max(highest, scores.max()), total + scores.sum(), mixture + scores @ values

    assert check("online_step", without_exponential).mistakes != ("argument-unused",)
