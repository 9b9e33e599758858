"""What TheMachine needs of a model: its words, the numbers on their way, its answer, and others of the same build.

The classifier, the reviewer and the writer are sent to the page as arrays and run there.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from course_utils.arrays.arguments import wrong
from course_utils.arrays.shapes import Array
from course_utils.attention import merge_heads, scaled_dot_product_attention
from course_utils.explorables.machine_changes import sentence_variants, words_of
from course_utils.explorables.traits import pack_array
from course_utils.models.cls_reader import Classifier
from course_utils.models.reading import with_weights
from course_utils.models.review_reader import Reader
from course_utils.models.writer_reader import Writer
from course_utils.tasks import review_task


class Pass(NamedTuple):
    """The numbers of a sentence on their way through one layer.

    mixed: what each head mixes; brought: what the heads that are not cut contribute in sum, after W_O.
    """

    X: Array["n, d_model"]
    Q: Array["n_heads, n, d_k"]
    K: Array["n_heads, n, d_k"]
    V: Array["n_heads, n, d_v"]
    weights: Array["n_heads, n, n"]
    mixed: Array["n_heads, n, d_v"]
    brought: Array["n, d_model"] | None
    out: Array["n, d_model"] | None


class Source:
    """What TheMachine needs of a model. A subclass says how the model reads sentences, as `others` gives them.

    blocks: its layers; kinds: see `sentence_variants`; answers: its two answers, below and from the threshold;
    number_name: the name of its number. block_kind: what surrounds attention, for words: "norm", "norm after", "norm
    before" (both with a feed-forward part), or "" where nothing does. causal: no token looks at later ones.
    """

    answers, number_name, threshold, block_kind, causal, kinds = ("", ""), "", 0.5, "norm", False, ()

    @property
    def sizes(self) -> tuple[int, int]:
        """How many layers, and heads in each."""
        return len(self.blocks), self.blocks[0].attention.n_heads

    def names(self, sentence: str) -> list[str]:
        """The tokens of a sentence as words. Raises ValueError for what the model cannot read."""
        raise NotImplementedError

    def others(self, sentence: str) -> list:
        """Up to a hundred sentences of the same build and the same length in tokens."""
        return []

    def code(self, sentence: str) -> tuple[list[str], str]:
        """The lines that make the input, and the call up to its changes."""
        raise NotImplementedError

    def _reading(self, sentences, hide, attention, block=None):
        """Read sentences as `others` gives them. Returns the Reading and the numbers (n_sentences,)."""
        raise NotImplementedError

    def label(self, number: float, sentence: str, hide: Iterable = (), given: Iterable = ()) -> str:
        """The answer in words."""
        return self.answers[int(number >= self.threshold)]

    def read(
        self, sentence: str, hide: Iterable = (), given: Iterable = ()
    ) -> tuple[Array["n_layers, n_heads, n, n"], float]:
        """Read a sentence with the changes. Returns its weights and its number."""
        n = len(self.names(sentence))
        reading, numbers = self._reading([self._own(sentence)], hide, with_weights(given))
        return reading.weights[0, :, :, :n, :n], float(numbers[0])

    def read_others(self, others: list, hide: Iterable = (), given: Iterable[tuple] = ()) -> Array["n_others"]:
        """The numbers of the others, with the changes."""
        return self._reading(others, hide, with_weights(given))[1]

    def passes(self, sentence: str, hide: Iterable = (), given: Iterable[tuple] = ()) -> list[Pass]:
        """The numbers of a sentence on their way, layer by layer, with the changes."""
        passes, n = [], len(self.names(sentence))

        def block(part, X, mask, attention):
            vectors = []

            def look(Q, K, V, mask):
                vectors.extend(array[0, :, :n] for array in (Q, K, V))
                return (attention or scaled_dot_product_attention)(Q, K, V, mask)

            out, weights = part(X, mask, look)
            heads = weights[0, :, :n, :n] @ vectors[2]  # (n_heads, n, d_v)
            bias = 0 if part.attention.b_O is None else part.attention.b_O
            brought = merge_heads(heads) @ part.attention.W_O + bias  # (n, d_model)
            passes.append(Pass(X[0, :n], *vectors, weights[0, :, :n, :n], heads, brought, out[0, :n]))
            return out, weights

        self._reading([self._own(sentence)], hide, with_weights(given), block)
        return passes


@dataclass(frozen=True, eq=False)
class InPage(Source):
    """A model that the page computes: a Classifier, a Reader or a Writer, in double precision.

    vocabulary: the words of its tokens;
    length: how many words a sentence has, None for up to seq_len - 1.
    """

    model: Classifier | Reader | Writer
    blocks: tuple
    positions: Array["seq_len, d_model"]
    vocabulary: tuple
    kinds: list
    answers: tuple
    number_name: str
    length: int | None = None
    before = (0,)  # the tokens before its words

    def words(self, sentence: str) -> list[str]:
        """The words of a sentence, a text. Raises ValueError for unknown ones."""
        words = words_of(sentence) if isinstance(sentence, str) else ()
        most = self.length or len(self.positions) - 1
        count = f"{most}" if self.length else f"1 to {most}"
        unknown = [word for word in words if word not in self.vocabulary[1:] or word.startswith("[")]
        if unknown or not (words and len(words) <= most and (not self.length or len(words) == most)):
            which = f"; {unknown[0]!r} is none of them" if unknown else f"; these are {len(words)}"
            raise wrong("sentence", sentence, f"{count} words that the model knows{which}")
        return words

    def names(self, sentence: str) -> list[str]:
        """[CLS] and the words."""
        return ["[CLS]", *self.words(sentence)]

    _own = words

    def others(self, sentence: str) -> list[list[str]]:
        """Up to a hundred sentences, lists of words, of the same build."""
        words = self.words(sentence)
        return [[new.get(word, word) for word in words] for new in sentence_variants(words, self.kinds)]

    def code(self, sentence: str) -> tuple[list[str], str]:
        """Classifiers take numbers, and reviews are encoded."""
        if isinstance(self.model, Classifier):
            return [f"tokens = [[0, {', '.join(self.words(sentence))}]]"], "model(tokens"
        words = " ".join(self.words(sentence))
        imported = "from course_utils.tasks.review_task import encode"
        return [imported, f'tokens = [encode("{words}".split())]'], "model(tokens"

    def _tokens(self, sentences):
        return np.array([[*self.before, *map(self.vocabulary.index, words)] for words in sentences])

    def _reading(self, sentences, hide, attention, block=None):
        ids = self._tokens(sentences)
        tokens = np.full((len(ids), len(self.positions)), review_task.PAD)  # (n_sentences, seq_len)
        tokens[:, : ids.shape[1]] = ids
        reading = self.model(tokens, hide=hide, attention=attention, block=block)
        return reading, reading.probability

    def logit(self, out: Array["n, d_model"]) -> float:
        """What the sigmoid turns into the probability."""
        return float((out[0] @ self.model.answer + self.model.answer_bias)[0])

    def for_page(self) -> dict[str, object]:
        """What the page computes with, packed, by the names of stack_reader.js."""
        arrays = {"tokens": self.model.tokens, "positions": self.positions} | self._last()
        for layer, block in enumerate(self.blocks):
            gains, biases = map(np.stack, zip(*block.norms, strict=True))  # (1 or 2, d_model) each
            parts = vars(block.attention) | {"gains": gains, "biases": biases}
            parts |= vars(block.feed_forward) if block.feed_forward else {}
            arrays |= {f"{layer}.{name}": np.asarray(value) for name, value in parts.items() if value is not None}
        shared = {"vocabulary": self.vocabulary, "kinds": self.kinds, "length": self.length}
        settings = {"epsilon": self.blocks[0].epsilon, "norm": self.blocks[0].norm}
        return shared | settings | {"arrays": {name: pack_array(array) for name, array in arrays.items()}}

    def _last(self):
        return {"answer": self.model.answer, "answer_bias": self.model.answer_bias}
