"""SoftmaxDial: scores to drag, a temperature and d_k to turn, and the resulting weights."""

from collections.abc import Sequence

import numpy as np
import traitlets
from matplotlib.axes import Axes

from course_utils.arrays.arguments import as_array, wrong
from course_utils.arrays.shapes import Array
from course_utils.attention import softmax
from course_utils.explorables.assets import bundle
from course_utils.explorables.base import Explorable, format_number
from course_utils.explorables.traits import Count, Numbers, Real, Words, Yes
from course_utils.pictures.plots import row_bars


class SoftmaxDial(Explorable):
    """Bars of scores to drag, a temperature, d_k with and without 1/sqrt(d_k), and the weights of the softmax.

    scores (n_keys,): one for each key, 1 to 64 keys, in units of a typical dot product of random vectors,
    which is sqrt(d_k) in size. words: their names (None: key 0, key 1, ...).
    temperature: what the scores are divided by. d_k: 1 to 1024; with 1, the control for it is left out.
    scaled: divide by sqrt(d_k). Raises ValueError for other shapes.

    >>> dial = SoftmaxDial([1.0, 0.0], d_k=64)
    >>> dial.weights.round(2)
    array([0.73, 0.27])
    >>> dial.scaled = False
    >>> dial.weights.round(2)
    array([1., 0.])
    """

    _esm = bundle("softmax_dial.js")
    STATE = ("scores", "temperature", "d_k", "scaled")
    scores = Numbers([1.0, 0.5, 0.0], "(n_keys,)", most=100)
    words = Words(["key 0", "key 1", "key 2"], fixed=True)
    temperature = Real(1.0, least=0.01, most=100)
    d_k = Count(1, least=1, most=1024)
    scaled = Yes(True)

    def __init__(
        self, scores: Array["n_keys"] = (1.0, 0.5, 0.0), words: Sequence[str] | None = None, **settings: object
    ) -> None:
        scores = as_array("scores", scores, "(n_keys,)")
        names = [f"key {j}" for j in range(np.size(scores))] if words is None else words
        super().__init__(scores=scores, words=names, **settings)

    @traitlets.validate("scores", "words")
    def _fits(self, proposal):
        """Check that there are as many scores as words."""
        new = {"scores": self.scores, "words": self.words, proposal["trait"].name: proposal["value"]}
        if len(new["scores"]) != len(new["words"]):
            raise wrong("scores", new["scores"], f"({len(new['words'])},), one score for each of the words")
        return proposal["value"]

    def _limits(self):
        n = len(self.words)
        return {"scores": {"axes": {"n_keys": (n, n)}}}

    @property
    def inputs(self) -> Array["n_keys"]:
        """The inputs of the softmax (n_keys,)."""
        return self.scores * ((1.0 if self.scaled else np.sqrt(self.d_k)) / self.temperature)

    @property
    def weights(self) -> Array["n_keys"]:
        """The outputs of the softmax (n_keys,)."""
        return softmax(self.inputs)

    def figure(self) -> Axes:
        """Draw the weights as bars."""
        return row_bars(self.weights, self.words, title=self.text().splitlines()[0])

    def text(self) -> str:
        """Return the settings, one line per key, entropy and size of the gradient, and what they mean."""
        dividing = "divided by √d_k" if self.scaled else "not divided by √d_k"
        size = f", d_k {self.d_k}, {dividing}" if self._initial.get("d_k", self.d_k) > 1 else ""
        rows = [
            f"{word}: score {format_number(score)}, into softmax {format_number(enters)}, "
            f"weight {format_number(weight)}"
            for word, score, enters, weight in zip(self.words, self.scores, self.inputs, self.weights, strict=True)
        ]
        bits, most, gradient = self._spread()
        entropy = f"entropy {format_number(bits)} of {format_number(most)} bits"
        last = f"{entropy}, size of the gradient {format_number(gradient, 3)}"
        return "\n".join(
            [f"temperature {format_number(self.temperature)}{size}", *rows, last, self._in_words(bits, most)]
        )

    def _spread(self):
        """Entropy of the weights and its maximum, in bits, and the largest derivative of any weight by any score."""
        weights = self.weights
        shares = weights[weights > 0]
        bits = 0.0 - (shares * np.log2(shares)).sum()
        return bits, np.log2(len(weights)), (weights * (1 - weights)).max()

    def _in_words(self, bits, most):
        if len(self.words) == 1:
            return "A single key gets all the weight."
        if self.weights.max() > 0.95:
            return "One key takes nearly all the weight, and a small change of the scores changes hardly anything."
        even = bits > 0.95 * most
        return (
            "All keys share nearly evenly: no key is chosen."
            if even
            else "The keys share, and can still change places."
        )
