"""Cards: the configurations that open models publish, and small writers that differ in one line of theirs. NumPy only.

In course_utils/data/card are cards.toml, with the sources of each published line; writers of seed 0, which
`nox -s card_study` trained and rounded to 16 bits; and the tables of that study. `card_model` builds such writers.
"""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from course_utils.arrays.arguments import as_count, as_finite, as_tokens, wrong
from course_utils.arrays.named_arrays import load_arrays
from course_utils.arrays.shapes import Array
from course_utils.arrays.tables import load_table
from course_utils.attention import merge_heads, scaled_dot_product_attention, sinusoidal_positions, softmax, split_heads
from course_utils.layers import FeedForward, layer_norm, silu
from course_utils.tasks.review_task import BAD, GOOD, SEQ_LEN, Reviews, places
from course_utils.tasks.writer_task import WORDS

DATA = Path(__file__).parents[1] / "data" / "card"
EPSILON = 1e-3  # of the normalisation, as in lesson 11
SPREAD = 2.0  # the size of the position vectors
LOCAL, FULL = "sliding_attention", "full_attention"
PLAIN = {
    "vocab_size": len(WORDS),
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "head_dim": 8,
    "intermediate_size": 64,
    "gated": False,
    "tie_word_embeddings": False,
    "sliding_window": 0,
    "layer_types": [FULL, FULL],
}
GATED = {"gated": True, "intermediate_size": 44}  # three matrices with nearly as many numbers as two of 64
VARIANTS = {  # the writers of the study: what differs from PLAIN
    "plain": {},
    "1 key head": {"num_key_value_heads": 1},
    "window 4": {"sliding_window": 4, "layer_types": [LOCAL, LOCAL]},
    "window 4, then all": {"sliding_window": 4, "layer_types": [LOCAL, FULL]},
    "gated": GATED,
    "2 key heads": {"num_key_value_heads": 2},
}
SHIPPED = {"plain": "plain", "1 key head": "one_key_head", "window 4": "near", "window 4, then all": "mixed"}
SHIPPED |= {"gated": "gated"}


def load_cards() -> dict[str, dict]:
    """Return the published cards by name, each line under the name that config.json files give it.

    layer_types has an entry for each layer. published: how many weights the checkpoint holds; said: as announced.

    >>> load_cards()["Gemma 3 1B"]["layer_types"].count("full_attention")
    4
    """
    cards = tomllib.loads((DATA / "cards.toml").read_text(encoding="utf-8"))["card"]
    for card in cards:
        card["layer_types"] = list(islice(cycle(card["layer_types"]), card["num_hidden_layers"]))
    return {card["name"]: card for card in cards}


def card_of(variant: str) -> dict:
    """Return the card of a writer of the study. Raises ValueError for a name that is not in VARIANTS.

    >>> card_of("1 key head")["num_key_value_heads"]
    1
    """
    if variant not in VARIANTS:
        raise wrong("variant", variant, f"one of {', '.join(VARIANTS)}")
    return PLAIN | VARIANTS[variant]


def axes_of(card: dict) -> dict[str, tuple[str, ...]]:
    """Return the arrays of a writer with this card, and the names of their axes, for `named_arrays.check_axes`."""
    axes = {"tokens": ("n_words", "d"), "gain": ("d",), "W_next": ("d", "n_words")}
    block = {"W_Q": ("d", "queries"), "W_K": ("d", "keys"), "W_V": ("d", "keys"), "W_O": ("queries", "d")}
    block |= {"gains": ("2", "d"), "W_in": ("d", "wide"), "W_out": ("wide", "d")}
    block |= {"W_gate": ("d", "wide")} if card["gated"] else {"b_in": ("wide",), "b_out": ("d",), "biases": ("2", "d")}
    axes |= {} if card["gated"] else {"bias": ("d",)}
    layers = range(card["num_hidden_layers"])
    return axes | {f"{layer}.{name}": names for layer in layers for name, names in block.items()}


@dataclass(frozen=True, eq=False)
class CardWriter:
    """A decoder built from a card. Call it with tokens: it returns the scores of the next word at each position.

    arrays: as `axes_of` lists them. gated: RMSNorm and a gated feed-forward layer, without biases;
    else the layer norm and the feed-forward layer of lesson 11. The norm stands before each part.

    >>> writer = load_card_writer("1 key head")
    >>> writer([[WORDS.index(word) for word in ("[blame]", "The", "movie")]]).shape
    (1, 3, 59)
    """

    card: dict
    arrays: dict[str, np.ndarray]

    def __call__(
        self,
        tokens: Array["batch, n"],
        *,
        attend: Callable | None = None,
        masks: list[Array["n, n"]] | None = None,
        feed: Callable | None = None,
    ) -> Array["batch, n, n_words"]:
        """Read the beginnings of reviews.

        attend: a function (Q, K, V, mask) -> output in place of the course's own; Q (batch, n_heads, n, d_k),
        K and V (batch, n_kv_heads, n, d_k), mask bool (n, n). masks: one for each layer, else those of the card.
        feed: a function (X, gain, W_gate, W_in, W_out) -> X for the second part of a gated block.
        Raises ValueError for anything but tokens, for rows that are too long, and for a wrong number of masks.
        """
        tokens, part = as_tokens(tokens, len(self.arrays["tokens"])), self.arrays
        n, d = tokens.shape[1], self.card["hidden_size"]
        if n >= SEQ_LEN:
            raise wrong("tokens", tokens, f"(batch, n), n at most {SEQ_LEN - 1}")
        masks = masks_of(self.card, n) if masks is None else masks
        if len(masks) != self.card["num_hidden_layers"]:
            raise wrong("masks", masks, f"{self.card['num_hidden_layers']} masks, one for each layer")
        X = part["tokens"][tokens] + (SPREAD * sinusoidal_positions(n, d)).astype("float32")  # (batch, n, d)
        for layer, mask in enumerate(masks):
            block = {name[2:]: array for name, array in part.items() if name.startswith(f"{layer}.")}
            X = X + self._attend(X, block, mask, attend or shared_attention)
            X = (feed or gated_part)(X, *_gated(block)) if self.card["gated"] else X + self._think(X, block)
        return self._norm(X, part["gain"], part.get("bias")) @ part["W_next"]

    def _attend(self, X, block, mask, attend):
        inside = self._norm(X, block["gains"][0], block.get("biases", [None])[0])  # (batch, n, d)
        heads = self.card["num_attention_heads"], *[self.card["num_key_value_heads"]] * 2
        cut = [split_heads(inside @ block[f"W_{letter}"], h) for letter, h in zip("QKV", heads, strict=True)]
        return merge_heads(attend(*cut, mask)) @ block["W_O"]

    def _think(self, X, block):
        inside = self._norm(X, block["gains"][1], block["biases"][1])
        return FeedForward(*(block[name] for name in ("W_in", "b_in", "W_out", "b_out")))(inside)

    def _norm(self, X, gain, bias):
        return rms_norm(X, gain) if self.card["gated"] else layer_norm(X, gain, bias, EPSILON)


