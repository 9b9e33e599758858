"""The Keras writer after a few steps: its reader in NumPy gives the same numbers, and a seed the same training."""

import numpy as np

from course_utils.models.writer_model import RECIPE, build_writer, to_writer, train
from course_utils.tasks.review_task import PAD, make_reviews
from course_utils.tasks.writer_task import writing_rows

ROWS = writing_rows(make_reviews(200, seed=9))


def after_a_few_steps():
    """Return a writer whose weights are no longer those of the start, and its losses."""
    model = build_writer(seed=3)
    return model, train(model, ROWS, **RECIPE | {"steps": 20, "batch_size": 16})


def test_the_reader_gives_the_numbers_of_keras_and_one_seed_gives_one_training():
    inputs, (model, losses) = ROWS[:50, :-1], after_a_few_steps()
    scores = to_writer(model).next_scores(to_writer(model)(inputs).hidden)
    real = inputs != PAD
    np.testing.assert_allclose(scores[real], np.asarray(model(inputs))[real], atol=2e-4)
    assert scores[real].std() > 0.1
    again, same = after_a_few_steps()
    assert same == losses
    np.testing.assert_equal(again.get_weights(), model.get_weights())
    assert len(losses) == 10 and losses[-1] < losses[0]
