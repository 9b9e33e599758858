"""What all explorables share: state, static picture, text, and display.

An explorable is a widget that responds within a frame, because the page itself computes.
Python reads what the student did from the traits, and tests set them.
"""

import warnings
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal

import anywidget
import matplotlib.pyplot as plt
import traitlets
from matplotlib.axes import Axes

from course_utils.arrays.shapes import Array
from course_utils.computer.notebook import kernel
from course_utils.explorables.assets import STYLE
from course_utils.explorables.traits import Yes
from course_utils.pictures.figure_html import as_html

WAKE = "This is a picture. Run the cell, and it moves."
_LAST_WIDGETS = {}  # (cell, kind, index among the kind in one run) -> the widget of the cell's last run
_RUN_COUNTS = {}  # (cell, kind) -> [the message that started the run, number of widgets so far]


class Explorable(anywidget.AnyWidget):
    """The base of all explorables. A subclass defines `_esm`, `STATE`, `figure()` and `text()`.

    presenter: larger, for a projector.
    When a cell runs again, the state stays as the student left it, unless its arguments changed;
    `reset()` and the button go back to the arguments.
    """

    _css = STYLE
    STATE = ()  # the names of the traits that the student changes
    is_initialised = False
    presenter = Yes(False)
    _initial = traitlets.Dict().tag(sync=True)
    _rules = traitlets.Dict().tag(sync=True)  # which values each trait of the state takes, for a page without Python

    def __init__(self, **settings: object) -> None:
        unknown = sorted(set(settings) - set(self.trait_names()))
        if unknown:
            raise TypeError(f"{type(self).__name__} has no {', '.join(unknown)}")
        super().__init__(**settings)
        self.is_initialised, self._initial = True, self._state()
        self._rules = {name: self.traits()[name].rule | self._limits().get(name, {}) for name in self.STATE}
        previous = _previous_widget(self)
        if previous is not None and previous._initial == self._initial:
            self._take(previous._state())

    def reset(self) -> None:
        """Go back to the state of the arguments."""
        self._take(self._initial)

    def figure(self) -> Axes:
        """Draw the current state with course_utils.pictures.plots, for paper."""
        raise NotImplementedError

    def text(self) -> str:
        """Return the current state in words and numbers, for screen readers and tests."""
        raise NotImplementedError

    def _limits(self):
        """What only this explorable knows of the rules of its traits: {name: {"most": the largest}}."""
        return {}

    def _state(self):
        return {name: self.get_state(name)[name] for name in self.STATE}

    def _take(self, state):
        with self.hold_sync(), self.hold_trait_notifications():
            for name, value in state.items():
                setattr(self, name, value)

    def picture(self, below: str = "") -> str:
        """Return the static picture as HTML, with a line below it."""
        ax = self.figure()
        ax.figure.text(0.01, -0.01, below, va="top", style="italic")
        with warnings.catch_warnings():  # an emoji is an empty box on paper; the page shows it
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            html = as_html(ax.figure)
        plt.close(ax.figure)  # else the notebook would display it again
        return html

    def _repr_mimebundle_(self, **kwargs):
        """The widget, with the text and the picture that stored notebooks and paper show instead."""
        data, metadata = super()._repr_mimebundle_(**kwargs)
        static = {"text/plain": self.text(), "text/html": self.picture(WAKE)}
        return {**data, **static}, metadata


def format_number(x: float, digits: int = 2) -> str:
    """Format a number with fixed digits, a real minus sign, and no negative zero, as elements.js does.

    >>> format_number(-1.5), format_number(-0.001), format_number(0.125)
    ('−1.50', '0.00', '0.13')
    """
    rounded = abs(Decimal(float(x))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return f"−{rounded}" if x < 0 and rounded else f"{rounded}"


def format_vector(numbers: Array["d"]) -> str:
    """Format a vector as elements.js and attention_explorer.js do.

    >>> format_vector([0.0, -1.5])
    '(0.00, −1.50)'
    """
    return f"({', '.join(map(format_number, numbers))})"


def listed(names: Iterable[str], numbers: Iterable[float], digits: int = 2) -> str:
    """Format names with their numbers.

    >>> listed(["was", "not"], [0.25, 0.75])
    'was 0.25, not 0.75'
    """
    return ", ".join(f"{name} {format_number(x, digits)}" for name, x in zip(names, numbers, strict=True))


def position_names(length: int) -> list[str]:
    """Return the names of the positions in a sentence of the classifier: [CLS], position 1, ..."""
    return ["[CLS]", *(f"position {i}" for i in range(1, length + 1))]


def _previous_widget(widget):
    """Return the widget of the cell's last run that this one replaces, or None, and remember this one."""
    cell, message = _running_cell()
    if cell is None:
        return None
    kind = type(widget).__name__
    run = _RUN_COUNTS.setdefault((cell, kind), [message, 0])
    if run[0] != message:
        run[:] = message, 0
    key = (cell, kind, run[1])
    run[1] += 1
    previous, _LAST_WIDGETS[key] = _LAST_WIDGETS.get(key), widget
    return previous


def _running_cell():
    """Return (id of the cell, id of the message that runs it); (None, None) if cells have no ids."""
    current = kernel()
    message = current.get_parent("shell") if current else {}
    return message.get("metadata", {}).get("cellId"), message.get("header", {}).get("msg_id")
