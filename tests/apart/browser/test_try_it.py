"""Every "Try it" with an explorable, done as its words say, with the outcome that its words promise.

A test's first line names its lesson and its heading; tests/apart/test_tried_in_code.py holds that none is missing.
"""

import functools

import numpy as np
import pytest
from explorable_text import text
from runner.in_process import space_of
from test_attention_explorer import REVIEW
from test_cut_by_hand import SAYS, hand_of, settled
from test_head_gallery import cell

from course_utils.cls_reader import load_training
from course_utils.cls_task import make_task
from course_utils.encoder import load_encoder, weights_folder
from course_utils.explorables import AttentionExplorer, CutByHand, NextWord, TrainingReplay
from course_utils.explorables.base import format_number
from course_utils.review_task import BAD, GOOD
from course_utils.sentences import CONCEPTUAL_ROW
from course_utils.writer_reader import load_writer


def weights(page, table=".look-steps"):
    """The weights in the last column of a table, by default AttentionExplorer's, of the token that is chosen."""
    return [float(x) for x in page.locator(f"{table} tbody td:last-child").all_text_contents()]


def test_two_arrows(static):
    """01: two arrows in your hand"""
    page = static(space_of("01", "pad = VectorPad(")["pad"])
    big = page.locator(".look-big")
    tips = page.locator(".look-handle")
    tips.nth(1).focus()
    for _ in range(60):
        if big.text_content().endswith("= 0.00"):
            break
        page.keyboard.press("ArrowDown")
    assert big.text_content().endswith("= 0.00") and "angle 90.0°" in text(page)
    page.get_by_role("button", name="180°").click()
    assert "they disagree" in text(page) and "angle 180.0°" in text(page)
    page.get_by_role("button", name="Reset").click()
    before = text(page).splitlines()
    tips.nth(0).focus()
    for _ in range(60):
        if "(2.00, 4.00)" in text(page):
            break
        page.keyboard.press("ArrowRight" if "(2.00," not in text(page).splitlines()[0] else "ArrowUp")
    after = text(page).splitlines()
    assert after[0] == "a = (2.00, 4.00), length 4.47" and before[0] == "a = (1.00, 2.00), length 2.24"
    assert before[2].endswith("= 3.00: they agree") and after[2].endswith("= 6.00: they agree")
    cosine = [line.split("cosine ")[1].split(",")[0] for line in (before[3], after[3])]
    assert cosine[0] == cosine[1]


def test_turn_the_temperature(static):
    """02: turn the temperature"""
    page = static(space_of("02", "dial = SoftmaxDial(")["dial"])
    shown = functools.partial(weights, page, ".look-keys")
    dial = page.get_by_label("temperature")
    dial.press("Home")
    assert max(shown()) == 1
    dial.press("End")
    assert max(shown()) - min(shown()) < 0.03
    page.get_by_role("button", name="Reset").click()
    page.locator(".look-score").nth(2).press("End")
    assert shown()[2] > 0.9


def test_one_row_any_d_k(static):
    """03: one row, any d_k"""
    page = static(space_of("03", "dial = SoftmaxDial(")["dial"])
    shown = functools.partial(weights, page, ".look-keys")
    d_k, before = page.get_by_label("d_k", exact=True), shown()
    for key in ("Home", "End"):
        d_k.press(key)
        assert shown() == before
    page.get_by_label("divide by").uncheck()
    gradient = page.locator(".look-readout td").nth(1)
    found = []
    d_k.press("Home")
    for _ in range(11):
        found.append((max(shown()), float(gradient.text_content().split()[0])))
        d_k.press("ArrowRight")
    tops, sizes = zip(*found, strict=True)
    assert max(tops) >= 0.95 and max(sizes) > 2 * min(sizes)


def test_four_steps(static):
    """04: the four steps with your own numbers"""
    page = static(space_of("04", "explorer = AttentionExplorer(")["explorer"])
    told = []
    for name in ("1 Project", "2 Score", "3 Normalise", "4 Mix"):
        page.get_by_role("button", name=name).click()
        told.append(page.locator(".look-says").text_content())
    assert all(told) and len(set(told)) == 4
    page.get_by_role("radio", name="Cats").click()
    assert text(page).startswith("Cats looks")
    page.get_by_role("radio", name="they").click()
    page.get_by_role("button", name="1 Project").click()
    words = page.locator(".look-asker").all_text_contents()
    for number in (1, 2):
        page.get_by_label(f"key k of play, number {number}", exact=True).fill("9")
    looked = weights(page)
    assert words[int(np.argmax(looked))] == "play"


