"""Find similar returns, ignoring layout, comments and names, in classes of up to ten thousand."""

import io
import keyword
import tokenize
from collections import Counter, defaultdict

import numpy as np

MIN_SIMILARITY = 0.9  # share of token triples that two returns have in common
MIN_PIECES = 60  # shorter answers are similar by chance
BUCKETS = 512  # of the counts; a class with more different pieces seems a little more alike than it is
LAYOUT_TOKENS = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def pieces_of(code):
    """Count the token triples of code, without layout and comments and with all names alike."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):
        return Counter()
    words = [
        "name" if token.type == tokenize.NAME and not keyword.iskeyword(token.string) else token.string
        for token in tokens
        if token.type not in LAYOUT_TOKENS
    ]
    return Counter(zip(words, words[1:], words[2:], strict=False))


def similar_groups(pieces):
    """Return groups of two or more keys linked by similarity. pieces: {key: Counter}."""
    keys = sorted((key for key in pieces if pieces[key].total() >= MIN_PIECES), key=lambda key: pieces[key].total())
    counts = bucket_counts([pieces[key] for key in keys])
    sizes, labels = counts.sum(axis=1), np.arange(len(keys))
    for i, size in enumerate(sizes):
        end = np.searchsorted(sizes, size * (2 - MIN_SIMILARITY) / MIN_SIMILARITY, "right")
        shared = np.minimum(counts[i:end], counts[i]).sum(axis=1)
        linked = np.unique(labels[i:end][2 * shared >= MIN_SIMILARITY * (size + sizes[i:end]) - 1e-6])
        labels[np.isin(labels, linked)] = linked[0]
    groups, label_of = defaultdict(list), dict(zip(keys, labels.tolist(), strict=True))
    for key in filter(label_of.__contains__, pieces):
        groups[label_of[key]].append(key)
    return [group for group in groups.values() if len(group) > 1]


def bucket_counts(texts):
    """Return how often each text holds the pieces of each bucket, (n_texts, BUCKETS)."""
    ids, rows = {}, np.zeros((len(texts), BUCKETS), np.int32)
    for row, text in zip(rows, texts, strict=True):
        for piece, times in text.items():
            row[ids.setdefault(piece, len(ids)) % BUCKETS] += times
    return rows
