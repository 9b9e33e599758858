"""Explorables as the tests of this folder make them, in the tests' own Python and in a notebook's kernel."""

import numpy as np

from course_utils.attention import softmax
from course_utils.explorables import AttentionExplorer, HeadGallery, SoftmaxDial, VectorPad

LONG, HEBREW, EMOJI = "Donaudampfschifffahrtsgesellschaft", "שלום", "👩‍👩‍👧"


def many_heads(n_layers=6, n_heads=12, n=64):
    """Weights (n_layers, n_heads, n, n) of the size of a small encoder, the same each time."""
    return softmax(4 * np.random.default_rng(0).normal(size=(n_layers, n_heads, n, n)))


# as a lesson makes it
ORDINARY = {
    "AttentionExplorer": AttentionExplorer,
    "HeadGallery": lambda **more: HeadGallery(
        many_heads(2, 4, 6), ["The", "cat", "sat", "on", "the", "mat"], layer=1, head=2, query=4, **more
    ),
    "SoftmaxDial": lambda **more: SoftmaxDial([0.7, 0.4, 0.0], ["good", "not", "The"], d_k=64, **more),
    "VectorPad": lambda **more: VectorPad(a=[2, 3], b=[5, -1], **more),
}
# words and sizes that break drawings: long, right to left, emoji; nothing, one, many
HARD = {
    "AttentionExplorer": lambda **more: AttentionExplorer(
        (LONG, HEBREW, EMOJI, "a") * 16, query=5, step="mix", causal=True, padding=3, **more
    ),
    "HeadGallery": lambda **more: HeadGallery(
        many_heads(), (LONG, HEBREW, EMOJI, "a") * 16, layer=2, head=5, query=7, **more
    ),
    "SoftmaxDial": lambda **more: SoftmaxDial(
        [(j * 7 % 11) - 5 for j in range(64)], (LONG, HEBREW, EMOJI, "a") * 16, **more
    ),
    "VectorPad": lambda **more: VectorPad(a=[999.5, -0.5], b=[0, 0], names=[LONG, f"{HEBREW} {EMOJI}"], **more),
}
