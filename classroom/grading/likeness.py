"""Find similar returns, ignoring layout, comments and names, in classes of up to ten thousand.

NumPy compares hashed counts of texts of similar length first. They only overestimate the similarity, so the exact
comparison is needed only for the remaining candidates.
"""

import io
import keyword
import tokenize
from collections import Counter, defaultdict

import numpy as np

MIN_SIMILARITY = 0.9  # share of token triples that two returns have in common
MIN_PIECES = 60  # shorter answers are similar by chance
BUCKETS = 512  # of the hashed counts; collisions make texts seem more similar
LAYOUT_TOKENS = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def pieces_of(code):
    """Count the token triples of code, without layout and comments and with all names alike."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return Counter()
    words = [
        "name" if token.type == tokenize.NAME and not keyword.iskeyword(token.string) else token.string
        for token in tokens
        if token.type not in LAYOUT_TOKENS
    ]
    return Counter(zip(words, words[1:], words[2:], strict=False))


def similarity(one, other):
    """Return the share of pieces that two texts have in common: 1 if they differ in names only."""
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def similar_groups(pieces):
    """Return groups of two or more keys linked by similarity. pieces: {key: Counter}."""
    keys_of = defaultdict(list)
    for key, counter in pieces.items():
        if counter.total() >= MIN_PIECES:
            keys_of[frozenset(counter.items())].append(key)
    by_size = sorted(keys_of.items(), key=lambda pair: sum(times for _, times in pair[0]))
    groups = group_similar([Counter(dict(items)) for items, _ in by_size])
    order = {key: position for position, key in enumerate(pieces)}
    key_groups = [sorted((key for index in group for key in by_size[index][1]), key=order.get) for group in groups]
    return [group for group in key_groups if len(group) > 1]


def group_similar(texts):
    """Group the indices of similar texts, each in exactly one group. The texts are sorted by size."""
    sizes, counts = np.array([text.total() for text in texts]), bucket_counts(texts)
    group_of = {index: [index] for index in range(len(texts))}
    for index, size in enumerate(sizes):
        end = np.searchsorted(sizes, size * (2 - MIN_SIMILARITY) / MIN_SIMILARITY, "right")
        shared = np.minimum(counts[index + 1 : end], counts[index]).sum(axis=1)
        candidates = np.flatnonzero(2 * shared >= MIN_SIMILARITY * (size + sizes[index + 1 : end]) - 1e-6)
        for other in map(int, index + 1 + candidates):
            if group_of[other] is not group_of[index] and similarity(texts[index], texts[other]) >= MIN_SIMILARITY:
                merge_groups(group_of, index, other)
    return list({id(group): group for group in group_of.values()}.values())


def bucket_counts(texts):
    """Return hashed piece counts, (n_texts, BUCKETS)."""
    ids, rows = {}, np.zeros((len(texts), BUCKETS), np.int32)
    for row, text in zip(rows, texts, strict=True):
        for piece, times in text.items():
            row[ids.setdefault(piece, len(ids)) % BUCKETS] += times
    return rows


def merge_groups(group_of, one, other):
    """Merge the groups of two texts, the smaller into the larger."""
    small, large = sorted((group_of[one], group_of[other]), key=len)
    large += small
    group_of.update(dict.fromkeys(small, large))
