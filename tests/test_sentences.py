"""The course's sentences: the numbers that the lessons promise come out of the vectors."""

import numpy as np
import pytest

from course_utils import sentences
from course_utils.attention import causal_mask, scaled_dot_product_attention
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW

GOOD, NOT, SOUNDTRACK, AMAZING = (REVIEW.index(word) for word in ("good", "not", "soundtrack", "amazing"))


def test_the_review_has_its_twelve_tokens_in_order():
    assert " ".join(REVIEW).replace(" ,", ",").replace(" .", ".") == (
        "The movie was not good, but the soundtrack was amazing."
    )
    assert (len(REVIEW), GOOD, NOT, AMAZING) == (12, 4, 3, 10)


def test_good_looks_at_not_and_amazing():
    output, weights = scaled_dot_product_attention(*sentences.review_vectors())
    assert weights[GOOD, [NOT, AMAZING]].round(2).tolist() == [0.67, 0.33]
    np.testing.assert_allclose(output[GOOD], [0.99999467, 0.33023767], atol=5e-9)


def test_the_first_look_gives_the_three_shares():
    _, weights = scaled_dot_product_attention(*sentences.first_look())
    assert weights[0].round(2).tolist() == [0.46, 0.32, 0.22]


def test_the_masked_review_gives_the_usual_rows():
    _, weights = scaled_dot_product_attention(*sentences.masked_review_vectors(), mask=causal_mask(12))
    assert weights[0, 0] == 1
    assert weights[GOOD].round(2).tolist() == [0.14, 0.14, 0.14, 0.29, 0.29] + 7 * [0]
    assert weights[SOUNDTRACK, SOUNDTRACK].round(2) == 1
    assert weights[AMAZING, [SOUNDTRACK, AMAZING]].round(2).tolist() == [0.5, 0.5]


def test_the_conceptual_row_is_a_row_of_weights_that_the_vectors_do_not_give():
    assert len(CONCEPTUAL_ROW) == len(REVIEW)
    assert sum(CONCEPTUAL_ROW) == pytest.approx(1) and CONCEPTUAL_ROW[NOT] == max(CONCEPTUAL_ROW) == 0.55
    _, weights = scaled_dot_product_attention(*sentences.review_vectors())
    assert np.abs(weights[GOOD] - CONCEPTUAL_ROW).max() > 0.1


@pytest.mark.parametrize("make", [sentences.first_look, sentences.review_vectors, sentences.masked_review_vectors])
def test_each_call_gives_fresh_arrays(make):
    first = make()
    for array in first:
        array += 1  # what a student does to the arrays must not reach the next cell
    assert not any((a == b).all() for a, b in zip(first, make(), strict=True))
