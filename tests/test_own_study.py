"""A study of one's own: a claim that was changed is found out, and no held-out sentence is known."""

import numpy as np
import pytest

from course_utils.models.own_study import file_claim, load_examples, without_known
from course_utils.tasks.cls_task import Task, best_counter, make_task

CLAIM = {"places": [5], "at_least": 0.5, "seeds": 4, "refuted_by": "Less than half of the weight on two seeds."}


@pytest.mark.parametrize(
    "changed", [{"places": [4]}, {"at_least": 0.45}, {"seeds": 3}, {"refuted_by": "Less than half on two seeds."}]
)
def test_a_changed_claim_has_other_signs(changed):
    assert file_claim(CLAIM | changed) != file_claim(CLAIM)
    again = {name: CLAIM[name] for name in reversed(CLAIM)} | {"places": np.array([5]), "seeds": np.int64(4)}
    assert file_claim(again) == file_claim(CLAIM)  # the same claim, written in another way


@pytest.mark.parametrize("claim", [..., [5], {"places": {5: {1}}, "more": object()}])
def test_what_is_no_claim_is_refused(claim):
    if isinstance(claim, dict):
        claim["itself"] = claim
    with pytest.raises(ValueError, match="a dict of numbers, texts and lists"):
        file_claim(claim)


def test_known_sentences_are_left_out_with_their_labels_and_the_question_stays():
    task = make_task(300, question=lambda tokens: tokens[:, 1] > 25)
    rest = without_known(task, np.concatenate([task.tokens[::2], task.tokens[:1]]))
    np.testing.assert_array_equal(rest.tokens, task.tokens[1::2])
    np.testing.assert_array_equal(rest.labels, task.labels[1::2])
    assert isinstance(rest, Task) and rest.question == task.question
    assert 0 < best_counter(rest) < 1


def test_each_finished_study_has_five_seeds_and_weights_that_sum_to_1():
    rows = load_examples()
    assert len(rows) == 10
    np.testing.assert_allclose([sum(row[f"look_{place}"] for place in range(7)) for row in rows], 1, atol=1e-3)