def test_reach_the_table(static):
    """05: reach the table by hand"""
    page = static(AttentionExplorer(query=4, step="score"))
    before = weights(page)
    page.get_by_label("key k of not, number 2", exact=True).fill("15")
    after = weights(page)
    assert after[3] < before[3] and sum(b > a for a, b in zip(before, after, strict=True)) >= 1
    page.get_by_role("button", name="Reset").click()
    wanted, row = np.array(CONCEPTUAL_ROW), weights(page)
    assert np.argmax(row) == 3
    said = page.locator(".look-game").text_content()
    assert said.split(" is furthest off")[0].split()[-1] in REVIEW
    scores = np.log(wanted) - np.log(wanted[3])  # the rule: a key counts by the logarithm of its weight
    query = AttentionExplorer(query=4).Q[4]
    for j, score in enumerate(scores):
        other = 0 if abs(query[0]) > abs(query[1]) else 1
        for number in (0, 1):
            value = score * np.sqrt(2) / query[other] if number == other else 0
            label = f"key k of {REVIEW[j]}, number {number + 1}"
            page.get_by_label(label, exact=True).nth(REVIEW[:j].count(REVIEW[j])).fill(f"{value:.6f}")
    assert "reached" in page.locator(".look-game").text_content()


def test_masks(static):
    """06: masks on and off"""
    page = static(space_of("06", "masks = AttentionExplorer(")["masks"])
    assert text(page).startswith("good looks")
    before = weights(page)
    page.get_by_label("causal mask").check()
    after = weights(page)
    assert after[5:] == [0] * 7 and after[3] > before[3]
    page.get_by_role("radio", name="The").first.click()
    assert weights(page)[0] == 1
    page.get_by_role("radio", name="amazing").click()
    assert weights(page)[11] == 0 < weights(page)[10]
    page.get_by_label("causal mask").uncheck()
    page.get_by_label("padding mask").fill("4")
    for word in ("good", "amazing", "The"):
        page.get_by_role("radio", name=word).first.click()
        assert weights(page)[8:] == [0] * 4, "amazing is hidden from all"


def test_heads_beside_each_other(static):
    """07: the heads beside each other"""
    strongest = []
    for change in (("", ""), ("W_Q = 20 *", "W_Q = 2 *")):
        space = space_of("07", "gallery = HeadGallery(", change)
        page = static(space["gallery"])
        for head in range(3):
            page.mouse.click(*cell(page.locator(".look-gallery canvas"), 0, head, 1, 3))
            page.get_by_role("radio", name="sat").hover()
            assert text(page).startswith(f"Layer 0, head {head}")
            shown = page.locator(".look-looked small").all_text_contents()
            assert shown == [format_number(weight) for weight in space["weights"][head, 2]]
            strongest.append(float(max(shown)))
    sharp, flat = strongest[:3], strongest[3:]
    assert min(sharp[:2]) > 0.9 and max(flat) < 0.35, "with 2 all three look nearly everywhere"


def test_epoch_by_epoch(static):
    """13: epoch by epoch"""
    models, task = load_training("focused"), make_task(5000, decoys=0.5, seed=1)
    page = static(TrainingReplay(models, task, epoch=0))
    page.locator(".look-epochs button").click()
    page.wait_for_function("() => /epoch 12\\b/i.test(document.querySelector('.look-text').textContent)")
    decoys = [42, 42, 42, 7, 42, 42]
    for place, token in enumerate(decoys, 1):
        page.get_by_label(f"token at position {place}").fill(f"{token}")
    slider, believed = page.get_by_role("slider", name="epoch"), []
    slider.press("Home")
    for epoch in range(13):
        replay = TrainingReplay(models, task, epoch=epoch, tokens=[0, *decoys])
        assert text(page) == replay.text()
        if page.locator(".look-reply strong").first.text_content() == "yes":
            believed.append(epoch)
        slider.press("ArrowRight")
    assert believed == [0, 1, 2]
    assert replay.accuracy[2] > 0.9 and replay.weights[2][0, 4] < 0.4, "a high accuracy comes first"


def test_fool_the_model(static):
    """14: fool the model yourself"""
    tokens = make_task(seed=1).tokens
    page = static(TrainingReplay(load_training("usual"), make_task(seed=1), tokens=tokens[0]))
    answer = page.locator(".look-reply strong").first

    def needed():
        """How many times 42 has to be written until the model says yes."""
        said = [answer.text_content()]
        for place in (1, 2, 3, 5, 6):
            page.get_by_label(f"token at position {place}").fill("42")
            said.append(answer.text_content())
        return said.index("yes")

    assert needed() == 4, "four decoys look like one 42 at position 4"
    page.get_by_role("button", name="Reset").click()
    slider = page.get_by_role("slider", name="epoch")
    slider.press("Home")
    for _ in range(3):
        slider.press("ArrowRight")
    assert text(page).startswith("Epoch 3 of 10,") and "accuracy 1.00" in text(page).splitlines()[0]
    assert needed() == 3


