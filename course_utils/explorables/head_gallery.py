"""HeadGallery: the weights of all heads of all layers as small pictures, and one of them large, word by word."""

from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt
import numpy as np
import traitlets
from matplotlib.axes import Axes

from course_utils.arrays.arguments import as_array, wrong
from course_utils.arrays.shapes import Array
from course_utils.attention import softmax
from course_utils.explorables.assets import bundle
from course_utils.explorables.base import Explorable, listed
from course_utils.explorables.traits import Count, Numbers, Words, Yes, pack_array
from course_utils.pictures.plots import heatmap

MOST_HEADS, MOST_TOKENS = 16, 64
MAX_NAMED = 5  # keys named for the chosen query


class Weights(Numbers):
    """Rows of weights as a read-only float32 array; the page gets bytes, since lists would be slow."""

    @staticmethod
    def for_page(value: Array["..."], widget: traitlets.HasTraits) -> dict:
        return pack_array(value)

    def validate(self, owner: traitlets.HasTraits, value: object) -> Array["n_layers, n_heads, n_queries, n_keys"]:
        array = super().validate(owner, value)
        if max(array.shape[:2]) > MOST_HEADS or max(array.shape[2:]) > MOST_TOKENS:
            raise wrong(self.name, array, f"{self.shape}, at most {MOST_HEADS} layers and heads, {MOST_TOKENS} tokens")
        if array.min() < 0 or np.abs(array.sum(axis=-1) - 1).max() > 1e-3:
            raise wrong(self.name, array, f"{self.shape}, weights of at least 0 that sum to 1 along the keys")
        array = array.astype(np.float32)
        array.flags.writeable = False
        return array


def three_heads() -> Array["1, 3, 6, 6"]:
    """Return the weights of heads made by hand: they look at the previous token, the token itself, and nouns."""
    nouns = np.tile(np.isin(np.arange(6), (1, 5)), (6, 1))  # (6, 6)
    patterns = np.stack([np.eye(6, k=-1), np.eye(6), nouns])  # (3, 6, 6)
    return softmax(4.0 * patterns)[None]  # (1, 3, 6, 6)


