"""A trained stack: what it learns, with the numbers that NumPy gives for its weights."""

import numpy as np
import pytest

from course_utils.checks.exercises import block, exercise_of
from course_utils.models import deep_stack
from course_utils.models.deep_stack import train_stack

TOKENS = np.random.default_rng(0).integers(0, 4, (60, 3))


def scores(model, tokens, n_heads, **how):
    """The scores of one sentence (n, n_answers), in NumPy."""
    X = model.E[tokens] + model.P
    for w in model.blocks:
        X = block(X, *w, n_heads, **how)
    return X @ model.R


@pytest.mark.parametrize("norm", ["before", "after"])
def test_two_blocks_learn_to_name_the_token_before_with_the_weights_that_come_back(norm):
    """The loss that was trained is that of these weights in NumPy: else they would not answer right."""
    wanted = np.roll(TOKENS, 1, axis=1)
    for model in train_stack(TOKENS, wanted, 2, norm=norm, seeds=2, steps=120, rate=0.01):
        found = np.array([scores(model, tokens, 2, norm=norm).argmax(axis=1) for tokens in TOKENS])
        assert (found == wanted).mean() > 0.95


@pytest.mark.parametrize("norm", ["before", "after", "none"])
@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("feed_forward", [True, False])
def test_tensorflow_computes_the_block(norm, residual, feed_forward):
    values = deep_stack._first_weights(TOKENS, TOKENS, 2, range(3))
    for name in ("b_in", "b_out", "gains", "biases"):
        values[name].assign(np.random.default_rng(1).normal(size=values[name].shape))
    found = deep_stack._scores(values, TOKENS[:4], 2, 4, norm, residual, feed_forward)
    for seed in range(3):
        model = deep_stack._as_arrays(values, seed)
        half = next(
            fault for fault in exercise_of("block").faults if fault.id == "block-part-missing"
        )  # attention alone
        how = {"norm": norm, "residual": residual} | ({} if feed_forward else dict(half.switches))
        wanted = [scores(model, tokens, 4, **how)[:2] for tokens in TOKENS[:4]]
        np.testing.assert_allclose(found[seed], wanted, rtol=1e-5, atol=1e-5)


def test_a_seed_gives_the_same_stack_whatever_the_others():
    one, two = (train_stack(TOKENS, TOKENS, 1, seeds=seeds, steps=3)[0] for seeds in (1, 2))
    np.testing.assert_allclose(one.E, two.E, atol=1e-9)
    first, second = train_stack(TOKENS, TOKENS, 1, seeds=2, steps=3)
    assert abs(first.E - second.E).min() > 0