def test_drag_a_weight(static):
    """14: drag a weight"""
    page = static(CutByHand(load_training("usual")[-1], "7 42 19 42 3 28"))
    slider = page.get_by_label("weight of 42 (4)")
    assert slider.get_attribute("aria-valuetext") == "0.52"
    for weight, said in (("0.3", "yes"), ("0.2", "no"), ("1", "yes")):
        slider.fill(weight)
        assert page.evaluate(SAYS)[1].startswith(said), weight
        assert "100 other sentences" in settled(page)
    page.get_by_label("sentence", exact=True).fill("7 42 42 13 42 28")
    page.keyboard.press("Enter")
    assert [one.split(" ")[0] for one in page.evaluate(SAYS)] == ["no", "no"], "nothing is left of the change"
    page.get_by_label("weight of 13 (4)").fill("0.5")
    assert page.evaluate(SAYS)[1].startswith("yes")


def test_cut_the_reviewer_by_hand(static):
    """15: cut by hand"""
    page = static(hand_of())
    assert page.locator(".look-dims span").count() == 8
    canvas = page.locator(".look-cut-left canvas")
    page.mouse.click(*cell(canvas, 5, 4, 13, 13))
    assert page.evaluate(SAYS)[1].startswith("praise") and "turn 100 of their answers" in settled(page)
    page.mouse.click(*cell(canvas, 5, 4, 13, 13))
    for weight, said in (("0.2", "blame"), ("0.15", "praise")):
        page.get_by_label("weight of not (4)").fill(weight)
        assert page.evaluate(SAYS)[1].startswith(said), weight
    hand, found = hand_of(), []
    n_layers, n_heads, n, _ = hand.weights.shape
    assert n_layers * n_heads * n * n == 1014
    for edge in np.ndindex(n_layers, n_heads, n, n):
        hand.hide = [tuple(map(int, edge))]
        found += [edge] if hand.answer >= 0.5 else []
    assert found == [(0, 1, 5, 4), (1, 1, 0, 5)], "one more edge, a look of [CLS] in layer 1"
    page.get_by_label("sentence", exact=True).fill("The soundtrack was amazing, but the movie was not good.")
    page.keyboard.press("Enter")
    other = CutByHand(hand_of().source.model, "The soundtrack was amazing , but the movie was not good .")
    query, key = other.tokens.index("good"), other.tokens.index("not")
    page.mouse.click(*cell(canvas, query, key, 13, 13))
    assert "turn 100 of their answers" not in settled(page)


def test_write_with_it(static):
    """17: write with it"""
    one = NextWord(load_writer(), "blame", ["The", "movie", "was", "very"])
    page = static(one)

    def share(words):
        rows = page.locator(".look-next").all()
        pairs = [(row.locator("bdi").text_content(), float(row.locator("span").last.text_content())) for row in rows]
        return sum(p for word, p in pairs if word in words)

    assert share(BAD) > 0.9
    verdict = page.get_by_role("switch", name="layer 1, head 0")
    verdict.uncheck()
    assert share(GOOD) > 0.9, "the verdict needs it, and the grammar does not"
    verdict.check()
    page.get_by_role("switch", name="layer 0, head 0").uncheck()
    assert share(BAD) + share(GOOD) < 0.6, "the grammar needs the other one"
    page.get_by_role("button", name="Reset").click()
    page.get_by_role("button", name="was, weight").click()
    page.get_by_role("button", name="write not probability").click()
    assert share(GOOD) > share(BAD)
    for temperature in ("0.3", "2"):
        page.get_by_role("button", name="Reset").click()
        page.get_by_label("temperature").fill(temperature)
        for _ in range(22):
            if page.get_by_role("button", name="Sample").get_attribute("aria-disabled") == "true":
                break
            page.get_by_role("button", name="Sample").click()
        assert page.get_by_role("button", name="Sample").get_attribute("aria-disabled") == "true"


@pytest.mark.skipif(weights_folder() is None, reason="the package of model.lock is not installed")
def test_cut_the_encoder_by_hand():
    """18: cut by hand

    The page asks the kernel for each number, which test_cut_by_hand.py drives; here they are asked for in Python.
    """
    hand = CutByHand(load_encoder(), "The movie was not good.", poles=("The movie was good.", "The movie was bad."))
    assert (hand.layer, hand.head) == (0, 2) and (hand.tokens[hand.query], hand.tokens[hand.key]) == ("good", "not")
    assert f"{hand.uncut:.3f}" == "0.108"
    hand.hide = [(0, 2, hand.query, hand.key)]
    assert f"{hand.answer:.3f}" == "0.101"
    hand.hide = [(5, 9), (2, 1)]
    assert hand.answer < 0
    others, uncut, _ = hand.others()
    assert len(others) == 100 and "The soup was not hot ." in [sentence for sentence, _ in others]
    assert (uncut > 0).sum() == 5, "five lie nearer to the contrary"
