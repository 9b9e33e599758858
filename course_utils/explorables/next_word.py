"""NextWord: a review word by word, the likely next words, and heads to switch off while you write."""

import textwrap
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import traitlets
from matplotlib.axes import Axes

from course_utils.arrays.arguments import as_count, wrong
from course_utils.arrays.shapes import Array
from course_utils.attention import softmax
from course_utils.explorables.assets import bundle
from course_utils.explorables.base import Explorable, format_number, listed
from course_utils.explorables.machine_changes import Places
from course_utils.explorables.traits import Checked, Count, OneOf, Real, Words, pack_array
from course_utils.models.writer_reader import N_BLOCKS, Writer, from_arrays, to_arrays
from course_utils.pictures.plots import row_bars
from course_utils.tasks.writer_task import WORDS

TOP = 10  # next words that are shown
CHOICES = tuple(word for word in WORDS if not word.startswith("["))  # [CLS], [PAD] and the verdicts are not words
STOP = "."
SEEDS = 2**32


class OneWriter(Checked):
    """A Writer of WORDS, rounded to single precision, since the page gets its weights as float32."""

    @staticmethod
    def for_page(value: Writer, widget: traitlets.HasTraits) -> dict[str, dict]:
        return {name: pack_array(array) for name, array in to_arrays(value).items()}

    def validate(self, owner: traitlets.HasTraits, value: object) -> Writer:
        wanted = f"a Writer of {len(WORDS)} words, as load_writer gives it, with equally many heads in each layer"
        fits = isinstance(value, Writer) and len(value.tokens) == len(WORDS)
        if not fits or len({block.attention.n_heads for block in value.blocks}) != 1:
            raise wrong(self.name, value, wanted)
        arrays = to_arrays(value).items()
        # Double precision from here on, as the page computes.
        return from_arrays({name: array.astype(np.float32).astype(np.float64) for name, array in arrays})


class Beginning(Checked):
    """The words written so far, as a tuple: words of the reviews, of which only the last may be a full stop."""

    rule = {"shape": ["n"], "of": CHOICES}

    def validate(self, owner: traitlets.HasTraits, value: object) -> tuple[str, ...]:
        most = len(owner.writer.positions) - 1
        wanted = f"a list of at most {most} words of the reviews"
        if isinstance(value, str) or not np.iterable(value):
            raise wrong(self.name, value, wanted)
        words = tuple(value)
        unknown = [word for word in words if not isinstance(word, str) or word not in CHOICES]
        faults = [f"; {unknown[0]!r} is none of them"] if unknown else []
        faults += [f"; these are {len(words)}"] * (len(words) > most)
        faults += [", none of them after the full stop"] * (STOP in words[:-1])
        if faults:
            raise wrong(self.name, value, wanted + faults[0])
        return tuple(map(str, words))


