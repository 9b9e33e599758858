"""Draw the first picture of the course: how far twenty recorded models look at position 4, by two recipes.

The talk begins with its question, first_look_asked, which keeps the answer back.
"""

from functools import partial
from types import SimpleNamespace

import style

from course_utils.explorables.look_playground import SHARP, recorded_looks

TITLE = "Twenty models answer right. Do they look?"
PANEL, HEIGHT, MARGIN, TOWER = 440, 236, 14, 130
RECIPES = {"usual": "the usual recipe", "focused": "decoys, then a reward"}


def verdict(recipe):
    """Return how many of the models of a recipe look."""
    looks = recorded_looks(recipe)
    return f"{sum(look >= SHARP for look in looks)} of {len(looks)} look"


def alt():
    """Return the picture in words and numbers."""
    rows = (f"{words}, {verdict(recipe)}: {reach(recorded_looks(recipe))}" for recipe, words in RECIPES.items())
    return (
        "A column for each model, filled by the share of its attention on position 4, where the answer stands. "
        f"With {'; with '.join(rows)}. A model looks from {SHARP} on."
    )


def reach(looks):
    """Return the smallest and the largest look, once if both are written alike."""
    return " to ".join(dict.fromkeys(f"{look:.2f}" for look in (min(looks), max(looks))))


def panel(axes, x, y, width, number, beside, looks):
    """Draw one panel: its number, and a column for each model, with a question mark for a look that is None."""
    style.write(axes, x + MARGIN, y + 28, number, size=21, weight="bold", ha="left")
    style.write(axes, x + width - MARGIN, y + 34, beside, ha="right", color=style.MUTED)
    pitch, bottom = (width - 2 * MARGIN) / len(looks), y + 66 + TOWER
    for i, look in enumerate(looks):
        left, wide = x + MARGIN + i * pitch, 0.66 * pitch
        style.cell(axes, left, bottom - TOWER, wide, TOWER, fill=style.PANEL)
        if look is None:
            style.write(axes, left + wide / 2, bottom - TOWER / 2, "?", size=21, color=style.MUTED)
        else:
            style.cell(axes, left, bottom - TOWER * look, wide, TOWER * look, fill=style.CUT, edge=style.CUT)
    style.write(axes, x + MARGIN, bottom + 20, "one column a model: its attention on position 4", ha="left")


def draw(tall):
    """Return the figure; on a phone the recipes stand one below the other."""
    places = [(0, 0), (0, HEIGHT)] if tall else [(0, 0), (style.WIDTH - PANEL, 0)]
    figure, axes = style.canvas(HEIGHT * (2 if tall else 1), PANEL if tall else style.WIDTH)
    for (x, y), (recipe, words) in zip(places, RECIPES.items(), strict=True):
        panel(axes, x, y, PANEL, verdict(recipe), words, recorded_looks(recipe))
    return figure


def draw_asked():
    """Return the figure that only asks the question, without showing how far the columns are filled."""
    figure, axes = style.canvas(HEIGHT)
    panel(axes, 0, 0, style.WIDTH, "? of 20 look", "", [None] * 20)
    return figure


PICTURES = [
    SimpleNamespace(__name__=f"first_look{ending}", TITLE=TITLE, ALT=alt(), draw=partial(draw, tall), HAS_DARK=True)
    for ending, tall in (("", False), ("_tall", True))
]
ASKED = (
    "A column for each of twenty models, for the share of its attention on position 4, where the answer stands, "
    "and in each column a question mark: how many of them look?"
)
PICTURES += [SimpleNamespace(__name__="first_look_asked", TITLE=TITLE, ALT=ASKED, draw=draw_asked, HAS_DARK=True)]
