"""Rows that repeat themselves, the scores of heads on them, and the study of ten writers."""

import numpy as np
import pytest
import writer_study
from random_writer import random_writer

from course_utils.models.induction import N_WORDS, induction_scores, previous_scores, repeat_loss, repeated_rows
from course_utils.models.writer_reader import DATA, load_study, load_writer

ROWS, PERIODS = repeated_rows(40, seed=3)


def test_rows_repeat_after_their_period_and_not_before():
    for row, period in zip(ROWS, PERIODS, strict=True):
        assert (row[period:] == row[:-period]).all() and row.min() >= 2 and row.max() < N_WORDS
        assert any((row[step:] != row[:-step]).any() for step in range(1, period))
    assert len(set(PERIODS)) > 5


def test_a_perfect_head_scores_one_and_an_even_one_little():
    n = ROWS.shape[1]
    weights = np.zeros((len(ROWS), 2, 2, n, n))
    weights[:, 0, 0] = np.eye(n, k=-1)  # looks at the token before
    weights[:, 0, 1] = np.tri(n) / np.arange(1, n + 1)[:, None]
    for row, period in enumerate(PERIODS):
        weights[row, 1, 0] = np.eye(n, k=1 - period)
    scores = induction_scores(weights, PERIODS)
    assert scores[1, 0] == pytest.approx(1) and scores[0, 0] == 0 and 0 < scores[0, 1] < 0.1
    assert previous_scores(weights)[0, 0] == pytest.approx(1) and previous_scores(weights)[1, 0] < 0.1


def test_a_writer_that_knows_nothing_is_at_chance_or_above():
    writer = random_writer(0, n_words=N_WORDS, n_positions=31)
    assert repeat_loss(writer, ROWS, PERIODS) > np.log(N_WORDS - 2) - 0.3
    assert repeat_loss(writer, ROWS, PERIODS) != repeat_loss(writer, ROWS, PERIODS, [(0, 0)])
    columns = {name for name in load_study("induction_study")[0] if not name[-1].isdigit()}  # the others are of a tenth
    assert set(writer_study.heads_of(writer, ROWS, PERIODS)) == columns - {"seed"}


def test_the_shipped_writer_of_repeating_rows_is_seed_0_of_the_study():
    study, shipped = load_study("induction_study")[0], load_writer(DATA / "induction.npz")
    probe = repeated_rows(writer_study.N_ASKED, writer_study.NEW_SEED)
    found = writer_study.heads_of(shipped, *probe)
    assert found == pytest.approx({name: study[name] for name in found}, abs=1e-3)
