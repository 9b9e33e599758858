"""check(name, answer): is it done, not yet, or not started?"""

import numpy as np

from course_utils.arguments import wrong
from course_utils.attention import attention_scores, scaled_dot_product_attention, softmax
from course_utils.checks.names import LESSONS, lesson_of
from course_utils.checks.record import note
from course_utils.checks.verdict import DONE, NOT_STARTED, NOT_YET, Verdict
from course_utils.sentences import CONCEPTUAL_ROW


def check(name, answer):
    """Compare an answer with what the exercise asks. Returns a Verdict, which shows as one line or as HTML."""
    if lesson_of(name) is None:
        known = ", ".join(exercise for names in LESSONS.values() for exercise in names)
        raise wrong("name", name, f"an exercise of the course: {known}")
    verdict = Verdict(*_judge(name, answer), name=name)
    note(verdict)
    return verdict


def _judge(name, answer):
    if name == "conceptual_keys":
        if answer is ... or answer is None or any(part is ... for part in answer):
            return NOT_STARTED, (), ""
        row = softmax(attention_scores(np.atleast_2d(answer[0]), answer[1]))[0]
        ok = np.array_equal(row.round(2), np.array(CONCEPTUAL_ROW))
        return (DONE, (), "") if ok else (NOT_YET, (), "The weights differ from the row that is wanted.")
    for arguments in _probes(name):
        try:
            got = answer(*[np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments])
        except Exception as problem:
            return NOT_YET, (), f"Your function stops with {type(problem).__name__}: {problem}"
        if got is None or got is ...:
            return NOT_STARTED, (), ""
        for part, right in zip(_parts(got), _parts(REFERENCES[name](*arguments)), strict=True):
            if np.shape(part) != np.shape(right) or not np.allclose(part, right, rtol=1e-5, atol=1e-6):
                return NOT_YET, (), "The numbers differ from what the exercise asks."
    return DONE, (), ""


def _parts(value):
    return value if isinstance(value, tuple) else (value,)


def _probes(name):
    rng = np.random.default_rng(0)
    draw = lambda *shape: rng.normal(size=shape)  # noqa: E731
    return {
        "dot_product": lambda: [(draw(3), draw(3))],
        "cosine": lambda: [(draw(3), draw(3))],
        "one_query_scores": lambda: [(draw(3), draw(5, 3))],
        "softmax": lambda: [(draw(5),)],
        "stable_softmax": lambda: [(draw(5) * 1e4,), (draw(4, 5) * 1e4,)],
        "temperature": lambda: [(draw(5), 0.5)],
        "project": lambda: [(draw(5, 4), draw(4, 3), draw(4, 3), draw(4, 2))],
        "scores": lambda: [(draw(5, 3), draw(5, 3))],
        "weights": lambda: [(draw(5, 3), draw(5, 3))],
        "attention": lambda: [(draw(5, 3), draw(5, 3), draw(5, 2))],
        "good_row": lambda: [(draw(5, 3), draw(5, 3), 2)],
        "good_output": lambda: [(softmax(draw(5)), draw(5, 2))],
        "cls_labels": lambda: [(rng.integers(0, 4, (20, 6)), 3, 2)],
        "recall": lambda: [(np.array([1, 1, 0, 0, 1]), np.array([1, 0, 1, 0, 1]))],
        "count_weights": lambda: [(51, 7, 8)],
    }[name]()


REFERENCES = {
    "dot_product": lambda a, b: a @ b,
    "cosine": lambda a, b: a @ b / np.sqrt(a @ a * (b @ b)),
    "one_query_scores": lambda q, K: K @ q / np.sqrt(len(q)),
    "softmax": softmax,
    "stable_softmax": softmax,
    "temperature": lambda scores, T: softmax(scores / T),
    "project": lambda X, W_Q, W_K, W_V: (X @ W_Q, X @ W_K, X @ W_V),
    "scores": attention_scores,
    "weights": lambda Q, K: softmax(attention_scores(Q, K)),
    "attention": lambda Q, K, V: scaled_dot_product_attention(Q, K, V).output,
    "good_row": lambda Q, K, i: softmax(attention_scores(Q, K))[i],
    "good_output": lambda weights, V: weights @ V,
    "cls_labels": lambda tokens, position, target: tokens[:, position] == target,
    "recall": lambda labels, predictions: predictions[labels == 1].mean(),
    "count_weights": lambda vocab_size, seq_len, d_model: (
        (vocab_size + seq_len) * d_model + 4 * (d_model**2 + d_model) + 3 * d_model + 1
    ),
}
