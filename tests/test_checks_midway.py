"""Which step of an answer is said to be right: its variables, beside those of the plain solution."""

from dataclasses import replace

import numpy as np
import pytest
from readable_code import written

from course_utils.checks.engine.midway import last_right
from course_utils.checks.engine.steps import Case
from course_utils.checks.exercises import exercise_of


def said_of(exercise, answer):
    wanted = [exercise.imagine((), i) for i in range(len(exercise.probes))]
    return last_right(Case(exercise, answer, None, wanted))


SO_FAR = {  # an exercise: what its own solution has right before the return
    "dot_product": "`products` holds the dot products",
    "cosine": "`lengths` holds the product of the two lengths",
    "stable_softmax": (
        "`shifted` holds the scores minus the largest of their row "
        "and `exponentials` holds the exponentials of the scores"
    ),
    "softmax_gradient_size": "`exponentials` holds the exponentials of the scores and `w` holds the weights",
    "weights": "`scores` holds the scores and `exponentials` holds the exponentials of the scores",
    "attention": (
        "`scores` holds the scores, `exponentials` holds the exponentials of the scores and `weights` holds the weights"
    ),
    "batched_attention": "`scores` holds the scores and `weights` holds the weights",
    "split_heads": "`cut` holds the vectors, cut into heads",
    "merge_heads": "`side_by_side` holds the heads of each token, side by side",
    "multi_head": "`V` holds the values, `scores` holds the scores and `heads` holds the outputs of all heads",
    "cross_attention": "`K` holds the keys, `V` holds the values and `scores` holds the scores",
    "sinusoidal_positions": "`angles` holds the angles",
    "rotary_attention": "`Q` holds the queries, `K` holds the keys and `scores` holds the scores",
    "one_query_gradient": (
        "`weights` holds the weights, `dweights` holds the derivatives for the weights "
        "and `dscores` holds the derivatives for the scores"
    ),
    "train_step": "`p` holds the probabilities and `error` holds the errors, divided by their number",
    "count_weights": (
        "`attention` holds the weights of the attention layer, `norm` holds the weights of the layer norm "
        "and `answer` holds the weights of the last unit"
    ),
    "recall": "`hits` holds the number of hits",
    "balanced_accuracy": "`right` holds a True for each right prediction",
    "online_step": (
        "`new` holds the new highest score, `shrink` holds the factor of the old sums "
        "and `e` holds the new exponentials"
    ),
    "cached_step": "`K` holds the keys, `V` holds the values and `scores` holds the scores",
    "writing_loss": (
        "`shifted` holds the scores minus the largest of their row, "
        "`logs` holds the logarithms of the probabilities "
        "and `of_right` holds the log-probabilities of the right words"
    ),
    "sample_next": "`probabilities` holds the probabilities and `ends` holds the right ends of all parts",
    "block_step": "`K` holds the keys and `V` holds the values",
}


@pytest.mark.parametrize("name", SO_FAR)
def test_the_steps_of_a_solution_are_named_in_words(name):
    exercise = exercise_of(name)
    assert said_of(exercise, exercise.solution) == f"Right so far: {SO_FAR[name]}. Look at the rest."


