"""What CutByHand needs of a model: its words, its answer, and a hundred other sentences that are built alike.

The classifier and the reviewer go to the page as arrays, and are computed there; the encoder is too large for that.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from course_utils import review_task
from course_utils.arguments import as_count, wrong
from course_utils.attention import scaled_dot_product_attention, sinusoidal_positions
from course_utils.cls_reader import Classifier
from course_utils.encoder import Encoder
from course_utils.explorables.cut_changes import built_alike, with_given, words_of
from course_utils.explorables.traits import packed
from course_utils.layers import sentence_vectors
from course_utils.review_reader import SPREAD, Reader, from_arrays, to_arrays

MOST_TOKENS = 48  # of an encoder; the page lets fewer words through, so that this is hardly ever met


def listening(given, layer, head):
    """A list that takes up Q and K of one head, (n, d_k) each, and the attention functions that put them there."""
    heard, attention = [], with_given(given)
    own = attention.get(layer, scaled_dot_product_attention)

    def listen(Q, K, V, mask):
        heard.extend((Q[0, head], K[0, head]))
        return own(Q, K, V, mask)

    return heard, attention | {layer: listen}


def exact(model):
    """The model as the page gets it, in single precision, and as the page computes with it, in double."""
    twice = lambda array: np.asarray(array, np.float32).astype(np.float64)  # noqa: E731
    if isinstance(model, Classifier):
        return Classifier(*map(twice, model))
    return from_arrays({name: twice(array) for name, array in to_arrays(model).items()})


@dataclass(frozen=True, eq=False)
class InPage:
    """A model that the page computes: a Classifier or a Reader, in double precision.

    blocks: its layers; positions (seq_len, d_model); vocabulary: the words of its tokens; kinds: see `built_alike`;
    answers: what it says below and from a probability of 0.5 on; asked: what its number is called;
    length: how many words a sentence has, None for up to seq_len - 1; threshold: from there on it is the second answer.
    """

    model: Classifier | Reader
    blocks: tuple
    positions: np.ndarray
    vocabulary: tuple
    kinds: list
    answers: tuple
    asked: str
    length: int | None
    threshold: float = 0.5

    def words(self, sentence):
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

    def read(self, sentence, hide=(), given=()):
        """Read a sentence with the changes. Returns weights (n_layers, n_heads, n, n) and the probability."""
        reading, n = self._reading([self.words(sentence)], hide, with_given(given))
        return reading.weights[0, :, :, :n, :n], float(reading.probability[0])

    def vectors(self, sentence, hide, given, layer, head):
        """Queries and keys of one head, (n, d_k) each, as the changes of the layers before leave them."""
        heard, attention = listening(given, layer, head)
        _, n = self._reading([self.words(sentence)], hide, attention)
        return [vectors[:n] for vectors in heard]

    def others(self, sentence):
        """Up to a hundred sentences, lists of words, of the same build."""
        words = self.words(sentence)
        return [[changes.get(word, word) for word in words] for changes in built_alike(words, self.kinds)]

    def read_others(self, others, hide=(), given=()):
        """The probabilities of sentences as `others` gives them, (n_others,), with the changes."""
        return self._reading(others, hide, with_given(given))[0].probability

    def _reading(self, sentences, hide, attention):
        """Read sentences of equally many words. Returns the Reading, and how many tokens one has."""
        ids = [[0, *map(self.vocabulary.index, words)] for words in sentences]
        tokens = np.full((len(ids), len(self.positions)), review_task.PAD)  # (n_sentences, seq_len)
        tokens[:, : len(ids[0])] = ids
        return self.model(tokens, hide=hide, attention=attention), len(ids[0])

    def arrays(self):
        """What the page computes with, packed, by the names of stack_reader.js."""
        arrays = {"tokens": self.model.tokens, "positions": self.positions}
        arrays |= {"answer": self.model.answer, "answer_bias": self.model.answer_bias}
        for layer, block in enumerate(self.blocks):
            gains, biases = map(np.stack, zip(*block.norms, strict=True))  # (1, d_model) each
            parts = vars(block.attention) | {"gains": gains, "biases": biases}
            arrays |= {f"{layer}.{name}": np.asarray(value) for name, value in parts.items()}
        return {name: packed(array) for name, array in arrays.items()}


def of_classifier(model, target):
    """A Classifier as CutByHand needs it. target: the token that the question is about, which stays what it is."""
    model = exact(model)
    vocabulary = ("[CLS]", *map(str, range(1, len(model.tokens))))
    kinds = [[(number,) for number in vocabulary[1:] if number != str(target)]]
    length = len(model.positions) - 1
    return InPage(
        model, (model.block,), model.positions, vocabulary, kinds, ("no", "yes"), "the probability of yes", length
    )


def of_reviewer(model):
    """A Reader of lesson 15 as CutByHand needs it."""
    model, task = exact(model), review_task
    positions = (SPREAD * sinusoidal_positions(task.SEQ_LEN, model.tokens.shape[1])).astype(np.float32).astype(float)
    single = [phrase for phrase in task.FILLERS if " " not in phrase]
    kinds = [task.MOVIES, task.OTHERS, task.GOOD, task.BAD, task.NEGATIONS, task.INTENSIFIERS, task.JOINTS, single]
    kinds = [[(word,) for word in kind] for kind in kinds]
    return InPage(
        model, model.blocks, positions, task.VOCABULARY, kinds, ("blame", "praise"), "the probability of praise", None
    )


# What an encoder reads in place of "movie", and in place of "good" and "bad", each one token of its vocabulary.
NOUNS = ("movie", "film", "soup", "hotel", "room", "book", "road", "weather", "game", "car", "house", "lesson")
PAIRS = (("good", "bad"), ("hot", "cold"), ("clean", "dirty"), ("old", "new"), ("fast", "slow"), ("easy", "hard"))
PAIRS += (("cheap", "expensive"), ("safe", "dangerous"), ("tall", "short"), ("happy", "sad"), ("loud", "quiet"))


@dataclass(frozen=True, eq=False)
class InKernel:
    """An encoder, which the kernel computes: a sentence lies nearer to one of two others, the poles.

    poles: what it may lie nearer to, two sentences. The answer is how much larger its cosine with the second one is.
    """

    model: Encoder
    poles: tuple
    threshold: float = 0.0
    kinds = [[(noun,) for noun in NOUNS], list(PAIRS)]
    asked = "the lead"

    @property
    def blocks(self):
        """Its layers."""
        return self.model.blocks

    @property
    def answers(self):
        """Which pole, as it is said."""
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

    def read(self, sentence, hide=(), given=()):
        """Read a sentence with the changes. Returns weights (n_layers, n_heads, n, n) and the lead."""
        reading = self.model([sentence], hide=hide, attention=with_given(given))
        return reading.weights[0], float(self._leads(reading, [self.poles])[0])

    def vectors(self, sentence, hide, given, layer, head):
        """Queries and keys of one head, (n, d_k) each, as the changes of the layers before leave them."""
        heard, attention = listening(given, layer, head)
        self.model([sentence], hide=hide, attention=attention)
        return heard

    def others(self, sentence):
        """Up to a hundred sentences of the same build and the same length in tokens, each with its poles."""
        n, found = len(self.names(sentence)), []
        for changes in built_alike(words_of(sentence), self.kinds):
            texts = [" ".join(changes.get(word, word) for word in words_of(text)) for text in (sentence, *self.poles)]
            if len(self.names(texts[0])) == n:
                found.append((texts[0], tuple(texts[1:])))
        return found

    def read_others(self, others, hide=(), given=()):
        """The leads of sentences as `others` gives them, (n_others,), with the changes."""
        texts, poles = zip(*others, strict=True)
        return self._leads(self.model(list(texts), hide=hide, attention=with_given(given)), poles)

    def _leads(self, reading, poles):
        """How much larger the cosine with the second pole is, (n,)."""
        vectors = sentence_vectors(reading.hidden, reading.mask)  # (n, d_model)
        first, second = (self._vectors(texts) for texts in zip(*poles, strict=True))  # (n, d_model) each
        return ((second - first) * vectors).sum(axis=-1)

    @lru_cache(maxsize=8)  # noqa: B019  a widget lives as long as its model
    def _vectors(self, texts):
        reading = self.model(list(texts))
        return sentence_vectors(reading.hidden, reading.mask)  # (n, d_model)


def source_of(model, target, poles):
    """What CutByHand needs of a model. Raises ValueError for another model, and for poles that are not sentences."""
    if isinstance(model, Classifier):
        return of_classifier(model, as_count("target", target, most=len(model.tokens) - 1))
    if isinstance(model, Reader):
        return of_reviewer(model)
    if not isinstance(model, Encoder):
        raise wrong("model", model, "a Classifier, a Reader of lesson 15 or an Encoder")
    poles = tuple(poles) if np.iterable(poles) else ()
    if len(poles) != 2 or not all(isinstance(pole, str) and pole.strip() for pole in poles):
        raise wrong("poles", poles, "two sentences")
    return InKernel(model, poles)
