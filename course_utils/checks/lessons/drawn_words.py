"""An exercise of lesson 17: draw the next word from the probabilities that a model gives."""

import numpy as np

from course_utils.attention import softmax
from course_utils.checks.engine.exercise import Exercise, fault
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_17 import GAP, LAST_POINT, PROMISED
from course_utils.checks.lessons.shared import draw


def by_the_line(p, u):
    return np.searchsorted(np.cumsum(p), u, side="right")


def sample_next(
    scores,
    temperature,
    u,
    *,
    warm=np.divide,
    share=lambda warmed, scores, T: softmax(warmed),
    throw=lambda u: u,
    find=by_the_line,
    keep=lambda i, p: min(i, len(p) - 1),
):
    """Return the number of the word on whose part of the line the point u lies, scores (n_words,)."""
    p = share(warm(scores, temperature), scores, temperature)
    return keep(find(p, throw(u)), p)


def first_above(p, u, none):
    """Return the first place that holds more than u, and `none` where no place does."""
    return int(np.argmax(p > u)) if (p > u).any() else none


def in_order(p, u, order):
    """Return the word on whose part u lies when the parts stand in another order."""
    return order[min(by_the_line(p[order], u), len(p) - 1)]


def throws(n, seed, *points):
    """Return probes of one row of positive scores (n,), each with a temperature and a point."""
    (scores,) = draw(n, seed=seed)
    return [(abs(scores) + 0.1, temperature, u) for temperature, u in points]


SAMPLE_NEXT = Exercise(
    name="sample_next",
    reference=sample_next,
    solution=solutions.sample_next,
    arguments=("scores", "temperature", "u"),
    gives={"the word": "one number"},
    **PROMISED["sample_next"],
    probes=(
        *throws(5, 1, (1.0, 0.3), (1.0, 0.85), (0.4, 0.55), (3.0, 0.12)),
        *throws(7, 2, (1.0, 0.05), (0.5, 0.45), (2.0, 0.62), (1.5, 0.93)),
        *throws(6, 8, (1.0, 0.78), (0.3, 0.33), (0.7, 0.18), (2.5, 0.57)),
        *throws(12, 4, (1.0, 0.15), (0.6, 0.28), (1.8, 0.66), (0.8, 0.97)),
        (np.full(4, 0.5), 2.0, 0.25),  # here a part begins
        (np.ones(GAP), 1.0, LAST_POINT),  # here no part ends behind the point
    ),
    hint="Draw the line for three words, and mark where each part begins.",
    faults=(
        fault("temperature-unused", "sample_next", warm=lambda s, T: s),
        fault("temperature-inverted", "sample_next", warm=np.multiply),
        fault("temperature-after-softmax", "sample_next", share=lambda warmed, s, T: softmax(s) / T),
        fault("temperature-after-softmax", "sample_next", share=lambda warmed, s, T: softmax(s) ** (1 / T)),
        fault("softmax-missing", "sample_next", share=lambda warmed, s, T: warmed),
        fault("softmax-unnormalised", share=lambda warmed, s, T: np.exp(warmed)),
        fault("softmax-without-exp", share=lambda warmed, s, T: warmed / warmed.sum()),
        fault("softmax-sign", share=lambda warmed, s, T: softmax(-warmed)),
        fault("sample-greedy", find=lambda p, u: p.argmax()),
        fault("sample-even", find=lambda p, u: int(u * len(p))),
        fault("sample-other-end", throw=lambda u: 1 - u),
        fault("sample-right-end", find=lambda p, u: np.searchsorted(np.cumsum(p), u, side="left")),
        fault("sample-not-summed", find=lambda p, u: first_above(p, u, len(p) - 1)),
        fault("sample-not-summed", find=lambda p, u: first_above(p, u, 0)),
        fault("sample-not-summed", find=lambda p, u: np.searchsorted(p, u, side="right")),
        fault("sample-nearest", find=lambda p, u: abs(np.cumsum(p) - u).argmin()),
        fault("sample-nearest", find=lambda p, u: abs(p - u).argmin()),
        fault("sample-counts-above", find=lambda p, u: (np.cumsum(p) > u).sum()),
        fault("sample-sorted", find=lambda p, u: in_order(p, u, np.argsort(-p))),
        fault("sample-sorted", find=lambda p, u: in_order(p, u, np.argsort(p))),
        fault("sample-sorted", find=lambda p, u: by_the_line(np.sort(p)[::-1], u)),
        fault("sample-sorted", find=lambda p, u: by_the_line(np.sort(p), u)),
        fault("sample-off-by-one", keep=lambda i, p: i + 1),
        fault("sample-off-by-one", keep=lambda i, p: min(i + 1, len(p) - 1)),
        fault("sample-off-by-one", keep=lambda i, p: min(i, len(p) - 1) + 1),
        fault("sample-off-by-one", keep=lambda i, p: i - 1),
        fault("sample-off-by-one", keep=lambda i, p: min(i, len(p) - 1) - 1),
        fault("sample-off-by-one", keep=lambda i, p: max(i - 1, 0)),
        fault("sample-no-word", keep=lambda i, p: i),
        fault("sample-first-word", keep=lambda i, p: i % len(p)),
        fault("sample-gives-probability", keep=lambda i, p: p[min(i, len(p) - 1)]),
    ),
)
