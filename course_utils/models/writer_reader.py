"""A trained writer as plain arrays: which word may come next, and where the writer looks to decide. NumPy only.

`writer_model.to_writer` makes one from a Keras model. In course_utils/data/writer are two of seed 0: writer.npz, which
writes reviews, and induction.npz, which learned rows of random tokens that begin again (models/induction.py).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from course_utils.arrays.arguments import as_array, as_count, as_finite, as_real, as_tokens, wrong
from course_utils.arrays.named_arrays import check_axes, load_arrays
from course_utils.arrays.shapes import Array
from course_utils.arrays.tables import load_table
from course_utils.attention import MultiHeadAttention, softmax
from course_utils.layers import Block, BlockWeights, FeedForward, layer_norm
from course_utils.models.reading import Reading, run_blocks
from course_utils.tasks.review_task import PAD, VOCABULARY
from course_utils.tasks.writer_task import END

DATA = Path(__file__).parents[1] / "data" / "writer"
EPSILON = 1e-3  # of the layer normalisation, as in Keras and in lesson 11
N_BLOCKS = 2
BLOCK_AXES = {
    "W_Q": ("d_model", "heads"),
    "W_K": ("d_model", "heads"),
    "W_V": ("d_model", "heads"),
    "W_O": ("heads", "d_model"),
    "W_in": ("d_model", "d_wide"),
    "b_in": ("d_wide",),
    "W_out": ("d_wide", "d_model"),
    "b_out": ("d_model",),
    "gains": ("2", "d_model"),
    "biases": ("2", "d_model"),
    "n_heads": (),
}
AXES = {
    "tokens": ("n_words", "d_model"),
    "positions": ("n_positions", "d_model"),
    "gain": ("d_model",),
    "bias": ("d_model",),
    "W_next": ("d_model", "n_words"),
    "b_next": ("n_words",),
}
AXES |= {f"{layer}.{name}": axes for layer in range(N_BLOCKS) for name, axes in BLOCK_AXES.items()}


@dataclass(frozen=True, eq=False)
class Writer:
    """A decoder: call it with tokens; `next_scores` then tells which word may follow each of them.

    tokens, positions: their sum is the first vector of a token; blocks: with the norm before;
    norm: (gain, bias) of the norm after the last block.

    >>> from course_utils.tasks.writer_task import WORDS
    >>> writer = load_writer()
    >>> start = [[WORDS.index(word) for word in ("[blame]", "The", "movie")]]
    >>> WORDS[writer.next_scores(writer(start).hidden)[0, -1].argmax()]
    'was'
    """

    tokens: Array["n_words, d_model"]
    positions: Array["n_positions, d_model"]
    blocks: tuple[Block, ...]
    norm: tuple[Array["d_model"], Array["d_model"]]
    W_next: Array["d_model, n_words"]
    b_next: Array["n_words"]

    def __call__(
        self,
        tokens: Array["batch, n"],
        *,
        hide: Iterable = (),
        weights: dict[int, Array["..., n"]] | Array["..., n"] | None = None,
        attention: Callable | dict[int, Callable] | None = None,
        block: Callable | None = None,
    ) -> Reading:
        """Read the beginnings of reviews, of at most n_positions tokens.

        A query looks at itself and at the keys before it, so row i knows nothing of the tokens after i.
        hide, weights, attention, block: what to change, see `reading.run_blocks`.
        Raises ValueError for anything but tokens, for rows that are too long, and for a change that does not fit.
        """
        tokens = as_tokens(tokens, len(self.tokens))
        if tokens.shape[1] > len(self.positions):
            raise wrong("tokens", tokens, f"(batch, n), n at most {len(self.positions)}")
        X = self.tokens[tokens] + self.positions[: tokens.shape[1]]  # (batch, n, d_model)
        changes = {"hide": hide, "weights": weights, "attention": attention, "block": block}
        hidden, all_weights = run_blocks(self.blocks, X, tokens != PAD, causal=True, **changes)
        return Reading(tokens, hidden, all_weights, tokens != PAD)

    def next_scores(self, hidden: Array["..., d_model"]) -> Array["..., n_words"]:
        """Return the scores of all words as the next one. Raises ValueError for vectors of another length."""
        hidden = as_finite("hidden", hidden, f"(..., {len(self.W_next)})", rank=1)  # (..., d_model)
        if hidden.shape[-1] != len(self.W_next):
            raise wrong("hidden", hidden, f"(..., {len(self.W_next)})")
        return layer_norm(hidden, *self.norm, EPSILON) @ self.W_next + self.b_next

    def most_likely(self, start: Array["n"]) -> list[int]:
        """Continue these tokens with the most likely words, up to the full stop or the last position.

        Raises ValueError as a call does.
        """
        row = [int(token) for token in np.asarray(start)]
        while row[-1] != END and len(row) <= len(self.positions):
            row.append(int(self.next_scores(self([row]).hidden[0, -1]).argmax()))
        return row

    def write(self, verdicts: Array["n"], *, temperature: float = 1.0, seed: int = 0) -> Array["n, n_positions + 1"]:
        """Return one review for each verdict, 1 for praise and 0 for blame, drawn word by word.

        A row, int32, holds the verdict, the words, and padding. temperature: the divisor of the scores.
        One seed, one set of reviews. Raises ValueError for other verdicts, a temperature of 0 or less, a seed below 0.
        """
        verdicts = as_array("verdicts", verdicts, "(n,), 0 or 1 each")
        if verdicts.ndim != 1 or not verdicts.size or not np.isin(verdicts, (0, 1)).all():
            raise wrong("verdicts", verdicts, "(n,), 0 or 1 each")
        if as_real("temperature", temperature) <= 0:
            raise wrong("temperature", temperature, "a number above 0")
        rng = np.random.default_rng(as_count("seed", seed, least=0))
        rows = np.full((len(verdicts), len(self.positions) + 1), PAD, np.int32)
        rows[:, 0] = len(VOCABULARY) + verdicts
        active = np.ones(len(rows), bool)
        for n in range(1, rows.shape[1]):
            shares = softmax(
                self.next_scores(self(rows[active, :n]).hidden[:, -1]) / temperature
            )  # (n_active, n_words)
            ends = shares.cumsum(axis=-1)
            points = rng.random((len(ends), 1)) * ends[:, -1:]  # rounding may leave the last end a little below 1
            rows[active, n] = (ends > points).argmax(axis=-1)
            active &= rows[:, n] != END
            if not active.any():
                break
        return rows

    def block_weights(self, layer: int) -> BlockWeights:
        """Return the weights of a block. Raises ValueError for a layer that does not exist."""
        block = self.blocks[as_count("layer", layer, least=0, most=len(self.blocks) - 1)]
        a, f = block.attention, block.feed_forward
        gains, biases = map(np.stack, zip(*block.norms, strict=True))  # (2, d_model) each
        return BlockWeights(np.stack([a.W_Q, a.W_K, a.W_V, a.W_O]), f.W_in, f.b_in, f.W_out, f.b_out, gains, biases)

    def parts(self) -> tuple[Array["n_words, d_model"], Array["n_positions, d_model"], list[tuple], Callable]:
        """Return what the loop of lesson 17 takes: tokens, positions, blocks and `next_scores`.

        A block is what `block_step` of lesson 16 takes between a token and the cache.

        >>> tokens, positions, blocks, next_scores = load_writer().parts()
        >>> tokens.shape, len(blocks), next_scores(tokens[0]).shape
        ((59, 48), 2, (59,))
        """
        blocks = [(*self.block_weights(layer), one.attention.n_heads) for layer, one in enumerate(self.blocks)]
        return self.tokens, self.positions, blocks, self.next_scores

    def with_positions(self, positions: Array["n_positions, d_model"]) -> "Writer":
        """Return this writer with other position vectors, such as for longer texts.

        Raises ValueError for vectors of another length.
        """
        positions = as_finite("positions", positions, f"(n_positions, {len(self.W_next)})", rank=2, exact=True)
        if positions.shape[1] != len(self.W_next):
            raise wrong("positions", positions, f"(n_positions, {len(self.W_next)})")
        return replace(self, positions=positions)


def from_arrays(arrays: Mapping[str, np.ndarray]) -> Writer:
    """Build a writer from arrays with the names of AXES. Raises ValueError for shapes that do not fit."""
    check_axes(arrays, AXES)

    def block(layer):
        part = {name: arrays[f"{layer}.{name}"] for name in BLOCK_AXES}
        attention = MultiHeadAttention(*(part[f"W_{letter}"] for letter in "QKVO"), int(part["n_heads"]))
        feed_forward = FeedForward(part["W_in"], part["b_in"], part["W_out"], part["b_out"])
        norms = tuple(zip(part["gains"], part["biases"], strict=True))
        return Block(attention, norms, feed_forward, EPSILON, "before")

    blocks, norm = tuple(map(block, range(N_BLOCKS))), (arrays["gain"], arrays["bias"])
    return Writer(arrays["tokens"], arrays["positions"], blocks, norm, arrays["W_next"], arrays["b_next"])


def to_arrays(writer: Writer) -> dict[str, np.ndarray]:
    """Return the arrays of a writer by the names of AXES, as `from_arrays` takes them."""
    arrays = {name: getattr(writer, name) for name in ("tokens", "positions", "W_next", "b_next")}
    arrays |= dict(zip(("gain", "bias"), writer.norm, strict=True))
    for layer, block in enumerate(writer.blocks):
        gains, biases = map(np.stack, zip(*block.norms, strict=True))  # (2, d_model) each
        parts = vars(block.attention) | vars(block.feed_forward) | {"gains": gains, "biases": biases}
        arrays |= {f"{layer}.{name}": np.asarray(parts[name]) for name in BLOCK_AXES}
    return {name: arrays[name] for name in AXES}


def save_writer(writer: Writer, path: str | Path) -> None:
    """Write a writer into one .npz file, without pickle."""
    np.savez(path, **to_arrays(writer))


def load_study(name: str = "writer_study") -> list[dict]:
    """Return the rows of a study that comes with the course (`nox -s writer_study -- --ship`), all floats.

    name "induction_study": of writers that learned repeating rows; see `heads_of` in that study. Else
    times: how many times the steps of the lesson; nats: the loss on new reviews; times_limit: perplexity / limit;
    accepted: share of the written reviews; new, obeyed: shares of the accepted ones;
    twice: of those that were not accepted, the share that says a phrase twice in one clause.

    >>> len(load_study()) >= 10
    True
    """
    return load_table(DATA / f"{name}.csv")


def load_writer(path: str | Path = DATA / "writer.npz") -> Writer:
    """Read a writer: the one that comes with the course, or another .npz file.

    Raises FileNotFoundError for a missing file, ValueError for one with other content.
    """
    return from_arrays(load_arrays(path, AXES))
