"""What CutByHand needs of a model: its words, its answer, and a hundred other sentences of the same build.

The classifier and the reviewer are sent to the page as arrays and run there; the encoder is too large for that.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from course_utils.arrays.arguments import as_count, wrong
from course_utils.arrays.shapes import Array
from course_utils.attention import scaled_dot_product_attention, sinusoidal_positions
from course_utils.explorables.cut_changes import attention_functions, sentence_variants, words_of
from course_utils.explorables.traits import pack_array
from course_utils.layers import sentence_vectors
from course_utils.models.cls_reader import Classifier
from course_utils.models.encoder import Encoder
from course_utils.models.review_reader import SPREAD, Reader, from_arrays, to_arrays
from course_utils.tasks import review_task

MOST_TOKENS = 48  # for an encoder; rarely reached, since the page accepts fewer words


class Source:
    """What CutByHand needs of a model. A subclass says how the model reads sentences, as `others` gives them.

    blocks: its layers; kinds: see `sentence_variants`; answers: its two answers, below and from the threshold;
    number_name: the name of its number.
    """

    def names(self, sentence: str) -> list[str]:
        """The tokens of a sentence as words. Raises ValueError for what the model cannot read."""
        raise NotImplementedError

    def others(self, sentence: str) -> list:
        """Up to a hundred sentences of the same build and the same length in tokens."""
        raise NotImplementedError

    def _reading(self, sentences, hide, attention):
        """Read sentences as `others` gives them. Returns the Reading and the numbers (n_sentences,)."""
        raise NotImplementedError

    def read(
        self, sentence: str, hide: Iterable = (), given: Iterable[tuple] = ()
    ) -> tuple[Array["n_layers, n_heads, n, n"], float]:
        """Read a sentence with the changes. Returns its weights and its number."""
        n = len(self.names(sentence))
        reading, numbers = self._reading([self._own(sentence)], hide, attention_functions(given))
        return reading.weights[0, :, :, :n, :n], float(numbers[0])

    def read_others(self, others: list, hide: Iterable = (), given: Iterable[tuple] = ()) -> Array["n_others"]:
        """The numbers of the others, with the changes."""
        return self._reading(others, hide, attention_functions(given))[1]

    def vectors(
        self, sentence: str, hide: Iterable, given: Iterable[tuple], layer: int, head: int
    ) -> list[Array["n, d_k"]]:
        """Queries and keys of one head, as the changes of the layers before leave them."""
        vectors, attention = [], attention_functions(given)
        layer_attention = attention.get(layer, scaled_dot_product_attention)

        def record(Q, K, V, mask):
            vectors.extend((Q[0, head], K[0, head]))
            return layer_attention(Q, K, V, mask)

        self._reading([self._own(sentence)], hide, attention | {layer: record})
        return [array[: len(self.names(sentence))] for array in vectors]


def rounded_to_single(model: Classifier | Reader) -> Classifier | Reader:
    """The model with weights rounded to single precision, as the page gets them, in double, as it computes."""
    as_page_computes = lambda array: np.asarray(array, np.float32).astype(np.float64)  # noqa: E731
    if isinstance(model, Classifier):
        return Classifier(*map(as_page_computes, model))
    return from_arrays({name: as_page_computes(array) for name, array in to_arrays(model).items()})


@dataclass(frozen=True, eq=False)
class InPage(Source):
    """A model that the page computes: a Classifier or a Reader, in double precision.

    positions (seq_len, d_model); vocabulary: the words of its tokens;
    length: how many words a sentence has, None for up to seq_len - 1.
    """

    model: Classifier | Reader
    blocks: tuple
    positions: np.ndarray
    vocabulary: tuple
    kinds: list
    answers: tuple
    number_name: str
    length: int | None
    threshold: float = 0.5

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

    def names(self, sentence):
        """[CLS] and the words."""
        return ["[CLS]", *self.words(sentence)]

    _own = words

    def others(self, sentence):
        """Up to a hundred sentences, lists of words, of the same build."""
        words = self.words(sentence)
        return [[changes.get(word, word) for word in words] for changes in sentence_variants(words, self.kinds)]

    def _reading(self, sentences, hide, attention):
        ids = [[0, *map(self.vocabulary.index, words)] for words in sentences]
        tokens = np.full((len(ids), len(self.positions)), review_task.PAD)  # (n_sentences, seq_len)
        tokens[:, : len(ids[0])] = ids
        reading = self.model(tokens, hide=hide, attention=attention)
        return reading, reading.probability

    def arrays(self):
        """What the page computes with, packed, by the names of stack_reader.js."""
        arrays = {"tokens": self.model.tokens, "positions": self.positions}
        arrays |= {"answer": self.model.answer, "answer_bias": self.model.answer_bias}
        for layer, block in enumerate(self.blocks):
            gains, biases = map(np.stack, zip(*block.norms, strict=True))  # (1, d_model) each
            parts = vars(block.attention) | {"gains": gains, "biases": biases}
            arrays |= {f"{layer}.{name}": np.asarray(value) for name, value in parts.items()}
        return {name: pack_array(array) for name, array in arrays.items()}


def classifier_source(model: Classifier, target: int) -> InPage:
    """A Classifier as CutByHand needs it. target: the token that the question is about, which no variant replaces."""
    model = rounded_to_single(model)
    vocabulary = ("[CLS]", *map(str, range(1, len(model.tokens))))
    kinds = [[(number,) for number in vocabulary[1:] if number != str(target)]]
    length = len(model.positions) - 1
    return InPage(
        model, (model.block,), model.positions, vocabulary, kinds, ("no", "yes"), "the probability of yes", length
    )


def reader_source(model: Reader) -> InPage:
    """A Reader of lesson 15 as CutByHand needs it."""
    model, task = rounded_to_single(model), review_task
    positions = (SPREAD * sinusoidal_positions(task.SEQ_LEN, model.tokens.shape[1])).astype(np.float32).astype(float)
    single = [phrase for phrase in task.FILLERS if " " not in phrase]
    kinds = [task.MOVIES, task.OTHERS, task.GOOD, task.BAD, task.NEGATIONS, task.INTENSIFIERS, task.JOINTS, single]
    kinds = [[(word,) for word in kind] for kind in kinds]
    return InPage(
        model, model.blocks, positions, task.VOCABULARY, kinds, ("blame", "praise"), "the probability of praise", None
    )


# What replaces "movie", and "good" and "bad", for an encoder: each is one token of its vocabulary.
NOUNS = ("movie", "film", "soup", "hotel", "room", "book", "road", "weather", "game", "car", "house", "lesson")
PAIRS = (("good", "bad"), ("hot", "cold"), ("clean", "dirty"), ("old", "new"), ("fast", "slow"), ("easy", "hard"))
PAIRS += (("cheap", "expensive"), ("safe", "dangerous"), ("tall", "short"), ("happy", "sad"), ("loud", "quiet"))


@dataclass(frozen=True, eq=False)
class InKernel(Source):
    """An encoder, which runs in the kernel: a sentence is nearer to one of two others, the poles.

    poles: two sentences. The answer is how much larger the cosine with the second one is.
    """

    model: Encoder
    poles: tuple
    threshold: float = 0.0
    kinds = [[(noun,) for noun in NOUNS], list(PAIRS)]
    number_name = "the lead"

    @property
    def blocks(self):
        """Its layers."""
        return self.model.blocks

    @property
    def answers(self):
        """The two answers in words."""
        return tuple(f"nearer to “{pole}”" for pole in self.poles)

    def names(self, sentence):
        """The tokens, [CLS] and [SEP] included. Raises ValueError for anything but text, and for too many tokens."""
        if not isinstance(sentence, str) or not sentence.strip():
            raise wrong("sentence", sentence, "a sentence as text")
        names = self.model.tokenizer.encode(sentence).tokens
        most = min(MOST_TOKENS, len(self.model.positions))
        if len(names) > most:
            raise wrong("sentence", sentence, f"at most {most} tokens; these are {len(names)}")
        return names

    def _own(self, sentence):
        return sentence, self.poles

    def others(self, sentence):
        """Up to a hundred sentences of the same build and the same length in tokens, each with its poles."""
        n, others = len(self.names(sentence)), []
        for changes in sentence_variants(words_of(sentence), self.kinds):
            texts = [" ".join(changes.get(word, word) for word in words_of(text)) for text in (sentence, *self.poles)]
            if len(self.names(texts[0])) == n:
                others.append((texts[0], tuple(texts[1:])))
        return others

    def _reading(self, sentences, hide, attention):
        texts, poles = zip(*sentences, strict=True)
        reading = self.model(list(texts), hide=hide, attention=attention)
        vectors = sentence_vectors(reading.hidden, reading.mask)  # (n, d_model)
        first, second = (self._vectors(texts) for texts in zip(*poles, strict=True))  # (n, d_model) each
        return reading, ((second - first) * vectors).sum(axis=-1)

    @lru_cache(maxsize=8)  # noqa: B019  a widget lives as long as its model
    def _vectors(self, texts):
        reading = self.model(list(texts))
        return sentence_vectors(reading.hidden, reading.mask)  # (n, d_model)


def source_of(model: object, target: int, poles: Iterable[str]) -> InPage | InKernel:
    """What CutByHand needs of a model. Raises ValueError for another model, and for poles that are not sentences."""
    if isinstance(model, Classifier):
        return classifier_source(model, as_count("target", target, most=len(model.tokens) - 1))
    if isinstance(model, Reader):
        return reader_source(model)
    if not isinstance(model, Encoder):
        raise wrong("model", model, "a Classifier, a Reader of lesson 15 or an Encoder")
    poles = tuple(poles) if np.iterable(poles) else ()
    if len(poles) != 2 or not all(isinstance(pole, str) and pole.strip() for pole in poles):
        raise wrong("poles", poles, "two sentences")
    return InKernel(model, poles)
