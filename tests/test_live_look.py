"""The view of a training batch by batch: what it shows, when it draws and when it waits."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from course_utils.pictures import live_look
from course_utils.pictures.live_look import LiveLook

LOGS = {"loss": 0.5, "accuracy": 0.75, "row": np.array([0.2, 0.7, 0.1]), "focus": 0.0}


def live(says=0.9, label=0, **given):
    return LiveLook([0, 42, 7], lambda: says, label=label, **given)


@pytest.mark.parametrize(
    ("says", "label", "words"),
    [(0.9, 0, "yes, wrong"), (0.2, 0, "no, right"), (0.5, 1, "yes, right"), (0.4, 1, "no, wrong")],
)
def test_shows_the_figures_the_look_and_the_verdict(says, label, words):
    view = live(says, label)
    view.update(3, 8, LOGS)
    assert len(re.findall(r'polyline points="', view.html)) == 3, "loss, accuracy and look have a curve"
    assert "batch 3 of 8 · loss 0.500 · accuracy 0.75 · look 0.70 at position 1 · no reward" in view.html
    assert re.findall(r">(\d\.\d\d)</td>", view.html) == ["0.20", "0.70", "0.10"]
    assert re.findall(r'class="live-chosen">([^<]*)<', view.html) == ["position 1"], "the favourite alone is marked"
    assert f"[CLS] 42 7 → <strong>{words}</strong> (probability of yes {says:.2f})" in view.html


def test_waits_where_the_look_moves(monkeypatch):
    waited = []
    monkeypatch.setattr(live_look.time, "sleep", waited.append)
    view = live(pause=0.4)
    view._widget = SimpleNamespace(value="")
    for done, row in enumerate([LOGS["row"], LOGS["row"], np.array([0.1, 0.8, 0.1])], 1):
        view.update(done, 9, LOGS | {"row": row})
    assert waited == [0.025, 0.025, 0.4] and "batch 3 of 9" in view._widget.value


def test_without_a_pause_few_frames_are_drawn_and_the_last_one_is():
    drawn = []
    view = LiveLook([0, 42, 7], lambda: drawn.append(1) or 0.5, label=0, pause=0)
    for done in range(1, 13):
        view.update(done, 12, LOGS)
    assert len(drawn) == 12 // live_look.QUICK + 1 and "batch 12 of 12" in view.html and len(view.frames) == 12
