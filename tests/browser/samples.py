"""Explorables as the tests of this folder make them, in the tests' own Python and in a notebook's kernel."""

from course_utils.explorables import AttentionExplorer, SoftmaxDial, VectorPad

LONG, HEBREW, EMOJI = "Donaudampfschifffahrtsgesellschaft", "שלום", "👩‍👩‍👧"

# as a lesson makes it
ORDINARY = {
    "AttentionExplorer": AttentionExplorer,
    "SoftmaxDial": lambda **more: SoftmaxDial([0.7, 0.4, 0.0], ["good", "not", "The"], d_k=64, **more),
    "VectorPad": lambda **more: VectorPad(a=[2, 3], b=[5, -1], **more),
}
# words and sizes that break drawings: long, right to left, emoji; nothing, one, many
HARD = {
    "AttentionExplorer": lambda **more: AttentionExplorer(
        (LONG, HEBREW, EMOJI, "a") * 16, query=5, step="mix", causal=True, padding=3, **more
    ),
    "SoftmaxDial": lambda **more: SoftmaxDial(
        [(j * 7 % 11) - 5 for j in range(64)], (LONG, HEBREW, EMOJI, "a") * 16, **more
    ),
    "VectorPad": lambda **more: VectorPad(a=[999.5, -0.5], b=[0, 0], names=[LONG, f"{HEBREW} {EMOJI}"], **more),
}
