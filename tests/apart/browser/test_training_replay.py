"""TrainingReplay by mouse and by keyboard; its figures, weights and answers are Python's, in every epoch."""

import numpy as np
import pytest
from hands import follow
from samples import any_classifier

from course_utils.explorables import TrainingReplay
from course_utils.models.cls_reader import load_training
from course_utils.pictures.plots import WEIGHTS
from course_utils.tasks.cls_task import make_task

START = [0, 42, 7, 8, 42, 9, 42]
EPOCH, CURVES = "role=slider[name='epoch']", ".look-curves svg"


def token(position):
    return f"[aria-label^='token at position {position},']"


def share(epoch):
    """The place of an epoch in the width of the chart."""
    return (34 + epoch / 12 * 194) / 240


def test_epochs_and_tokens_by_mouse_and_by_keyboard(static):
    replay = TrainingReplay(tokens=START)
    page = static(replay)
    changed = {"tokens": [*START[:4], 41, *START[5:]]}
    follow(
        page,
        replay,
        *((EPOCH, key, {"epoch": epoch}) for key, epoch in (("Home", 0), ("ArrowRight", 1), ("ArrowUp", 2))),
        (CURVES, f"over {share(3.2)} 0.5", {}),
        (None, lambda page: page.mouse.down(), {"epoch": 3}),
        (CURVES, f"over {share(6.9)} 0.5", {"epoch": 7}),
        (CURVES, f"over {share(-0.4)} 0.5", {"epoch": 0}),
        (None, lambda page: page.mouse.up(), {}),
        (EPOCH, "End", {"epoch": 12}),
        (token(4), "ArrowDown", changed),
    )
    assert page.locator(".look-reply strong").first.text_content() == "no"
    nothing = [(token(4), f"fill {typed}", {}) for typed in ("", "0", "51", "-3", "2.5")]
    follow(page, replay, (token(4), "fill 42", {"tokens": START}), *nothing)
    page.locator(token(4)).blur()
    assert page.locator(token(4)).input_value() == "42"
    follow(
        page, replay, (token(6), "fill 1", {"tokens": [*START[:6], 1]}), ("role=button[name='Reset']", "click", None)
    )


@pytest.mark.usefixtures("own_window")
def test_play_goes_through_the_epochs_and_stops(static):
    replay, changed = TrainingReplay(epoch=10, tokens=START), {"tokens": [0, 5, *START[2:]]}
    page = static(replay)
    page.clock.install(time=0)
    page.clock.pause_at(1000)  # from here on, time passes when the test says so, on a slow machine too
    play = ".look-epochs button"

    def wait(milliseconds):
        return lambda page: page.clock.run_for(milliseconds)

    follow(
        page,
        replay,
        (play, "click", {}),
        (None, wait(750), {"epoch": 11}),
        (token(1), "fill 5", changed),  # a new token does not stop it
        (None, wait(700), {"epoch": 12}),
        (None, wait(3000), {}),
        (play, "click", {"epoch": 0}),  # from the end it starts anew
        (None, wait(700), {"epoch": 1}),
        (play, "click", {}),
        (None, wait(3000), {}),
        (play, "click", {}),
        (EPOCH, "End", {"epoch": 12}),  # whoever moves the slider takes over
        (None, wait(3000), {}),
    )
    assert page.locator(play).text_content() == "Play"


def test_bars_curves_and_map_show_the_numbers(static):
    replay = TrainingReplay(epoch=2, tokens=START)
    page = static(replay)
    mean = replay.weights[2]
    widths = page.locator(".look-replay .look-bar").evaluate_all("(all) => all.map((one) => one.style.width)")
    wanted = 100 * np.stack([mean[0], replay.row], axis=1).ravel()
    np.testing.assert_allclose([float(width.rstrip("%")) for width in widths], wanted, rtol=1e-3)
    numbers = page.locator(".look-replay td:nth-child(3)").all_text_contents()
    assert numbers == [f"{weight:.2f}" for weight in mean[0]]
    for curve, values in zip(page.locator(".look-curve").all(), (replay.loss, replay.accuracy), strict=True):
        heights = [float(point.split(" ")[1]) for point in curve.get_attribute("d")[1:].split("L")]
        highest = 1 if values is replay.accuracy else values.max()
        drawn = (max(heights) - np.array(heights)) / 68 * highest  # above the lowest value; a panel is 68 units high
        np.testing.assert_allclose(drawn, values - values.min(), atol=1e-3)
    follow(page, replay, (".look-side canvas", f"over {4.5 / 7} {2.5 / 7}", {}))
    said = f"position 2 looks at position 4: {mean[2, 4]:.2f}, on average"
    assert page.locator(".look-side p").text_content() == said


@pytest.mark.parametrize(("n_epochs", "vocab_size", "length", "d_k"), [(1, 3, 1, 1), (2, 60, 12, 3)])
def test_other_sizes(static, n_epochs, vocab_size, length, d_k):
    epochs = [any_classifier(seed, vocab_size, length + 1, 4, d_k, 5) for seed in range(n_epochs)]
    task = make_task(40, position=1, target=2, length=length, vocab_size=vocab_size, decoys=0.5)
    replay = TrainingReplay(epochs, task, question="Is it 2?")
    follow(static(replay), replay, (None, "Tab", {}), (".look-epochs button", "click", {"epoch": 0}))


PIXEL = """(canvas, [row, column, n]) => {
  const [x, y] = [(column + 0.85) / n * canvas.width, (row + 0.15) / n * canvas.height].map(Math.round);
  return [...canvas.getContext('2d').getImageData(x, y, 1, 1).data].slice(0, 3);
}"""


@pytest.mark.parametrize("training", ["usual", "focused"])
def test_each_epoch_of_a_recorded_training_is_pythons_and_one_weight_has_one_colour(static, training):
    """The scale runs from 0 to 1, also where no weight is above a third."""
    replay = TrainingReplay(load_training(training), make_task(300, decoys=0.5, seed=1))
    page = static(replay)
    for row, column in ((0, 4), (2, 1)):
        wanted = np.multiply(WEIGHTS(replay.weights[replay.epoch, row, column])[:3], 255)
        found = page.locator(".look-side canvas").evaluate(PIXEL, [row, column, 7])
        np.testing.assert_allclose(found, wanted, atol=3)
    follow(page, replay, *((EPOCH, "ArrowLeft", {"epoch": epoch}) for epoch in range(replay.epoch - 1, -1, -1)))
