"""The course's sentences, their hand-made vectors, and the numbers that common teaching material gives for them.

NumPy only. The vectors are hand-made on purpose: two dimensions, so that every number can be checked on paper.
"""

from typing import NamedTuple

import numpy as np

from course_utils.arrays.shapes import Array

# "The movie was not good, but the soundtrack was amazing." Twelve tokens; position 4 is "good".
REVIEW = ("The", "movie", "was", "not", "good", ",", "but", "the", "soundtrack", "was", "amazing", ".")

# The weights of "good" on each token of REVIEW in common explanations. They are an illustration: no vectors gave them.
# In lesson 05 the student designs vectors that do.
CONCEPTUAL_ROW = (0.01, 0.02, 0.03, 0.55, 0.10, 0.02, 0.05, 0.02, 0.03, 0.05, 0.11, 0.01)

# Little reviews for the bag-of-words classifier of lesson 00: (sentence, 1 for a good word about the movie, else 0).
LITTLE_REVIEWS = (
    ("the movie was good", 1),
    ("the movie was bad", 0),
    ("a good story and a good ending", 1),
    ("a bad story and a dull ending", 0),
    ("the soundtrack was amazing", 1),
    ("the soundtrack was awful", 0),
    ("the acting was amazing and the plot was clever", 1),
    ("the acting was awful and the plot was dull", 0),
    ("what a clever , funny movie", 1),
    ("what a dull , boring movie", 0),
    ("it was not bad", 1),
    ("it was not good", 0),
    ("the ending was not boring , it was funny", 1),
    ("the ending was not funny , it was boring", 0),
    ("i liked the story but the acting was amazing", 1),
    ("i hated the story but the soundtrack was good", 0),
    ("a funny movie with an amazing ending", 1),
    ("an awful movie with a boring ending", 0),
    ("i liked it", 1),
    ("i hated it", 0),
)

# They can follow "not" and "very", and each is one token of the encoder of lesson 19.
ADJECTIVES = ("good", "bad", "great", "nice", "funny", "boring", "happy", "sad", "tall", "hot")
ADJECTIVES += ("late", "red", "old", "fast", "clean", "safe", "fair", "clear", "easy", "cheap")

# Twins: one word decides whether "it" means the first or the second noun.
# (sentence, (word, word), (first noun, second noun)); the first word makes it the first noun.
# After Winograd 1972; the first pair is the usual example.
TWINS = (
    ("The animal didn't cross the street because it was too {}.", ("tired", "wide"), ("animal", "street")),
    ("The trophy did not fit into the box because it was too {}.", ("large", "small"), ("trophy", "box")),
    ("The ball broke the table because it was made of {}.", ("steel", "paper"), ("ball", "table")),
    ("The horse could not pull the cart because it was too {}.", ("weak", "heavy"), ("horse", "cart")),
    ("The dog chased the cat until it was {}.", ("exhausted", "caught"), ("dog", "cat")),
    ("The truck passed the bus because it was very {}.", ("fast", "slow"), ("truck", "bus")),
    ("The snake crossed the road because it was {}.", ("hungry", "empty"), ("snake", "road")),
    ("The ship left the harbour because it was too {}.", ("large", "small"), ("ship", "harbour")),
    ("The bird ate the seed because it was {}.", ("hungry", "tasty"), ("bird", "seed")),
    ("The cat left the house because it was {}.", ("bored", "burning"), ("cat", "house")),
    ("The cat climbed the tree because it was {}.", ("scared", "tall"), ("cat", "tree")),
    ("The knife cut the rope because it was so {}.", ("sharp", "thin"), ("knife", "rope")),
    ("The dog dropped the bone because it was {}.", ("careless", "slippery"), ("dog", "bone")),
    ("The boat hit the bridge because it was too {}.", ("fast", "low"), ("boat", "bridge")),
)

# In each sentence "bank" is token 6 of the encoder of lesson 19, so that its position says nothing about its meaning.
BANKS = {
    "river": (
        "She sat by the river bank.",
        "He walked along the grassy bank.",
        "Grass grew along the muddy bank.",
        "We camped beside a steep bank of sand.",
        "An otter climbed up the bank and vanished.",
        "Two fishermen slept on the bank all day.",
        "The boat hit the far bank of the stream.",
    ),
    "money": (
        "She asked for a new bank account.",
        "He borrowed money from the bank yesterday.",
        "They were cheated by a bank clerk.",
        "My sister works for a bank.",
        "The clerk said that the bank was closed.",
        "Nobody could say why the bank refused the loan.",
        "I paid it into my bank last week.",
    ),
}


class Projections(NamedTuple):
    """Queries, keys and values of a sentence of n tokens."""

    Q: Array["n, d_k"]
    K: Array["n, d_k"]
    V: Array["n, d_v"]


def first_look() -> Projections:
    """Return the query of "good" and the keys and values of "good", "not" and "The": Q (1, 2), K (3, 2), V (3, 2).

    >>> first_look().K
    array([[0. , 1. ],
           [0.5, 0.5],
           [0. , 0. ]])
    """
    keys = np.array([[0.0, 1.0], [0.5, 0.5], [0.0, 0.0]])
    return Projections(Q=keys[:1].copy(), K=keys, V=keys.copy())


def review_vectors() -> Projections:
    """Return hand-made Q, K, V (12, 2) for REVIEW: "not" and "amazing" point the same way, all but three words are 0.

    >>> Q, K, V = review_vectors()
    >>> REVIEW[4], Q[4], K[3], V[10]
    ('good', array([0., 1.]), array([20., 20.]), array([1., 1.]))
    """
    keys = _rows({3: (20, 20), 4: (0, 1), 10: (19, 19)})
    return Projections(Q=keys, K=keys.copy(), V=_rows({3: (1, 0), 4: (0, 1), 10: (1, 1)}))


def masked_review_vectors() -> Projections:
    """Return the second hand-made set for REVIEW, for the causal mask: "soundtrack" and "amazing" are the long ones.

    >>> masked_review_vectors().K[8]
    array([19., 19.])
    """
    keys = _rows({3: (0, 1), 4: (0, 1), 8: (19, 19), 10: (19, 19)})
    return Projections(Q=keys, K=keys.copy(), V=_rows({3: (-1, 0), 4: (0, 1), 8: (1, 1), 10: (1, 1)}))


def _rows(special):
    """Return (12, 2) zeros with the special rows set: {position: (x, y)}."""
    vectors = np.zeros((len(REVIEW), 2))
    for position, vector in special.items():
        vectors[position] = vector
    return vectors
