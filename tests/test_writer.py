"""The writer in NumPy: no look ahead, and what is written. The shipped one is seed 0 of `nox -s writer_study`.

`apart/test_writer_model.py` trains one.
"""

import numpy as np
import pytest

from course_utils.checks.exercises import block_step, write
from course_utils.models.writer_model import build_writer, positions
from course_utils.models.writer_reader import load_writer, save_writer, to_arrays
from course_utils.tasks.review_task import PAD, SEQ_LEN, VOCABULARY, make_reviews
from course_utils.tasks.writer_task import END, WORDS, in_words, judge_by_grammar, text_of, writing_rows

ROWS = writing_rows(make_reviews(200, seed=9))
PRAISE = WORDS.index("[praise]")


@pytest.fixture(scope="module")
def writer():
    return load_writer()


def test_no_row_knows_what_comes_behind_it(writer):
    inputs = ROWS[:20, :10].copy()
    scores = writer.next_scores(writer(inputs).hidden)
    inputs[:, 6] = (inputs[:, 6] + 5) % len(VOCABULARY)
    others = writer.next_scores(writer(inputs).hidden)
    np.testing.assert_allclose(others[:, :6], scores[:, :6], atol=1e-4)
    assert np.abs(others[:, 6:] - scores[:, 6:]).max() > 0.1
    weights = writer(inputs).weights
    assert (np.triu(np.ones((10, 10)), 1) * weights == 0).all()


@pytest.mark.parametrize("causal", [True, False])
def test_without_the_mask_a_model_reads_what_it_is_asked_for(causal):
    model, inputs = build_writer(causal=causal), ROWS[:20, :-1].copy()
    scores = np.asarray(model(inputs))[:, 3]
    inputs[:, 4] = 2
    assert bool(np.abs(np.asarray(model(inputs))[:, 3] - scores).max() > 1e-3) is not causal


def test_the_shipped_writer_writes_reviews(writer):
    rows = writer.write(np.arange(400) % 2, seed=5)
    assert rows.shape == (400, SEQ_LEN) and (rows[:, 0] == len(VOCABULARY) + np.arange(400) % 2).all()
    found = judge_by_grammar(rows, ROWS)
    assert found.accepted.mean() > 0.9
    assert found.obeyed.sum() > 0.95 * found.accepted.sum()
    np.testing.assert_array_equal(writer.write(np.arange(400) % 2, seed=5), rows)
    assert (writer.write(np.arange(400) % 2, seed=6) != rows).any()


def test_a_cold_writer_writes_what_is_most_likely(writer):
    row = writer.most_likely([PRAISE])
    assert row[-1] == END and in_words(row)[0] == "The"
    cold = writer.write([1], temperature=1e-3)[0]
    assert cold[: len(row)].tolist() == row and (cold[len(row) :] == PAD).all()


def test_block_step_with_a_cache_writes_the_same(writer):
    """The solution of lesson 16, token by token, gives the rows of a whole pass."""
    tokens, wanted = ROWS[0, :12], writer([ROWS[0, :12]]).hidden[0]
    caches = [(np.zeros((0, wanted.shape[-1])),) * 2 for _ in writer.blocks]
    for n, token in enumerate(tokens):
        x = writer.tokens[token] + writer.positions[n]
        for layer in range(2):
            x, *caches[layer] = block_step(x, *writer.block_weights(layer), 4, *caches[layer])
        np.testing.assert_allclose(x, wanted[n], atol=1e-3)


def test_the_loop_of_lesson_17_writes_what_whole_passes_write(writer):
    """The solution of `write`, word by word with caches, against the writer's own way, which has none."""
    verdicts, (n, n_positions) = np.arange(20) % 2, (20, SEQ_LEN)
    rng, wanted = np.random.default_rng(5), writer.write(verdicts, seed=5)
    u, active = np.zeros((n, n_positions - 1)), np.arange(n)  # `Writer.write` draws for those that have not ended
    for place in range(n_positions - 1):
        u[active, place] = rng.random((len(active), 1))[:, 0]
        active = active[wanted[active, place + 1] != END]
        if not len(active):
            break
    for row, points in zip(wanted, u, strict=True):
        text = write([int(row[0])], points, 1.0, END, *writer.parts())
        assert [*text, *[PAD] * (n_positions - len(text))] == row.tolist()


def test_a_writer_survives_the_disk_and_takes_longer_texts(writer, tmp_path):
    save_writer(writer, tmp_path / "mine.npz")
    np.testing.assert_equal(to_arrays(load_writer(tmp_path / "mine.npz")), to_arrays(writer))
    longer = writer.with_positions(positions(64, writer.tokens.shape[1]))
    np.testing.assert_allclose(longer(ROWS[:3, :9]).hidden, writer(ROWS[:3, :9]).hidden, atol=1e-5)
    assert longer([[2] * 64]).hidden.shape == (1, 64, writer.tokens.shape[1])


def test_what_is_written_is_held_against_the_grammar():
    rows = ROWS[:4].copy()
    rows[2, 2] = WORDS.index("not")
    found = judge_by_grammar(rows, ROWS[:1])
    assert found.accepted.tolist() == [True, True, False, True]
    assert found.new.tolist() == [False, True, False, True]
    assert found.obeyed.tolist() == [True, True, False, True]
    rows[:, 0] = len(VOCABULARY) + (ROWS[:4, 0] == len(VOCABULARY))  # the contrary was asked for
    assert not judge_by_grammar(rows, ROWS[:1]).obeyed.any()


def test_a_text_of_ones_own_is_every_text_of_a_folder(tmp_path):
    (tmp_path / "a.txt").write_text("one two " * 100, encoding="utf-8")
    (tmp_path / "b.md").write_text("drei " * 100, encoding="utf-8")
    (tmp_path / "c.png").write_bytes(b"no text")
    assert text_of(tmp_path) == "one two " * 100 + "\n" + "drei " * 100
