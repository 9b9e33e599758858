"""TrainingReplay by mouse and by keyboard; its figures, weights and answers are Python's, in every epoch."""

import numpy as np
import pytest
from explorable_text import text
from samples import any_classifier

from course_utils.cls_reader import load_training
from course_utils.cls_task import make_task
from course_utils.explorables import TrainingReplay
from course_utils.plots import WEIGHTS

START = [0, 42, 7, 8, 42, 9, 42]
REPLAY = f"from course_utils.explorables import TrainingReplay\nreplay = TrainingReplay(tokens={START})\nreplay"


def wanted(epoch=12, tokens=START):
    return TrainingReplay(epoch=epoch, tokens=tokens).text()


def at_epoch(page, epoch):
    """The place of an epoch in the chart, in pixels of the page."""
    box = page.locator(".look-curves svg").bounding_box()
    return box["x"] + (34 + epoch / 12 * 194) / 240 * box["width"], box["y"] + box["height"] / 2


def test_epochs_by_keyboard(static):
    page = static(TrainingReplay(tokens=START))
    for _ in range(2):
        page.keyboard.press("Tab")
    for key, epoch in (("Home", 0), ("ArrowRight", 1), ("ArrowUp", 2), ("ArrowLeft", 1), ("End", 12)):
        page.keyboard.press(key)
        assert text(page) == wanted(epoch)
    assert page.evaluate("() => document.activeElement.getAttribute('aria-valuetext')") == "12"


def test_epochs_by_mouse(static):
    page = static(TrainingReplay(tokens=START))
    page.mouse.move(*at_epoch(page, 3.2))
    assert text(page) == wanted(12), "pointing alone changes nothing"
    page.mouse.down()
    assert text(page) == wanted(3)
    page.mouse.move(*at_epoch(page, 6.9))
    assert text(page) == wanted(7)
    page.mouse.move(*at_epoch(page, -0.4))
    page.mouse.up()
    assert text(page) == wanted(0)
    dots = page.locator("circle.look-now").evaluate_all("(all) => all.map((one) => one.getAttribute('cx'))")
    assert dots == ["34", "34"]


def test_tokens_by_keyboard(static):
    page = static(TrainingReplay(tokens=START))
    field = page.get_by_label("token at position 4")
    field.press("ArrowDown")
    assert text(page) == wanted(tokens=[0, 42, 7, 8, 41, 9, 42])
    assert page.locator(".look-reply strong").all_text_contents()[0] == "no"
    field.fill("42")
    assert text(page) == wanted()
    for nothing in ("", "0", "51", "-3", "2.5"):
        field.fill(nothing)
        assert text(page) == wanted(), "what is no token of the vocabulary changes nothing"
    field.blur()
    assert field.input_value() == "42"
    page.get_by_label("token at position 6").fill("1")
    page.get_by_role("slider", name="epoch").press("Home")
    assert text(page) == wanted(0, [*START[:6], 1])
    page.get_by_role("button", name="Reset").click()
    assert text(page) == wanted()


@pytest.mark.usefixtures("own_window")
def test_play_goes_through_the_epochs_and_stops(static):
    page = static(TrainingReplay(epoch=10, tokens=START))
    page.clock.install(time=0)
    page.clock.pause_at(1000)  # from here on, time passes when the test says so, on a slow machine too
    play = page.locator(".look-epochs button")
    play.click()
    assert play.text_content() == "Pause" and text(page) == wanted(10)
    page.clock.run_for(750)
    assert text(page) == wanted(11)
    page.get_by_label("token at position 1").fill("5")
    page.clock.run_for(700)
    changed = [0, 5, *START[2:]]
    assert text(page) == wanted(12, changed) and play.text_content() == "Play", (
        "a new token does not stop it, the end does"
    )
    play.click()
    assert text(page) == wanted(0, changed), "from the end it starts anew"
    page.clock.run_for(700)
    play.click()
    page.clock.run_for(3000)
    assert text(page) == wanted(1, changed)
    play.click()
    page.get_by_role("slider", name="epoch").press("End")
    assert play.text_content() == "Play", "whoever moves the slider takes over"
    page.clock.run_for(3000)
    assert text(page) == wanted(12, changed)


