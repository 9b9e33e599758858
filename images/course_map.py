"""Draw the course map: every lesson as a station on one path, and the three ways through."""

from functools import partial
from math import ceil
from types import SimpleNamespace

import style
from matplotlib.path import Path as Line

from course_utils.checks.student.course_map import LESSONS, PARTS

TITLE = "The course map"
RANGES = " ".join(f"{name}: {first:02} to {last:02}." for name, (first, last) in PARTS.items())
ALT = (
    f"A path of {len(LESSONS)} lessons. {RANGES} "
    "Rings mark the short way, an afternoon: 00, 01, 02, 04, 05, 12, 13, and the finale of 15. "
    "A small figure says in which of three sessions an instructor takes a lesson."
)

SHORT_WAY = ("00", "01", "02", "04", "05", "12", "13", "15")
SESSIONS = {  # with an instructor: see INSTRUCTORS.md
    1: ("00", "01", "02", "04"),
    2: ("05", "06", "08", "09"),
    3: ("12", "13", "14", "15", "19"),
}

COLUMNS = (82, 222, 362, 502, 642, 782)
RADIUS = 19
TALL_WIDTH, TALL_COLUMN = 440, 62  # on a phone: one column, from top to bottom


def rows():
    """Return the lessons of each row, as few rows as a part needs; every second row runs from right to left."""
    drawn = []
    for first, last in PARTS.values():
        lessons = range(first, last + 1)
        size = ceil(len(lessons) / ceil(len(lessons) / len(COLUMNS)))
        drawn += [lessons[start : start + size] for start in range(0, len(lessons), size)]
    return drawn


def station(index, tall):
    """Return the pixel position of lesson `index`; a row that is not full has its gap on the left."""
    part = sum(index > last for _, last in PARTS.values())
    if tall:
        return TALL_COLUMN, 80 + 64 * index + 60 * part
    number, row = next((number, row) for number, row in enumerate(rows()) if index in row)
    return COLUMNS[row[0] - index - 1 if number % 2 else index - row[-1] - 1], 80 + 168 * number + 40 * part


def draw_parts(axes, tall):
    """Draw the panels of the three parts with their names."""
    width, left, below = (TALL_WIDTH, TALL_COLUMN + 36, 42) if tall else (style.WIDTH, 44, 124)
    for name, (first, last) in PARTS.items():
        top, bottom = station(first, tall)[1] - 68, station(last, tall)[1] + below
        style.box(axes, 12, top, width - 24, bottom - top, fill=style.PANEL, edge="none", zorder=0)
        words = f"{name} · {list(LESSONS)[first][:2]} to {list(LESSONS)[last][:2]}"
        style.write(axes, left, top + 23, words, size=13, weight="bold", ha="left", color=style.QUERY)


def draw_ways(axes, short, whole, session):
    """Draw the legend of the three ways, each at its place."""
    style.dot(axes, *short, 9, style.QUERY, style.QUERY)
    style.dot(axes, *short, 14, "none", style.RING, linewidth=3)
    style.arrow(axes, (whole[0] - 16, whole[1]), (whole[0] + 16, whole[1]), color=style.QUERY, width=3)
    draw_session(axes, *session, "1")
    words = "the short way, an afternoon", f"the whole path, {len(LESSONS)} lessons", "the session with an instructor"
    for (x, y), line in zip((short, whole, session), words, strict=True):
        style.write(axes, x + 24, y, line, ha="left")


def draw_session(axes, x, y, number):
    """Write the number of a session."""
    style.write(axes, x, y, number, weight="bold", color=style.MUTED, zorder=4)


def draw_step(axes, index, tall):
    """Draw the path from the previous lesson to lesson `index`."""
    (x0, y0), (x1, y1) = station(index - 1, tall), station(index, tall)
    look = {"color": style.QUERY, "width": 3}
    if tall:
        style.arrow(axes, (x0, y0 + RADIUS), (x1, y1 - RADIUS * 9 / 8), **look)
        return
    if y0 == y1:
        side = RADIUS if x1 > x0 else -RADIUS
        style.arrow(axes, (x0 + side, y0), (x1 - side - side / 8, y1), **look)
        return
    side, reach = (RADIUS, 870) if x0 == x1 == COLUMNS[-1] else (-RADIUS, 30)
    curve = [
        (x0 + side, y0),
        (reach, y0),
        (reach, y0 + 40),
        (reach, y1 - 40),
        (reach, y1),
        (x1 + side * 9 / 8, y1),
    ]
    codes = [Line.MOVETO, Line.CURVE3, Line.CURVE3, Line.LINETO, Line.CURVE3, Line.CURVE3]
    style.arrow(axes, path=Line(curve, codes), **look)


def draw_lesson(axes, index, name, tall):
    """Draw lesson `index` as a station with its title and what the student has at its end."""
    x, y = station(index, tall)
    number, title = name.replace("_", " ").replace("cls", "[CLS]").split(" ", 1)
    style.dot(axes, x, y, RADIUS, style.QUERY, style.QUERY, linewidth=2)
    style.write(axes, x, y, number, size=14, weight="bold", color=style.PAPER, zorder=4)
    if number in SHORT_WAY:
        style.dot(axes, x, y, RADIUS + 5, "none", style.RING, linewidth=3)
    for session, lessons in SESSIONS.items():
        if number in lessons:
            draw_session(axes, x - 36, y - 17, str(session))
    if tall:
        style.write(axes, x + 36, y - 12, title, size=13, weight="bold", ha="left")
        style.write(axes, x + 36, y + 12, LESSONS[name], ha="left")
        return
    title = style.fold(title)
    style.write(axes, x, y + 36, title, size=13, weight="bold")
    style.write(axes, x, y + 60 + 21 * title.count("\n"), style.fold(LESSONS[name]))


def draw(tall):
    """Return the figure."""
    end = station(len(LESSONS) - 1, tall)[1]
    figure, axes = style.canvas(end + 172, TALL_WIDTH) if tall else style.canvas(end + 180)
    draw_parts(axes, tall)
    draw_ways(
        axes, *[(TALL_COLUMN, end + y) for y in (72, 106, 140)] if tall else [(x, end + 150) for x in (40, 328, 596)]
    )
    for index, name in enumerate(LESSONS):
        if index:
            draw_step(axes, index, tall)
        draw_lesson(axes, index, name, tall)
    return figure


PICTURES = [
    SimpleNamespace(__name__=f"course_map{ending}", TITLE=TITLE, ALT=ALT, draw=partial(draw, tall), HAS_DARK=True)
    for ending, tall in (("", False), ("_tall", True))
]
