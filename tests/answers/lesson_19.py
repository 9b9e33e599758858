"""Answers to the exercises of lesson 19."""

import numpy as np

from answers import tf
from course_utils.cls_task import make_task


def asked(rule, words="Is it so?"):
    """A question with these words."""

    def question(tokens):
        return rule(tokens)

    question.__doc__ = words
    return question


def equal_in_a_loop(tokens):
    """Is the token at position 2 equal to the one at position 5?"""
    return [sentence[2] == sentence[5] for sentence in tokens]


def larger(tokens):
    """Is the second token larger than the last?"""
    return np.greater(tokens[:, 2], tokens[:, -1]).astype(np.float32)


def odd(tokens):
    """Is the token at position 1 odd?"""
    return np.where(tokens[:, 1] % 2, 1, 0)


def bumped(tokens):
    """Is the token at position 3 above 25?"""
    tokens[:, 3] -= 25
    return tokens[:, 3] > 0


def claimed(places=(5,), at_least=0.5, seeds=4, refuted_by="On two seeds or more it gets less."):
    return {"places": places, "at_least": at_least, "seeds": seeds, "refuted_by": refuted_by}


def rest_of(row, places):
    return np.setdiff1d(np.arange(len(row)), places)


def control_loop(row, places):
    chosen = []
    while len(chosen) < len(places):
        best = None
        for i, weight in enumerate(row):
            if i not in places and i not in chosen and (best is None or weight > row[best]):
                best = i
        chosen.append(best)
    return sorted(chosen)


def control_infinite(row, places):
    left = np.array(row, dtype=float)
    left[list(places)] = -np.inf
    return np.flatnonzero(left >= np.sort(left)[-len(places)])


def control_tensor(row, places):
    hidden = row - 9.0 * np.isin(np.arange(len(row)), places)
    return tf.sort(tf.math.top_k(hidden, len(places)).indices)


def control(choose, pool=rest_of):
    """A control that chooses among the pool."""
    return lambda row, places: choose(row, pool(row, places), len(places))


def most(row, left, k):
    return np.sort(left[np.argsort(-row[left])[:k]])


def control_in_place(row, places):
    row[places] = -1
    return np.sort(np.argsort(-row)[: len(places)])


ASK = asked(lambda tokens: tokens[:, 5] % 2 == 0)
TASK, FRESH = make_task(400, question=ASK), make_task(300, question=ASK, seed=1)
STUDY = {
    "seeds": [0, 1, 2, 3, 4],
    "learned_from": TASK,
    "measured_on": FRESH,
    "claimed": [5],
    "control": [0],
    "base_rate": 0.5,
}
CLAIMED = "We claimed that place 5 gets half of the weight on 4 of 5 seeds."
MEASURED = "It did on 5 of 5 seeds; hiding it leaves 0.50, and the control 1.00."
LIMITED = "We did not test another question."

RIGHT = {
    "my_question": [equal_in_a_loop, larger, odd, asked(lambda tokens: tokens[:, 1] + tokens[:, 6] > 50)],
    "claim": [
        claimed(),
        claimed(places=[2, 5], at_least=0.3),
        claimed(places=np.array([0, 4]), at_least=0.25, seeds=5),
        claimed(places=3, at_least=1.0, seeds=1),
    ],
    "control_places": [
        control(most),
        control_loop,
        control_infinite,
        control_tensor,
        lambda row, places: sorted(sorted(set(range(len(row))) - set(places), key=lambda i: -row[i])[: len(places)]),
    ],
    "my_study": [
        STUDY,
        STUDY | {"seeds": range(5), "control": np.array([3]), "claimed": (5,)},
        STUDY | {"base_rate": np.float32(0.5), "claimed": [5, 2], "control": [0, 1]},
    ],
    "my_sentences": [
        [CLAIMED, MEASURED, LIMITED],
        (
            CLAIMED,
            "On 2 of 5 seeds only; the controls left 0.98.",
            "We do not know what other seeds would do, and it is no proof.",
        ),
        ["The claim was 0.3 on each of two places.", "It failed on 5 seeds, control 0.9.", "Nothing about why."],
    ],
}
WRONG = {
    "my_question": [
        ("raises", asked(lambda tokens: tokens[:, 9] > 25)),
        ("changes-input", bumped),
        ("not-a-function", "Is the token at position 3 above 25?"),
        ("wrong-arguments", lambda tokens, place: tokens[:, place] > 25),
    ],
    "claim": [
        ("not-a-value", {"places": [5], "at_least": 0.5}),
        ("not-a-value", "place 5"),
    ],
    "control_places": [
        ("changes-input", control_in_place),
    ],
    "my_study": [
        ("not-a-value", {"seeds": [0, 1, 2, 3, 4]}),
        ("not-a-value", STUDY | {"measured_on": None}),
    ],
    "my_sentences": [
        ("not-a-value", [CLAIMED, MEASURED]),
        ("not-a-value", CLAIMED),
    ],
}
