"""Which returns are much alike, layout, comments and chosen names aside: in a class of ten thousand, too.

Each is compared with all that are about as long, by NumPy and roughly: what the rough count calls unlike is unlike.
Only the others are compared piece by piece.
"""

import io
import keyword
import tokenize
from collections import Counter, defaultdict

import numpy as np

ALIKE = 0.9  # share of the pieces of code that two returns have in common
FEWEST_PIECES = 60  # tokens: shorter answers are alike by themselves
FOLDS = 512  # numbers in which a text is counted roughly: pieces share them, so two texts may seem more alike
NO_WORDS = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def pieces_of(code):
    """The tokens of code without its layout, comments and the names that its writer chose, in threes."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return Counter()
    words = [
        "name" if token.type == tokenize.NAME and not keyword.iskeyword(token.string) else token.string
        for token in tokens
        if token.type not in NO_WORDS
    ]
    return Counter(zip(words, words[1:], words[2:], strict=False))


def likeness(one, other):
    """The share of pieces that two texts have in common: 1 for the same text, names aside."""
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def groups_alike(pieces):
    """Return the groups of two and more that are alike, or joined by others that are. pieces: {key: a Counter}."""
    same = defaultdict(list)
    for key, own in pieces.items():
        if own.total() >= FEWEST_PIECES:
            same[frozenset(own.items())].append(key)
    by_size = sorted(same.items(), key=lambda pair: sum(times for _, times in pair[0]))
    groups = joined([Counter(dict(items)) for items, _ in by_size])
    order = {key: place for place, key in enumerate(pieces)}
    whole = [sorted((key for number in group for key in by_size[number][1]), key=order.get) for group in groups]
    return [group for group in whole if len(group) > 1]


def joined(texts):
    """Return lists of the numbers of texts that are alike, each text in one of them. The texts stand by their sizes."""
    sizes, rough = np.array([text.total() for text in texts]), folded(texts)
    group_of = {number: [number] for number in range(len(texts))}
    for number, size in enumerate(sizes):
        end = np.searchsorted(sizes, size * (2 - ALIKE) / ALIKE, "right")  # longer ones have too much of their own
        in_common = np.minimum(rough[number + 1 : end], rough[number]).sum(axis=1)
        near = np.flatnonzero(2 * in_common >= ALIKE * (size + sizes[number + 1 : end]) - 1e-6)
        for other in map(int, number + 1 + near):
            if group_of[other] is not group_of[number] and likeness(texts[number], texts[other]) >= ALIKE:
                join(group_of, number, other)
    return list({id(group): group for group in group_of.values()}.values())


def folded(texts):
    """The texts as rows of numbers: how many of their pieces fall on each."""
    place, rows = {}, np.zeros((len(texts), FOLDS), np.int32)
    for row, text in zip(rows, texts, strict=True):
        for piece, times in text.items():
            row[place.setdefault(piece, len(place)) % FOLDS] += times
    return rows


def join(group_of, one, other):
    """Make one group of two."""
    small, large = sorted((group_of[one], group_of[other]), key=len)
    large += small
    group_of.update(dict.fromkeys(small, large))