SCORES = "s = Q @ K.T / np.sqrt(Q.shape[1])"
ALL = "Right so far: `s` holds the scores. Look at the rest."
ABOVE = "`s` holds the scores, as it should. Look at the rest, also above that line."


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (SCORES, ALL),
        ("s: object = Q @ K.T / np.sqrt(Q.shape[1])", ALL),
        ("s = Q @ K.T\ns /= np.sqrt(Q.shape[1])", ALL),
        ("s = Q @ K.T\ns = s / np.sqrt(Q.shape[1])", ALL),
        ("s = (Q @ K.T / np.sqrt(Q.shape[1])).tolist()", ALL),
        ("products = Q @ K.T\ns = products / np.sqrt(Q.shape[1])", ALL),
        (f"axes = ['query', 'key']\nrows = [[1], [2, 3]]\n{SCORES}", ALL),
        ("(n, d), m = Q.shape, len(K)\ns = Q @ K.T / np.sqrt(d)", ALL),
        (f"{SCORES}\nother = Q @ K.T", ALL),
        (f"{SCORES}\nt = s + 0", ALL),
        (f"other = Q @ K.T\n{SCORES}", ABOVE),
        (f"for k in range(1):\n    {SCORES}", ABOVE),
        ("root = 0\nfor k in range(1):\n    root = np.sqrt(Q.shape[1])\ns = Q @ K.T / root", ABOVE),
        ("root = np.sqrt(Q.shape[1])\nfor d in [root]:\n    s = Q @ K.T / d", ALL),
        (f"scores = Q @ K.T\n{SCORES}", ABOVE),
        (f"{SCORES}\nscores = s + 0", "Right so far: `scores` holds the scores. Look at the rest."),
        (
            f"{SCORES}\ne = np.exp(s)",
            "Right so far: `s` holds the scores and `e` holds the exponentials of the scores. Look at the rest.",
        ),
        (
            f"other = Q @ K.T\n{SCORES}\ne = np.exp(s)",
            "`s` holds the scores and `e` holds the exponentials of the scores, as they should. "
            "Look at the rest, also above those lines.",
        ),
        (
            f"{SCORES}\ne = np.exp(s)\nr = e / e.sum(1, keepdims=True)\nr = 2 * r",
            "Your `r` holds what is wanted before the return: what happens to it then?",
        ),
        (f"{SCORES}\n1 / 0", ""),
        (f"if Q[0, 0] < 0:\n    1 / 0\n{SCORES}", ""),
        (f"for k in range(30):\n    t = k\n{SCORES}\ns = s + 0\ns = 3", ABOVE),
        (f"for k in range(60):\n    t = k\n{SCORES}\ns = s + 0\ns = 3", ""),  # a long loop is not watched to its end
        ("s = Q @ K.T", ""),
        ("s = 3", ""),
        ("", ""),
    ],
)
def test_a_variable_that_holds_a_step_is_named_whatever_it_is_called(lines, said):
    assert said_of(exercise_of("weights"), written(f"{lines}\nreturn 0", "Q, K")) == said


def test_of_two_variables_the_one_is_named_that_the_first_probe_makes_first():
    exercise = exercise_of("weights")
    first, second = (float(Q[0, 0]) for Q, _ in exercise.probes[:2])
    assert first != second
    other_way_round = "t = Q @ K.T / np.sqrt(Q.shape[1])\n    s = t + 0"
    lines = f"if Q[0, 0] == {first}:\n    {SCORES}\n    t = s + 0\nelse:\n    {other_way_round}"
    assert said_of(exercise, written(f"{lines}\nreturn 0", "Q, K")) == ALL


COUNTS = ("(vocab_size + seq_len) * d_model", "4 * (d_model * d_model + d_model)", "2 * d_model", "d_model + 1")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("embedding", "Right so far: `embedding` holds the weights of the embeddings. Look at the rest."),
        ("e", ""),
        ("e a", ""),
        (
            "e a n h",
            "Right so far: `a` holds the weights of the attention layer, `n` holds the weights of the layer norm "
            "and `h` holds the weights of the last unit. Look at the rest.",
        ),
        (
            "a embedding",
            "`embedding` holds the weights of the embeddings, as it should. Look at the rest, also above that line.",
        ),
    ],
)
def test_one_number_counts_under_its_own_name_or_among_as_many(names, said):
    values = (COUNTS[0], COUNTS[1]) if names != "a embedding" else (COUNTS[1], COUNTS[0])
    lines = "\n".join(f"{name} = {value}" for name, value in zip(names.split(), (*values, *COUNTS[2:]), strict=False))
    answer = written(f"{lines}\nreturn 0", "vocab_size, seq_len, d_model")
    assert said_of(exercise_of("count_weights"), answer) == said


def test_a_step_that_is_the_same_on_all_probes_is_no_sign_of_a_right_line():
    """An array that an answer always holds, whatever goes in, would be called right."""
    exercise = exercise_of("weights")
    Q, K = exercise.probes[0]
    alike = replace(exercise, probes=((Q, K), (2 * Q, K / 2), (4 * Q, K / 4)))
    two_alike = replace(exercise, probes=((Q, K), (2 * Q, K / 2), (4 * Q, K)))
    answer = written(f"{SCORES}\nreturn 0", "Q, K")
    assert said_of(alike, answer) == ""
    assert said_of(two_alike, answer) == ALL


def test_nothing_is_said_where_there_is_no_step_to_see():
    exercise = exercise_of("weights")
    assert said_of(exercise, np.matmul) == ""
    assert said_of(exercise, lambda Q, K: Q @ K.T / np.sqrt(Q.shape[1])) == ""
    assert said_of(exercise_of("bag_of_words"), written("s = 1\nreturn s", "tokens, vocabulary")) == ""


def test_an_array_that_is_changed_in_place_is_seen_before_and_after():
    answer = written("s = Q @ K.T\ns /= np.sqrt(Q.shape[1])\ns[0] = 0\nreturn s", "Q, K")
    assert said_of(exercise_of("scores"), answer).startswith("Your `s` holds what is wanted before the return")
