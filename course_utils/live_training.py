"""A view that moves while a model trains: a progress bar, the loss, and one row of weights, redrawn after each epoch.

It is one small widget, so that the picture changes in place, in Run All too.
The stored notebook keeps one static sentence in its stead:
what a model learned on the way differs from machine to machine.
"""

from html import escape

from course_utils.arguments import as_count, as_finite, wrong
from course_utils.notebook import kernel, show
from course_utils.plots import BLUE, ORANGE

WAITING = "The training shows here, epoch by epoch, while this cell runs."
OWN = "What your own model gives stands here after you have run this cell."
STYLE = """<style>
.live-training { max-width: 46em; font-size: 16px; line-height: 1.5; }
.live-training progress { width: 100%; height: 14px; }
.live-training table { width: 100%; border-collapse: collapse; }
.live-training th { width: 7em; text-align: right; font-weight: normal; padding: 2px 10px; white-space: nowrap; }
.live-training th.live-chosen { font-weight: bold; }
.live-training td { padding: 2px 0; white-space: nowrap; }
.live-training .live-bar { display: inline-block; height: 16px; vertical-align: middle; margin-right: 8px; }
</style>"""


class LiveTraining:
    """A progress bar with the loss, and bars for one row of weights (n_keys,).

    It shows at once, and `update` redraws it. epochs: how many there will be.
    keys: one word for each weight; without keys there are no bars. query: the token that looks.
    highlight: positions drawn in the second colour and in bold.
    Raises ValueError for epochs below 1 and for positions without a key.

    >>> live = LiveTraining(epochs=2, keys=["[CLS]", "position 1"], query="[CLS]", highlight=[1])
    >>> live.update(0, {"loss": 0.5}, [0.25, 0.75])
    >>> "epoch 1 of 2" in live.html, "0.75" in live.html
    (True, True)
    """

    waiting = WAITING

    def __init__(self, *, epochs, keys=(), query="", highlight=()):
        self.keys, self.query, self.highlight = [str(key) for key in keys], str(query), tuple(highlight)
        self.epochs = as_count("epochs", epochs, least=1)
        if not all(0 <= place < len(self.keys) for place in self.highlight):
            raise wrong("highlight", highlight, f"positions from 0 to {len(self.keys) - 1}, one of the keys each")
        self.html = f"{STYLE}<div class='live-training'>{self.waiting}</div>"
        self._widget = self._show()

    def update(self, epoch, logs, row=(), says=""):
        """Redraw after an epoch, counted from 0, with logs {"loss": ...} as `on_epoch` gets them and a row (n_keys,).

        An accuracy in the logs is shown too. says: a line below, such as what the model answers now.
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
        bars = "".join(self._bar(place, weight) for place, weight in enumerate(row))
        caption = f"Where {escape(self.query)} looks, mean weight on each key"
        table = f"<div>{caption}</div><table aria-label='{caption}'>{bars}</table>" if bars else ""
        below = f"<div>{escape(says)}</div>" if says else ""
        self.html = f"{STYLE}<div class='live-training'><strong>{state}</strong>{bar}{table}{below}</div>"
        if self._widget is not None:
            self._widget.value = self.html

    def _bar(self, place, weight):
        chosen = place in self.highlight
        head = f'<th scope="row" class="{"live-chosen" if chosen else ""}">{escape(self.keys[place])}</th>'
        colour = ORANGE if chosen else BLUE
        width = 85 * min(max(weight, 0), 1)  # 85 %: the number stands after the bar
        box = f'<span class="live-bar" style="width: {width:.1f}%; background: {colour}"></span>'
        return f"<tr>{head}<td>{box}{weight:.2f}</td></tr>"

    def _show(self):
        """Display the widget, and a sentence beside it for the stored notebook. Outside a notebook nothing is shown."""
        if kernel() is None:
            return None
        import ipywidgets

        widget = ipywidgets.HTML(self.html)
        show(widget, {"text/plain": self.waiting, "text/html": f"<em>{self.waiting}</em>"})
        return widget


def only_live(text):
    """Show lines about a model that was trained here. The stored notebook keeps one static sentence in their stead.

    What was learned differs from machine to machine. Outside a notebook the lines are printed.

    >>> only_live("good -> not 0.35")
    good -> not 0.35
    """
    if kernel() is None:
        print(text)
        return
    import ipywidgets

    widget = ipywidgets.HTML(f"<pre style='line-height: 1.4; margin: 0'>{escape(text)}</pre>")
    show(widget, {"text/plain": OWN, "text/html": f"<em>{OWN}</em>"})
