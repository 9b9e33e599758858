"""What every explorable shares: its state, its static picture, its text, and its way onto a page.

An explorable is a widget that answers within a frame, because the page itself computes.
Python reads what the student did from the traits, and a test sets them.
"""

import base64
import io
import warnings
from decimal import ROUND_HALF_UP, Decimal

import anywidget
import matplotlib.pyplot as plt
import traitlets

from course_utils.explorables.assets import STYLE
from course_utils.explorables.traits import Yes
from course_utils.notebook import kernel

WAKE = "This is a picture. Run the cell, and it moves."
_MADE = {}  # (cell, kind, how many of the kind came before in the same run) -> the widget made by the cell's last run
_RUNS = {}  # (cell, kind) -> [the message that started the run, how many of the kind it has made]


class Explorable(anywidget.AnyWidget):
    """The base of all explorables. A subclass gives `_esm`, `STATE`, `figure()` and `text()`.

    presenter: larger, for a projector.
    A cell that runs again finds the state as the student left it, unless its arguments changed;
    `reset()` and the button go back to the arguments.
    """

    _css = STYLE
    STATE = ()  # the names of the traits that the student changes
    made = False
    presenter = Yes(False)
    _initial = traitlets.Dict().tag(sync=True)

    def __init__(self, **given):
        unknown = sorted(set(given) - set(self.trait_names()))
        if unknown:
            raise TypeError(f"{type(self).__name__} has no {', '.join(unknown)}")
        super().__init__(**given)
        self.made, self._initial = True, self._state()
        before = _made_before(self)
        if before is not None and before._initial == self._initial:
            self._take(before._state())

    def reset(self):
        """Go back to the state that the arguments gave."""
        self._take(self._initial)

    def figure(self):
        """Draw the present state with course_utils.plots. Returns the Axes. For paper, where nothing can be dragged."""
        raise NotImplementedError

    def text(self):
        """Return what is seen, in words and numbers: for screen readers, and for tests."""
        raise NotImplementedError

    def _state(self):
        return {name: self.get_state(name)[name] for name in self.STATE}

    def _take(self, state):
        with self.hold_sync(), self.hold_trait_notifications():
            for name, value in state.items():
                setattr(self, name, value)

    def picture(self, below=""):
        """Return the static picture as PNG bytes, with a line below it."""
        ax, file = self.figure(), io.BytesIO()
        ax.figure.text(0.01, -0.01, below, va="top", style="italic")
        with warnings.catch_warnings():  # an emoji is an empty box on paper; the page shows it
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            ax.figure.savefig(file, format="png", dpi=ax.figure.dpi, bbox_inches="tight")
        plt.close(ax.figure)  # or the notebook would show it a second time
        return file.getvalue()

    def _repr_mimebundle_(self, **kwargs):
        """The widget, and beside it what a stored notebook and paper show in its stead."""
        data, metadata = super()._repr_mimebundle_(**kwargs)
        static = {"text/plain": self.text(), "image/png": base64.b64encode(self.picture(WAKE)).decode()}
        return {**data, **static}, metadata


def written(x, digits=2):
    """Write a number with a fixed count of digits, a real minus sign, and no minus before a zero, as elements.js does.

    >>> written(-1.5), written(-0.001), written(0.125)
    ('−1.50', '0.00', '0.13')
    """
    rounded = abs(Decimal(float(x))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return f"−{rounded}" if x < 0 and rounded else f"{rounded}"


def _made_before(widget):
    """Return the widget that this place of this cell made when it ran last, and remember this one; None at first."""
    cell, message = _running_cell()
    if cell is None:
        return None
    kind = type(widget).__name__
    run = _RUNS.setdefault((cell, kind), [message, 0])
    if run[0] != message:
        run[:] = message, 0
    place = (cell, kind, run[1])
    run[1] += 1
    before, _MADE[place] = _MADE.get(place), widget
    return before


def _running_cell():
    """Return (id of the cell, id of the message that runs it); (None, None) where cells have no ids."""
    running = kernel()
    message = running.get_parent("shell") if running else {}
    return message.get("metadata", {}).get("cellId"), message.get("header", {}).get("msg_id")
