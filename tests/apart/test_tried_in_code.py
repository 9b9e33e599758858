"""Each "Try it" with an outcome that its words, or those after it, promise: done as they say, in Python.

The page of each explorable is driven in tests/apart/browser.
"""

import numpy as np
import pytest
from runner.in_process import space_of

from course_utils.explorables import AttentionExplorer, NextWord, TheMachine, TrainingReplay
from course_utils.models.cls_reader import load_training
from course_utils.models.encoder import load_encoder, stored_sentence, weights_folder
from course_utils.models.review_reader import load_reader
from course_utils.models.writer_reader import load_writer
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW, review_vectors
from course_utils.tasks.cls_task import make_task
from course_utils.tasks.review_task import BAD, GOOD


def test_a_key_that_is_the_logarithm_of_its_weight_reaches_the_table():
    """05: reach the table by hand"""
    game = AttentionExplorer(query=4, step="score")
    before, keys = game.weights[4], game.K.copy()
    keys[3, 1] = 15
    game.K = keys
    assert game.weights[4, 3] < before[3] and (game.weights[4] > before).any()
    assert game.text().split("Game: ")[1].split(" (")[0] in REVIEW
    scores = np.log(CONCEPTUAL_ROW) - np.log(CONCEPTUAL_ROW[3])
    game.K = np.sqrt(2) * np.outer(scores, game.Q[4]) / (game.Q[4] @ game.Q[4])
    assert "Game: reached" in game.text()


def test_one_line_of_the_picture_is_cut():
    """05: cut a line"""
    machine = TheMachine(review_vectors(), REVIEW)
    assert (machine.tokens[machine.query], machine.tokens[machine.key]) == ("good", "not")
    assert machine.uncut.round(2).tolist() == [1.00, 0.33]
    machine.hide = [(0, 0, 4, 3)]
    assert machine.answer.round(2).tolist() == [1.00, 1.00] and machine.weights[0, 0, 4, 10] > 0.99
    for weight in (0.05, 0.3, 0.9):
        machine.hide, machine.given = [], [(0, 0, 4, 3, weight)]
        assert abs(machine.answer[0] - 1) < 1e-3 and abs(machine.answer[1] - (1 - weight)) < 1e-3


@pytest.mark.parametrize("training", ["usual", "focused"])
def test_without_its_line_to_position_4_a_classifier_says_no(training):
    """12: cut what it looks at; 13: a model with one line"""
    machine = TheMachine(load_training(training)[-1], "7 42 19 42 3 28")
    assert (machine.query, machine.key) == (0, 4)
    machine.hide = [(0, 0, 0, 4)]
    assert machine.answer < 0.5 < machine.uncut
    machine.hide = [(None, None, None, 2)]
    assert machine.answer > 0.5


def test_one_line_carries_the_order_to_a_writer():
    """17: cut the order"""
    machine = TheMachine(load_writer(), "[blame] The movie was very")
    assert (machine.layer, machine.head, machine.key) == (1, 0, 0) and machine.weights[1, 0, -1, 0] > 0.99
    machine.hide = [(1, 0, machine.query, 0)]
    says = machine.text().split("With the changes: ")[1].split(",")[0]
    assert says in GOOD and machine.text().split("The model says: ")[1].split(",")[0] in BAD
    obeyed = []
    for head in np.ndindex(machine.weights.shape[:2]):
        machine.hide = [tuple(map(int, head))]
        says = machine.text().split("With the changes: ")[-1].split(",")[0]
        obeyed += [head] if says in GOOD else []
    assert obeyed == [(1, 0)]


def test_another_start_leaves_the_pictures_alike():
    """11: another start"""
    last, change = "reactions = {name: reaction(*how)", ("32, seed) for seed", "32, 100 + seed) for seed")
    first, other = (space_of("11", last, how)["reactions"] for how in (("", ""), change))
    assert len(first) == 5
    for name, reaction in first.items():  # each stays a curve of its kind: it explodes, fades, or neither
        sizes = [np.log10(one[24]) for one in (reaction, other[name])]
        assert abs(sizes[0] - sizes[1]) < 0.2 * max(10, *map(abs, sizes)), name


def test_with_a_second_head_attention_alone_gets_all_four():
    """11: a second head"""
    change = ('"n_heads": 1, "norm": "none"', '"n_heads": 2, "norm": "none"')
    found = space_of("11", "answers prediction 3", change, skip=("depth=24", "accuracies"))
    trained = found["train_stack"](found["reviews"], found["verdicts"], feed_forward=False, **found["ten"])
    assert [found["right"](model, False) for model in trained].count(4) > 5, "with most seeds"


def test_a_high_accuracy_comes_before_a_sharp_look():
    """13: epoch by epoch"""
    replay = TrainingReplay(
        load_training("focused"), make_task(5000, decoys=0.5, seed=1), tokens=[0, 42, 42, 42, 7, 42, 42]
    )
    believed = []
    for replay.epoch in range(13):
        believed += [replay.epoch] if replay.answer >= 0.5 else []
    assert believed == [0, 1, 2]
    assert replay.accuracy[2] > 0.9 and replay.weights[2][0, 4] < 0.4


