"""AttentionExplorer: one word asks, all words answer; the four steps with the numbers of that word."""

from collections.abc import Sequence

import numpy as np
import traitlets
from matplotlib.axes import Axes

from course_utils.arrays.arguments import wrong
from course_utils.arrays.shapes import Array
from course_utils.attention import attention_scores, causal_mask, padding_mask, scaled_dot_product_attention
from course_utils.explorables.assets import bundle
from course_utils.explorables.base import Explorable, format_number, format_vector
from course_utils.explorables.example_sentences import GAME, SENTENCES, by_letters
from course_utils.explorables.traits import Count, Numbers, OneOf, Words, Yes
from course_utils.pictures.plots import row_bars

MOST = 4  # numbers per vector: more do not fit side by side


class AttentionExplorer(Explorable):
    """A sentence whose words look at each other, step by step: project, score, normalise, mix.

    tokens: 1 to 64 words (None: the review of lesson 05).
    Q, K (n, d_k), V (n, d_v): their vectors, d_k and d_v from 1 to 4;
    what is None is made from the letters of each token and means nothing. query: position of the token that looks.
    step: "project", "score", "normalise" or "mix". scaled: divide the scores by sqrt(d_k).
    causal: no token looks at later ones. padding: how many tokens at the end no token looks at.
    game: offer the game of lesson 05 where "good" looks in the review. presenter: a larger view.
    Python reads `explorer.K`, `explorer.weights`, `explorer.output`.
    Raises ValueError for shapes that do not fit each other.

    >>> explorer = AttentionExplorer()
    >>> explorer.tokens[4], explorer.weights[4].round(2)[3]
    ('good', np.float64(0.67))
    """

    _esm = bundle("attention_explorer.js")
    STATE = ("tokens", "Q", "K", "V", "query", "step", "scaled", "causal", "padding")
    tokens = Words(SENTENCES[0]["tokens"])
    Q = Numbers(SENTENCES[0]["Q"], "(n, d_k)")
    K = Numbers(SENTENCES[0]["K"], "(n, d_k)")
    V = Numbers(SENTENCES[0]["V"], "(n, d_v)")
    query = Count(SENTENCES[0]["query"])
    step = OneOf("project", ["project", "score", "normalise", "mix"])
    scaled, causal, padding = Yes(True), Yes(False), Count(0)
    game = Yes(True)
    _sentences = traitlets.List(SENTENCES).tag(sync=True)
    _game = traitlets.Dict(GAME).tag(sync=True)

    def __init__(
        self,
        tokens: Sequence[str] | None = None,
        Q: Array["n, d_k"] | None = None,
        K: Array["n, d_k"] | None = None,
        V: Array["n, d_v"] | None = None,
        **settings: object,
    ) -> None:
        own = {"tokens": tokens, "Q": Q, "K": K, "V": V}
        if tokens is not None:
            letters = [by_letters(str(token)) for token in tokens] if np.iterable(tokens) else None  # (n, 2)
            own = {name: letters if value is None else value for name, value in own.items()}
            settings = {"query": 0} | settings
        super().__init__(**{name: value for name, value in own.items() if value is not None}, **settings)

    @traitlets.validate("tokens", "Q", "K", "V", "query", "padding")
    def _fits(self, proposal):
        """Check a value against the others; Python and the page may change several at once."""
        name, value, n = proposal["trait"].name, proposal["value"], len(self.tokens)
        if name == "tokens" and len(value) != len(self.Q):
            raise wrong(
                name, value, f"{len(self.Q)} words, one for each row of Q; for another sentence make a new explorer"
            )
        if name in ("query", "padding") and value >= n:
            raise wrong(name, value, f"a whole number from 0 to {n - 1}, for {n} tokens")
        if name in ("Q", "K", "V"):
            width = {"Q": self.K, "K": self.Q, "V": value}[name].shape[1]
            if value.shape != (n, width) or width > MOST:
                wanted = f"({n}, {width if width <= MOST else f'1 to {MOST}'})"
                raise wrong(name, value, f"{wanted}, one row for each of the {n} tokens")
        return value

    def _limits(self):
        widths = {"axes": {"d_k": (1, MOST), "d_v": (1, MOST)}}
        return {"Q": widths, "K": widths, "V": widths, "query": {"below": "n"}, "padding": {"below": "n"}}

    @property
    def mask(self) -> Array["n, n"]:
        """Which token may look at which, (n, n) bool."""
        n = len(self.tokens)
        visible = padding_mask([n - self.padding], n)[0]  # (1, n)
        return (causal_mask(n) if self.causal else np.ones((n, n), dtype=bool)) & visible

    @property
    def weights(self) -> Array["n, n"]:
        """All weights, (n, n)."""
        return self._attention().weights

    @property
    def output(self) -> Array["n, d_v"]:
        """All outputs, (n, d_v)."""
        return self._attention().output

    def _attention(self):
        return scaled_dot_product_attention(self.Q, self.K, self.V, self.mask, None if self.scaled else 1.0)

    def _wanted(self):
        """The row that the game asks for; None if it cannot be played."""
        plays = self.game and list(self.tokens) == GAME["tokens"] and self.query == GAME["query"]
        return np.array(GAME["row"]) if plays else None

    def figure(self) -> Axes:
        """Draw the weights of the token that looks."""
        return row_bars(self.weights[self.query], self.tokens, query=self.tokens[self.query], reference=self._wanted())

    def text(self) -> str:
        """Return who looks, then each token with key, score, weight and value, then the output."""
        i, sees = self.query, self.mask[self.query]
        products = attention_scores(self.Q[i : i + 1], self.K, scale=1.0)[0]  # (n,)
        scores = attention_scores(self.Q[i : i + 1], self.K, None if self.scaled else 1.0)[0]  # (n,)
        output, weights = self._attention()
        lines = [
            f"{self.tokens[i]} looks, token {i + 1} of {len(self.tokens)}. Its query is {format_vector(self.Q[i])}.",
            f"Scores are {f'q · k / √{self.Q.shape[1]}' if self.scaled else 'q · k'}. Mask: {self._mask_in_words()}.",
        ]
        for j, token in enumerate(self.tokens):
            score = f"score {format_number(scores[j])}" if sees[j] else "hidden"
            lines.append(
                f"{token}: key {format_vector(self.K[j])}, q · k {format_number(products[j])}, {score}, "
                f"weight {format_number(weights[i, j])}, value {format_vector(self.V[j])}"
            )
        return "\n".join([*lines, f"Output: {format_vector(output[i])}", *self._game_in_words(weights[i])])

    def _mask_in_words(self):
        parts = ["causal"] * self.causal + [f"padding of {self.padding}"] * bool(self.padding)
        return " and ".join(parts) or "none"

    def _game_in_words(self, row):
        """One line, or none if the game cannot be played."""
        wanted = self._wanted()
        if wanted is None:
            return []
        off = np.abs(row - wanted)
        if off.max() <= GAME["close"]:
            return ["Game: reached. All weights are those of the table, to two decimals."]
        j = int(off.argmax())
        return [
            f"Game: {self.tokens[j]} ({j}) is furthest off: {format_number(row[j])}, wanted {format_number(wanted[j])}."
        ]
