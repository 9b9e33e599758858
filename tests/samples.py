"""Explorables as the tests of this folder make them, in the tests' own Python and in a notebook's kernel."""

import numpy as np
from random_writer import random_writer

from course_utils.attention import softmax
from course_utils.explorables import (
    AttentionExplorer,
    HeadGallery,
    LookPlayground,
    NextWord,
    SoftmaxDial,
    TheMachine,
    TrainingReplay,
    VectorPad,
)
from course_utils.explorables.example_sentences import by_letters
from course_utils.models.cls_reader import Classifier
from course_utils.models.review_reader import load_reader
from course_utils.tasks.cls_task import make_task

LONGEST = """The soundtrack was honestly not for me really quite brilliant ,
and the comedy was in my opinion never so charming"""  # 21 words
LONG, HEBREW, EMOJI = "Donaudampfschifffahrtsgesellschaft", "שלום", "👩‍👩‍👧"


def many_heads(n_layers=6, n_heads=12, n=64):
    """Weights (n_layers, n_heads, n, n) of the size of a small encoder, the same each time."""
    return softmax(4 * np.random.default_rng(0).normal(size=(n_layers, n_heads, n, n)))


def any_classifier(seed, vocab_size=51, seq_len=7, d_model=8, d_k=8, d_v=8):
    """A classifier with random weights of any sizes, large enough for answers from near 0 to near 1."""
    d = d_model
    shapes = [(vocab_size, d), (seq_len, d), (d, d_k), (d_k,), (d, d_k), (d_k,), (d, d_v), (d_v,), (d_v, d), (d,)]
    rng = np.random.default_rng(seed)
    return Classifier(*(rng.normal(size=shape).astype("float32") for shape in [*shapes, (d,), (d,), (d,), (1,)]))


def other(value):
    """A value that differs from a boolean, numbers or nested numbers, of the same shape.

    Texts, a count of 1 and what is empty stay.
    Whole numbers stay whole, since they may be token numbers.
    """
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value // 2 or value
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and (not value or isinstance(value[0], str)):
        return value
    numbers = np.asarray(value)
    return (numbers * 0.5 if numbers.dtype.kind == "f" else -(-numbers // 2)).tolist()


# arguments without a default
NEEDED = {"NextWord": {"writer": random_writer()}, "TheMachine": {"model": load_reader()}}
# as a lesson makes it
ORDINARY = {
    "AttentionExplorer": AttentionExplorer,
    "TheMachine": lambda **more: TheMachine(load_reader(), hide=[(0, 1, 5, 4), (1, 2, 0, 3)], **more),
    "HeadGallery": lambda **more: HeadGallery(
        many_heads(2, 4, 6), ["The", "cat", "sat", "on", "the", "mat"], layer=1, head=2, query=4, **more
    ),
    "LookPlayground": lambda **more: LookPlayground("full", opened=3, **more),
    "NextWord": lambda **more: NextWord(
        random_writer(), words=["The", "movie", "was", "not"], hide=[(0, 1), (1, 2)], layer=1, seed=8, **more
    ),
    "SoftmaxDial": lambda **more: SoftmaxDial([0.7, 0.4, 0.0], ["good", "not", "The"], d_k=64, **more),
    "TrainingReplay": lambda **more: TrainingReplay(epoch=4, **more),
    "VectorPad": lambda **more: VectorPad(a=[2, 3], b=[5, -1], **more),
}
# words and sizes that break drawings: long, right to left, emoji; nothing, one, many
HARD = {
    "AttentionExplorer": lambda **more: AttentionExplorer(
        (LONG, HEBREW, EMOJI, "a") * 16, query=5, step="mix", causal=True, padding=3, **more
    ),
    "TheMachine": lambda **more: TheMachine(
        any_classifier(3, 99, 13, 24, 24, 5),
        "1 42 42 98 1 2 3 4 5 6 7 8",
        hide=[(0, 0, 12, key) for key in range(1, 13)],
        given=[(0, 0, 0, 12, 1.0)],
        query=12,
        key=0,
        **more,
    ),
    "HeadGallery": lambda **more: HeadGallery(
        many_heads(), (LONG, HEBREW, EMOJI, "a") * 16, layer=2, head=5, query=7, **more
    ),
    "LookPlayground": lambda **more: LookPlayground(
        "early", question="equal", position=12, other=11, length=12, seeds=40, opened=39, patience=10, **more
    ),
    "NextWord": lambda **more: NextWord(
        random_writer(),
        "blame",
        [*LONGEST.split(), "soundtrack"],
        2.0,
        [(layer, head) for layer in range(2) for head in range(4)],
        **more,
    ),
    "SoftmaxDial": lambda **more: SoftmaxDial(
        [(j * 7 % 11) - 5 for j in range(64)], (LONG, HEBREW, EMOJI, "a") * 16, **more
    ),
    "TrainingReplay": lambda **more: TrainingReplay(
        [any_classifier(seed, 9999, 64) for seed in range(3)],
        make_task(50, length=63, vocab_size=9999, decoys=0.5),
        question=f"{LONG} {HEBREW} {EMOJI}?",
        **more,
    ),
    "VectorPad": lambda **more: VectorPad(a=[999.5, -0.5], b=[0, 0], names=[LONG, f"{HEBREW} {EMOJI}"], **more),
}
TYPED = ["dd", HEBREW, EMOJI]
LETTERS = [by_letters(word) for word in TYPED]
# what a hand does to the ordinary ones in JupyterLab: where, how, and the traits that change, as for hands.follow
HANDS = {
    "AttentionExplorer": [
        ("role=radio[name='good']", "ArrowDown", {"query": 5}),
        ("[placeholder='your own words']", "fill " + " ".join(TYPED), {}),
        (None, "Enter", {"tokens": TYPED, "Q": LETTERS, "K": LETTERS, "V": LETTERS, "query": 0}),
    ],
    "TheMachine": [("role=button[name='Put all back']", "Enter", {"hide": []})],
    "HeadGallery": [(".look-gallery canvas", "ArrowLeft ArrowUp", {"layer": 0, "head": 1})],
    "LookPlayground": [(".look-seed", "ArrowRight", {"opened": 1})],
    "NextWord": [("role=switch[name='layer 1, head 0']", "Space", {"hide": [(0, 1), (1, 0), (1, 2)]})],
    "SoftmaxDial": [(".look-score", "ArrowRight", {"scores": [0.8, 0.4, 0]})],
    "TrainingReplay": [("role=slider[name='epoch']", "Home ArrowRight", {"epoch": 1})],
    "VectorPad": [("role=slider[name='a']", "ArrowRight Shift+ArrowUp", {"a": [2.1, 4]})],
}
