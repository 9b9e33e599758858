"""The models that TheMachine shows, each as a Source: classifier, reviewer, writer, and encoder.

The encoder is too large for a page and stays in the kernel.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from course_utils.arrays.arguments import as_count, wrong
from course_utils.attention import sinusoidal_positions, softmax
from course_utils.explorables.machine_changes import sentence_variants, words_of
from course_utils.explorables.machine_models import InPage, Source
from course_utils.explorables.machine_vectors import vectors_source
from course_utils.layers import Block, sentence_vectors
from course_utils.models import review_reader, writer_reader
from course_utils.models.cls_reader import Classifier
from course_utils.models.encoder import Encoder
from course_utils.models.reading import with_weights
from course_utils.models.review_reader import SPREAD, Reader
from course_utils.models.writer_reader import Writer
from course_utils.tasks import review_task, writer_task

MOST_TOKENS = 48  # for an encoder; rarely reached, since the page accepts fewer words


def _as_page_computes(array):
    """Weights rounded to single precision, as the page gets them, in double, as it computes."""
    return np.asarray(array, np.float32).astype(np.float64)


def classifier_source(model: Classifier, target: int) -> InPage:
    """A Classifier for TheMachine. target: the token that the question is about, which no variant replaces."""
    model = Classifier(*map(_as_page_computes, model))
    vocabulary = ("[CLS]", *map(str, range(1, len(model.tokens))))
    kinds = [[(number,) for number in vocabulary[1:] if number != str(target)]]
    answers, length = ("no", "yes"), len(model.positions) - 1
    return InPage(model, (model.block,), model.positions, vocabulary, kinds, answers, "the probability of yes", length)


def reader_source(model: Reader) -> InPage:
    """A Reader of lesson 15 for TheMachine."""
    arrays, task = review_reader.to_arrays(model), review_task
    single = [phrase for phrase in task.FILLERS if " " not in phrase]
    kinds = [task.MOVIES, task.OTHERS, task.GOOD, task.BAD, task.NEGATIONS, task.INTENSIFIERS, task.JOINTS, single]
    kinds = [[(word,) for word in kind] for kind in kinds]
    model = review_reader.from_arrays({name: _as_page_computes(array) for name, array in arrays.items()})
    positions = _as_page_computes(SPREAD * sinusoidal_positions(task.SEQ_LEN, model.tokens.shape[1]))
    answers, name = ("blame", "praise"), "the probability of praise"
    return InPage(model, model.blocks, positions, task.VOCABULARY, kinds, answers, name)


class WriterInPage(InPage):
    """A Writer of lesson 17: its answer is the next word, its number the probability of its choice without changes."""

    block_kind, causal, before = "norm before", True, ()

    def words(self, sentence: str) -> list[str]:
        """The verdict and the words. Raises ValueError for unknown ones."""
        verdict, *words = words_of(sentence) if isinstance(sentence, str) else ("",)
        if verdict not in writer_task.WORDS[-2:]:
            raise wrong("sentence", sentence, "[praise] or [blame], and then words of the reviews")
        return [verdict, *(super().words(" ".join(words)) if words else ())]

    names = _own = words

    def code(self, sentence: str) -> tuple[list[str], str]:
        """A writer takes numbers."""
        return [f"tokens = {self._tokens([self.words(sentence)]).tolist()}"], "model(tokens"

    def _shares(self, sentences, hide=(), attention=None, block=None):
        reading = self.model(self._tokens(sentences), hide=hide, attention=attention, block=block)
        return reading, softmax(self.model.next_scores(reading.hidden)[:, -1])  # (n_sentences, n_words)

    def _reading(self, sentences, hide, attention, block=None):
        uncut, (reading, shares) = self._shares(sentences)[1], self._shares(sentences, hide, attention, block)
        return reading, np.take_along_axis(shares, uncut.argmax(axis=-1)[:, None], axis=-1)[:, 0]

    def label(self, number: float, sentence: str, hide: Iterable = (), given: Iterable = ()) -> str:
        """The most likely next word."""
        return self.vocabulary[self._shares([self.words(sentence)], hide, with_weights(given))[1][0].argmax()]

    def _last(self):
        (gain, bias), model = self.model.norm, self.model
        return {"gain": gain, "bias": bias, "W_next": model.W_next, "b_next": model.b_next}


def writer_source(model: Writer) -> WriterInPage:
    """A Writer of lesson 17 for TheMachine."""
    arrays = writer_reader.to_arrays(model)
    model = writer_reader.from_arrays({name: _as_page_computes(array) for name, array in arrays.items()})
    name = "the probability of the word it chooses uncut"
    return WriterInPage(model, model.blocks, model.positions, writer_task.WORDS, [], ("", ""), name)


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
    number_name, block_kind = "the lead", "norm after"

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Its layers."""
        return self.model.blocks

    @property
    def answers(self) -> tuple[str, ...]:
        """The two answers in words."""
        return tuple(f"nearer to “{pole}”" for pole in self.poles)

    def names(self, sentence: str) -> list[str]:
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

    def code(self, sentence: str) -> tuple[list[str], str]:
        """An encoder takes the text."""
        return [f"sentence = {json.dumps(sentence, ensure_ascii=False)}"], "model(sentence"

    def others(self, sentence: str) -> list[tuple[str, tuple[str, ...]]]:
        """Up to a hundred sentences of the same build and the same length in tokens, each with its poles."""
        n, others = len(self.names(sentence)), []
        for changes in sentence_variants(words_of(sentence), self.kinds):
            texts = [" ".join(changes.get(word, word) for word in words_of(text)) for text in (sentence, *self.poles)]
            if len(self.names(texts[0])) == n:
                others.append((texts[0], tuple(texts[1:])))
        return others

    def _reading(self, sentences, hide, attention, block=None):
        texts, poles = zip(*sentences, strict=True)
        reading = self.model(list(texts), hide=hide, attention=attention, block=block)
        vectors = sentence_vectors(reading.hidden, reading.mask)  # (n, d_model)
        first, second = (self._vectors(texts) for texts in zip(*poles, strict=True))  # (n, d_model) each
        return reading, ((second - first) * vectors).sum(axis=-1)

    @lru_cache(maxsize=8)  # noqa: B019  a widget lives as long as its model
    def _vectors(self, texts):
        reading = self.model(list(texts))
        return sentence_vectors(reading.hidden, reading.mask)  # (n, d_model)


def source_of(model: object, sentence: object, target: int, poles: Iterable[str]) -> Source:
    """Return what TheMachine needs of a model. sentence: the words, where the model is vectors.

    Raises ValueError for another model, and for poles that are not sentences.
    """
    if isinstance(model, Classifier):
        return classifier_source(model, as_count("target", target, most=len(model.tokens) - 1))
    for kind, source in ((Reader, reader_source), (Writer, writer_source)):
        if isinstance(model, kind):
            return source(model)
    if isinstance(model, tuple | list) and len(model) == 3:
        return vectors_source(model, sentence)
    if not isinstance(model, Encoder):
        raise wrong("model", model, "a Classifier, a Reader of lesson 15, a Writer, an Encoder, or vectors (Q, K, V)")
    poles = tuple(poles) if np.iterable(poles) else ()
    if len(poles) != 2 or not all(isinstance(pole, str) and pole.strip() for pole in poles):
        raise wrong("poles", poles, "two sentences")
    return InKernel(model, poles)
