"""The cards of a prediction.

The only module of the checks that imports anywidget, and only when cards are shown.
The page itself marks the cards, so a saved notebook shows them without a kernel as they were left.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import anywidget
import traitlets

from course_utils.pictures.palette import css

if TYPE_CHECKING:
    from course_utils.checks.student.predictions import Prediction

HERE = Path(__file__).parent


class PredictionCards(anywidget.AnyWidget):
    """A question and its choices, one card each. chosen: the index of the choice, -1 before it is made."""

    _esm = (HERE / "predict_cards.js").read_text(encoding="utf-8")
    _css = css(".look-prediction") + (HERE / "predict_cards.css").read_text(encoding="utf-8")
    title = traitlets.Unicode("Prediction").tag(sync=True)
    question = traitlets.Unicode().tag(sync=True)
    choices = traitlets.List(traitlets.Unicode()).tag(sync=True)
    said = traitlets.List(traitlets.Unicode()).tag(sync=True)
    right = traitlets.Int().tag(sync=True)
    chosen = traitlets.Int(-1).tag(sync=True)


def widget_of(prediction: "Prediction") -> PredictionCards:
    """Return new cards for a Prediction; a choice in them is committed."""
    choices = list(prediction.comments)
    cards = PredictionCards(
        title=prediction.title,
        question=prediction.question,
        choices=list(map(str, choices)),
        said=[prediction.comments[choice] for choice in choices],
        right=choices.index(prediction.right),
        chosen=-1 if prediction.chosen is None else choices.index(prediction.chosen),
    )
    cards.observe(lambda change: prediction.commit(choices[change["new"]]), "chosen")
    return cards
