"""The picture of a class: each student's scores before and after, and the gain by concept."""

import matplotlib.pyplot as plt
import numpy as np
from measuring import each_item, formulas
from measuring.report import ENOUGH, count_students, fmt, fmt_number

from course_utils.inventory.answers import SITTINGS
from course_utils.inventory.items import load
from course_utils.pictures import plots


def draw(group):
    """Return the figure of a class; at least one student answered both questionnaires."""
    students = group.respondents(*SITTINGS)
    before, after = (group.right(name, students).mean(axis=1) for name in SITTINGS)
    figure, (left, right) = plt.subplots(1, 2, figsize=(13, 5), width_ratios=(2, 3))
    draw_students(left, before, after)
    draw_concepts(right, each_item.by_concept(group), len(students))
    return figure


def draw_students(ax, before, after):
    """Draw a thin line per student, jittered so that equal ones stay visible, and a thick one for the class."""
    shift = np.random.default_rng(0).uniform(-0.008, 0.008, size=len(before))
    alpha = max(0.08, min(0.6, 20 / len(before)))  # keeps many overlapping lines readable
    for start, end in zip(before + shift, after + shift, strict=True):
        ax.plot([0, 1], [start, end], color=plots.GREY, linewidth=0.8, alpha=alpha)
    ax.plot([0, 1], [before.mean(), after.mean()], color=plots.BLUE, linewidth=4, marker="o", markersize=10)
    ax.set_xticks([0, 1], SITTINGS)
    ax.set_xlim(-0.15, 1.15)
    ax.set_ylim(-0.03, 1.03)
    ax.set_ylabel("share of right answers")
    ax.set_title(f"{count_students(len(before))}, and the mean")


def draw_concepts(ax, gains, n):
    """Draw each concept's gain as an interval, with enough students also its value. An arrow: it starts below -1."""
    names = [load().concepts[id].name.split(":")[0] for id in gains]
    for row, estimate in enumerate(gains.values()):
        if estimate.low is None:
            ax.text(0, row, "cannot be said", va="center", ha="center")
            continue
        low, high = np.clip([estimate.low, estimate.high], -1, 1)
        ax.plot([low, high], [row, row], color=plots.BLUE, linewidth=6, solid_capstyle="butt")
        if estimate.low < -1:
            ax.plot(-0.97, row, marker="<", color=plots.BLUE, markersize=12)
        if n >= ENOUGH:
            ax.plot(estimate.value, row, marker="D", color=plots.ORANGE, markersize=9)
    ax.axvline(0, color=plots.GREY, linewidth=1)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlim(-1, 1)
    ax.set_xlabel("normalised gain, interval of 95 %")
    ax.set_title("By concept: the interval" + (", and the gain as a diamond" if n >= ENOUGH else ""))


def describe(group):
    """Describe the picture in words, as its alternative text."""
    students = group.respondents(*SITTINGS)
    before, after = (group.right(name, students).mean(axis=1) for name in SITTINGS)
    rose, fell = int((after > before).sum()), int((after < before).sum())
    gain = fmt(formulas.class_gain(before, after))
    means = f"{fmt_number(before.mean())} before and {fmt_number(after.mean())} after"
    left = f"Left: the scores of {count_students(len(students))}, on average {means}; {rose} rose, {fell} fell"
    return f"{left}. Right: an interval of the gain for each of seven concepts. The gain of the class is {gain}."
