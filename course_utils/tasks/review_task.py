"""Made-up reviews, each with a twin: the same words in another order, and the other verdict about the movie.

NumPy only. A review has two clauses, one about the movie and one about something else.
Its label is the verdict about the movie.
A reader that only counts words gives both twins the same answer, and is right for one of them.
"""

import random
import zlib
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from course_utils.arrays.arguments import as_count, wrong
from course_utils.arrays.shapes import Array

MOVIES = ("movie", "film", "picture", "comedy")
OTHERS = ("soundtrack", "acting", "plot", "ending", "music", "cast")
GOOD = ("good", "amazing", "great", "funny", "clever", "brilliant", "lovely", "charming")
BAD = ("bad", "awful", "dull", "boring", "terrible", "weak", "silly", "poor")
NEGATIONS = ("not", "never", "hardly")
FILLERS = (
    "really",
    "honestly",
    "truly",
    "for me",
    "after all",
    "I think",
    "in my opinion",
    "to my mind",
    "on the whole",
)
INTENSIFIERS = ("very", "so", "quite")  # right before the adjective
JOINTS = ("but", "and")  # random: they say nothing about the verdicts
N_FILLERS = (0, 0, 1, 1, 2, 2, 3)  # the choices for a clause
N_NEGATIONS = (0, 0, 1, 1, 2)
INTENSIFIED = 0.3  # the share of clauses with an intensifier
MOST = 6  # words between "was" and the adjective, so that a negation is one to six tokens before its adjective
SEQ_LEN = 24  # [CLS], eleven words of every review, and two times MOST
CLS, PAD = 0, 1
_FRAME = ("[CLS]", "[PAD]", "The", "the", "was", ",", ".", *JOINTS, *NEGATIONS)
_FILLER_WORDS = tuple(word for phrase in FILLERS for word in phrase.split())
VOCABULARY = tuple(dict.fromkeys(_FRAME + MOVIES + OTHERS + GOOD + BAD + INTENSIFIERS + _FILLER_WORDS))
IDS = {word: i for i, word in enumerate(VOCABULARY)}
SPLITS = ("train", "held out", "new pairs")


class Clause(NamedTuple):
    """A noun, the words and phrases between "was" and the adjective, and the adjective."""

    noun: str
    middle: tuple[str, ...]
    adjective: str

    @property
    def verdict(self) -> int:
        """1 for praise, 0 for blame: each negation flips the adjective."""
        return (self.adjective in GOOD) ^ (sum(phrase in NEGATIONS for phrase in self.middle) % 2)


class Review(NamedTuple):
    """Two clauses, one about the movie, and the word that joins them."""

    first: Clause
    joint: str
    second: Clause

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens, full stop included."""
        one, two = (
            " ".join((noun, "was", *middle, adjective)) for noun, middle, adjective in (self.first, self.second)
        )
        return tuple(f"The {one} , {self.joint} the {two} .".split())

    @property
    def movie_first(self) -> bool:
        """Is the first clause the one about the movie?"""
        return self.first.noun in MOVIES

    @property
    def label(self) -> int:
        """The verdict about the movie."""
        return (self.first if self.movie_first else self.second).verdict


class Places(NamedTuple):
    """The positions of a clause's words in a row of tokens: [CLS] is position 0."""

    noun: int
    negations: tuple[int, ...]
    adjective: int


class Reviews(NamedTuple):
    """Reviews, rows 2i and 2i + 1 twins: tokens, int32, labels, float32, and the reviews in words."""

    tokens: Array["n, SEQ_LEN"]
    labels: Array["n"]
    reviews: tuple[Review, ...]


def make_reviews(n_pairs: int = 1000, *, split: str = "train", seed: int = 0) -> Reviews:
    """Draw pairs of twins: the same words, and opposite labels. One seed, one data set, everywhere.

    split "train": what a model learns from. "held out": reviews whose bag of words is not in the training.
    "new pairs": the noun and the adjective of the movie's clause never share a clause in the training.
    The three never share a review, whatever the seeds.
    Raises ValueError for a count below 1, an unknown split, and a seed below 0. Source: the course's own grammar.

    >>> tokens, labels, reviews = make_reviews(500, seed=1)
    >>> tokens.shape, float(labels.mean())
    ((1000, 24), 0.5)
    >>> sorted(reviews[0].words) == sorted(reviews[1].words)
    True
    """
    n_pairs = as_count("n_pairs", n_pairs, least=1)
    if split not in SPLITS:
        raise wrong("split", split, f"one of {', '.join(map(repr, SPLITS))}")
    rng = random.Random(f"{split} {as_count('seed', seed, least=0)}")
    reviews = []
    while len(reviews) < 2 * n_pairs:
        review = draw_review(rng)
        twin = draw_twin(review, rng)
        if twin and split_of(review, twin) == split:
            reviews += [review, twin]
    tokens = np.stack([encode(review.words) for review in reviews])  # (n, SEQ_LEN)
    return Reviews(tokens, np.array([review.label for review in reviews], dtype=np.float32), tuple(reviews))