def _gated(block):
    return block["gains"][1], block["W_gate"], block["W_in"], block["W_out"]


def masks_of(card: dict, n: int) -> list[Array["n, n"]]:
    """Return what the tokens of each layer may look at: bool, True = may look. Raises ValueError for n below 1.

    >>> masks_of(PLAIN | {"sliding_window": 2, "layer_types": [LOCAL, FULL]}, 3)[0].astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 1, 1]])
    """
    back = np.subtract.outer(np.arange(as_count("n", n)), np.arange(n))  # (n, n): how far back a key is
    return [(back >= 0) & ((kind == FULL) | (back < card["sliding_window"])) for kind in card["layer_types"]]


def shared_attention(
    Q: Array["..., n_heads, n, d_k"],
    K: Array["..., n_kv_heads, n, d_k"],
    V: Array["..., n_kv_heads, n, d_v"],
    mask: Array["n, n"],
) -> Array["..., n_heads, n, d_v"]:
    """Attention in which neighbouring query heads share a key head. Source: Ainslie et al. 2023."""
    share = Q.shape[-3] // K.shape[-3]
    return scaled_dot_product_attention(Q, *(np.repeat(heads, share, axis=-3) for heads in (K, V)), mask).output


def rms_norm(X: Array["..., d"], gain: Array["d"]) -> Array["..., d"]:
    """Divide each vector by the root of the mean of its squares. Source: Zhang and Sennrich 2019."""
    return X / np.sqrt(np.square(X).mean(axis=-1, keepdims=True) + EPSILON) * gain


def gated_part(
    X: Array["..., d"], gain: Array["d"], W_gate: Array["d, wide"], W_in: Array["d, wide"], W_out: Array["wide, d"]
) -> Array["..., d"]:
    """Return the tokens after the second part of a modern block. Source: Shazeer 2020, SwiGLU."""
    inside = rms_norm(X, gain)
    return X + (silu(inside @ W_gate) * (inside @ W_in)) @ W_out


def right_side(scores: Array["n, n_places, n_words"], task: Reviews) -> tuple[Array["n"], Array["n"]]:
    """Return how surely a writer obeys the verdict, for each review, and how many tokens back the verdict stood.

    scores: of the next word, after each token of `writing_rows(task)` but the last. Of the probability of all
    adjectives, where the one about the movie comes, this share lies on the side that verdict and negations ask for:
    1 obeys, and a coin gets 0.5. Raises ValueError for another number of reviews.
    """
    scores = as_finite("scores", scores, f"({len(task.reviews)}, n_places, n_words)", rank=3, exact=True)
    if len(scores) != len(task.reviews):
        raise wrong("scores", scores, f"({len(task.reviews)}, n_places, n_words)")
    clauses = [review.first if review.movie_first else review.second for review in task.reviews]
    back = np.array([places(review)[0].adjective for review in task.reviews]) - 1  # (n,)
    shares = softmax(scores[np.arange(len(back)), back])  # (n, n_words): after the token before the adjective
    good, bad = (shares[:, [WORDS.index(word) for word in words]].sum(axis=1) for words in (GOOD, BAD))
    return np.where([clause.adjective in GOOD for clause in clauses], good, bad) / (good + bad), back


def load_card_writer(variant: str = "plain", path: str | Path | None = None) -> CardWriter:
    """Read a writer of the study: one of SHIPPED, or of VARIANTS with the path of its file.

    Raises ValueError for another name, FileNotFoundError for a missing file.
    """
    if path is None and variant not in SHIPPED:
        raise wrong("variant", variant, f"one of {', '.join(SHIPPED)}")
    card = card_of(variant)
    arrays = load_arrays(path or DATA / f"{SHIPPED[variant]}.npz", axes_of(card))
    return CardWriter(card, {name: array.astype("float32") for name, array in arrays.items()})


def load_study(name: str = "writers") -> list[dict]:
    """Return the rows of a table of `nox -s card_study -- --ship`, figures as floats.

    "writers": variant, seed, the nats a word on new reviews, and `right_side`, up to 6 tokens from the verdict and
    further away. "adapters": classifiers that learn about another position: start, how many weights may change, seed,
    and the balanced accuracy for the old position and for the new one, before and after.

    >>> len({row["seed"] for row in load_study()})
    5
    """
    return load_table(DATA / f"{name}.csv", variant=str, start=str)
