"""A training batch by batch, in one animated view: loss, accuracy, where [CLS] looks, the answer to one sentence.

It is one small widget, as in `live_training`. It is slow while the look moves and quick otherwise, so that the moment
in which a model finds its position lasts long enough to be seen.
"""

import time
from collections.abc import Callable
from html import escape

import numpy as np

from course_utils.arrays.arguments import as_count, as_finite, as_real, wrong
from course_utils.arrays.shapes import Array
from course_utils.pictures.live_training import STYLE as BARS
from course_utils.pictures.live_training import LiveTraining
from course_utils.pictures.palette import BLUE, GREEN, ORANGE

STYLE = """<style>
.live-look { display: flex; flex-wrap: wrap; gap: 4px 24px; align-items: flex-start; }
.live-look > div { flex: 1 1 14em; } .live-look svg { width: 100%; max-width: 480px; }
.live-training.live-look th { width: 5em; }
.live-look text { font: 17px sans-serif; fill: currentColor; } .live-look > .live-state { flex: 1 1 100%; }
</style>"""
CURVES = {"loss": (GREEN, "2 4"), "accuracy": (BLUE, "8 4"), "look": (ORANGE, "none")}
LEFT, RIGHT, TOP, BOTTOM = 26, 390, 12, 200  # of the chart
MOST_FRAMES = 200  # in one training, however long it is
QUICK = 5  # without a pause, one frame in five is drawn
MOVES = 0.004  # the least change of a weight from frame to frame that counts as a move of the look


class LiveLook(LiveTraining):
    """A training in progress: pass `update` as on_batch of cls_model.train.

    sentence: token numbers, [CLS] first. says: a function without arguments that gives the model's current probability
    of yes for it. label: the right answer to it, yes is 1.
    pause: seconds for which a frame stays while the look moves; in a notebook only.
    Raises ValueError for a pause below 0.

    >>> live = LiveLook([0, 42, 7], says=lambda: 0.9, label=0)
    >>> live.update(32, 64, {"loss": 0.5, "accuracy": 0.8, "row": [0.2, 0.7, 0.1], "focus": 0.0})
    >>> "batch 32 of 64" in live.html, "0.70 at position 1" in live.html, "yes, wrong" in live.html
    (True, True, True)
    """

    waiting = "The training shows here, batch by batch, while this cell runs."

    def __init__(self, sentence: Array["n"], says: Callable[[], float], label: int, *, pause: float = 0.12) -> None:
        self.sentence, self.says, self.label = np.asarray(sentence), says, bool(label)
        if as_real("pause", pause) < 0:
            raise wrong("pause", pause, "seconds, at least 0")
        self.pause, self.frames, self._reward_start = pause, [], None
        keys = ["[CLS]", *(f"position {position}" for position in range(1, len(self.sentence)))]
        super().__init__(epochs=1, keys=keys, query="[CLS]")

    def update(self, done: int, total: int, logs: dict) -> None:
        """Redraw after a batch: done of total, with logs {"loss", "accuracy", "row", "focus"} as on_batch gets them.

        row (n,): the mean weights of [CLS]. focus: how much the reward counts, 0 before it starts.
        Raises ValueError for a row that does not fit the sentence and for more batches than there are.
        """
        done = as_count("done", done, most=as_count("total", total))
        row = as_finite("row", logs["row"], f"({len(self.keys)},)", rank=1, exact=True)
        if len(row) != len(self.keys):
            raise wrong("row", row, f"({len(self.keys)},), one weight for each word of the sentence")
        if logs["focus"] and self._reward_start is None:
            self._reward_start = done
        if done % -(-total // MOST_FRAMES) and done != total:
            return
        is_moving = len(self.frames) and np.abs(row - self.frames[-1][1]["row"]).max() > MOVES
        self.frames.append((done, {"loss": logs["loss"], "accuracy": logs["accuracy"], "look": row.max(), "row": row}))
        if not self.pause and len(self.frames) % QUICK and done != total:
            return
        self._draw(done, total, row)
        if self._widget is not None:
            self._widget.value = self.html
            time.sleep(self.pause if is_moving else self.pause / 16)

    def _draw(self, done, total, row):
        latest, self.highlight = self.frames[-1][1], (int(row.argmax()),)
        key = self.keys[self.highlight[0]]
        state = (
            f"batch {done} of {total} · loss {latest['loss']:.3f} · accuracy {latest['accuracy']:.2f} · "
            f"look {latest['look']:.2f} at {key} · {'the reward counts' if self._reward_start else 'no reward'}"
        )
        bars = "".join(self._bar(position, weight) for position, weight in enumerate(row))
        self.html = (
            f"{BARS}{STYLE}<div class='live-training live-look'><strong class='live-state'>{state}</strong>"
            f"<div class='live-state'>{self._verdict()}</div>"
            f"<div>{self._chart(total)}</div>"
            f"<div><table aria-label='Where [CLS] looks, mean weight on each key'>{bars}</table></div></div>"
        )

    def _verdict(self):
        probability = float(self.says())
        answer = "yes" if probability >= 0.5 else "no"
        right = (probability >= 0.5) == self.label
        words = " ".join(["[CLS]", *map(str, self.sentence[1:])])
        verdict = f"{answer}, {'right' if right else 'wrong'}"
        return f"{escape(words)} → <strong>{verdict}</strong> (probability of yes {probability:.2f})"

    def _chart(self, total):
        """Draw the three curves on a scale from 0 to 1, with a line where the reward starts."""
        x = lambda done: LEFT + (RIGHT - LEFT) * done / total  # noqa: E731
        y = lambda value: BOTTOM - (BOTTOM - TOP) * min(max(value, 0), 1)  # noqa: E731
        lines = [
            f'<line x1="{LEFT}" x2="{RIGHT}" y1="{y(v)}" y2="{y(v)}" stroke="currentColor" opacity="0.3"/>'
            f'<text x="{LEFT - 6}" y="{y(v) + 5}" text-anchor="end">{v}</text>'
            for v in (0, 1)
        ]
        if self._reward_start:
            at = f"{x(self._reward_start):.0f}"
            lines.append(f'<line x1="{at}" x2="{at}" y1="{TOP}" y2="{BOTTOM}" stroke="currentColor"/>')
            lines.append(f'<text x="{at}" y="{TOP + 60}" dx="5">reward</text>')
        for name, (colour, dashes) in CURVES.items():
            points = " ".join(f"{x(done):.0f},{y(frame[name]):.0f}" for done, frame in self.frames)
            lines.append(
                f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5" '
                f'stroke-dasharray="{dashes}"/>'
            )
        label = self._description()
        return f'<svg viewBox="0 0 400 235" role="img" aria-label="{label}">{"".join(lines)}{_legend()}</svg>'

    def _description(self):
        (begin, first), (end, latest) = self.frames[0], self.frames[-1]
        courses = ", ".join(f"{name} from {first[name]:.2f} to {latest[name]:.2f}" for name in CURVES)
        reward = f", with the reward from batch {self._reward_start} on" if self._reward_start else ""
        return f"Curves from batch {begin} to batch {end}: {courses}{reward}"


def _legend():
    parts = []
    for i, (name, (colour, dashes)) in enumerate(CURVES.items()):
        x = LEFT + 120 * i
        parts.append(
            f'<line x1="{x}" x2="{x + 26}" y1="221" y2="221" stroke="{colour}" stroke-width="2.5" '
            f'stroke-dasharray="{dashes}"/><text x="{x + 32}" y="226">{name}</text>'
        )
    return "".join(parts)
