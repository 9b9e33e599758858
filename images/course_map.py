"""Draw the course map: every lesson as a station on one path, and the three ways through."""

import style
from matplotlib.path import Path as Line

from course_utils.checks.student.course_map import LESSONS, PARTS

TITLE = "The course map"
ALT = (
    f"A path of {len(LESSONS)} lessons. Attention by hand: 00 to 10. The classifier: 11 to 15. "
    "Beyond the toy: 16 to 21. "
    "Rings mark the short way, an afternoon: 00, 01, 02, 04, 05, 12, 13, and the finale of 15. "
    "A small figure says in which of three sessions an instructor takes a lesson."
)

SHORT_WAY = ("00", "01", "02", "04", "05", "12", "13", "15")
SESSIONS = {  # with an instructor: see INSTRUCTORS.md
    1: ("00", "01", "02", "04"),
    2: ("05", "06", "08", "09"),
    3: ("12", "13", "14", "15", "19"),
}

HEIGHT = 844
COLUMNS = (82, 222, 362, 502, 642, 782)
ROWS = (80, 248, 456, 664)
STARTS = 0, 6, 11, 16  # the lesson with which each row begins; every second row runs from right to left
RADIUS = 19


def station(index):
    """Return the pixel position of lesson `index`; rows that are not full keep the path unbroken."""
    row = sum(index >= start for start in STARTS) - 1
    column = index - STARTS[row]
    return COLUMNS[-1 - column if row % 2 else column + row // 2], ROWS[row]


def draw_parts(axes):
    """Draw the panels of the three parts with their names."""
    for x, y, width, height in ((12, 12, 876, 362), (12, 388, 876, 192), (12, 594, 876, 188)):
        style.box(axes, x, y, width, height, fill=style.PANEL, edge="none", zorder=0)
    for name, (first, last) in PARTS.items():
        words = f"{name} · {list(LESSONS)[first][:2]} to {list(LESSONS)[last][:2]}"
        style.write(axes, 44, station(first)[1] - 45, words, size=13, weight="bold", ha="left", color=style.QUERY)


def draw_ways(axes):
    """Draw the legend of the three ways."""
    style.dot(axes, 40, 814, 9, style.QUERY, style.QUERY)
    style.dot(axes, 40, 814, 14, "none", style.RING, linewidth=3)
    style.write(axes, 62, 814, "the short way, an afternoon", ha="left")
    style.write(axes, 352, 814, f"the whole path, {len(LESSONS)} lessons", ha="left")
    style.arrow(axes, (312, 814), (344, 814), color=style.QUERY, width=3)
    draw_session(axes, 604, 814, "1")
    style.write(axes, 620, 814, "the session with an instructor", ha="left")


def draw_session(axes, x, y, number):
    """Write the number of a session."""
    style.write(axes, x, y, number, weight="bold", color=style.MUTED, zorder=4)


def draw_step(axes, index):
    """Draw the path from the previous lesson to lesson `index`."""
    (x0, y0), (x1, y1) = station(index - 1), station(index)
    look = {"color": style.QUERY, "width": 3}
    if y0 == y1:
        side = RADIUS if x1 > x0 else -RADIUS
        style.arrow(axes, (x0 + side, y0), (x1 - side - side / 8, y1), **look)
        return
    side, reach = (RADIUS, 870) if x0 == COLUMNS[-1] else (-RADIUS, 30)
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


def draw_lesson(axes, index, name):
    """Draw lesson `index` as a station with its title and what the student has at its end."""
    x, y = station(index)
    number, title = name.replace("_", " ").replace("cls", "[CLS]").split(" ", 1)
    style.dot(axes, x, y, RADIUS, style.QUERY, style.QUERY, linewidth=2)
    style.write(axes, x, y, number, size=14, weight="bold", color=style.PAPER, zorder=4)
    if number in SHORT_WAY:
        style.dot(axes, x, y, RADIUS + 5, "none", style.RING, linewidth=3)
    for session, lessons in SESSIONS.items():
        if number in lessons:
            draw_session(axes, x - 36, y - 17, str(session))
    title = style.fold(title)
    style.write(axes, x, y + 36, title, size=13, weight="bold")
    style.write(axes, x, y + 60 + 21 * title.count("\n"), style.fold(LESSONS[name]))


def draw():
    """Return the figure."""
    figure, axes = style.canvas(HEIGHT)
    draw_parts(axes)
    draw_ways(axes)
    for index, name in enumerate(LESSONS):
        if index:
            draw_step(axes, index)
        draw_lesson(axes, index, name)
    return figure