def test_bars_curves_and_map_show_the_numbers(static):
    replay = TrainingReplay(epoch=2, tokens=START)
    page = static(replay)
    widths = page.locator(".look-replay .look-bar").evaluate_all(
        "(all) => all.map((one) => parseFloat(one.style.width))"
    )
    np.testing.assert_allclose(widths, 100 * np.stack([replay.weights[2, 0], replay.row], axis=1).ravel(), rtol=1e-3)
    numbers = page.locator(".look-replay td:nth-child(3)").all_text_contents()
    assert numbers == [f"{weight:.2f}" for weight in replay.weights[2, 0]]
    for curve, values in zip(page.locator(".look-curve").all(), (replay.loss, replay.accuracy), strict=True):
        heights = [float(point.split(" ")[1]) for point in curve.get_attribute("d")[1:].split("L")]
        highest = 1 if values is replay.accuracy else values.max()
        drawn = (max(heights) - np.array(heights)) / 68 * highest  # above the lowest value; a panel is 68 units high
        np.testing.assert_allclose(drawn, values - values.min(), atol=1e-3)
    canvas = page.locator(".look-side canvas")
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + 4.5 / 7 * box["width"], box["y"] + 2.5 / 7 * box["height"])
    said = f"position 2 looks at position 4: {replay.weights[2, 2, 4]:.2f}, on average"
    assert page.locator(".look-side p").text_content() == said


@pytest.mark.parametrize(("n_epochs", "vocab_size", "length", "d_k"), [(1, 3, 1, 1), (2, 60, 12, 3)])
def test_other_sizes(static, n_epochs, vocab_size, length, d_k):
    epochs = [any_classifier(seed, vocab_size, length + 1, 4, d_k, 5) for seed in range(n_epochs)]
    task = make_task(40, position=1, target=2, length=length, vocab_size=vocab_size, decoys=0.5)
    replay = TrainingReplay(epochs, task, question="Is it 2?")
    page = static(replay)
    assert text(page) == replay.text()
    page.locator(".look-epochs button").click()
    replay.epoch = 0
    assert text(page) == replay.text()


def test_in_jupyterlab_python_and_page_hold_the_same(cells, python, agrees):
    page = cells(REPLAY, "replay", "1")
    page.locator("section.look").nth(1).wait_for()
    page.get_by_role("slider", name="epoch").first.press("Home")
    page.get_by_role("slider", name="epoch").first.press("ArrowRight")
    page.get_by_label("token at position 4").first.fill("7")
    tokens = [*START[:4], 7, *START[5:]]
    assert page.locator(".look-text").all_text_contents() == [wanted(1, tokens)] * 2
    agrees("replay")
    assert python("print(replay.epoch, replay.tokens.tolist())") == f"1 {tokens}"
    assert float(python("print(replay.answer)")) == pytest.approx(
        TrainingReplay(epoch=1, tokens=tokens).answer, abs=1e-6
    )
    python("replay.epoch = 5")
    page.wait_for_function("() => document.querySelector('.look-text').textContent.startsWith('Epoch 5 ')")
    assert text(page) == wanted(5, tokens)


PIXEL = """([row, column, n]) => {
  const canvas = document.querySelector('.look-side canvas');
  const [x, y] = [(column + 0.85) / n * canvas.width, (row + 0.15) / n * canvas.height].map(Math.round);
  return [...canvas.getContext('2d').getImageData(x, y, 1, 1).data].slice(0, 3);
}"""


@pytest.mark.parametrize("training", ["usual", "focused"])
def test_one_weight_has_one_colour_in_every_training(static, training):
    """The scale runs from 0 to 1, also where no weight is above a third."""
    replay = TrainingReplay(load_training(training), make_task(300, decoys=0.5, seed=1))
    page = static(replay)
    for row, column in ((0, 4), (2, 1)):
        wanted = np.multiply(WEIGHTS(replay.weights[replay.epoch, row, column])[:3], 255)
        np.testing.assert_allclose(page.evaluate(PIXEL, [row, column, 7]), wanted, atol=3)


def test_usual_training_too(static):
    usual = load_training("usual")
    replay = TrainingReplay(usual, make_task(300, seed=1), epoch=0)
    page = static(replay)
    for epoch in range(11):
        replay.epoch = epoch
        assert text(page) == replay.text()
        page.get_by_role("slider", name="epoch").press("ArrowRight")