class NextWord(Explorable):
    """Write a review word by word: how likely each next word is, where the last one looks, heads to switch off.

    writer: from `load_writer`. verdict: "praise" or "blame", what the writer is asked for.
    words: those written so far; only the last may be a full stop.
    temperature: 0.1 to 2, what the scores are divided by.
    hide: heads that are off, a list of (layer, head); they pass nothing on, as in `writer(..., hide=hide)`.
    layer, head: where the last word looks is shown for these; head None is the mean over the heads that are on.
    seed: makes draws reproducible; each draw advances it. None: random. presenter: a larger view.
    Python reads and sets these, and reads `one.next_words`, `one.probabilities`, `one.weights`, `one.row`.
    Raises ValueError for what does not fit.

    >>> from course_utils.models.writer_reader import load_writer
    >>> one = NextWord(load_writer(), "blame", ["The", "movie"])
    >>> one.words += (one.next_words[0][0],)
    >>> one.text().splitlines()[0]
    '[blame] The movie was'
    """

    _esm = bundle("next_word.js")
    STATE = ("verdict", "words", "temperature", "hide", "layer", "head", "seed")
    vocabulary = Words(WORDS, fixed=True)
    writer = OneWriter(None, fixed=True)
    verdict = OneOf("praise", ("praise", "blame"))
    words = Beginning(())
    temperature = Real(1.0, least=0.1, most=2)
    hide = Places(2)
    layer = Count(0, most=N_BLOCKS - 1)
    head = Count(None, allow_none=True)
    seed = Count(None, most=SEEDS - 1, allow_none=True)

    def __init__(
        self,
        writer: Writer,
        verdict: str = "praise",
        words: Sequence[str] = (),
        temperature: float = 1.0,
        hide: Sequence[tuple[int, int]] = (),
        **settings: object,
    ) -> None:
        state = {"verdict": verdict, "words": words, "temperature": temperature, "hide": hide} | settings
        super().__init__(writer=writer, **state)  # in this order: the writer checks the rest

    @traitlets.validate("hide", "head")
    def _fits(self, proposal):
        """Check that the heads exist."""
        name, value = proposal["trait"].name, proposal["value"]
        blocks = self.writer.blocks
        for layer, head in value if name == "hide" else [(0, value)] * (value is not None):
            as_count(f"layer of {name}", layer, least=0, most=len(blocks) - 1)
            as_count(f"head of {name}" if name == "hide" else name, head, least=0, most=blocks[0].attention.n_heads - 1)
        return value

    def _limits(self):
        layer, head = len(self.writer.blocks) - 1, self.writer.blocks[0].attention.n_heads - 1
        words = {"axes": {"n": (0, len(self.writer.positions) - 1)}}
        return {"layer": {"most": layer}, "head": {"most": head}, "hide": {"most": (layer, head)}, "words": words}

    @property
    def tokens(self) -> Array["n"]:
        """The verdict and the words so far, as numbers of WORDS (n,)."""
        return np.array([WORDS.index(word) for word in self._shown_words()])

    @property
    def probabilities(self) -> Array["n_words"]:
        """How likely each of WORDS is as the next, (n_words,)."""
        hidden = self._reading().hidden[0, -1]  # (d_model,)
        return softmax(self.writer.next_scores(hidden) / self.temperature)

    @property
    def next_words(self) -> list[tuple[str, float]]:
        """The most likely next words with their probabilities, a list of ten pairs; none after the full stop."""
        if self.words[-1:] == (STOP,):
            return []
        probabilities = {word: float(p) for word, p in zip(WORDS, self.probabilities, strict=True) if word in CHOICES}
        return sorted(probabilities.items(), key=lambda pair: -pair[1])[:TOP]

    @property
    def weights(self) -> Array["n_layers, n_heads, n, n"]:
        """Where all words look (n_layers, n_heads, n, n); a head that is off keeps its weights."""
        return self._reading().weights[0]

    @property
    def row(self) -> Array["n"] | None:
        """Where the last word looks, (n,), in the chosen head or the mean; None if all heads are off."""
        rows = self.weights[self.layer, :, -1]  # (n_heads, n)
        if self.head is not None:
            return rows[self.head]
        on = [(self.layer, head) not in self.hide for head in range(len(rows))]
        return rows[on].mean(axis=0) if any(on) else None

    def figure(self) -> Axes:
        """Draw the next words and where the last word looks. Returns the Axes of the next words."""
        names, likely, row = self._shown_words(), self.next_words, self.row
        _, (left, right) = plt.subplots(1, 2, figsize=(12, max(4.3, 1.6 + 0.28 * len(names))))
        if likely:
            row_bars([p for _, p in likely], [word for word, _ in likely], xlabel="probability", ax=left)
            left.set(ylabel="next word", title=f"Next word at temperature {format_number(self.temperature)}")
        else:
            left.set_title(self._end())
        right.set_title(textwrap.fill(self._look_in_words(), 48))
        if row is not None:
            row_bars(row, names, title=right.get_title(), ax=right)
        for ax, empty in ((left, not likely), (right, row is None)):
            ax.axis("off" if empty else "on")
        lines = [" ".join(names), *([f"Heads that are off: {self._off()}"] if self.hide else [])]
        left.figure.suptitle("\n".join(textwrap.fill(line, 100) for line in lines))
        return left

    def text(self) -> str:
        """Return the words so far, temperature and heads, the next words with their probabilities, and the row."""
        lines = [
            " ".join(self._shown_words()),
            f"Temperature {format_number(self.temperature)}. Heads that are off: {self._off()}.",
        ]
        lines += [self._end()] if self._end() else []
        if likely := self.next_words:
            shares = dict(likely) | {"all others": 1 - sum(p for _, p in likely)}
            lines.append(f"Next word: {listed(shares, shares.values(), 3)}")
        look = "" if self.row is None else f": {listed(self._shown_words(), self.row)}"
        return "\n".join([*lines, self._look_in_words() + look])

    def _shown_words(self):
        return (f"[{self.verdict}]", *self.words)

    def _reading(self):
        return self.writer(self.tokens[None], hide=self.hide)

    def _off(self):
        return "; ".join(f"layer {layer}, head {head}" for layer, head in self.hide) or "none"

    def _end(self):
        """Why no word can follow, "" if one can."""
        if self.words[-1:] == (STOP,):
            return "The review has ended with its full stop."
        most = len(self.writer.positions) - 1
        return f"{most} words are the most that this writer reads." if len(self.words) == most else ""

    def _look_in_words(self):
        """What `row` is, in words."""
        last = f"“{self._shown_words()[-1]}”"
        if self.row is None:
            return f"All heads of layer {self.layer} are off: {last} gets nothing from there"
        if self.head is None:
            return f"{last} looks, mean of the heads that are on in layer {self.layer}"
        off = ", which is off" if (self.layer, self.head) in self.hide else ""
        return f"{last} looks, layer {self.layer}, head {self.head}{off}"
