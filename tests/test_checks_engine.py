"""The faults of each exercise: told apart by its probes, with none that hides; its reference held to the course."""

import numpy as np
import pytest

from course_utils import attention
from course_utils.checks.exercises import LESSONS, exercise_of
from pagecheck.compare import TOLERANCES, as_outcome, close
from pagecheck.exercise import Value

EXERCISES = [one for names in LESSONS.values() for one in map(exercise_of, names) if not isinstance(one, Value)]
every_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)


def outcomes(exercise, faults=(), also_promised=False):
    return [
        exercise.imagine(faults, i) for i in range(len(exercise.probes) + len(exercise.promise_inputs) * also_promised)
    ]


def ids(faults):
    return frozenset(fault.id for fault in faults)


@every_exercise
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_no_fault_hides_behind_the_tolerance(exercise, dtype):
    """In each float type a fault moves some number further than the tolerance, in float64 and 32 ten times further."""
    relative, absolute = TOLERANCES[np.dtype(dtype).itemsize]
    factor = 1 if dtype == np.float16 else 10
    for faults in exercise.hypotheses[1:]:
        gap = gap_of(exercise, faults, relative, absolute)
        gap = gap if gap or len(faults) > 1 else gap_of(exercise, faults, relative, absolute, also_promised=True)
        cancel = gap < 1e-9 and len(faults) == 2  # up to rounding: two mistakes that cancel are a right answer
        assert gap > factor or cancel, (set(ids(faults)), gap)
        assert len(faults) > 1 or any(not outcome.problem for outcome in outcomes(exercise, faults)), faults


def gap_of(exercise, faults, relative, absolute, also_promised=False):
    pairs = zip(outcomes(exercise, faults, also_promised), outcomes(exercise, (), also_promised), strict=True)
    return max(distance(*pair, relative, absolute) for pair in pairs)


def distance(got, right, relative, absolute):
    """How many tolerances the most different number is away; infinitely many for another shape or a problem."""
    if got.problem or [p.shape for p in got.parts] != [p.shape for p in right.parts]:
        return np.inf
    gaps = [
        abs(g.astype(float) - r) / (absolute + relative * abs(r)) for g, r in zip(got.parts, right.parts, strict=True)
    ]
    return max(np.nan_to_num(gap, nan=np.inf).max() for gap in gaps)


@every_exercise
def test_the_first_two_probes_have_equal_shapes(exercise):
    first, second = ([np.shape(a) for a in probe if not isinstance(a, list)] for probe in exercise.probes[:2])
    assert first == second


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("stable_softmax", attention.softmax),
        ("softmax", attention.softmax),
        ("scores", attention.attention_scores),
        ("attention", lambda Q, K, V: attention.scaled_dot_product_attention(Q, K, V).output),
        (
            "masked_weights",
            lambda Q, K, mask: attention.softmax(np.where(mask, attention.attention_scores(Q, K), -np.inf)),
        ),
        ("causal_mask", attention.causal_mask),
        ("padding_mask", attention.padding_mask),
        ("split_heads", attention.split_heads),
        ("merge_heads", attention.merge_heads),
        ("multi_head", lambda *arguments: attention.MultiHeadAttention(*arguments[1:])(arguments[0]).output),
        ("sinusoidal_positions", attention.sinusoidal_positions),
    ],
)
def test_the_references_agree_with_the_course(name, reference):
    exercise = exercise_of(name)
    for i, probe in enumerate((*exercise.probes, *exercise.promise_inputs)):
        assert close(as_outcome(reference(*probe), 1).parts[0], exercise.imagine((), i).parts[0])
