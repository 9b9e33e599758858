"""TheMachine as Python sees it: what it changes and refuses, its numbers, its code, and the other sentences."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_encoder import TINY

from course_utils.attention import scaled_dot_product_attention, softmax
from course_utils.explorables import TheMachine
from course_utils.explorables.machine_changes import N_OTHERS
from course_utils.explorables.machine_sources import InKernel
from course_utils.layers import layer_norm
from course_utils.models.cls_reader import load_classifier
from course_utils.models.reading import with_weights
from course_utils.models.review_reader import load_reader
from course_utils.models.writer_reader import load_writer
from course_utils.sentences import REVIEW, review_vectors
from course_utils.tasks.review_task import NEGATIONS, encode
from course_utils.tasks.writer_task import WORDS

EDGE = (0, 1, 5, 4)  # from "good" to "not"
REVIEW_TEXT = " ".join(REVIEW)
READER, POLES = load_reader(), ("ab", "dcc")


@pytest.mark.parametrize(
    ("model", "text", "tokens", "hide"),
    [
        (READER, REVIEW_TEXT, encode(REVIEW), ()),
        (READER, REVIEW_TEXT, encode(REVIEW), [EDGE]),
        (READER, REVIEW_TEXT, encode(REVIEW), [EDGE, (1, 2), (1, 0, 0, 12)]),
        (load_classifier("usual"), "7 42 19 42 3 28", [0, 7, 42, 19, 42, 3, 28], [(0, 0, 0, 4)]),
    ],
)
def test_a_sentence_is_read_as_its_model_reads_it(model, text, tokens, hide):
    hand, before, after = TheMachine(model, text, hide=hide), model([tokens]), model([tokens], hide=hide)
    n = len(text.split()) + 1
    assert hand.tokens == ["[CLS]", *text.split()]
    np.testing.assert_allclose([hand.uncut, hand.answer], [before.probability[0], after.probability[0]], atol=1e-5)
    np.testing.assert_allclose(hand.weights, after.weights[0, :, :, :n, :n], atol=1e-5)


def test_an_encoder_lies_nearer_to_one_of_two_poles():
    hand = TheMachine(TINY, "abcd", poles=POLES, hide=[(0, 1), (1, 0, 2, 3)])

    def vector(text, **changes):
        mean = TINY(text, **changes).hidden.mean(axis=0)
        return mean / np.linalg.norm(mean)

    def lead(**changes):
        left = vector("abcd", **changes)
        return left @ vector("dcc") - left @ vector("ab")

    np.testing.assert_allclose([hand.uncut, hand.answer], [lead(), lead(hide=hand.hide)], atol=1e-12)
    np.testing.assert_allclose(hand.weights, TINY("abcd", hide=hand.hide).weights, atol=1e-12)
    assert hand._told["answers"] == [hand.uncut, hand.answer], "the page gets what Python has"
    assert "No other sentence built like this one is known." in hand.text()


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.floats(0.01, 1), st.integers(2, 6))
def test_a_given_weight_stands_and_the_others_share_the_rest(seed, weight, n):
    rng = np.random.default_rng(seed)
    Q, K, V = (rng.normal(size=(1, 2, n, 3)) for _ in range(3))
    mask = np.ones((1, 2, n, n), bool)
    query, key, hidden = (int(i) for i in rng.integers(0, n, 3))
    mask[0, 1, query, hidden] = False
    output, weights = with_weights([(0, 1, query, key, weight)])[0](Q, K, V, mask)
    before = scaled_dot_product_attention(Q, K, V, mask).weights
    row, old = weights[0, 1, query].copy(), before[0, 1, query]
    rest = [j for j in range(n) if j != key]
    changed = mask[0, 1, query][rest].any()
    assert row.sum() == pytest.approx(1) and (not changed or row[key] == weight)
    if changed:
        np.testing.assert_allclose(row[rest], old[rest] * (1 - weight) / old[rest].sum())
    weights[0, 1, query] = old
    np.testing.assert_array_equal(weights, before)
    np.testing.assert_allclose(output[0, 1, query], row @ V[0, 1])


def test_a_row_whose_other_keys_have_nothing_shares_the_rest_evenly():
    Q, K = np.array([[[[100.0]]]]), np.array([[[[100.0], [0.0], [0.0]]]])  # exp(-10000) is 0
    _, weights = with_weights([(0, 0, 0, 0, 0.5)])[0](Q, K, K, np.array([[[[True, True, False]]]]))
    np.testing.assert_array_equal(weights[0, 0, 0], [0.5, 0.5, 0])


def test_the_others_have_the_same_build_and_other_words():
    hand = TheMachine(READER, hide=[EDGE])
    others, before, after = hand.others()
    assert len(others) == N_OTHERS == len({" ".join(words) for words in others})
    for words in others:
        assert words[0] == "The" and words[3] in NEGATIONS and words[3] != "not" and len(words) == len(REVIEW)
    tokens = [encode(words) for words in others]
    np.testing.assert_allclose(before, READER(tokens).probability, atol=1e-5)
    np.testing.assert_allclose(after, READER(tokens, hide=hand.hide).probability, atol=1e-5)
    turned = int(((before >= 0.5) != (after >= 0.5)).sum())
    alike = int((before < 0.5).sum())
    assert f"Of {N_OTHERS} other sentences built like this one, {alike} get the same answer uncut." in hand.text()
    assert f"The same changes turn {turned} of their answers;" in hand.text()


@pytest.mark.parametrize(
    "name, value", [("sentence", "The moovie ."), ("hide", [(2, 0)]), ("given", [EDGE]), ("layer", 2), ("key", 13)]
)
def test_what_is_refused_later_changes_nothing(name, value):
    hand = TheMachine(READER)
    before = hand.text()
    with pytest.raises(ValueError, match=name):
        setattr(hand, name, value)
    assert hand.text() == before


def test_a_shorter_sentence_takes_along_what_stood_behind_its_end():
    hand = TheMachine(READER, hide=[(0, 1, 5, 12), (0, 1, 3, 2), (1, 0)], given=[(0, 0, 12, 1, 0.5)], query=12, key=11)
    hand.sentence = "The movie was good ."
    assert (hand.hide, hand.given, hand.query, hand.key) == (((1, 0), (0, 1, 3, 2)), (), 5, 5)
    assert hand.text() and hand.figure()


def test_another_sentence_keeps_the_changes_at_the_same_tokens_and_counts_the_others():
    hand = TheMachine(
        READER, hide=[EDGE, (0, 1, 3, 2), EDGE, [np.int64(0), 1, 3, 1], (1, 0)], given=[(0, 0, 6, 4, 0.5)]
    )
    assert hand.hide == ((1, 0), (0, 1, 3, 1), (0, 1, 3, 2), EDGE), "sorted, and each once"
    hand.sentence = "The film was not good , but the soundtrack was amazing ."
    assert (hand.hide, hand.given) == (((1, 0), (0, 1, 3, 1), EDGE), ((0, 0, 6, 4, 0.5),))
    assert hand._given_back["count"] == 1
    hand.sentence = "The soundtrack was amazing , but the movie was not good ."
    assert (hand.hide, hand.given, hand._given_back["count"]) == (((1, 0), (0, 1, 3, 1)), (), 2)
    hand.reset()
    assert EDGE in hand.hide and hand.given, "a reset brings its changes along"


def test_a_typed_sentence_is_answered_by_the_kernel_with_what_fits_or_why_not():
    hand = TheMachine(TINY, "abcd", poles=POLES, hide=[(0, 1, 0, 1), (0, 1, 2, 3), (1, 0)])
    hand._typed = {"sentence": "abdd", "count": 1}
    assert hand.hide == ((1, 0), (0, 1, 0, 1)) and hand._told["state"]["hide"] == [[1, 0], [0, 1, 0, 1]]
    assert hand._given_back == {"count": 1, "left": ["abdd", [[1, 0], [0, 1, 0, 1]], []]}
    hand._typed = {"sentence": "abcdabcdabcd", "count": 2}
    assert hand._problem["count"] == 2 and "at most 6 tokens" in hand._problem["said"] and hand.sentence == "abdd"
    hand._typed = {"sentence": "dcba", "count": 3}
    assert hand._problem == {"count": 3, "said": ""} and hand._told["tokens"] == list("dcba")


def test_the_others_are_told_each_time_that_the_page_asks(monkeypatch):
    monkeypatch.setattr(InKernel, "kinds", [[("abcd",), ("dcba",), ("ccba",)]])
    hand = TheMachine(TINY, "abcd", poles=POLES)
    for count, hide in enumerate(([(0, 1)], [], [(0, 1)])):
        hand.hide = hide
        assert "others" not in hand._told
        hand._asked = {"state": hand._told["state"] | {"key": 0}, "count": f"{count}, of a state that is gone"}
        assert "others" not in hand._told
        hand._asked = {"state": hand._told["state"], "count": count}
        found, before, after = hand.others()
        assert len(found) == 2 and hand._told["others"] == [before.tolist(), after.tolist()]
        assert (before != after).all() == bool(hide)


def test_a_hidden_word_is_hidden_as_the_model_hides_it_and_in_all_rows():
    hand = TheMachine(READER, hide=[(None, None, None, 4), (1, None, 0, 5)])
    assert (hand.weights[..., 4] == 0).all() and (hand.weights[1, :, 0, 5] == 0).all()
    np.testing.assert_allclose(hand.answer, READER([encode(REVIEW)], hide=hand.hide).probability[0], atol=1e-5)
    with pytest.raises(ValueError, match="at most 12 of the 13 keys"):
        hand.hide = [(None, None, None, key) for key in range(13)]
    hand.sentence = "The movie was very good , but the soundtrack was amazing ."
    assert hand.hide == ((1, None, 0, 5),), "the hidden word is gone"


CLASSIFIER, WRITER = load_classifier("usual"), load_writer()
EVERY = [
    (READER, None, [EDGE, (1, 2), (None, None, None, 7)], [(0, 0, 6, 4, 0.5)]),
    (CLASSIFIER, None, [(0, 0, 0, 2)], [(0, 0, 0, 4, 0.25), (0, 0, 3, 1, 1.0)]),
    (WRITER, "[praise] The movie was not", [(1, 0), (0, 1, 4, 1)], [(0, 2, 3, 3, 0.9)]),
    (review_vectors(), REVIEW, [(0, 0, 4, 3), (None, None, None, 0)], [(0, 0, 4, 10, 0.4)]),
    (review_vectors(), REVIEW, [(0, 0)], []),
]


@pytest.mark.parametrize(("model", "sentence", "hide", "given"), EVERY)
def test_the_code_does_what_the_hand_did(model, sentence, hide, given):
    for change in ({"hide": hide}, {"given": given}, {"hide": hide, "given": given}, {}):
        hand = TheMachine(model, sentence, **change)
        names = {"model": model, "Q": model[0], "K": model[1], "V": model[2]} if isinstance(model, tuple) else {}
        *before, last = hand.code.splitlines()
        exec_lines = "\n".join([*before, last if names and "output" in last else f"result = {last}"])
        space = names | {"model": model}
        exec(exec_lines, space)
        if isinstance(hand.answer, np.ndarray):
            np.testing.assert_allclose(space["output"][hand.query], hand.answer, atol=1e-6)
            continue
        n, reading = len(hand.tokens), space["result"]
        np.testing.assert_allclose(reading.weights[0, :, :, :n, :n], hand.weights, atol=1e-5)
        if reading.probability is not None:
            np.testing.assert_allclose(reading.probability[0], hand.answer, atol=1e-5)


@pytest.mark.parametrize(("model", "sentence", "hide", "given"), EVERY[:3])
def test_the_numbers_on_their_way_lead_from_one_layer_to_the_next(model, sentence, hide, given):
    hand = TheMachine(model, sentence, hide=hide, given=given)
    passes, blocks = hand.source.passes(hand.sentence, hand.hide, hand.given), hand.source.blocks
    for at, following in pairwise(passes):
        np.testing.assert_array_equal(at.out, following.X)
    for layer, (at, block) in enumerate(zip(passes, blocks, strict=True)):
        np.testing.assert_allclose(at.weights, hand.weights[layer])
        np.testing.assert_allclose(at.mixed, at.weights @ at.V)
        X = at.X + at.brought
        if block.norm == "after":
            X = layer_norm(X, *block.norms[0], block.epsilon)
        if block.feed_forward:
            X = X + block.feed_forward(layer_norm(X, *block.norms[1], block.epsilon))
        np.testing.assert_allclose(at.out, X, atol=1e-9)


def test_vectors_made_by_hand_give_the_output_of_lesson_05_and_of_a_sentence_without_not():
    hand = TheMachine(review_vectors(), REVIEW)
    np.testing.assert_allclose(hand.answer, [0.99999467, 0.33023767], atol=1e-7)
    assert hand.text().count("(1.00, 0.33)") == 2 and "0.67 · (1.00, 0.00) + 0.33 · (1.00, 1.00)" in hand.text()
    hand.hide = [(0, 0, 4, 3)]
    np.testing.assert_allclose(hand.answer, [1, 1], atol=1e-3)
    hand.sentence = "The movie was good , but the soundtrack was amazing ."
    assert hand.hide == () and hand.tokens[3] == "good"


def test_a_writer_says_the_next_word_and_how_probable_its_choice_still_is():
    hand = TheMachine(WRITER, "[blame] The movie was very", hide=[(1, 0)])
    ids = [[WORDS.index(word) for word in hand.tokens]]
    before, after = (softmax(WRITER.next_scores(WRITER(ids, hide=h).hidden)[0, -1]) for h in ((), hand.hide))
    np.testing.assert_allclose([hand.uncut, hand.answer], [before.max(), after[before.argmax()]], atol=1e-5)
    assert f"With the changes: {WORDS[after.argmax()]}, the probability of" in hand.text()


def test_notebooks_of_version_2_are_told_what_took_the_place_of_cut_by_hand(capsys):
    from course_utils.explorables import CutByHand

    assert CutByHand is TheMachine and "TheMachine took the place of CutByHand" in capsys.readouterr().out
