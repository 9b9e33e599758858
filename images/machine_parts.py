"""Draw what a lesson needs beside the machine: one or two panels in its shapes, colours and words."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import style
from machine import STAGES
from panel import draw

from course_utils.attention import attention_scores, scaled_dot_product_attention, softmax
from course_utils.sentences import REVIEW, review_vectors

# 00: two texts with the same words.


def twin(words, query, key, panel):
    places = {word: 56 + 108 * i for i, word in enumerate(words)}
    for word, x in places.items():
        panel.chip(x, 110, word, 88, edge=style.INK if word == query else style.LINE, linewidth=1.6)
    panel.arc(places[query], places[key], 94, 0.7)
    panel.write(220, 156, "not 1 · good 1 · but 1 · amazing 1", color=style.MUTED)


# 03: what the scale does to one query and six keys of 512 random numbers.


def scale_effect(divide, panel):
    rng = np.random.default_rng(0)
    Q, K = rng.normal(size=(1, 512)), rng.normal(size=(6, 512))  # (n_queries, d_k), (n_keys, d_k)
    weights = softmax(attention_scores(Q, K, scale=1 / np.sqrt(512) if divide else 1.0))[0]  # (n_keys,)
    panel.looks([f"key {i}" for i in range(6)], weights, int(weights.argmax()), shown=range(6))


# 05: the review, as a question and with its own numbers.


def question(panel):
    """The words in two lines, and a line from each to *good*, none thicker than another."""
    chips = []
    for y, words in ((112, REVIEW[:6]), (214, REVIEW[6:])):
        x = 16
        for word in words:
            width = 18 + 9 * len(word)
            chips.append((word, x + width / 2, y, width))
            x += width + 10
    (_, x, y, _), others = chips[4], [chip for i, chip in enumerate(chips) if i != 4]
    for _, other_x, other_y, _ in others:
        if other_y == y:
            panel.arc(x, other_x, y - 14, 0, color=style.LINE)
        else:
            panel.line((x, y + 14), (other_x, other_y - 14), color=style.LINE, width=1)
    for word, x, y, width in chips:
        panel.chip(x, y, word, width, edge=style.INK if word == "good" else style.LINE, linewidth=1.6)


def unknown(panel):
    for y, word in ((80, "not"), (150, "amazing"), (220, "the others")):
        panel.chip(56, y, word, 96)
        panel.line((108, y), (270, 150), width=4, color=style.LINE)
        panel.write(180, y + 2 * (150 - y) // 5 - 15, "?", weight="bold")
    panel.chip(336, 150, "?", 110, edge=style.INK, linewidth=1.8)
    panel.write(336, 180, "output of good", color=style.MUTED)


def of_good(panel):
    weights = scaled_dot_product_attention(*review_vectors()).weights[4]  # (n_keys,)
    panel.looks(REVIEW, weights, 4, top=48, pitch=31, shown=(3, 10))


def mixture(panel):
    attention = scaled_dot_product_attention(*review_vectors())
    output, weights, V = attention.output[4], attention.weights[4], review_vectors()[2]
    for y, place in ((110, 3), (230, 10)):
        panel.chip(56, y, REVIEW[place], 88)
        panel.write(56, y + 28, f"value ({V[place, 0]:.0f}, {V[place, 1]:.0f})", color=style.MUTED)
        panel.line((106, y), (270, 170), width=1 + 14 * weights[place])
        panel.write(170, y + (-4 if place == 3 else 22), f"{weights[place]:.2f}", weight="bold")
    panel.chip(346, 170, f"({output[0]:.2f}, {output[1]:.2f})", 110, edge=style.INK, linewidth=1.8)
    panel.write(346, 200, "output of good", color=style.MUTED)


# 09: six critics, before and after.


def critics(scores, panel):
    panel.looks([f"critic {i}" for i in range(1, 7)], softmax(np.array(scores, float)), 3, shown=())
    panel.write(320, 56 + 3 * 40, "verdict", ha="left", weight="bold")


# 13: what is paid: the answer, or the answer and the look.


def payment(scores, words, panel):
    weights = softmax(np.array(scores, float))
    panel.looks(["[CLS]", *(f"position {i}" for i in range(1, 7))], weights, 0, shown=(4,))
    panel.write(312, 56, words, ha="left", weight="bold")


# 14: an intervention and its control.


def intervention(place, words, panel):
    weights = softmax(np.array([0.2, 0, 0.4, 0, 1.2, 0.9, 0]))
    panel.looks(["[CLS]", *(f"position {i}" for i in range(1, 7))], np.where(np.arange(7) == place, 0, weights), 0)
    panel.line((116, 56 + 40 * place), (300, 56), color=style.FAINT, width=1.5, linestyle=(0, (3, 3)))
    panel.cross(208, 56 + 20 * place)
    panel.write(312, 56, words, ha="left", weight="bold")


# 16: the table of weights grows with the square of the length, and a cache computes one row of it.


def table(n, only_last, panel):
    size = 16
    for i in range(n):
        for j in range(i + 1):
            fill = style.shade(style.QUERY, 0.55) if i == n - 1 or not only_last else style.PAPER
            x, y = panel.x + 30 + j * size, panel.y + 40 + i * size
            style.cell(panel.axes, x, y, size, size, fill=fill, edge=style.LINE)
    count = n if only_last else n * (n + 1) // 2
    panel.write(50 + n * size, 60, f"{count} weights\nfor word {n}", ha="left")


# 18: what follows the earlier occurrence is copied.


def induction(panel):
    words = ("A", "B", "c", "d", "A", "?")
    xs = [50 + 66 * i for i in range(6)]
    for x, word in zip(xs, words, strict=True):
        panel.chip(x, 190, word, 46, edge=style.INK if word == "?" else style.LINE, linewidth=1.6)
    panel.arc(xs[1], xs[0], 174, 0.5, color=style.RING)
    panel.arc(xs[4], xs[1], 174, 0.7)
    panel.write(8, 96, "layer 0: B notes what\ncame before it", ha="left")
    panel.write(216, 58, "layer 1: A looks for what\ncame after an earlier A", ha="left")
    panel.line((xs[4] + 23, 190), (xs[5] - 26, 190), head=10)


# 19: a text goes in, six blocks read it, and a vector of its meaning comes out.


def encoder(panel):
    for i, word in enumerate(("It", "was", "too", "tired")):
        panel.chip(56, 70 + 44 * i, word, 88)
        for layer in range(6):
            x = panel.x + 130 + 36 * layer
            style.box(panel.axes, x, panel.y + 54 + 44 * i, 24, 32, rounding=4, fill=style.PANEL)
        panel.line((102, 70 + 44 * i), (126, 70 + 44 * i), color=style.LINE)
        panel.line((338, 70 + 44 * i), (372, 136), color=style.QUERY, width=2)
    panel.write(230, 244, "six blocks, twelve heads each", color=style.MUTED)
    panel.chip(404, 136, "mean", 60, edge=style.INK)


# 20: query heads and the key heads that serve them.


def head_sharing(n_key_heads, panel):
    for head in range(4):
        x = 76 + 96 * head
        panel.chip(x, 64, f"query {head}", 84, edge=style.QUERY)
        served = head * n_key_heads // 4
        key_x = 76 + 96 * (served + 0.5) * 4 / n_key_heads - 48
        panel.line((x, 80), (key_x, 142), color=style.LINE, width=2)
    for head in range(n_key_heads):
        key_x = 76 + 96 * (head + 0.5) * 4 / n_key_heads - 48
        panel.chip(key_x, 158, f"K, V {head}", 84, edge=style.RING)
    panel.write(220, 204, f"cache: {2 * n_key_heads} rows a word", color=style.MUTED)


# 21: the order of a study.

STEPS = (
    "1  a claim, and what would refute it",
    "2  five seeds",
    "3  an intervention",
    "4  its control",
    "5  three sentences",
)


def study(steps, panel):
    for i, words in enumerate(steps):
        panel.chip(220, 60 + 56 * i, words, 340, edge=style.QUERY if i == 0 else style.LINE)
        if i:
            panel.line((220, 60 + 56 * i - 40), (220, 60 + 56 * i - 17), head=9, color=style.LINE)


FIGURES = {  # lesson: the height of its panels, and the panels by their headings
    "00": (180, {
        "This movie was not good": partial(twin, ("not", "good", "but", "amazing"), "good", "not"),
        "This one was": partial(twin, ("good", "but", "not", "amazing"), "amazing", "not"),
    }),
    "03": (290, {
        "Raw products, d_k = 512": partial(scale_effect, False),
        "The same, divided by √512": partial(scale_effect, True),
    }),
    "05_asked": (250, {"Where will “good” look?": question, "What will it take in?": unknown}),
    "05": (420, {"Where “good” looks": of_good, "What “good” takes in": mixture}),
    "09": (290, {
        "At first the reader listens to all": partial(critics, [0] * 6),
        "Later it listens to one": partial(critics, [0, 0, 0, 3.4, 0, 0]),
    }),
    "13": (330, {
        "Paid for the answer": partial(payment, [0, 0, 0, 0, 1.1, 0, 0], "right: paid"),
        "Paid for the look as well": partial(payment, [0, 0, 0, 0, 9, 0, 0], "right and\nlooking: paid"),
    }),
    "14": (330, {
        "The intervention": partial(intervention, 4, "without\nposition 4?"),
        "The control": partial(intervention, 5, "without\nanother one?"),
    }),
    "16": (270, {
        "Every word looks again": partial(table, 13, False),
        "With a cache: the last row only": partial(table, 13, True),
    }),
    "18": (230, {"Have I seen this before?": induction}),
    "19": (270, {"From words to one vector": encoder}),
    "20": (230, {
        "Each query head has its own key head": partial(head_sharing, 4),
        "Two key heads serve four": partial(head_sharing, 2),
    }),
    "21": (330, {"The order of a study": partial(study, STEPS)}),
}  # fmt: skip


def pictures():
    """Yield what draws each picture, wide and tall."""
    for lesson, (height, panels) in FIGURES.items():
        for tall in (False, True) if len(panels) > 1 else (False,):
            name, shown = f"parts_{lesson}", partial(draw, tuple(panels.items()), height, tall)
            names = {
                "__name__": name + "_tall" * tall,
                "TITLE": f"A drawing: {', and '.join(panels)}",
                "ALT": STAGES[name]["says"],
            }
            yield SimpleNamespace(**names, draw=shown, HAS_DARK=True)


PICTURES = list(pictures())
