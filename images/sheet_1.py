"""Draw the first page of the sheet: attention, from the dot product to positions."""

import numpy as np
import sheet_parts
import style

from course_utils.attention import causal_mask, padding_mask, sinusoidal_positions, softmax

TITLE = "Sheet, page 1: attention"
ALT = (
    "Formulas, shapes and code from the dot product to rotary positions, lessons 01 to 08. Below them four pictures: "
    "weights whose rows sum to 1, a causal mask, a padding mask, and the waves of sinusoidal positions."
)
TOP = 944  # y of the pictures


def draw():
    """Return the figure of the page."""
    figure, axes = sheet_parts.page(1, "Attention")
    scores = np.array([[2.0, 0.5, 0, 0], [0.3, 1.0, 2.2, 0], [0, 1.8, 0.6, 0.2], [0.4, 0.4, 0.4, 2.0]])  # (n, n)
    positions = (sinusoidal_positions(16, 16)[:, ::2].T + 1) / 2  # (d_model / 2, n), from 0 to 1
    pictures = {
        "weights: each row\nsums to 1": (softmax(scores), 26),
        "causal mask: blue\nmay be looked at": (causal_mask(6).astype(float), 18),
        "padding mask: of six\nkeys four are tokens": (np.repeat(padding_mask([4], 6)[0], 6, axis=0).astype(float), 18),
        "positions: a row is a\nwave, a column a token": (positions, 11),
    }
    for i, (words, (values, size)) in enumerate(pictures.items()):
        x = 68 + 210 * i
        sheet_parts.matrix(axes, x, TOP, values, size)
        style.write(axes, x, TOP + 130, words, ha="left")
    draw_steps(axes)
    return figure


def draw_steps(axes):
    """Draw the way from the tokens to the output, with the shape below each step."""
    steps = [("X", "(n, d_model)"), ("Q, K, V", "(n, d_k), (n, d_v)"), ("scores", "(n, n)"), ("weights", "(n, n)")]
    steps.append(("output", "(n, d_v)"))
    for i, (name, shape) in enumerate(steps):
        x = 40 + 168 * i
        style.box(axes, x, 1130, 128, 62, fill=style.PANEL)
        style.write(axes, x + 64, 1150, name, size=13, weight="bold")
        style.write(axes, x + 64, 1174, shape.replace("(n, d_k), (n, d_v)", "(n, d_k)"), color=style.MUTED)
        if i:
            style.arrow(axes, (x - 38, 1161), (x - 3, 1161))
    for i, words in enumerate(("three matrices", "dot products, / √d_k", "mask, softmax", "mix the values")):
        style.write(axes, 188 + 168 * i, 1212 + 22 * (i % 2), words)