def test_decoys_fool_the_usual_model_and_an_earlier_epoch_with_fewer():
    """14: fool the model yourself"""
    task = make_task(seed=1)
    replay = TrainingReplay(load_training("usual"), task, tokens=task.tokens[0])
    needed = []
    for replay.epoch in (10, 3):
        replay.tokens, n_decoys = task.tokens[0], 0
        while replay.answer < 0.5:
            tokens = replay.tokens.copy()
            tokens[[1, 2, 3, 5, 6][n_decoys]] = 42
            replay.tokens, n_decoys = tokens, n_decoys + 1
        needed.append(n_decoys)
    assert needed == [4, 3] and replay.accuracy[3] > 0.995


def test_a_weight_at_position_4_turns_the_answer():
    """14: force a weight"""
    hand = TheMachine(load_training("usual")[-1], "7 42 19 42 3 28")
    assert f"{hand.weights[0, 0, 0, 4]:.2f}" == "0.52" and len(hand.others()[0]) == 100
    for weight, yes in ((0.3, True), (0.2, False), (1, True)):
        hand.given = [(0, 0, 0, 4, weight)]
        assert (hand.answer >= 0.5) == yes, weight
    hand.sentence = "7 42 42 13 42 28"
    assert hand.given == () and hand.answer < 0.5, "nothing is left of the change"
    hand.given = [(0, 0, 0, 4, 0.5)]
    assert hand.answer >= 0.5


def test_one_look_from_good_to_not_carries_the_verdict():
    """15: cut by hand"""
    hand, found = TheMachine(load_reader(), layer=0, head=0, query=5, key=2), []
    assert hand.weights[0, 0, 5, 2] > 0.99, "good looks at movie with all its weight"
    hand.hide = [(0, 0, 5, 2)]
    assert hand.answer < 0.5
    hand.hide = [(0, 1, 5, 4)]
    assert hand.uncut < 0.5 < hand.answer and "turn 100 of their answers" in hand.text()
    hand.hide = []
    for weight, praise in ((0.2, False), (0.15, True)):
        hand.given = [(0, 1, 5, 4, weight)]
        assert (hand.answer >= 0.5) == praise, weight
    hand.given = []
    for edge in np.ndindex(hand.weights.shape):
        hand.hide = [tuple(map(int, edge))]
        found += [edge] if hand.answer >= 0.5 else []
    assert hand.weights.size == 1014 and found == [(0, 1, 5, 4), (1, 1, 0, 5)], "one more edge, a look of [CLS]"
    other = TheMachine(load_reader(), "The soundtrack was amazing , but the movie was not good .")
    other.hide = [(0, 1, other.tokens.index("good"), other.tokens.index("not"))]
    assert "turn 100 of their answers" not in other.text()


def test_the_verdict_needs_one_head_and_the_grammar_another():
    """18: write with it"""
    one = NextWord(load_writer(), "blame", ["The", "movie", "was", "very"])

    def share(words):
        return sum(p for word, p in one.next_words if word in words)

    assert share(BAD) > 0.9
    one.hide = [(1, 0)]
    assert share(GOOD) > 0.9
    one.hide = [(0, 0)]
    assert share(BAD) + share(GOOD) < 0.6
    one.hide, one.words = [], ["The", "movie", "was", "not"]
    assert share(GOOD) > share(BAD)


@pytest.mark.skipif(weights_folder() is None, reason="the package of model.lock is not installed")
def test_two_heads_turn_the_verdict_of_the_encoder():
    """19: cut by hand"""
    hand = TheMachine(load_encoder(), "The movie was not good.", poles=("The movie was good.", "The movie was bad."))
    assert (hand.layer, hand.head) == (0, 2) and (hand.tokens[hand.query], hand.tokens[hand.key]) == ("good", "not")
    assert f"{hand.uncut:.3f}" == "0.108"
    hand.hide = [(0, 2, hand.query, hand.key)]
    assert f"{hand.answer:.3f}" == "0.101"
    hand.hide = [(5, 9), (2, 1)]
    assert hand.answer < 0
    others, uncut, _ = hand.others()
    assert len(others) == 100 and "The soup was not hot ." in [sentence for sentence, _ in others]
    assert (uncut > 0).sum() == 5, "five lie nearer to the contrary"


def test_two_heads_of_one_layer_choose_different_animals():
    """19: who is exhausted?"""
    tokens, vectors = stored_sentence("The dog chased the cat until it was exhausted.")
    it, dog, cat = map(tokens.index, ("it", "dog", "cat"))
    machine = TheMachine(vectors, tokens, layer=3, head=1, query=it, key=cat)
    uncut = machine.weights
    assert 0.65 < uncut[3, 1, it, cat] < 0.7, "two thirds"
    assert (uncut[3, :, it, dog] - uncut[3, :, it, cat]).argmax() == 10
    assert [f"{uncut[3, 10, it, animal]:.2f}" for animal in (dog, cat)] == ["0.29", "0.07"]
    machine.hide = [(3, 1, it, cat)]
    assert machine.weights[3, 1, it].argmax() == 0 and 0.4 < machine.weights[3, 1, it, 0] < 0.5, "the sink"
    machine.hide = [(3, 1)]
    assert (machine.weights == uncut).all() and not machine.answer.any()


def test_in_the_next_study_every_seed_looks_at_the_claimed_place_alone():
    """21: the next study"""
    study = space_of("21", "recap()", ("FOCUS = 0 ", "FOCUS = 0.3 "))
    assert study["same"], "the claim is as it was filed"
    assert all(study["holds"]) and study["looks"][:, study["places"]].min() > 0.99