def encode(words: Iterable[str]) -> Array["SEQ_LEN"]:
    """Turn words into a row of tokens, int32: [CLS] in front, [PAD] at the end.

    Raises ValueError for a word that is not in the grammar, and for more words than a row holds.

    >>> encode(["The", "movie", "was", "good", "."])[:7]
    array([ 0,  2, 12,  4, 22,  6,  1], dtype=int32)
    """
    words = list(words) if np.iterable(words) else [words]
    unknown = [word for word in words if not isinstance(word, str) or word not in IDS]
    if unknown or len(words) >= SEQ_LEN:
        reason = f"; {unknown[0]!r} is none of them{_suggestion(unknown[0])}" if unknown else ""
        raise wrong("words", words, f"at most {SEQ_LEN - 1} words of VOCABULARY{reason}")
    row = np.full(SEQ_LEN, PAD, dtype=np.int32)
    row[0], row[1 : len(words) + 1] = CLS, [IDS[word] for word in words]
    return row


def _suggestion(word):
    """Return what a student probably meant by a word that is not in the grammar, as the end of a sentence."""
    word = word if isinstance(word, str) else ""
    bare = word.rstrip(".,")
    if bare != word and bare in IDS:
        return f", so write a blank between {bare!r} and {word[len(bare) :]!r}"
    match = next((known for known in VOCABULARY if known.lower() == word.lower()), "")
    return f", but {match!r} is" if match else ""


def places(review: Review) -> tuple[Places, Places]:
    """Return the positions of the words in the clause about the movie, and of those in the other clause.

    >>> places(Review(Clause("movie", ("not",), "good"), "but", Clause("soundtrack", (), "amazing")))[0]
    Places(noun=2, negations=(4,), adjective=5)
    """
    second_noun = 1 + review.words.index("the", review.words.index(",")) + 1
    pair = _places(review.first, 2), _places(review.second, second_noun)
    return pair if review.movie_first else pair[::-1]


def draw_twin(review: Review, rng: random.Random) -> Review | None:
    """Return a review with the same words and the other label, None if there is none.

    A negation moves to the other clause, or the adjectives are swapped, or the nouns are;
    `rng` chooses one of the changes that flip the label.
    """
    one, two = review.first, review.second
    twins = []
    if (one.adjective in GOOD) != (two.adjective in GOOD):
        twins.append((one._replace(adjective=two.adjective), two._replace(adjective=one.adjective)))
    if one.verdict != two.verdict:
        twins.append((one._replace(noun=two.noun), two._replace(noun=one.noun)))
    for giver, taker, order in ((one, two, 1), (two, one, -1)):
        moved = _move_negation(giver, taker, rng)
        twins += [moved[::order]] if moved else []
    if not twins:
        return None
    one, two = rng.choice(twins)
    return Review(one, review.joint, two)


def draw_review(rng: random.Random) -> Review:
    """Return a review, with or without a twin."""
    clauses = [_draw_clause(rng, nouns) for nouns in (MOVIES, OTHERS)]
    rng.shuffle(clauses)
    return Review(clauses[0], rng.choice(JOINTS), clauses[1])


def _draw_clause(rng, nouns):
    while True:
        middle = rng.sample(FILLERS, rng.choice(N_FILLERS))
        for negation in rng.sample(NEGATIONS, rng.choice(N_NEGATIONS)):
            middle.insert(rng.randint(0, len(middle)), negation)
        if rng.random() < INTENSIFIED:
            middle.append(rng.choice(INTENSIFIERS))
        if length(middle) <= MOST:
            return Clause(rng.choice(nouns), tuple(middle), rng.choice(GOOD + BAD))


def _move_negation(giver, taker, rng):
    """Return both clauses after a negation has moved, None if there is none to move or no room for it."""
    movable = [phrase for phrase in giver.middle if phrase in NEGATIONS and phrase not in taker.middle]
    if not movable or length(taker.middle) == MOST or sum(phrase in NEGATIONS for phrase in taker.middle) == 2:
        return None
    negation, middle = rng.choice(movable), list(taker.middle)
    # An intensifier stays right before the adjective.
    last = len(middle) - any(phrase in INTENSIFIERS for phrase in middle)
    middle.insert(rng.randint(0, last), negation)
    remaining = tuple(phrase for phrase in giver.middle if phrase != negation)
    return giver._replace(middle=remaining), taker._replace(middle=tuple(middle))


def split_of(review: Review, twin: Review) -> str | None:
    """Return the split that both twins belong to, None for a pair that is between two."""
    if not any(is_new(clause) for text in (review, twin) for clause in (text.first, text.second)):
        # The twins share their bag of words, so they stay together, and no other seed moves it into another split.
        bag = " ".join(sorted(review.words))
        return "train" if zlib.crc32(bag.encode()) % 5 else "held out"
    movie_clauses = [text.first if text.movie_first else text.second for text in (review, twin)]
    return "new pairs" if all(map(is_new, movie_clauses)) else None


def is_new(clause: Clause) -> bool:
    """Tell whether this noun is never with this adjective in the training, as in one of five pairs.

    >>> is_new(Clause("movie", ("not",), "good")), is_new(Clause("movie", (), "bad"))
    (True, False)
    """
    return ((MOVIES + OTHERS).index(clause.noun) + (GOOD + BAD).index(clause.adjective)) % 5 == 0


def _places(clause, noun):
    start = noun + 2  # after "was"
    negations = [start + length(clause.middle[:i]) for i, phrase in enumerate(clause.middle) if phrase in NEGATIONS]
    return Places(noun, tuple(negations), start + length(clause.middle))


def length(phrases: Iterable[str]) -> int:
    """Return the number of words in phrases."""
    return sum(phrase.count(" ") + 1 for phrase in phrases)
