"""Answers of a librarian: reads each sentence twice, knows texts and shelves, and has never counted the bytes of one.

The oracle is the text of the exercise. Job 1 asks for attention's own result ("recurrent" has another one), in one go
("cache" takes a token at a time), and n x n numbers of 4 bytes are 40 GB, so "plain" does not fit: tiles. Job 2 adds
one token at a time, and without the old keys and values all of it is computed again at each: cache. In job 3 whatever
grows with n is too large for 64 kB long before the year is over: recurrent. Job 4 fits with any of them, asks for
attention, and for little code: plain.
"""
import numpy as np
from unseen import odd, right, wrong

right("which_tool", "an array of four words")(np.array(["tiles", "cache", "recurrent", "plain"]))

right("which_tool", "a list, filled job by job")([{1: "tiles", 2: "cache", 3: "recurrent", 4: "plain"}[job] for job in (1, 2, 3, 4)])

wrong("which_tool", "job 1: a cache holds only 2 · n · d numbers, so it fits, but it reads token by token and not in one go")(
    ("cache", "cache", "recurrent", "plain"))

wrong(
    "which_tool",
    "job 1: a recurrent layer holds least, but its result is not attention's own",
    "job 4: tiles are thought to be better than plain attention always, whatever code they need",
)(("recurrent", "cache", "recurrent", "tiles"))

wrong("which_tool", "job 2: 1,000 tokens are few, so plain attention, which computes all rows again at each new word")(
    ["tiles", "plain", "recurrent", "plain"])

wrong("which_tool", "job 3: numbers come one by one as words do when one writes, so a cache, which grows all the year")(
    ("tiles", "cache", "cache", "plain"))

wrong(
    "which_tool",
    "job 2: writing goes word by word, so a recurrent layer, which cannot look at every word that is there",
    "job 3: a year is cut into pieces as a long text is, so tiles, which need all n numbers at hand",
)(["tiles", "recurrent", "tiles", "plain"])

wrong("which_tool", "turned round: for each tool, in the order in which they are named, the number of its job")((4, 1, 2, 3))

wrong("which_tool", "the four decisions are right, but two words are those of the lesson's functions: tiled, cached")(
    ("tiled", "cached", "recurrent", "plain"))

odd("which_tool", "one text with four words in place of four texts")("tiles, cache, recurrent, plain")
