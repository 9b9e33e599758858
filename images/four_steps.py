"""Draw the four steps of attention on three tokens; every number in the matrices is computed here."""

import numpy as np
import style

from course_utils.attention import attention_scores, scaled_dot_product_attention
from course_utils.pictures.plots import WEIGHTS

TITLE = "The four steps of attention"
ALT = (
    "Four steps with small matrices of numbers. Project: X (n, d_model) becomes Q and K (n, d_k) and V (n, d_v). "
    "Score: Q and K give scores (n, n). Normalise: softmax of each row gives weights (n, n). "
    "Mix: weights times V is the output (n, d_v)."
)

TOKENS = ("was", "not", "good")
X = np.array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]])  # (n, d_model)
W_Q = np.array([[0, 0], [1, 0], [2, 0], [0, 1]])  # (d_model, d_k)
W_K = np.array([[0, 1], [2, 0], [0, 2], [0, 0]])  # (d_model, d_k)
W_V = np.array([[0, 0], [3, 0], [0, 3], [0, 1]])  # (d_model, d_v)

HEIGHT = 566
ROW, NARROW, WIDE = 28, 32, 52  # the height of a cell; its width for whole numbers and for decimals


def compute():
    """Return every matrix of the figure by its name."""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V  # (n, d_k), (n, d_k), (n, d_v)
    output, weights = scaled_dot_product_attention(Q, K, V)  # (n, d_v), (n, n)
    return {"X": X, "Q": Q, "K": K, "V": V, "scores": attention_scores(Q, K), "weights": weights, "output": output}


def draw_matrix(axes, x, y, matrix, fill):
    """Draw the numbers of a matrix in cells; (x, y) is its top left corner. `fill` is a colour or a colour map."""
    whole = matrix.dtype.kind == "i"
    width = NARROW if whole else WIDE
    for (i, j), number in np.ndenumerate(matrix):
        colour = fill(number) if callable(fill) else fill
        words = str(number) if whole else f"{number:.2f}"
        style.cell(axes, x + j * width, y + i * ROW, width, ROW, fill=colour)
        style.write(axes, x + (j + 0.5) * width, y + (i + 0.5) * ROW, words, color=style.ink_on(colour))


def draw_tokens(axes, x, y, keys=False):
    """Write the tokens beside the rows of the matrix at (x, y) and, if its columns are keys, above them."""
    for i, token in enumerate(TOKENS):
        style.write(axes, x - 8, y + (i + 0.5) * ROW, token, ha="right")
        if keys:
            style.write(axes, x + (i + 0.5) * WIDE, y - 14, token)
    if keys:
        style.write(axes, x - 8, y - 14, "query ↓  key →", ha="right", color=style.MUTED)


def draw_step(axes, x, y, width, height, name, formulas):
    """Draw one step as a box with its name and what it computes."""
    style.box(axes, x, y, width, height, fill=style.PANEL)
    style.write(axes, x + width / 2, y + 22, name, size=14, weight="bold", color=style.QUERY)
    style.write(axes, x + width / 2, y + 48, formulas)


def draw_steps(axes):
    """Draw the four steps and the arrows between them and the matrices."""
    draw_step(axes, 238, 176, 130, 108, "1 Project", "Q = X · W_Q\nK = X · W_K\nV = X · W_V")
    draw_step(axes, 606, 46, 282, 68, "2 Score", "scores = Q · Kᵀ / √d_k")
    draw_step(axes, 606, 316, 282, 68, "3 Normalise", "weights = softmax of each row")
    draw_step(axes, 372, 466, 192, 68, "4 Mix", "output = weights · V")
    arrows = (
        ((208, 230), (234, 230)),
        ((372, 196), (430, 100)),
        ((372, 230), (430, 230)),
        ((372, 264), (430, 360)),
        ((504, 80), (602, 80)),
        ((504, 220), (602, 100)),
        ((468, 410), (468, 462)),
        ((747, 114), (747, 150)),
        ((747, 286), (747, 312)),
        ((747, 384), (747, 408)),
        ((640, 500), (568, 500)),
        ((368, 500), (190, 500)),
    )
    for start, end in arrows:
        style.arrow(axes, start, end)


def draw():
    """Return the figure."""
    figure, axes = style.canvas(HEIGHT)
    draw_steps(axes)
    looks = {  # x, y, fill, shape in words
        "X": (78, 188, style.PAPER, "n, d_model"),
        "Q": (436, 40, style.QUERY, "n, d_k"),
        "K": (436, 188, style.KEY, "n, d_k"),
        "V": (436, 324, style.VALUE, "n, d_v"),
        "scores": (700, 200, style.PAPER, "n, n"),
        "weights": (700, 458, WEIGHTS, "n, n"),
        "output": (78, 458, style.VALUE, "n, d_v"),
    }
    for name, matrix in compute().items():
        x, y, fill, shape = looks[name]
        draw_matrix(axes, x, y, matrix, fill)
        keys = name in ("scores", "weights")
        if keys or name in ("X", "output"):
            draw_tokens(axes, x, y, keys)
        width = matrix.shape[1] * (NARROW if matrix.dtype.kind == "i" else WIDE)
        style.write(axes, x + width / 2, y - (38 if keys else 16), f"{name} ({shape})", weight="bold")
    sizes = f"Here: n = {len(X)}, d_model = {X.shape[1]},\nd_k = {W_K.shape[1]}, d_v = {W_V.shape[1]}"
    style.write(axes, 16, 40, sizes, ha="left")
    return figure
