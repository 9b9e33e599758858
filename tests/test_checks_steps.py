"""What the checks of this course know of attention: scales that no line has, positions by their words, what is seen."""

import numpy as np
import pytest

from course_utils.attention import softmax
from course_utils.checks import check
from course_utils.checks.exercises import COURSE, LESSONS, exercise_of
from course_utils.checks.steps import IN_WORDS, SEEN_IN_WEIGHTS, is_seen
from pagecheck.exercise import Exercise, Fault
from pagecheck.tests.toys import answer_from

EXERCISES = [e for names in LESSONS.values() for e in map(exercise_of, names) if isinstance(e, Exercise)]
MODEL = {"d_model": 5, "n_words": 5, "softmax": softmax}


@pytest.mark.parametrize(
    ("name", "code", "ids"),
    [
        ("scores", "Q @ K.T / Q.shape[1] ** 0.7", ("scale-wrong",)),
        ("scores", "Q @ K.T / d_model", ("scale-dmodel",)),
        ("scores", "Q @ K.T / n_words", ("scale-hardcoded",)),
        *(("scores", f"Q @ K.T * {factor}", ("scale-hardcoded",)) for factor in (1e-3, 0.4, 2000)),
        ("weights", "softmax(Q @ K.T * 0.4, axis=0)", ("softmax-axis", "scale-hardcoded")),
        ("attention", "softmax(Q @ K.T / 8) @ V", ("scale-hardcoded",)),
        ("attention", "softmax(Q @ K.T / Q.shape[1] ** 0.7) @ V", ("scale-wrong",)),
        # scaled, and something besides that no factor explains
        ("scores", "Q @ K.T / 8 + 1", ("differs",)),
        ("weights", "softmax(Q @ K.T / 8) ** 2", ("differs",)),
    ],
)
def test_a_factor_is_named_by_what_it_follows_and_only_where_it_explains_all(name, code, ids):
    answer = answer_from(code, ", ".join(exercise_of(name).arguments), **MODEL)
    assert check(name, answer).mistakes == ids


@pytest.mark.parametrize(
    "exercise", [e for e in EXERCISES if any(f.sets_fitted for f in e.faults)], ids=lambda e: e.name
)
def test_a_page_with_mistakes_of_the_scale_has_a_line_that_takes_any_number(exercise):
    right, other = (exercise.give(exercise.probes[0], given_scale=scale) for scale in (None, 0.123))
    assert right.parts and other.parts and not all(map(np.allclose, right.parts, other.parts))


def test_each_step_that_has_words_is_a_variable_of_a_solution():
    solutions = [exercise.solution.__code__ for exercise in EXERCISES]
    steps = {name for code in solutions for name in code.co_varnames[code.co_argcount :]}
    assert set(IN_WORDS) <= steps


def test_the_first_exercise_names_its_only_step_by_what_it_holds():
    answer = answer_from("pairs = a * b\nreturn (pairs**2).sum()")
    message = check("dot_product", answer).message
    assert message.startswith("`pairs` holds the product of each pair of numbers, as it should.")


def test_what_is_seen_in_weights_is_said_only_where_they_are_asked_for():
    ids = [id for id in COURSE.mistakes if id.startswith(SEEN_IN_WEIGHTS)]
    assert all(any(id.startswith(start) for id in ids) for start in SEEN_IN_WEIGHTS)
    fault = (Fault("softmax-axis", ()),)
    alone, seen = (COURSE.on_faults(fault, exercise_of(name)).message for name in ("attention", "weights"))
    assert seen == f"{COURSE.mistake('softmax-axis').seen} {alone}"
    assert is_seen("scale-missing", exercise_of("attention"))


def test_a_helper_of_an_earlier_lesson_is_right_or_wrong_or_the_course_s():
    own, wrong = answer_from("np.exp(s) / np.exp(s).sum(-1, keepdims=True)", "s"), answer_from("np.exp(s)", "s")
    code = "softmax(Q @ K.T / np.sqrt(Q.shape[1]))"
    verdicts = [check("weights", answer_from(code, "Q, K", softmax=helper)) for helper in (own, softmax, wrong)]
    assert [verdict.mistakes for verdict in verdicts] == [(), (), ("helper-wrong",)]
    hidden = answer_from("softmax(s) + bias", "s, bias=0", softmax=wrong)
    assert check("softmax", hidden).mistakes == ("helper-wrong",)
    said = check("softmax", answer_from("softmax(scores)", "scores", softmax=softmax)).message
    assert said == "The numbers are right, but the course's `softmax` computed them: try writing its steps yourself."
