"""What the checks of this course know of attention: scales that no line has, positions by their words, what is seen."""

import re

import numpy as np
import pytest
from readable_code import written

from course_utils.attention import softmax
from course_utils.checks import check
from course_utils.checks.exercises import COURSE, LESSONS, exercise_of
from course_utils.checks.steps import IN_WORDS, SEEN_IN_WEIGHTS, is_seen, position_in_words
from pagecheck.exercise import Exercise, Fault
from pagecheck.judge import Case
from pagecheck.run import run
from pagecheck.source import last_right

EXERCISES = [e for names in LESSONS.values() for e in map(exercise_of, names) if isinstance(e, Exercise)]
MODEL = {"d_model": 5, "n_words": 5, "softmax": softmax}


@pytest.mark.parametrize("factor", [1e-3, 0.02, 0.4, 1 / 3.3, 2.5, 77, 2000])
def test_any_fixed_scale_is_found(factor):
    assert check("scores", written(f"Q @ K.T * {factor}", "Q, K")).mistakes == ("scale-hardcoded",)


@pytest.mark.parametrize("factor", [0.02, 0.4, 1 / 3.3, 2.5])
def test_with_a_fixed_scale_one_more_mistake_is_found(factor):
    answer = written(f"softmax(Q @ K.T * {factor}, axis=0)", "Q, K", softmax=softmax)
    assert check("weights", answer).mistakes == ("softmax-axis", "scale-hardcoded")


@pytest.mark.parametrize(
    ("name", "code", "ids"),
    [
        ("scores", "Q @ K.T / Q.shape[1] ** 0.7", ("scale-wrong",)),
        ("scores", "Q @ K.T / d_model", ("scale-dmodel",)),
        ("scores", "Q @ K.T / n_words", ("scale-hardcoded",)),
        ("weights", "softmax(Q @ K.T / 8)", ("scale-hardcoded",)),
        ("attention", "softmax(Q @ K.T / 8) @ V", ("scale-hardcoded",)),
        ("attention", "softmax(Q @ K.T / Q.shape[1] ** 0.7) @ V", ("scale-wrong",)),
        # scaled, and something besides that no factor explains
        ("scores", "Q @ K.T / 8 + 1", ("differs",)),
        ("weights", "softmax(Q @ K.T / 8) ** 2", ("differs",)),
    ],
)
def test_a_factor_is_named_by_what_it_follows_and_only_where_it_explains_all(name, code, ids):
    answer = written(code, ", ".join(exercise_of(name).arguments), **MODEL)
    assert check(name, answer).mistakes == ids


@pytest.mark.parametrize(
    "exercise", [e for e in EXERCISES if any(f.sets_fitted for f in e.faults)], ids=lambda e: e.name
)
def test_a_page_with_mistakes_of_the_scale_has_a_line_that_takes_any_number(exercise):
    right, other = (exercise.give(exercise.probes[0], given_scale=scale) for scale in (None, 0.123))
    assert right.parts and other.parts and not np.allclose(right.parts[0], other.parts[0])


def test_what_is_seen_in_weights_is_said_only_where_they_are_asked_for():
    ids = [id for id in COURSE.mistakes if id.startswith(SEEN_IN_WEIGHTS)]
    assert {start for start in SEEN_IN_WEIGHTS if not any(id.startswith(start) for id in ids)} == set()
    said = {
        name: COURSE.on_faults((Fault("softmax-axis", ()),), exercise_of(name)).message
        for name in ("weights", "attention")
    }
    assert said["weights"] == f"{COURSE.mistake('softmax-axis').seen} {said['attention']}"
    assert is_seen("scale-missing", exercise_of("attention")) and not is_seen("row-sum", exercise_of("attention"))


def test_a_position_is_named_by_the_words_of_the_review():
    grids = [exercise for exercise in EXERCISES if exercise.axes]
    assert {exercise.axes for exercise in grids} <= {("query", "key"), ("key",)} and grids
    square = next(exercise for exercise in grids if exercise.axes == ("query", "key"))
    assert square.position((0, 1)) == 'the position where "The" looks at "movie" (row 0, column 1)'
    assert position_in_words(exercise_of("weights"), (0, 1)) == "" or exercise_of("weights").axes


def test_steps_are_put_in_words_where_a_solution_has_them_and_under_their_own_names():
    """No word is for a step that no solution makes, and a solution hears of its own steps."""
    names = {name for exercise in EXERCISES for name in exercise.solution.__code__.co_varnames}
    assert IN_WORDS.keys() <= names, IN_WORDS.keys() - names
    heard = set()
    for exercise in EXERCISES:
        wanted = [exercise.imagine((), i) for i in range(len(exercise.probes))]
        ran = run(exercise.solution, exercise.probes, len(exercise.gives), None)
        said = last_right(Case(exercise, exercise.solution, ran, wanted, None))
        named = re.findall(r"`(\w+)` holds (.+?)(?= and `|, `|, as )", said)
        assert [(name, words) for name, words in named if IN_WORDS[name] != words] == [], exercise.name
        heard.update(name for name, _ in named)
    assert len(heard) > len(IN_WORDS) / 2


def test_a_helper_of_an_earlier_lesson_is_right_or_wrong_or_the_course_s():
    own, wrong = written("np.exp(s) / np.exp(s).sum(-1, keepdims=True)", "s"), written("np.exp(s)", "s")
    code = "softmax(Q @ K.T / np.sqrt(Q.shape[1]))"
    verdicts = [check("weights", written(code, "Q, K", softmax=helper)) for helper in (own, softmax, wrong)]
    assert [verdict.mistakes for verdict in verdicts] == [(), (), ("helper-wrong",)]
    hidden = written("softmax(s) + bias", "s, bias=0", softmax=wrong)
    assert check("softmax", hidden).mistakes == ("helper-wrong",)
    said = check("softmax", written("softmax(scores)", "scores", softmax=softmax)).message
    assert said == "The numbers are right, and the course's `softmax` has made them: write its steps yourself once."


def test_a_mask_of_numbers_is_told_as_one():
    assert check("causal_mask", lambda n: np.tri(n)).mistakes == ("mask-not-bool",)
    assert check("causal_mask", lambda n: np.tri(n, dtype=bool)).state == "done"
