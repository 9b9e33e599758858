"""Vectors for TheMachine, made by hand or stored: they are not a model, so what a hand moves is an output.

One head, as in lesson 05, or all heads of all layers, as a model left them; nothing leads from one layer to the next.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from course_utils.arrays.arguments import as_finite, wrong
from course_utils.arrays.shapes import Array
from course_utils.attention import scaled_dot_product_attention
from course_utils.explorables.machine_changes import hidden_edges, words_of
from course_utils.explorables.machine_models import Pass, Source
from course_utils.explorables.traits import pack_array
from course_utils.models.reading import with_weights


@dataclass(frozen=True, eq=False)
class Vectors(Source):
    """Queries, keys and values of a sentence, made by hand or stored; no model, no answer.

    A sentence of its words in another order, or of some of them, takes their vectors along.
    """

    own_words: tuple
    Q: Array["n_layers, n_heads, n, d_k"]
    K: Array["n_layers, n_heads, n, d_k"]
    V: Array["n_layers, n_heads, n, d_v"]
    number_name = "the output"
    block_kind = ""

    @property
    def sizes(self) -> tuple[int, int]:
        """How many layers, and heads in each."""
        return self.Q.shape[:2]

    def rows(self, sentence: str) -> list[int]:
        """Which rows of Q, K and V belong to the words of a sentence. Raises ValueError for other words."""
        found, n = [], len(self.own_words)
        whole = isinstance(sentence, str) and sentence == " ".join(self.own_words)
        for word in self.own_words if whole else words_of(sentence) if isinstance(sentence, str) else ():
            rows = [i for i in range(n) if self.own_words[i] == word]
            if not rows:
                raise wrong("sentence", sentence, f"words that have vectors; {word!r} has none")
            found.append(next((i for i in rows if i not in found), rows[-1]))
        if not 1 <= len(found) <= 2 * n:
            raise wrong("sentence", sentence, f"1 to {2 * n} words that have vectors; these are {len(found)}")
        return found

    def names(self, sentence: str) -> list[str]:
        """The words."""
        return [self.own_words[i] for i in self.rows(sentence)]

    def read(
        self, sentence: str, hide: Iterable = (), given: Iterable[tuple] = ()
    ) -> tuple[Array["n_layers, n_heads, n, n"], Array["n_layers, n_heads, n, d_v"]]:
        """Return the weights and the outputs, which are its numbers."""
        passes = self.passes(sentence, hide, given)
        return np.stack([one.weights for one in passes]), np.stack([one.mixed for one in passes])

    def passes(self, sentence: str, hide: Iterable = (), given: Iterable[tuple] = ()) -> list[Pass]:
        """Each layer stands alone: nothing leads from its outputs into the next."""
        rows, functions, passes = self.rows(sentence), with_weights(given), []
        sees = ~hidden_edges(hide, (*self.sizes, len(rows), len(rows)))
        for layer, vectors in enumerate(zip(self.Q[:, :, rows], self.K[:, :, rows], self.V[:, :, rows], strict=True)):
            look = functions.get(layer, scaled_dot_product_attention)
            output, weights = (one[0] for one in look(*(one[None] for one in vectors), sees[layer][None]))
            off = [head for place in hide if len(place) == 2 and place[0] == layer for head in place[1:]]
            output[off] = 0
            passes.append(Pass(vectors[2][0], *vectors, weights, output, None, None))
        return passes

    def code(self, sentence: str) -> tuple[list[str], str]:
        """The lines that make the mask; TheMachine writes the rest."""
        return ["import numpy as np", "from course_utils.attention import scaled_dot_product_attention"], ""

    def for_page(self) -> dict[str, object]:
        """The words and their vectors, packed."""
        arrays = {name: pack_array(getattr(self, name)) for name in "QKV"}
        return {"own_words": self.own_words, "arrays": arrays}


def vectors_source(arrays: Iterable, words: Iterable[str]) -> Vectors:
    """Q, K, V, each (n, d) or (n_layers, n_heads, n, d), and their n words. Raises ValueError for what does not fit."""
    words = tuple(words.split() if isinstance(words, str) else words)
    wanted = f"({len(words)}, d) or (n_layers, n_heads, {len(words)}, d), one row for each word"
    made = [
        as_finite(name, array, wanted).astype(np.float32).astype(float)
        for name, array in zip("QKV", arrays, strict=True)
    ]
    for name, array in zip("QKV", made, strict=True):
        if array.ndim not in (2, 4) or array.shape[:-1] != (*made[0].shape[:-2], len(words)):
            raise wrong(name, array, wanted)
    if made[0].shape != made[1].shape:
        raise wrong("K", made[1], f"{made[0].shape}, as Q")
    return Vectors(words, *(array.reshape((1, 1)[array.ndim // 4 * 2 :] + array.shape) for array in made))
