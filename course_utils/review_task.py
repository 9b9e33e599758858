"""Made-up reviews, each with a twin: the same words in another order, and the other verdict about the movie.

NumPy only. A review has two clauses, one about the movie and one about something else.
Its label is the verdict about the movie.
A reader that only counts words gives both twins the same answer, and is right once in each pair.
"""

import random
import zlib
from typing import NamedTuple

import numpy as np

from course_utils.arguments import as_count, wrong

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
INTENSIFIERS = ("very", "so", "quite")  # they stand right before the adjective
JOINTS = ("but", "and")  # drawn by chance: they say nothing about the verdicts
N_FILLERS = (0, 0, 1, 1, 2, 2, 3)  # of a clause: one of these is drawn
N_NEGATIONS = (0, 0, 1, 1, 2)
INTENSIFIED = 0.3  # the share of clauses with an intensifier
MOST = 6  # words between "was" and the adjective, so that a negation stands one to six tokens before its adjective
SEQ_LEN = 24  # [CLS], eleven words that every review has, and two times MOST
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
        """1 for praise, 0 for blame: each negation turns what the adjective says."""
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
    """Where a clause has its words, as positions in a row of tokens: [CLS] is position 0."""

    noun: int
    negations: tuple[int, ...]
    adjective: int


class Reviews(NamedTuple):
    """Reviews, rows 2i and 2i + 1 twins: tokens (n, SEQ_LEN), int32, labels (n,), float32, and the reviews in words."""

    tokens: np.ndarray
    labels: np.ndarray
    reviews: tuple[Review, ...]


def make_reviews(n_pairs=1000, *, split="train", seed=0) -> Reviews:
    """Draw pairs of twins: the same words, and opposite labels.

    split "train": what a model learns from. "held out": reviews whose bag of words the training never has.
    "new pairs": the noun and the adjective of the movie's clause never stand in one clause in the training.
    The three never share a review, whatever the seeds.
    Shapes: tokens (2 * n_pairs, SEQ_LEN), int32; labels (2 * n_pairs,), float32. One seed, one data set, everywhere.
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


def encode(words) -> np.ndarray:
    """Turn words into a row of tokens (SEQ_LEN,), int32: [CLS] in front, [PAD] at the end.

    Raises ValueError for a word that the grammar does not have, and for more words than a row holds.

    >>> encode(["The", "movie", "was", "good", "."])[:7]
    array([ 0,  2, 12,  4, 22,  6,  1], dtype=int32)
    """
    words = list(words) if np.iterable(words) else [words]
    unknown = [word for word in words if not isinstance(word, str) or word not in IDS]
    if unknown or len(words) >= SEQ_LEN:
        reason = f"; {unknown[0]!r} is none of them{_meant(unknown[0])}" if unknown else ""
        raise wrong("words", words, f"at most {SEQ_LEN - 1} words of VOCABULARY{reason}")
    row = np.full(SEQ_LEN, PAD, dtype=np.int32)
    row[0], row[1 : len(words) + 1] = CLS, [IDS[word] for word in words]
    return row


def _meant(word):
    """What a student probably meant by a word that the grammar does not have, as the end of a sentence."""
    word = word if isinstance(word, str) else ""
    bare = word.rstrip(".,")
    if bare != word and bare in IDS:
        return f", so write a blank between {bare!r} and {word[len(bare) :]!r}"
    alike = next((known for known in VOCABULARY if known.lower() == word.lower()), "")
    return f", but {alike!r} is" if alike else ""


def places(review) -> tuple[Places, Places]:
    """Return where the clause about the movie has its words, and where the other clause has them.

    >>> places(Review(Clause("movie", ("not",), "good"), "but", Clause("soundtrack", (), "amazing")))[0]
    Places(noun=2, negations=(4,), adjective=5)
    """
    second_noun = 1 + review.words.index("the", review.words.index(",")) + 1
    both = _places(review.first, 2), _places(review.second, second_noun)
    return both if review.movie_first else both[::-1]


def draw_twin(review, rng) -> Review | None:
    """Return a review with the same words and the other label, None where there is none. rng: a random.Random.

    A negation moves to the other clause, or the adjectives change places, or the nouns do;
    `rng` takes one of the ways that turn the label.
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


def draw_review(rng) -> Review:
    """Return a review, whether it has a twin or not. rng: a random.Random."""
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
    """Return both clauses after a negation has moved, None where there is none to move or no room for it."""
    movable = [phrase for phrase in giver.middle if phrase in NEGATIONS and phrase not in taker.middle]
    if not movable or length(taker.middle) == MOST or sum(phrase in NEGATIONS for phrase in taker.middle) == 2:
        return None
    negation, there = rng.choice(movable), list(taker.middle)
    # An intensifier stays right before the adjective.
    last = len(there) - any(phrase in INTENSIFIERS for phrase in there)
    there.insert(rng.randint(0, last), negation)
    left = tuple(phrase for phrase in giver.middle if phrase != negation)
    return giver._replace(middle=left), taker._replace(middle=tuple(there))


def split_of(review, twin):
    """Return the split that both twins belong to, None for a pair that stands between two."""
    if not any(is_new(clause) for text in (review, twin) for clause in (text.first, text.second)):
        # The twins share their bag of words, so they stay together,
        # and no other seed brings the bag into another split.
        bag = " ".join(sorted(review.words))
        return "train" if zlib.crc32(bag.encode()) % 5 else "held out"
    about = [text.first if text.movie_first else text.second for text in (review, twin)]
    return "new pairs" if all(map(is_new, about)) else None


def is_new(clause) -> bool:
    """Return whether this noun is never with this adjective in the training: a Clause, one in five pairs.

    >>> is_new(Clause("movie", ("not",), "good")), is_new(Clause("movie", (), "bad"))
    (True, False)
    """
    return ((MOVIES + OTHERS).index(clause.noun) + (GOOD + BAD).index(clause.adjective)) % 5 == 0


def _places(clause, noun):
    start = noun + 2  # after "was"
    negations = [start + length(clause.middle[:i]) for i, phrase in enumerate(clause.middle) if phrase in NEGATIONS]
    return Places(noun, tuple(negations), start + length(clause.middle))


def length(phrases) -> int:
    """Return the number of words in phrases."""
    return sum(phrase.count(" ") + 1 for phrase in phrases)
