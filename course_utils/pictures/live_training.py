"""A live view of a training: a progress bar, the loss, and one row of weights, redrawn after each epoch.

It is one small widget, so that the picture changes in place, in Run All too.
The stored notebook keeps a static text instead, because what a model learns on the way differs from machine to machine:
one sentence, or a recorded run, such as what a model that comes with the course gives.
"""

from collections.abc import Sequence
from html import escape

from course_utils.arrays.arguments import as_count, as_finite, wrong
from course_utils.arrays.shapes import Array
from course_utils.computer.notebook import kernel, show
from course_utils.pictures.palette import BLUE, ORANGE, PAGE_TYPE

WAITING = "The training shows here, epoch by epoch, while this cell runs."
OWN = "What your own model gives stands here after you have run this cell."
RECORDED = "Recorded run, until you run this cell:"
STYLE = (
    f"<style>.live-training {{ font: {PAGE_TYPE}; }}"
    + """
.live-training { max-width: 46em; }
.live-training progress { width: 100%; height: 14px; }
.live-training table { width: 100%; border-collapse: collapse; }
.live-training th { width: 7em; text-align: right; font-weight: normal; padding: 2px 10px; white-space: nowrap; }
.live-training th.live-chosen { font-weight: bold; }
.live-training td { padding: 2px 0; white-space: nowrap; }
.live-training .live-bar { display: inline-block; height: 16px; vertical-align: middle; margin-right: 8px; }
</style>"""
)


class LiveTraining:
    """A progress bar with the loss, and bars for one row of weights (n_keys,).

    It is displayed at once, and `update` redraws it. epochs: their total number.
    keys: one word for each weight; without keys there are no bars. query: the token that looks.
    highlight: positions drawn in the second colour and in bold.
    recorded: lines of a recorded run, for the stored notebook.
    Raises ValueError for epochs below 1 and for positions without a key.

    >>> live = LiveTraining(epochs=2, keys=["[CLS]", "position 1"], query="[CLS]", highlight=[1])
    >>> live.update(0, {"loss": 0.5}, [0.25, 0.75])
    >>> "epoch 1 of 2" in live.html, "0.75" in live.html
    (True, True)
    """

    waiting = WAITING

    def __init__(
        self,
        *,
        epochs: int,
        keys: Sequence[str] = (),
        query: str = "",
        highlight: Sequence[int] = (),
        recorded: str = "",
    ) -> None:
        self.keys, self.query, self.highlight = [str(key) for key in keys], str(query), tuple(highlight)
        self.epochs = as_count("epochs", epochs, least=1)
        if not all(0 <= position < len(self.keys) for position in self.highlight):
            raise wrong("highlight", highlight, f"positions from 0 to {len(self.keys) - 1}, one of the keys each")
        moving = "<progress aria-label='the training begins'></progress>"  # without a value, it moves by itself
        self.html = f"{STYLE}<div class='live-training'>{self.waiting}{moving}</div>"
        self._widget = self._show(recorded)

    def update(self, epoch: int, logs: dict[str, float], row: Array["n_keys"] = (), says: str = "") -> None:
        """Redraw after an epoch, counted from 0, with logs {"loss": ...} as `on_epoch` gets them.

        An accuracy in the logs is shown too. says: a line below, such as the model's current answer.
        Raises ValueError for a row that does not fit the keys and for an epoch outside 0..epochs - 1.
        """
        epoch = as_count("epoch", epoch, least=0, most=self.epochs - 1) + 1
        if self.keys:
            row = as_finite("row", row, "(n_keys,)", rank=1, exact=True)
        if len(row) != len(self.keys):
            raise wrong("row", row, f"({len(self.keys)},), one weight for each key")
        accuracy = f" · accuracy {logs['accuracy']:.2f}" if "accuracy" in logs else ""
        state = f"epoch {epoch} of {self.epochs} · loss {logs['loss']:.4f}{accuracy}"
        bar = f'<progress max="{self.epochs}" value="{epoch}" aria-label="epochs done">{state}</progress>'
        bars = "".join(self._bar(position, weight) for position, weight in enumerate(row))
        caption = f"Where {escape(self.query)} looks, mean weight on each key"
        table = f"<div>{caption}</div><table aria-label='{caption}'>{bars}</table>" if bars else ""
        below = f"<div>{escape(says)}</div>" if says else ""
        self.html = f"{STYLE}<div class='live-training'><strong>{state}</strong>{bar}{table}{below}</div>"
        if self._widget is not None:
            self._widget.value = self.html

    def _bar(self, position, weight):
        is_chosen = position in self.highlight
        header = f'<th scope="row" class="{"live-chosen" if is_chosen else ""}">{escape(self.keys[position])}</th>'
        colour = ORANGE if is_chosen else BLUE
        width = 85 * min(max(weight, 0), 1)  # 85 %: the number stands after the bar
        box = f'<span class="live-bar" style="width: {width:.1f}%; background: {colour}"></span>'
        return f"<tr>{header}<td>{box}{weight:.2f}</td></tr>"

    def _show(self, recorded):
        """Display the widget, with a text for the stored notebook. Does nothing outside a notebook."""
        if kernel() is None:
            return None
        import ipywidgets

        widget = ipywidgets.HTML(self.html)
        show(widget, _static(self.waiting, recorded))
        return widget


def only_live(text: str, recorded: str = "") -> None:
    """Show lines about a model that was trained here. The stored notebook keeps `recorded`, or one static sentence.

    What a model learns differs from machine to machine. recorded: lines that are the same on every machine,
    such as those of a model that comes with the course; they are labelled. Outside a notebook the lines are printed.

    >>> only_live("good -> not 0.35")
    good -> not 0.35
    """
    if kernel() is None:
        print(text)
        return
    import ipywidgets

    widget = ipywidgets.HTML(_lines(text))
    show(widget, _static(OWN, recorded))


def _static(sentence, recorded):
    """Return what a stored notebook shows: a recorded run under its label, or else the sentence."""
    if not recorded:
        return {"text/plain": sentence, "text/html": f"<em class='learning-says'>{sentence}</em>"}
    return {
        "text/plain": f"{RECORDED}\n{recorded}",
        "text/html": f"<em class='learning-says'>{RECORDED}</em>{_lines(recorded)}",
    }


def _lines(text):
    return f"<pre style='line-height: 1.4; margin: 0; padding-left: 3px; word-break: normal'>{escape(text)}</pre>"
