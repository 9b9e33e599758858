"""The cards of a prediction.

The only module of the course's checks that imports anywidget, and only when one is shown.
The page itself marks the cards, so a saved notebook shows them without a kernel as they were left.
"""

from pathlib import Path

import anywidget
import traitlets

HERE = Path(__file__).parent


class PredictionCards(anywidget.AnyWidget):
    """A question and its choices, one card each. chosen: the position of the choice, -1 before."""

    _esm = (HERE / "predict_cards.js").read_text(encoding="utf-8")
    _css = (HERE / "predict_cards.css").read_text(encoding="utf-8")
    title = traitlets.Unicode("Prediction").tag(sync=True)
    question = traitlets.Unicode().tag(sync=True)
    choices = traitlets.List(traitlets.Unicode()).tag(sync=True)
    said = traitlets.List(traitlets.Unicode()).tag(sync=True)
    right = traitlets.Int().tag(sync=True)
    chosen = traitlets.Int(-1).tag(sync=True)


def widget_of(asked):
    """Return new cards for a prediction; what is chosen in them is committed."""
    choices = list(asked.said)
    cards = PredictionCards(
        title=asked.title,
        question=asked.question,
        choices=list(map(str, choices)),
        said=[asked.said[choice] for choice in choices],
        right=choices.index(asked.right),
        chosen=-1 if asked.chosen is None else choices.index(asked.chosen),
    )
    cards.observe(lambda change: asked.commit(choices[change["new"]]), "chosen")
    return cards
