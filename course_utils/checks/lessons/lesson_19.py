"""The exercises of lesson 19: a study of one's own."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, Value, fault
from course_utils.checks.lessons import solutions, study_judges
from course_utils.checks.lessons.promised.text_19 import PROMISED


def my_question(tokens):
    """Is the token at position 5 even?"""
    return tokens[:, 5] % 2 == 0


CLAIM = {
    "places": [5],
    "at_least": 0.5,
    "seeds": 4,
    "refuted_by": "On two seeds or more, place 5 gets less than half of the weight.",
}


def others(row, places):
    """The places that were not claimed."""
    return np.setdiff1d(np.arange(len(row)), places)


def control_at(
    row,
    places,
    *,
    rest=others,
    by=lambda row, left: -row[left],
    count=len,
    pick=lambda left, chosen: left[chosen],
    order=np.sort,
    last=lambda row, control: control,
    whole=None,
):
    """Return as many other places as claimed, those with the most weight among the rest, sorted: row (n,) -> (k,)."""
    if whole:
        return whole(row, np.asarray(places))
    left = rest(row, places)
    chosen = np.argsort(by(row, left), kind="stable")[: count(places)]
    return last(row, order(pick(left, chosen)))


def control_places(row, places, **switches):
    """What `control_at` gives, for weights of which no two are equal. Raises ValueError for others."""
    if len(np.unique(row)) < len(row):
        raise ValueError("two weights are equal, so two answers would be right")
    return control_at(row, places, **switches)


def weights(n, seed):
    """Return n weights that sum to 1, no two of them equal."""
    return np.random.default_rng(seed).dirichlet(np.ones(n))


EXERCISES = (
    Value(
        name="my_question",
        judge=study_judges.judge_question,
        wanted="a function from tokens (n, 7) to n answers, yes or no",
        ids=(
            "question-one-sentence",
            "question-not-yes-no",
            "question-tosses",
            "question-neighbours",
            "question-reads-cls",
            "question-one-answer",
            "question-rare",
            "question-no-words",
            "question-counting",
        ),
        stand_in=my_question,
        takes=("tokens",),
    ),
    Value(
        name="claim",
        judge=study_judges.judge_claim,
        wanted="a dict with places, at_least, seeds and refuted_by",
        ids=(
            "claim-outside",
            "claim-twice",
            "claim-too-many",
            "claim-cannot-fail",
            "claim-part-of-a-seed",
            "claim-uniform",
            "claim-cannot-hold",
            "claim-no-words",
        ),
        stand_in=CLAIM,
    ),
    Exercise(
        name="control_places",
        reference=control_places,
        solution=solutions.control_places,
        arguments=("row", "places"),
        course="checks.lessons.lesson_19.control_at",
        gives={"the control": "(k,)"},
        **PROMISED["control_places"],
        probes=(
            (np.array([0.05, 0.10, 0.30, 0.20, 0.08, 0.27]), np.array([2, 4])),
            (np.array([0.11, 0.07, 0.06, 0.36, 0.22, 0.18]), np.array([1, 3])),
            (np.array([0.28, 0.02, 0.10, 0.31, 0.04, 0.19, 0.06]), np.array([5])),
            (weights(9, 3), np.array([0, 3, 7])),
            (weights(12, 4), np.array([2, 5, 6, 11])),
            (np.array([0.40, 0.05, 0.09, 0.26, 0.20]), np.array([4, 1])),
        ),
        hint="First leave out what was claimed; among the rest, weight decides.",
        faults=(
            fault("control-claimed", rest=lambda row, places: np.arange(len(row))),
            fault("control-claimed", whole=lambda row, places: np.sort(places)),
            fault("control-least", by=lambda row, left: row[left]),
            fault("control-first", by=lambda row, left: left),
            fault("control-first", by=lambda row, left: -left),
            fault("control-one", count=lambda places: 1),
            fault("control-all", count=lambda places: 10**6),
            fault("control-unsorted", order=lambda chosen: chosen),
            fault("control-unsorted", order=lambda chosen: chosen[::-1]),
            fault("control-without-cls", rest=lambda row, places: np.setdiff1d(others(row, places), [0])),
            fault("control-of-the-rest", pick=lambda left, chosen: chosen),
            fault("control-weights", last=lambda row, control: row[control]),
        ),
    ),
    Value(
        name="my_study",
        judge=study_judges.judge_study,
        wanted="a dict with the parts of your study",
        ids=(
            "study-seeds-picked",
            "study-leak",
            "study-no-control",
            "study-control-claimed",
            "study-base-rate",
        ),
    ),
    Value(
        name="my_sentences",
        judge=study_judges.judge_sentences,
        wanted="three sentences",
        ids=(
            "sentences-mind",
            "sentences-prove",
            "sentences-no-number",
            "sentences-no-seeds",
            "sentences-no-control",
            "sentences-no-limit",
        ),
    ),
)