class HeadGallery(Explorable):
    """All heads as small heat maps; one can be chosen, and shows where a word looks.

    weights (n_layers, n_heads, n_queries, n_keys): rows that sum to 1, up to 16 layers, 16 heads and 64 tokens.
    query_words, key_words: None means numbers, and for the keys the words of the queries where they fit.
    layer, head, query: what is chosen, counted from 0. presenter: a larger view.
    read: a function that takes a sentence and gives its weights (n_layers, n_heads, n, n) and tokens, as fields of
    these names, as an Encoder does; then a sentence can be typed in the page, and the kernel computes its weights.
    Python reads `gallery.layer`, `gallery.head`, `gallery.row`. Raises ValueError for shapes that do not fit.

    >>> gallery = HeadGallery(np.full((2, 4, 3, 3), 1 / 3), ["a", "b", "c"], head=3)
    >>> gallery.row.round(2)
    array([0.33, 0.33, 0.33], dtype=float32)
    """

    _esm = bundle("head_gallery.js")
    STATE = ("layer", "head", "query")
    weights = Weights(three_heads(), "(n_layers, n_heads, n_queries, n_keys)")
    query_words = Words(["The", "cat", "sat", "on", "the", "mat"], fixed=True)
    key_words = Words(["The", "cat", "sat", "on", "the", "mat"], fixed=True)
    layer, head, query = Count(0), Count(0), Count(1)
    _reads = Yes(False)
    _typed = traitlets.Dict().tag(sync=True)  # a sentence for the kernel, with a count
    _answered = traitlets.Dict().tag(sync=True)  # its count, and what was wrong with it

    def __init__(
        self,
        weights: Array["n_layers, n_heads, n_queries, n_keys"] | None = None,
        query_words: Sequence[str] | None = None,
        key_words: Sequence[str] | None = None,
        *,
        read: Callable[[str], object] | None = None,
        **settings: object,
    ) -> None:
        if read is not None and not callable(read):
            raise wrong("read", read, "a function that takes a sentence, such as an Encoder")
        self._read, settings["_reads"] = read, read is not None
        words = {"query_words": query_words, "key_words": key_words}
        if weights is not None:
            weights = as_array("weights", weights, "(n_layers, n_heads, n_queries, n_keys)")
            shape = np.shape(weights) if np.ndim(weights) == 4 else (1, 1, 1, 1)  # the trait refuses the rest
            if key_words is None and shape[2] == shape[3]:
                words["key_words"] = query_words
            counted = {name: [f"{i}" for i in range(n)] for name, n in zip(words, shape[2:], strict=True)}
            words = {name: counted[name] if value is None else value for name, value in words.items()}
            settings = {"weights": weights, **words, "query": 0} | settings
        elif query_words is not None or key_words is not None:
            raise wrong("weights", None, "(n_layers, n_heads, n_queries, n_keys), to go with the words")
        super().__init__(**settings)

    @traitlets.validate("weights", "query_words", "key_words", "layer", "head", "query")
    def _fits(self, proposal):
        """Check that there are as many words as queries and keys, and that layer, head and query exist."""
        new = {name: getattr(self, name) for name in ("weights", "query_words", "key_words", *self.STATE)}
        name = proposal["trait"].name
        new[name] = proposal["value"]
        n_layers, n_heads, n_queries, n_keys = shape = new["weights"].shape
        for words, n in (("query_words", n_queries), ("key_words", n_keys)):
            if len(new[words]) != n:
                raise wrong(words, new[words], f"{n} words, to go with weights of shape {shape}")
        for chosen, n in (("layer", n_layers), ("head", n_heads), ("query", n_queries)):
            if new[chosen] >= n:
                raise wrong(chosen, new[chosen], f"a whole number from 0 to {n - 1}, for weights of shape {shape}")
        return proposal["value"]

    def _limits(self):
        return {name: {"most": n - 1} for name, n in zip(self.STATE, self.weights.shape, strict=False)}

    @traitlets.observe("_typed")
    def _read_typed(self, change):
        """Show the weights of a typed sentence, or reply with what is wrong."""
        if self._read is None:
            return
        problem_text = ""
        try:
            reading = self._read(self._typed["sentence"])
            weights, words = Weights(None, "(n_layers, n_heads, n, n)"), tuple(reading.tokens)
            weights.name = "weights"
            self._show(weights.validate(self, reading.weights), words)
        except Exception as problem:  # errors of the function too: the page reports them, and the picture stays
            problem_text = str(problem)
        self._answered = {"count": self._typed["count"], "said": problem_text}

    def _show(self, weights, words):
        self.is_initialised = False  # pages draw their words once, except for a typed sentence
        try:
            with self.hold_sync(), self.hold_trait_notifications():
                self.query = 0
                self.query_words = self.key_words = words
                self.weights = weights
                self._initial = self._initial | {"query": 0}  # the first query may be past the last word
        finally:
            self.is_initialised = True

    def _take(self, state):
        """Clip the query to the last word: the state may be from a longer sentence."""
        super()._take(state | {"query": min(state["query"], len(self.query_words) - 1)})

    @property
    def row(self) -> Array["n_keys"]:
        """The weights of the chosen query in the chosen head, (n_keys,)."""
        return self.weights[self.layer, self.head, self.query]

    def _most(self, row):
        """The words with the largest weight of a row."""
        return ", ".join(self.key_words[j] for j in np.flatnonzero(row == row.max()))

    def figure(self) -> Axes:
        """Draw the chosen head."""
        weights, words = self.weights[self.layer, self.head], [self.query_words, self.key_words]
        sides = [min(2.6 + 0.6 * len(self.key_words), 11), min(1.6 + 0.36 * len(self.query_words), 7.5)]
        words = [w if len(w) <= 24 else [""] * len(w) for w in words]  # more would be too small to read
        title = f"Layer {self.layer}, head {self.head}"
        return heatmap(weights, *words, title=title, ax=plt.subplots(figsize=sides)[1])

    def text(self) -> str:
        """Return the choice, where the chosen query looks, and the keys at which each query looks most."""
        n_layers, n_heads, *_ = self.weights.shape
        first = np.argsort(-self.row, kind="stable")[:MAX_NAMED]  # (up to MAX_NAMED,)
        rows = self.weights[self.layer, self.head]  # (n_queries, n_keys)
        lines = [f"{query}: most at {self._most(row)}" for query, row in zip(self.query_words, rows, strict=True)]
        return "\n".join(
            [
                f"Layer {self.layer}, head {self.head}, of {n_layers} · {n_heads} heads, counted from 0.",
                f"{self.query_words[self.query]} looks at: "
                + listed((self.key_words[j] for j in first), self.row[first]),
                *lines,
            ]
        )
